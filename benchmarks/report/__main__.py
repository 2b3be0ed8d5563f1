"""Write what the docs say of stored results: docs/results.md, docs/results/, three blocks.

    python -m benchmarks.report

The blocks are the five facts of the README, the table of docs/believing-noisy-or.md and the results
in brief of docs/method.md.
Nothing is measured: each number comes from benchmarks/results/. For results that are not stored
yet, the pages name the command.
"""

from benchmarks.harness.folders import IMAGES_FOLDER, PAGES_FOLDER
from benchmarks.report.page import (
    BELIEVING,
    METHOD,
    README,
    five_facts,
    method_block,
    pages,
    relations_block,
    with_block,
)
from benchmarks.report.parts import all_parts, draw_all
from noisyor.files.whole import write_whole


def main() -> None:
    """Write the figures, the pages and the blocks."""
    parts = all_parts()
    draw_all(parts, IMAGES_FOLDER)
    blocks = {
        README: with_block(README.read_text(encoding="utf-8"), five_facts(parts)),
        BELIEVING: with_block(BELIEVING.read_text(encoding="utf-8"), relations_block(parts)),
        METHOD: with_block(METHOD.read_text(encoding="utf-8"), method_block(parts)),
    }
    PAGES_FOLDER.mkdir(exist_ok=True)
    texts = pages(parts) | blocks
    write_whole({path: text.encode() for path, text in texts.items()})
    for part in parts:
        print(f"{part.name}: {'written' if part.is_stored else 'not stored yet'}")


if __name__ == "__main__":
    main()
