"""A binarized table and its record as two files that belong together."""

import json
from collections.abc import Iterable, Iterator
from itertools import permutations
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


def knowledge_path(output: Path) -> Path:
    """Return the path of the knowledge about a binarized table: OUT.knowledge.toml for OUT.csv."""
    return output.with_suffix(".knowledge.toml")


def write_binarized(
    table: pl.DataFrame, binarization: Binarization, output: Path
) -> tuple[Path, ...]:
    """Write a binary table as CSV, and files next to it, all or none; return their paths.

    They are the record of its rules and, if some column became several, the knowledge that these
    do not cause each other.
    """
    _check_header(binarization)
    files = {record_path(output): binarization.to_json()}
    apart = list(_siblings(binarization))
    if apart:
        files[knowledge_path(output)] = _knowledge(apart)
    texts = {path: text.encode() for path, text in files.items()}
    write_whole({output: table.write_csv().encode(), **texts})
    return tuple(files)


def _siblings(binarization: Binarization) -> Iterator[tuple[str, str]]:
    """Yield the ordered pairs of columns that were made from one column."""
    made: dict[str, list[str]] = {}
    for rule in binarization.rules:
        made.setdefault(rule.source, []).append(rule.name)
    for names in made.values():
        yield from permutations(names, 2)


def _knowledge(apart: Iterable[tuple[str, str]]) -> str:
    """Return a file that `formats.read_knowledge` reads. TOML writes texts as JSON does."""
    lines = (f"  [{json.dumps(cause)}, {json.dumps(effect)}],\n" for cause, effect in apart)
    return (
        "# Columns that were made from one column say the same in other words: none of them causes "
        f"another.\nforbidden = [\n{''.join(lines)}]\n"
    )


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
