"""The results page and the README's five numbers are what the scripts make of stored results."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.harness.folders import IMAGES_FOLDER, ROOT
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from benchmarks.report import page as results_page
from benchmarks.report.headlines import HEADLINES
from benchmarks.report.page import Part, origins_in, origins_of, page, unique_origins, with_block

MARKED = f"first\n{results_page.BEGIN}\nold\n{results_page.END}\nlast\n"


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    return results_page.all_parts()


@pytest.fixture(scope="module")
def made(parts: list[Part]) -> str:
    """Return the page that the scripts make, which takes some seconds."""
    return page(parts)


def test_the_page_is_what_the_script_makes(made: str) -> None:
    assert results_page.PAGE.read_text(encoding="utf-8") == made, "run: make results"


def test_the_five_numbers_are_what_the_script_makes(parts: list[Part]) -> None:
    readme = results_page.README.read_text(encoding="utf-8")
    assert readme == with_block(readme, results_page.five_numbers(parts)), "run: make results"


def test_the_table_of_relations_is_what_the_script_makes(parts: list[Part]) -> None:
    text = results_page.BELIEVING.read_text(encoding="utf-8")
    assert text == with_block(text, results_page.relations_block(parts)), "run: make results"


def test_every_figure_of_the_page_is_there(made: str) -> None:
    names = re.findall(r"\]\((images/[^)]+)\)", made)
    missing = [name for name in names if not (results_page.PAGE.parent / name).is_file()]
    assert missing == []
    drawn = {path.name for path in IMAGES_FOLDER.glob("*.svg")}
    assert drawn == {Path(name).name for name in names}


def test_every_part_has_a_command_and_the_readme_five_numbers(parts: list[Part]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    assert {*(part.name for part in parts), "results"} <= targets
    assert len(HEADLINES) == 5
    assert results_page.five_numbers([]).count("- not measured yet (`make ") == 5


def section(results: Results) -> str:
    return f"## Script\n\nIt has {len(results)}: ![one](images/results/race-placed.svg)\n"


def figures(_results: Results, folder: Path) -> list[Path]:
    paths = [folder / f"race-{name}.svg" for name in ("placed", "growth")]
    for path in paths:
        path.write_text("<svg/>")
    return paths


def test_a_part_that_is_not_stored_says_how_to_make_it(tmp_path: Path) -> None:
    part = Part("race", "The race", {}, [], section, figures)
    assert part.section(tmp_path) == "## The race\n\nNot stored yet; `make race` makes it."
    assert part.figures(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    empty: Results = {"learned": {}, "scored": {}}
    assert not Part("table2", "", empty, [], section, figures).is_stored


def test_a_part_that_is_stored_writes_and_draws(tmp_path: Path) -> None:
    part = Part("race", "The race", {"a": {"figure": 1}}, [{"commit": "abc"}], section, figures)
    images = tmp_path / "images"
    images.mkdir()
    (images / "race-old.svg").write_text("<svg/>")
    results_page.draw_all([part], images)
    assert {path.name for path in images.iterdir()} == {"race-placed.svg", "race-growth.svg"}
    text = page([part], images)
    assert text.startswith("# Results\n")
    assert "| race | abc | - | - | - | - | - |" in text
    assert text.endswith(
        "## Script\n\nIt has 1: ![one](images/results/race-placed.svg)\n\n"
        "![race-growth](images/results/race-growth.svg)\n"
    )


def test_origins_are_read_by_the_kind_of_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.harness.kept_results.provenance", lambda: {"commit": "abc"})
    kept = KeptResults(tmp_path / "kept.jsonl")
    kept.add("a", {"figure": 1})
    (tmp_path / "one.json").write_text(json.dumps({"a": {"provenance": {"commit": "def"}}}))
    assert origins_of(tmp_path / "kept.jsonl") == [{"commit": "abc"}]
    assert origins_of(tmp_path / "one.json") == [{"commit": "def"}]
    assert origins_of(tmp_path / "none.json") == []
    files = [tmp_path / name for name in ("kept.jsonl", "one.json", "kept.jsonl")]
    assert unique_origins(*files) == [{"commit": "abc"}, {"commit": "def"}]


def test_origins_are_found_however_deep() -> None:
    results = {
        "a": {"provenance": {"commit": "abc"}, "figure": 1},
        "b": {"inner": {"version": "0.1.0", "machine": "x, 2 cores", "figure": 2}},
        "c": 3,
    }
    assert list(origins_in(results)) == [
        {"commit": "abc"},
        {"noisyor": "0.1.0", "machine": "x, 2 cores"},
    ]


def test_a_block_replaces_the_one_between_the_marks() -> None:
    expected = f"first\n{results_page.BEGIN}\nnew \\1\n{results_page.END}\nlast\n"
    assert with_block(MARKED, "new \\1") == expected
    assert with_block(expected, "new \\1") == expected


@pytest.mark.parametrize("readme", ["no marks", MARKED + MARKED, results_page.BEGIN])
def test_marks_that_are_missing_or_doubled_are_an_error(readme: str) -> None:
    with pytest.raises(ValueError, match="once, in this order"):
        with_block(readme, "new")
