"""Local search: good networks, honest costs, and no network that the constraints forbid."""

import itertools
import math
import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import Dataset, Family, Knowledge, Prior, Score
from noisyor.core.relations import LEAKY_NOISY_OR, SIGNED_NOISY_OR, RelationChoice
from noisyor.core.request import Request
from noisyor.core.tolerance import tolerance_at
from noisyor.core.variable_sets import from_words
from noisyor.fitting import FittedFamily, fit
from noisyor.scoring import climbing as climbing_module
from noisyor.scoring import score_request
from noisyor.scoring.climbers import LocalClimbers, new_climber
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.structure_cost import score_structure
from noisyor.search import search
from tests.scoring.problems import coded, random_dataset
from tests.support.effort import chosen, scaled

QUICK_FITS = 2e-4  # nats for each family: the gap of the climbers' fits


def records(codes: npt.NDArray[np.integer], states: int = 2) -> Dataset:
    """Return a table of these codes, with ordered states."""
    return coded(codes.T.tolist(), [states] * codes.shape[1])


def random_records(count: int, variables: int, seed: int, states: int = 2) -> Dataset:
    """Return records in which each variable depends on up to three before it."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((count, variables), dtype=np.uint8)
    for place in range(variables):
        before = rng.permutation(place)[: rng.integers(0, 4)]
        levels = codes[:, before].sum(axis=1) + rng.integers(0, states, count) * (
            rng.random(count) < 0.3
        )
        codes[:, place] = levels % states if len(before) else rng.integers(0, states, count)
    return records(codes, states)


def request_of(
    data: Dataset,
    relations: RelationChoice = "default",
    knowledge: Knowledge | None = None,
    jobs: int = 2,
) -> Request:
    return Request.of(data, 20.0, relations=relations, constraints=knowledge, jobs=jobs)


def climbed(request: Request, rounds: int, *, seed: int = 0) -> Climbing:
    climbing = Climbing(request, seed=seed)
    climbing.run(never, rounds=rounds)
    return climbing


def never() -> bool:
    return False


@given(
    st.integers(1, 5),
    st.integers(2, 60),
    st.integers(2, 3),
    st.sampled_from(["default", "paper", "all", "cpt"]),
    st.integers(0, 2**31),
)
@settings(max_examples=scaled(40))
def test_few_variables_are_one_window_and_so_the_optimum_is_found(
    variables: int, count: int, states: int, relations: str, seed: int
) -> None:
    """Up to 5 variables, the families that windows try are all that there are, but for ties."""
    data = random_records(count, variables, seed, states)
    request = request_of(data, relations, jobs=1)
    optimum = search(score_request(request).table).credible.optimum
    found = climbed(request, 6).cost
    assert found >= optimum - QUICK_FITS * variables
    assert found <= optimum + 0.05 * abs(optimum) + 1e-9
    if variables <= 3:
        assert found == pytest.approx(optimum, abs=QUICK_FITS * variables)


@pytest.mark.parametrize("relations", ["cpt", "default", "all"])
def test_what_it_costs_is_what_the_network_costs(relations: str) -> None:
    data = random_records(200, 20, 3)
    climbing = climbed(request_of(data, relations), 3)
    structure = climbing.structure()
    scored = score_structure(data, structure, relations=relations)
    assert scored.total == pytest.approx(climbing.cost, abs=20 * QUICK_FITS)


def test_the_best_network_is_among_the_families_and_their_costs_are_certified() -> None:
    data = random_records(150, 18, 5)
    climbing = climbed(request_of(data, "all"), 2)
    table = climbing.families(within=8.0, most=40)
    held = {
        (int(child), parents, int(relation)): cost
        for child, parents, relation, cost in zip(
            table.children, from_words(table.parents), table.relations, table.costs, strict=True
        )
    }
    own = [
        held[family.child, family.parents, family.relation.code]
        for family in climbing.structure().families
    ]
    assert math.fsum(own) == pytest.approx(climbing.cost, abs=18 * QUICK_FITS)
    assert np.bincount(table.children).max() <= 2 * 40 + 1
    cheapest = np.array(own)[table.children]
    assert (table.costs <= cheapest + 8.0 + QUICK_FITS).all()


def test_the_same_seed_gives_the_same_network_and_another_seed_another_walk() -> None:
    request = request_of(random_records(100, 24, 7))
    first, again = climbed(request, 3, seed=1), climbed(request, 3, seed=1)
    assert first.structure() == again.structure()
    assert first.work == again.work
    assert climbed(request, 3, seed=2).work != first.work


def test_constraints_hold() -> None:
    data = random_records(300, 16, 11)
    knowledge = Knowledge(
        required=[("v3", "v1"), ("v1", "v0"), ("v3", "v0")],
        forbidden=[("v2", "v5"), ("v5", "v2")],
        roots=["v4"],
        max_parents=2,
    )
    edges = set(climbed(request_of(data, "default", knowledge), 4).structure().edges())
    assert {("v3", "v1"), ("v1", "v0"), ("v3", "v0")} <= edges
    assert not edges & {("v2", "v5"), ("v5", "v2")}
    assert not [parent for parent, child in edges if child == "v4"]
    counts = [sum(child == f"v{place}" for _, child in edges) for place in range(16)]
    assert max(counts) <= 2


def test_it_goes_on_from_a_better_network_and_ignores_a_worse_one() -> None:
    request = request_of(random_records(200, 16, 13))
    good = climbed(request, 4)
    fresh = Climbing(request)
    empty = fresh.structure()
    fresh.adopt(good.structure())
    assert fresh.cost == pytest.approx(good.cost, abs=1e-6)
    fresh.adopt(empty)
    assert fresh.structure() == good.structure()


def test_a_stopped_climb_has_a_network_and_goes_on_later() -> None:
    request = request_of(random_records(200, 20, 17))
    climbing = Climbing(request)
    alone = climbing.cost
    climbing.run(lambda: True)
    assert climbing.cost <= alone
    climbing.run(never, rounds=3)
    assert climbing.cost < alone


def test_a_second_ctrl_c_leaves_no_climber_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first comes while a climber is in a kernel, the second while it is waited for."""
    released = threading.Event()

    def climb(*_: object) -> None:
        released.wait(60)

    def sleep(_: float) -> None:
        if pressed:
            released.set()
        pressed.append(True)
        raise KeyboardInterrupt

    def stop() -> bool:
        raise KeyboardInterrupt

    pressed: list[bool] = []
    climbing = Climbing(request_of(random_records(20, 3, 29), jobs=1))
    monkeypatch.setattr(climbing._climbers, "climb", climb)
    monkeypatch.setattr("noisyor.core.threads.time.sleep", sleep)
    with pytest.raises(KeyboardInterrupt):
        climbing.run(stop)
    assert released.is_set()


