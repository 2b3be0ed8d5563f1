"""Small tables for notebooks, in which every value is plain text."""

from collections.abc import Iterable, Sequence
from html import escape

MOST_ROWS = 60
"""The most rows of a table; the rest is counted."""

_SMALL = 1e-4  # below, a probability is written with an exponent


def html_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    caption: str = "",
    *,
    grouped: bool = False,
) -> str:
    """Return an HTML table below its caption; numbers and their heads are aligned to the right.

    If `grouped`, the first column names what the rows are about: a name that is repeated is left
    out.
    """
    listed = list(rows)
    sides = [_side(value) for value in listed[0]] if listed else ["left"] * len(columns)
    head = "".join(
        f'<th style="text-align: {side}">{escape(name)}</th>'
        for name, side in zip(columns, sides, strict=True)
    )
    body = ""
    before: object = None
    for row in listed[:MOST_ROWS]:
        first = "" if grouped and row[0] == before else row[0]
        body += f"<tr>{''.join(map(_cell, (first, *row[1:])))}</tr>"
        before = row[0]
    left = len(listed) - MOST_ROWS
    rest = f'<tr><td colspan="{len(columns)}">and {left:,} more</td></tr>' if left > 0 else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}{rest}</tbody></table>"
    return f"<div><p>{escape(caption)}</p>{table}</div>" if caption else table


def _side(value: object) -> str:
    return "right" if isinstance(value, float) else "left"


def _cell(value: object) -> str:
    if not isinstance(value, float):
        return f'<td style="text-align: left"><bdi>{escape(str(value))}</bdi></td>'
    digits = f"{value:.2e}" if 0 < abs(value) < _SMALL else f"{value:.4f}"
    return f'<td style="text-align: right">{digits}</td>'
