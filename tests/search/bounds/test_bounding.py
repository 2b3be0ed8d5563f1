"""Bounds that are resumed with more families, and what they provide for branching."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core.variable_sets import from_words, variables_in
from noisyor.search.bounds import bounding as bounding_module
from noisyor.search.bounds.bounding import Bounding, Places, topological_order
from noisyor.search.bounds.effort import QUICK, THOROUGH, Effort, Ending
from noisyor.search.bounds.linear_program import contains
from noisyor.search.bounds.root import find_bounds
from noisyor.search.families import Families
from noisyor.search.proof.splits import EdgeSplit
from tests.oracles import cuts as oracle
from tests.search.bounds.test_root import (
    TICK,
    Choices,
    families_of,
    random_choices,
    tangled,
)
from tests.search.cuts import leave_out_classes

NATS = 3 * TICK  # what the solver's tolerance and the rounding of weights leave


def steps(families: Families, count: int, seed: int) -> list[tuple[Families, Places]]:
    """Return growing lists of families, up to all, and their positions in the next list.

    Each step has the empty sets, which are the last resort of every child.
    """
    rng = np.random.default_rng(seed)
    stage = rng.integers(0, count, size=len(families))
    stage[~families.parents.any(axis=1)] = 0
    masks = [stage <= last for last in range(count)]
    places = [np.cumsum(mask) - 1 for mask in masks]
    return [
        (families.select(mask), later[mask])
        for mask, later in zip(masks, [*places[1:], places[-1]], strict=True)
    ]


def work_on(families: Families) -> Bounding:
    work = Bounding(families, TICK)
    work.search_random_orders(4)
    work.begin()
    return work


@pytest.mark.parametrize("few", [3000, 10])
def test_growing_in_steps_gives_the_bound_of_all_families_at_once(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounding_module, "_FEW_FAMILIES", few)
    monkeypatch.setattr(bounding_module, "_FIRST_COLUMNS", 3)
    for seed in range(6):
        choices = random_choices(seed, 7, size=25)
        families = families_of(choices)
        optimum = oracle.optimum(choices)
        assert optimum is not None
        whole = find_bounds(families, TICK)
        stages = steps(families, 4, seed)
        work = work_on(stages[0][0])
        work.run(THOROUGH)
        for (_, moved), (more, _) in pairwise(stages):
            network = moved[work.incumbent]
            work.extend(more, moved)
            assert work.upper_bound <= more.ticks[network].sum()
            work.run(THOROUGH)
        assert work.duals().lower_bound <= optimum <= work.upper_bound
        assert work.duals().lower_bound * TICK == pytest.approx(
            whole.duals.lower_bound * TICK, abs=NATS * len(work.best.cuts)
        )
        assert families.children()[work.incumbent].tolist() == list(range(7))
        assert oracle.is_acyclic(from_words(families.parents[work.incumbent]))


def test_every_bound_on_the_way_holds_for_the_families_known() -> None:
    for seed in range(6):
        families = families_of(random_choices(seed, 6, size=20))
        stages = steps(families, 3, seed)
        work = work_on(stages[0][0])
        for place, (known, moved) in enumerate(stages):
            own = [
                list(zip(from_words(known.parents[a:b]), known.ticks[a:b].tolist(), strict=True))
                for a, b in zip(known.first[:-1], known.first[1:], strict=True)
            ]
            optimum = oracle.optimum(own)
            assert optimum is not None
            assert work.duals().lower_bound <= optimum <= work.upper_bound
            work.run(QUICK)
            assert work.duals().lower_bound <= optimum <= work.upper_bound
            assert len(work.duals().rc) == len(known)
            if place + 1 < len(stages):
                work.extend(stages[place + 1][0], moved)


def test_the_program_resumes_from_its_basis() -> None:
    families = families_of(random_choices(3, 20, size=120))
    known = np.ones(len(families), dtype=np.bool_)
    known[7::50] = ~families.parents[7::50].any(axis=1)
    work = work_on(families.select(known))
    work.run(THOROUGH)
    before, program, cuts = work.program.iterations, work.program, len(work.program.needs)
    columns = len(work.program.columns)
    work.extend(families, np.flatnonzero(known))
    assert work.program is program
    assert len(program.needs) == cuts
    assert len(program.columns) == columns
    work.run(THOROUGH)
    again = work_on(families)
    again.run(THOROUGH)
    assert program.iterations - before < again.program.iterations / 2
    assert work.best.lower_bound * TICK == pytest.approx(again.best.lower_bound * TICK, rel=0.02)


def test_the_work_ends_when_the_bound_is_enough() -> None:
    families = families_of(random_choices(5, 14, size=80))
    whole = find_bounds(families, TICK)
    work = work_on(families)
    enough = (work.best.lower_bound + whole.duals.lower_bound) // 2
    assert work.run(THOROUGH, enough=enough) is Ending.ENOUGH
    assert enough <= work.best.lower_bound <= whole.upper_bound
    assert 0 < work.rounds <= whole.statistics.rounds


def test_edge_values_add_up_the_families_of_the_last_solution() -> None:
    for seed in range(5):
        choices: Choices = random_choices(seed, 8, size=30)
        work = work_on(families_of(choices))
        network = oracle_edges([choices[v][0][0] for v in range(8)], 8)
        assert set(np.unique(work.point().edge_values())) <= {
            0.0,
            1.0,
        }  # of a network, before solving
        work.run(QUICK)
        values = work.point().edge_values()
        assert values.shape == network.shape
        assert (values >= -1e-9).all()
        assert (values <= 1 + 1e-6).all()
        assert not np.diag(values).any()
        cycles = values + values.T  # the cut of two variables allows no more than one
        assert cycles.max() <= 1 + 1e-3


def oracle_edges(parents: list[int], variables: int) -> np.ndarray:
    edges = np.zeros((variables, variables))
    for child, own in enumerate(parents):
        edges[list(variables_in(own)), child] = 1
    return edges


def test_gains_of_edges_are_estimates_that_leave_the_program_as_it_was() -> None:
    positive = 0
    for seed in range(8):
        work = work_on(families_of(random_choices(seed, 14, size=80)))
        work.run(Effort(patience=2, share=0.9, exact=False))
        values = work.point().edge_values()
        edges = [EdgeSplit(*ends) for ends in np.argwhere((values > 0.01) & (values < 0.99))]
        before = work.program.solve().objective
        gains = work.gains(edges, 50)
        assert len(gains) == len(edges)
        assert all(min(pair) >= 0 for pair in gains)
        positive += sum(max(pair) > 0 for pair in gains)
        assert work.program.solve().objective == pytest.approx(before)
    assert positive > 0


def test_a_topological_order_has_parents_first() -> None:
    families = families_of([[(0b110, 1)], [(0b100, 2)], [(0, 3)]])
    assert topological_order(families, np.arange(3)).tolist() == [2, 1, 0]


def test_columns_that_new_families_dominate_may_stay() -> None:
    choices: Choices = [[(0b10, 10), (0, 400)], [(0b01, 10), (0, 400)]]
    better: Choices = [[(0, 5), (0b10, 10), (0, 400)], [(0b01, 10), (0, 400)]]
    work = work_on(families_of(choices))
    work.run(THOROUGH)
    assert work.upper_bound == 410
    work.extend(families_of(better), np.array([1, 2, 3, 4]))
    work.run(THOROUGH)
    assert work.upper_bound == 15
    assert work.incumbent.tolist() == [0, 3]
    assert work.duals().lower_bound == pytest.approx(15, abs=2)


def test_a_cancelled_work_keeps_its_bounds() -> None:
    cancellation = kernels.Cancellation()
    families = families_of(random_choices(2, 9, size=30))
    work = Bounding(families, TICK, cancellation=cancellation)
    work.search_random_orders(2)
    work.begin()
    cancellation.cancel()
    assert work.run(THOROUGH) is Ending.CANCELLED
    assert work.duals().lower_bound <= work.upper_bound


def test_rounded_cuts_go_on_after_new_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """New families lower the bound of rounded cuts until the program is solved with them."""
    leave_out_classes(monkeypatch)
    effort = replace(QUICK, further=Effort(patience=1, share=0.99, exact=False))
    fell = 0
    for seed in range(8):
        families = families_of(tangled(seed, 10, 20))
        few = np.ones(len(families), dtype=np.bool_)
        few[families.first[:-1]] = False  # the cheapest of each child come later
        work = work_on(families.select(few))
        work.run(effort)
        if work.rounded() is None:
            continue
        rounds, before = work.rounds, work.lower_bound
        work.extend(families, np.flatnonzero(few))
        fallen = work.lower_bound
        work.run(effort)
        assert work.rounds > rounds + 1  # with the columns that the first one calls for
        assert work.lower_bound > fallen
        fell += fallen < before
    assert fell >= 2


@pytest.mark.parametrize("variables", [6, 9])
def test_a_program_may_begin_at_the_optimum_of_a_larger_one(variables: int) -> None:
    begun = 0
    for seed in range(6):
        families = families_of(tangled(seed, variables, 3 * variables))
        work = work_on(families)
        work.run(THOROUGH)
        for parent, child in [(0, 1), (1, 0), (2, 4)]:
            before = work.program.solve()
            starts = work.starts_at(EdgeSplit(parent, child))
            assert work.program.solve().objective == pytest.approx(before.objective)
            has = contains(families.parents, parent) & (families.children() == child)
            back = contains(families.parents, child) & (families.children() == parent)
            other = (families.children() == child) & ~has
            for start, removed in zip(starts, (has, other | back), strict=True):
                if start is None:
                    continue
                fits = ~removed
                side = Bounding(families.select(fits), TICK)
                side.improve_order(np.arange(variables, dtype=np.int32))
                assert fits[start.columns].all()
                side.begin_at(
                    start.select(fits[start.columns], np.cumsum(fits) - 1), work.best.cuts
                )
                warm = side.program.solve()
                steps = side.program.iterations
                cold = Bounding(families.select(fits), TICK)
                cold.improve_order(np.arange(variables, dtype=np.int32))
                cold.program.add_system(start.system, start.rows)
                cold.program.add_columns(np.arange(len(cold._own)))
                whole = cold.program.solve()
                assert warm.objective == pytest.approx(whole.objective, abs=1e-6)
                assert steps <= cold.program.iterations
                begun += 1
    assert begun > 12
