"""Tables, lists and paragraphs in Markdown."""

import re
from collections.abc import Iterable, Sequence
from textwrap import fill

LINE = 100
"""Characters of a line of the usual length."""


def table(headings: Sequence[str], rows: Iterable[Iterable[str]], *, left: int = 1) -> str:
    """Return a table whose first columns, `left` of them, are aligned left and the others right."""
    right = len(headings) - left
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * left}{'--:|' * right}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def listed(things: Iterable[object]) -> str:
    """Return things as a text lists them: a, b and c."""
    texts = [f"{one:,}" if isinstance(one, int) else str(one) for one in things]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def wrapped(text: str) -> str:
    """Return paragraphs and lists in lines of the usual length; headings and tables as they are."""
    return "\n\n".join(
        block if block.startswith(("#", "|", "!")) else _wrapped_block(block)
        for block in text.split("\n\n")
    )


def _wrapped_block(block: str) -> str:
    items = [" ".join(item.split()) for item in re.split(r"\n(?=- )", block)]
    return "\n".join(
        fill(item, LINE, subsequent_indent="  " * item.startswith("- "), break_on_hyphens=False)
        for item in items
    )
