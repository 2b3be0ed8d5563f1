"""Cuts rounded from others: what they mean, that networks satisfy them, and what they add."""

from itertools import product

import numpy as np
import pytest

from noisyor._kernels import available_builds, kernels, load_build
from noisyor.core import BayesFactor
from noisyor.core.credible_set import Labels
from noisyor.core.variable_sets import from_words, set_of, to_words, word_count
from noisyor.search import search
from noisyor.search.bounds import bounding as bounding_module
from noisyor.search.bounds.cut_system import CutSystem, HalvedSums, Proof, prove
from noisyor.search.bounds.duals import Cuts, duals_of
from noisyor.search.bounds.effort import ALL_CUTS, NEGLIGIBLE, THOROUGH, Ending
from noisyor.search.bounds.root import find_bounds
from noisyor.search.bounds.separation import Point, violated_halves
from noisyor.search.components import component_of, restrict, strong_components
from noisyor.search.families import Families
from noisyor.search.members.counting import members_of
from noisyor.search.preparation import Problem, prepare
from tests.oracles import cuts as oracle
from tests.search.bounds.test_root import TICK, families_of, random_choices
from tests.search.cuts import (
    LeaveOut,
    clusters_of,
    divided,
    leave_out_classes,
    leave_out_halves,
)
from tests.search.tables import random_case


def random_system(
    rng: np.random.Generator, variables: int, words: int
) -> tuple[CutSystem, list[oracle.OracleCut], list[oracle.HalvedCut]]:
    """Return a system of clusters, with and without classes, and of cuts rounded from others."""
    clusters: list[oracle.OracleCut] = []
    for place in range(6):
        size = int(rng.integers(2, variables + 1))
        members = set_of(rng.choice(variables, size=size, replace=False).tolist())
        plain = oracle.OracleCut(members, int(rng.integers(1, size)))
        clusters.append(plain if place < 3 else divided(rng, members))
    halved: list[oracle.HalvedCut] = []
    for number in range(6, 16):
        parts = rng.choice(number, size=int(rng.integers(1, 5)), replace=False).tolist()
        chosen = [v for v in range(variables) if rng.random() < 0.4]
        halved.append((set_of(chosen), tuple(parts)))
    system = CutSystem.of_clusters(clusters_of(clusters, words))
    for down, parts in halved:
        children = [v for v in range(variables) if down >> v & 1]
        system = system.with_halves(HalvedSums([parts], [children]))
    return system, clusters, halved


@pytest.mark.parametrize("variables", [6, 70, 130])
@pytest.mark.parametrize("build", available_builds())
def test_coefficients_are_those_of_the_definition(variables: int, build: str) -> None:
    rng = np.random.default_rng(variables)
    words = word_count(variables)
    system, clusters, halved = random_system(rng, variables, words)
    children = rng.integers(0, variables, size=300).astype(np.int32)
    sets = [
        set_of(rng.choice(variables, size=4, replace=False).tolist()) & ~(1 << child)
        for child in children.tolist()
    ]
    wanted = np.array([15, 2, 9, 13, 4])
    found = load_build(build).cut_coefficients(
        children,
        to_words(sets, words),
        *system.arrays,
        wanted,
    )
    for family, (child, parents) in enumerate(zip(children.tolist(), sets, strict=True)):
        values = oracle.halved_sums(clusters, halved, child, parents)
        assert found[:, family].tolist() == [values[cut] for cut in wanted]
    assert system.needs.tolist() == oracle.halved_needs(clusters, halved)
    assert all(most >= 1 for most in system.largest())


def networks_of(families: Families) -> list[np.ndarray]:
    """Return the families of every acyclic network."""
    own = [range(a, b) for a, b in zip(families.first[:-1], families.first[1:], strict=True)]
    choices = [[(family, 0) for family in one] for one in own]
    sets = from_words(families.parents)
    return [
        np.array([family for family, _ in network])
        for network in product(*choices)
        if oracle.is_acyclic([sets[family] for family, _ in network])
    ]


def test_every_network_satisfies_rounded_cuts() -> None:
    tight = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        families = families_of(random_choices(seed, 4, size=5))
        system, _, _ = random_system(rng, 4, 1)
        everything = np.arange(len(system))
        values = system.coefficients(everything, families.children(), families.parents)
        for network in networks_of(families):
            surplus = values[:, network].sum(axis=1) - system.needs
            assert (surplus >= 0).all()
            tight += int(np.count_nonzero((surplus == 0) & (system.needs > 0) & (everything >= 6)))
    assert tight > 1000  # they are not all too weak to matter


