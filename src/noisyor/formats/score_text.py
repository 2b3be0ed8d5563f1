"""What the text formats of scores share: numbered lines, names, reading and writing families.

A score is minus a cost. Lines are split at white space, so a name must not contain any; see
`written_name`. Blank lines and lines that begin with '#' are skipped.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import Constraints, FormatError, Provenance, ScoreTable, TableScope
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.relations import root_relation
from noisyor.core.variable_sets import MAX_VARIABLES, Words, set_of, to_words, word_count

_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_IN_NUMBERS = b"0123456789+-.eE"
_RESERVED = "%#"

WITH_COUNT = 2
"""Leading fields of a line that has the score and the number of parents before the parents."""


@dataclass(frozen=True, slots=True)
class NumberedLines:
    """The lines of a file that are neither blank nor comments, with their numbers."""

    path: Path
    lines: Sequence[bytes]
    numbers: Sequence[int]

    @classmethod
    def of(cls, data: bytes, path: Path) -> "NumberedLines":
        """Return the lines of a UTF-8 file that are neither blank nor comments."""
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FormatError(f"{path}, line {line}: not UTF-8 text ({error.reason})") from error
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        telling = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(b"#")]
        return cls(path, [lines[i] for i in telling], [i + 1 for i in telling])

    def without(self, positions: Iterable[int]) -> "NumberedLines":
        """Return all lines but those at these positions."""
        dropped = set(positions)
        kept = [i for i in range(len(self.lines)) if i not in dropped]
        return NumberedLines(
            self.path, [self.lines[i] for i in kept], [self.numbers[i] for i in kept]
        )

    def error(self, position: int, message: str) -> FormatError:
        """Return the error for the line at this position."""
        return FormatError(f"{self.path}, line {self.numbers[position]}: {message}")


@dataclass(frozen=True, slots=True)
class Block:
    """Where a file lists the parent sets of one variable: at the positions in `families`."""

    name: bytes
    header: int
    families: range

    def lines(self, source: NumberedLines) -> Sequence[bytes]:
        """Return the lines of its parent sets."""
        return source.lines[self.families.start : self.families.stop]


def check_blocks(source: NumberedLines, blocks: Sequence[Block]) -> None:
    """Refuse repeated variables, variables without a parent set, and too many variables."""
    seen: dict[bytes, int] = {}
    for block in blocks:
        if block.name in seen:
            first = source.numbers[seen[block.name]]
            raise source.error(
                block.header,
                f"variable {_shown(block.name)} comes again after line {first}; allowed: once",
            )
        seen[block.name] = block.header
        if not block.families:
            raise source.error(
                block.header,
                f"variable {_shown(block.name)} has no parent set; each needs at least one "
                "(the empty one counts), or no network could be built",
            )
        if len(seen) > MAX_VARIABLES:
            raise source.error(
                block.header, f"variable {len(seen)}; at most {MAX_VARIABLES} are supported"
            )


def foreign_table(source: NumberedLines, blocks: Sequence[Block], leading: int) -> ScoreTable:
    """Return the table in a file without a sidecar.

    `leading` is the number of fields in a family's line before its parents, the score first.
    """
    bits = {block.name: 1 << variable for variable, block in enumerate(blocks)}
    names = tuple(block.name.decode() for block in blocks)
    scores: list[float] = []
    sets: list[int] = []
    for block in blocks:
        block_scores, block_sets = _families(source, block, bits, leading)
        _check_distinct(source, block, block_sets)
        scores += block_scores
        sets += block_sets
    count = len(scores)
    children = np.repeat(
        np.arange(len(blocks), dtype=np.int32), [len(block.families) for block in blocks]
    )
    parents = to_words(sets, word_count(len(names)))
    costs = 0.0 - np.array(scores, dtype=np.float64)  # not -x, which makes 0 a negative zero
    columns = FamilyColumns(
        children=children,
        parents=parents,
        relations=np.full(count, root_relation().code, dtype=np.uint8),
        costs=costs,
        gaps=np.zeros(count),
        offsets=np.zeros(count + 1, dtype=np.int64),
        parameters=np.zeros(0),
    )
    scope = TableScope(Constraints.none(names), None, None, None, Provenance(""))
    return ScoreTable(names, columns.ordered(), scope)


def _families(
    source: NumberedLines, block: Block, bits: Mapping[bytes, int], leading: int
) -> tuple[list[float], list[int]]:
    """Return scores and parent sets of one variable.

    All lines are converted together; only if that fails is each checked separately. The sum
    of k powers of two has k bits if and only if they are distinct.
    """
    texts: list[bytes] = []
    sets: list[int] = []
    sizes: list[int] = []
    stated: list[bytes] = []
    try:
        for row in map(bytes.split, block.lines(source)):
            texts.append(row[0])
            stated += row[1:leading]
            sizes.append(len(row) - leading)
            sets.append(sum([bits[name] for name in row[leading:]]))
        scores = list(map(float, texts))
    except (ValueError, KeyError):
        _check_lines(source, block, bits, leading)
        raise
    own = bits[block.name]
    if (
        b"".join(texts).translate(None, _IN_NUMBERS)
        or not all(map(isfinite, scores))
        or [one.bit_count() for one in sets] != sizes
        or (leading == WITH_COUNT and stated != [b"%d" % size for size in sizes])
        or any(one & own for one in sets)
    ):
        _check_lines(source, block, bits, leading)
    return scores, sets


def _check_lines(
    source: NumberedLines, block: Block, bits: Mapping[bytes, int], leading: int
) -> None:
    """Refuse the first line that is not a family of the block's variable."""
    header = source.numbers[block.header]
    among = f"(among the parent sets of {_shown(block.name)}, which begin after line {header})"
    if leading == WITH_COUNT:
        check_counts(source, block)
    for position, line in zip(block.families, block.lines(source), strict=True):
        row = line.split()
        if not _NUMBER.fullmatch(row[0]) or not isfinite(float(row[0])):
            raise source.error(
                position, f"the score is {_shown(row[0])}; it must be a finite number {among}"
            )
        seen: set[bytes] = set()
        for parent in row[leading:]:
            if parent not in bits:
                raise source.error(
                    position, f"the parent {_shown(parent)} is not a variable of this file {among}"
                )
            if parent == block.name:
                raise source.error(position, f"{_shown(parent)} is its own parent")
            if parent in seen:
                raise source.error(position, f"the parent {_shown(parent)} is listed twice")
            seen.add(parent)


