"""Read delimited text: polars first, and a careful reader where polars may fail.

The careful reader (`text.TextTable.records`, on Python's csv module) defines what a file means.
polars reads the same records many times faster, but fills short rows with nulls, cannot report the
line of an error, and misreads malformed quotes. So it gets only files that are plain (see
`plain_text`). There are three attempts. The first two give up (IrregularError) at the first sign
of something that they cannot judge:

1. polars, with columns that look like small whole numbers in the first lines as 8-bit integers,
   and the others as text; it gives up at a null;
2. polars, with every column as text; a null is a missing value, and if the last column has any, a
   second pass over the lines makes sure that none is short;
3. the careful reader, which finds either the records or the place of the error.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from noisyor.core import DataError
from noisyor.data.coding import TableCoder
from noisyor.data.column_coder import DistrustedTextError
from noisyor.data.decimal_commas import cells_with_points, comma_columns, with_points
from noisyor.data.dialect import Dialect, Sample, find_dialect, find_header
from noisyor.data.missing import MissingPolicy
from noisyor.data.plain_text import has_even_lines, is_plain
from noisyor.data.row_names import UnnamedColumnError
from noisyor.data.text import Record, RecordSource, TextTable, read_sample
from noisyor.data.wishes import NO_WISHES, Wishes
from noisyor.files.batches import FAILURES, batches_of

_BATCH_CELLS = 5_000_000
_CAREFUL_BATCH_CELLS = 1_000_000
_SMALL_NUMBER = re.compile(r"-?[0-9]{1,2}")  # one that fits a byte
_LARGEST_TAIL = 1 << 16  # bytes at the end of a file that are searched for blank lines


class IrregularError(Exception):
    """A fast reader met something that only the careful one can judge."""


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What the caller knows about a delimited file; None is detected."""

    delimiter: str | None = None
    header: bool | None = None
    quote: str | None = None


def find_table(path: Path, options: TextOptions, suffix: str = "") -> TextTable:
    """Return how a delimited file is written: see `dialect`."""
    sample = read_sample(path)
    dialect = find_dialect(sample, options.delimiter, options.quote, suffix)
    records = sample.records(dialect)
    if not records:
        for _ in TextTable(path, (), dialect, 0).numbered_cells():
            pass  # says where quotes are malformed
        raise DataError("the first lines hold nothing but blanks and empty quotes")
    if not records[0] and any(len(cells) > 1 for cells in records):
        raise DataError("line 1 is blank; the table must begin there")
    commas = comma_columns(records, dialect)
    if _names_columns(records, commas) if options.header is None else options.header:
        names = tuple(cell.strip() for cell in records[0] or [""])
        if len(records) > 1 and all(len(cells) == len(names) + 1 for cells in records[1:]):
            names = ("", *names)  # as R's write.table does, whose row names have no header
        first = _lines_of_first_record(sample, dialect)
        return TextTable(path, names, dialect, first, comma_columns=commas)
    width = max(len(records[0]), 1)
    return TextTable(path, numbered_names(width), dialect, 0, comma_columns=commas)


def _names_columns(records: Sequence[Sequence[str]], commas: frozenset[int]) -> bool:
    if commas:
        records = [cells_with_points(cells, commas) for cells in records]
    return find_header(records)


def numbered_names(count: int) -> tuple[str, ...]:
    """Return the names of columns that have none: X1, X2, ..."""
    return tuple(f"X{number}" for number in range(1, count + 1))


def _lines_of_first_record(sample: Sample, dialect: Dialect) -> int:
    """Return how many lines the first record takes; the next one may be cut off by the sample."""
    left = iter(sample.lines)
    next(dialect.records(left))
    return len(sample.lines) - sum(1 for _ in left)


def code_table(table: TextTable, missing: MissingPolicy, wishes: Wishes = NO_WISHES) -> TableCoder:
    """Return the coded records of a delimited file, without the columns to drop."""
    for schema in _schemas(table):
        try:
            return _code_fast(table, schema, missing, wishes)
        except IrregularError:
            continue
    return code_records(table, missing, wishes)


def code_records(
    table: RecordSource, missing: MissingPolicy, wishes: Wishes = NO_WISHES
) -> TableCoder:
    """Return the coded records of a text file by the careful reader."""
    coder = TableCoder(table.names, missing, table.declared, wishes=wishes)
    for batch, failure in _careful_batches(table):
        coder.add(_series(batch, len(table.names)))
        if failure is not None:
            raise failure
    coder.check_row_names()
    return coder


def careful_columns(table: RecordSource) -> Iterator[list[pl.Series]]:
    """Yield the records as columns of text, read by the careful reader."""
    for batch, failure in _careful_batches(table):
        if failure is not None:
            raise failure
        yield _series(batch, len(table.names))


