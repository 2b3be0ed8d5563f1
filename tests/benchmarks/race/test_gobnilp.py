"""The race against GOBNILP, with an executable of the test's own in its place."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks.harness.kept_results import KeptResults
from benchmarks.race.gobnilp import __main__ as gobnilp
from benchmarks.race.gobnilp.page import gobnilp_section, taken_ratios
from benchmarks.race.gobnilp.solver import best_network, credible_networks, timed
from tests.support.stand_ins import write_stand_in

# Reads its arguments and settings as GOBNILP does, and writes what its files look like. It knows
# the scores of the networks of one file, and collects those that are above the limit.
FAKE = """\
import sys, time
options = dict(one.lstrip("-").split("=", 1) for one in sys.argv[1:-1])
assert options["f"] == "jkl"
assert open(sys.argv[-1]).readline().strip().isdigit()
lines = [line.split(" = ") for line in open(options["g"]).read().splitlines()]
settings = {{name: value.strip('"') for name, value in lines}}
{body}
"""
SOLVES = """\
scores = [-10.0, -10.5, -12.0, -13.5]
if "gobnilp/countsols" in settings:
    assert settings["gobnilp/countsols/collect"] == "TRUE"
    limit = float(settings["gobnilp/objlimit"])
    chosen = [score for score in scores if score > limit]
    file = settings["gobnilp/outputfile/countsols"]
else:
    chosen, file = scores[:1], settings["gobnilp/outputfile/solution"]
with open(file, "w") as written:
    for score in chosen:
        written.write(f"0<- {score}\\nBN score is {score}\\n\\n")
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "toy.jkl"
    path.write_text("1\n0 1\n-10.0 0\n")
    return path


def fake(folder: Path, body: str) -> Path:
    path = folder / "gobnilp"
    write_stand_in(path, FAKE.format(body=body))
    return path


def test_the_best_network_and_the_set_are_read(tmp_path: Path, scores: Path) -> None:
    binary = fake(tmp_path, SOLVES)
    best = best_network(binary, scores, tmp_path, 60)
    assert best["cost"] == 10.0
    assert best["busy_seconds"] > 0
    assert credible_networks(binary, scores, tmp_path, 60, 10.0, 1.0)["networks"] == 2
    # A network exactly at the slack is credible, though the solver's limit is strict.
    assert credible_networks(binary, scores, tmp_path, 60, 10.0, 2.0)["networks"] == 3


def test_a_binary_that_fails_says_why(tmp_path: Path, scores: Path) -> None:
    found = best_network(fake(tmp_path, 'sys.exit("no licence")'), scores, tmp_path, 60)
    assert found["nothing_because"] == "it failed: no licence"
    found = best_network(fake(tmp_path, "pass"), scores, tmp_path, 60)
    assert found["nothing_because"] == "it wrote no network with its score"


def test_a_result_of_an_earlier_run_is_not_taken_for_one(tmp_path: Path, scores: Path) -> None:
    assert "cost" in best_network(fake(tmp_path, SOLVES), scores, tmp_path, 60)
    assert "cost" not in best_network(fake(tmp_path, "pass"), scores, tmp_path, 60)


def test_a_slow_binary_is_killed(tmp_path: Path) -> None:
    ended = timed([sys.executable, "-c", "import time; time.sleep(600)"], tmp_path, 1.0)
    assert ended.because == "it took more than 1 s"
    assert ended.busy_seconds < 60


def test_a_case_has_both_programs_and_where_it_came_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "zoo.csv"
    data.write_text("".join(f"{a},{b},{a & b}\n" for a in (0, 1) for b in (0, 1) for _ in range(9)))
    monkeypatch.setattr(gobnilp, "RUNS", tmp_path / "runs.jsonl")
    binary = fake(tmp_path, SOLVES)
    arguments = [str(binary), "--only", "zoo/3", "--datasets", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["gobnilp", *arguments])
    gobnilp.main()
    assert "zoo/3: credible: " in capsys.readouterr().out
    (one,) = KeptResults(tmp_path / "runs.jsonl").results().values()
    assert (one["best"]["cost"], one["credible"]["networks"]) == (10.0, 2)
    assert one["noisyor"]["networks"] >= 1
    assert one["noisyor"]["cost"] > 0
    assert len(one["scores_sha256"]) == len(one["binary_sha256"]) == 64
    gobnilp.main()
    assert capsys.readouterr().out == ""  # stored cases are not run again
    page = gobnilp_section(tmp_path / "none.json", tmp_path / "runs.jsonl")
    assert f"| zoo | {one['families']} | 3 | {one['noisyor']['networks']} and 2 |" in page
    assert "commit " in page


def test_a_missing_binary_ends_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["gobnilp", str(tmp_path / "gobnilp")])
    with pytest.raises(SystemExit, match="is not a file; name the gobnilp that you have"):
        gobnilp.main()


def test_figures_taken_once_are_shown_with_their_conditions(tmp_path: Path) -> None:
    row = {"data": "zoo", "families": 1033, "bayes_factor": 3, "networks": 49}
    times = {"gobnilp_optimum_seconds": 50.0, "noisyor_seconds": 2.0}
    taken = {
        "date": "2026-11-16",
        "source": "by hand",
        "conditions": "under load",
        "rows": [
            row | times | {"gobnilp_set_seconds": 10.0},
            row | times | {"gobnilp_set_seconds": None, "gobnilp_set_stopped_after": 300.0},
        ],
    }
    path = tmp_path / "taken.json"
    path.write_text(json.dumps(taken))
    page = gobnilp_section(path, tmp_path / "none.jsonl")
    assert "on 2026-11-16: under load (by hand)." in page
    assert "| zoo | 1,033 | 3 | 49 | 50.0 | 10.0 | 2.0 | 30 |" in page
    assert "| zoo | 1,033 | 3 | 49 | 50.0 | > 300 | 2.0 | > 175 |" in page
    assert gobnilp_section(tmp_path / "none.json", tmp_path / "none.jsonl") == ""
    assert taken_ratios(path) == (30.0, 30.0)
    assert taken_ratios(tmp_path / "none.json") is None