def test_weights_on_rounded_cuts_bound_every_network_and_family() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        families = families_of(random_choices(seed, 4, size=5))
        system, clusters, halved = random_system(rng, 4, 1)
        weights = rng.integers(0, 900, size=len(system)) * (rng.random(len(system)) < 0.5)
        proof = prove(families, system, weights)
        sets = from_words(families.parents)
        for network in networks_of(families):
            totals = np.sum(
                [
                    oracle.halved_sums(clusters, halved, child, sets[family])
                    for child, family in enumerate(network.tolist())
                ],
                axis=0,
            )
            surplus = int(weights @ (totals - system.needs))
            ticks = int(families.ticks[network].sum())
            assert ticks == proof.lower_bound + proof.rc[network].sum() + surplus
            assert surplus >= 0
        assert (proof.rc >= 0).all()


def test_selecting_cuts_keeps_their_parts_and_meaning() -> None:
    rng = np.random.default_rng(4)
    system, _, _ = random_system(rng, 8, 1)
    families = families_of(random_choices(4, 8))
    wanted = np.array([14, 3])
    own, numbers = system.select(wanted)
    assert len(own) < len(system)
    given = (families.children(), families.parents)
    assert (own.coefficients(numbers, *given) == system.coefficients(wanted, *given)).all()
    assert own.needs[numbers].tolist() == system.needs[wanted].tolist()


Gaps = tuple[tuple[int, int], ...]

GAPS: Gaps = ((4, 8), (11, 8), (5, 9), (9, 9), (23, 9), (0, 10), (5, 10), (9, 10))
"""Seeds and sizes of problems in which plain clusters leave a gap."""

GAPS_OF_CLASSES = tuple(one for one in GAPS if one not in ((9, 9), (23, 9)))
"""Those in which classes close it; in the others rounded cuts do."""


def problem_with_gap(seed: int, variables: int) -> Problem:
    case = random_case(
        seed, n=variables, most_families=30, most_parents=3, style="steep", empty=1.0
    )
    return prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)


