"""Small tables for notebooks, in which every value is plain text."""

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 60
"""The most rows of a table; the rest is counted."""

_SMALL = 1e-4  # below, a probability is written with an exponent


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Return an HTML table; numbers are aligned to the right."""
    listed = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in listed[:MOST_ROWS])
    said = f"<caption>{escape(caption)}</caption>" if caption else ""
    left = len(listed) - MOST_ROWS
    rest = f'<tr><td colspan="{len(columns)}">and {left:,} more</td></tr>' if left > 0 else ""
    return f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}{rest}</tbody></table>"


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return f'<td style="text-align: left"><bdi>{escape(str(value))}</bdi></td>'
    digits = f"{value:.2e}" if 0 < value < _SMALL else f"{value:.4f}"
    return f'<td style="text-align: right">{digits}</td>'
