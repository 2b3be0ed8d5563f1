"""The shortest path over subsets against the classical dynamic programme."""

import threading
import time
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core.variable_sets import from_words, to_words, variables_in, word_count
from noisyor.search.bounds.duals import Cuts, Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.proof.lattice import (
    Lattice,
    LatticeStop,
    LatticeStopped,
    shortest_path,
)
from tests.oracles import lattice as oracle
from tests.oracles.cuts import OracleCut
from tests.search.cuts import cuts_of, divided
from tests.support.effort import chosen, scaled

PLENTY = 10**9
SWITCHES = list(product([True, False], repeat=2))


@dataclass(frozen=True)
class Problem:
    """Families per child as (parents, ticks), ascending by ticks, and weighted cuts."""

    options: list[list[tuple[int, int]]]
    cuts: list[OracleCut]

    def families(self) -> Families:
        words = word_count(len(self.options))
        rows = [family for families in self.options for family in families]
        counts = [len(families) for families in self.options]
        return Families(
            first=np.cumsum([0, *counts]).astype(np.int64),
            parents=to_words([parents for parents, _ in rows], words),
            ticks=np.array([ticks for _, ticks in rows], dtype=np.int64),
            rows=np.arange(len(rows), dtype=np.int64),
        )

    def duals(self) -> Duals:
        words = word_count(len(self.options))
        pi, rc, bound = oracle.reduced_costs(self.options, self.cuts)
        return Duals(
            cuts_of(self.cuts, words),
            np.array(pi, dtype=np.int64),
            np.array([value for values in rc for value in values], dtype=np.int64),
            bound,
        )

    def best_within(self, limit: int) -> list[int | None]:
        """Return the expected best_with; None if no network within the limit has the family."""
        return [
            ticks if ticks is not None and ticks <= limit else None
            for of_child in oracle.best_with(self.options)
            for ticks in of_child
        ]


def best_with(found: Lattice) -> list[int | None]:
    """Return the ticks of the best network with each family; None where there is none."""
    pairs = zip(found.credible.tolist(), found.best_with.tolist(), strict=True)
    return [ticks if credible else None for credible, ticks in pairs]


@st.composite
def problems(draw: st.DrawFn, most_variables: int = 6) -> Problem:
    """Draw families that make some acyclic network, many ties, and any cuts with any weights."""
    n = draw(st.integers(1, most_variables))
    order = draw(st.permutations(range(n)))
    most_ticks = draw(st.sampled_from([3, 40, 10**12]))
    options = []
    for child in range(n):
        before = sum(1 << v for v in order[: order.index(child)])
        others = (1 << n) - 1 - (1 << child)
        sets = draw(st.sets(st.integers(0, others).map(others.__and__), max_size=7))
        sets.add(draw(st.integers(0, before)) & before)
        ticks = st.integers(0, most_ticks)
        options.append(sorted(((one, draw(ticks)) for one in sets), key=lambda family: family[1]))
    return Problem(options, [draw(some_cut(n, most_ticks)) for _ in range(draw(st.integers(0, 8)))])


@st.composite
def some_cut(draw: st.DrawFn, n: int, most_ticks: int) -> OracleCut:
    chosen = draw(st.integers(1, (1 << n) - 1))
    weight = draw(st.integers(0, most_ticks))
    if draw(st.booleans()):
        return divided(np.random.default_rng(draw(st.integers(0, 2**16))), chosen, weight)
    return OracleCut(chosen, draw(st.integers(1, min(3, chosen.bit_count()))), weight)


def search(  # noqa: PLR0913  (each switch by name)
    problem: Problem,
    upper_bound: int,
    slack: int,
    *,
    jobs: int = 1,
    strengthen: bool = True,
    persistent: bool = True,
    whole: bool = False,
) -> Lattice:
    found = shortest_path(
        problem.families(),
        problem.duals(),
        upper_bound,
        slack,
        max_subsets=PLENTY,
        memory=PLENTY,
        jobs=jobs,
        cancellation=kernels.Cancellation(),
        strengthen=strengthen,
        persistent=persistent,
        whole=whole,
    )
    assert isinstance(found, Lattice)
    return found


