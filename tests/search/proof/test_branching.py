"""Branches partition the networks, whatever the edges, and their members make up the set."""

from collections import Counter
from dataclasses import replace
from math import exp, log

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import BayesFactor, SettingsError
from noisyor.core.credible_set import CredibleSet, Labels
from noisyor.core.variable_sets import from_words, variables_in
from noisyor.search import search
from noisyor.search.bounds.bounding import Bounding
from noisyor.search.bounds.duals import Cuts
from noisyor.search.bounds.effort import NEGLIGIBLE, QUICK
from noisyor.search.bounds.root import find_bounds
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.members.counting import members_of
from noisyor.search.preparation import Problem, prepare
from noisyor.search.proof import branching as branching_module
from noisyor.search.proof import optimum as optimum_module
from noisyor.search.proof import shrinking as shrinking_module
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branched, Branching, branch_out
from noisyor.search.proof.splits import CountSplit, EdgeSplit, Split
from noisyor.search.result import credible_set as credible_set_of
from noisyor.search.steps import Resources, Run, find_members
from tests.oracles.networks import Network
from tests.search.agreement import check_same, network_of, oracle
from tests.search.bounds.test_root import TICK, families_of, tangled
from tests.search.cuts import leave_out_classes, leave_out_halves
from tests.search.members.test_listed import listed, random_cuts
from tests.search.tables import BOUNDARY_SLACK, Case, random_case
from tests.support.effort import chosen

MEMORY = 2**28
FINE = 2**24  # factor on the ticks of a tangle, so that rounding is small
FINE_TICK = TICK / FINE


def resources(seconds: float | None = None, jobs: int = 1) -> Resources:
    return Resources(Clock(seconds), jobs, MEMORY)


def problem_for(case: Case, labels: Labels = Labels.BEST) -> Problem:
    return prepare(case.table(), BayesFactor(case.factor), labels, None)


def some_network(families: Families) -> np.ndarray:
    """Return any network, not a good one."""
    order = np.arange(families.variable_count, dtype=np.int32)
    network = find_bounds(families, TICK, order=order).incumbent
    return np.asarray(network)


def random_branches(problem: Problem, splits: int, seed: int) -> list[Branch]:
    """Return branches split on any edges and counts, with any weights on any cuts."""
    rng = np.random.default_rng(seed)
    n = problem.families.variable_count
    branches = [Branch.root(n, Cuts.none(1))]
    for _ in range(splits):
        one = branches.pop(int(rng.integers(len(branches))))
        edges = [
            EdgeSplit(u, v)
            for u in range(n)
            for v in range(n)
            if u != v and not (one.required[v] | one.excluded[v]) >> u & 1
        ]
        counts = [CountSplit(v, k) for v in range(n) for k in range(one.least[v], one.most[v])]
        kinds = [kind for kind in (edges, counts) if kind]
        if not kinds:
            branches.append(one)
            continue
        undecided: list[Split] = [*kinds[int(rng.integers(len(kinds)))]]
        branches.extend(undecided[int(rng.integers(len(undecided)))].sides(one))
    order = rng.permutation(len(branches))
    return [
        replace(branches[place], cuts=random_cuts(rng, problem.families, problem.slack + 10))
        for place in order
    ]


def is_in(network: Network, branch: Branch) -> bool:
    return all(is_allowed(branch, child, parents) for child, parents, _ in network)


def is_allowed(branch: Branch, child: int, parents: int) -> bool:
    own = {v for v in range(64) if parents >> v & 1}
    required, excluded = (
        {v for v in range(64) if sets[child] >> v & 1}
        for sets in (branch.required, branch.excluded)
    )
    fits = branch.least[child] <= len(own) <= branch.most[child]
    return fits and required <= own and not excluded & own


def result_of(case: Case, run: Run, labels: Labels = Labels.BEST) -> CredibleSet:
    return credible_set_of(case.table(), BayesFactor(case.factor), labels, run.found())


@pytest.mark.parametrize("variables", [2, 3, 4, 5])
def test_every_network_is_in_exactly_one_branch(variables: int) -> None:
    seen = 0
    for seed in range(12):
        case = random_case(seed, n=variables, most_families=12)
        naive = oracle(case)
        branches = random_branches(problem_for(case), 1 + seed, seed)
        for _, network in naive.members:
            assert sum(is_in(network, branch) for branch in branches) == 1
            seen += 1
    assert seen >= 12


