"""How numbers became bins: rules that can be written down and applied again.

A bin holds the numbers above its lower cut, up to and including its upper cut. Its label says so:
with the cuts 37.2 and 38.5, the states are `<= 37.2`, `37.2 to 38.5` and `> 38.5`, in this order.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core.errors import DataError, FormatError, errors_at
from noisyor.core.listing import listed
from noisyor.core.number_states import bin_labels, bins_in, number_in
from noisyor.core.variable import MAX_STATES, States, Variable
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_columns import RawColumn, complete_records, few_names, gaps_in, numbers_of
from noisyor.data.raw_reading import raw_table
from noisyor.data.rule_records import expect_fields, parse_rules, rules_text, texts_in
from noisyor.data.values import number_text
from noisyor.files.content import text_in
from noisyor.files.whole import write_whole

FORMAT_NAME = "noisyor-binning"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Bins:
    """The bins of one column of numbers.

    Parameters
    ----------
    column
        The column.
    cuts
        The numbers at which a bin ends and the next begins, ascending. A number equal to a cut is
        in the lower bin.
    states
        The labels of the bins, one more than there are cuts.
    chosen_by
        Where the cuts come from: quantiles, width, mdl or given.
    """

    column: str
    cuts: tuple[float, ...]
    states: States
    chosen_by: str

    def __post_init__(self) -> None:
        """Refuse cuts that do not ascend, and labels that do not fit them."""
        where = f"the bins of column {self.column!r}"
        if not self.cuts:
            raise FormatError(f"{where} have no cut; at least one is needed")
        for cut in self.cuts:
            if not math.isfinite(cut):
                raise FormatError(f"{where} have the cut {cut}; cuts must be finite")
        for one, other in pairwise(self.cuts):
            if one >= other:
                raise FormatError(
                    f"{where} have the cut {number_text(other)} after {number_text(one)}; cuts "
                    "must ascend"
                )
        if len(self.cuts) >= MAX_STATES:
            raise FormatError(
                f"{where} have {len(self.cuts)} cuts; at most {MAX_STATES - 1} are supported"
            )
        if len(self.states) != len(self.cuts) + 1:
            raise FormatError(
                f"{where} have {len(self.states)} labels; {len(self.cuts)} cuts need "
                f"{len(self.cuts) + 1}"
            )
        self.variable()  # refuses labels that cannot be those of states

    @classmethod
    def at(cls, column: str, cuts: Sequence[float], chosen_by: str) -> "Bins":
        """Return bins with these cuts, labelled by them."""
        exact = tuple(float(cut) + 0.0 for cut in cuts)  # + 0.0 turns -0 into 0
        return cls(column, exact, bin_labels([number_text(cut) for cut in exact]), chosen_by)

    def variable(self) -> Variable:
        """Return the variable that the column becomes; its states are ordered."""
        return Variable(self.column, self.states, ordered=True)

    def codes(self, numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """Return the number of the bin of each value, from 0; no value is NaN."""
        return np.searchsorted(np.array(self.cuts), numbers, side="left").astype(np.uint8)

    def binned(self, column: RawColumn) -> pl.Series:
        """Return the column as labels, of an enumeration in the order of the bins.

        Missing values stay missing.
        """
        numbers = numbers_of(column.values)
        column.refuse(numbers.is_null() & ~gaps_in(column.values), "its bins need a number")
        labels = pl.Series(self.column, self.states, dtype=pl.Enum(self.states))
        codes = pl.Series(self.codes(numbers.fill_null(0.0).to_numpy()))
        return labels.gather(codes.set(numbers.is_null(), None))


@dataclass(frozen=True, slots=True)
class Binning:
    """The bins of a table's columns of numbers, to be applied to any table like it.

    Parameters
    ----------
    rules
        The bins, at most one entry for a column. Columns without an entry stay as they are.
    ignored
        Columns that are left out.
    records
        The number of records that the bins were chosen from.

    Examples
    --------
    >>> import noisyor
    >>> import polars as pl
    >>> _, binning = noisyor.discretize(pl.DataFrame({"age": [20, 34, 51, 70]}), columns=["age"])
    >>> binning.apply(pl.DataFrame({"age": [18, 45]}))["age"].to_list()
    ['<= 30', '30 to 60']
    """

    rules: tuple[Bins, ...] = ()
    ignored: tuple[str, ...] = ()
    records: int = 0

    def __post_init__(self) -> None:
        """Refuse a column that is named twice."""
        names = Counter([*(rule.column for rule in self.rules), *self.ignored])
        for name, count in names.items():
            if count > 1:
                raise FormatError(f"the rules name column {name!r} {count} times; once is allowed")

    def by_column(self) -> dict[str, Bins]:
        """Return the bins of each column that has some."""
        return {rule.column: rule for rule in self.rules}

    def _check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks a column with bins."""
        absent = [rule.column for rule in self.rules if rule.column not in names]
        if absent:
            raise DataError(
                f"the table has no column {listed([repr(one) for one in absent])}, for which there "
                f"are bins; it has: {listed(names)}"
            )

    def apply(
        self, source: object, *, missing: MissingPolicy | str = MissingPolicy.ERROR
    ) -> pl.DataFrame:
        """Return a table with its numbers in these bins.

        Parameters
        ----------
        source
            A polars frame, or anything that `read_raw` accepts.
        missing
            `error` refuses a table that lacks values; `drop` leaves out the records that do.
        """
        raw = raw_table(source)
        self._check_columns(raw.columns)
        used = [name for name in raw.columns if name not in self.ignored]
        return self._binned(*complete_records(raw.select(used), missing))

    def apply_with_gaps(self, raw: pl.DataFrame) -> pl.DataFrame:
        """Return a raw table with its numbers in these bins; missing values stay missing."""
        self._check_columns(raw.columns)
        used = [name for name in raw.columns if name not in self.ignored]
        return self._binned(raw.select(used), pl.Series(range(1, len(raw) + 1), dtype=pl.Int64))

    def _binned(self, table: pl.DataFrame, records: pl.Series) -> pl.DataFrame:
        return table.with_columns(
            rule.binned(RawColumn(table[rule.column], records)) for rule in self.rules
        )

    def label_of(self, column: str, value: object) -> str | None:
        """Return the label of the bin that holds a value; None if there is none.

        That is so if the column has no bins, or the value is a label, or it is not a number.
        """
        bins = self.by_column().get(column)
        number = number_in(value)
        if bins is None or number is None or value in bins.states or math.isnan(number):
            return None
        return bins.states[int(bins.codes(np.array([number]))[0])]

    def summary(self) -> str:
        """Return what was binned in one line."""
        if not self.rules:
            return "binned no column"
        counts = sorted({len(rule.states) for rule in self.rules})
        states = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
        methods = {"given": "at the cuts given"}
        how = sorted({methods.get(rule.chosen_by, f"by {rule.chosen_by}") for rule in self.rules})
        columns = "1 column" if len(self.rules) == 1 else f"{len(self.rules)} columns"
        each = "" if len(self.rules) == 1 else " each"
        return (
            f"binned {columns} into {states} states{each} {' or '.join(how)}: "
            f"{few_names([rule.column for rule in self.rules])}"
        )

    def save(self, path: str | Path) -> None:
        """Write the rules to a JSON file.

        Parameters
        ----------
        path
            The file; it is replaced if it exists.
        """
        write_whole({Path(path): self.to_json().encode()})

    @classmethod
    def load(cls, path: str | Path) -> "Binning":
        """Return the rules that `save` has written.

        Parameters
        ----------
        path
            The file.
        """
        return cls.from_json(text_in(Path(path)), str(path))

    def to_json(self) -> str:
        """Return the rules as text; the cuts are written so that they read back exactly."""
        rules = [asdict(rule) for rule in self.rules]
        return rules_text(rules, self.ignored, self.records, FORMAT_NAME, FORMAT_VERSION)

    @classmethod
    def from_json(cls, text: str, where: str) -> "Binning":
        """Return the rules of such a text; `where` names the file in messages."""
        found, ignored, records = parse_rules(text, where, FORMAT_NAME, FORMAT_VERSION)
        rules = tuple(
            _bins_from(one, f"{where}, rule {position}")
            for position, one in enumerate(found, start=1)
        )
        with errors_at(where, raised=FormatError):
            return cls(rules, ignored, records)


