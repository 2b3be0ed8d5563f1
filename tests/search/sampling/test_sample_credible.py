"""Sampled credible sets, against enumerated ones."""

import threading
from collections.abc import Hashable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from math import exp
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import BayesFactor
from noisyor.core.credible_set import CredibleSet, Use
from noisyor.core.progress import Progress
from noisyor.core.sampling import Sampling
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.scoring import score
from noisyor.search import search
from noisyor.search.clock import Clock
from noisyor.search.preparation import some_network
from noisyor.search.sampling import SamplingEffort, is_reliable, sample_credible
from noisyor.search.sampling.credible import said_about
from noisyor.search.sampling.drawing import Drawn, far_apart
from tests.scoring.problems import random_dataset
from tests.search.tables import Case, random_case
from tests.support.effort import HANGS_AFTER

Rows = npt.NDArray[np.int64]
Subject = TypeVar("Subject", bound=Hashable)
EFFORT = SamplingEffort(draws=500)


def best_rows(case: Case, credible: CredibleSet) -> Rows:
    place = {family: at for at, (family, _) in enumerate(case.table().families())}
    return np.array([place[family] for family in credible.best.families])


def worst_start(case: Case) -> Rows:
    """Return a network that is far from the best one."""
    table = case.table()
    return some_network(table, np.arange(len(table)))


def sampled(case: Case, best: Rows, **options: object) -> CredibleSet:
    options = {"effort": EFFORT, "seed": 1, "jobs": 1} | options
    return sample_credible(case.table(), BayesFactor(case.factor), best=best, **options)  # type: ignore[arg-type]


def check_same_weights(found: CredibleSet, exact: CredibleSet) -> None:
    """Check every share against the enumerated one, within five standard errors."""
    assert found.optimum == pytest.approx(exact.optimum)
    check_uses(found.edges(), exact.edges())
    check_uses(found.parent_sets(), exact.parent_sets())
    check_uses(found.relations(), exact.relations())


def check_uses(found: Mapping[Subject, Use], exact: Mapping[Subject, Use]) -> None:
    assert found.keys() <= exact.keys()
    for subject, use in exact.items():
        if subject not in found:
            assert use.weight < 0.01
            continue
        error = found[subject].standard_error
        assert error is not None
        assert abs(found[subject].weight - use.weight) < 5 * error


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7, 8])  # 2 mixes, but takes long
def test_shares_are_those_of_the_enumerated_set(seed: int) -> None:
    case = random_case(seed, n=7, most_families=9, style="uniform" if seed % 2 else "steep")
    exact = search(case.table(), case.factor, jobs=1).credible
    found = sampled(case, best_rows(case, exact))
    check_same_weights(found, exact)
    known = {(m.structure.families, round(m.cost, 6)) for m in exact.stream()}
    assert {(m.structure.families, round(m.cost, 6)) for m in found.stream()} <= known


@pytest.mark.parametrize("seed", range(4))
def test_a_part_of_the_set_that_no_chain_gets_out_of_is_seen(seed: int) -> None:
    """With so many records, every way between two parts of the set is much dearer than either."""
    data = random_dataset(7, 7, 200, 0.5)
    table = score(replace(data, weights=1000 * data.weights), 150, jobs=1).table
    exact = search(table, 150, jobs=1).credible
    place = {family: at for at, (family, _) in enumerate(table.families())}
    best = np.array([place[family] for family in exact.best.families])
    once = SamplingEffort(draws=100, effective=0, r_hat=1000)  # the first draws are enough
    found = sample_credible(table, exact.bayes_factor, best=best, seed=seed, jobs=1, effort=once)
    assert found.sampling is not None
    assert not is_reliable(found.sampling)
    assert "the Markov chains do not agree yet" in found.shortfalls[-1]


def test_starts_are_far_apart_and_the_first_is_taken_again_if_there_are_no_more() -> None:
    networks = np.array([[0, 3, 6], [0, 3, 7], [1, 4, 7], [0, 3, 6], [2, 5, 7]], dtype=np.uint32)
    assert far_apart(networks, 4).tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 7], [0, 3, 7]]
    assert far_apart(networks[:2], 3).tolist() == [[0, 3, 6], [0, 3, 7], [0, 3, 6]]


def test_a_better_network_takes_the_place_of_the_given_one() -> None:
    case = random_case(3, n=9, most_families=9, style="steep")
    exact = search(case.table(), case.factor, jobs=1).credible
    start = worst_start(case)
    assert case.table().costs[start].sum() > exact.optimum + 1
    found = sampled(case, start)
    assert found.best.families == exact.best.families
    check_same_weights(found, exact)


def test_the_number_of_threads_changes_nothing() -> None:
    case = random_case(5, n=8, most_families=9, style="uniform")
    best = worst_start(case)
    one, two = sampled(case, best, jobs=1), sampled(case, best, jobs=3)
    assert one.sampling is not None
    assert two.sampling is not None
    assert one.families == two.families
    assert one.sampling.times.tolist() == two.sampling.times.tolist()
    other = sampled(case, best, seed=2)
    assert other.sampling is not None
    assert other.sampling.times.tolist() != one.sampling.times.tolist()


