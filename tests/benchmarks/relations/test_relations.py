"""Sets of relations are compared pairwise on the same samples, and the pages say what is stored."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.learning_jobs import Job, job_key
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import as_page
from benchmarks.relations import __main__ as relations
from benchmarks.relations import plan
from benchmarks.relations.measuring import measure, measure_added
from benchmarks.relations.page import coverage, readers_block, readers_table, section
from benchmarks.relations.plan import (
    ADDED,
    ALL,
    BOTH,
    GROUPS,
    KINDS,
    LARGE,
    LEAKY,
    LEAKY_EBIC,
    PAPER,
    RANDOM,
    SETS,
    SIGNED,
    SMALL,
    TABLES,
    choices,
    jobs,
    sets_for,
    stored_jobs,
)
from benchmarks.relations.statistics import cells, difference, prediction, structure
from benchmarks.study.plan import Share
from benchmarks.study.statistics import outcomes_of
from noisyor import LEAKY_NOISY_OR, Cpt, Family, Network, NoisyOr, Provenance, Structure
from noisyor.core.relations import relations_from
from noisyor.core.variable import variables_of


def _run(cpdag_shd: int, held_out: float, *, proven: bool = True) -> Results:
    return {
        "complete": proven,
        "proven": proven,
        "count": 1,
        "optimum": 10.0,
        "seconds": 0.1,
        "arcs": 3,
        "cpdag_shd": cpdag_shd,
        "held_out_best": held_out,
        "relations": {"noisy-or": 1, "leaky-noisy-or": 1},
    }


def _result(network: str, leaky: int) -> Results:
    runs = {TABLES: _run(4, -3.5), PAPER: _run(6, -3.6), LEAKY: _run(leaky, -3.25)}
    runs |= {BOTH: _run(4, -3.5), ALL: _run(4, -3.5, proven=False)}
    runs |= {SIGNED: _run(5, -3.5), LEAKY_EBIC: _run(leaky + 2, -3.5)}
    truth = {"arcs": 4, "held_out": -3.0}
    return {"variables": 8, "limit": 60.0, "truth": truth} | {
        name: runs[name] for name in sets_for(network)
    }


def _tiny() -> dict[str, Results]:
    networks = [f"{kind}-8-{one}" for kind in KINDS for one in range(6)]
    random = {f"{name}/100/0": _result(name, 1 + place % 2) for place, name in enumerate(networks)}
    true = {f"{name}/100/{one}": _result(name, 4) for name in ("asia", "alarm") for one in range(6)}
    return random | true


def test_the_plan_has_a_job_once_and_every_network_a_group() -> None:
    planned = jobs(choices())
    assert len(planned) == len(set(planned))
    random = len(KINDS) * sum(one.repeats * len(one.sizes) for one in RANDOM.values())
    true = sum(one.repeats * len(one.sizes) for one in (*SMALL.values(), *LARGE.values()))
    assert len(planned) == random + true
    grouped = [name for members in GROUPS.values() for name in members]
    assert sorted(grouped) == sorted([*map(str, KINDS), *SMALL, *LARGE])
    assert {job.network for job in jobs(["asia"])} == {"asia"}


def test_the_sets_are_those_of_the_package() -> None:
    named = {name: {str(one) for one in relations_from(SETS[name].relations)} for name in SETS}
    for name, group in ((PAPER, "paper"), (LEAKY, "default"), (ALL, "all")):
        assert named[name] == {str(one) for one in relations_from(group)}
    assert list(sets_for("alarm")) == [TABLES, PAPER, LEAKY, BOTH, LEAKY_EBIC]
    assert sets_for("asia") == sets_for("cpt-12-3") == SETS


def test_a_set_differs_from_another_by_the_mean_over_the_same_samples() -> None:
    some = cells(outcomes_of(_tiny()))["noisy-ORs with leak", 100]
    assert len(some) == 6
    distance = difference(some, structure, LEAKY, TABLES)
    nats = difference(some, prediction, LEAKY, TABLES)
    assert distance is not None
    assert nats is not None
    assert distance.middle == pytest.approx((1.5 - 4) / 4)
    assert nats.middle == pytest.approx(-0.25)
    assert distance.clearly_below(0)


def test_samples_without_a_proven_optimum_are_left_out_and_told() -> None:
    outcomes = outcomes_of(_tiny())
    assert difference(outcomes, structure, ALL, TABLES) is None
    told = "Left out, because no optimum was proven in time: 24 with all relations."
    assert coverage(outcomes).endswith(told)
    assert f"Of {len(jobs(choices())):,} planned samples, 30 have a result." in coverage(outcomes)


def test_the_readers_table_marks_what_is_clear() -> None:
    lines = readers_table(_tiny()).splitlines()
    assert lines[2] == (
        "| noisy-ORs without leak | 100 | **+0.50** / **+0.100** | -0.62\\* / -0.250\\* "
        "| 0.00 / 0.000 | - |"
    )
    assert len(lines) == 2 + len(GROUPS)
    assert "Made by `make relations`" in readers_block(_tiny())


def test_the_section_has_every_table() -> None:
    text = section(_tiny())
    assert "| noisy-ORs with leak | 100 | 0.50 [0.50, 0.50] |" in text
    assert re.search(
        r"\| full tables \| 100 \| -1\.12 \[.*\] \| -0\.350 \[-0\.350, -0\.350\] \|", text
    )
    alarm = "| alarm | **+0.50** / **+0.100** | 0.00 / -0.250\\* | 0.00 / 0.000 | - | - |"
    assert f"{alarm} **+0.50** / 0.000 |" in text
    assert "| full tables | 100 | 2.0 | 2.0 | 2.0 | - | 2.0 | 2.0 |" in text
    assert "| full tables | 100 | 0.50 [0.50, 0.50] | 0.250 [0.250, 0.250] |" in text
    assert section({}).startswith("## Which relations should compete?")


def _leaky_or() -> Network:
    parts = (Family(0, 0), Family(1, 0), Family(2, 0b11, LEAKY_NOISY_OR))
    structure = Structure(("a", "b", "c"), parts)
    return Network(
        structure,
        variables_of(structure.names, (("no", "yes"),) * 3),
        (Cpt.binary([0.4]), Cpt.binary([0.5]), NoisyOr(np.array([0.2, 0.3]), 0.8)),
        None,
        Provenance("0", "", 1, ()),
    )


def test_a_job_learns_the_best_network_with_each_set() -> None:
    found = measure(Job("alarm", 3000, 0), _leaky_or(), 60.0)
    assert found["truth"]["arcs"] == 2
    assert [name for name in SETS if name in found] == [TABLES, PAPER, LEAKY, BOTH]
    assert found[LEAKY]["cpdag_shd"] == 0
    assert found[LEAKY]["relations"] == {"leaky-noisy-or": 1}
    assert found[TABLES]["relations"] == found[PAPER]["relations"] == {}
    assert found[LEAKY]["optimum"] < found[TABLES]["optimum"]
    truth = found["truth"]["held_out"]
    assert truth - 0.01 < found[LEAKY]["held_out_best"] < truth + 0.002


def test_the_sets_that_came_later_are_measured_apart_on_the_same_sample(tmp_path: Path) -> None:
    job = Job("asia", 3000, 0)
    first, later = measure(job, _leaky_or(), 60.0), measure_added(job, _leaky_or(), 60.0)
    assert first["truth"] == later["truth"]
    assert [name for name in SETS if name in later] == list(ADDED)
    # EBIC adds to the cost of each family, so the best network costs at least as much as with BIC
    assert later[LEAKY_EBIC]["optimum"] >= first[LEAKY]["optimum"]
    assert later[LEAKY_EBIC]["cpdag_shd"] == 0
    path, added = tmp_path / "first.jsonl", tmp_path / "later.jsonl"
    key = job_key(jobs(["asia"])[0])
    KeptResults(path).add(key, first)
    assert stored_jobs(path, added) == {key: first}
    KeptResults(added).add(key, later)
    assert stored_jobs(path, added) == {key: later | first}


def test_a_column_of_one_value_stays_in_the_network() -> None:
    found = measure(Job("alarm", 2, 0), _leaky_or(), 60.0)
    assert found[TABLES]["cpdag_shd"] <= 3


def test_the_command_runs_what_is_missing_and_writes_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, page = tmp_path / "relations.jsonl", tmp_path / "relations.md"
    monkeypatch.setattr(plan, "RANDOM", {8: Share(1, (100, 500))})
    stored, missing = jobs(["cpt-8"])
    KeptResults(path).add(job_key(stored), _result(stored.network, 2))
    monkeypatch.setattr(relations, "RESULTS", path)
    monkeypatch.setattr(relations, "PAGE", page)
    monkeypatch.setattr(relations, "IMAGES_FOLDER", tmp_path)
    added = tmp_path / "added.jsonl"
    monkeypatch.setattr(relations, "ADDED_RESULTS", added)
    monkeypatch.setattr(relations, "stored_jobs", lambda: stored_jobs(path, added))
    monkeypatch.setattr("sys.argv", ["relations", "--only", "cpt-8", "--limit", "60"])
    relations.main()
    results = stored_jobs(path, added)
    assert results[job_key(stored)] == _result(stored.network, 2)
    assert results[job_key(missing)][ALL]["proven"]
    assert results[job_key(missing)][SIGNED]["proven"]
    assert page.read_text() == as_page(section(results))
