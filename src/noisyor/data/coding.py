"""Turn the columns of a table into counted records of codes, batch by batch."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import DataError, Dataset
from noisyor.core.arrays import hand_over
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut, left_out_lines
from noisyor.core.listing import listed
from noisyor.core.variable import Variable, check_names
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.core.warning import warn_user
from noisyor.data.column_coder import ColumnCoder
from noisyor.data.counting import Bytes, RecordCounter, WideRecords, recoded, unpacked
from noisyor.data.missing import (
    MissingPolicy,
    left_out_message,
    missing_message,
    none_left_message,
)
from noisyor.data.row_names import RowNames, row_name_place
from noisyor.data.state_choice import UNDECLARED, Declared, PresentError
from noisyor.data.warning import DataWarning
from noisyor.data.wishes import EVERY_COLUMN, NO_WISHES, Wishes, kept_places

Table = TypeVar("Table", Dataset, IncompleteDataset)


class TableCoder:
    """The records of a table so far, coded and counted, and how many values are missing."""

    def __init__(
        self,
        names: Sequence[str],
        missing: MissingPolicy,
        declared: Sequence[Declared] = (),
        *,
        wishes: Wishes = NO_WISHES,
        distrusted: frozenset[str] = frozenset(),
    ) -> None:
        self._row_name_place = row_name_place(names, wishes)
        self._row_names = (
            None if self._row_name_place is None else RowNames(names[self._row_name_place])
        )
        self._places = [
            place for place in kept_places(names, wishes.drop) if place != self._row_name_place
        ]
        check_names([names[place] for place in self._places], wishes.most_columns)
        said = declared or (UNDECLARED,) * len(names)
        self._left_out = [] if self._row_names is None else [self._row_names.name]
        self._columns = [
            ColumnCoder(names[place], said[place], distrusted, wishes.most_states, wishes.advice)
            for place in self._places
        ]
        self._missing = missing
        wide = len(self._columns) > MAX_VARIABLES
        self._counter = None if wide else RecordCounter(len(self._columns))
        self._wide = WideRecords()
        self._with_gaps = WideRecords()
        self._gaps = [0] * len(self._columns)
        self._records = 0
        self._incomplete = 0

    def has_more_numbers(self, most: int) -> bool:
        """Return whether a column has more different numbers than that."""
        return any(column.has_more_numbers(most) for column in self._columns)

    def add(self, batch: Sequence[pl.Series]) -> None:
        """Code and count a batch of all columns; incomplete records are counted separately."""
        if self._row_names is not None and self._row_name_place is not None:
            self._row_names.add(batch[self._row_name_place])
        kept = [batch[place] for place in self._places]
        codes = [column.encode(values) for column, values in zip(self._columns, kept, strict=True)]
        self._records += len(codes[0])
        incomplete = self._note_gaps(codes)
        if incomplete is not None:
            self._incomplete += int(incomplete.sum())
            if self._missing in {MissingPolicy.STATE, MissingPolicy.EM}:
                self._with_gaps.add([column[incomplete] for column in codes])
            codes = [column[~incomplete] for column in codes]
        if self._counter is None:
            self._wide.add(codes)
        else:
            self._counter.add(codes, [column.size for column in self._columns])

    def _note_gaps(self, codes: Sequence[Bytes]) -> npt.NDArray[np.bool_] | None:
        incomplete = None
        for variable, column in enumerate(codes):
            if len(column) and column.max() == GAP:
                gaps = column == GAP
                self._gaps[variable] += int(gaps.sum())
                incomplete = gaps if incomplete is None else incomplete | gaps
        return incomplete

    def check_row_names(self) -> None:
        """Raise if the column of row names holds none, once all batches are in."""
        if self._row_names is not None:
            self._row_names.finish()

    def name_row_names(self, name: str | None) -> None:
        """Note a column of row names that was left out of the table beforehand."""
        if name is not None:
            self._left_out.append(name)

    def dataset(self, wishes: Wishes) -> Dataset:
        """Return the records, once all batches are in."""
        return self._complete(wishes, *self._settled(wishes))

    def incomplete(self, wishes: Wishes) -> IncompleteDataset:
        """Return the records with their gaps, once all batches are in."""
        variables, tables = self._settled(wishes)
        data = self._noted(self._with_all_gaps(variables, tables))
        if not wishes.of_network:
            _warn_of_single(data)
        return data

    def _noted(self, data: Table) -> Table:
        """Return the records with the columns that were left out, after a warning."""
        if not self._left_out:
            return data
        columns = tuple(LeftOutColumn(name, WhyLeftOut.ROW_NAMES) for name in self._left_out)
        for line in left_out_lines(columns):
            warn_user(line, DataWarning)
        return replace(data, columns_left_out=columns)

    def _settled(self, wishes: Wishes) -> tuple[tuple[Variable, ...], list[Bytes]]:
        """Return the variables, and for each the code of each provisional number."""
        names = [column.name for column in self._columns]
        wishes.check(names)
        if not self._records:
            raise DataError("the table has no records; at least one is needed")
        if self._incomplete:
            self._judge_gaps(names, wishes)
        settled = self._settle_all(wishes)
        if wishes.rarer and any(column.is_open for column in self._columns):
            settled = self._with_rarer_present(settled, wishes)
        return tuple(variable for variable, _ in settled), [table for _, table in settled]

    def _with_rarer_present(
        self, settled: Sequence[tuple[Variable, Bytes]], wishes: Wishes
    ) -> list[tuple[Variable, Bytes]]:
        """Return the states, the rarer of two meaning present where nothing says which one does."""
        variables = tuple(variable for variable, _ in settled)
        tables = [table for _, table in settled]
        keeps_gaps = self._missing in {MissingPolicy.STATE, MissingPolicy.EM}
        counted: Dataset | IncompleteDataset = (
            self._with_all_gaps(variables, tables)
            if keeps_gaps and self._incomplete
            else self._counted(variables, tables)
        )
        found = list(settled)
        for place, column in enumerate(self._columns):
            if column.is_open:
                absent, present = counted.state_counts(place).tolist()
                if present > absent:
                    rarer = {column.name: variables[place].states[0]}
                    found[place] = column.settle(replace(wishes, present=rarer))
                    column.is_open = True
        return found

    def _settle_all(self, wishes: Wishes) -> list[tuple[Variable, Bytes]]:
        """Settle all columns; what is wrong with present values is said of all at once."""
        settled, wrong = [], []
        for column in self._columns:
            try:
                settled.append(column.settle(wishes))
            except PresentError as error:
                wrong.append(error)
        if wrong:
            raise wrong[0] if len(wrong) == 1 else PresentError("; ".join(map(str, wrong)))
        self._check_for_all(wishes)
        return settled

    def _check_for_all(self, wishes: Wishes) -> None:
        """Refuse a value for every column that no column has."""
        value = wishes.present.get(EVERY_COLUMN)
        if value is not None and not any(
            wishes.present_of(column.name, column.numbers) == value
            for column in self._columns
            if column.name not in wishes.present
        ):
            raise PresentError(
                f"present={{'*': {value!r}}} is for columns of two values, and none of them has "
                "this value"
            )

    def warn_of_open_columns(self, variables: Sequence[Variable]) -> None:
        """Say once in which columns nothing says what means present."""
        is_open = {column.name for column in self._columns if column.is_open}
        pairs = {one.name: one.states for one in variables if one.name in is_open and one.is_binary}
        if not pairs:
            return
        taken: dict[str, str] = {name: states[1] for name, states in pairs.items()}
        if len(taken) > 1 and len(set(pairs.values())) == 1:
            taken = {EVERY_COLUMN: next(iter(taken.values()))}
        what = "column has" if len(pairs) == 1 else "columns have"
        warn_user(
            f"{len(pairs)} {what} two values of which neither is known to mean present, so the "
            f"rarer one is taken: present={taken!r}. Give this, or the other values",
            DataWarning,
        )

    def _complete(
        self, wishes: Wishes, variables: tuple[Variable, ...], tables: Sequence[Bytes]
    ) -> Dataset:
        """Return complete records: those that are, or all with a state for missing values."""
        if self._incomplete and self._missing is MissingPolicy.STATE:
            gaps = self._with_all_gaps(variables, tables)
            dataset = gaps.with_missing_state(shared=wishes.of_network)
        else:
            dataset = self._counted(variables, tables)
            if self._incomplete:
                dataset = replace(dataset, left_out=self._incomplete)
                said = left_out_message(self._incomplete, self._records)
                warn_user(said, DataWarning)
        if not wishes.of_network:
            _warn_of_single(dataset)
        return self._noted(dataset)

    def _with_all_gaps(
        self, variables: tuple[Variable, ...], tables: Sequence[Bytes]
    ) -> IncompleteDataset:
        """Return all distinct records, also those that lack values."""
        codes, counts = np.empty((0, len(variables)), np.uint8), np.empty(0, np.int64)
        if self._incomplete < self._records:
            complete = self._counted(variables, tables)
            codes, counts = complete.codes, complete.weights
        if self._incomplete:
            lacking, numbers = self._with_gaps.recoded([_with_gap(table) for table in tables])
            codes, counts = np.concatenate([codes, lacking]), np.concatenate([counts, numbers])
        return IncompleteDataset(variables, codes, counts)

    def _counted(self, variables: tuple[Variable, ...], tables: Sequence[Bytes]) -> Dataset:
        """Return the distinct complete records with the codes of these variables."""
        if self._counter is None:
            codes, counts = self._wide.recoded(tables)
            return Dataset(variables, hand_over(codes), hand_over(counts))
        sizes = [variable.state_count for variable in variables]
        fields, rows, counts = recoded(self._counter.result(), tables, sizes)
        if all(variable.is_binary for variable in variables):
            names = [variable.name for variable in variables]
            states = tuple(variable.states for variable in variables)
            return Dataset.from_bits(names, hand_over(rows), hand_over(counts), states)
        return Dataset(variables, hand_over(unpacked(fields, rows)), hand_over(counts))

    def _judge_gaps(self, names: Sequence[str], wishes: Wishes) -> None:
        for column in self._columns:
            column.refuse_if_empty()
        if self._missing is MissingPolicy.ERROR:
            counts = (self._incomplete, self._records)
            raise DataError(
                missing_message(
                    names,
                    self._gaps,
                    *counts,
                    wishes.gap_choices,
                    of_network=wishes.of_network,
                )
            )
        if self._missing is MissingPolicy.DROP and self._incomplete == self._records:
            raise DataError(none_left_message(self._records, wishes.gap_choices))


def _with_gap(table: Bytes) -> Bytes:
    """Return the codes of all bytes: those of a table, and GAP for GAP."""
    extended = np.full(GAP + 1, GAP, dtype=np.uint8)
    extended[: len(table)] = table
    return extended


def _warn_of_single(dataset: Dataset | IncompleteDataset) -> None:
    if dataset.record_count == 1:
        warn_user("the table has a single record", DataWarning)


def warn_of_constant_columns(dataset: Dataset | IncompleteDataset) -> None:
    """Warn of columns that never change, in a table of more than one record."""
    constant = dataset.constant_columns()
    if constant and dataset.record_count > 1:
        one = len(constant) == 1
        what, them = ("changes", "it") if one else ("change", "them")
        says = "it says" if one else "they say"
        warn_user(
            f"{len(constant)} of {len(dataset.variables)} columns never {what}: "
            f"{listed(constant)}; {says} nothing about the others, and learning leaves {them} out",
            DataWarning,
        )
