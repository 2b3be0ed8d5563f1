"""Held-out log-likelihoods are those of networks learned without the records."""

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from noisyor import compare_scores, sample_dataset
from noisyor.core import AIC, BIC, CPT, DataError, Dataset, SettingsError
from noisyor.core.relations import DEFAULT_RELATIONS
from noisyor.core.score import SCORES
from noisyor.data.examples import example_truth
from noisyor.data.warning import DataWarning
from noisyor.learning import learn
from noisyor.networks.likelihood import SMOOTHING, row_log_likelihoods
from noisyor.resampling.calls import COMPARED, candidates
from noisyor.resampling.comparison import (
    TABLE_PRIOR,
    Candidate,
    Difference,
    Predicted,
    Prediction,
    ScoreComparison,
)
from noisyor.resampling.prediction import averaged_log_likelihoods
from noisyor.resampling.tables import folds
from tests.cli.test_cli import refused, run
from tests.scoring.problems import random_dataset

if TYPE_CHECKING:
    from noisyor.core.progress import Progress

DATA = random_dataset(4, 5, 60)
SETS = {"tables": "cpt", "leaky": "default"}


@pytest.fixture(scope="module")
def found() -> ScoreComparison:
    return compare_scores(
        DATA, scores=["bic", "aic"], relations=SETS, folds=3, seed=1, jobs=1, quiet=True
    )


def test_each_candidate_predicts_what_it_has_not_seen(found: ScoreComparison) -> None:
    assert [str(one.candidate) for one in found.predicted] == [
        *("tables, bic", "leaky, bic", "tables, aic", "leaky, aic")
    ]
    for one in found.predicted:
        best, average = [], []
        for outside, inside in folds(DATA, 3, seed=1):
            learned = learn(
                outside, score=one.candidate.score, relations=one.candidate.relations, quiet=True
            )
            network = learned.best_network(prior=TABLE_PRIOR)
            best.append(row_log_likelihoods(network, inside, smoothing=SMOOTHING))
            networks = learned.networks(most=200, prior=TABLE_PRIOR)
            shares = networks.weights()
            chances = sum(
                share * np.exp(row_log_likelihoods(each, inside, smoothing=SMOOTHING))
                for share, each in zip(shares, networks, strict=True)
            )
            average.append(np.log(chances))
        assert one.best == pytest.approx(np.concatenate(best))
        assert one.average == pytest.approx(np.concatenate(average))
    assert found.records == DATA.record_count
    assert (found.folds, found.asked) == (3, 3)


def test_threads_change_nothing(found: ScoreComparison) -> None:
    other = compare_scores(
        DATA, scores=["bic", "aic"], relations=SETS, folds=3, seed=1, jobs=3, quiet=True
    )
    for one, again in zip(found.predicted, other.predicted, strict=True):
        assert one.average.tolist() == again.average.tolist()


def two(first: list[float], second: list[float], weights: list[int]) -> ScoreComparison:
    """Return a comparison of full tables and leaky noisy-ORs with these log-likelihoods."""
    predicted = [
        Predicted(Candidate(name, DEFAULT_RELATIONS, BIC), np.array(own), np.array(own), 0)
        for name, own in (("full tables", first), ("causes", second))
    ]
    return ScoreComparison(tuple(predicted), np.array(weights), 2, 2, 0, 0.5, 1e-3)


def test_differences_are_paired_and_weighted() -> None:
    found = two([-1.0, -2.0], [-0.9, -1.7], [3, 1])
    gap = found.difference(found.predicted[1].best, found.predicted[0].best)
    gaps = np.array([0.1, 0.1, 0.1, 0.3])
    assert gap.mean == pytest.approx(gaps.mean())
    assert gap.standard_error == pytest.approx(gaps.std(ddof=1) / 2)
    assert found.best() is found.predicted[1]


def test_sentences_say_what_is_clear() -> None:
    clear = two([-1.0, -2.0], [-0.9, -1.9], [50, 50]).sentences()
    assert clear[0].startswith("causes predict better than full tables by 0.1000 ± 0.0")
    worse = two([-0.9, -1.9], [-1.0, -2.01], [50, 50]).sentences()
    assert "causes predict worse than full tables by 0.1050 ± " in worse[0]
    alike = two([-1.0, -2.0], [-1.5, -1.4], [2, 2]).sentences()
    assert alike[0].startswith("causes predict about as full tables do, by bic: better by 0.0")
    assert alike[0].endswith("which is not clear")


def test_candidates_that_predict_the_same_are_not_called_worse() -> None:
    same = two([-1.0, -2.0], [-1.0, -2.0], [2, 2]).sentences()
    assert same[0] == "causes predict every record as full tables do, by bic"
    assert same[1].startswith("best of all: full tables, bic; the average over its credible set")
    assert same[1].endswith("predicts every record as its best network does")


def test_a_difference_has_digits_for_its_error() -> None:
    assert str(Difference(-0.03123, 0.0099)) == "0.031 ± 0.010 nats a record"
    assert Difference(-0.03, 0.01).clear
    assert not Difference(0.01, 0.01).clear
    assert str(Difference(0.5, 0.0)) == "0.50 ± 0.00 nats a record"


