"""The pages of docs/results: a section of Markdown as a page, and where it is."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.harness.folders import PAGES_FOLDER, RESULTS_FOLDER
from noisyor.files.whole import write_whole

IMAGES = "../images/results"  # from a page
BACK = "Back to the [summary of all results](../results.md)."


def page_of(results: Path) -> Path:
    """Return the path of the page on some results.

    It is in docs/results for those of the repository, and next to any others.
    """
    if results.parent == RESULTS_FOLDER:
        return PAGES_FOLDER / f"{results.stem}.md"
    return results.with_suffix(".md")


def as_page(section: str, *below: str) -> str:
    """Return a section, and what comes below it, as a page: headings rise by one level."""
    risen = re.sub("^##", "#", section.strip(), flags=re.MULTILINE)
    return "\n\n".join([risen, *below, BACK]) + "\n"


def write_page(
    path: Path,
    images: Path,
    results: Any,  # noqa: ANN401  (each section knows its own)
    section: Callable[[Any], str],
    figures: Callable[[Any, Path], list[Path]],
) -> None:
    """Write a page and draw its figures into the folder of images."""
    images.mkdir(parents=True, exist_ok=True)
    figures(results, images)
    write_whole({path: as_page(section(results)).encode()})
