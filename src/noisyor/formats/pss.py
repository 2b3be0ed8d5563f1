"""Parent set scores as URLearning writes and reads them.

    META pss_version = 0.1
    VAR cough
    META arity=2
    -40.25 flu           score, parents
    -69.5

A score is a log-probability, the higher the better, which URLearning negates on reading: minus a
cost. It keeps scores in single precision; the file has all digits. It takes any line that
contains "meta" for a META line, and any that contains "var " for a VAR line, in any case. Names
like "metabolism" or "LVar" would make it lose families, so they are percent-encoded, too.
"""

import re
from pathlib import Path

from noisyor.core import FormatError, ScoreTable
from noisyor.formats.score_text import (
    Block,
    NumberedLines,
    check_blocks,
    family_lines,
    foreign_table,
    percent_encoded,
    written_name,
)

VERSION = "0.1"
_LEADING = 1  # the score
_MISREAD = re.compile("m(?=eta)|r(?<=var)$", re.IGNORECASE)


def pss_bytes(table: ScoreTable) -> bytes:
    """Return the table's better relations as a .pss file."""
    scope = table.scope
    names = [_MISREAD.sub(lambda m: percent_encoded(m[0]), written_name(n)) for n in table.names]
    lines = [f"META pss_version = {VERSION}"]
    if scope.provenance.records:
        lines.append(f"META num_records={scope.provenance.records}")
    if scope.constraints.max_parents is not None:
        lines.append(f"META parent_limit={scope.constraints.max_parents}")
    own = scope.score is not None
    if own:  # for a foreign table, neither the score nor the arities are known
        lines.append(f"META score_type={scope.score}")
    for name, families in zip(names, family_lines(table, names, with_counts=False), strict=True):
        lines += ["", f"VAR {name}", *(["META arity=2"] if own else []), *families]
    return ("\n".join(lines) + "\n").encode()


def read_pss(data: bytes, path: Path) -> ScoreTable:
    """Return the foreign table in a .pss file; `path` is for messages."""
    source = NumberedLines.of(data, path)
    if not source.lines:
        raise FormatError(f"{path} is empty; a .pss file has META lines, VAR lines and scores")
    meta = _positions_of(b"META", source)
    for position in meta:
        _check_meta(source, position)
    source = source.without(meta)
    headers = _positions_of(b"VAR", source)
    blocks = _blocks(source, headers)
    check_blocks(source, blocks)
    return foreign_table(source, blocks, _LEADING)


def _positions_of(keyword: bytes, source: NumberedLines) -> list[int]:
    """Return where lines begin with the keyword, in any case."""
    initials = keyword[:1] + keyword[:1].lower()
    return [
        position
        for position, line in enumerate(source.lines)
        if line.lstrip()[:1] in initials and line.split(maxsplit=1)[0].upper() == keyword
    ]


def _blocks(source: NumberedLines, headers: list[int]) -> list[Block]:
    if not headers or headers[0] != 0:
        if not source.lines:
            raise FormatError(f"{source.path} has no VAR line; every variable begins with one")
        raise source.error(0, "expected a line META key=value or VAR name before the first score")
    blocks = []
    for header, end in zip(headers, [*headers[1:], len(source.lines)], strict=True):
        fields = source.lines[header].split()
        if len(fields) != 2:  # noqa: PLR2004 (VAR and the name)
            raise source.error(header, "expected VAR and one name without white space")
        blocks.append(Block(fields[1], header, range(header + 1, end)))
    return blocks


def _check_meta(source: NumberedLines, position: int) -> None:
    """Refuse a META line without a value, and a version of the format that is not known."""
    text = source.lines[position].split(maxsplit=1)
    key, equals, value = (text[1] if len(text) > 1 else b"").partition(b"=")
    if not equals:
        raise source.error(position, "expected META key=value")
    version = value.strip().decode()
    if key.strip().lower() == b"pss_version" and version != VERSION:
        raise source.error(position, f"pss_version is {version!r}; noisyor reads {VERSION}")
