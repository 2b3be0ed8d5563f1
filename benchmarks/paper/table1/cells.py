"""The tests of the paper's Table 1: a true noisy-OR, its records, and what is fitted to them."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.paper.table1.measures import Floats
from noisyor.core import NOISY_OR, Dataset, Family, NoisyOr
from noisyor.fitting import FittedFamily, fit

PERCENTS = (1, 99)
"""A true q is one of 0.01, 0.02, ..., 0.99, all equally likely."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Tests of one size: true q's, shape (tests, k), and records, shape (tests, 2**(k + 1)).

    Bit t of a kind of record is the t-th parent, bit k the child.
    """

    truth: Floats
    counts: npt.NDArray[np.int64]

    @property
    def parents(self) -> int:
        """The number of parents, k."""
        return int(self.truth.shape[1])

    def by_configuration(self) -> tuple[Floats, Floats]:
        """Return the records with the child absent and present, each of shape (tests, 2**k)."""
        absent, present = np.split(self.counts.astype(np.float64), 2, axis=1)
        return absent, present

    def datasets(self) -> list[Dataset]:
        """Return each test's records."""
        names = (*(f"cause {t + 1}" for t in range(self.parents)), "effect")
        return [
            Dataset.from_bits(
                names,
                np.flatnonzero(row).astype(np.uint64)[:, np.newaxis],
                row[row > 0],
                (("no", "yes"),) * len(names),
            )
            for row in self.counts
        ]


def draw(parents: int, records: int, tests: int) -> Cell:
    """Return tests of one size, the same ones for the same numbers.

    The true q's depend only on the number of parents and the number of the test. So all numbers of
    records share them, and a smaller number of tests is the beginning of a larger one. The records
    are drawn afresh for each number of records. Parents with priors of 0.5 make all configurations
    equally likely.
    """
    truth = np.empty((tests, parents))
    counts = np.empty((tests, 2 ** (parents + 1)), dtype=np.int64)
    for test in range(tests):
        low, high = PERCENTS
        truth[test] = np.random.default_rng([parents, test]).integers(low, high + 1, parents) / 100
        random = np.random.default_rng([parents, test, records])
        configurations = random.integers(0, 2**parents, records)
        present = random.random(records) < NoisyOr(truth[test]).expand().present[configurations]
        kinds = configurations | present.astype(np.int64) << parents
        counts[test] = np.bincount(kinds, minlength=counts.shape[1])
    return Cell(truth, counts)


@dataclass(frozen=True, slots=True)
class Fits:
    """What a fitter made of the tests of a cell: q's, costs, and how it ended, per test."""

    q: Floats
    costs: Floats
    lower_bounds: Floats
    converged: npt.NDArray[np.bool_]
    iterations: npt.NDArray[np.int64]


def fitted(datasets: list[Dataset], fitter: str) -> Fits:
    """Fit each data set's last variable, with all others as its parents."""
    child = datasets[0].variable_count - 1
    family = Family(child, (1 << child) - 1, NOISY_OR)
    fits = [fit(data, family, fitter=fitter) for data in datasets]
    return Fits(
        np.array([_noisy_or(one).q for one in fits]),
        np.array([one.certificate.cost for one in fits]),
        np.array([one.certificate.lower_bound for one in fits]),
        np.array([one.converged for one in fits]),
        np.array([one.iterations for one in fits]),
    )


def _noisy_or(one: FittedFamily) -> NoisyOr:
    if not isinstance(one.distribution, NoisyOr):
        raise TypeError(f"{one.family} was not fitted as a noisy-OR")
    return one.distribution


def undetermined(cell: Cell, q: Floats) -> npt.NDArray[np.bool_]:
    """Return in which tests the records do not determine some q, given the fitted ones.

    A q is undetermined if each record with its parent present has another parent whose q is 0: the
    child is then certain whatever this q is.
    """
    size = 2**cell.parents
    seen = cell.counts.reshape(-1, 2, size).sum(axis=1) > 0
    configurations = np.arange(size)
    certain_by = np.stack([(configurations >> t & 1) > 0 for t in range(cell.parents)])
    some = np.zeros(len(q), dtype=np.bool_)
    for t in range(cell.parents):
        others = [u for u in range(cell.parents) if u != t]
        certain = ((q[:, others, np.newaxis] == 0) & certain_by[others]).any(axis=1)
        some |= ~(seen & certain_by[t] & ~certain).any(axis=1)
    return some
