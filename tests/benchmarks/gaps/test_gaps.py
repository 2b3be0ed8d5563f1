"""Ways to treat gaps are compared on the same records, and the pages say what is stored."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.gaps.figure import draw
from benchmarks.gaps.measuring import measure, with_gaps, with_modes
from benchmarks.gaps.page import GUIDE, readers_block, section
from benchmarks.gaps.plan import NETWORKS, RESULTS, SHARES, Job, Mechanism, Way, jobs, truth_of
from benchmarks.gaps.statistics import cell, excess_edges, excess_nats
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from noisyor import sample_codes
from noisyor.core.incomplete_dataset import GAP
from tests.incomplete.tables import chain


def _result(em: float, edges: int) -> Results:
    way = {"records": 300, "arcs": 4, "shd": 1, "seconds": 1.0}
    return {
        "variables": 4,
        "records": 300,
        "missing": 0.2,
        "truth": {"arcs": 4, "held_out": -2.0},
        "whole": way | {"held_out": -2.1, "cpdag_shd": 1},
        "em": way
        | {"held_out": em, "cpdag_shd": edges, "spread": 0.5, "steps": 7, "settled": True},
        "drop": None,
        "mode": way | {"held_out": -3.1, "cpdag_shd": 5},
    }


STORED = {
    Job(network, Mechanism.RANDOM, 0.2, 0).key: _result(-2.2 - 0.1 * at, 1 + at)
    for at, network in enumerate(NETWORKS[:2])
}


def test_jobs_differ_and_share_their_records() -> None:
    every = jobs()
    assert len({job.key for job in every}) == len(every)
    first, other = Job("pump", Mechanism.RANDOM, 0.2, 0), Job("pump", Mechanism.BY_VALUE, 0.4, 0)
    assert first.seed("records") == other.seed("records")
    assert first.seed("gaps") != other.seed("gaps")


@pytest.mark.parametrize("mechanism", Mechanism)
def test_the_share_of_cells_that_is_removed(mechanism: Mechanism) -> None:
    truth = chain(4)
    codes = sample_codes(truth, 4000, seed=0)
    data = with_gaps(codes, truth, Job("chain", mechanism, 0.2, 0))
    assert data.missing_cells / codes.size == pytest.approx(0.2, abs=0.04)
    assert not data.gaps.all(axis=1).any()
    lost = [(codes[:, 0] == state).sum() - data.state_counts(0)[state] for state in (0, 1)]
    shares = np.array(lost) / np.bincount(codes[:, 0])
    ratio = 3 if mechanism is Mechanism.BY_VALUE else 1
    assert shares[1] / shares[0] == pytest.approx(ratio, rel=0.25)


def test_modes_fill_every_gap() -> None:
    truth = chain(3)
    data = with_gaps(sample_codes(truth, 50, seed=1), truth, Job("chain", Mechanism.RANDOM, 0.3, 0))
    filled = with_modes(data)
    assert filled.record_count == 50
    assert (filled.codes != GAP).all()
    mode = int(data.state_counts(1).argmax())
    gained = filled.state_counts(1) - data.state_counts(1)
    assert gained[mode] == data.gaps_by_column()[1]


def test_a_job_compares_all_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.gaps.measuring.RECORDS", 60)
    result = measure(Job("chain", Mechanism.RANDOM, 0.2, 0), chain(3))
    assert set(Way) <= result.keys()
    assert result[Way.EM]["records"] == 60
    assert result[Way.DROP]["records"] < 60
    assert result[Way.WHOLE]["held_out"] <= result["truth"]["held_out"] + 0.1


def test_cells_are_means_over_networks() -> None:
    band = cell(STORED, Mechanism.RANDOM, 0.2, Way.EM, excess_nats)
    assert band is not None
    assert band.middle == pytest.approx(0.15)
    edges = cell(STORED, Mechanism.RANDOM, 0.2, Way.EM, excess_edges)
    assert edges is not None
    assert edges.middle == pytest.approx(0.125)
    assert cell(STORED, Mechanism.RANDOM, 0.2, Way.DROP, excess_nats) is None
    assert cell(STORED, Mechanism.BY_VALUE, SHARES[0], Way.EM, excess_nats) is None


def test_the_page_and_the_figure(tmp_path: Path) -> None:
    text = section(STORED)
    assert "2 of " in text
    assert "| 20% at random | 0.150" in text
    assert "2 of 2" in text  # no complete record is left
    [path] = draw(STORED, tmp_path)
    assert path.read_text().startswith("<?xml")


def test_the_guide_has_the_stored_table() -> None:
    block = readers_block(KeptResults(RESULTS).results())
    assert block in GUIDE.read_text(encoding="utf-8")


def test_every_network_is_known() -> None:
    assert [len(truth_of(name).names) for name in NETWORKS] == [9, 11, 10, 12, 12]
