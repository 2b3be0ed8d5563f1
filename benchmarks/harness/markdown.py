"""Tables and lists in Markdown."""

from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Iterable[str]], *, left: int = 1) -> str:
    """Return a table whose first columns, `left` of them, are aligned left and the others right."""
    right = len(headings) - left
    lines = [f"| {' | '.join(headings)} |", f"|{'---|' * left}{'--:|' * right}"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def listed(things: Iterable[object]) -> str:
    """Return things as a text lists them: a, b and c."""
    texts = [f"{one:,}" if isinstance(one, int) else str(one) for one in things]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
