"""The results pages and the README's five facts are what the scripts make of stored results."""

import json
import re
from pathlib import Path

import pytest

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER, ROOT
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from benchmarks.report import page as results_page
from benchmarks.report.facts import FACTS, MOST_WORDS
from benchmarks.report.page import MAKING, SUMMARY, five_facts, pages, with_block
from benchmarks.report.parts import (
    Part,
    all_parts,
    draw_all,
    origins_in,
    origins_of,
    unique_origins,
)

MARKED = f"first\n{results_page.BEGIN}\nold\n{results_page.END}\nlast\n"


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    return all_parts()


@pytest.fixture(scope="module")
def made(parts: list[Part]) -> dict[Path, str]:
    """Return the pages that the scripts make, which takes some seconds."""
    return pages(parts)


def test_the_pages_are_what_the_script_makes(made: dict[Path, str]) -> None:
    written = {SUMMARY, *PAGES_FOLDER.glob("*.md")}
    assert written == set(made), "run: make results, and delete pages that are no longer made"
    stale = [path.name for path, text in made.items() if path.read_text("utf-8") != text]
    assert stale == [], "run: make results"


def test_the_summary_is_short_and_leads_to_every_page(made: dict[Path, str]) -> None:
    summary = made[SUMMARY]
    assert len(summary.split()) < 900
    assert len(re.findall(r"^!\[", summary, re.MULTILINE)) == 5
    linked = {SUMMARY.parent / name for name in re.findall(r"\]\((results/[^)]+)\)", summary)}
    assert linked == set(made) - {SUMMARY}
    for path in linked:
        assert made[path].startswith("# ")
        assert len(re.findall(r"^# ", made[path], re.MULTILINE)) == 1
        assert "](../results.md)" in made[path]


def test_the_five_facts_are_what_the_script_makes(parts: list[Part]) -> None:
    readme = results_page.README.read_text(encoding="utf-8")
    assert readme == with_block(readme, five_facts(parts)), "run: make results"


def test_facts_are_short(parts: list[Part]) -> None:
    facts = [line.partition(" [`make ")[0] for line in five_facts(parts).splitlines()]
    assert len(facts) == 5
    assert [fact for fact in facts if len(fact.removeprefix("- ").split()) > MOST_WORDS] == []


def test_the_table_of_relations_is_what_the_script_makes(parts: list[Part]) -> None:
    text = results_page.BELIEVING.read_text(encoding="utf-8")
    assert text == with_block(text, results_page.relations_block(parts)), "run: make results"


def test_the_results_of_the_note_are_what_the_script_makes(parts: list[Part]) -> None:
    text = results_page.METHOD.read_text(encoding="utf-8")
    assert text == with_block(text, results_page.method_block(parts)), "run: make results"
    assert "](results/table2.md)" in text


def test_every_figure_of_the_pages_is_there(made: dict[Path, str]) -> None:
    shown = {
        (path.parent / name).resolve()
        for path, text in made.items()
        for name in re.findall(r"\]\(([^)]+\.svg)\)", text)
    }
    assert shown == set(IMAGES_FOLDER.glob("*.svg"))


def test_every_part_has_a_command_and_the_readme_five_facts(parts: list[Part]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    assert {*(part.name for part in parts), "results"} <= targets
    assert len(FACTS) == 5
    assert five_facts([]).count("- Not measured yet. [`make ") == 5


def section(results: Results) -> str:
    picture = "![one](../images/results/script-placed.svg)"
    return f"## Script\n\nIt has {len(results)}: {picture}\n\n### More\n"


def figures(_results: Results, folder: Path) -> list[Path]:
    paths = [folder / f"script-{name}.svg" for name in ("placed", "growth")]
    for path in paths:
        path.write_text("<svg/>")
    return paths


def test_a_part_that_is_not_stored_says_how_to_make_it(tmp_path: Path) -> None:
    part = Part("race", "The race", {}, [], section, figures)
    assert part.page(tmp_path) == "# The race\n\nNot stored yet; `make race` makes it.\n"
    assert part.figures(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    empty: Results = {"learned": {}, "scored": {}}
    assert not Part("table2", "", empty, [], section, figures).is_stored
    summary = pages([part], tmp_path)[SUMMARY]
    assert summary.count("Not stored yet; `make ") == 5


def test_a_part_that_is_stored_writes_and_draws(tmp_path: Path) -> None:
    part = Part("script", "A script", {"a": {"figure": 1}}, [{"commit": "abc"}], section, figures)
    images = tmp_path / "images"
    images.mkdir()
    (images / "script-old.svg").write_text("<svg/>")
    draw_all([part], images)
    assert {path.name for path in images.iterdir()} == {"script-placed.svg", "script-growth.svg"}
    texts = pages([part], images)
    assert "| script | abc | - | - | - | - | - |" in texts[MAKING]
    assert texts[PAGES_FOLDER / "script.md"] == (
        "# Script\n\nIt has 1: ![one](../images/results/script-placed.svg)\n\n## More\n\n"
        "![script-growth](../images/results/script-growth.svg)\n\n"
        "Back to the [summary of all results](../results.md).\n"
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
