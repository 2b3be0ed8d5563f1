"""Families found by price give the credible set that the whole table gives."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import BayesFactor, ScoreTable
from noisyor.core.credible_set import CredibleSet
from noisyor.core.family_source import Offer, Price, PriceCut, RoundedCut
from noisyor.search import SearchedByPrice, search, search_by_price
from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.effort import QUICK
from noisyor.search.clock import Clock
from noisyor.search.pricing import loop as loop_module
from noisyor.search.pricing import price_search
from noisyor.search.pricing.effort import PricingEffort
from noisyor.search.pricing.loop import price
from noisyor.search.pricing.state import Known
from noisyor.search.pricing.table_source import TableSource
from noisyor.search.proof.branching import Branching
from tests.oracles.prices import price_of
from tests.scoring.passes import price_lists
from tests.search.agreement import check_same, oracle
from tests.search.bounds.test_cut_system import GAPS, GAPS_OF_CLASSES, Gaps
from tests.search.cuts import LeaveOut, classed_price_cut, leave_out_classes, leave_out_halves
from tests.search.tables import Case, cases, random_case
from tests.support.effort import chosen, scaled

if TYPE_CHECKING:
    from noisyor.core.progress import Progress

# Few families at a time and branching wherever there is a gap, so that small problems take several
# rounds and branches.
SMALL_STEPS = PricingEffort(most_offered=1, small_gap=0.0, nodes=6)


@pytest.fixture(scope="module", autouse=True)
def _branches_whatever_the_size() -> Iterator[None]:
    """Search the branches even if there are so few variables that the lattice would be used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(price_search, "SMALL", 0)
        yield


def priced(case: Case, labels: str = "best", effort: PricingEffort = SMALL_STEPS) -> CredibleSet:
    source = TableSource(case.table())
    found = search_by_price(source, case.factor, labels=labels, jobs=2, effort=effort)
    assert found.credible.complete
    assert found.credible.proven
    return found.credible


@pytest.mark.parametrize("labels", ["best", "all"])
@pytest.mark.parametrize("seed", range(chosen(quick=20, full=60)))
def test_random_tables_give_what_brute_force_gives(seed: int, labels: str) -> None:
    case = random_case(seed, n=2 + seed % 4, empty=0.5 + 0.5 * (seed % 2))
    check_same(priced(case, labels), oracle(case, labels))


@settings(max_examples=scaled(60))
@given(cases())
def test_any_table_gives_what_brute_force_gives(case: Case) -> None:
    check_same(priced(case), oracle(case))


@pytest.mark.parametrize(
    "effort",
    [PricingEffort(), SMALL_STEPS, replace(SMALL_STEPS, further_above=0.0)],
    ids=["usual", "small steps", "rounded cuts"],
)
@pytest.mark.parametrize("seed", range(chosen(quick=4, full=6)))
def test_larger_tables_give_what_the_search_of_the_table_gives(
    seed: int, effort: PricingEffort
) -> None:
    case = random_case(seed, n=8 + seed, most_families=25, style="steep")
    expected = search(case.table(), case.factor, bounds="none").credible
    got = priced(case, effort=effort)
    assert got.count == expected.count
    assert got.optimum == pytest.approx(expected.optimum, abs=1e-8)
    assert [use.family for use in got.families] == [use.family for use in expected.families]
    assert [use.networks for use in got.families] == [use.networks for use in expected.families]
    weights = [use.weight for use in expected.families]
    assert [use.weight for use in got.families] == pytest.approx(weights, rel=1e-7)


@pytest.mark.parametrize(
    ("never", "later", "gaps"),
    [
        (leave_out_classes, leave_out_halves, GAPS),
        (leave_out_halves, leave_out_classes, GAPS_OF_CLASSES),
    ],
    ids=["rounded", "classes"],
)
def test_further_cuts_change_only_the_bounds(
    monkeypatch: pytest.MonkeyPatch, never: LeaveOut, later: LeaveOut, gaps: Gaps
) -> None:
    """Turned off, plain clusters alone leave a gap; the families collected give the same set."""
    never(monkeypatch)
    cases = [
        random_case(seed, n=n, most_families=30, most_parents=3, style="steep", empty=1.0)
        for seed, n in gaps
    ]
    effort = PricingEffort(most_offered=2, small_gap=0.0, nodes=6, further_above=0.0)

    def run(case: Case) -> SearchedByPrice:
        return search_by_price(TableSource(case.table()), case.factor, jobs=1, effort=effort)

    found = [run(case) for case in cases]
    later(monkeypatch)
    for case, one in zip(cases, found, strict=True):
        without = run(case)
        assert one.pricing.lp_gap < 1e-4
        assert without.pricing.lp_gap > 0.1
        expected = search(case.table(), case.factor, bounds="none").credible
        for credible in (one.credible, without.credible):
            assert credible.complete
            assert credible.count == expected.count
            assert credible.optimum == pytest.approx(expected.optimum, abs=1e-8)
            assert [(use.family, use.networks) for use in credible.families] == [
                (use.family, use.networks) for use in expected.families
            ]


