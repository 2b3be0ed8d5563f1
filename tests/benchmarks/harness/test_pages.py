"""Where the pages of results are, and how sections become pages."""

from pathlib import Path

from benchmarks.harness.folders import PAGES_FOLDER, RESULTS_FOLDER
from benchmarks.harness.pages import BACK, as_page, page_of, write_page


def test_results_of_the_repository_have_their_page_in_the_docs(tmp_path: Path) -> None:
    assert page_of(RESULTS_FOLDER / "table1.jsonl") == PAGES_FOLDER / "table1.md"
    assert page_of(tmp_path / "table1.jsonl") == tmp_path / "table1.md"


def test_a_section_becomes_a_page_with_a_way_back(tmp_path: Path) -> None:
    section = "## Title\n\nA # and ## within a line.\n\n### Part\n"
    made = as_page(section, "below")
    assert made == f"# Title\n\nA # and ## within a line.\n\n## Part\n\nbelow\n\n{BACK}\n"

    def figures(results: str, folder: Path) -> list[Path]:
        (folder / results).touch()
        return [folder / results]

    write_page(tmp_path / "a.md", tmp_path / "images", "drawn", lambda _: section, figures)
    assert (tmp_path / "a.md").read_text() == as_page(section)
    assert (tmp_path / "images" / "drawn").exists()
