"""Weights are compared with the true network, and the page says what is stored."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.calibration import measuring
from benchmarks.calibration.figures import FIGURE, figures
from benchmarks.calibration.measuring import EARLIER, KINDS, measure
from benchmarks.calibration.page import section
from benchmarks.calibration.plan import INSTANCES, RANDOM, SIZES, SMALL, TRUE, choices, jobs
from benchmarks.calibration.statistics import bins_of, calibration_error, gap_of, in_group
from benchmarks.harness.learning_jobs import Job, job_key
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, random_network
from noisyor import Structure
from noisyor.resampling.calibration import FLOOR

CHAIN = Structure.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")])


def stored(losses: dict[str, float]) -> Results:
    """Return a result in which a kind of weights has this loss."""
    kinds = {
        kind: {
            "arcs": [[0, 4, 0.2, 0], [9, 2, 2.0, 2]],
            "skeleton": [[0, 1, 0.0, 0], [8, 1, 0.85, 0], [9, 1, 1.0, 1]],
            "loss": losses.get(kind, 0.5),
            "pairs": 3,
            "adjacency_loss": 0.25,
            "brier": 0.125,
            "counted": True,
            **({"temperature": 2.0} if kind.startswith("warm") else {}),
        }
        for kind in KINDS
    }
    return {"variables": 3, "limit": 60.0, "seconds": 6.0, **kinds}


@pytest.fixture
def results() -> dict[str, Results]:
    networks = [*(job.network for job in jobs(["mixed"])[::2]), *SMALL]
    return {
        job_key(Job(network, records, 0)): stored({"warm": 0.3 + place / 100})
        for place, network in enumerate(networks)
        for records in SIZES
    }


def test_weights_are_compared_with_the_truth() -> None:
    weights = {("a", "b"): 0.75, ("b", "a"): 0.25, ("a", "c"): 0.5}
    found = measuring._against(CHAIN, weights)
    chances = [0.75, 0.5, 0.0]  # of what is true of a and b, a and c, b and c
    losses = [-math.log((1 - FLOOR) * chance + FLOOR / 3) for chance in chances]
    assert found["loss"] == pytest.approx(sum(losses) / 3, abs=1e-5)
    assert found["brier"] == pytest.approx((0.0 + 0.25 + 1.0) / 3, abs=1e-5)
    assert found["skeleton"] == [[0, 1, 0.0, 1], [5, 1, 0.5, 0], [9, 1, 1.0, 1]]


def test_a_small_sample_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "RESAMPLES", 3)
    found = measure(Job("mixed-4-0", 60, 0), random_network("mixed-4-0"), 60.0)
    assert [kind for kind in found if kind in KINDS] == list(KINDS)
    for kind in KINDS:
        assert 0 < found[kind]["loss"] < 5
        assert sum(pairs for _, pairs, _, _ in found[kind]["skeleton"]) == 6
        assert ("temperature" in found[kind]) == kind.startswith("warm")


def test_jobs_are_of_every_part() -> None:
    every = jobs(choices())
    assert len(every) == len({job_key(job) for job in every})
    assert len(jobs(["mixed"])) == INSTANCES * len(SIZES)
    assert set(choices()) == {*map(str, Kind), *SMALL}


def test_groups_are_told_apart(results: dict[str, Results]) -> None:
    sizes = [len(in_group(results, (family, 100))) for family in (RANDOM, TRUE)]
    assert sizes == [INSTANCES, len(SMALL)]


def test_the_calibration_error_is_the_mean_gap() -> None:
    bins = bins_of([stored({}), stored({})], "warm", "skeleton")
    assert bins[8].tolist() == [2, 1.7, 0]
    assert calibration_error(bins) == pytest.approx(0.85 / 3)


def test_differences_are_paired() -> None:
    own = [
        {**stored({"warm": loss}), "network": network}
        for network, loss in (("a", 0.3), ("b", 0.1), ("b", 0.1))
    ]
    gap = gap_of(own, "warm", "default", "loss")
    assert gap.mean == pytest.approx(-0.3)
    assert gap.error == pytest.approx(0.1)  # of two networks, not of three samples


def test_the_page_says_what_is_stored(results: dict[str, Results]) -> None:
    text = section(results)
    assert f"{len(results)} have a result" in re.sub(r"\s+", " ", text)
    assert "| leaky noisy-OR, BIC, calibrated | 0.3" in text
    assert "- leaky noisy-OR, BIC, calibrated: clearly better on random networks with" in text
    assert "- leaky noisy-OR, EBIC: nowhere clearly better or worse." in text
    assert max(map(len, re.findall(r"^(?!\|).*$", text, re.MULTILINE))) <= 100


def test_the_page_says_which_sets_were_not_counted(results: dict[str, Results]) -> None:
    assert "not counted" not in section(results)
    next(iter(results.values()))["warm"]["counted"] = False
    said = re.sub(r"\s+", " ", section(results))
    assert "not counted in full: 1 of leaky noisy-OR, BIC, calibrated." in said


def test_the_page_names_results_of_an_earlier_version(results: dict[str, Results]) -> None:
    first = EARLIER.split(".")[0]
    assert first not in re.sub(r"\s+", " ", section(results))
    del next(iter(results.values()))["default"]["pairs"]
    assert first in re.sub(r"\s+", " ", section(results))


def test_the_figure_is_drawn(results: dict[str, Results], tmp_path: Path) -> None:
    (path,) = figures(results, tmp_path)
    assert path.name == FIGURE
    drawn = path.read_text()
    assert drawn == figures(results, tmp_path)[0].read_text()
    assert drawn.count("share that is true") == 2 * len(SIZES)
    assert np.isfinite(calibration_error(bins_of(list(results.values()), "warm", "skeleton")))
