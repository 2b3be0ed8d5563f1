"""Each job has its own seeds and result, and an interrupted run resumes."""

import json
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness import learning_jobs
from benchmarks.harness.against_truth import all_bins
from benchmarks.harness.learning_jobs import (
    Job,
    hard_seconds,
    job_key,
    learned_kinds,
    measure,
    run,
    seed_of,
    stored,
    truths,
    was_cut_off,
)
from benchmarks.harness.measuring import Results
from noisyor import (
    NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    write_network,
)
from noisyor.core.variable import variables_of

JOB = Job("or", 2000, 0)


def both_causes() -> Network:
    """Return a noisy-OR of two causes, which 2,000 records identify."""
    structure = Structure(("a", "b", "c"), (Family(0, 0), Family(1, 0), Family(2, 0b11, NOISY_OR)))
    return Network(
        structure,
        variables_of(structure.names, (("no", "yes"),) * 3),
        (Cpt.binary([0.4]), Cpt.binary([0.5]), NoisyOr(np.array([0.2, 0.3]))),
        None,
        Provenance("0", "", 1, ()),
    )


@pytest.fixture(scope="module")
def result() -> Results:
    return measure(JOB, both_causes(), 60.0)


def test_a_key_names_the_job() -> None:
    assert job_key(Job("alarm", 1000, 3)) == "alarm/1000/3"


def test_seeds_depend_on_job_and_purpose_alone() -> None:
    jobs = [Job(name, size, one) for name in "xy" for size in (100, 500) for one in range(3)]
    seeds = {seed_of(job, purpose) for job in jobs for purpose in ("records", "questions")}
    assert len(seeds) == 2 * len(jobs)
    # Stored results have these records: the seeds may never change.
    assert seed_of(Job("alarm", 1000, 3), "records") == 8426786263219340


def test_a_clear_truth_is_found(result: Results) -> None:
    both, tables = result["both"], result["cpt"]
    assert result["truth"]["arcs"] == 2
    assert result["truth"]["noisy_or"] == 1
    assert both["complete"]
    assert both["proven"]
    assert (both["arcs"], both["shd"], both["cpdag_shd"]) == (2, 0, 0)
    assert both["precision"] == both["recall"] == both["skeleton_recall"] == 1.0
    assert (both["noisy_or"], both["noisy_or_parents"], both["noisy_or_found"]) == (1, 1, 1)
    assert (tables["shd"], tables["noisy_or"], tables["noisy_or_found"]) == (0, 0, 0)
    assert both["optimum"] < tables["optimum"]


def test_predictions_are_near_the_truth_and_no_better_by_more_than_chance(result: Results) -> None:
    truth = result["truth"]["held_out"]
    for kind in ("both", "cpt"):
        for name in ("held_out_best", "held_out_average"):
            assert truth - 0.01 < result[kind][name] < truth + 0.002
        assert 0 < result[kind]["error_best"]["relative"] < 0.1
    assert result["both"]["error_costliest"]["impossible"] == 0
    assert "error_costliest" not in result["cpt"]


def test_calibration_has_every_pair(result: Results) -> None:
    found = result["both"]["calibration"]
    for name, pairs, true in (("arcs", 6, 2), ("compelled", 6, 2), ("skeleton", 3, 2)):
        bins = all_bins(found[name])
        assert sum(one[0] for one in bins) == pairs
        assert sum(one[2] for one in bins) == true
    assert all_bins(found["skeleton"])[9][0] == 2


def test_results_are_small_json_and_repeat_but_for_the_time(result: Results) -> None:
    text = json.dumps(result, separators=(",", ":"), allow_nan=False)
    assert len(text) < 2000
    again = measure(JOB, both_causes(), 60.0)
    for one in (again, copied := json.loads(text)):
        for kind in ("both", "cpt"):
            del one[kind]["seconds"]
    assert again == copied


def test_what_is_not_complete_says_nothing_about_the_set() -> None:
    found = measure(Job("chain", 200, 0), _chain(14), 1e-6)
    for kind in ("both", "cpt"):
        assert not found[kind]["complete"]
        for name in ("held_out_average", "drawn", "calibration"):
            assert found[kind][name] is None
        assert found[kind]["error_best"]["relative"] is not None
    assert found["both"]["error_costliest"] is None


def test_a_column_of_one_value_stays_in_the_network() -> None:
    found = measure(Job("chain", 2, 0), _chain(4), 60.0)
    assert found["cpt"]["cpdag_shd"] <= 6


