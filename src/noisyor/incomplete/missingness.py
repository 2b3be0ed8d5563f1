"""Where cells are missing, and whether that goes with the values of other columns.

For each column that lacks values and each other column, the records in which the other has a value
form a table: missing or not, by state. Its statistic is that of the likelihood-ratio test of
independence. Its chance under independence is found by permutation: the missing marks are dealt out
anew among these records, which needs no large counts; a pair that was matched often enough is not
dealt further (Besag and Clifford, 1991). Many pairs are tested, so the chances are corrected by
Holm's method (1979): the probability that any pair is named although missingness goes with nothing
is at most the level.

What a pair means: the chance that a cell is missing differs with a value that is seen. Then leaving
out incomplete records gives other shares than those of all records, while EM remains right if what
is seen explains it (missing at random). What cannot be seen in any table: whether a cell is missing
because of its own value.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arguments import checked_arguments
from noisyor.core.incomplete_dataset import IncompleteDataset

LEVEL = 0.05
"""The largest chance that any pair is named although missingness goes with no column."""

MOST_PAIRS = 1000
"""The most pairs that are tested: of more, those of the columns that lack most, at least of one."""

_MOST_PERMUTATIONS = 40_000  # twice what the clearest of that many pairs needs
_ENOUGH_MATCHES = 20
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ColumnGaps:
    """How many records lack a column."""

    name: str
    missing: int


@dataclass(frozen=True, slots=True)
class MissingPair:
    """A column whose gaps go with the values of another one.

    `shares` has for each state of the other column the share of records that lack this one.
    `chance` is that of as large a difference by accident, corrected for the number of pairs.
    """

    missing: str
    goes_with: str
    states: tuple[str, ...]
    shares: tuple[float | None, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class Missingness:
    """Where cells are missing: by column, in how many records, and what it goes with."""

    records: int
    incomplete: int
    cells: int
    empty: int
    columns: tuple[ColumnGaps, ...]
    never_together: tuple[tuple[str, str], ...]
    pairs: tuple[MissingPair, ...]
    tested: int


@checked_arguments
def missingness(data: IncompleteDataset, *, seed: int = 0) -> Missingness:
    """Return where cells of a table are missing, and with which columns that goes.

    Parameters
    ----------
    data
        The records with their gaps.
    seed
        The seed of the permutations.

    """
    counts = data.gaps_by_column()
    others = max(1, len(counts) - 1)
    lacking = sorted(
        (column for column, missing in enumerate(counts) if 0 < missing < data.record_count),
        key=lambda column: -counts[column],
    )[: max(1, MOST_PAIRS // others)]
    pairs = [
        (column, other)
        for column in sorted(lacking)
        for other in range(len(counts))
        if other != column
    ]
    return Missingness(
        records=data.record_count,
        incomplete=data.incomplete_count,
        cells=data.missing_cells,
        empty=int(data.weights[data.gaps.all(axis=1)].sum()),
        columns=tuple(
            ColumnGaps(name, count) for name, count in zip(data.names, counts, strict=True)
        ),
        never_together=tuple(data.never_together()),
        pairs=_significant(data, pairs, seed),
        tested=len(pairs),
    )


def _significant(
    data: IncompleteDataset, pairs: list[tuple[int, int]], seed: int
) -> tuple[MissingPair, ...]:
    """Return the pairs that Holm's method names, the clearest first."""
    if not pairs:
        return ()
    random = np.random.default_rng(seed)
    tables = [_table(data, *pair) for pair in pairs]
    chances = np.array([_chance(table, random) for table in tables])
    order = np.argsort(chances, kind="stable")
    corrected = np.maximum.accumulate(chances[order] * np.arange(len(pairs), 0, -1))
    return tuple(
        _pair(data, pairs[at], tables[at], min(1.0, float(chance)))
        for at, chance in zip(order.tolist(), corrected, strict=True)
        if chance <= LEVEL
    )


def _pair(
    data: IncompleteDataset,
    pair: tuple[int, int],
    table: npt.NDArray[np.int64],
    chance: float,
) -> MissingPair:
    column, other = pair
    totals = table.sum(axis=0)
    shares = [
        None if not total else lacking / total
        for lacking, total in zip(table[1].tolist(), totals.tolist(), strict=True)
    ]
    return MissingPair(
        data.names[column], data.names[other], data.variables[other].states, tuple(shares), chance
    )


def _table(data: IncompleteDataset, column: int, other: int) -> npt.NDArray[np.int64]:
    """Return the records with and without a value of a column, by the states of another."""
    known = ~data.gaps[:, other]
    states = data.variables[other].state_count
    table = np.zeros((2, states), dtype=np.int64)
    place = (data.gaps[known, column].astype(np.intp), data.codes[known, other].astype(np.intp))
    np.add.at(table, place, data.weights[known])
    return table


def _chance(table: npt.NDArray[np.int64], random: np.random.Generator) -> float:
    """Return the chance of a table at least as uneven, given its sums.

    To deal out the marks anew is to draw the records that lack the column without replacement.
    """
    table = table[:, table.sum(axis=0) > 0]
    if table.shape[1] < 2 or not table.sum(axis=1).all():  # noqa: PLR2004  (nothing to compare)
        return 1.0
    totals, lacking = table.sum(axis=0), int(table[1].sum())
    own = _unevenness(table[1][None], totals)[0]
    matches = draws = 0
    while draws < _MOST_PERMUTATIONS and matches < _ENOUGH_MATCHES:
        drawn = random.multivariate_hypergeometric(
            totals, lacking, size=_AT_ONCE, method="marginals"
        )
        matches += int((_unevenness(drawn, totals) >= own * (1 - 1e-12)).sum())
        draws += _AT_ONCE
    return (matches + 1) / (draws + 1)


def _unevenness(
    lacking: npt.NDArray[np.int64], totals: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the sum of n ln(n) over the cells; among tables of equal sums it is what differs."""
    both = np.stack([lacking, totals - lacking]).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(both > 0, both * np.log(both), 0.0)
    return np.asarray(terms.sum(axis=(0, 2)))
