"""A binarized table and its record as two files that belong together."""

from pathlib import Path

import polars as pl

from noisyor.core.errors import DataError, SettingsError
from noisyor.data.binarization import Binarization, Kept
from noisyor.data.raw_columns import category_of
from noisyor.files.content import text_in
from noisyor.files.whole import write_whole


def record_path(output: Path) -> Path:
    """Return the path of the record of a binarized table: OUT.binarize.json for OUT.csv."""
    if output.suffix != ".csv":
        raise SettingsError(f"the output is {str(output)!r}; its name must end in .csv")
    return output.with_suffix(".binarize.json")


def write_binarized(table: pl.DataFrame, binarization: Binarization, output: Path) -> Path:
    """Write a binary table as CSV, and its record next to it, both or neither; return its path."""
    record = record_path(output)
    _check_header(binarization)
    write_whole({output: table.write_csv().encode(), record: binarization.to_json().encode()})
    return record


def _check_header(binarization: Binarization) -> None:
    """Refuse names that would be read back as a first record, because each is also a value."""
    if all(
        isinstance(rule, Kept) and (category_of(rule.name) or "").casefold() in rule.states
        for rule in binarization.rules
    ):
        names = ", ".join(repr(rule.name) for rule in binarization.rules)
        raise DataError(
            f"every column is named like one of its values: {names}; in a CSV file such names "
            "cannot be distinguished from a record. Rename a column first"
        )


def read_binarization(path: Path) -> Binarization:
    """Return the rules that were written with a binarized table."""
    return Binarization.from_json(text_in(path), str(path))
