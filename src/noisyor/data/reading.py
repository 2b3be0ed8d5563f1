"""Read a table from a file, a frame or an array."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from noisyor.core import Dataset, Network
from noisyor.core.arguments import checked_arguments
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.data.bin_choices import BinChoices
from noisyor.data.binned_tables import BinnedReading, BinsOption, asked_bins
from noisyor.data.binning import Binning
from noisyor.data.coding import TableCoder, warn_of_constant_columns
from noisyor.data.columnar_files import file_table
from noisyor.data.delimited import TextOptions, code_records, code_table
from noisyor.data.frames import code_columns
from noisyor.data.local_files import Format, LocalFile, local_file
from noisyor.data.missing import MissingPolicy, refuse_em
from noisyor.data.raw import RawTable, raw_columns
from noisyor.data.raw_reading import raw_file
from noisyor.data.row_names import NotRowNamesError
from noisyor.data.sources import (
    refuse_file_options,
    refuse_names,
    refuse_text_options,
    table_in_memory,
    text_table,
    titled,
)
from noisyor.data.text import TextTable
from noisyor.data.unusable import UnusableColumn, too_many, unusable_columns
from noisyor.data.wishes import Wishes


@checked_arguments
def read(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    present: Mapping[str, str] | None = None,
    order: Mapping[str, Sequence[str]] | Network | None = None,
    drop: Sequence[str] | None = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
    bins: BinsOption = None,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> Dataset:
    """Return the records of a file, a frame or an array.

    Parameters
    ----------
    source
        A path ("-" is standard input), a frame of pandas, polars or pyarrow, or a numpy array.
    present
        By column, the value that means present, for columns of two values; `{"*": "yes"}` is for
        every column that has this value and is not named itself. By default, an accepted pair of
        words (no/yes, 0/1, ...) has its meaning, and of any other two values the larger number
        means present, or the rarer text, with a warning.
    order
        By column, all its states in their order, also those that never occur; or a `Network`,
        which gives those of its variables. By default, numbers and ordered categoricals have an
        order, and other columns of more than two states do not.
    drop
        Columns to leave out, such as an identifier. A first column of row names, as R and pandas
        write them, is left out without being named, with a warning.
    missing
        `error` refuses a table that lacks values; `drop` leaves out the records that do, with a
        warning that counts them; `state` makes the absence of a value one more state of its column,
        `missing`, which then has no order. `read_incomplete` keeps the gaps.
    bins
        How columns of numbers become a few ordered states: `4` or `"quantiles:4"` (bins with equal
        numbers of records), `"width:5"` (equal width), `"mdl:TARGET"` (as many bins as help to
        predict a column; see `discretize`), all for columns of numbers with more than 12 distinct
        values; `"COLUMN=18,40,65"` (given cuts) or `"COLUMN=width:5"` for one column; a list of
        these; `"none"`; or the bins of earlier data, as a `Binning` or the name of its `.json`
        file. By default, three bins by quantiles, with a warning.
    delimiter, header, quote
        The delimiter of a text file, whether its first line holds the names, and its quote
        character, where an empty one means no quoting. By default, all are detected from the
        first lines.
    format
        The format of a file, such as `csv` or `parquet`; by default, its suffix gives it.
    names
        The names of the columns of a numpy array; by default X1, X2, ...

    Examples
    --------
    >>> import numpy as np
    >>> import noisyor
    >>> data = noisyor.read(np.array([[0, 1], [1, 1], [0, 0]]), names=["flu", "cough"])
    >>> data.names, data.record_count
    (('flu', 'cough'), 3)
    >>> data = noisyor.read(
    ...     np.array([["low"], ["high"], ["low"]]), names=["dose"], order={"dose": ["low", "high"]}
    ... )
    >>> data.states
    (('low', 'high'),)
    """
    options = ReadOptions(
        wishes=Wishes.of(present, order, drop),
        missing=MissingPolicy.of(missing),
        bins=asked_bins(bins),
        text=TextOptions(delimiter, header, quote),
        format=format,
        names=names,
    )
    data = read_with_bins(source, options)[0]
    warn_of_constant_columns(data)
    return data


@checked_arguments
def read_incomplete(  # noqa: PLR0913 (one parameter an option)
    source: object,
    *,
    present: Mapping[str, str] | None = None,
    order: Mapping[str, Sequence[str]] | Network | None = None,
    drop: Sequence[str] | None = None,
    bins: BinsOption = None,
    delimiter: str | None = None,
    header: bool | None = None,
    quote: str | None = None,
    format: str | None = None,  # noqa: A002 (the word that people know)
    names: Sequence[str] | None = None,
) -> IncompleteDataset:
    """Return the records of a file, a frame or an array with their gaps.

    Bins are chosen by the values that are there.

    Parameters
    ----------
    source, present, order, drop, bins, delimiter, header, quote, format, names
        As for `read`.

    Examples
    --------
    >>> import noisyor
    >>> import polars as pl
    >>> sheet = pl.DataFrame({"flu": [0, 1, None], "cough": [1, 1, 0]})
    >>> noisyor.read_incomplete(sheet)
    IncompleteDataset(2 variables, 3 records, 1 missing cell)
    """
    options = ReadOptions(
        wishes=Wishes.of(present, order, drop),
        bins=asked_bins(bins),
        text=TextOptions(delimiter, header, quote),
        format=format,
        names=names,
    )
    data = read_with_gaps(source, options)[0]
    warn_of_constant_columns(data)
    return data


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """The options of `read`, checked."""

    wishes: Wishes = field(default_factory=Wishes)
    missing: MissingPolicy = MissingPolicy.ERROR
    bins: BinChoices | Binning = field(default_factory=lambda: asked_bins(None))
    text: TextOptions = field(default_factory=TextOptions)
    format: str | None = None
    names: Sequence[str] | None = None


def read_with_bins(source: object, options: ReadOptions) -> tuple[Dataset, Binning]:
    """Return the records as `read` does, and the bins of their numbers."""
    refuse_em(options.missing)
    with _opened(source, options) as table:
        return table.read(options.bins)


def read_with_gaps(source: object, options: ReadOptions) -> tuple[IncompleteDataset, Binning]:
    """Return the records as `read_incomplete` does, and the bins of their numbers."""
    with _opened(source, replace(options, missing=MissingPolicy.EM)) as table:
        return table.read_incomplete(options.bins)


def read_by_policy(
    source: object, options: ReadOptions
) -> tuple[Dataset | IncompleteDataset, Binning]:
    """Return the records, with their gaps if the policy is EM and there are any, and the bins."""
    if options.missing is not MissingPolicy.EM:
        return read_with_bins(source, options)
    gaps, binning = read_with_gaps(source, options)
    return (gaps if gaps.missing_cells else gaps.complete_records()), binning


@contextmanager
def _opened(source: object, options: ReadOptions) -> Iterator[BinnedReading]:
    """Open a source to be read in bins."""
    wishes, missing = options.wishes, options.missing
    if not isinstance(source, str | Path):
        refuse_file_options(options.text, options.format)
        yield BinnedReading(
            lambda: coded_as_wished(
                lambda own: code_columns(table_in_memory(source, options.names), missing, own),
                wishes,
            ),
            lambda: _raw_as_wished(raw_columns(table_in_memory(source, options.names)), wishes),
            wishes,
            missing,
        )
        return
    refuse_names(options.names)
    with titled(source), local_file(source, options.format) as file:
        yield _file_reading(file, options)


@dataclass(frozen=True, slots=True)
class UsableTable:
    """What can be learned from a table, the bins of its numbers, and what cannot be.

    `raw` has all columns but row names and those to drop; `refused` says which of them cannot be
    learned from.
    """

    records: Dataset | IncompleteDataset
    binning: Binning
    raw: RawTable
    refused: tuple[UnusableColumn, ...]


def read_usable(source: object, options: ReadOptions) -> UsableTable:
    """Return the records without columns that cannot be learned from, and those columns.

    If the policy is EM, gaps are kept.
    """
    if not isinstance(source, str | Path):
        with _opened(source, options) as reading:
            raw, refused = _judged(reading.raw(), options.wishes)
        left = _without(options, refused)
        with _opened(source, left) as reading:
            return UsableTable(*_read_by_policy(reading, left), raw, refused)
    refuse_names(options.names)
    with titled(source), local_file(source, options.format) as file:
        raw, refused = _judged(_file_reading(file, options).raw(), options.wishes)
        left = _without(options, refused)
        return UsableTable(*_read_by_policy(_file_reading(file, left), left), raw, refused)


def _judged(raw: RawTable, wishes: Wishes) -> tuple[RawTable, tuple[UnusableColumn, ...]]:
    refused = unusable_columns(raw, wishes)
    if len(refused) == raw.frame.width:
        raise too_many(refused)
    return raw, refused


def _without(options: ReadOptions, refused: Sequence[UnusableColumn]) -> ReadOptions:
    drop = (*options.wishes.drop, *(one.name for one in refused))
    return replace(options, wishes=replace(options.wishes, drop=drop))


def _read_by_policy(
    reading: BinnedReading, options: ReadOptions
) -> tuple[Dataset | IncompleteDataset, Binning]:
    if options.missing is not MissingPolicy.EM:
        return reading.read(options.bins)
    gaps, binning = reading.read_incomplete(options.bins)
    return (gaps if gaps.missing_cells else gaps.complete_records()), binning


def read_as_asked(
    source: object, options: ReadOptions, wishes: Callable[[Sequence[str]], Wishes]
) -> Dataset:
    """Return the records as `read` does, with wishes that depend on the names of the columns.

    Parameters
    ----------
    source, options
        As for `read_with_bins`; the wishes of the options are replaced.
    wishes
        Takes the names of all columns of the source.

    """
    refuse_em(options.missing)
    with _opened_as_asked(source, options, wishes) as table:
        return table.read(options.bins)[0]


@contextmanager
def _opened_as_asked(
    source: object, options: ReadOptions, wishes: Callable[[Sequence[str]], Wishes]
) -> Iterator[BinnedReading]:
    if not isinstance(source, str | Path):
        names = table_in_memory(source, options.names).names
        with _opened(source, replace(options, wishes=wishes(names))) as table:
            yield table
        return
    refuse_names(options.names)
    with titled(source), local_file(source, options.format) as file:
        yield _file_reading(file, replace(options, wishes=wishes(_names_in(file, options))))


def _file_reading(file: LocalFile, options: ReadOptions) -> BinnedReading:
    wishes = options.wishes
    return BinnedReading(
        lambda: coded_as_wished(lambda own: _coded(file, replace(options, wishes=own)), wishes),
        lambda: _raw_as_wished(raw_file(file, options.text), wishes),
        wishes,
        options.missing,
    )


def _raw_as_wished(table: RawTable, wishes: Wishes) -> RawTable:
    """Return a raw table without the columns to drop, and without row names."""
    return table.without_row_names(wishes).without(wishes.drop)


def coded_as_wished(code: Callable[[Wishes], TableCoder], wishes: Wishes) -> TableCoder:
    """Return coded records; a column that is named like row names may turn out to be none."""
    try:
        return code(wishes)
    except NotRowNamesError:
        return code(replace(wishes, row_names=False))


def _names_in(file: LocalFile, options: ReadOptions) -> Sequence[str]:
    """Return the names of the columns of a file."""
    if file.format in {Format.PARQUET, Format.ARROW}:
        return file_table(file).names
    return text_table(file, options.text).names


def _coded(file: LocalFile, options: ReadOptions) -> TableCoder:
    missing, wishes = options.missing, options.wishes
    if file.format in {Format.PARQUET, Format.ARROW}:
        refuse_text_options(options.text, file.format)
        return code_columns(file_table(file), missing, wishes)
    found = text_table(file, options.text)
    if isinstance(found, TextTable):
        return code_table(found, missing, wishes)
    return code_records(found, missing, wishes)
