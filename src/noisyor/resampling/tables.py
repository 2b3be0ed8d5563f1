"""Tables made of the records of another: resamples and folds.

A table holds each distinct row once with its count, so only counts are drawn. Each table has its
own random numbers, from the seed and its number: it is the same whichever others are made, in
whatever order, on however many threads.
"""

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, SettingsError

Counts = npt.NDArray[np.int64]

_LARGEST_SEED = 2**63 - 1
_MOST_RECORDS = 10**9 - 1  # that numpy draws from without replacement

# What a table is for is part of its seed, so that a resample and a fold have nothing in common.
_RESAMPLE, _FOLDS = 0, 1


def check_seed(seed: int) -> None:
    """Refuse a seed that random numbers cannot start from."""
    if not 0 <= seed <= _LARGEST_SEED:
        raise SettingsError(f"the seed is {seed}; it must be from 0 to {_LARGEST_SEED}")


def resampled(data: Dataset, seed: int, number: int) -> Dataset:
    """Return as many records as the data have, drawn from them with replacement.

    Parameters
    ----------
    data
        The records.
    seed
        The seed of all resamples.
    number
        The number of this resample.

    """
    random = np.random.default_rng([_RESAMPLE, seed, number])
    records = data.record_count
    return with_counts(data, random.multinomial(records, data.weights / records))


def folds(data: Dataset, count: int, seed: int) -> list[tuple[Dataset, Dataset]]:
    """Return, for each of several folds, the records outside of it and those in it.

    The folds are random and as equal in size as can be; each record is in one of them.

    Parameters
    ----------
    data
        The records.
    count
        The number of folds, at least 2 and at most the number of records.
    seed
        The seed.

    """
    records = data.record_count
    if not 2 <= count <= records:  # noqa: PLR2004
        raise SettingsError(
            f"{count} folds of {records} records were asked for; allowed: 2 to {records}"
        )
    if records - -(-records // count) < 2:  # noqa: PLR2004
        raise SettingsError(
            f"{count} folds of {records} records leave a single one to learn from; at least 2 are "
            "needed outside of each fold"
        )
    if records > _MOST_RECORDS:
        raise SettingsError(
            f"{records:,} records cannot be put into folds; at most {_MOST_RECORDS:,}"
        )
    random = np.random.default_rng([_FOLDS, seed])
    left = data.weights.copy()
    pairs = []
    for number in range(count):
        size = records * (number + 1) // count - records * number // count
        drawn = random.multivariate_hypergeometric(left, size, method="marginals")
        left = left - drawn
        pairs.append((with_counts(data, data.weights - drawn), with_counts(data, drawn)))
    return pairs


def with_counts(data: Dataset, counts: Counts) -> Dataset:
    """Return the same distinct rows with other counts; rows of count 0 are left out."""
    if data.copies != 1:
        raise SettingsError("records that were completed cannot be resampled; name complete ones")
    kept = counts > 0
    return Dataset(data.variables, data.codes[kept], counts[kept].astype(np.int64))
