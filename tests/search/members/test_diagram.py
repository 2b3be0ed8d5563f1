"""The diagram of canonical orders: its paths are the members, each once."""

from dataclasses import dataclass
from itertools import pairwise
from math import exp

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import BayesFactor, UncountedError
from noisyor.core.credible_set import Labels
from noisyor.core.variable_sets import from_words, to_words, word_count
from noisyor.search import branch_counting, search
from noisyor.search.bounds.duals import Cuts, duals_of
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.members.counting import Hands
from noisyor.search.members.diagram import DiagramEnumeration, diagram_of
from noisyor.search.preparation import prepare
from tests.oracles.canonical_orders import canonical_order, paths
from tests.oracles.cuts import Choices, OracleCut, acyclic_networks
from tests.search.agreement import check_same, oracle
from tests.search.cuts import cuts_of, divided
from tests.search.tables import Case, random_case

SEEDS = range(40)
MEMORY = 2**30


@dataclass(frozen=True)
class Branch:
    """Families of some variables among `variables`, and what brute force finds below a limit."""

    families: Families
    cuts: Cuts
    order: np.ndarray
    limit: int
    tick: float
    expected: dict[tuple[int, ...], int]  # families of a member, and its ticks

    def enumerate(self, *, jobs: int = 1, strengthen: bool = True) -> DiagramEnumeration:
        return DiagramEnumeration(
            self.diagram(jobs=jobs, strengthen=strengthen), self.families, self.tick, hands(jobs)
        )

    def diagram(
        self, *, jobs: int = 1, memory: int = MEMORY, strengthen: bool = True
    ) -> "kernels.OrderDiagram":
        diagram = diagram_of(
            self.families,
            duals_of(self.families, self.cuts),
            self.limit,
            order=self.order,
            memory=memory,
            hands=hands(jobs),
            strengthen=strengthen,
        )
        assert diagram is not None
        return diagram


def hands(jobs: int) -> Hands:
    return Hands(jobs, Clock(None))


def choices_of(families: Families) -> Choices:
    parents = from_words(families.parents)
    ends = families.first.tolist()
    return [[(parents[f], f) for f in range(begin, end)] for begin, end in pairwise(ends)]