def test_rounded_cuts_close_gaps_that_plain_clusters_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turned off, plain clusters leave a gap; with them, the bounds meet at the optimum."""
    leave_out_classes(monkeypatch)
    for seed, variables in GAPS:
        problem = problem_with_gap(seed, variables)
        families, tick = problem.families, problem.tick
        without = find_bounds(families, tick, effort=THOROUGH)
        bounds = find_bounds(families, tick, effort=ALL_CUTS)
        best = members_of(families, duals_of(families, Cuts.none(1)), 2**61).best(
            1, 1, kernels.Cancellation()
        )
        optimum = int(best.ticks[0])
        assert (optimum - without.proof.lower_bound) * tick > 0.1
        assert without.proof.lower_bound == without.duals.lower_bound
        assert 0 <= (optimum - bounds.proof.lower_bound) * tick <= NEGLIGIBLE
        assert bounds.duals.lower_bound <= bounds.proof.lower_bound
        assert bounds.upper_bound == optimum
        assert bounds.statistics.ending is Ending.CLOSED


def test_classes_close_gaps_that_plain_clusters_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_halves(monkeypatch)
    problems = [problem_with_gap(seed, variables) for seed, variables in GAPS_OF_CLASSES]
    found = [find_bounds(one.families, one.tick, effort=ALL_CUTS) for one in problems]
    leave_out_classes(monkeypatch)
    for problem, bounds in zip(problems, found, strict=True):
        without = find_bounds(problem.families, problem.tick, effort=ALL_CUTS)
        assert (bounds.upper_bound - without.proof.lower_bound) * problem.tick > 0.1
        assert (bounds.upper_bound - bounds.proof.lower_bound) * problem.tick <= NEGLIGIBLE
        assert np.diff(bounds.duals.cuts.clusters.first_class).any()


@pytest.mark.parametrize(
    ("never", "later", "gaps"),
    [
        (leave_out_classes, leave_out_halves, GAPS),
        (leave_out_halves, leave_out_classes, GAPS_OF_CLASSES),
    ],
    ids=["rounded", "classes"],
)
def test_a_search_finds_the_same_without_further_cuts(
    monkeypatch: pytest.MonkeyPatch, never: LeaveOut, later: LeaveOut, gaps: Gaps
) -> None:
    never(monkeypatch)
    cases = [
        random_case(seed, n=n, most_families=30, most_parents=3, style="steep", empty=1.0)
        for seed, n in gaps
    ]
    found = [search(case.table(), case.factor, bounds="lp", jobs=1) for case in cases]
    later(monkeypatch)
    for case, one in zip(cases, found, strict=True):
        without = search(case.table(), case.factor, bounds="lp", jobs=1)
        assert without.statistics.lp_gap > one.statistics.lp_gap + 0.1
        assert one.credible.complete
        assert one.credible.best == without.credible.best
        assert one.credible.count == without.credible.count
        for use, other in zip(one.credible.families, without.credible.families, strict=True):
            assert (use.family, use.networks) == (other.family, other.networks)
            assert use.best_with == pytest.approx(other.best_with, abs=1e-7)
            assert use.weight == pytest.approx(other.weight, rel=1e-9)


def test_rounded_cuts_that_are_found_cut_off_the_point(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_classes(monkeypatch)
    found = 0
    for seed, variables in GAPS:
        problem = problem_with_gap(seed, variables)
        families = problem.families
        work = bounding_module.Bounding(families, problem.tick)
        work.search_random_orders(2)
        work.begin()
        work.run(THOROUGH)
        program = work.program
        solution = program.solve()
        support = solution.values > 1e-7
        columns = work._index[solution.columns[support]]
        children, parents = families.children()[columns], families.parents[columns]
        point = Point(variables, children, parents, solution.values[support])
        sums = violated_halves(point, program.system, program.rows, 0, kernels.Cancellation())
        before = len(program.system)
        program.add_halves(sums)
        new = np.arange(before, len(program.system))
        values = program.system.coefficients(new, children, parents) @ point.values
        assert (values < program.system.needs[new] - 9e-4).all()
        assert program.solve().objective >= solution.objective
        found += len(sums.parts)
    assert found > 50


def test_the_walk_finds_the_same_members_with_rounded_cuts() -> None:
    for seed in range(12):
        families = families_of(random_choices(seed, 7, size=9))
        bounds = find_bounds(families, TICK)
        limit = bounds.upper_bound + 1500
        plain = members_of(families, bounds.duals, limit)
        system, _, _ = random_system(np.random.default_rng(seed), 7, 1)
        weights = np.random.default_rng(seed).integers(0, 200, size=len(system))
        expected = sorted_members(plain)
        assert len(expected) > 1
        for proof in (bounds.proof, prove(families, system, weights)):
            assert sorted_members(members_of(families, proof, limit)) == expected


def sorted_members(members: "kernels.Members") -> list[tuple[int, ...]]:
    found = members.best(10**6, 1, kernels.Cancellation())
    assert found.complete
    return sorted(tuple(choice) for choice in found.choices.tolist())


def test_a_restricted_system_has_cuts_and_bounds_of_its_component() -> None:
    checked, tight = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        choices = random_choices(seed, 3, size=3)
        moved = [[(parents << 3, ticks) for parents, ticks in own] for own in choices]
        families = families_of([*random_choices(seed + 100, 3, size=3), *moved])
        system, clusters, _ = random_system(rng, 6, 1)
        proof = prove(families, system, rng.integers(0, 900, size=len(system)))
        for variables in strong_components(families):
            component = component_of(families, variables)
            inside = component.families
            own = restrict(proof, component)
            assert (own.rc >= 0).all()
            for cut, need in zip(clusters, own.system.needs.tolist(), strict=False):
                left = sum(1 for one in oracle.classes_of(cut) if one & set_of(variables))
                assert need == (cut.need if left >= cut.need else 0)
            everything = np.arange(len(own.system))
            values = own.system.coefficients(everything, inside.children(), inside.parents)
            for network in networks_of(inside):
                surplus = values[:, network].sum(axis=1) - own.system.needs
                assert (surplus >= 0).all()
                ticks = own.lower_bound + own.rc[network].sum() + own.weights @ surplus
                assert inside.ticks[network].sum() == ticks
                tight += int(np.count_nonzero((surplus == 0) & (own.system.needs > 0)))
            checked += len(variables) > 1
    assert checked > 40
    assert tight > 1000


def test_weights_too_large_to_add_up_are_halved() -> None:
    families = families_of(random_choices(1, 5))
    system = CutSystem.of_clusters(clusters_of([oracle.OracleCut(one, 1) for one in (3, 6, 5)], 1))
    proof = prove(families, system, np.full(3, 2**61))
    assert 0 < sum(proof.weights.tolist()) <= 2**61
    assert proof.lower_bound <= (oracle.optimum(random_choices(1, 5)) or 0)


def test_cuts_that_left_the_program_come_back_when_violated() -> None:
    problem = problem_with_gap(5, 9)  # else bounds that have met once would end the work
    work = bounding_module.Bounding(problem.families, problem.tick)
    work.search_random_orders(2)
    work.begin()
    work.run(THOROUGH)
    program = work.program
    solution = program.solve()
    objective, rows = solution.objective, len(program.rows)
    removed = solution.duals > 1e-7
    assert removed.any()
    program.remove_rows(removed)
    work._idle = work._idle[~removed]
    assert program.solve().objective < objective
    work._gaps = []  # else it would be taken for slow
    work.run(THOROUGH)
    assert program.solve().objective == pytest.approx(objective, rel=1e-9)
    assert len(program.rows) <= rows + 50
    program.forget(2)
    assert len(program.system) <= len(program.rows) + 2
    assert program.solve().objective == pytest.approx(objective, rel=1e-9)


def test_a_proof_of_clusters_is_that_of_the_duals() -> None:
    families = families_of(random_choices(6, 7))
    duals = find_bounds(families, TICK, effort=THOROUGH).duals
    proof = Proof.of_cuts(families, duals.cuts)
    assert proof.lower_bound == duals.lower_bound
    assert (proof.rc == duals.rc).all()
    assert (proof.pi == duals.pi).all()
