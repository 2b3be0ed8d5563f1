"""Turn columns of values into zeros and ones, learning each column's two values on the way.

A batch is coded before the rest of the table is known, so a value first gets a provisional number:
0 for the word for absent and 1 for the word for present where the column uses an accepted pair,
else whichever is free. At the end, `dataset` decides which of the two means present, and swaps 0
and 1 where the provisional numbers are the wrong way round.
"""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from noisyor.core import DataError, Dataset
from noisyor.core.arrays import hand_over
from noisyor.core.state_words import ACCEPTED, vocabulary_of
from noisyor.core.variable import States
from noisyor.data.counting import Bytes, RecordCounter, exchange_states
from noisyor.data.missing import MissingPolicy, missing_message
from noisyor.data.values import key_of, label_of, partner_label
from noisyor.data.warning import DataWarning

GAP = 2
"""The code of a missing value; the other codes are 0 and 1."""

_FIRST_LOOK = 1000  # records
_FEW_TEXTS = 6
_NOT_IN_NUMPY = (pl.Int128, pl.UInt128)


class ThirdValueError(Exception):
    """A column has a third value: its text, and its row in the batch."""

    def __init__(self, column: "ColumnCoder", text: str, row: int) -> None:
        super().__init__(text)
        self.column = column
        self.text = text
        self.row = row

    def explain(self, place: str) -> DataError:
        """Return the error to show to the user."""
        return DataError(
            f"column {self.column.name!r} has the value {self.text.strip()!r} in {place}, besides "
            f"{' and '.join(map(repr, self.column.labels()))}; noisyor reads two-valued columns "
            f"({ACCEPTED}, or any two values with --present). 'noisyor binarize' can split it"
        )


class DistrustedTextError(Exception):
    """A fast reader returned a text that it may have split wrongly."""


class ColumnCoder:
    """The values seen in a column so far, by provisional number."""

    def __init__(self, name: str, distrusted: frozenset[str] = frozenset()) -> None:
        self.name = name
        self._distrusted = distrusted
        self._keys: list[str | None] = [None, None]
        self._spellings: tuple[set[str], set[str]] = (set(), set())
        self._codes: dict[str, int] = {}

    def learn(self, text: str) -> int | None:
        """Return a value's number or GAP; None if it is a third value."""
        if not self._distrusted.isdisjoint(text):
            raise DistrustedTextError(text)
        key = key_of(text)
        if key is None:
            return GAP
        if key not in self._keys:
            if None not in self._keys:
                return None
            pair = vocabulary_of(key)
            wanted = 1 if pair is not None and key == pair[1] else 0
            free = wanted if self._keys[wanted] is None else 1 - wanted
            self._keys[free] = key
        number = self._keys.index(key)
        self._spellings[number].add(text.strip())
        return number

    def encode(self, values: pl.Series) -> Bytes:
        """Return the codes of a batch: 0, 1 or GAP."""
        if len(values) and not values.null_count():
            codes = self._encode_bits(values)
            if codes is not None:
                return codes
        texts = values.cast(pl.String)
        codes = self._encode_known(texts)
        if codes is not None:
            return codes
        for text in texts.drop_nulls().unique(maintain_order=True):
            if self._code(text) is None:
                raise ThirdValueError(self, text, int((texts == text).arg_max() or 0))
        return texts.replace_strict(
            list(self._codes), list(self._codes.values()), default=GAP, return_dtype=pl.UInt8
        ).to_numpy()

    def _code(self, text: str) -> int | None:
        """Return the result of `learn`, cached for each text."""
        code = self._codes.get(text)
        if code is None:
            code = self.learn(text)
            if code is not None:
                self._codes[text] = code
        return code

    def _encode_known(self, texts: pl.Series) -> Bytes | None:
        """Return the codes if the batch consists of a few known texts, else None.

        Comparing a column with each of a few texts is several times faster than hashing it.
        """
        for text in texts.head(_FIRST_LOOK).drop_nulls().unique(maintain_order=True):
            self._code(text)
        if len(self._codes) > _FEW_TEXTS:
            return None
        codes = np.full(len(texts), 0, dtype=np.uint8)
        known = 0
        for mask, code in (
            (texts.is_null(), GAP),
            *((texts == text, code) for text, code in self._codes.items()),
        ):
            equal = mask.cast(pl.UInt8).fill_null(0).to_numpy()
            codes += equal * np.uint8(code)
            known += int(np.count_nonzero(equal))
        return codes if known == len(texts) else None

    def _encode_bits(self, values: pl.Series) -> Bytes | None:
        """Return integers 0/1 or booleans, which are their own codes; None for other values."""
        if values.dtype == pl.Boolean:
            words, values = ("false", "true"), values.cast(pl.UInt8)
        elif values.dtype.is_integer() and values.dtype not in _NOT_IN_NUMPY:
            words = ("0", "1")
        else:
            return None
        array = values.to_numpy()
        for bit in {int(array.min()), int(array.max())}:
            if bit not in {0, 1} or self.learn(words[bit]) != bit:
                return None
        return array.view(np.uint8) if array.itemsize == 1 else array.astype(np.uint8)

    def labels(self) -> list[str]:
        """Return the values seen so far, as the table writes them."""
        return [
            label_of(key, spellings)
            for key, spellings in zip(self._keys, self._spellings, strict=True)
            if key is not None
        ]

    def settle(self, present: str | None) -> tuple[States, bool]:
        """Return the labels of absent and present, and whether 0 and 1 must be swapped."""
        number = self._number_of_present(present)
        labels = [
            None if key is None else label_of(key, spellings)
            for key, spellings in zip(self._keys, self._spellings, strict=True)
        ]
        shown, absent = labels[number], labels[1 - number]
        if shown is None:  # a constant column of an accepted word for absent
            shown = partner_label(absent or "")
        if absent is None:
            absent = partner_label(shown or "") or f"not {shown}"
        if shown is None:
            raise ValueError(f"column {self.name!r} has no value")
        return (absent, shown), number == 0

    def _number_of_present(self, present: str | None) -> int:
        if present is not None:
            if key_of(present) in self._keys and key_of(present) is not None:
                return self._keys.index(key_of(present))
            raise DataError(
                f"column {self.name!r} never has the value {present!r}, which should mean present; "
                f"it has {' and '.join(map(repr, self.labels()))}"
            )
        keys = [key for key in self._keys if key is not None]
        pairs = {vocabulary_of(key) for key in keys}
        if len(pairs) == 1 and None not in pairs:
            return 1
        labels = self.labels()
        if len(keys) == 1:
            raise DataError(
                f"column {self.name!r} has only the value {labels[0]!r}, which is not one of "
                f"{ACCEPTED}; say that it means present (--present {self.name}={labels[0]}) or "
                "leave the column out"
            )
        raise DataError(
            f"column {self.name!r} has the values {labels[0]!r} and {labels[1]!r}, which are not "
            f"a pair of {ACCEPTED}; say which one means present: --present "
            f"{self.name}={labels[0]} or --present {self.name}={labels[1]}"
        )


