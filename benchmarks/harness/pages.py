"""A section of Markdown as a page, and the page written next to the results that it shows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from noisyor.files.whole import write_whole

IMAGES_FROM_RESULTS = "../../docs/images/results"


def write_page(
    path: Path,
    images: Path,
    results: Any,  # noqa: ANN401  (each section knows its own)
    section: Callable[..., str],
    figures: Callable[[Any, Path], list[Path]],
) -> None:
    """Write a page and draw its figures into the folder of images."""
    images.mkdir(parents=True, exist_ok=True)
    figures(results, images)
    write_whole({path: section(results, images=IMAGES_FROM_RESULTS).encode()})


def as_page(section: str) -> str:
    """Return a section as a page of its own: every heading rises by one level."""
    return re.sub("^##", "#", section, flags=re.MULTILINE)
