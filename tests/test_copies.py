"""A table in which every record is there several times has the costs of its records."""

from dataclasses import replace

import numpy as np
import pytest

from noisyor.core import AIC, BIC, Dataset, Family, Relation, Score
from noisyor.core.relations import all_relations, relation_named
from noisyor.core.request import Request
from noisyor.core.score import score_named
from noisyor.fitting import fit
from noisyor.learning import learn
from noisyor.networks import explain, fit_network
from noisyor.networks.likelihood import held_out, log_likelihood
from noisyor.scoring import RecordSource
from noisyor.scoring.climbing import Climbing
from tests.scoring.problems import random_dataset
from tests.test_pipeline import check_same


def in_copies(data: Dataset, copies: int) -> Dataset:
    """Return the same records, each several times."""
    return replace(data, weights=data.weights * copies, copies=copies)


def test_copies_are_no_records() -> None:
    data = random_dataset(0, 3, 40)
    twice = in_copies(data, 2)
    assert twice.record_count == data.record_count
    assert twice.fingerprint() != data.fingerprint()
    with pytest.raises(ValueError, match="are not 3 copies"):
        replace(data, weights=data.weights * 3 + (np.arange(len(data.weights)) == 0), copies=3)


@pytest.mark.parametrize("method", ["table", "price"])
@pytest.mark.parametrize("score", [BIC, AIC, score_named("ebic(0.5)")])
def test_the_networks_are_the_same(method: str, score: Score) -> None:
    data = random_dataset(5, 6, 120)
    ours = learn(in_copies(data, 7), score=score, relations="all", method=method, quiet=True)
    theirs = learn(data, score=score, relations="all", method=method, quiet=True)
    check_same(ours.credible, theirs.credible)
    assert ours.best.cost == pytest.approx(theirs.best.cost)


@pytest.mark.parametrize("relation", all_relations(), ids=str)
def test_a_fit_has_the_same_cost_and_parameters(relation: Relation) -> None:
    data = random_dataset(3, 3, 60)
    child, parents = data.column(0), data.codes[:, 1:]
    possible = ~((child == 1) & (parents == 0).all(1)) & ~((child == 0) & (parents == 1).all(1))
    data = replace(data, codes=data.codes[possible], weights=data.weights[possible])
    family = Family(0, 0b110, relation)
    ours, theirs = fit(in_copies(data, 5), family), fit(data, family)
    assert ours.cost == pytest.approx(theirs.cost)
    assert ours.distribution.parameters() == pytest.approx(theirs.distribution.parameters())


def test_a_prior_counts_as_records() -> None:
    data = random_dataset(3, 3, 60)
    family = Family(0, 0b110)
    ours, theirs = (fit(one, family, prior=0.5) for one in (in_copies(data, 5), data))
    assert ours.cost == pytest.approx(theirs.cost)
    assert ours.distribution.parameters() == pytest.approx(theirs.distribution.parameters())


def test_likelihoods_and_intervals_are_those_of_the_records() -> None:
    data = random_dataset(4, 3, 60)
    copied = in_copies(data, 4)
    family = Family(0, 0b110, relation_named("leaky-noisy-or"))
    network = fit_network(data, learn(data, quiet=True).credible.best)
    assert log_likelihood(network, copied) == pytest.approx(log_likelihood(network, data))
    assert held_out(network, copied).mean == pytest.approx(held_out(network, data).mean)
    ours, theirs = explain(copied, family), explain(data, family)
    for mine, yours in zip(ours.causes, theirs.causes, strict=True):
        assert mine.interval.lower == pytest.approx(yours.interval.lower, abs=1e-5)
        assert mine.interval.upper == pytest.approx(yours.interval.upper, abs=1e-5)


def test_bounds_and_climbers_speak_of_records() -> None:
    data = random_dataset(6, 6, 80)
    requests = [Request.of(one) for one in (in_copies(data, 3), data)]
    ours, theirs = (RecordSource(request).least_costs(lambda: False) for request in requests)
    assert ours == pytest.approx(theirs, abs=1e-6)
    costs = []
    for request in requests:
        climbing = Climbing(request, climbers=1)
        climbing.run(lambda: False, rounds=2)
        table = climbing.families(within=3.0, most=10)
        costs.append((climbing.cost, float(table.costs.min())))
    assert costs[0] == pytest.approx(costs[1])
