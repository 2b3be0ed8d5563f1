"""The proof of the optimum: branching has another turn only where it can still help."""

import math
from math import exp

import numpy as np
import pytest

import noisyor.search.proof.optimum as optimum_module
from noisyor.core import BayesFactor
from noisyor.core.credible_set import Labels
from noisyor.search import search
from noisyor.search.bounds.duals import Cuts
from noisyor.search.bounds.root import find_bounds
from noisyor.search.clock import Clock
from noisyor.search.preparation import prepare
from noisyor.search.proof import shrinking as shrinking_module
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branching
from noisyor.search.proof.optimum import Contest, prove_optimum
from noisyor.search.proof.splits import EdgeSplit
from noisyor.search.proof.state import Standing, State
from tests.search.bounds.test_root import tangled
from tests.search.cuts import leave_out_classes, leave_out_halves
from tests.search.tables import Case, random_case

MEMORY = 2**28


@pytest.fixture
def only_branching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the proof to branching, which must not be asked to split a branch that is closed."""
    branch = State.branch

    def checked(
        state: State, nodes: int, clock: Clock, jobs: int, seconds: float
    ) -> list[State] | None:
        assert state.lower_bound < state.standing.upper_bound
        return branch(state, nodes, clock, jobs, seconds)

    monkeypatch.setattr(State, "branch", checked)
    monkeypatch.setattr(Contest, "walk", lambda *_: None)
    monkeypatch.setattr(Contest, "search_lattice", lambda *_: None)


@pytest.mark.usefixtures("only_branching")
def test_branches_whose_first_program_closes_them_are_not_solved_again() -> None:
    open_branches = 0
    for seed in range(20):
        case = random_case(seed, n=5, most_families=12)
        problem = prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)
        best = np.asarray(find_bounds(problem.families, problem.tick).incumbent)
        standing = Standing(problem, best)
        root = Branch.root(5, Cuts.none(1))
        found = [State.of(standing, one) for one in EdgeSplit(0, 1).sides(root)]
        states = [state for state in found if state is not None]
        open_branches += sum(state.lower_bound < standing.upper_bound for state in states)
        _, reason = prove_optimum(standing, states, Clock(120.0), 1, MEMORY)
        assert reason is None
    assert open_branches >= 10


@pytest.mark.parametrize("seed", range(5))
def test_a_branch_without_families_within_the_limit_has_no_network(seed: int) -> None:
    """Another branch may have found so good a network that this one has no family left."""
    case = random_case(seed, n=6, style="uniform", empty=1.0)
    problem = prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)
    root = Branch.root(6, Cuts.none(1))
    bounds = find_bounds(problem.families, problem.tick)
    state = State.of(Standing(problem, bounds.incumbent), root)
    assert state is not None
    most = int(state.at_least.min()) - 1
    contest = Contest(state, most)
    contest.walk(Clock(None), 1, 1.0)
    contest.search_lattice(Clock(None), 1, 10**6, 2**30)
    assert state.lower_bound > most
    assert not state.proven


def tangled_case(seed: int) -> Case:
    """Return a case whose gap clusters do not close."""
    costs = {
        (child, parents, 0): 100 + 0.01 * ticks
        for child, own in enumerate(tangled(seed, 10, 20))
        for parents, ticks in own
    }
    return Case(10, costs, exp(1.0))


@pytest.mark.parametrize("seed", [0, 7])
def test_a_large_gap_of_many_variables_is_left_to_branching(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    case = tangled_case(seed)
    asked = []
    walk = Contest.walk

    def counted(contest: Contest, clock: Clock, jobs: int, seconds: float) -> None:
        asked.append(seconds)
        walk(contest, clock, jobs, seconds)

    leave_out_halves(monkeypatch)
    leave_out_classes(monkeypatch)
    monkeypatch.setattr(Contest, "walk", counted)
    monkeypatch.setattr(shrinking_module, "_LARGE_GAP", math.inf)  # no branches for the count
    others_first = search(case.table(), case.factor, bounds="lp", jobs=1)
    assert asked
    assert others_first.statistics.branch_nodes == 0
    asked.clear()
    monkeypatch.setattr(optimum_module, "HOPELESS_GAP", 0.0)
    monkeypatch.setattr(optimum_module, "FEW", 0)
    monkeypatch.setattr(optimum_module, "_MANY", 10**9)
    branched = search(case.table(), case.factor, bounds="lp", jobs=1)
    assert branched.statistics.branch_nodes > 1
    assert branched.credible.complete
    assert branched.credible.count == others_first.credible.count
    assert branched.credible.best == others_first.credible.best


@pytest.mark.parametrize("many", [1, 2])
def test_a_branch_that_cannot_be_split_is_left_to_the_others(
    monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """Else a large gap would be branched on for ever, alone or with so many others."""
    case = tangled_case(0)
    leave_out_halves(monkeypatch)
    leave_out_classes(monkeypatch)
    monkeypatch.setattr(optimum_module, "HOPELESS_GAP", 0.0)
    monkeypatch.setattr(optimum_module, "FEW", 0)
    monkeypatch.setattr(optimum_module, "_MANY", many)
    monkeypatch.setattr(Branching, "_undecided", lambda *_: {})
    searched = search(case.table(), case.factor, bounds="lp", jobs=1, time_limit=60)
    assert searched.statistics.branch_nodes <= 2  # the second program is for the count
    assert searched.credible.complete


def test_what_the_program_of_a_branch_proves_is_kept_if_it_is_not_split() -> None:
    """Else the other methods would go on with the bounds from before."""
    kept = 0
    for seed in range(20):
        case = random_case(seed, n=5, most_families=12)
        problem = prepare(case.table(), BayesFactor(case.factor), Labels.BEST, None)
        best = np.asarray(find_bounds(problem.families, problem.tick).incumbent)
        state = State.of(Standing(problem, best), Branch.root(5, Cuts.none(1)))
        assert state is not None
        before = state.gap
        if state.branch(16, Clock(120.0), 1) is None:
            assert (state.upper_bound - state.lower_bound) * problem.tick <= state.gap + 1e-6
            assert state.gap <= before
            kept += state.gap < before - 0.1
    assert kept >= 5