class TableCoder:
    """The records of a table so far, coded and counted, and how many values are missing."""

    def __init__(
        self,
        names: Sequence[str],
        missing: MissingPolicy,
        distrusted: frozenset[str] = frozenset(),
    ) -> None:
        self.columns = [ColumnCoder(name, distrusted) for name in names]
        self._missing = missing
        self._counter = RecordCounter(len(names))
        self._gaps = [0] * len(names)
        self._records = 0
        self._incomplete = 0

    def add(self, batch: Sequence[pl.Series]) -> None:
        """Code and count a batch; records with a missing value are counted separately."""
        codes: list[Bytes] = []
        third: ThirdValueError | None = None
        for column, values in zip(self.columns, batch, strict=True):
            try:
                codes.append(column.encode(values))
            except ThirdValueError as error:
                if third is None or error.row < third.row:
                    third = error
        if third is not None:
            raise third
        self._records += len(codes[0])
        incomplete = self._note_gaps(codes)
        if incomplete is not None:
            self._incomplete += int(incomplete.sum())
            codes = [column[~incomplete] for column in codes]
        self._counter.add(codes)

    def _note_gaps(
        self, codes: Sequence[Bytes]
    ) -> "np.ndarray[tuple[int], np.dtype[np.bool_]] | None":
        incomplete = None
        for variable, column in enumerate(codes):
            if len(column) and column.max() == GAP:
                gaps = column == GAP
                self._gaps[variable] += int(gaps.sum())
                incomplete = gaps if incomplete is None else incomplete | gaps
        return incomplete

    def dataset(self, present: Mapping[str, str]) -> Dataset:
        """Return the records, once all batches are in."""
        names = [column.name for column in self.columns]
        for name in present:
            if name not in names:
                raise DataError(
                    f"--present names the column {name!r}, which the table does not have; it has: "
                    f"{', '.join(names)}"
                )
        if not self._records:
            raise DataError("the table has no records; at least one is needed")
        if self._incomplete:
            self._judge_gaps(names)
        settled = [column.settle(present.get(column.name)) for column in self.columns]
        exchanged = [variable for variable, (_, exchange) in enumerate(settled) if exchange]
        rows, counts = exchange_states(*self._counter.result(), exchanged)
        dataset = Dataset.from_bits(
            tuple(names), hand_over(rows), hand_over(counts), tuple(states for states, _ in settled)
        )
        if dataset.record_count == 1:
            warnings.warn("the table has a single record", DataWarning, stacklevel=2)
        elif self._incomplete or any(len(column.labels()) == 1 for column in self.columns):
            _warn_of_constant_columns(dataset)
        return dataset

    def _judge_gaps(self, names: Sequence[str]) -> None:
        if self._missing is MissingPolicy.ERROR:
            raise DataError(missing_message(names, self._gaps, self._incomplete, self._records))
        if self._incomplete == self._records:
            raise DataError(
                f"each of the {self._records} records lacks a value; none is left after "
                "--missing drop. Leave out the columns that lack most"
            )


def _warn_of_constant_columns(dataset: Dataset) -> None:
    constant = dataset.constant_columns()
    if constant:
        warnings.warn(
            f"{len(constant)} of {dataset.variable_count} columns never change: "
            f"{', '.join(constant)}",
            DataWarning,
            stacklevel=3,
        )