def test_fitting_families_are_those_of_the_definition() -> None:
    for seed in range(20):
        case = random_case(seed, n=5, most_families=12)
        families = problem_for(case).families
        for branch in random_branches(problem_for(case), 4, seed):
            expected = [
                is_allowed(branch, child, parents)
                for child, parents in zip(
                    families.children().tolist(), from_words(families.parents), strict=True
                )
            ]
            assert branch.fits(families).tolist() == expected


def test_an_edge_is_required_with_no_way_back() -> None:
    root = Branch.root(4, Cuts.none(1))
    two = root.with_edge(0, 1).with_edge(1, 2)
    assert two.required == (0, 0b0001, 0b0010, 0)
    assert two.excluded == (0b0110, 0b0100, 0, 0)
    without = two.without_edge(3, 0)
    assert without.required == two.required
    assert without.excluded == (0b1110, 0b0100, 0, 0)


@pytest.mark.parametrize("batch", range(chosen(quick=1, full=4)))
def test_the_union_of_any_branches_is_the_credible_set(batch: int) -> None:
    several = 0
    for number in range(60):
        seed = 100 * batch + number
        labels = Labels.ALL if number % 3 == 0 else Labels.BEST
        case = random_case(
            seed,
            n=1 + number % 5,
            blocks=1 + (number % 7 == 0),
            most_families=14 if number % 3 else 6,
            empty=0.6 if number % 4 == 0 else 0.95,
        )
        problem = problem_for(case, labels)
        branches = random_branches(problem, number % 9, seed)
        run = find_members(problem, some_network(problem.families), branches, resources())
        credible = result_of(case, run, labels)
        assert credible.complete
        check_same(credible, oracle(case, labels.value))
        check_ranks(run, credible)
        several += run.statistics(0).branches > 1
    assert several > 10


def check_ranks(run: Run, credible: CredibleSet) -> None:
    """Check that the ranks of the set are its members, each once."""
    union = run.found().union
    assert union is not None
    if credible.count > 3000:
        return
    ranked = [tuple(chosen) for chosen in union.at_ranks(list(range(credible.count)))]
    streamed = [tuple(row) for batch, _ in union.stream() for row in batch.tolist()]
    assert Counter(ranked) == Counter(streamed)
    some = list(range(0, credible.count, 3))
    assert [tuple(chosen) for chosen in union.at_ranks(some)] == ranked[::3]


def test_samples_from_branches_are_members_of_all_of_them() -> None:
    case = random_case(5, n=5, style="uniform", most_families=12)
    naive = oracle(case)
    problem = problem_for(case)
    branches = random_branches(problem, 5, 1)
    credible = result_of(
        case, find_members(problem, some_network(problem.families), branches, resources())
    )
    drawn = Counter(map(network_of, credible.sample(60 * len(naive.members), seed=3)))
    assert drawn.keys() == naive.networks


def test_threads_and_the_order_of_branching_change_nothing() -> None:
    for seed in range(chosen(quick=4, full=12)):
        case = random_case(seed, n=6, most_families=14, style="steep")
        problem = problem_for(case)
        network = some_network(problem.families)
        one = result_of(
            case, find_members(problem, network, random_branches(problem, 5, 1), resources(jobs=1))
        )
        two = result_of(
            case, find_members(problem, network, random_branches(problem, 5, 1), resources(jobs=3))
        )
        other = result_of(
            case, find_members(problem, network, random_branches(problem, 3, 2), resources())
        )
        assert one.families == two.families
        assert one.best == two.best == other.best
        assert one.best_members(30) == two.best_members(30)
        assert one.count == other.count
        assert set(map(network_of, one.stream())) == set(map(network_of, other.stream()))