def random_branch(seed: int, variables: int | None = None, factor: float = 300) -> Branch:
    """Return a random problem with weighted cuts, spread over some number of variables."""
    rng = np.random.default_rng(seed)
    style = None if seed % 3 else "whole"
    case = random_case(seed, n=5, most_families=9, style=style, blocks=1 + seed % 2)
    problem = prepare(case.table(), BayesFactor(factor), Labels.BEST, None)
    families = problem.families
    totals = {
        tuple(f for _, f in network): int(families.ticks[[f for _, f in network]].sum())
        for network in acyclic_networks(choices_of(families))
    }
    limit = min(totals.values()) + problem.slack
    expected = {network: ticks for network, ticks in totals.items() if ticks <= limit}
    some = [divided(rng, int(rng.integers(3, 32)), int(rng.integers(0, problem.slack // 4)))
            for _ in range(4)]  # fmt: skip
    place = np.arange(5)
    if variables is not None:
        place = np.sort(rng.choice(variables, size=5, replace=False))
        families, expected = spread(families, variables, place, expected)
    words = word_count(families.variable_count)
    moved = [moved_cut(cut, place) for cut in some]
    order = rng.permutation(families.variable_count).astype(np.int32)
    return Branch(families, cuts_of(moved, words), order, limit, problem.tick, expected)


def spread(
    families: Families,
    variables: int,
    place: np.ndarray,
    expected: dict[tuple[int, ...], int],
) -> tuple[Families, dict[tuple[int, ...], int]]:
    """Add variables that have nothing but an empty family of no ticks."""
    sizes = np.ones(variables, dtype=np.int64)
    sizes[place] = np.diff(families.first)
    first = np.concatenate(([0], np.cumsum(sizes)))
    kept = np.zeros(first[-1], dtype=np.bool_)
    for v in place.tolist():
        kept[first[v] : first[v + 1]] = True
    sets = [0] * int(first[-1])
    ticks = np.zeros(first[-1], dtype=np.int64)
    ticks[kept] = families.ticks
    index = np.flatnonzero(kept)
    for f, parents in zip(index.tolist(), from_words(families.parents), strict=True):
        sets[f] = moved_set(parents, place)
    wider = Families(first, to_words(sets, word_count(variables)), ticks, np.arange(first[-1]))
    networks = {}
    for network, total in expected.items():
        chosen = first[:-1].copy()
        chosen[place] = index[list(network)]
        networks[tuple(chosen.tolist())] = total
    return wider, networks


def moved_set(members: int, place: np.ndarray) -> int:
    return sum(1 << int(place[v]) for v in range(len(place)) if members >> v & 1)


def moved_cut(cut: OracleCut, place: np.ndarray) -> OracleCut:
    classes = tuple(moved_set(one, place) for one in cut.classes)
    return OracleCut(moved_set(cut.members, place), cut.need, cut.weight, classes)


def rows(chosen: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(one) for one in chosen.tolist()]


@pytest.mark.parametrize("seed", range(6))
def test_each_network_is_on_one_path_which_is_its_canonical_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    choices = [
        [(sets, int(rng.integers(9))) for sets in range(16) if not sets >> v & 1] for v in range(4)
    ]
    numbers = rng.permutation(4).tolist()
    found = list(paths(choices, numbers))
    assert len(found) == 543  # acyclic graphs of four variables
    assert {path.network for path in found} == set(acyclic_networks(choices))
    for order, network in found:
        assert order == canonical_order([parents for parents, _ in network], numbers)


@pytest.mark.parametrize("variables", [None, 70, 140, 300])
def test_the_paths_are_the_members(variables: int | None) -> None:
    for seed in SEEDS if variables is None else range(4):
        branch = random_branch(seed, variables)
        enumeration = branch.enumerate()
        assert enumeration.optimum == min(branch.expected.values())
        listed = [
            (network, total)
            for chosen, ticks in enumeration.stream()
            for network, total in zip(rows(chosen), ticks.tolist(), strict=True)
        ]
        assert len(listed) == len(branch.expected)
        assert dict(listed) == branch.expected


def test_what_is_counted_is_what_the_members_have() -> None:
    for seed in SEEDS:
        branch = random_branch(seed)
        tally = branch.enumerate().count()
        best = min(branch.expected.values())
        weight = {n: exp(-branch.tick * (t - best)) for n, t in branch.expected.items()}
        assert tally.exact
        assert tally.shortfalls == ()
        assert tally.count == len(branch.expected)
        assert tally.weight == pytest.approx(sum(weight.values()), rel=1e-12)
        for family in range(len(branch.families)):
            own = [network for network in branch.expected if family in network]
            share = sum(weight[network] for network in own) / sum(weight.values())
            assert tally.networks[family] == len(own)
            assert tally.weights[family] == pytest.approx(share, rel=1e-12, abs=1e-300)
            assert tally.best_with.known[family] == bool(own)
            if own:
                assert tally.best_with.of(family) == min(branch.expected[n] for n in own)


def test_members_are_found_by_rank_by_weight_and_by_cost() -> None:
    for seed in SEEDS:
        branch = random_branch(seed)
        enumeration = branch.enumerate()
        with pytest.raises(UncountedError):
            enumeration.check_exact()
        total = enumeration.count().count
        assert set(map(tuple, map(np.ndarray.tolist, enumeration.at_ranks(list(range(total)))))) \
            == set(branch.expected)  # fmt: skip
        ticks = sorted(branch.expected.values())
        assert branch.expected[tuple(enumeration.costliest().tolist())] == ticks[-1]
        for most in (1, (total + 1) // 2, total + 1):
            chosen, costs = enumeration.best(most)
            assert costs.tolist() == ticks[:most]
            assert [branch.expected[network] for network in rows(chosen)] == ticks[:most]
            assert len(set(rows(chosen))) == min(most, total)
        optimal = min(network for network, one in branch.expected.items() if one == ticks[0])
        first = enumeration.first(kernels.Cancellation())
        assert first is not None
        assert tuple(first.tolist()) == optimal


def test_a_member_takes_up_its_weight_in_the_places_to_draw_from() -> None:
    for seed in range(10):
        branch = random_branch(seed)
        diagram = branch.diagram()
        counts = diagram.count(branch.tick, 1, kernels.Cancellation())
        grid = 20_000
        places = (np.arange(grid) + 0.5) / grid * counts.weight
        drawn = rows(diagram.at_weights(counts, branch.tick, places))
        best = min(branch.expected.values())
        for network, ticks in branch.expected.items():
            share = exp(-branch.tick * (ticks - best)) / counts.weight
            assert drawn.count(network) == pytest.approx(share * grid, abs=1.01)


def test_draws_are_numbered_and_repeat_with_their_seed() -> None:
    branch = random_branch(3)
    enumeration = branch.enumerate()
    enumeration.count()
    draws = [
        {place: tuple(chosen.tolist()) for place, chosen in enumeration.draw_by_weight(50, rng)}
        for rng in (np.random.default_rng(7), np.random.default_rng(7))
    ]
    assert draws[0] == draws[1]
    assert sorted(draws[0]) == list(range(50))
    assert set(draws[0].values()) <= set(branch.expected)


def test_without_bounds_there_are_more_states_and_the_same_members() -> None:
    fewer = 0
    for seed in SEEDS:
        branch = random_branch(seed, factor=20)
        bounded, free = branch.diagram(), branch.diagram(strengthen=False)
        assert bounded.reached <= free.reached
        fewer += bounded.reached < free.reached
        one = branch.enumerate().count()
        other = branch.enumerate(strengthen=False).count()
        assert one.networks == other.networks
        assert one.count == other.count
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)
    assert fewer > len(SEEDS) // 2


def test_threads_change_nothing() -> None:
    for seed in range(8):
        branch = random_branch(seed)
        one, two = branch.enumerate(jobs=1), branch.enumerate(jobs=2)
        first, second = one.count(), two.count()
        assert first.networks == second.networks
        assert first.weights.tolist() == second.weights.tolist()
        ranks = list(range(0, first.count, 3))
        assert list(map(list, one.at_ranks(ranks))) == list(map(list, two.at_ranks(ranks)))


def test_a_branch_without_members_has_an_empty_diagram() -> None:
    branch = random_branch(5)
    below = Branch(
        branch.families, branch.cuts, branch.order, min(branch.expected.values()) - 1, 1.0, {}
    )
    assert below.diagram().empty


def test_little_memory_and_little_time_give_no_diagram() -> None:
    branch = random_branch(1)
    duals = duals_of(branch.families, branch.cuts)
    for memory, clock in ((256, Clock(None)), (MEMORY, Clock(0.0))):
        diagram = diagram_of(
            branch.families,
            duals,
            branch.limit,
            order=branch.order,
            memory=memory,
            hands=Hands(1, clock),
        )
        assert diagram is None


def test_a_count_that_was_stopped_is_not_exact() -> None:
    branch = random_branch(1)
    clock = Clock(None)
    enumeration = DiagramEnumeration(branch.diagram(), branch.families, 1.0, Hands(1, clock))
    clock.cancel()
    tally = enumeration.count()
    assert not tally.exact
    assert tally.shortfalls
    with pytest.raises(UncountedError):
        enumeration.costliest()


def large_case(seed: int) -> Case:
    return random_case(seed, n=6, most_families=12, most_parents=3, blocks=1 + seed % 2)


@pytest.mark.parametrize("labels", ["best", "all"])
def test_a_search_by_diagrams_alone_agrees_with_brute_force(
    labels: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(branch_counting, "_TURNS", ((0, 2**63),))
    counted: list[int] = []
    count = DiagramEnumeration.count

    def noted(enumeration: DiagramEnumeration) -> object:
        tally = count(enumeration)
        counted.append(tally.count)
        return tally

    monkeypatch.setattr(DiagramEnumeration, "count", noted)
    for seed in range(12):
        case = large_case(seed)
        credible = search(case.table(), case.factor, labels=labels, bounds="lp").credible
        assert credible.complete
        assert sum(counted) == credible.count
        check_same(credible, oracle(case, labels))
        counted.clear()


def test_walks_and_diagrams_take_turns_until_the_walk_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    budgets: list[int] = []

    def refused(*_: object, memory: int, **__: object) -> None:
        budgets.append(memory)

    monkeypatch.setattr(branch_counting, "_TURNS", ((0, 1000), (0, 2**63)))
    monkeypatch.setattr(branch_counting, "diagram_of", refused)
    case = large_case(2)
    credible = search(case.table(), case.factor, bounds="lp").credible
    assert credible.complete
    check_same(credible, oracle(case))
    assert budgets[0] == 1000
    assert budgets[1] > 2**20
