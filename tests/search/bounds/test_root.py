"""Bounds against brute force over orders, and duals against their definition."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from noisyor._kernels import available_builds, kernels, load_build
from noisyor.core.variable_sets import from_words, set_of, to_words, variables_in, word_count
from noisyor.search.bounds import bounding as bounding_module
from noisyor.search.bounds.duals import Duals, duals_of
from noisyor.search.bounds.effort import QUICK, THOROUGH, BoundsProgress, Ending
from noisyor.search.bounds.linear_program import LinearProgram, Solution, counts_in
from noisyor.search.bounds.root import Bounds, find_bounds
from noisyor.search.bounds.separation import (
    BRIEF,
    LEAST_VIOLATION,
    Point,
    exact_cut,
    rounded_order,
    violated_cuts,
)
from noisyor.search.families import Families
from noisyor.search.no_network import NoNetworkError
from tests.oracles import cuts as oracle
from tests.oracles.cuts import OracleCut
from tests.search.cuts import cuts_of, divided, oracle_cuts_of
from tests.support.effort import HANGS_AFTER, scaled

TICK = 2.0**-10
Choices = list[list[oracle.Family]]


def families_of(choices: Choices, variables: int | None = None) -> Families:
    """Return choices as families, with sets of as many words as the variables need."""
    rows = [family for own in choices for family in own]
    sizes = [len(own) for own in choices]
    return Families(
        first=np.cumsum([0, *sizes]).astype(np.int64),
        parents=to_words([parents for parents, _ in rows], word_count(variables or len(choices))),
        ticks=np.array([ticks for _, ticks in rows], dtype=np.int64),
        rows=np.arange(len(rows), dtype=np.int64),
    )


def spread(choices: Choices, places: list[int], variables: int) -> Choices:
    """Return the same problem on other variable numbers; the rest have no parents."""

    def moved(parents: int) -> int:
        return set_of(places[v] for v in variables_in(parents))

    result: Choices = [[(0, 0)] for _ in range(variables)]
    for v, own in enumerate(choices):
        result[places[v]] = [(moved(parents), ticks) for parents, ticks in own]
    return result


def tangled(seed: int, variables: int, triples: int) -> Choices:
    """Return choices in which triples of parents pay, which leaves a gap to linear programs."""
    rng = np.random.default_rng(seed)
    choices: Choices = []
    for v in range(variables):
        others = [u for u in range(variables) if u != v]
        sets = [set_of(three) for three in combinations(others, 3)]
        chosen = rng.permutation(len(sets))[:triples].tolist()
        ticks = {0: 10000} | {sets[place]: int(rng.integers(0, 3000)) for place in chosen}
        ticks |= {1 << u: int(rng.integers(4000, 7000)) for u in others}
        choices.append(sorted(ticks.items(), key=lambda family: (family[1], family[0])))
    return choices


def random_choices(seed: int, variables: int, size: int = 12) -> Choices:
    """Return choices in which parents pay, so that the cheapest families form many cycles."""
    rng = np.random.default_rng(seed)
    choices: Choices = []
    for v in range(variables):
        ticks = {0: int(rng.integers(5000, 9000))}
        for _ in range(size):
            count = int(rng.integers(1, min(4, variables)))
            others = [u for u in range(variables) if u != v]
            parents = set_of(rng.choice(others, size=count, replace=False).tolist())
            ticks.setdefault(parents, int(rng.integers(0, 6000)))
        choices.append(sorted(ticks.items(), key=lambda family: (family[1], family[0])))
    return choices


@st.composite
def problems(draw: st.DrawFn, *, most: int = 6, empty_set: bool = True) -> Choices:
    """Draw a small table with ties; without `empty_set` a variable may need parents."""
    variables = draw(st.integers(1, most))
    choices: Choices = []
    for v in range(variables):
        sets = st.sampled_from([s for s in range(2**variables) if not s >> v & 1])
        ticks = draw(st.dictionaries(sets, st.integers(0, 40), min_size=1, max_size=8))
        if empty_set:
            ticks.setdefault(0, draw(st.integers(0, 60)))
        choices.append(sorted(ticks.items(), key=lambda family: (family[1], family[0])))
    return choices


@st.composite
def weighted_cuts(draw: st.DrawFn, variables: int) -> list[oracle.OracleCut]:
    plain = (
        st.tuples(st.integers(1, 2**variables - 1), st.integers(1, variables), st.integers(0, 30))
        .filter(lambda cut: cut[0].bit_count() >= cut[1])
        .map(lambda cut: OracleCut(*cut))
    )
    classed = st.builds(
        lambda seed, members, weight: divided(np.random.default_rng(seed), members, weight),
        st.integers(0, 2**16),
        st.integers(1, 2**variables - 1),
        st.integers(0, 30),
    )
    return draw(st.lists(plain | classed, max_size=6))


def check_bounds(choices: Choices, families: Families, bounds: Bounds, optimum: int) -> None:
    assert bounds.duals.lower_bound <= optimum <= bounds.upper_bound
    chosen = bounds.incumbent.tolist()
    assert families.children()[chosen].tolist() == list(range(len(choices)))
    assert oracle.is_acyclic(from_words(families.parents[chosen]))
    assert sum(families.ticks[chosen].tolist()) == bounds.upper_bound
    assert (bounds.duals.rc >= 0).all()
    again = duals_of(families, bounds.duals.cuts)
    assert again.lower_bound == bounds.duals.lower_bound
    assert np.array_equal(again.rc, bounds.duals.rc)


@settings(max_examples=scaled(100))
@given(problems())
def test_the_bounds_enclose_the_optimum_of_brute_force(choices: Choices) -> None:
    optimum = oracle.optimum(choices)
    assert optimum is not None
    families = families_of(choices)
    for effort in (QUICK, THOROUGH):
        check_bounds(choices, families, find_bounds(families, TICK, effort=effort), optimum)


@settings(max_examples=scaled(100))
@given(problems(most=5, empty_set=False))
def test_required_parents_are_met_or_the_variables_that_cannot_be_are_named(
    choices: Choices,
) -> None:
    optimum = oracle.optimum(choices)
    families = families_of(choices)
    if optimum is not None:
        check_bounds(choices, families, find_bounds(families, TICK), optimum)
        return
    with pytest.raises(NoNetworkError) as error:
        find_bounds(families, TICK)
    stuck = set_of(error.value.variables)
    assert stuck
    for v in variables_in(stuck):
        assert str(v) in str(error.value)
        assert all(parents & stuck for parents, _ in choices[v])
    rest = [
        own if not stuck >> v & 1 else [(0, 0)] for v, own in enumerate(choices)
    ]  # which makes the stuck ones roots
    assert oracle.optimum(rest) is not None


@pytest.mark.parametrize(
    ("variables", "places"),
    [
        (65, [0, 9, 63, 64, 2]),
        (130, [129, 63, 64, 1, 128]),
        (256, [255, 0, 128, 191, 64]),
        pytest.param(300, [299, 0, 256, 191, 64], marks=pytest.mark.slow),
    ],
)
def test_variables_in_every_word_are_treated_alike(variables: int, places: list[int]) -> None:
    for seed in range(2):
        choices = random_choices(seed, len(places))
        optimum = oracle.optimum(choices)
        assert optimum is not None
        wide = spread(choices, places, variables)
        families = families_of(wide)
        bounds = find_bounds(families, TICK)
        assert bounds.upper_bound == optimum
        check_bounds(wide, families, bounds, optimum)


@settings(max_examples=scaled(200))
@given(st.data())
def test_reduced_costs_are_those_of_the_definition(data: st.DataObject) -> None:
    choices = data.draw(problems(empty_set=False))
    weighted = data.draw(weighted_cuts(len(choices)))
    for build in available_builds():
        families = families_of(choices)
        cuts = cuts_of(weighted, 1)
        pi, rc = load_build(build).reduced_costs(
            families.first,
            families.parents,
            families.ticks,
            *cuts.clusters.arrays,
            cuts.weights,
        )
        assert pi.tolist() == oracle.pi(choices, weighted)
        assert rc.tolist() == oracle.rc(choices, weighted)


@settings(max_examples=scaled(100))
@given(st.data())
def test_the_identity_of_duals_holds_for_every_acyclic_network(data: st.DataObject) -> None:
    choices = data.draw(problems(most=4))
    weighted = data.draw(weighted_cuts(len(choices)))
    duals = duals_of(families_of(choices), cuts_of(weighted, 1))
    rc_of = [
        dict(zip(own, part, strict=True))
        for own, part in zip(choices, parts(duals, choices), strict=True)
    ]
    for network in oracle.acyclic_networks(choices):
        spare = [oracle.surplus(network, cut) for cut in weighted]
        assert min(spare, default=0) >= 0
        assert sum(ticks for _, ticks in network) == (
            duals.lower_bound
            + sum(rc_of[child][family] for child, family in enumerate(network))
            + sum(cut[2] * extra for cut, extra in zip(weighted, spare, strict=True))
        )


def parts(duals: Duals, choices: Choices) -> list[list[int]]:
    """Return the reduced costs of each child."""
    ends = np.cumsum([len(own) for own in choices])
    return [part.tolist() for part in np.split(duals.rc, ends[:-1])]


@pytest.mark.parametrize("variables", [70, 200])
def test_reduced_costs_of_wide_sets_and_large_needs(variables: int) -> None:
    rng = np.random.default_rng(variables)
    choices: Choices = []
    for v in range(variables):
        sets = {set_of(rng.choice(variables, size=9).tolist()) & ~(1 << v) for _ in range(20)}
        choices.append(sorted(((s, int(rng.integers(0, 500))) for s in sets), key=lambda f: f[1]))
    weighted = [
        OracleCut(set_of(rng.choice(variables, size=60).tolist()), need, int(rng.integers(1, 99)))
        for need in (1, 2, 3, 4, 5, 6)
        for _ in range(4)
    ]
    weighted += [
        divided(rng, set_of(rng.choice(variables, size=size).tolist()), int(rng.integers(1, 99)))
        for size in (4, 12, 60)
        for _ in range(4)
    ]
    families = families_of(choices)
    duals = duals_of(families, cuts_of(weighted, word_count(variables)))
    assert duals.pi.tolist() == oracle.pi(choices, weighted)
    assert duals.rc.tolist() == oracle.rc(choices, weighted)
    assert duals.lower_bound == sum(duals.pi.tolist()) + sum(
        one.need * one.weight for one in weighted
    )


@settings(max_examples=scaled(100))
@given(problems(empty_set=False))
def test_unmarked_families_have_a_marked_subset_that_is_not_costlier(choices: Choices) -> None:
    families = families_of(choices)
    marks = kernels.undominated(families.first, families.parents, families.ticks)
    rows = [(v, family) for v, own in enumerate(choices) for family in own]
    marked = [row for row, mark in zip(rows, marks, strict=True) if mark]
    for (v, (parents, ticks)), mark in zip(rows, marks, strict=True):
        below = [
            other for u, other in marked if u == v and not other[0] & ~parents and other[1] <= ticks
        ]
        assert below == [(parents, ticks)] if mark else below


@settings(max_examples=scaled(100))
@given(problems(empty_set=False), st.randoms(use_true_random=False))
def test_the_search_from_an_order_does_not_end_above_the_orders_best(
    choices: Choices, random: Random
) -> None:
    families = families_of(choices)
    search = kernels.OrderSearch(families.first, families.parents, families.ticks)
    assume(not search.stuck())
    assert search.best() is None
    order = list(range(len(choices)))
    random.shuffle(order)
    search.improve(np.array([order], dtype=np.int32), 0, 10**9, 0, kernels.Cancellation())
    found = search.best()
    assert found is not None
    ticks, _, best_order = found
    start = oracle.best_of_order(choices, order)
    assert start is None or ticks <= start
    assert ticks == oracle.best_of_order(choices, best_order.tolist())
    for place, to in permutations(range(len(choices)), 2):  # no insertion improves it
        moved = best_order.tolist()
        moved.insert(to, moved.pop(place))
        other = oracle.best_of_order(choices, moved)
        assert other is None or other >= ticks


def random_point(seed: int, variables: int) -> Point:
    """Return a point that mixes a few random, mostly cyclic choices of families."""
    rng = np.random.default_rng(seed)
    choices = random_choices(seed, variables)
    values: dict[tuple[int, int], float] = {}
    for v, own in enumerate(choices):
        shares = rng.dirichlet(np.ones(3))
        for place, share in zip(rng.integers(0, min(6, len(own)), size=3), shares, strict=True):
            key = (v, own[place][0])
            values[key] = values.get(key, 0.0) + float(share)
    return Point(
        variables,
        np.array([v for v, _ in values], dtype=np.int32),
        to_words([parents for _, parents in values], word_count(variables)),
        np.array(list(values.values())),
    )


def values_of(point: Point) -> dict[tuple[int, int], float]:
    keys = zip(point.children.tolist(), from_words(point.parents), strict=True)
    return dict(zip(keys, point.values.tolist(), strict=True))


@pytest.mark.parametrize("classes", [False, True], ids=["plain", "classes"])
@pytest.mark.parametrize("variables", [4, 6, 9, 70])
def test_separated_cuts_are_violated_and_valid(variables: int, classes: bool) -> None:
    nothing = np.empty((0, word_count(variables)), dtype=np.uint64)
    total = 0
    listed = 0
    for seed in range(8):
        point = random_point(seed, variables)
        brief = replace(BRIEF, classes=classes)
        found = violated_cuts(point, nothing, brief, seed, kernels.Cancellation())
        cuts = oracle_cuts_of(found)
        assert len(set(cuts)) == len(cuts)
        values = values_of(point)
        for cut in cuts:
            of_cut = oracle.classes_of(cut)
            assert 1 <= cut.need < len(of_cut)  # which makes it valid; see the next test
            assert sum(of_cut) == cut.members < 1 << variables  # no variable is in two classes
            assert all(one.bit_count() > 1 for one in cut.classes)
            assert oracle.left_side(values, cut) < cut.need - LEAST_VIOLATION + 1e-9
            listed += bool(cut.classes)
        total += len(cuts)
    assert total > 0
    assert (listed > 0) == classes


def partitions(members: list[int]) -> Iterator[list[int]]:
    """Yield all ways to divide variables into classes."""
    if not members:
        yield []
        return
    for rest in partitions(members[1:]):
        yield [1 << members[0], *rest]
        for place, one in enumerate(rest):
            yield [*rest[:place], one | 1 << members[0], *rest[place + 1 :]]


def test_cuts_hold_for_every_acyclic_network() -> None:
    every = [[(parents, 0) for parents in range(16) if not parents >> v & 1] for v in range(4)]
    networks = list(oracle.acyclic_networks(every))
    assert len(networks) == 543
    checked = 0
    for cluster in range(1, 16):
        for classes in partitions(list(variables_in(cluster))):
            listed = tuple(one for one in classes if one.bit_count() > 1)
            for need in range(1, len(classes) + 1):
                cut = OracleCut(cluster, need, 0, listed)
                assert min(oracle.surplus(network, cut) for network in networks) == 0
                checked += 1
    assert checked == 99


@pytest.mark.parametrize("need", [1, 2, 3])
def test_the_exact_cut_is_the_most_violated_of_all(need: int) -> None:
    found_some = False
    for seed in range(6):
        point = random_point(seed, 6)
        values = values_of(point)
        least = min(
            oracle.left_side(values, OracleCut(cluster, need))
            for cluster in range(1, 64)
            if cluster.bit_count() > need
        )
        found = exact_cut(point, need, 20.0)
        if least >= need - LEAST_VIOLATION:
            assert len(found) == 0
            continue
        found_some = True
        assert found.needs.tolist() == [need]
        assert point.left_sides(found.variables, found.needs)[0] == pytest.approx(least, abs=1e-5)
    assert found_some


def test_a_cycle_of_any_length_is_cut_off() -> None:
    for size in (2, 3, 7, 30, 100):
        parents = [1 << (v + 1) % size for v in range(size)]
        words = word_count(size)
        point = Point(
            size, np.arange(size, dtype=np.int32), to_words(parents, words), np.ones(size)
        )
        starts = np.empty((0, words), dtype=np.uint64)
        found = violated_cuts(point, starts, BRIEF, 1, kernels.Cancellation())
        assert (2**size - 1, 1) in zip(from_words(found.variables), found.needs, strict=True)


def test_a_long_cycle_is_cut_off_though_most_parents_are_on_none() -> None:
    """A walk that left the cycle for any parent would hardly ever come back."""
    size, others = 12, 8
    sources = ((1 << others) - 1) << size
    parents = [1 << (v + 1) % size | sources for v in range(size)] + [0] * others
    n = size + others
    point = Point(n, np.arange(n, dtype=np.int32), to_words(parents, 1), np.ones(n))
    starts = np.empty((0, 1), dtype=np.uint64)
    found = violated_cuts(point, starts, BRIEF, 1, kernels.Cancellation())
    assert (2**size - 1, 1) in zip(from_words(found.variables), found.needs, strict=True)


def test_counts_in_agrees_with_the_definition() -> None:
    point = random_point(3, 70)
    rng = np.random.default_rng(0)
    clusters = [set_of(rng.choice(70, size=30).tolist()) for _ in range(9)]
    needs = np.array([1, 2, 3] * 3, dtype=np.int32)
    marks = counts_in(point.children, point.parents, to_words(clusters, 2), needs)
    parents = from_words(point.parents)
    for cut, (cluster, need) in enumerate(zip(clusters, needs.tolist(), strict=True)):
        for family, child in enumerate(point.children.tolist()):
            assert marks[cut, family] == oracle.counts(
                child, parents[family], OracleCut(cluster, need)
            )


def test_an_integral_point_rounds_to_an_order_of_its_network() -> None:
    parents = [0b0100, 0b0101, 0, 0b0111]
    point = Point(4, np.arange(4, dtype=np.int32), to_words(parents, 1), np.ones(4))
    order = rounded_order(point).tolist()
    assert sorted(order) == [0, 1, 2, 3]
    for place, v in enumerate(order):
        assert not parents[v] & ~set_of(order[:place])


def test_columns_are_priced_from_tables_too_long_for_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    choices: Choices = []
    for v in range(14):
        sets = [s for s in range(2**14) if not s >> v & 1 and s.bit_count() <= 3]
        family = [(s, 9000 - 2500 * s.bit_count() + int(rng.integers(0, 2000))) for s in sets]
        choices.append(sorted(family, key=lambda one: one[1]))
    families = families_of(choices)
    priced = find_bounds(families, TICK)
    assert priced.statistics.columns < 3000 < len(families)
    monkeypatch.setattr(bounding_module, "_FEW_FAMILIES", len(families))
    whole = find_bounds(families, TICK)
    assert whole.statistics.columns > 3000
    assert priced.duals.lower_bound == pytest.approx(whole.duals.lower_bound, rel=0.01)


def test_the_same_seed_gives_the_same_bounds() -> None:
    families = families_of(random_choices(4, 14, size=60))
    one, two = (find_bounds(families, TICK, seed=7) for _ in range(2))
    assert one.upper_bound == two.upper_bound
    assert np.array_equal(one.incumbent, two.incumbent)
    assert np.array_equal(one.duals.cuts.clusters.variables, two.duals.cuts.clusters.variables)
    assert np.array_equal(one.duals.cuts.weights, two.duals.cuts.weights)
    assert np.array_equal(one.duals.rc, two.duals.rc)


def test_a_start_is_never_lost_whatever_stops_the_work() -> None:
    families = families_of(random_choices(5, 14, size=80))
    first = find_bounds(families, TICK)
    assert first.duals.lower_bound < first.upper_bound
    cancellation = kernels.Cancellation()
    cancellation.cancel()
    cancelled = find_bounds(families, TICK, start=first.duals.cuts, cancellation=cancellation)
    late = find_bounds(families, TICK, start=first.duals.cuts, deadline=time.monotonic())
    assert cancelled.statistics.ending is Ending.CANCELLED
    assert late.statistics.ending is Ending.DEADLINE
    for bounds in (cancelled, late):
        assert bounds.statistics.rounds == 0
        assert bounds.duals.lower_bound == first.duals.lower_bound


def test_a_cancellation_ends_the_work_quickly() -> None:
    families = families_of(random_choices(8, 60, size=400))
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.3, cancellation.cancel)
    timer.start()
    started = time.monotonic()
    bounds = find_bounds(families, TICK, cancellation=cancellation)
    timer.join()
    assert bounds.statistics.ending is Ending.CANCELLED
    assert time.monotonic() - started < HANGS_AFTER
    assert bounds.duals.lower_bound <= bounds.upper_bound


def test_bounds_stand_when_the_solver_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    families = families_of(random_choices(5, 14, size=80))
    solve = LinearProgram.solve
    seen: list[BoundsProgress] = []

    def give_up(program: LinearProgram, seconds: float | None = None) -> Solution:
        return replace(solve(program, seconds), optimal=len(seen) < 3)

    monkeypatch.setattr(LinearProgram, "solve", give_up)
    bounds = find_bounds(families, TICK, progress=seen.append)
    assert bounds.statistics.ending is Ending.UNSOLVED
    assert bounds.statistics.rounds == 3
    assert seen[-1].lower_bound == bounds.duals.lower_bound <= bounds.upper_bound


@pytest.mark.parametrize("classes", [False, True], ids=["plain", "classes"])
def test_both_builds_search_alike(classes: bool) -> None:
    families = families_of(random_choices(9, 30, size=200))
    point = random_point(9, 30)
    order = np.arange(30, dtype=np.int32)[None, :]
    results = []
    for name in available_builds():
        build = load_build(name)
        search = build.OrderSearch(families.first, families.parents, families.ticks)
        search.improve(order, 20, 10**9, 5, build.Cancellation())
        ticks, chosen, _ = search.best()
        cuts = build.separate(
            point.children,
            point.parents,
            point.values,
            30,
            families.parents[:3],
            3,
            50,
            5,
            1e-4,
            40,
            1,
            classes,
            build.Cancellation(),
        )
        results.append((ticks, chosen.tolist(), [part.tolist() for part in cuts]))
    assert len(results[0][2][1]) > 0
    assert all(result == results[0] for result in results)


def test_progress_reports_bounds_that_approach_each_other() -> None:
    families = families_of(random_choices(6, 12, size=60))
    seen: list[BoundsProgress] = []
    bounds = find_bounds(families, TICK, progress=seen.append)
    assert len(seen) == bounds.statistics.rounds > 1
    lower = [report.lower_bound for report in seen]
    upper = [report.upper_bound for report in seen]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    assert lower[-1] == bounds.proof.lower_bound


def test_a_tree_of_choices_is_closed() -> None:
    choices: Choices = [[(0, 0)]] + [[(1 << (v - 1), 0), (0, 5)] for v in range(1, 8)]
    bounds = find_bounds(families_of(choices), TICK)
    assert bounds.statistics.ending is Ending.CLOSED
    assert bounds.upper_bound == bounds.duals.lower_bound == 0