class Tangle:
    """A problem that has to be branched on, with all of its credible networks."""

    def __init__(self, seed: int, slack: int, variables: int = 12, triples: int = 40) -> None:
        coarse = families_of(tangled(seed, variables, triples))
        self.families = replace(coarse, ticks=coarse.ticks * FINE)
        self.slack = slack * FINE
        self.bounds = find_bounds(self.families, FINE_TICK, effort=QUICK)
        self.root = Branch.root(variables, self.bounds.duals.cuts)
        duals = self.bounds.duals
        best = members_of(self.families, duals, self.bounds.upper_bound).best(
            1, 1, kernels.Cancellation()
        )
        assert best.complete
        self.optimum = int(best.ticks[0])
        self.members = listed(self.families, duals.cuts, self.optimum + self.slack)

    def branching(self, *, all_families: bool = True) -> Branching:
        return Branching(
            self.families,
            FINE_TICK,
            self.bounds.incumbent,
            self.slack,
            [self.root],
            all_families=all_families,
        )

    def branched(
        self,
        most_nodes: int = 1000,
        beyond: int = 0,
        clock: Clock | None = None,
        jobs: int = 1,
    ) -> Branched:
        return branch_out(
            self.families,
            FINE_TICK,
            self.bounds.incumbent,
            self.slack,
            [self.root],
            beyond=beyond,
            most_nodes=most_nodes,
            clock=clock or Clock(None),
            jobs=jobs,
        )

    def check(self, found: Branched) -> None:
        """Check that every member is in one branch, and not below its bound."""
        held = np.zeros(len(self.members), dtype=np.int64)
        chosen = np.array(sorted(self.members))
        ticks = self.families.ticks[chosen].sum(axis=1)
        parts = zip(found.branches, found.insides, found.lower_bounds, strict=True)
        for branch, inside, bound in parts:
            fits = branch.fits(self.families)
            assert fits[inside].all()
            own = fits[chosen].all(axis=1)
            assert np.isin(chosen[own], inside).all()
            held += own
            assert (ticks[own] >= bound).all()
            assert branch.prove(self.families.at(inside)).lower_bound == bound
        assert (held == 1).all()
        assert found.lower_bound <= self.optimum


