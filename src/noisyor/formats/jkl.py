"""Local scores as GOBNILP reads them, in the format that goes back to Jaakkola et al. (2010).

    3                    the number of variables
    cough 2              a variable and the number of its parent sets
    -40.25 1 flu         score, number of parents, parents
    -69.5 0

A score is minus a cost. Files in the wild may begin with comments (`# ...`) or META lines, and
name variables by number; here, a variable's number is its position in the file, whatever its name.
"""

from collections.abc import Sequence
from pathlib import Path

from noisyor.core import FormatError, ScoreTable
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.formats.score_text import (
    WITH_COUNT,
    Block,
    NumberedLines,
    check_blocks,
    check_counts,
    family_lines,
    foreign_table,
    written_name,
)

_HEADER_FIELDS = 2  # name and number of parent sets
_MOST_DIGITS = 18


def jkl_bytes(table: ScoreTable) -> bytes:
    """Return the table's better relations as a .jkl file."""
    names = [written_name(name) for name in table.names]
    lines = [str(len(names))]
    for name, families in zip(names, family_lines(table, names, with_counts=True), strict=True):
        lines.append(f"{name} {len(families)}")
        lines += families
    return ("\n".join(lines) + "\n").encode()


def read_jkl(data: bytes, path: Path) -> ScoreTable:
    """Return the foreign table in a .jkl file; `path` is for messages."""
    source = NumberedLines.of(data, path)
    position = 0
    while position < len(source.lines) and source.lines[position].split()[0].upper() == b"META":
        position += 1
    variables = _variable_count(source, position)
    position += 1
    blocks: list[Block] = []
    while len(blocks) < variables:
        blocks.append(_block(source, position, blocks, variables))
        position = blocks[-1].families.stop
        if not blocks[-1].families:
            break  # refused below
    check_blocks(source, blocks)
    if position < len(source.lines):
        _check_all_counts(source, blocks)
        raise source.error(
            position,
            f"comes after the last of {variables} variables, {blocks[-1].name.decode()!r} with "
            f"{len(blocks[-1].families)} parent sets; the file must end there",
        )
    return foreign_table(source, blocks, WITH_COUNT)


def _variable_count(source: NumberedLines, position: int) -> int:
    if position == len(source.lines):
        raise FormatError(
            f"{source.path} is empty; a .jkl file begins with the number of variables"
        )
    fields = source.lines[position].split()
    count = _whole_number(fields[0]) if len(fields) == 1 else None
    if count is None:
        raise source.error(position, "a .jkl file begins with the number of variables, alone")
    if not 1 <= count <= MAX_VARIABLES:
        raise source.error(position, f"{count} variables; allowed: 1 to {MAX_VARIABLES}")
    return count


def _block(source: NumberedLines, header: int, before: Sequence[Block], variables: int) -> Block:
    """Return where the parent sets of the next variable are."""
    end = len(source.lines)
    if header == end:
        _check_all_counts(source, before)
        raise source.error(
            end - 1, f"the file ends after {len(before)} of {variables} variables; it is cut short"
        )
    fields = source.lines[header].split()
    count = _whole_number(fields[1]) if len(fields) == _HEADER_FIELDS else None
    if not count:
        _check_all_counts(source, before)
    if count is None:
        raise source.error(
            header,
            f"expected variable {len(before) + 1} of {variables}: its name and the number of its "
            "parent sets (is the count of the variable before too small?)",
        )
    block = Block(fields[0], header, range(header + 1, min(header + 1 + count, end)))
    if len(block.families) < count:
        _check_all_counts(source, [*before, block])
        raise source.error(
            end - 1,
            f"the file ends after {len(block.families)} of the {count} parent sets that line "
            f"{source.numbers[header]} announces for {fields[0].decode()!r}; it is cut short",
        )
    return block


def _check_all_counts(source: NumberedLines, blocks: Sequence[Block]) -> None:
    """Refuse a count that swallowed the next variable: any other error follows from it."""
    for block in blocks:
        check_counts(source, block)


def _whole_number(text: bytes) -> int | None:
    return int(text) if text.isdigit() and len(text) <= _MOST_DIGITS else None