def check_best(problem: Problem, found: Lattice) -> None:
    """Check that `best` is an acyclic network of the optimal cost."""
    families = problem.families()
    assert families.children()[found.best].tolist() == list(range(len(problem.options)))
    assert int(families.ticks[found.best].sum()) == found.optimum
    parents = from_words(families.parents[found.best])
    placed = 0
    while placed != (1 << len(parents)) - 1:
        ready = [v for v in range(len(parents)) if not placed >> v & 1 and not parents[v] & ~placed]
        assert ready
        placed |= sum(1 << v for v in ready)


@settings(max_examples=scaled(300))
@given(problems(), st.integers(0, 30), st.integers(0, 60))
def test_it_agrees_with_the_classical_programme_under_any_duals(
    problem: Problem, above: int, slack: int
) -> None:
    optimum = oracle.optimum(problem.options)
    assert optimum is not None
    expected = problem.best_within(optimum + slack)
    for strengthen, persistent in SWITCHES:
        found = search(
            problem, optimum + above, slack, strengthen=strengthen, persistent=persistent
        )
        assert found.optimum == optimum
        assert best_with(found) == expected
        assert found.kept_subsets <= found.subsets
        check_best(problem, found)
    found = search(problem, optimum + above, slack, whole=True)
    assert found.optimum == optimum
    assert best_with(found) == expected
    check_best(problem, found)


@settings(max_examples=scaled(60))
@given(problems(), st.integers(0, 60))
def test_a_family_at_the_limit_is_credible_and_one_above_is_not(
    problem: Problem, above: int
) -> None:
    optimum = oracle.optimum(problem.options)
    assert optimum is not None
    costs = [c for of_child in oracle.best_with(problem.options) for c in of_child if c is not None]
    dearest = max(costs)
    found = search(problem, optimum + above, dearest - optimum)
    assert int(found.credible.sum()) == len(costs)
    if dearest > optimum:
        fewer = search(problem, optimum + above, dearest - optimum - 1)
        assert int(fewer.credible.sum()) == sum(cost < dearest for cost in costs)


def random_problem(seed: int, n: int, families: int, cuts: int) -> Problem:
    """Return random families, larger parent sets cheaper, and cuts of some weight."""
    rng = np.random.default_rng(seed)
    options = []
    for child in range(n):
        sets = {0}
        for _ in range(families):
            chosen = rng.choice(n, size=int(rng.integers(1, 4)), replace=False)
            sets.add(sum(1 << int(v) for v in chosen if v != child))
        ticks = {one: int(rng.integers(500)) + 400 * (3 - one.bit_count()) for one in sets}
        options.append(sorted(ticks.items(), key=lambda family: family[1]))
    weighted = []
    for _ in range(cuts):
        chosen = rng.choice(n, size=int(rng.integers(3, 7)), replace=False)
        members_ = sum(1 << int(v) for v in chosen)
        need, weight = int(rng.integers(1, 3)), int(rng.integers(100))
        plain = OracleCut(members_, need, weight)
        weighted.append(plain if rng.random() < 0.5 else divided(rng, members_, weight))
    return Problem(options, weighted)


@pytest.mark.parametrize("cuts", [0, 30, 150])
def test_threads_do_not_change_anything(cuts: int) -> None:
    problem = random_problem(cuts, n=12, families=20, cuts=cuts)
    empty = sum(dict(families)[0] for families in problem.options)
    one = search(problem, empty, 150)
    three = search(problem, empty, 150, jobs=3)
    assert one.optimum == three.optimum
    assert one.best.tolist() == three.best.tolist()
    assert best_with(one) == best_with(three)
    assert (one.subsets, one.kept_subsets) == (three.subsets, three.kept_subsets)
    assert one.subsets > 1000


@pytest.mark.parametrize("cuts", [0, 40])
def test_rules_save_subsets_and_change_nothing_else(cuts: int) -> None:
    problem = random_problem(7 + cuts, n=11, families=12, cuts=cuts)
    empty = sum(dict(families)[0] for families in problem.options)
    optimum = search(problem, empty, 0).optimum
    found = [
        search(problem, optimum, 100, strengthen=strengthen, persistent=persistent)
        for strengthen, persistent in SWITCHES
    ]
    assert optimum == oracle.optimum(problem.options)
    for one in found:
        assert one.optimum == optimum
        assert best_with(one) == best_with(found[-1])
        assert one.subsets <= found[-1].subsets
    assert found[0].subsets < found[-1].subsets