@pytest.fixture
def clusters_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only look for plain clusters: others would close small problems without many branches."""
    leave_out_halves(monkeypatch)
    leave_out_classes(monkeypatch)


@pytest.mark.usefixtures("clusters_only")
@pytest.mark.parametrize(
    ("seed", "variables", "triples"),
    [
        pytest.param(4, 12, 40, marks=pytest.mark.slow),
        pytest.param(6, 12, 40, marks=pytest.mark.slow),
        (0, 10, 20),
        (7, 10, 20),
    ],
)
def test_branching_proves_the_optimum_and_drops_only_what_is_not_credible(
    seed: int, variables: int, triples: int
) -> None:
    tangle = Tangle(seed, 300, variables, triples)
    assert len(tangle.members) > 1
    found = tangle.branched()
    tangle.check(found)
    assert tangle.families.ticks[found.best].sum() == tangle.optimum
    assert tangle.optimum - found.lower_bound <= NEGLIGIBLE / FINE_TICK + 1
    assert found.nodes > 2
    none = tangle.branched(most_nodes=0)
    assert none.nodes == len(none.branches) == 1
    assert none.lower_bound < found.lower_bound


@pytest.mark.usefixtures("clusters_only")
def test_where_the_programs_of_branches_begin_changes_only_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tangle = Tangle(7, 300, 10, 20)
    for begins_at_basis in (True, False):
        if not begins_at_basis:
            monkeypatch.setattr(Bounding, "starts_at", lambda *_: (None, None))
        work = tangle.branching()
        work.run(0, 1000, Clock(None), 1)
        found = work.found()
        tangle.check(found)
        assert found.nodes > 1
        assert tangle.families.ticks[found.best].sum() == tangle.optimum
        assert tangle.optimum - found.lower_bound <= NEGLIGIBLE / FINE_TICK + 1


@pytest.mark.usefixtures("clusters_only")
@pytest.mark.parametrize("jobs", [1, 3])
def test_how_many_programs_are_kept_changes_only_the_time(
    monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr(branching_module, "_MOST_PROGRAMS", 1)
    tangle = Tangle(7, 300, 10, 20)
    work = tangle.branching()
    most_open = 0
    while not work.finished():
        work.run(0, 1, Clock(None), jobs)
        is_kept = [node.work is not None for node in work.waiting()]
        assert sum(is_kept) <= 1
        most_open = max(most_open, len(is_kept))
        tangle.check(work.found())
    assert most_open > 1
    again = Branching(
        tangle.families,
        FINE_TICK,
        tangle.bounds.incumbent,
        tangle.slack,
        work.found().branches,
    )
    again.run(0, 0, Clock(None), jobs)  # more branches than programs
    for found in (work.found(), again.found()):
        tangle.check(found)
        assert tangle.families.ticks[found.best].sum() == tangle.optimum
        assert tangle.optimum - found.lower_bound <= NEGLIGIBLE / FINE_TICK + 1


def test_without_slack_much_is_dropped() -> None:
    tangle = Tangle(4, slack=0)
    found = tangle.branched()
    tangle.check(found)
    assert found.dropped > 0


def test_branching_is_the_same_for_any_number_of_threads() -> None:
    tangle = Tangle(6, slack=100)
    one, three = (tangle.branched(most_nodes=20, jobs=jobs) for jobs in (1, 3))
    assert one.nodes == three.nodes > 2
    assert one.lower_bounds == three.lower_bounds
    assert [b.required for b in one.branches] == [b.required for b in three.branches]
    assert [b.excluded for b in one.branches] == [b.excluded for b in three.branches]
    assert one.best.tolist() == three.best.tolist()


@pytest.mark.usefixtures("clusters_only")
def test_a_goal_ends_branching() -> None:
    tangle = Tangle(6, slack=100)
    root, whole = tangle.branched(most_nodes=0), tangle.branched()
    middle = (root.lower_bound + whole.lower_bound) // 2
    reached = tangle.branched(beyond=middle - tangle.optimum)
    assert middle <= reached.lower_bound
    assert min(reached.lower_bounds) >= middle
    assert root.nodes < reached.nodes < whole.nodes
    tangle.check(reached)


@pytest.mark.usefixtures("clusters_only")
def test_the_goal_falls_with_the_best_network() -> None:
    tangle = Tangle(6, slack=300)
    first = Bounding(tangle.families, FINE_TICK)
    first.improve_order(np.arange(12, dtype=np.int32)[::-1].copy())
    excess = int(tangle.families.ticks[first.incumbent].sum()) - tangle.optimum
    assert excess > 100 * FINE
    tangle.bounds = replace(tangle.bounds, incumbent=first.incumbent)
    found = tangle.branched()
    tangle.check(found)
    assert tangle.optimum - found.lower_bound <= NEGLIGIBLE / FINE_TICK + 1
    as_far_as_the_first = tangle.branched(beyond=excess)
    assert found.nodes < as_far_as_the_first.nodes


@pytest.mark.usefixtures("clusters_only")
def test_nothing_is_dropped_while_families_may_be_missing() -> None:
    tangle = Tangle(4, slack=0)
    work = tangle.branching(all_families=False)
    work.run(0, 30, Clock(None), 1)
    found = work.found()
    assert found.dropped == 0
    assert len(found.branches) > 2
    for seed in range(200):  # any network at all, of any families
        rng = np.random.default_rng(seed)
        order = rng.permutation(12).tolist()
        network = tuple(
            (v, sum(1 << u for u in order[:place] if rng.random() < 0.5), 0)
            for place, v in enumerate(order)
        )
        assert sum(is_in(network, branch) for branch in found.branches) == 1
    for branch in found.branches:
        assert np.diff(tangle.families.select(branch.fits(tangle.families)).first).all()


@pytest.mark.usefixtures("clusters_only")
def test_branching_resumes_where_it_stopped() -> None:
    tangle = Tangle(4, slack=100)
    work = tangle.branching()
    seen = []
    for _ in range(4):
        work.run(0, 2, Clock(None), 2)
        seen.append(work.found())
        tangle.check(seen[-1])
    assert 1 < seen[0].nodes < seen[1].nodes <= seen[2].nodes
    assert [one.lower_bound for one in seen] == sorted(one.lower_bound for one in seen)


def test_a_time_limit_leaves_branches_that_hold_everything() -> None:
    tangle = Tangle(4, slack=300)
    nodes = set()
    for seconds in (1e-6, 0.02, 0.05, 0.1, 0.2, None):
        found = tangle.branched(clock=Clock(seconds), jobs=2)
        tangle.check(found)
        nodes.add(found.nodes)
    assert min(nodes) == 0
    assert len(nodes) > 1


@pytest.fixture
def only_branching(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the lattice no budget, have few cuts and do not enumerate, so that it has to branch."""
    leave_out_halves(monkeypatch)
    leave_out_classes(monkeypatch)
    monkeypatch.setattr(optimum_module.Contest, "walk", lambda *_: None)
    monkeypatch.setattr(optimum_module, "_FIRST_SUBSETS", 1)
    monkeypatch.setattr(optimum_module, "_LEAST_SUBSETS", 1)
    monkeypatch.setattr(shrinking_module, "_FEW_SUBSETS", 1)
    monkeypatch.setattr(shrinking_module, "_MANY_FAMILIES", 0)
    monkeypatch.setattr(shrinking_module, "_LARGE_GAP", 0.0)


