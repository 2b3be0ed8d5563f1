"""The enumeration of members on its own: any duals give the same members."""

import threading

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import BayesFactor, SettingsError
from noisyor.core.credible_set import Labels
from noisyor.core.variable_sets import set_of, to_words
from noisyor.search.bounds.cut_system import Proof
from noisyor.search.bounds.duals import Cuts, duals_of
from noisyor.search.clock import Clock
from noisyor.search.components import component_of, restrict, strong_components
from noisyor.search.families import Families
from noisyor.search.members.counting import Hands, members_of
from noisyor.search.members.enumeration import Enumeration
from noisyor.search.preparation import Problem, prepare
from tests.oracles.cuts import OracleCut
from tests.search.cuts import cuts_of, divided
from tests.search.tables import random_case

_UNUSED, _USED, _UNKNOWN = 0, 1, 2


def problem_of(seed: int, variables: int) -> Problem:
    case = random_case(seed, n=variables)
    return prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)


def random_cuts(rng: np.random.Generator, families: Families, largest: int) -> Cuts:
    variables = families.variable_count
    cuts: list[OracleCut] = []
    for need in rng.integers(1, max(2, variables), size=int(rng.integers(0, 7))).tolist():
        chosen = rng.choice(variables, size=min(variables, need + 1), replace=False).tolist()
        weight = int(rng.integers(0, largest))
        cut = OracleCut(set_of(chosen), need, weight)
        cuts.append(cut if rng.random() < 0.5 else divided(rng, set_of(chosen), weight))
    return cuts_of(cuts, 1)


def listed(families: Families, cuts: Cuts, limit: int) -> set[tuple[int, ...]]:
    stream = members_of(families, duals_of(families, cuts), limit).stream(16, 2)
    found: list[tuple[int, ...]] = []
    while True:
        chosen, ticks = stream.next(families.variable_count)
        if not len(ticks):
            stream.close()
            break
        assert (families.ticks[chosen].sum(axis=1) == ticks).all()
        found.extend(map(tuple, chosen.tolist()))
    assert len(set(found)) == len(found)
    return set(found)


@pytest.mark.parametrize("variables", [1, 2, 4, 5])
def test_any_duals_give_the_same_members(variables: int) -> None:
    seen = 0
    for seed in range(60):
        problem = problem_of(seed, variables)
        families = problem.families
        rng = np.random.default_rng(seed)
        none = Cuts.none(1)
        cancellation = kernels.Cancellation()
        everything = 2**61
        best = members_of(families, duals_of(families, none), everything).best(1, 1, cancellation)
        limit = int(best.ticks[0]) + problem.slack
        expected = listed(families, none, limit)
        seen += len(expected)
        for largest in (10, problem.slack + 10, 20 * problem.slack + 10):
            cuts = random_cuts(rng, families, largest)
            assert listed(families, cuts, limit) == expected
            members = members_of(families, duals_of(families, cuts), limit)
            unknown = np.full(len(families), _UNKNOWN, dtype=np.uint8)
            used = members.used(unknown, 10**6, 2, cancellation)
            assert set(np.flatnonzero(used == _USED).tolist()) == {
                family for member in expected for family in member
            }
            assert not (used == _UNKNOWN).any()
            first = members_of(families, duals_of(families, cuts), int(best.ticks[0])).first(
                cancellation
            )
            optimal = {m for m in expected if families.ticks[list(m)].sum() == best.ticks[0]}
            assert tuple(first.tolist()) == min(optimal)
    assert seen >= 60


def test_too_few_nodes_leave_families_unknown() -> None:
    problem = problem_of(3, 5)
    families = problem.families
    members = members_of(families, duals_of(families, Cuts.none(1)), 2**61)
    unknown = np.full(len(families), _UNKNOWN, dtype=np.uint8)
    assert (members.used(unknown, 0, 1, kernels.Cancellation()) == _UNKNOWN).any()


def test_a_part_of_a_cut_bounds_a_component() -> None:
    checked = 0
    for seed in range(40):
        families = problem_of(seed, 5).families
        cuts = random_cuts(np.random.default_rng(seed), families, 2**30)
        for variables in strong_components(families):
            component = component_of(families, variables)
            duals = restrict(Proof.of_cuts(families, cuts), component)
            best = members_of(
                component.families, duals_of(component.families, Cuts.none(1)), 2**61
            ).best(1, 1, kernels.Cancellation())
            assert duals.lower_bound <= best.ticks[0]
            checked += 1
    assert checked > 40


def enumeration_of(
    seed: int, variables: int, blocks: int, clock: Clock | None = None
) -> Enumeration:
    case = random_case(seed, n=variables, blocks=blocks)
    problem = prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)
    families, none = problem.families, Cuts.none(1)
    best = members_of(families, duals_of(families, none), 2**61).best(1, 1, kernels.Cancellation())
    hands = Hands(1, clock or Clock(None))
    proof = Proof.of_cuts(families, none)
    return Enumeration(problem, families, proof, best.choices[0].astype(np.int64), hands)


def test_a_cancelled_count_is_labelled_and_picks_nothing() -> None:
    clock = Clock(None)
    clock.cancel()
    for seed in range(20):
        enumeration = enumeration_of(seed, 5, 3, clock)
        whole = enumeration_of(seed, 5, 3).count()
        assert whole.exact
        tally = enumeration.count()
        assert not tally.exact
        assert tally.shortfalls
        assert tally.count <= whole.count
        with pytest.raises(SettingsError, match="not counted exactly"):
            enumeration.check_exact()


def large_leaf(others: int) -> Families:
    """Return a hub with all others as parents or none; each other may have the hub as parent."""
    hub = others
    parents = [0, 1 << hub] * others + [0, (1 << others) - 1]
    return Families(
        first=np.arange(0, 2 * others + 3, 2),
        parents=to_words(parents, 1),
        ticks=np.tile(np.array([0, 1]), others + 1),
        rows=np.arange(len(parents)),
    )


def test_a_large_leaf_can_be_cancelled() -> None:
    families = large_leaf(44)
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.2, cancellation.cancel)
    timer.start()
    found = members_of(families, duals_of(families, Cuts.none(1)), 10**6).count(
        np.zeros(1, dtype=np.int64),
        np.array([[0, 0], [1, 0]], dtype=np.uint64),
        np.array([0.0, 1.0]),
        0,
        1e-3,
        2**12,
        2**62,
        0,
        1,
        1,
        cancellation,
    )
    timer.join()
    assert not found.complete(1)


def test_listing_a_large_leaf_can_be_cancelled() -> None:
    families = large_leaf(44)
    members = members_of(families, duals_of(families, Cuts.none(1)), 10**6)
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.2, cancellation.cancel)
    timer.start()
    most = 2**25
    found = members.all_ticks(most, 1, cancellation)
    timer.join()
    assert not found.complete
    assert len(found.ticks) < most


def test_a_search_for_the_best_in_a_large_leaf_can_be_cancelled() -> None:
    # Lists without a possible cycle: a single leaf, in which better members keep coming.
    children, options = 40, 20
    families = Families(
        first=np.append(np.arange(children + 1) * options, children * options + 1),
        parents=to_words([0, *[1 << children] * (options - 1)] * children + [0], 1),
        ticks=np.append(np.tile(np.arange(options), children), 0),
        rows=np.arange(children * options + 1),
    )
    members = members_of(families, duals_of(families, Cuts.none(1)), 10**6)
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.2, cancellation.cancel)
    timer.start()
    found = members.best(2**17, 1, cancellation)
    timer.join()
    assert not found.complete