@pytest.mark.parametrize(("seed", "variables"), GAPS[:3])
def test_the_cuts_of_one_layer_hold_in_the_next(seed: int, variables: int) -> None:
    case = random_case(
        seed, n=variables, most_families=30, most_parents=3, style="steep", empty=1.0
    )
    before = search_by_price(TableSource(case.without(max_parents=1).table()), case.factor)
    best = set(before.credible.best.families)
    rows = [row for row, (family, _) in enumerate(before.table.families()) if family in best]
    assert before.cuts is not None
    known = Known(before.table, np.array(rows), before.cuts)
    found = search_by_price(TableSource(case.table()), case.factor, start=known).credible
    expected = search(case.table(), case.factor, bounds="none").credible
    assert found.complete
    assert found.count == expected.count
    assert found.optimum == pytest.approx(expected.optimum, abs=1e-8)
    assert [use.family for use in found.families] == [use.family for use in expected.families]


@pytest.mark.parametrize("seed", chosen(quick=(0, 2), full=range(4)))
def test_bounds_are_valid_at_any_time(seed: int) -> None:
    case = random_case(seed, n=10, most_families=25, style="steep")
    optimum = search(case.table(), case.factor, bounds="none").credible.optimum
    seen: list[Progress] = []
    search_by_price(
        TableSource(case.table()), case.factor, effort=SMALL_STEPS, progress=seen.append
    )
    assert {"bounds", "pricing"} <= {now.step for now in seen}
    for now in seen:
        assert now.lower_bound is not None
        assert now.upper_bound is not None
        assert now.lower_bound <= optimum + 1e-6
        assert now.upper_bound >= optimum - 1e-6


class Interrupted:
    """A source that stops early at the n-th request, with some children unfinished."""

    def __init__(self, table: ScoreTable, question: int) -> None:
        self._source = TableSource(table)
        self._left = question
        self.clock = Clock(None)

    @property
    def names(self) -> tuple[str, ...]:
        return self._source.names

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        return self._source.least_costs(stop)

    def seed(self, stop: Callable[[], bool]) -> Offer:
        return self._source.seed(stop)

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        if self._left == 0:
            self.clock.cancel()
        self._left -= 1
        offer = self._source.within(
            prices, most=most, undominated=undominated, heuristic=heuristic, stop=stop
        )
        if not stop():
            return offer
        finished = np.arange(len(self.names)) % 2 == 0
        rows = np.flatnonzero(finished[offer.table.children])
        return Offer(offer.table.select(rows), finished)


@pytest.mark.parametrize("question", range(8))
@pytest.mark.parametrize("seed", chosen(quick=(0, 2), full=range(3)))
def test_work_that_is_cut_short_leaves_a_valid_bound(seed: int, question: int) -> None:
    case = random_case(seed, n=9, most_families=25, style="steep")
    optimum = search(case.table(), case.factor, bounds="none").credible.optimum
    source = Interrupted(case.table(), question)
    found = price(source, BayesFactor(case.factor), source.clock, 1, effort=SMALL_STEPS)
    assert found.lower_bound <= optimum + 1e-6
    best = found.table.costs[found.best].sum()
    assert best >= optimum - 1e-6
    assert found.shortfall is not None or found.lower_bound <= best


@pytest.mark.parametrize("seed", chosen(quick=(2, 13), full=(2, 3, 5, 8, 9, 10, 11, 13)))
def test_work_that_is_cut_short_loses_no_bound(seed: int) -> None:
    """In these problems branches lack families, and are solved again two or three times."""
    case = random_case(seed, n=10, most_families=40, style="steep")
    shortfall: str | None = ""
    question = 0
    while shortfall is not None:
        source = Interrupted(case.table(), question)
        seen: list[Progress] = []
        found = price(
            source,
            BayesFactor(case.factor),
            source.clock,
            1,
            effort=SMALL_STEPS,
            progress=seen.append,
        )
        assert found.lower_bound >= max((now.lower_bound or 0.0 for now in seen), default=0.0)
        shortfall = found.shortfall
        question += 1
        assert question < 100


class Hasty(TableSource):
    """A table source that, asked for some families, offers the best one of every other child."""

    def __init__(self, table: ScoreTable) -> None:
        super().__init__(table)
        self.requests: list[tuple[bool, int]] = []  # whether heuristic, and families offered

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        some = [own if not heuristic or child % 2 else [] for child, own in enumerate(prices)]
        most = 1 if heuristic else most
        offer = super().within(some, most=most, undominated=undominated, stop=stop)
        self.requests.append((heuristic, len(offer.table)))
        return Offer(offer.table, np.zeros_like(offer.finished)) if heuristic else offer