def test_records_that_a_network_rules_out_are_counted_and_have_a_chance() -> None:
    """A cause that never failed in training fails in a held-out record."""
    codes = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    data = Dataset(DATA.variables[:2], codes, np.array([40, 1, 1, 40]))
    found = compare_scores(data, scores=["bic"], relations=SETS, folds=2, quiet=True)
    for one in found.predicted:
        assert np.isfinite(one.best).all()
        assert np.isfinite(one.average).all()
        assert one.impossible >= 0
    assert max(one.impossible for one in found.predicted) > 0


def test_averages_of_any_states() -> None:
    data = sample_dataset(example_truth("clinic"), 40, seed=3)
    networks = learn(data, quiet=True).networks(most=20)
    found = averaged_log_likelihoods(networks, data, 0.01)
    expected = np.log(
        sum(
            share * np.exp(row_log_likelihoods(one, data, smoothing=0.01))
            for share, one in zip(networks.weights(), networks, strict=True)
        )
    )
    assert found == pytest.approx(expected)


def test_candidates_are_every_score_with_every_set_it_is_defined_for() -> None:
    every = candidates(list(SCORES), COMPARED)
    for name, score in SCORES.items():
        own = [one for one in every if str(one.score) == name]
        assert own
        assert all(score.is_defined_for(r) for one in own for r in one.relations)
    named = candidates([AIC], ["cpt", "cpt+noisy-and", "default"])
    assert [one.name for one in named] == [
        *("full tables", "cpt+noisy-and", "full tables and leaky noisy-OR")
    ]
    assert named[0].relations == (CPT,)
    with pytest.raises(SettingsError, match="nothing to compare"):
        candidates(["bic"], ["cpt"])


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(SettingsError, match="1 folds of 60 records"):
        compare_scores(DATA, folds=1, quiet=True)
    with pytest.raises(SettingsError, match="the table prior is -1"):
        Prediction(-1.0)
    with pytest.raises(SettingsError, match="smoothing is 0"):
        Prediction(0.5, 0.0)
    with pytest.raises(SettingsError, match="no fold was done before the time was up"):
        compare_scores(DATA, scores=["bic"], relations=SETS, folds=2, time_limit=1e-9, quiet=True)
    with pytest.raises(SettingsError, match="60 variables; scores can be compared on up to 48"):
        compare_scores(random_dataset(1, 60, 30), folds=2, quiet=True, keep_constants=True)


def test_records_with_gaps_can_be_left_out() -> None:
    table = pl.DataFrame({"a": ["n", "y", None] * 12, "b": ["f", "t", "t"] * 12})
    with pytest.raises(DataError, match='missing="drop"'):
        compare_scores(table, folds=2, quiet=True)
    with pytest.warns(DataWarning, match="left out"):
        found = compare_scores(table, scores=["bic"], missing="drop", folds=2, quiet=True)
    assert found.records == 24
    with pytest.raises(SettingsError, match='missing="em" is for learning'):
        compare_scores(DATA, missing="em", quiet=True)


def test_an_error_ends_all_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ArithmeticError("broken")

    monkeypatch.setattr("noisyor.resampling.comparison.averaged_log_likelihoods", broken)
    with pytest.raises(ArithmeticError, match="broken"):
        compare_scores(DATA, scores=["bic"], relations=SETS, folds=3, quiet=True)


def test_progress_counts_folds() -> None:
    seen: list[Progress] = []
    compare_scores(DATA, scores=["bic"], relations=SETS, folds=2, progress=seen.append)
    assert [one.detail for one in seen if one.step == "folds"] == ["0 of 2 folds", "1 of 2 folds"]


def test_the_command_says_it_in_a_sentence(tmp_path: Path) -> None:
    table = tmp_path / "clinic.csv"
    assert run("examples", "clinic", "-o", table).exit_code == 0
    few = ("--relations", "cpt", "--relations", "default", "--score", "bic", "--folds", 2)
    result = run("compare-scores", table, *few, "--quiet")
    assert result.exit_code == 0, result.output
    assert "full tables and leaky noisy-OR predict better than full tables by 0.0" in result.stdout
    assert "causes with their parameters of maximum likelihood" in " ".join(result.stdout.split())
    said = json.loads(run("compare-scores", table, *few, "--json", "--quiet").stdout)
    names = [one["relations"] for one in said["candidates"]]
    assert names == ["full tables", "full tables and leaky noisy-OR"]
    assert said["candidates"][0]["difference"] == 0
    assert said["records"] == 1000
    assert math.isfinite(said["candidates"][1]["standard_error"])
    plain = json.loads(
        run("compare-scores", table, *few, "--table-prior", 0, "--json", "--quiet").stdout
    )
    assert plain["table_prior"] == 0
    assert plain["candidates"][0]["best"] != said["candidates"][0]["best"]
    refused(run("compare-scores", table, "--score", "bix"), "there is no score 'bix'")
    refused(run("compare-scores", table, "--table-prior", -1), "the table prior is -1")
