"""GOBNILP's data files: a line of names, a line of arities, then records, split by white space."""

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from noisyor.core import DataError, Variable
from noisyor.data.dialect import WHITE_SPACE, Dialect
from noisyor.data.state_choice import Declared
from noisyor.data.text import TextTable, read_sample
from noisyor.data.values import key_of

_COMMENT = "#"
_UNREADABLE = re.compile(r"[\s\0\"\ufeff]")
_ARITY = re.compile("0{0,9}[1-9][0-9]{0,8}")  # bounded: int() refuses thousands of digits


def find_gobnilp_table(path: Path) -> TextTable:
    """Return the table in a `.dat` file."""
    head: list[tuple[int, list[str]]] = []
    for number, line in enumerate(read_sample(path).lines, start=1):
        if line.strip() and not line.startswith(_COMMENT):
            head.append((number, line.split()))
        if len(head) == 2:  # noqa: PLR2004 (names and arities)
            break
    else:
        raise DataError(
            "a .dat file begins with a line of names and a line of arities; this one ends earlier"
        )
    (_, names), (last, arities) = head
    if len(names) != len(arities):
        raise DataError(
            f"line {last} has {len(arities)} arities for {len(names)} names; each column needs one"
        )
    for name, arity in zip(names, arities, strict=True):
        if _ARITY.fullmatch(arity) is None:
            raise DataError(
                f"the arity of column {name!r} in line {last} is {arity!r:.60}; it must be a whole "
                "number of at least 1 (a .dat file has names, arities, then records)"
            )
    declared = tuple(Declared(count=int(arity)) for arity in arities)
    return TextTable(path, tuple(names), Dialect(WHITE_SPACE), last, _COMMENT, declared)


def gobnilp_text(variables: Sequence[Variable], records: pl.DataFrame) -> str:
    """Return records of labels, one column per variable, as the text of a `.dat` file."""
    for variable in variables:
        _check_word(variable.name, "a name")
        for state in variable.states:
            _check_word(state, f"a state of {variable.name!r}")
    names = " ".join(variable.name for variable in variables)
    arities = " ".join(str(variable.state_count) for variable in variables)
    body = records.write_csv(separator=" ", include_header=False, quote_style="never")
    return f"{names}\n{arities}\n{body}"


def _check_word(text: str, what: str) -> None:
    """Refuse text that would be read as something else: cells, a comment, a missing value."""
    if _UNREADABLE.search(text) or text.startswith(_COMMENT) or key_of(text) is None:
        raise DataError(
            f"{what} is {text!r}; in a .dat file it must be a word without blanks and quotes, "
            f"which neither begins with {_COMMENT} nor means a missing value"
        )