@pytest.mark.parametrize("often", [True, False])
@pytest.mark.parametrize("seed", chosen(quick=(1, 2), full=range(1, 7)))
def test_how_often_families_are_requested_changes_only_the_time(
    monkeypatch: pytest.MonkeyPatch, seed: int, often: bool
) -> None:
    case = random_case(seed, n=9, most_families=25, style="steep")
    if not often:
        monkeypatch.setattr(loop_module, "ONE_ROUND", QUICK)
    source = Hasty(case.table())
    found = search_by_price(source, case.factor, effort=SMALL_STEPS).credible
    expected = search(case.table(), case.factor, bounds="none").credible
    assert found.complete
    assert found.count == expected.count
    assert found.optimum == pytest.approx(expected.optimum, abs=1e-8)
    fruitful = [is_heuristic for is_heuristic, offered in source.requests if offered]
    assert any(fruitful)
    assert not all(fruitful)  # what is left, an exact request finds


class FarBelow(TableSource):
    """A table source with poor lower bounds on the costs of its families."""

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        return super().least_costs(stop) - 1e6


def test_poor_lower_bounds_on_costs_change_nothing() -> None:
    case = random_case(2, n=9, most_families=25, style="steep")
    expected = search(case.table(), case.factor, bounds="none").credible
    found = search_by_price(FarBelow(case.table()), case.factor, effort=SMALL_STEPS).credible
    assert found.complete
    assert found.count == expected.count
    assert found.optimum == pytest.approx(expected.optimum, abs=1e-8)


def test_branching_ends_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(None)
    calls = 0
    run = Branching.run

    def run_and_cancel(work: Branching, goal: int, nodes: int, within: Clock, jobs: int) -> None:
        nonlocal calls
        calls += 1
        run(work, goal, nodes, within, jobs)
        clock.cancel()

    monkeypatch.setattr(Branching, "run", run_and_cancel)
    monkeypatch.setattr(Branching, "finished", lambda *_: False)
    monkeypatch.setattr(Bounding, "_add_cuts", lambda *_: False)  # so that a gap stays
    case = random_case(1, n=9, most_families=25, style="steep")
    found = price(TableSource(case.table()), BayesFactor(case.factor), clock, 1, effort=SMALL_STEPS)
    assert 1 <= calls <= 2
    assert found.shortfall is not None


def test_few_families_are_collected_of_a_large_table() -> None:
    case = random_case(3, n=12, most_families=60, style="steep")
    table = case.table()
    found = price(TableSource(table), BayesFactor(case.factor), Clock(None), 1)
    assert found.shortfall is None
    assert len(found.table) < 0.6 * len(table)
    used = search(table, case.factor, bounds="none").credible.families
    collected = {family for family, _ in found.table.families()}
    assert {use.family for use in used} <= collected


@given(price_lists(5, 6, 30.0), st.integers(0, 31), st.integers(0, 31))
def test_a_price_falls_as_parents_are_added(prices: list[Price], parents: int, more: int) -> None:
    for one in prices:
        own = Price(one.base, one.cuts)
        assert own.of(parents | more) <= own.of(parents)
        assert own.of(parents) == pytest.approx(price_of([own], parents))


@pytest.mark.parametrize("seed", range(10))
def test_a_table_offers_what_is_within_a_price(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = random_case(seed, n=5, most_families=20).table()
    families = list(table.families())

    def some_price(child: int) -> Price:
        clusters = [
            PriceCut(int(rng.integers(32)), int(rng.integers(1, 3)), float(rng.random())),
            *(
                classed_price_cut(rng, child, int(rng.integers(32)), float(rng.random()))
                for _ in range(2)
            ),
        ]
        rounded = [
            RoundedCut(parts, bool(rng.integers(2)), float(rng.random()))
            for parts in ((0, 1, 2), (1, 3))
        ]
        cuts: list[PriceCut | RoundedCut] = [*clusters, *rounded]
        own = table.costs[table.families_of(child)]
        required, excluded = (int(rng.integers(32)) & int(rng.integers(32)) for _ in range(2))
        base = float(rng.choice(own)) - 0.5
        least, most = [(0, None), (1, None), (0, 1), (1, 2)][int(rng.integers(4))]
        return Price(base, tuple(cuts), required, excluded & ~required, least, most)

    prices = [[some_price(child) for _ in range(1 + seed % 3)] for child in range(5)]
    excess = [
        cost - max(one.of(family.parents) for one in prices[family.child])
        for family, cost in families
    ]
    expected = [one for one, over in zip(families, excess, strict=True) if over <= 0]
    offer = TableSource(table).within(prices, stop=lambda: False)
    assert list(offer.table.families()) == expected
    two = TableSource(table).within(prices, most=2, stop=lambda: False)
    for child in range(5):
        overs = sorted(
            over
            for (family, _), over in zip(families, excess, strict=True)
            if family.child == child and over <= 0
        )
        got = [
            over
            for (family, cost), over in zip(families, excess, strict=True)
            if family.child == child and (family, cost) in list(two.table.families())
        ]
        assert sorted(got) == overs[:2]
