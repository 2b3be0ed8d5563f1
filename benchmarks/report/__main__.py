"""Write what the docs say of stored results: docs/results.md, its figures, and two blocks.

    python -m benchmarks.report

The blocks are the five numbers of the README and the table of docs/believing-noisy-or.md.
Nothing is measured: each number comes from benchmarks/results/, through the sections of the
scripts named in SOURCES. For results that are not stored yet, the page names the command.
"""

from benchmarks.harness.folders import IMAGES_FOLDER
from benchmarks.report.page import (
    BELIEVING,
    PAGE,
    README,
    all_parts,
    draw_all,
    five_numbers,
    page,
    relations_block,
    with_block,
)
from noisyor.files.whole import write_whole


def main() -> None:
    """Write the figures, the page and the blocks."""
    parts = all_parts()
    draw_all(parts, IMAGES_FOLDER)
    readme = with_block(README.read_text(encoding="utf-8"), five_numbers(parts))
    believing = with_block(BELIEVING.read_text(encoding="utf-8"), relations_block(parts))
    write_whole(
        {PAGE: page(parts).encode(), README: readme.encode(), BELIEVING: believing.encode()}
    )
    for part in parts:
        print(f"{part.name}: {'written' if part.is_stored else 'not stored yet'}")


if __name__ == "__main__":
    main()
