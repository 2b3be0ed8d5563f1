"""Results stored line by line: whole lines are kept, and an incomplete one is made again."""

import json
from pathlib import Path

import pytest

from benchmarks.harness import kept_results
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results


@pytest.fixture
def origins(monkeypatch: pytest.MonkeyPatch) -> list[Results]:
    """Return the origins of this run, the last of which is the present one."""
    known: list[Results] = [{"commit": "first"}]
    monkeypatch.setattr(kept_results, "provenance", lambda: known[-1])
    return known


def test_a_file_that_is_not_there_has_no_results(tmp_path: Path) -> None:
    kept = KeptResults(tmp_path / "kept.jsonl")
    assert kept.results() == {}
    assert kept.provenances() == []
    assert "a" not in kept
    assert not (tmp_path / "kept.jsonl").exists()


@pytest.mark.usefixtures("origins")
def test_results_are_found_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "kept.jsonl"
    kept = KeptResults(path)
    kept.add("a", {"figure": 1.5})
    kept.add("b", {"figure": 2})
    for one in (kept, KeptResults(path)):
        assert one.results() == {"a": {"figure": 1.5}, "b": {"figure": 2}}
        assert "a" in one
        assert "c" not in one
        assert [key for key in "cbad" if key not in one] == ["c", "d"]


@pytest.mark.usefixtures("origins")
def test_of_several_results_with_one_key_the_last_counts(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    KeptResults(path).add("a", {"figure": 1})
    KeptResults(path).add("a", {"figure": 2})
    assert KeptResults(path).results() == {"a": {"figure": 2}}


def test_provenance_is_written_once_a_run_and_before_its_results(
    tmp_path: Path, origins: list[Results]
) -> None:
    path = tmp_path / "kept.jsonl"
    kept = KeptResults(path)
    kept.add("a", {})
    KeptResults(path).add("b", {})
    origins.append({"commit": "second"})
    KeptResults(path).add("c", {})
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("key") for line in lines] == [None, "a", "b", None, "c"]
    assert lines[0]["provenance"] == {"commit": "first"}
    assert lines[3]["provenance"] == {"commit": "second"}
    assert lines[0]["run"] == lines[1]["run"] == lines[2]["run"] != lines[4]["run"]
    assert KeptResults(path).provenances() == origins


def test_an_origin_whose_results_were_all_made_again_is_not_named(
    tmp_path: Path, origins: list[Results]
) -> None:
    path = tmp_path / "kept.jsonl"
    KeptResults(path).add("a", {})
    origins.append({"commit": "second"})
    KeptResults(path).add("a", {})
    assert KeptResults(path).provenances() == [{"commit": "second"}]


@pytest.mark.parametrize("letters", [1, 10, 30])
@pytest.mark.usefixtures("origins")
def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path, letters: int) -> None:
    path = tmp_path / "kept.jsonl"
    kept = KeptResults(path)
    kept.add("a", {"figure": 1})
    whole = path.read_bytes()
    kept.add("b", {"figure": 2})
    path.write_bytes(path.read_bytes()[: len(whole) + letters])
    again = KeptResults(path)
    assert again.results() == {"a": {"figure": 1}}
    again.add("b", {"figure": 3})
    assert KeptResults(path).results() == {"a": {"figure": 1}, "b": {"figure": 3}}
    assert path.read_bytes().startswith(whole)


@pytest.mark.usefixtures("origins")
def test_a_provenance_that_was_cut_off_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    KeptResults(path).add("a", {})
    path.write_bytes(path.read_bytes()[:20])
    again = KeptResults(path)
    assert again.results() == {}
    again.add("a", {"figure": 4})
    assert KeptResults(path).provenances() == [{"commit": "first"}]


@pytest.mark.usefixtures("origins")
def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    KeptResults(path).add("a", {})
    path.write_bytes(b"{damaged\n" + path.read_bytes())
    with pytest.raises(json.JSONDecodeError):
        KeptResults(path)