def test_progress_is_told_when_a_network_is_better() -> None:
    request = request_of(random_records(200, 20, 19))
    told: list[float] = []
    climbing = Climbing(request)
    climbing.run(never, rounds=3, improved=lambda: told.append(climbing.cost))
    assert told == sorted(told, reverse=True)
    assert len(told) <= 3


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: np.repeat(rng.integers(0, 2, (40, 12)), 2, axis=1),  # copies
        lambda rng: rng.integers(0, 2, (40, 20)) * (np.arange(20) % 2),  # constants
        lambda rng: rng.integers(0, 2, (2, 30)),  # two records
        lambda rng: rng.integers(0, 1, (10, 3)),  # nothing varies
    ],
)
def test_odd_tables_have_a_network(
    make: Callable[[np.random.Generator], npt.NDArray[np.integer]],
) -> None:
    data = records(make(np.random.default_rng(0)))
    for relations in ("cpt", "all"):
        climbing = climbed(request_of(data, relations), 2)
        assert len(climbing.structure().families) == data.variable_count
        assert math.isfinite(climbing.cost)


def test_required_edges_alone_may_fill_the_limit_of_parents() -> None:
    data = random_records(60, 4, 23)
    edges = [("v0", "v2"), ("v1", "v2")]
    knowledge = Knowledge(
        required=edges, forbidden=list(set(itertools.permutations(data.names, 2)) - set(edges))
    )
    assert set(climbed(request_of(data, "all", knowledge), 2).structure().edges()) == set(edges)


@pytest.mark.parametrize("seed", chosen(quick=[1], full=[1, 2, 3]))
def test_windows_reach_the_optimum_of_more_variables_than_they_have(seed: int) -> None:
    request = request_of(random_records(300, 18, seed), "cpt", Knowledge(max_parents=2))
    optimum = search(score_request(request).table).credible.optimum
    assert climbed(request, 12).cost == pytest.approx(optimum, abs=1e-6)