def _careful_batches(table: RecordSource) -> Iterator[tuple[list[Record], DataError | None]]:
    """Yield batches of records, each with the error that ended it, or None.

    An error in a record must not hide one in an earlier record of its batch.
    """
    records = table.records()
    size = max(1, _CAREFUL_BATCH_CELLS // len(table.names))
    while True:
        batch: list[Record] = []
        failure = None
        try:
            for record in islice(records, size):
                batch.append(record)  # noqa: PERF402 (an error must not lose those before it)
        except DataError as error:
            failure = error
        if batch or failure is not None:
            yield batch, failure
        if len(batch) < size:
            return


def _series(batch: Sequence[Record], width: int) -> list[pl.Series]:
    columns = zip(*(record.cells for record in batch), strict=True) if batch else [()] * width
    return [
        pl.Series(f"{position}", column, dtype=pl.String) for position, column in enumerate(columns)
    ]


def _schemas(table: TextTable) -> list[Mapping[str, pl.DataType]]:
    """Return the schemas that polars may try; none for a file that it cannot read.

    In a table of one column, a line of blanks may be a missing value or the end of the file, so
    polars reads only numbers there.
    """
    if not is_plain(table):
        return []
    sample = read_sample(table.path)
    rows = Sample(sample.lines[table.first_line :], sample.whole).records(table.dialect) or []
    text: dict[str, pl.DataType] = {f"{i}": pl.String() for i in range(len(table.names))}
    numbers = {
        name: pl.Int8()
        if all(map(_SMALL_NUMBER.fullmatch, {cells[place] for cells in rows if cells[place:]}))
        else kind
        for place, (name, kind) in enumerate(text.items())
    }
    schemas = [numbers, text] if numbers != text else [text]
    return [one for one in schemas if len(table.names) > 1 or one != text]


def _code_fast(
    table: TextTable,
    schema: Mapping[str, pl.DataType],
    missing: MissingPolicy,
    wishes: Wishes,
) -> TableCoder:
    distrusted = _distrusted(table)
    coder = TableCoder(table.names, missing, table.declared, wishes=wishes, distrusted=distrusted)
    try:
        for batch in _fast_batches(table, schema):
            coder.add(batch.get_columns())
        coder.check_row_names()
    except (DistrustedTextError, UnnamedColumnError) as error:
        raise IrregularError(str(error)) from error  # the careful reader knows better
    return coder


def text_batches(table: TextTable) -> Iterator[pl.DataFrame]:
    """Yield the records as text, read by polars; raise IrregularError for anything irregular."""
    schema = {f"{i}": pl.String() for i in range(len(table.names))}
    if schema not in _schemas(table):
        raise IrregularError("polars cannot read this file")
    suspect = pl.any_horizontal(
        pl.all().str.contains(mark, literal=True).fill_null(value=False).any()
        for mark in sorted(_distrusted(table))
    )
    for batch in _fast_batches(table, schema):
        if batch.select(suspect).item():
            raise IrregularError("polars may have misread a quote")
        yield batch


def _distrusted(table: TextTable) -> frozenset[str]:
    """Return characters that make a cell doubtful: polars may have misread it."""
    return frozenset(f"\0{table.dialect.quote}")


def _fast_batches(table: TextTable, schema: Mapping[str, pl.DataType]) -> Iterator[pl.DataFrame]:
    """Yield the records as polars reads them, with nulls for missing cells.

    Blank lines at the end of the file appear as rows of nulls only, and are removed.
    """
    tail = _blank_lines_at_end(table.path)
    gaps_allowed = all(dtype == pl.String for dtype in schema.values())
    blank = 0
    last_column_has_gaps = False
    try:
        for whole_batch in batches_of(_scanned(table, schema), max(1, _BATCH_CELLS // len(schema))):
            batch = _without_blank_end(whole_batch) if tail else whole_batch
            if blank and len(batch):
                raise IrregularError("blank lines are not at the end")
            blank += len(whole_batch) - len(batch)
            if not gaps_allowed and any(column.null_count() for column in batch.get_columns()):
                raise IrregularError("a row is short or a cell is empty")
            last_column_has_gaps |= bool(batch.to_series(-1).null_count())
            yield _with_points(batch, table.comma_columns)
    except FAILURES as error:
        raise IrregularError(str(error)) from error
    if blank != tail:
        raise IrregularError("the blank lines at the end do not add up")
    if last_column_has_gaps and not has_even_lines(table):
        raise IrregularError("a row may be short")


def _with_points(batch: pl.DataFrame, places: frozenset[int]) -> pl.DataFrame:
    texts = [f"{place}" for place in sorted(places) if batch.dtypes[place] == pl.String]
    return batch.with_columns(with_points(pl.col(name)) for name in texts)


def _scanned(table: TextTable, schema: Mapping[str, pl.DataType]) -> pl.LazyFrame:
    return pl.scan_csv(
        table.path,
        has_header=False,
        schema=schema,
        separator=table.dialect.delimiter,
        quote_char=table.dialect.quote or None,
        skip_lines=table.first_line,
        glob=False,
    )


def _without_blank_end(batch: pl.DataFrame) -> pl.DataFrame:
    some = batch.select(~pl.all_horizontal(pl.all().is_null())).to_series().arg_true()
    return batch.head(int(some[-1]) + 1 if len(some) else 0)


def _blank_lines_at_end(path: Path) -> int:
    """Return how many empty lines a file ends with; lines of blanks do not count.

    If they do not fit in the last bytes, the count is too small. It then disagrees with what
    polars sees, and the file is left to the careful reader.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _LARGEST_TAIL))
        end = file.read()
    ended = end.rstrip(b"\r\n")
    return max(0, end[len(ended) :].count(b"\n") - 1)
