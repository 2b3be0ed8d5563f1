"""Turn a column of values into codes, learning its values on the way.

A batch is coded before the rest of the table is known, so a value first gets a provisional number:
0 for the word for absent and 1 for the word for present where the column uses an accepted pair,
else the next one that is free. At the end, `settle` chooses the states (see `state_choice`) and
returns the code that each provisional number stands for.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from noisyor.core.errors import DataError, TooManyStatesError
from noisyor.core.incomplete_dataset import GAP
from noisyor.core.state_words import means_present
from noisyor.core.variable import MAX_STATES, Variable
from noisyor.data.advice import USUAL_ADVICE, Advice
from noisyor.data.counting import Bytes
from noisyor.data.missing import empty_message
from noisyor.data.state_choice import UNDECLARED, Declared, choose_states
from noisyor.data.values import is_number, key_of, label_of
from noisyor.data.wishes import Wishes

_FIRST_LOOK = 1000  # records
_FEW_TEXTS = 6
_BYTE = 256
_NOT_IN_NUMPY = (pl.Int128, pl.UInt128)


class DistrustedTextError(Exception):
    """A fast reader returned texts that it may have split wrongly."""


class _FullError(Exception):
    """A column has a value for which there is no number left."""


class ColumnCoder:
    """The values seen in a column so far, by provisional number."""

    def __init__(
        self,
        name: str,
        declared: Declared = UNDECLARED,
        distrusted: frozenset[str] = frozenset(),
        most_states: int = MAX_STATES,
        advice: Advice = USUAL_ADVICE,
    ) -> None:
        self.name = name
        self.is_open = False  # until `settle`: whether nothing says what means present
        self._most_states = most_states
        self._advice = advice
        self._declared = declared
        self._distrusted = distrusted
        self._keys: list[str | None] = [None, None]
        self._numbers: dict[str, int] = {}
        self._spellings: list[set[str]] = [set(), set()]
        self._codes: dict[str, int] = {}
        self._records = 0

    @property
    def size(self) -> int:
        """A number above all provisional numbers so far."""
        return len(self._keys)

    @property
    def numbers(self) -> Mapping[str, int]:
        """The provisional number of each value so far, by its key."""
        return self._numbers

    @property
    def is_constant(self) -> bool:
        """Whether fewer than two values were seen."""
        return len(self._numbers) < 2  # noqa: PLR2004 (a constant column has one)

    def has_more_numbers(self, most: int) -> bool:
        """Return whether the column has more values than that, all numbers, and no categories."""
        return (
            len(self._numbers) > most
            and self._declared == UNDECLARED
            and all(map(is_number, self._numbers))
        )

    def learn(self, text: str) -> int:
        """Return a value's number, or GAP."""
        if not self._distrusted.isdisjoint(text):
            raise DistrustedTextError(text)
        key = key_of(text)
        if key is None:
            return GAP
        number = self._numbers.get(key)
        if number is None:
            number = self._free_number(key)
            self._keys[number] = key
            self._numbers[key] = number
        self._spellings[number].add(text.strip())
        return number

    def _free_number(self, key: str) -> int:
        wanted = 1 if means_present(key) else 0
        for number in (wanted, 1 - wanted):
            if self._keys[number] is None:
                return number
        if len(self._keys) == self._most_states:
            raise _FullError(key)
        self._keys.append(None)
        self._spellings.append(set())
        return len(self._keys) - 1

    def encode(self, values: pl.Series) -> Bytes:
        """Return the provisional numbers of a batch, or GAP."""
        try:
            codes = self._encode(values)
        except _FullError as error:
            if self._distrusted:
                raise DistrustedTextError(str(error)) from error
            raise self._too_many(values) from None
        self._records += len(values)
        return codes

    def _encode(self, values: pl.Series) -> Bytes:
        dtype = values.dtype
        if dtype == pl.Boolean or (dtype.is_integer() and dtype not in _NOT_IN_NUMPY):
            if len(values) and not values.null_count():
                codes = self._encode_bits(values)
                return self._encode_integers(values) if codes is None else codes
            return self._encode_distinct(values)
        if dtype.is_float():
            return self._encode_distinct(values.fill_nan(None))
        texts = values.cast(pl.String)
        codes = self._encode_known(texts)
        return self._encode_distinct(texts) if codes is None else codes

    def _encode_bits(self, values: pl.Series) -> Bytes | None:
        """Return integers 0/1 or booleans, which are their own codes; None for other values."""
        words = ("0", "1")
        if values.dtype == pl.Boolean:
            words, values = ("false", "true"), values.cast(pl.UInt8)
        array = values.to_numpy()
        for bit in {int(array.min()), int(array.max())}:
            if bit not in {0, 1} or self.learn(words[bit]) != bit:
                return None
        return array.view(np.uint8) if array.itemsize == 1 else array.astype(np.uint8)

    def _encode_integers(self, values: pl.Series) -> Bytes:
        """Return the codes of booleans or integers; those of a small range by a table."""
        if values.dtype == pl.Boolean:
            return self._encode_distinct(values)
        array = values.to_numpy()
        low, high = int(array.min()), int(array.max())
        if high - low >= _BYTE:
            return self._encode_distinct(values)
        # Wrapping around is harmless: the difference is right modulo 256.
        offsets = array.astype(np.uint8) - np.uint8(low % _BYTE)
        table = np.zeros(_BYTE, dtype=np.uint8)
        for offset in np.flatnonzero(np.bincount(offsets, minlength=_BYTE)).tolist():
            table[offset] = self._code(str(low + offset))
        codes: Bytes = table[offsets]
        return codes

    def _encode_distinct(self, values: pl.Series) -> Bytes:
        """Return the codes of any values, learning each distinct one once."""
        found = values.drop_nulls().unique(maintain_order=True)
        codes = [self._code(text) for text in found.cast(pl.String)]
        if not codes:
            return np.full(len(values), GAP, dtype=np.uint8)
        return values.replace_strict(found, codes, default=GAP, return_dtype=pl.UInt8).to_numpy()

    def _code(self, text: str) -> int:
        """Return the result of `learn`, cached for each text."""
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = self.learn(text)
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

    def refuse_if_empty(self) -> None:
        """Refuse a column in which every cell is missing."""
        if not self._numbers:
            raise DataError(empty_message(self.name, self._advice))

    def settle(self, wishes: Wishes) -> tuple[Variable, Bytes]:
        """Return the variable that the column is, and the code of each provisional number."""
        self.refuse_if_empty()
        chosen = choose_states(
            self.name,
            {key: label_of(key, self._spellings[n]) for key, n in self._numbers.items()},
            self._declared,
            present=wishes.present_of(self.name, self._numbers),
            order=wishes.order_of(self.name),
            of_network=wishes.of_network,
            advice=self._advice,
        )
        codes = [None if key is None else chosen.keys.index(key) for key in self._keys]
        free = [code for code in range(len(codes)) if code not in codes]
        table = [free.pop(0) if code is None else code for code in codes]
        self.is_open = chosen.is_open
        return chosen.variable, np.array(table, dtype=np.uint8)

    def _too_many(self, values: pl.Series) -> TooManyStatesError:
        """Return the error about a column with more values than states, this batch included."""
        keys = set(self._numbers)
        gaps = 0
        for text, count in zip(*_counted_texts(values), strict=True):
            key = key_of(text)
            if key is None:
                gaps += count
            else:
                keys.add(key)
        records = self._records + len(values)
        numbers = all(map(is_number, keys))
        said = (
            f"column {self.name!r} has {len(keys)} different {'numbers' if numbers else 'values'} "
            f"in its first {records} records; a column may have at most {self._most_states} "
            "states. "
        )
        advice = self._advice.bins if numbers else "Group its values"
        dropped = self._advice.how_to_drop(self.name, ",")
        all_differ = len(keys) == records - gaps
        why = ": no two are equal, as in an identifier" if all_differ else ""
        return TooManyStatesError(f"{said}{advice}, or leave the column out{dropped}{why}")


def _counted_texts(values: pl.Series) -> tuple[list[str], list[int]]:
    counts = values.cast(pl.String).drop_nulls().value_counts(name="count")
    return counts.to_series(0).to_list(), counts["count"].to_list()
