"""A child's search in parts finds the same families as a single search, to the last bit."""

import threading
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import Constraints, Dataset, Knowledge
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.relations import CPT, LEAKY_NOISY_OR, NOISY_OR, Relation
from noisyor.core.request import Request
from noisyor.core.variable_sets import from_words, variables_in
from noisyor.scoring.child_search import (
    ChildScores,
    ChildSearch,
    CountBy,
    SearchPass,
    SearchSettings,
    settings_for,
)
from noisyor.scoring.set_ranges import SetRange
from tests.scoring.passes import kinds, run_pass, same_scores
from tests.scoring.problems import datasets, random_dataset

ALL = (CPT, NOISY_OR, LEAKY_NOISY_OR)
NOTHING = SetRange(77, 77)  # inside of a subtree


def whole_pass(settings: SearchSettings) -> SearchPass:
    return SearchPass(settings.request.factor.slack, settings.request.relations)


def undivided(child: int, settings: SearchSettings) -> ChildScores:
    return run_pass(ChildSearch(settings, child), whole_pass(settings))


def found_in(search: ChildSearch, wanted: SearchPass) -> FamilyColumns:
    """Return what a pass over a range of sets finds when it has finished."""
    search.begin(replace(wanted, fits=False))
    search.work(kernels.Cancellation())
    assert search.finished
    return search.found()[0]


def decided(search: ChildSearch, wanted: SearchPass, found: list[FamilyColumns]) -> ChildScores:
    """Return the families that a last pass keeps of all that were found."""
    joined = FamilyColumns.concatenated(found, found[0].word_count)
    return run_pass(search, replace(wanted, sets=NOTHING, found=joined))


def natural_order(settings: SearchSettings, child: int) -> tuple[int, ...]:
    """Return the order that a search finds by itself."""
    search = ChildSearch(settings, child)
    found_in(search, replace(whole_pass(settings), sets=SetRange(0, 0)))
    return search.order


def in_parts(
    child: int,
    settings: SearchSettings,
    ranges: Iterable[SetRange],
    *,
    informed: bool,
) -> ChildScores:
    """Return the result of a search in parts, `informed` of earlier parts or not."""
    order = natural_order(settings, child)
    wanted = whole_pass(settings)
    found: list[FamilyColumns] = []
    for set_range in ranges:
        known = (
            FamilyColumns.concatenated(found, found[0].word_count) if found and informed else None
        )
        alone = ChildSearch(settings, child, order)
        found.append(found_in(alone, replace(wanted, sets=set_range, found=known)))
    return decided(ChildSearch(settings, child, order), wanted, found)


def constrained(names: tuple[str, ...]) -> Constraints:
    known = Knowledge(
        required=[(names[1], names[-1]), (names[1], names[0])],
        forbidden=[(names[2], names[-1])],
        max_parents=4,
    )
    return known.constraints(names)


Choice = tuple[float, tuple[Relation, ...], CountBy | None, bool]
CHOICES: list[Choice] = [
    (20, (CPT, NOISY_OR), None, False),
    (20, ALL, CountBy.CONFIGURATIONS, False),
    (1, (CPT, LEAKY_NOISY_OR), None, False),
    (150, (CPT,), CountBy.CONFIGURATIONS, True),
    (150, ALL, CountBy.BIT_COLUMNS, True),
]


