"""Columns of a table that are not learned from, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from noisyor.core.choices import choice_of
from noisyor.core.listing import listed


class WhyLeftOut(StrEnum):
    """Why a column is left out without being asked for."""

    CONSTANT = "constant"  # it has the same value in all records
    ROW_NAMES = "row names"  # it only numbers or names the records

    @classmethod
    def of(cls, name: str) -> "WhyLeftOut":
        """Return the reason of this name."""
        return choice_of(cls, name, "the reason to leave out a column")


@dataclass(frozen=True, slots=True)
class LeftOutColumn:
    """A column that is not learned from. The name of a column of row names may be empty."""

    name: str
    why: WhyLeftOut


def left_out_lines(columns: Sequence[LeftOutColumn]) -> tuple[str, ...]:
    """Return which columns are left out and why, one line for each reason."""
    lines = []
    for column in columns:
        if column.why is WhyLeftOut.ROW_NAMES:
            which = f"the column {column.name!r}" if column.name else "the first column, unnamed,"
            lines.append(f"{which} holds row names, no two of them equal, and is left out")
    constant = [column.name for column in columns if column.why is WhyLeftOut.CONSTANT]
    if len(constant) == 1:
        lines.append(f"the column {constant[0]!r} never changes and is left out")
    elif constant:
        lines.append(f"{len(constant)} columns never change and are left out: {listed(constant)}")
    return tuple(lines)


def left_out_summary(columns: Sequence[LeftOutColumn]) -> dict[str, list[str]]:
    """Return the names of the columns by why they are left out, as JSON types."""
    said: dict[str, list[str]] = {}
    for column in columns:
        said.setdefault(str(column.why), []).append(column.name)
    return said
