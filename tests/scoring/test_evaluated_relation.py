"""A relation of which the search knows only a cost function, given in Python."""

from collections.abc import Callable, Iterator
from itertools import combinations
from math import exp, expm1, inf, log

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import Dataset
from noisyor.core.variable_sets import from_words, variables_in
from tests.oracles.families import cpt_cost
from tests.scoring.problems import dataset

TABLE, TOY = 0, 7  # codes
SLACK = log(20)
ALL_RULES = 127

Evaluate = Callable[[list[int]], tuple[float, float, list[float]]]
Kinds = dict[tuple[int, int], float]


def toy_dataset(seed: int, variables: int, records: int) -> Dataset:
    """Return records whose last variable is caused by all others, each failing half of the time."""
    rng = np.random.default_rng(seed)
    causes = rng.random((variables - 1, records)) < 0.6
    acts = causes & (rng.random(causes.shape) < 0.5)
    return dataset(np.vstack([causes, acts.any(axis=0)]).astype(int).tolist())


def equal_causes(data: Dataset, child: int) -> Evaluate:
    """Return the fit of a noisy-OR whose causes all fail with the same probability q.

    With x = -ln q, minus the log-likelihood is a convex function of one variable: bisection on its
    derivative, and a lower bound by the tangent.
    """
    rows = list(zip(from_words(data.bits), data.weights.tolist(), strict=True))

    def evaluate(parents: list[int]) -> tuple[float, float, list[float]]:
        absent = 0  # causes present in records without the child
        present: dict[int, int] = {}  # records with the child, by the number of causes
        for row, weight in rows:
            causes = sum(row >> parent & 1 for parent in parents)
            if row >> child & 1:
                present[causes] = present.get(causes, 0) + weight
            else:
                absent += causes * weight
        if 0 in present:
            return inf, inf, [1.0]
        if not present or not absent:
            return 0.0, 0.0, [0.0 if present else 1.0]

        def value(x: float) -> float:
            return absent * x - sum(n * log(-expm1(-k * x)) for k, n in present.items())

        def slope(x: float) -> float:
            return absent - sum(n * k / expm1(k * x) for k, n in present.items())

        low, high = 0.0, 1.0
        while slope(high) < 0:
            high *= 2
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        best = value(high)
        return best - abs(slope(high)) * (high - low) - 1e-10, best, [exp(-high)]

    return evaluate


def unit_of(data: Dataset) -> float:
    """Return the price of a parameter. The toy has one, and pays something for each parent."""
    return log(data.record_count) / 2


def search_of(  # noqa: PLR0913, PLR0917  (one problem)
    data: Dataset,
    child: int,
    evaluate: Evaluate,
    rules: int = ALL_RULES,
    required: int = 0,
    for_each: float = 0.0,
) -> "kernels.ChildSearch":
    unit = unit_of(data)
    of_table = kernels.Penalty.of_parameters(unit, 0, 0, 1)
    of_toy = kernels.Penalty.by(lambda parents: unit + for_each * len(parents))
    settings = kernels.SearchSettings()
    settings.tolerance = 1e-7
    settings.required = list(variables_in(required))
    settings.candidates = [
        v for v in range(data.variable_count) if v != child and not required >> v & 1
    ]
    settings.relations = [
        kernels.RelationSpec.full_table(TABLE, of_table),
        kernels.RelationSpec.evaluated(TOY, of_toy, evaluate),
    ]
    settings.rules = rules
    states = [variable.state_count for variable in data.variables]
    return kernels.ChildSearch(data.codes, data.weights, states, child, settings)


def run(search: "kernels.ChildSearch", wanted: "kernels.PassSettings") -> "kernels.FamilyColumns":
    search.begin(wanted)
    while not search.finished:
        search.work(kernels.Cancellation())
    return search.result()


def whole_pass(candidates: int) -> "kernels.PassSettings":
    wanted = kernels.PassSettings()
    wanted.slack = SLACK
    wanted.relations = [TABLE, TOY]
    wanted.first, wanted.end = [0], [1 << candidates]
    return wanted


def kinds(families: "kernels.FamilyColumns") -> Kinds:
    keys = zip(from_words(families.parents), families.relations.tolist(), strict=True)
    return dict(zip(keys, families.costs.tolist(), strict=True))


def sets_with(data: Dataset, child: int, required: int) -> Iterator[int]:
    others = [v for v in range(data.variable_count) if v != child and not required >> v & 1]
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            yield required | sum(1 << v for v in chosen)