@pytest.mark.usefixtures("only_branching")
def test_a_search_that_has_to_branch_finds_the_same() -> None:
    several = 0
    for seed in range(chosen(quick=12, full=40)):
        case = random_case(seed, n=5, most_families=20, style="steep", empty=1.0)
        searched = search(case.table(), case.factor, bounds="lp", jobs=2)
        check_same(searched.credible, oracle(case))
        assert searched.credible.complete
        several += searched.statistics.branches > 1
    assert several > 0


@pytest.mark.usefixtures("only_branching")
def test_a_search_that_has_to_branch_on_tangles_finds_what_others_find() -> None:
    several = 0
    for seed in chosen(quick=(0, 7), full=(0, 1, 2, 7)):
        costs = {
            (child, parents, 0): 100 + 0.01 * ticks
            for child, own in enumerate(tangled(seed, 10, 20))
            for parents, ticks in own
        }
        case = Case(10, costs, exp(1.0))
        searched = search(case.table(), case.factor, bounds="lp", jobs=2)
        without = search(case.table(), case.factor, bounds="none").credible
        assert searched.credible.complete
        assert searched.credible.count == without.count
        assert searched.credible.best == without.best
        assert set(map(network_of, searched.credible.stream())) == set(
            map(network_of, without.stream())
        )
        several += searched.statistics.branches > 1
        assert searched.statistics.branch_nodes > 1
    assert several > chosen(quick=0, full=1)


def test_branches_with_a_time_limit_give_a_labelled_result() -> None:
    case = random_case(6, n=12, most_families=60, most_parents=3, style="steep", empty=1.0)
    problem = problem_for(case)
    network = some_network(problem.families)
    branches = random_branches(problem, 6, 4)
    whole = result_of(case, find_members(problem, network, branches, resources()))
    assert whole.complete
    for seconds in (1e-6, 0.01, 0.05, 0.2, 0.5):
        part = result_of(case, find_members(problem, network, branches, resources(seconds)))
        assert part.lower_bound <= whole.optimum + 1e-8
        assert part.optimum >= whole.optimum - 1e-8
        assert part.complete == (not part.shortfalls)
        if part.complete:
            assert part.count == whole.count
            continue
        if part.proven:
            assert part.count <= whole.count
        with pytest.raises(SettingsError):
            part.sample(3, seed=1) if part.count > 1 else part.best_members(0)


def test_a_branch_without_networks_does_no_harm() -> None:
    costs = {(0, 0, 0): 5.0, (0, 0b10, 0): 1.0, (1, 0, 0): 5.0, (1, 0b01, 0): 1.0}
    case = Case(2, costs, exp(BOUNDARY_SLACK))
    problem = problem_for(case)
    root = Branch.root(2, Cuts.none(1))
    empty = replace(root, required=(0b10, 0b01))  # a cycle
    network = some_network(problem.families)
    credible = result_of(case, find_members(problem, network, [empty, root], resources()))
    check_same(credible, oracle(case))
    assert log(case.factor) == pytest.approx(BOUNDARY_SLACK)
    assert [list(variables_in(s)) for s in empty.required] == [[1], [0]]