@pytest.mark.parametrize("n", [5, 9, 11, 13])
def test_going_through_all_subsets_gives_what_following_all_arcs_gives(n: int) -> None:
    problem = random_problem(n, n=n, families=40, cuts=0)
    empty = sum(dict(families)[0] for families in problem.options)
    plain = search(problem, empty, 100, strengthen=False, persistent=False)
    for jobs in (1, 3):
        found = search(problem, empty, 100, jobs=jobs, whole=True)
        assert found.optimum == plain.optimum
        assert found.best.tolist() == plain.best.tolist()
        assert best_with(found) == best_with(plain)
        assert (found.subsets, found.kept_subsets) == (plain.subsets, plain.kept_subsets)


def spread(problem: Problem, n: int) -> Problem:
    """Return the problem on far-apart variables among n; the others form one chain.

    A chain, since variables without parents could be placed at any time and the subsets of that
    many are beyond counting when no rule leaves any out.
    """
    count = len(problem.options)
    places = [round(v * (n - 1) / max(1, count - 1)) for v in range(count)]

    def moved(variables: int) -> int:
        return sum(1 << places[v] for v in variables_in(variables))

    rest = [v for v in range(n) if v not in places]
    chain = {v: 1 << before for before, v in pairwise(rest)}
    options = [[(chain.get(v, 0), 5)] for v in range(n)]
    for place, families in zip(places, problem.options, strict=True):
        options[place] = [(moved(parents), ticks) for parents, ticks in families]
    return Problem(
        options,
        [
            OracleCut(moved(cut.members), cut.need, cut.weight, tuple(map(moved, cut.classes)))
            for cut in problem.cuts
        ],
    )


@settings(max_examples=chosen(quick=5, full=15))
@given(
    problems(most_variables=5),
    st.integers(0, 20),
    st.sampled_from([64, 65, 128, 129, 256, 257, 1024]),
)
def test_many_variables(problem: Problem, slack: int, n: int) -> None:
    optimum = oracle.optimum(problem.options)
    assert optimum is not None
    chained = 5 * (n - len(problem.options))
    expected = [
        None if ticks is None else ticks + chained for ticks in problem.best_within(optimum + slack)
    ]
    wide = spread(problem, n)
    for strengthen, persistent in SWITCHES:
        found = search(wide, optimum + chained, slack, strengthen=strengthen, persistent=persistent)
        assert found.optimum == optimum + chained
        check_best(wide, found)
        assert Counter(best_with(found)) == Counter(
            expected + [optimum + chained] * (n - len(problem.options))
        )


def test_very_many_families() -> None:
    """With this many families the rules are off and a table of all subsets is made."""
    n = 12
    rng = np.random.default_rng(1)
    options = []
    for child in range(n):
        sets = [one for one in range(1 << n) if not one >> child & 1]
        ticks = rng.integers(0, 10**6, size=len(sets)).tolist()
        options.append(sorted(zip(sets, ticks, strict=True), key=lambda family: family[1]))
    empty = sum(dict(families)[0] for families in options)
    cuts = random_problem(2, n, families=1, cuts=70).cuts
    plain = search(Problem(options, []), empty, 10**5)
    reduced = search(Problem(options, cuts), empty, 10**5)
    assert best_with(reduced) == best_with(plain)
    check_best(Problem(options, cuts), reduced)
    # Families that are not needed change nothing, and without them the rules are on again.
    kept = plain.credible
    assert 0 < int(kept.sum()) < 4000
    ends = np.cumsum([0, *map(len, options)])
    fewer = [
        [family for family, used in zip(families, kept[start:end], strict=True) if used]
        for families, start, end in zip(options, ends[:-1], ends[1:], strict=True)
    ]
    again = search(Problem(fewer, cuts), plain.optimum, 10**5)
    assert again.optimum == plain.optimum
    assert best_with(again) == plain.best_with[kept].tolist()