def by_brute_force(
    data: Dataset, child: int, evaluate: Evaluate, required: int = 0
) -> tuple[Kinds, Kinds]:
    """Return all families with finite costs, and those within the slack of a cheaper subset's."""
    every: Kinds = {}
    unit = unit_of(data)
    for parents in sets_with(data, child, required):
        every[parents, TABLE] = cpt_cost(data, child, parents)
        if parents:
            cost = evaluate(list(variables_in(parents)))[1] + unit
            if cost < inf:
                every[parents, TOY] = cost
    kept = {}
    for (parents, code), cost in every.items():
        best = min(other for (subset, _), other in every.items() if not subset & ~parents)
        if cost <= best + SLACK:
            kept[parents, code] = cost
    return every, kept


@pytest.mark.parametrize("rules", [ALL_RULES, 0])
@pytest.mark.parametrize("required", [0, 0b10])
@pytest.mark.parametrize("seed", range(4))
def test_all_families_of_a_child_are_found(seed: int, required: int, rules: int) -> None:
    data = toy_dataset(seed, 6, 60)
    evaluate = equal_causes(data, 5)
    candidates = 5 - required.bit_count()
    found = run(search_of(data, 5, evaluate, rules, required), whole_pass(candidates))
    _, kept = by_brute_force(data, 5, evaluate, required)
    assert kinds(found) == pytest.approx(kept, abs=1e-9)
    assert {code for _, code in kept} == {TABLE, TOY}
    assert (found.costs - found.lowers <= 1e-6).all()
    for i, (parents, code) in enumerate(kinds(found)):
        own = found.parameters[found.offsets[i] : found.offsets[i + 1]].tolist()
        assert own == (evaluate(list(variables_in(parents)))[2] if code == TOY else [])


def test_the_bounds_save_evaluations() -> None:
    data = toy_dataset(1, 8, 100)
    calls = {ALL_RULES: 0, 0: 0}
    results = []
    for rules in (ALL_RULES, 0):
        evaluate = equal_causes(data, data.variable_count - 1)

        def counting(
            parents: list[int], evaluate: Evaluate = evaluate, rules: int = rules
        ) -> tuple[float, float, list[float]]:
            calls[rules] += 1
            return evaluate(parents)

        search = search_of(data, 7, counting, rules, for_each=5.0)
        results.append(kinds(run(search, whole_pass(7))))
        assert search.counters.evaluated[1] + search.counters.refits >= calls[rules]
        assert (search.counters.bounds[1] > 0) == (rules == ALL_RULES)
    assert results[0] == results[1]
    assert calls[ALL_RULES] < calls[0]


@pytest.mark.parametrize("heuristic", [False, True])
def test_prices_hold_for_it(heuristic: bool) -> None:
    data = toy_dataset(2, 6, 60)
    evaluate = equal_causes(data, 5)
    every, _ = by_brute_force(data, 5, evaluate)
    toys = {key: cost for key, cost in every.items() if key[1] == TOY}
    price = float(np.median(list(toys.values())))
    wanted = whole_pass(5)
    wanted.slack = 1e6
    wanted.relations = [TOY]
    cut = kernels.PriceCut.cluster([2], 1, 3.0, [], [])
    wanted.prices = [kernels.Price(price, [0], [1], [cut])]
    wanted.quick = heuristic
    found = kinds(run(search_of(data, 5, evaluate), wanted))
    expected = {
        (parents, code): cost
        for (parents, code), cost in toys.items()
        if parents & 1 and not parents & 2 and cost <= price + (0 if parents & 4 else 3.0)
    }
    assert expected
    if heuristic:
        expected = {key: cost for key, cost in expected.items() if key in found}
        assert found
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("returned", "error", "says"),
    [
        ((2.0, 1.0, [0.5]), ValueError, "lower bound"),
        ((1.0, 2.0), ValueError, r"\(lower, upper, parameters\)"),
    ],
)
def test_what_is_not_a_cost_is_refused(
    returned: tuple[object, ...], error: type[Exception], says: str
) -> None:
    search = search_of(toy_dataset(1, 4, 50), 3, lambda _parents: returned)  # type: ignore[arg-type, return-value]
    with pytest.raises(error, match=says):
        run(search, whole_pass(3))


def test_an_exception_of_the_function_reaches_the_caller_and_the_search_can_be_restarted() -> None:
    data = toy_dataset(1, 4, 50)
    broken = [True]
    evaluate = equal_causes(data, data.variable_count - 1)

    def sometimes(parents: list[int]) -> tuple[float, float, list[float]]:
        if broken[0]:
            raise ArithmeticError(f"no fit over {parents}")
        return evaluate(parents)

    search = search_of(data, 3, sometimes)
    with pytest.raises(ArithmeticError, match="no fit over"):
        run(search, whole_pass(3))
    broken[0] = False
    assert kinds(run(search, whole_pass(3))) == kinds(
        run(search_of(data, 3, evaluate), whole_pass(3))
    )