def test_families_that_differ_in_relation_alone_may_cost_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    climbing = Climbing(request_of(random_records(50, 3, 29), "default", jobs=1))
    own = list(climbing._climbers.met(0))
    tie = [(0b10, 0, 1.0), (0b10, 1, 1.0)]
    monkeypatch.setattr(LocalClimbers, "met", lambda _, child: iter(own if child else own + tie))
    table = climbing.families(within=1e9, most=9)
    of_first = from_words(table.parents[table.children == 0])
    assert sum(parents == 0b10 for parents in of_first) == 2


def test_a_climber_that_is_cancelled_again_and_again_goes_on_from_its_best_network() -> None:
    """Wherever it is cancelled, nothing that it has half found is taken for whole."""
    request = Request.of(random_dataset(4, 30, 3000), 20)
    undisturbed = new_climber(request, 0)
    undisturbed.climb(0, kernels.Cancellation())
    climber = new_climber(request, 0)
    before = climber.cost
    for turn in range(20):
        cancellation = kernels.Cancellation()
        timer = threading.Timer(0.002 * turn, cancellation.cancel)
        timer.start()
        climber.climb(0, cancellation)
        timer.join()
        assert climber.cost <= before
        before = climber.cost
    climber.climb(0, kernels.Cancellation())
    assert climber.cost <= before
    assert climber.cost == pytest.approx(undisturbed.cost, rel=1e-2)
    again = new_climber(request, 0)
    again.adopt(climber.parents)
    assert again.cost == pytest.approx(climber.cost, abs=1e-6)


def test_a_signed_family_that_is_a_leaky_one_is_left_to_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A search of all families leaves it out, so that it is counted once."""
    relations = ("cpt", "leaky-noisy-or", "signed-noisy-or")
    found, twins = 0, 0
    for seed in range(6):
        request = request_of(random_dataset(seed, 6, 200), relations, jobs=1)
        climbing = climbed(request, 4)
        around = [[own for own in range(64) if not own >> child & 1] for child in range(6)]
        pairs = [[own for own in sets if own.bit_count() == 2] for sets in around]

        def signed(climbing: Climbing = climbing, pairs: list[list[int]] = pairs) -> list[Family]:
            table = climbing.families(within=20, most=100, around=pairs)
            return [one for one, _ in table.families() if one.relation is SIGNED_NOISY_OR]

        for family in signed():
            twin = replace(family, relation=LEAKY_NOISY_OR)
            least, most = (fit(request.data, one, score=request.score) for one in (family, twin))
            assert most.cost > least.cost + tolerance_at(least.cost)
            found += 1
        with monkeypatch.context() as patch:
            patch.setattr(Climbing, "_twin_of", lambda _, family: family)
            twins += len(signed())
    assert 0 < found < twins


def test_families_are_near_the_best_ones_where_these_are_twins() -> None:
    """The climbers have met the wider relation only, whose cost counts."""
    relations = ("cpt", "leaky-noisy-or", "signed-noisy-or")
    twins, dear = 0, 0
    for seed in range(6):
        request = request_of(random_dataset(seed, 6, 200), relations, jobs=1)
        climbing = climbed(request, 4)
        best = climbing.structure().families
        raw = climbing._climbers.best.relations
        twins += sum(
            request.relations_of(own.child)[place] != own.relation
            for own, place in zip(best, raw, strict=True)
        )
        costs = [fit(request.data, own, score=request.score).cost for own in best]
        table = climbing.families(within=2.0, most=100)
        assert (table.costs <= np.array(costs)[table.children] + 2.0 + QUICK_FITS).all()
        dear += len(climbing.families(within=20.0, most=100)) - len(table)
    assert twins > 0
    assert dear > 20


def test_the_time_limit_ends_the_comparison_of_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only between children: each has many families, and each is fitted twice."""
    relations = ("cpt", "leaky-noisy-or", "signed-noisy-or")
    climbing = climbed(request_of(random_dataset(0, 6, 200), relations, jobs=1), 4)
    best = climbing.structure()
    fitted: list[Family] = []

    def counted(
        data: Dataset, family: Family, *, score: Score, structure_prior: Prior
    ) -> FittedFamily:
        fitted.append(family)
        return fit(data, family, score=score, structure_prior=structure_prior)

    monkeypatch.setattr(climbing_module, "fit", counted)
    climbing.structure()
    over = len(fitted) + 3
    fitted.clear()
    sets = [[own for own in range(64) if not own >> child & 1] for child in range(6)]
    table = climbing.families(within=20.0, most=100, around=sets, stop=lambda: len(fitted) >= over)
    assert over <= len(fitted) <= over + 1 + len(best.families)
    kept = {family for family, _ in table.families()}
    assert kept > set(best.families)
