"""The command that estimates memory and time, and the options for background knowledge."""

import json
from pathlib import Path
from typing import Any

import pytest

from noisyor.cli.estimate_command import _BYTES, _SECONDS, _in_units, _whole, memory_line
from noisyor.cli.learning_options import KnowledgeOptions
from noisyor.core import FormatError, Knowledge, SettingsError
from noisyor.data.examples import load_example
from noisyor.scoring.memory import Amount
from tests.cli.test_cli import refused, run, write

N = load_example("clinic").variable_count
ALL = N * 2 ** (N - 1)


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "clinic.csv"
    assert run("examples", "clinic", "-o", path).exit_code == 0
    return path


def said_by(*arguments: object) -> dict[str, Any]:
    """Return the JSON output of the command."""
    result = run("estimate", *arguments, "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_json_says_families_memory_and_time(clinic: Path) -> None:
    said = said_by(clinic, "--paper")
    assert (said["variables"], said["records"], said["method"]) == (N, 1000, "table")
    assert said["families"]["cpt"]["there_are"] == ALL
    assert said["families"]["noisy-or"]["there_are"] == ALL - N
    assert 0 < said["families"]["cpt"]["looked_at_most"] < ALL
    for what in ("memory_bytes", "seconds"):
        parts = dict(said[what])
        total = parts.pop("total")
        assert total["least"] == pytest.approx(sum(one["least"] for one in parts.values()))
        assert total["most"] == pytest.approx(sum(one["most"] for one in parts.values()))
        assert 0 < total["least"] < total["most"]
    memory = dict(said["memory_bytes"])
    stated = memory.pop("total")["about"]
    assert stated == pytest.approx(sum(one["about"] for one in memory.values()))
    assert "report and files" in memory
    assert said["refused"] is None


def test_the_options_are_those_of_learn(clinic: Path, tmp_path: Path) -> None:
    first, second, *_ = load_example("clinic").names
    known = write(tmp_path, "known.toml", f'max_parents = 1\nroots = ["{first}"]\n')
    said = said_by(clinic, "--relations", "cpt", "--knowledge", known, "--method", "price")
    assert said["method"] == "price"
    assert said["families"] == {
        "cpt": {
            "there_are": 1 + (N - 1) * N,
            "looked_at_most": 1 + (N - 1) * N,
            "kept_about": said["families"]["cpt"]["kept_about"],
        }
    }
    without = said_by(
        clinic, "--relations", "cpt", "--knowledge", known, "--forbid", f"{first}->{second}"
    )
    assert without["families"]["cpt"]["there_are"] == (N - 1) * N


def test_people_read_the_same(clinic: Path) -> None:
    result = run("estimate", clinic)
    assert result.exit_code == 0, result.output
    assert f"{N} variables, 1,000 records" in result.stdout
    assert "learning is by table" in result.stdout
    assert f"{ALL:,}" in result.stdout
    assert "if nothing else runs on the machine" in result.stdout
    assert result.stderr == ""


def test_a_line_says_about_how_much_memory_and_for_what() -> None:
    mib = 2**20
    parts = {
        "program": Amount(0, 120 * mib, None),
        "nothing much": Amount(0, mib - 1, 9**20),
        "table": Amount(0, 4 * mib, None),
    }
    said = "memory: about 125 MiB at the peak (120 MiB program, 4 MiB table)"
    assert memory_line(parts) == said


def test_learn_and_score_state_their_memory_before_the_work(clinic: Path, tmp_path: Path) -> None:
    for command, output in (("learn", tmp_path / "run"), ("score", tmp_path / "scores.jkl")):
        result = run(command, clinic, "-o", output, "--json")
        assert result.exit_code == 0, result.output
        json.loads(result.stdout)
        first, *rest = result.stderr.splitlines()
        assert first.startswith("memory: about ")
        assert ("MiB report and files" in first) == (command == "learn")
        assert not any(line.startswith("memory") for line in rest)
    quiet = run("score", clinic, "-o", tmp_path / "quiet.jkl", "--quiet")
    assert "memory" not in quiet.stderr
    assert run("learn", clinic, "--quiet").stderr == ""


def test_a_run_that_would_be_refused_says_so(clinic: Path) -> None:
    result = run("estimate", clinic, "--memory-limit", "0.000001", "--json")
    assert result.exit_code == 0
    refusal = json.loads(result.stdout)["refused"]
    assert "method 'price'" in refusal
    assert result.stderr == f"learning would be refused: {refusal}\n"


def test_what_contradicts_is_refused(clinic: Path, tmp_path: Path) -> None:
    first, second, *_ = load_example("clinic").names
    known = write(tmp_path, "known.yaml", f"max_parents: 2\nroots: [{second}]\n")
    refused(
        run("estimate", clinic, "--knowledge", known, "--require", f"{first}->{second}"),
        f"the edge {first!r} -> {second!r} is required, but {second!r} is a root",
    )
    refused(
        run("estimate", clinic, "--knowledge", known, "--max-parents", "3"),
        f"--max-parents is 3, but {known} has max_parents 2; give it in one place",
    )
    refused(run("estimate", clinic, "--method", "price", "--bounds", "none"), "bounds is 'none'")


def test_options_add_to_the_file(tmp_path: Path) -> None:
    known = write(tmp_path, "known.toml", 'required = ["a -> b"]\ntiers = [["a"], ["b"]]\n')
    names = ("a", "b", "c")
    assert KnowledgeOptions(known, 2, ["c->a"], ["b->c"]).stated().among(names) == Knowledge(
        required=(("a", "b"), ("b", "c")),
        forbidden=(("c", "a"),),
        tiers=(("a",), ("b",)),
        max_parents=2,
    )
    assert KnowledgeOptions().stated().among(names) == Knowledge()
    with pytest.raises(SettingsError, match="--require is 'a'"):
        KnowledgeOptions(require=["a"]).stated().among(names)
    with pytest.raises(FormatError, match="cannot read"):
        KnowledgeOptions(tmp_path / "none.toml").stated()


@pytest.mark.parametrize("command", ["learn", "estimate", "calibrate", "compare-scores"])
def test_knowledge_that_cannot_be_read_is_refused_before_the_table_is_read(
    tmp_path: Path, command: str
) -> None:
    lacking = tmp_path / "none.toml"
    refused(
        run(command, tmp_path / "no-table.csv", "--knowledge", lacking),
        f"cannot read {lacking}: No such file",
    )


def test_the_limit_of_parents_may_be_said_twice_if_it_is_the_same(tmp_path: Path) -> None:
    known = write(tmp_path, "known.toml", "max_parents = 2\n")
    for asked in (None, 2):
        assert KnowledgeOptions(known, asked).stated().among(("a",)) == Knowledge(max_parents=2)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 s"),
        (0.123, "0.12 s"),
        (59, "59 s"),
        (90, "1.5 min"),
        (7200, "2 h"),
        (86400 * 30, "30 days"),
        (86400 * 365 * 4000.0, "4,000 years"),
    ],
)
def test_times_are_said_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert _in_units(seconds, _SECONDS) == said


def test_sizes_and_counts_are_said_shortly() -> None:
    assert _in_units(1536, _BYTES) == "1.5 KiB"
    assert _in_units(2**41, _BYTES) == "2 TiB"
    assert _whole(1234567) == "1,234,567"
    assert _whole(3 * 10**20) == "about 10^20"


def test_relations_have_the_names_that_they_have_in_a_network(tmp_path: Path) -> None:
    mixed = write(tmp_path, "t.csv", "a,b\n" + "1,0\n2,1\n3,0\n1,1\n" * 5)
    assert "leaky-noisy-max, leaky-noisy-or" in run("estimate", mixed).stdout
    without_order = write(tmp_path, "u.csv", "a,b\n" + "x,0\ny,1\nz,0\nx,1\n" * 5)
    said = run("estimate", without_order).stdout
    assert "leaky-noisy-or" in said
    assert "leaky-noisy-max" not in said  # states without an order have none
