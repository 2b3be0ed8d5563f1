"""Held-out records are predicted as the definitions say."""

from itertools import product
from pathlib import Path
from typing import Self

import numpy as np
import pytest

from benchmarks.heldout import measuring
from benchmarks.heldout.logistic import logistic_logs
from benchmarks.heldout.measuring import measure, way_of
from benchmarks.heldout.plan import (
    ALONE,
    DATASETS,
    EXACT,
    FOLDS,
    GREEDY,
    LEAKY,
    LEARNERS,
    LOGISTIC,
    SMOOTHING,
    TABLE_PRIOR,
    TOO_LONG,
    WAYS,
    Job,
    folds_of,
    is_exact,
    jobs,
)
from benchmarks.heldout.predicting import Mixture
from noisyor import Dataset, Structure, fit_network, learn
from noisyor.core.variable import variables_of
from noisyor.networks.likelihood import row_log_likelihoods
from noisyor.resampling.prediction import averaged_log_likelihoods
from noisyor.resampling.tables import folds
from tests.benchmarks.heldout.known import NOWHERE, some_records


@pytest.fixture(scope="module")
def pair() -> tuple[Dataset, Dataset]:
    return folds(some_records(120), 4, 0)[0]


def test_records_are_predicted_as_by_the_package(pair: tuple[Dataset, Dataset]) -> None:
    outside, inside = pair
    learned = learn(outside, 20, jobs=1, quiet=True)
    best, networks = learned.best_network(prior=TABLE_PRIOR), learned.networks(prior=TABLE_PRIOR)
    assert len(networks) > 1
    np.testing.assert_allclose(
        Mixture.of_network(best, SMOOTHING).of_records(inside.codes),
        row_log_likelihoods(best, inside, smoothing=SMOOTHING),
    )
    np.testing.assert_allclose(
        Mixture.of_set(networks, SMOOTHING).of_records(inside.codes),
        averaged_log_likelihoods(networks, inside, SMOOTHING),
    )


def test_a_variable_given_the_others_is_a_share_of_the_joint_probability(
    pair: tuple[Dataset, Dataset],
) -> None:
    outside, _ = pair
    learned = learn(outside, 20, jobs=1, quiet=True)
    states = [variable.state_count for variable in outside.variables]
    every = np.array(list(product(*map(range, states))), dtype=np.uint8)
    mixture = Mixture.of_set(learned.networks(prior=TABLE_PRIOR), SMOOTHING)
    joint = np.exp(mixture.of_records(every)).reshape(states)
    assert joint.sum() == pytest.approx(1)
    found = np.exp(mixture.of_each_given_others(every, states))
    for variable in range(len(states)):
        expected = joint / joint.sum(axis=variable, keepdims=True)
        np.testing.assert_allclose(found[:, variable].reshape(states), expected)


def test_regressions_find_what_depends_on_what() -> None:
    variables = variables_of(("a", "b", "c"), (("0", "1"), ("0", "1", "2"), ("0", "1")))
    rows = np.array([[0, 0, 0], [1, 1, 0], [1, 2, 0]], dtype=np.uint8)
    data = Dataset(variables, rows, np.array([40, 30, 30]))
    logs, unsettled = logistic_logs(data, data)
    chances = np.exp(logs)
    assert unsettled == 0
    assert (chances[:, 0] > 0.8).all()
    assert chances[0, 1] > 0.7
    assert chances[1, 1] == pytest.approx(chances[2, 1], abs=1e-4)  # a does not tell them apart
    never = (1 - SMOOTHING) * (100 + TABLE_PRIOR) / (100 + 2 * TABLE_PRIOR) + SMOOTHING / 2
    assert chances[:, 2] == pytest.approx(never)  # a column of one state


@pytest.mark.parametrize("way", [*LEARNERS, ALONE, LOGISTIC])
@pytest.mark.parametrize("dataset", ["zoo", "spectf"])
def test_each_way_is_measured(way: str, dataset: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ROUNDS", 1)
    monkeypatch.setattr(measuring, "records_of", lambda *_: some_records(60))
    found = measure(Job(dataset, 0, way), NOWHERE, NOWHERE)
    assert (found["records"], found["held_out"]) == (54, 6)
    learns = way in LEARNERS
    assert set(found["best"]) == ({"each"} if way == LOGISTIC else {"joint", "each", "plain"})
    assert all(-10 < value < 0 for value in found["best"].values())
    if learns:
        assert found["exact"] == (dataset in EXACT)
        assert (found["average"] is not None) == found["exact"]
    if way == ALONE:
        assert found["arcs"] == 0
        assert found["best"]["joint"] == pytest.approx(found["best"]["each"], abs=1e-5)


def test_another_program_gives_the_arcs(
    pair: tuple[Dataset, Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, inside = pair
    answers = [{"found": {"arcs": [[0, 1]]}, "busy_seconds": 0.25, "versions": {}}]
    answers.append({"nothing_because": "it took more than 120 s"})

    class Program:
        def __init__(self, name: str, table: Path, *_: object) -> None:
            assert name == measuring.GREEDY_PROGRAM
            assert len(np.load(table)) == outside.record_count

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def run(self) -> dict[str, object]:
            return answers.pop(0)

    monkeypatch.setattr(measuring, "Contestant", Program)
    way = way_of(Job("zoo", 0, GREEDY), NOWHERE)
    found = way(outside, inside)
    names = outside.names
    network = fit_network(
        outside, Structure.from_edges(names, [(names[0], names[1])]), prior=TABLE_PRIOR
    )
    logs = row_log_likelihoods(network, inside, smoothing=SMOOTHING)
    mean = float(logs @ inside.weights) / inside.record_count
    assert found["best"]["joint"] == pytest.approx(mean, abs=1e-6)
    assert (found["arcs"], found["seconds"]) == (1, 0.25)
    assert way(outside, inside) == {"nothing_because": "it took more than 120 s"}


def test_jobs_are_of_every_data_set_fold_and_way() -> None:
    every = jobs()
    planned = sum(map(folds_of, DATASETS)) * len(WAYS)
    assert len({job.key for job in every}) == len(every) == planned
    assert [job.fold for job in jobs(["zoo"]) if job.way == LEAKY] == list(range(FOLDS))
    assert folds_of("msnbc") == len([job for job in jobs(["msnbc"]) if job.way == LEAKY]) < FOLDS
    assert set(EXACT) < set(DATASETS)
    assert is_exact("nltcs", LEAKY)
    assert not any(is_exact(*pair) for pair in (*TOO_LONG, ("spectf", LEAKY), ("zoo", LOGISTIC)))
