"""A temperature is the same as costs divided by it: the same networks, the same weights."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from noisyor.core import BayesFactor, MismatchError, equivalence_classes
from noisyor.core.credible_set import CredibleSet
from noisyor.core.sampling import SampledMembers
from noisyor.search import search
from noisyor.search.sampling import sample_credible
from noisyor.search.sampling.drawing import SamplingEffort
from tests.search.agreement import network_of
from tests.search.sampling.test_sample_credible import best_rows, check_same_weights
from tests.search.tables import Case, random_case

TEMPERATURES = [0.4, 1.7, 3.0]


def cooled(case: Case, temperature: float) -> Case:
    return replace(case, costs={key: cost / temperature for key, cost in case.costs.items()})


def warm(case: Case, temperature: float) -> CredibleSet:
    factor = BayesFactor(case.factor, temperature)
    scored = replace(case, factor=max(case.factor, factor.untempered.value))
    return search(scored.table(), factor, jobs=1).credible


def test_a_table_scored_for_less_is_refused() -> None:
    case = random_case(0, n=3)
    factor = BayesFactor(case.factor, 2.0)
    with pytest.raises(MismatchError, match=f"is {factor.untempered.value:g}, but the table was"):
        search(case.table(), factor)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("blocks", [1, 2])
def test_weights_are_those_of_divided_costs(temperature: float, blocks: int) -> None:
    for seed in range(6):
        case = random_case(seed, n=5, style="uniform", most_families=7, blocks=blocks)
        divided = search(cooled(case, temperature).table(), case.factor, jobs=1).credible
        found = warm(case, temperature)
        assert found.bayes_factor == BayesFactor(case.factor, temperature)
        assert found.count == divided.count
        assert {network_of(m) for m in found.stream()} == {network_of(m) for m in divided.stream()}
        assert found.edges().keys() == divided.edges().keys()
        for edge, use in divided.edges().items():
            assert found.edges()[edge].weight == pytest.approx(use.weight, rel=1e-7)


def test_draws_are_by_weight_at_the_temperature() -> None:
    case = random_case(11, n=5, style="uniform", most_families=9, blocks=2)
    found = warm(case, 2.5)
    members = list(found.stream())
    raw = np.exp([-(member.cost - found.optimum) / 2.5 for member in members])
    shares = raw / raw.sum()
    size = 4000
    drawn = Counter(map(network_of, found.sample(size, seed=1, weighted=True)))
    assert len(members) > 5
    for member, share in zip(members, shares, strict=True):
        error = (share * (1 - share) / size) ** 0.5
        assert abs(drawn[network_of(member)] / size - share) < 5 * error


def test_a_sample_has_the_weights_of_the_enumerated_set() -> None:
    case = random_case(1, n=7, most_families=9, style="uniform")
    exact = warm(case, 2.0)
    found = sample_credible(
        case.table(),
        exact.bayes_factor,
        best=best_rows(case, exact),
        effort=SamplingEffort(),
        seed=1,
        jobs=1,
    )
    check_same_weights(found, exact)


def test_unweighted_draws_of_a_sample_undo_the_weights_of_its_temperature() -> None:
    costs = np.array([0.0, 2.0])
    times = np.array([2718, 1000])  # as drawn by exp(-cost / 2)
    members = SampledMembers(np.zeros((2, 1), dtype=np.uint32), costs, times, 2.0)
    drawn = members.sample(2000, 1, weighted=False).costs
    assert abs((drawn == 0).mean() - 0.5) < 0.06


def test_equivalence_classes_weigh_by_the_temperature() -> None:
    costs = {(0, 0, 0): 1.0, (1, 0, 0): 3.0, (1, 1, 0): 2.0, (0, 2, 0): 0.0}
    classes = equivalence_classes(warm(Case(2, costs, 20.0), 2.0)).classes
    assert [one.networks for one in classes] == [2, 1]
    ratio = classes[1].weight / classes[0].weight
    assert ratio == pytest.approx(np.exp(-0.5) / 2)
