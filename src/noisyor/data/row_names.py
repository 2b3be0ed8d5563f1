"""Columns that only name the records, as R and pandas write them beside the data.

`write.csv` of R and `to_csv` of pandas put row names into a first column without a name, which
pandas reads as `Unnamed: 0`; collections of data sets call it `rownames`. It is no variable. Such a
column is left out only where it is safe: it comes first, it has one of these names, and no
two of its values are equal. A column without a name that has equal values is an error.
"""

from collections.abc import Sequence

import polars as pl

from noisyor.core.errors import DataError
from noisyor.data.wishes import Wishes

_NAMES = frozenset({"", "rownames", "row.names", "unnamed: 0", "__index_level_0__"})


class NotRowNamesError(Exception):
    """A column that is named like row names has equal or missing values: it is a variable."""


def row_name_place(names: Sequence[str], wishes: Wishes) -> int | None:
    """Return the place of the column that may hold row names; None if no column may."""
    if not wishes.row_names or wishes.of_network or len(names) == 1:
        return None
    spoken_of = wishes.spoken_of.union(wishes.drop)
    may = names and names[0].strip().casefold() in _NAMES and names[0] not in spoken_of
    return 0 if may else None


class UnnamedColumnError(DataError):
    """A column without a name has equal or missing values: it cannot be left out safely."""


class RowNames:
    """The row names of a table so far.

    Comparing them after each batch would take a time that grows with the square of the records. So
    they are compared whenever they have doubled, and by `finish`.
    """

    def __init__(self, name: str) -> None:
        self.name = name.strip()
        self._batches: list[pl.Series] = []
        self._count = 0
        self._compared = 0

    def add(self, values: pl.Series) -> None:
        """Take the next values; raise if one is missing, or is found to be there already."""
        texts = values.cast(pl.String).str.strip_chars().alias("")
        self._batches.append(texts)
        self._count += len(texts)
        has_gaps = texts.is_null().any() or (texts == "").any()
        if has_gaps or self._count >= 2 * self._compared:
            self.finish()

    def finish(self) -> None:
        """Raise if two values are equal, or if one is missing."""
        if self._compared == self._count:
            return
        together = pl.concat(self._batches)
        gap = together.is_null() | (together == "")
        if gap.any() or together.n_unique() < len(together):
            self._refuse(together)
        self._batches = [together]
        self._compared = self._count

    def _refuse(self, together: pl.Series) -> None:
        if self.name:
            raise NotRowNamesError(self.name)
        gap = together.is_null() | (together == "")
        row = (gap | ~together.is_first_distinct()).to_list().index(True)
        what = "lacks a value" if gap[row] else f"has the value {together[row]!r} again"
        raise UnnamedColumnError(
            f"column 1 has an empty name and {what} in row {row + 1}, so it does not hold row "
            "names; give it a name, or leave it out with drop=['']"
        )


def without_row_names(frame: pl.DataFrame, wishes: Wishes) -> tuple[pl.DataFrame, str | None]:
    """Return a table without the column that holds row names, and its name; None if none does."""
    place = row_name_place(frame.columns, wishes)
    if place is None or not len(frame):
        return frame, None
    found = RowNames(frame.columns[place])
    try:
        found.add(frame.to_series(place))
        found.finish()
    except NotRowNamesError:
        return frame, None
    return frame.drop(frame.columns[place]), found.name