def check_counts(source: NumberedLines, block: Block) -> None:
    """Refuse the first line whose number of parents is not the one it states."""
    for position, line in zip(block.families, block.lines(source), strict=True):
        row = line.split()
        if len(row) < WITH_COUNT or row[1] != b"%d" % (len(row) - WITH_COUNT):
            raise source.error(
                position,
                "expected a score, the number of parents and as many parents: one of the parent "
                f"sets that line {source.numbers[block.header]} announces for {_shown(block.name)}",
            )


def _check_distinct(source: NumberedLines, block: Block, sets: Sequence[int]) -> None:
    if len(set(sets)) == len(sets):
        return
    first: dict[int, int] = {}
    for position, one in zip(block.families, sets, strict=True):
        if one in first:
            raise source.error(
                position,
                f"the parent set of {_shown(block.name)} in line {source.numbers[first[one]]} "
                "comes again; allowed: once",
            )
        first[one] = position


def _shown(text: bytes) -> str:
    """Return a field for a message, shortened if it is long."""
    return repr(text.decode()[:60])


def written_name(name: str) -> str:
    """Return a name that text formats can hold: white space and the like are percent-encoded.

    So are '#', which begins a comment, and '%', so that different names stay different. A
    reader without the sidecar leaves names as they are written.
    """
    return "".join(
        percent_encoded(char)
        if char.isspace() or char in _RESERVED or not char.isprintable()
        else char
        for char in name
    )


def percent_encoded(text: str) -> str:
    """Return every byte of the UTF-8 text as %XX."""
    return "".join(f"%{byte:02X}" for byte in text.encode())


def family_lines(
    table: ScoreTable, names: Sequence[str], *, with_counts: bool
) -> list[Sequence[str]]:
    """Return the lines of each variable: score, number of parents if `with_counts`, parents.

    They have only the better relation of each parent set, since the formats hold only one.
    """
    rows = np.flatnonzero(table.has_best_relation())
    parts: list[list[str]] = [[f"{score:.17g}" for score in (0.0 - table.costs[rows]).tolist()]]
    if with_counts:
        parts.append([f" {count}" for count in table.parent_counts()[rows].tolist()])
    parts += _parent_parts(table.parents[rows], names)
    lines = list(map("".join, zip(*parts, strict=True)))
    bounds = np.searchsorted(table.children[rows], np.arange(len(names) + 1)).tolist()
    for variable, name in enumerate(table.names):
        if bounds[variable] == bounds[variable + 1]:
            why = "; ".join(table.scope.shortfalls) or "it was not scored"
            raise FormatError(
                f"variable {name!r} has no families ({why}); only a .parquet file can hold "
                "such a table"
            )
    return [lines[first:last] for first, last in pairwise(bounds)]


def _parent_parts(parents: Words, names: Sequence[str]) -> list[list[str]]:
    """Return columns of text that, joined, list the names in each set, a blank before each.

    A column covers eight variables: a lookup among 256 prepared texts replaces eight tests.
    """
    octets: npt.NDArray[np.uint8] = parents.astype("<u8").view(np.uint8)
    columns = []
    for first in range(0, len(names), 8):
        some = names[first : first + 8]
        texts = [
            "".join(f" {name}" for bit, name in enumerate(some) if pattern >> bit & 1)
            for pattern in range(set_of(range(len(some))) + 1)
        ]
        columns.append([texts[pattern] for pattern in octets[:, first // 8].tolist()])
    return columns