def test_it_says_that_it_is_a_sample() -> None:
    case = random_case(5, n=8, most_families=9, style="uniform")
    found = sampled(case, worst_start(case), shortfalls=("there were too many",))
    assert not found.complete
    assert found.shortfalls[0] == "there were too many"
    assert "sampled, not enumerated: 1,984 draws of 4 Markov chains" in found.shortfalls[1]
    assert found.sampling is not None
    assert found.sampling.draws == 1984  # batches of equal length
    assert found.count == len(found.sampling.times) == sum(1 for _ in found.stream())


def test_without_time_only_the_best_network_is_known() -> None:
    case = random_case(5, n=8, most_families=9, style="uniform")
    exact = search(case.table(), case.factor, jobs=1).credible
    clock = Clock(None)
    clock.cancel()
    found = sampled(case, best_rows(case, exact), clock=clock)
    assert found.sampling is None
    assert found.count == 1
    assert found.best == exact.best
    assert {use.weight for use in found.edges().values()} <= {1.0}
    assert "no network was drawn" in found.shortfalls[-1]


def test_ctrl_c_ends_the_sample_with_what_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    case = random_case(5, n=8, most_families=9, style="uniform")
    told: list[Progress] = []
    drawing = threading.Event()
    wait = Future.result

    def interrupted(future: "Future[Drawn]", timeout: float | None = None) -> Drawn:
        if drawing.is_set():
            return wait(future, timeout)
        drawing.wait(HANGS_AFTER)
        raise KeyboardInterrupt

    def show(progress: Progress) -> None:
        told.append(progress)
        drawing.set()

    monkeypatch.setattr(Future, "result", interrupted)
    never = SamplingEffort(draws=10**6, effective=10**9, seconds=HANGS_AFTER)
    found = sampled(case, worst_start(case), effort=never, progress=show)
    assert found.sampling is not None
    assert 4 <= found.sampling.draws < 4 * 10**6
    assert told[0].step == "sampling"


@pytest.mark.parametrize(
    ("r_hat", "effective", "said"),
    [
        (1.01, 500.0, None),
        (1.2, 50.0, "do not agree yet (R-hat 1.20, above 1.05)"),
        (1.01, 50.0, "move slowly: some shares rest on 50 independent draws"),
        (None, 1.0, "too few draws to tell"),
    ],
)
def test_chains_that_disagree_are_reported(
    r_hat: float | None, effective: float, said: str | None
) -> None:
    sampling = Sampling(0, 4, 1, np.array([4]), r_hat, effective, np.array([[1]] * 4))
    first, *rest = said_about(sampling)
    assert "4 draws of 4 Markov chains" in first
    assert len(rest) == (said is not None)
    assert said is None or said in rest[0]


def test_unweighted_samples_take_every_network_alike() -> None:
    case = random_case(5, n=6, most_families=6, style="uniform")
    exact = search(case.table(), case.factor, jobs=1).credible
    found = sampled(case, best_rows(case, exact), effort=SamplingEffort(draws=2000))
    drawn = [member.structure.families for member in found.sample(4000, seed=1)]
    shares = {one: drawn.count(one) / len(drawn) for one in set(drawn)}
    assert len(shares) == exact.count
    assert max(shares.values()) < 3 / exact.count


def test_a_tie_that_rounding_broke_is_no_better_network() -> None:
    costs = {(0, 0, 0): 5.0, (1, 0, 0): 5.0 - 1e-9, (0, 0b10, 0): 4.0, (1, 0b01, 0): 4.0}
    case = Case(2, costs, 20.0)
    place = {(f.child, f.parents): row for row, (f, _) in enumerate(case.table().families())}
    dearer = np.array([place[0, 0], place[1, 0b01]])
    found = sampled(case, dearer)
    assert [family.parents for family in found.best.families] == [0, 0b01]
    assert found.sampling is not None


@pytest.mark.parametrize("n", [64, 65, 128, 129, 256, MAX_VARIABLES])
def test_sets_of_any_width(n: int) -> None:
    # Only the first and the last variable can have a parent: each other.
    costs: dict[tuple[int, int, int], float] = {(v, 0, 0): 1.0 for v in range(n)}
    costs |= {(0, 1 << (n - 1), 0): 0.5, (n - 1, 1, 0): 0.5}
    case = Case(n, costs, 20.0)
    table = case.table()
    wanted = {(0, 0), (n - 1, 1)} | {(v, 0) for v in range(1, n - 1)}
    best = np.array(
        [row for row, (f, _) in enumerate(table.families()) if (f.child, f.parents) in wanted]
    )
    found = sampled(case, best, effort=SamplingEffort(draws=60, effective=60))
    total = 2 + exp(-0.5)
    edges = found.edges()
    assert edges.keys() == {("v0", f"v{n - 1}"), (f"v{n - 1}", "v0")}
    for use in edges.values():
        assert use.standard_error is not None
        assert abs(use.weight - 1 / total) < 5 * use.standard_error


def test_a_search_without_memory_gives_a_sample() -> None:
    case = random_case(7, n=12, most_families=12, most_parents=3, style="uniform", empty=1.0)
    exact = search(case.table(), case.factor, jobs=1).credible
    found = search(case.table(), case.factor, bounds="none", memory_limit=1, jobs=1).credible
    assert found.sampling is not None
    assert not found.complete
    assert "GiB" in found.shortfalls[0]
    assert "sampled, not enumerated" in found.shortfalls[1]
    assert found.lower_bound <= exact.optimum
    check_same_weights(found, exact)
