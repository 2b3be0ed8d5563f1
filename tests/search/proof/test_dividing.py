"""Branches that are split together have the same networks as before."""

import math

import pytest

from noisyor.core import BayesFactor
from noisyor.core.credible_set import CredibleSet, Labels
from noisyor.search import steps
from noisyor.search.clock import Clock
from noisyor.search.proof import optimum as optimum_module
from noisyor.search.proof.branching import Branching
from noisyor.search.proof.dividing import divide
from noisyor.search.proof.optimum import Contest, prove_optimum, tighten
from noisyor.search.proof.state import Standing, State, begin_branching, parts_of
from noisyor.search.result import credible_set
from tests.search.agreement import check_same, oracle
from tests.search.cuts import leave_out_classes, leave_out_halves
from tests.search.proof.test_branching import (
    problem_for,
    random_branches,
    resources,
    some_network,
)
from tests.search.tables import Case, random_case

MEMORY = 1 << 30
WALK = Contest.walk


def some_case(number: int) -> Case:
    return random_case(
        number, n=1 + number % 5, most_families=14 if number % 3 else 6, empty=0.9, style="steep"
    )


def found_in_branches(case: Case, splits: int, seed: int) -> CredibleSet:
    """Return the credible set of a case, searched in branches."""
    problem = problem_for(case)
    branches = random_branches(problem, splits, seed)
    run = steps.find_members(problem, some_network(problem.families), branches, resources())
    return credible_set(case.table(), BayesFactor(case.factor), Labels.BEST, run.found())


@pytest.mark.parametrize("improves", [True, False])
def test_better_duals_of_branches_change_only_the_time(
    monkeypatch: pytest.MonkeyPatch, *, improves: bool
) -> None:
    tightened = 0

    def counted(state: State, clock: Clock) -> None:
        nonlocal tightened
        tightened += 1
        tighten(state, clock)

    monkeypatch.setattr(optimum_module, "tighten", counted)
    monkeypatch.setattr(optimum_module, "_LEAST_GAP", -1.0 if improves else math.inf)
    for number in range(60):
        case = some_case(number)
        credible = found_in_branches(case, number % 9, number)
        assert credible.complete
        check_same(credible, oracle(case))
    assert tightened > 100 if improves else tightened == 0


@pytest.mark.parametrize("reduces", [True, False])
def test_families_beyond_the_limit_change_only_the_time(
    monkeypatch: pytest.MonkeyPatch, *, reduces: bool
) -> None:
    """Leave families out of branches by their reduced costs, or do not."""
    inside_of = Branching._within
    left_out = 0

    def within(self: Branching, branch: object, inside: object) -> object:
        nonlocal left_out
        fewer, bound = inside_of(self, branch, inside)  # type: ignore[arg-type]
        left_out += len(inside) - len(fewer)  # type: ignore[arg-type]
        return (fewer if reduces else inside), bound

    monkeypatch.setattr(Branching, "_within", within)
    for number in range(40):
        case = some_case(number)
        problem = problem_for(case)
        standing = Standing(problem, some_network(problem.families))
        found = [State.of(standing, one) for one in random_branches(problem, number % 5, number)]
        work, index = begin_branching(standing, [state for state in found if state is not None])
        beyond = problem.slack + 1
        while not work.finished(beyond):
            work.run(beyond, 16, Clock(None), 1)
        standing.offer(index[work.best])
        branches = [part.part for part in parts_of(standing, work, index)]
        run = steps.find_members(problem, standing.best, branches, resources())
        credible = credible_set(case.table(), BayesFactor(case.factor), Labels.BEST, run.found())
        assert credible.complete
        check_same(credible, oracle(case))
    assert left_out > 30


class _Idle:
    """Finds nothing for some turns, so that branches are still open, and then walks."""

    def __init__(self, turns: int) -> None:
        self.turns = turns

    def walk(self, contest: Contest) -> None:
        self.turns -= 1
        if self.turns < 0:
            WALK(contest, Clock(None), 1, 60.0)


def test_many_open_branches_are_proven_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimum_module, "_MANY", 2)
    several = 0
    for number in range(30):
        case = random_case(number, n=6, most_families=20, style="steep")
        problem = problem_for(case)
        standing = Standing(problem, some_network(problem.families))
        found = [State.of(standing, one) for one in random_branches(problem, 6, number)]
        states = [state for state in found if state is not None]
        idle = _Idle(len(states))
        with monkeypatch.context() as patched:
            patched.setattr(Contest, "walk", lambda contest, *_, idle=idle: idle.walk(contest))
            patched.setattr(Contest, "search_lattice", lambda *_, **__: None)
            left, reason = prove_optimum(standing, states, Clock(60.0), 1, MEMORY)
        assert reason is None
        several += len(states) > 2
        credible = found_in_branches(case, 0, number)
        assert problem.cost(standing.upper_bound) == pytest.approx(credible.optimum)
        assert all(state.lower_bound <= standing.limit for state in left)
    assert several > 10


def test_parts_have_a_bound_at_the_best_network_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out_halves(monkeypatch)  # so that bounds do not meet before there are branches
    leave_out_classes(monkeypatch)
    parts_seen = 0
    for number in range(20):
        case = random_case(number, n=6, most_families=20, style="steep")
        problem = problem_for(case)
        standing = Standing(problem, some_network(problem.families))
        found = [State.of(standing, one) for one in random_branches(problem, 3, number)]
        states = [state for state in found if state is not None]
        for part in divide(standing, states, Clock(None), jobs=1):
            assert part.lower_bound <= standing.limit
            assert (standing.upper_bound - part.lower_bound) * problem.tick <= 1e-5
            parts_seen += 1
    assert parts_seen > 20