def bins_of_states(frame: pl.DataFrame, states: Mapping[str, Sequence[str]]) -> Binning:
    """Return the bins of the columns of numbers for which the states say where bins end.

    Columns that have the labels themselves stay as they are.
    """
    rules = []
    for name, labels in states.items():
        cuts, places = bins_in(labels)
        if not cuts or name not in frame.columns or not _holds_numbers(frame[name]):
            continue
        rules.append(Bins(name, cuts, tuple(labels[place] for place in places), "given"))
    return Binning(tuple(rules), records=len(frame))


def _holds_numbers(column: pl.Series) -> bool:
    """Return whether a column has numbers, and nothing else but gaps."""
    known = ~gaps_in(column)
    return bool(known.any()) and not bool((known & numbers_of(column).is_null()).any())


def _bins_from(document: object, where: str) -> Bins:
    """Return the bins of one column, each field checked."""
    if not isinstance(document, dict):
        raise FormatError(f"{where}: a rule must be an object, not {document!r}")
    expect_fields(document, set(Bins.__dataclass_fields__), where, "the rule")
    for field in ("column", "chosen_by"):
        if not isinstance(document[field], str):
            raise FormatError(f"{where}: {field!r} is {document[field]!r}; it must be text")
    cuts = _numbers_in(document["cuts"], where)
    states = texts_in(document["states"], where, "states")
    with errors_at(where, raised=FormatError):
        return Bins(document["column"], cuts, states, document["chosen_by"])


def _numbers_in(values: Any, where: str) -> tuple[float, ...]:  # noqa: ANN401  (any JSON)
    """Return a list of numbers, or refuse anything else."""
    if not isinstance(values, list):
        raise FormatError(f"{where}: 'cuts' must be a list of numbers")
    for value in values:
        if type(value) not in {int, float}:
            raise FormatError(f"{where}: 'cuts' holds {value!r}; it must hold numbers only")
    return tuple(map(float, values))