def _chain(size: int) -> Network:
    names = tuple(f"v{number}" for number in range(size))
    structure = Structure.from_edges(names, list(pairwise(names)))
    tables = [Cpt.binary([0.5]), *[Cpt.binary([0.3, 0.7])] * (size - 1)]
    variables = variables_of(names, (("no", "yes"),) * size)
    return Network(structure, variables, tuple(tables), None, Provenance("0", "", 1, ()))


def test_a_run_keeps_its_results_and_runs_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "jobs.jsonl"
    jobs = [Job("or", 50, repeat) for repeat in range(2)]
    first = run(jobs[:1], lambda _: both_causes(), path, 1, 60.0)
    assert list(first) == ["or/50/0"]
    assert "1/1 or/50/0: cpt" in capsys.readouterr().out
    both = run(jobs, lambda _: both_causes(), path, 1, 60.0)
    assert "1/1 or/50/1: cpt" in capsys.readouterr().out
    assert both["or/50/0"] == first["or/50/0"]
    assert stored(jobs, path) == both
    lines = path.read_text()
    run(jobs, lambda _: both_causes(), path, 1, 60.0)
    assert path.read_text() == lines
    assert stored(jobs[1:], path) == {"or/50/1": both["or/50/1"]}


def test_a_job_that_raises_has_no_result_and_the_others_do(tmp_path: Path) -> None:
    path = tmp_path / "jobs.jsonl"
    jobs = [Job("or", 0, 0), Job("or", 50, 0)]  # no records at all: refused
    with pytest.raises(RuntimeError, match=r"1 jobs failed\nor/0/0: (.|\n)*SettingsError"):
        run(jobs, lambda _: both_causes(), path, 1, 60.0)
    assert list(stored(jobs, path)) == ["or/50/0"]


def test_a_job_that_hangs_is_recorded_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning_jobs, "hard_seconds", lambda _limit, _runs: 0.0)
    path = tmp_path / "jobs.jsonl"
    found = run([JOB], lambda _: both_causes(), path, 1, 60.0)
    nothing = {"nothing_because": "it was killed after 0 s", "limit": 60.0}
    assert found == {"or/2000/0": nothing}
    assert stored([JOB], path) == found


def test_what_a_shorter_limit_cut_off_is_run_again(tmp_path: Path) -> None:
    path = tmp_path / "jobs.jsonl"
    job = Job("chain", 200, 0)
    short = run([job], lambda _: _chain(8), path, 1, 1e-6)["chain/200/0"]
    assert not short["both"]["complete"]
    assert was_cut_off(short, 60.0)
    assert not was_cut_off(short, 1e-6)
    assert was_cut_off({"nothing_because": "it was killed", "limit": 60.0}, 61.0)
    longer = run([job], lambda _: _chain(8), path, 1, 60.0)["chain/200/0"]
    assert longer["both"]["complete"]
    assert not was_cut_off(longer, 1000.0)


def test_a_job_has_time_for_all_its_runs_before_it_is_killed() -> None:
    for runs in (2, 5):
        assert hard_seconds(120, runs) > runs * 120


def _only_complete(job: Job, truth: Network, limit: float) -> Results:
    """Return a result with one run of learning, which is complete."""
    run = {"complete": True, "seconds": 0.0, "count": job.records}
    return {"variables": len(truth.names), "limit": limit, "mine": run}


def test_a_job_may_be_measured_in_another_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "jobs.jsonl"
    found = run(
        [JOB], lambda _: both_causes(), path, 1, 60.0, measured_by=_only_complete, most_runs=1
    )
    assert learned_kinds(found["or/2000/0"]) == ["mine"]
    assert not was_cut_off(found["or/2000/0"], 1000.0)
    assert "1/1 or/2000/0: mine 0.0 s, 2,000 members" in capsys.readouterr().out


def test_an_interruption_keeps_what_had_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Results) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(learning_jobs, "progress_text", interrupted)
    path = tmp_path / "jobs.jsonl"
    jobs = [Job("or", 50, repeat) for repeat in range(3)]
    with pytest.raises(SystemExit, match="stopped; finished jobs are stored"):
        run(jobs, lambda _: both_causes(), path, 1, 60.0)
    assert list(stored(jobs, path)) == ["or/50/0"]


def test_truths_are_read_and_a_missing_one_ends_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"earthquake\.bif does not exist; --networks"):
        truths(tmp_path)
    for name in learning_jobs.TRUTHS:
        write_network(_chain(3), tmp_path / f"{name}.bif")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = truths(tmp_path)
    assert tuple(found) == learning_jobs.TRUTHS
    assert set(found["asia"].structure.edges()) == {("v0", "v1"), ("v1", "v2")}