@pytest.mark.parametrize(("factor", "relations", "count_by", "constraints"), CHOICES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_families_are_the_same_however_the_sets_are_cut(
    seed: int,
    factor: float,
    relations: tuple[Relation, ...],
    count_by: CountBy | None,
    constraints: bool,
) -> None:
    data = random_dataset(seed, 9, 300)
    limits = constrained(data.names) if constraints else None
    settings = settings_for(
        Request.of(data, factor, relations=relations, constraints=limits), count_by=count_by
    )
    for child in (0, 8):
        whole = undivided(child, settings)
        sets = ChildSearch(settings, child).all_sets
        singly = [SetRange(first, first + 1) for first in range(sets.end)]
        for ranges in (sets.cut(1), sets.cut(2), sets.cut(5), sets.cut(5)[::-1]):
            for informed in (False, True):
                there = in_parts(child, settings, ranges, informed=informed)
                assert same_scores(there, whole)
        assert same_scores(in_parts(child, settings, singly, informed=False), whole)


@given(datasets(most_variables=6), st.data())
def test_strange_data_can_be_cut_anywhere(data: Dataset, draw: st.DataObject) -> None:
    child = draw.draw(st.integers(0, data.variable_count - 1))
    factor = draw.draw(st.sampled_from([1.0, 20.0, 1e6]))
    settings = settings_for(Request.of(data, factor, relations=ALL))
    end = ChildSearch(settings, child).all_sets.end
    cuts = sorted({0, end} | draw.draw(st.sets(st.integers(0, end), max_size=4)))
    ranges = [SetRange(*pair) for pair in pairwise(cuts)]
    there = in_parts(child, settings, ranges, informed=draw.draw(st.booleans()))
    assert same_scores(there, undivided(child, settings))


def test_more_than_64_variables_are_cut_within_all_words() -> None:
    data = random_dataset(4, 70, 60)
    few = Knowledge(max_parents=2).constraints(data.names)
    settings = settings_for(Request.of(data, 1, constraints=few))
    whole = undivided(69, settings)
    ranges = SetRange(0, 1 << 69).cut(6)
    assert any(one.first >= 1 << 64 for one in ranges)
    assert any(0 < one.first < 1 << 64 for one in ranges)
    assert same_scores(in_parts(69, settings, ranges, informed=False), whole)


def test_a_part_finds_sets_of_its_range_only_by_the_order_it_was_given() -> None:
    data = random_dataset(6, 8, 200)
    settings = settings_for(Request.of(data, 20, relations=ALL))
    order = natural_order(settings, 7)[::-1]
    place = {variable: bit for bit, variable in enumerate(order)}
    for set_range in SetRange(0, 1 << 7).cut(4):
        search = ChildSearch(settings, 7, order)
        found = found_in(search, replace(whole_pass(settings), sets=set_range))
        assert search.order == order
        numbers = [
            sum(1 << place[variable] for variable in variables_in(parents))
            for parents in from_words(found.parents)
        ]
        assert all(set_range.first <= number < set_range.end for number in numbers)
        assert search.reached == set_range.end


def test_parts_find_more_families_than_the_last_pass_keeps() -> None:
    """Without the last pass, families that other parts dominate are kept."""
    data = random_dataset(1, 10, 400)
    settings = settings_for(Request.of(data, 20))
    dropped = 0
    for child in range(10):
        search = ChildSearch(settings, child)
        wanted = whole_pass(settings)
        found = [
            found_in(search, replace(wanted, sets=set_range))
            for set_range in search.all_sets.cut(8)
        ]
        joined = FamilyColumns.concatenated(found, found[0].word_count)
        candidates = set(zip(from_words(joined.parents), joined.relations.tolist(), strict=True))
        assert len(candidates) == len(joined.costs)  # each in one range only
        whole = undivided(child, settings)
        staying = set(
            zip(from_words(whole.columns.parents), whole.columns.relations.tolist(), strict=True)
        )
        assert staying <= candidates
        assert kinds(decided(search, wanted, found)) == kinds(whole)
        dropped += len(candidates - staying)
    assert dropped > 0


def in_slices(search: ChildSearch, wanted: SearchPass, seconds: float) -> list[FamilyColumns]:
    """Return what is found if the search is stopped and resumed again and again."""
    rest = search.all_sets
    found: list[FamilyColumns] = []
    while True:
        search.begin(replace(wanted, sets=rest, fits=False))
        cancellation = kernels.Cancellation()
        timer = threading.Timer(seconds, cancellation.cancel)
        timer.start()
        search.work(cancellation)
        timer.join()
        found.append(search.found()[0])
        if search.finished:
            return found
        if search.reached == rest.first:
            seconds *= 2
        rest = SetRange(search.reached, rest.end)


def test_a_stopped_search_can_be_resumed() -> None:
    data = random_dataset(3, 16, 500)
    settings = settings_for(Request.of(data, 1000, relations=ALL))
    slices = []
    for child in (6,):
        search = ChildSearch(settings, child)
        wanted = whole_pass(settings)
        found = in_slices(search, wanted, 0.01)
        slices.append(len(found))
        assert same_scores(decided(search, wanted, found), undivided(child, settings))
    assert max(slices) > 3


def test_a_search_that_was_stopped_at_once_has_reached_nothing() -> None:
    data = random_dataset(3, 6, 100)
    settings = settings_for(Request.of(data, 20, relations=ALL))
    search = ChildSearch(settings, 0)
    search.begin(replace(whole_pass(settings), sets=SetRange(5, 20), fits=False))
    cancellation = kernels.Cancellation()
    cancellation.cancel()
    search.work(cancellation)
    assert not search.finished
    assert search.reached == 5
    assert len(search.found()[0].costs) == 0


def test_the_statistics_of_one_part_are_those_of_the_whole() -> None:
    data = random_dataset(3, 8, 200)
    settings = settings_for(Request.of(data, 20, relations=ALL))
    wanted = whole_pass(settings)
    search = ChildSearch(settings, 4)
    found_in(search, wanted)
    found, work = search.found()
    search.begin(replace(wanted, sets=NOTHING, found=found))
    search.work(kernels.Cancellation())
    assert search.result([work]).statistics == undivided(4, settings).statistics


@given(st.integers(0, 200), st.data())
def test_a_range_cut_in_parts_has_the_same_sets(bits: int, draw: st.DataObject) -> None:
    end = draw.draw(st.integers(0, 1 << bits))
    first = draw.draw(st.integers(0, end))
    count = draw.draw(st.integers(1, 40))
    ranges = SetRange(first, end).cut(count)
    assert len(ranges) <= count
    assert not any(one.empty for one in ranges)
    edges = [first, *(one.end for one in ranges)]
    assert edges[-1] == end
    assert [one.first for one in ranges] == edges[:-1]


def test_ranges_are_cut_by_how_many_parents_sets_have() -> None:
    # Of three candidates, sets with k of them weigh 3^(3 - k) of 64: 27 9 9 3 9 3 3 1.
    assert SetRange(0, 8).cut(2) == [SetRange(0, 1), SetRange(1, 8)]
    assert SetRange(1, 8).cut(2) == [SetRange(1, 3), SetRange(3, 8)]
    assert SetRange(6, 8).cut(5) == [SetRange(6, 7), SetRange(7, 8)]
    assert SetRange(0, 1 << 30).cut(4)[-1].first.bit_count() >= 1