def limited(
    problem: Problem, *, max_subsets: int = PLENTY, memory: int = PLENTY, jobs: int = 1
) -> Lattice | LatticeStopped:
    return shortest_path(
        problem.families(),
        problem.duals(),
        sum(dict(families)[0] for families in problem.options),
        100,
        max_subsets=max_subsets,
        memory=memory,
        jobs=jobs,
        cancellation=kernels.Cancellation(),
    )


@pytest.mark.parametrize("cuts", [0, 40])
def test_limits_end_the_search_with_a_bound(cuts: int) -> None:
    problem = random_problem(3, n=12, families=20, cuts=cuts)
    done = limited(problem)
    assert isinstance(done, Lattice)
    lower = problem.duals().lower_bound
    for most in (1, 10, 100, 1000, done.subsets - 1):
        stopped = limited(problem, max_subsets=most)
        assert isinstance(stopped, LatticeStopped)
        assert stopped.reason is LatticeStop.SUBSETS
        assert stopped.subsets > most
        assert lower <= stopped.lower_bound <= done.optimum
        assert stopped == limited(problem, max_subsets=most, jobs=3)
    assert isinstance(limited(problem, max_subsets=done.subsets), Lattice)
    stopped = limited(problem, memory=10_000)
    assert isinstance(stopped, LatticeStopped)
    assert stopped.reason is LatticeStop.MEMORY
    assert lower <= stopped.lower_bound <= done.optimum
    assert stopped == limited(problem, memory=10_000, jobs=3)


def test_a_small_cache_changes_nothing() -> None:
    problem = random_problem(3, n=12, families=20, cuts=40)
    done = limited(problem)
    tight = limited(problem, memory=2_000_000)
    assert isinstance(done, Lattice)
    assert isinstance(tight, Lattice)
    assert tight.subsets == done.subsets
    assert best_with(tight) == best_with(done)


def test_cancelling_ends_the_search() -> None:
    problem = random_problem(5, n=24, families=25, cuts=0)
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.2, cancellation.cancel)
    timer.start()
    started = time.monotonic()
    stopped = shortest_path(
        problem.families(),
        problem.duals(),
        sum(dict(families)[0] for families in problem.options),
        100,
        max_subsets=PLENTY,
        memory=PLENTY,
        jobs=2,
        cancellation=cancellation,
    )
    timer.join()
    assert isinstance(stopped, LatticeStopped)
    assert stopped.reason is LatticeStop.CANCELLED
    assert time.monotonic() - started < 5
    assert stopped.lower_bound >= problem.duals().lower_bound


def test_cancelling_ends_the_search_of_all_subsets_with_many_families() -> None:
    """Every arc has thousands of families within the slack: few subsets take long."""
    n = 15
    sets = np.arange(2 ** (n - 1), dtype=np.uint64)  # of the others
    places = np.arange(n, dtype=np.uint64)[:, None]
    low = sets & ((np.uint64(1) << places) - np.uint64(1))
    families = Families(
        first=np.arange(n + 1) * len(sets),
        parents=(low | ((sets - low) << np.uint64(1))).reshape(-1, 1),
        ticks=np.tile(np.arange(len(sets)), n),
        rows=np.arange(n * len(sets)),
    )
    cancellation = kernels.Cancellation()
    timer = threading.Timer(0.5, cancellation.cancel)
    timer.start()
    started = time.monotonic()
    stopped = shortest_path(
        families,
        duals_of(families, Cuts.none(1)),
        PLENTY,
        PLENTY,
        max_subsets=PLENTY,
        memory=PLENTY,
        jobs=1,
        cancellation=cancellation,
    )
    timer.join()
    assert isinstance(stopped, LatticeStopped)
    assert stopped.reason is LatticeStop.CANCELLED
    assert time.monotonic() - started < 5


def test_an_upper_bound_below_the_optimum_is_refused() -> None:
    problem = Problem([[(0, 4)], [(1, 2), (0, 9)]], [])
    assert search(problem, 6, 0).optimum == 6
    with pytest.raises(ValueError, match="no acyclic network costs 5 ticks or less"):
        search(problem, 5, 0)
