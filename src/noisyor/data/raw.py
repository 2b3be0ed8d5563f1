"""Raw tables of any values: a column is numeric if all its values are, else text."""

from collections.abc import Collection
from dataclasses import dataclass

import polars as pl

from noisyor.core import DataError
from noisyor.data.delimited import IrregularError, careful_columns, text_batches
from noisyor.data.frames import ColumnTable, check_distinct
from noisyor.data.row_names import without_row_names
from noisyor.data.state_choice import UNDECLARED, Declared
from noisyor.data.text import RecordSource, TextTable
from noisyor.data.values import MISSING_WORDS
from noisyor.data.wishes import NO_WISHES, Wishes, kept_places


@dataclass(frozen=True, slots=True)
class RawTable:
    """Columns of numbers, booleans, text or categories, and what their source says about them.

    `declared` is empty, or says something about each column. `row_names` is the name of a column
    of row names that was left out; None if there was none.
    """

    frame: pl.DataFrame
    declared: tuple[Declared, ...] = ()
    row_names: str | None = None

    def by_column(self) -> dict[str, Declared]:
        """Return what is said about the states of each column."""
        said = self.declared or (UNDECLARED,) * self.frame.width
        return dict(zip(self.frame.columns, said, strict=True))

    def without(self, columns: Collection[str]) -> "RawTable":
        """Return the table without some columns."""
        places = kept_places(self.frame.columns, columns)
        declared = tuple(self.declared[place] for place in places) if self.declared else ()
        return RawTable(self.frame[:, places], declared, self.row_names)

    def without_row_names(self, wishes: Wishes = NO_WISHES) -> "RawTable":
        """Return the table without the column that holds row names, if one does."""
        frame, name = without_row_names(self.frame, wishes)
        if name is None:
            return self
        return RawTable(frame, self.declared[1:], name)


def raw_text(table: RecordSource) -> RawTable:
    """Return the cells of a text file; missing ones are null."""
    check_distinct(table.names)
    columns = dict(zip(table.names, _texts(table), strict=True))
    frame = pl.DataFrame({name: _typed(column) for name, column in columns.items()})
    return RawTable(frame, table.declared)


def raw_columns(table: ColumnTable) -> RawTable:
    """Return the columns of a frame or an array; NaN and words for missing become null."""
    check_distinct(table.names)
    batches = [pl.DataFrame(dict(zip(table.names, batch, strict=True))) for batch in table.batches]
    if not batches:
        raise DataError("the table has no records; at least one is needed")
    columns = pl.concat(batches).to_dict()
    frame = pl.DataFrame({name: _plain(column) for name, column in columns.items()})
    return RawTable(frame, table.declared)


def _texts(table: RecordSource) -> list[pl.Series]:
    if isinstance(table, TextTable):
        try:
            batches = list(text_batches(table))
        except IrregularError:
            batches = []  # the careful reader finds the records, or the place of the error
        if any(len(batch) for batch in batches):
            return pl.concat(batches).get_columns()
    batches = [pl.DataFrame(batch) for batch in careful_columns(table)]
    if not batches:
        raise DataError("the table has no records; at least one is needed")
    return pl.concat(batches).get_columns()


def _plain(values: pl.Series) -> pl.Series:
    """Return numbers, booleans and categories as they are, anything else as text.

    Missing values are null. Categories keep their type: it may hold their order, and says that they
    are no numbers, whatever they look like.
    """
    if values.dtype.is_float():
        return values.fill_nan(None)
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        return values
    if values.dtype.base_type() in {pl.Categorical, pl.Enum}:
        known = _without_missing_words(values.cast(pl.String)).is_not_null()
        return values.zip_with(known, values.clear(len(values)))
    return _without_missing_words(values.cast(pl.String))


def _typed(texts: pl.Series) -> pl.Series:
    """Return a column of text as integers or floats if every value is one."""
    texts = _without_missing_words(texts)
    for dtype in (pl.Int64, pl.Float64):
        numbers = texts.cast(dtype, strict=False)
        if texts.null_count() < len(texts) and numbers.null_count() == texts.null_count():
            return numbers
    return texts


def _without_missing_words(texts: pl.Series) -> pl.Series:
    texts = texts.str.strip_chars()
    missing = texts.str.to_lowercase().is_in(sorted(MISSING_WORDS))
    return texts.set(missing.fill_null(value=True), None)
