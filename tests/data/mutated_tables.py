"""Feed mutated text files to the fast reader and to the careful one, and compare the results.

    python -m tests.data.mutated_tables --files 20000

prints every file on which they differ; the exit code is 1 if there is any.
"""

import argparse
import random
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import polars as pl

from noisyor.core import DataError
from noisyor.data.delimited import TextOptions, code_records, code_table, find_table
from noisyor.data.gobnilp import find_gobnilp_table
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw import raw_text
from noisyor.data.text import RecordSource, TextTable
from noisyor.data.warning import DataWarning
from noisyor.data.wishes import Wishes
from tests.fuzz.mutations import mutated

_ROWS = ("0{0}1{0}0", "1{0}0{0}1", "1{0}1{0}1", "0{0}0{0}0", "0{0}1{0}1")
_TEXTS = ("no{0}0{0}a", "yes{0}1{0}b", "yes{0}NA{0}a", "no{0}{0}b", "?{0}0{0}a", "no{0}1{0}")
_STATES = ("low{0}0{0}7", "mid{0}1{0}12", "high{0}2{0}7", "low{0}3{0}-1", "mid{0}0{0}12")
_COMMAS = ("no{0}0,5{0}7", "yes{0}-1,25{0}12", "no{0}3{0}0,5", "yes{0}{0}1,250", "no{0}+,5{0}7")
_QUOTED = ('"no"{0}"0"{0}"a"', '"yes"{0}"1"{0}"b ""x"""', '"no"{0}1{0}"b{0} c"')
_ENDS = ("\n", "\n\n", "\n\n\n", "", "\r\n", "\n \n", "\n\t\n")


_NUDGES = tuple(
    text.encode()
    for text in (
        *("", "", "0", "1", "2", "no", "NA", "?", "1.0", " ", "  ", "\t", ",", ";", "\n", "\n\n"),
        *("x", "X", "07", "-0", "+1", "128", "1e2", "0,5"),
        *(
            "\r",
            "\r\n",
            "\n\r",
            '"',
            "'",
            '""',
            "\ufeff",
            "#",
            "\n#",
            "\xa0",
            "\x1f",
            "\0",
            "\u2028",
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of text file: the files that are mutated, and how the table in one is found."""

    seeds: tuple[bytes, ...]
    find: Callable[[Path, random.Random], TextTable]


def _delimited_seeds(delimiter: str) -> tuple[bytes, ...]:
    header = "flu{0}cold{0}cough\n"
    bodies = (
        "\n".join(rows)
        for rows in (_ROWS * 3, _TEXTS * 2, _STATES * 3, _QUOTED * 2, (*_ROWS, *_TEXTS))
    )
    texts = [head + body for body in bodies for head in (header, "")]
    if delimiter != ",":
        texts += [header + "\n".join(_COMMAS * 3), "\n".join(_COMMAS * 3)]
    texts += ["flu\n0\n1\n\n0", "0\n1\n1", "0{0}1\r\n1{0}0\r\n0{0}0"]
    return tuple(
        (text.format(delimiter) + end).encode()
        for place, text in enumerate(texts)
        for end in (_ENDS[place % len(_ENDS)], "\n")
    )


def _delimited(delimiter: str) -> Kind:
    def find(path: Path, numbers: random.Random) -> TextTable:
        header = numbers.choice((None, True, False))
        quote = numbers.choice((None, None, '"', "'", ""))
        return find_table(path, TextOptions(numbers.choice((None, delimiter)), header, quote))

    return Kind(_delimited_seeds(delimiter), find)


def _gobnilp_seeds() -> tuple[bytes, ...]:
    head = "flu cold cough\n2 2 2\n"
    body = "\n".join(_ROWS * 2).format(" ")
    spaced = body.replace(" ", "  ")
    comment = "# made by hand\n"
    states = "flu cold cough\n3 4 4\n" + "\n".join(_STATES * 2).format(" ")
    texts = (head + body, comment + head + body, head + comment + body, head + spaced, states)
    return tuple((text + end).encode() for text in texts for end in _ENDS)


KINDS = {
    "csv": _delimited(","),
    "semicolon": _delimited(";"),
    "tsv": _delimited("\t"),
    "white space": _delimited(" "),
    "dat": Kind(_gobnilp_seeds(), lambda path, _: find_gobnilp_table(path)),
}


def differences(kind: str, files: int, seed: int) -> Iterator[tuple[bytes, str]]:
    """Yield mutated files on which the readers differ, and how."""
    numbers = random.Random(f"{kind} {seed}")  # noqa: S311  (to be repeated)
    seeds = list(KINDS[kind].seeds)
    with tempfile.TemporaryDirectory() as folder, short_looks(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for number in range(files):
            content = numbers.choice((mutated, _nudged))(seeds, numbers)
            path = Path(folder) / f"{number}.txt"
            path.write_bytes(content)
            missing = numbers.choice(tuple(MissingPolicy))
            with suppress(DataError):  # no table is found, so there is nothing to compare
                table = KINDS[kind].find(path, numbers)
                said = difference(table, missing)
                if said:
                    yield content, f"{table.dialect}, {table.first_line} lines before, {said}"
            path.unlink()


def _nudged(seeds: list[bytes], numbers: random.Random) -> bytes:
    """Return one of the seeds with one or two changes on which readers may differ.

    With more changes, hardly any file remains that polars reads to the end.
    """
    content = bytearray(numbers.choice(seeds))
    for _ in range(numbers.randint(1, 2)):
        place = numbers.choice((0, len(content), *range(len(content))))
        content[place : place + numbers.randint(0, 2)] = numbers.choice(_NUDGES)
    return bytes(content)


def difference(table: TextTable, missing: MissingPolicy) -> str:
    """Return how the readers differ on a table; None if they agree."""
    careful = _said(lambda: code_records(table, missing).dataset(Wishes()))
    fast = _said(lambda: code_table(table, missing).dataset(Wishes()))
    if careful != fast:
        return f"{missing}: careful {careful!r}, fast {fast!r}"
    raw_careful, raw_fast = _said(lambda: raw_text(_Records(table))), _said(lambda: raw_text(table))
    if isinstance(raw_careful, pl.DataFrame) and isinstance(raw_fast, pl.DataFrame):
        same = raw_careful.equals(raw_fast) and raw_careful.dtypes == raw_fast.dtypes
    else:
        same = str(raw_careful) == str(raw_fast)
    return "" if same else f"raw: careful {raw_careful!r}, fast {raw_fast!r}"


class _Records:
    """A table that only the careful reader can read."""

    def __init__(self, table: RecordSource) -> None:
        self.names = table.names
        self.declared = table.declared
        self.records = table.records


def _said(read: Callable[[], object]) -> object:
    try:
        return read()
    except DataError as error:
        return str(error)


@contextmanager
def short_looks() -> Iterator[None]:
    """Shorten the sample, so that small files extend beyond it."""
    with (
        patch("noisyor.data.text._SAMPLE_LINES", 6),
        patch("noisyor.data.column_coder._FIRST_LOOK", 4),
    ):
        yield


def main() -> int:
    """Try files of every kind, print those on which readers differ, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000, help="of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", action="append", choices=list(KINDS))
    options = parser.parse_args()
    found: Counter[str] = Counter()
    for kind in options.kind or KINDS:
        for content, said in differences(kind, options.files, options.seed):
            found[kind] += 1
            sys.stdout.write(f"{kind}: {content!r}\n    {said}\n")
        sys.stdout.write(f"{kind}: {options.files} files, {found[kind]} differ\n")
        sys.stdout.flush()
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
