"""Paired differences over folds, with errors that allow for folds that share training records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from benchmarks.harness.measuring import Results
from benchmarks.heldout.plan import DATASETS, FOLDS, TABLES, folds_of

QUANTILES = {3: 4.303, 5: 2.776, FOLDS: 2.262}
"""The 97.5 % quantile of Student's t, by the number of folds, which is one more than the degrees of
freedom."""

Reading = Callable[[Results], float | None]
"""A figure of one job's result, None where it has none."""


@dataclass(frozen=True, slots=True)
class Gain:
    """A mean over folds, in nats per record, its standard error, and the number of folds."""

    mean: float
    error: float
    folds: int = FOLDS

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval."""
        return QUANTILES[self.folds] * self.error

    @property
    def clearly_better(self) -> bool:
        """Whether the interval is above 0."""
        return self.mean > self.half_width

    @property
    def clearly_worse(self) -> bool:
        """Whether the interval is below 0."""
        return self.mean < -self.half_width


def best(measure: str) -> Reading:
    """Return a measure of the best network."""
    return lambda result: result["best"].get(measure)


def average(measure: str) -> Reading:
    """Return a measure of the average over the credible set; None if there is no complete set."""
    return lambda result: None if result["average"] is None else result["average"][measure]


def over_folds(
    results: Mapping[str, Results], dataset: str, way: str, reading: Reading
) -> list[float] | None:
    """Return a figure of every fold that is predicted; None if a fold lacks it."""
    found = []
    for fold in range(folds_of(dataset)):
        result = results.get(f"{dataset}/{fold}/{way}")
        if result is None or "nothing_because" in result:
            return None
        value = reading(result)
        if value is None:
            return None
        found.append(value)
    return found


def mean_of(
    results: Mapping[str, Results], dataset: str, way: str, reading: Reading
) -> float | None:
    """Return the mean of a figure over all folds."""
    values = over_folds(results, dataset, way, reading)
    return None if values is None else fmean(values)


def gain_of(
    results: Mapping[str, Results],
    dataset: str,
    way: tuple[str, Reading],
    base: tuple[str, Reading],
) -> Gain | None:
    """Return by how much one way exceeds another on the same folds; None if a fold is missing.

    Any two training sets have most of their records in common, so the folds are not independent and
    the usual error of a mean over folds is too small. It is corrected as by Nadeau and Bengio
    (2003): the variance over the folds counts 1 / (folds predicted) + 1 / (folds - 1) times, where
    the second term is the ratio of held-out to training records.
    """
    one, other = (over_folds(results, dataset, *each) for each in (way, base))
    if one is None or other is None:
        return None
    gaps = [mine - theirs for mine, theirs in zip(one, other, strict=True)]
    error = sqrt((1 / len(gaps) + 1 / (FOLDS - 1)) * variance(gaps))
    return Gain(fmean(gaps), error, len(gaps))


def over_tables(
    results: Mapping[str, Results], way: str, measure: str = "joint"
) -> dict[str, Gain]:
    """Return the gain of a way's best network over that of full tables, by data set."""
    gains = {
        name: gain_of(results, name, (way, best(measure)), (TABLES, best(measure)))
        for name in DATASETS
    }
    return {name: gain for name, gain in gains.items() if gain is not None}


def of_averaging(results: Mapping[str, Results], way: str) -> dict[str, Gain]:
    """Return the gain of the average over the credible set over its best network, by data set."""
    gains = {
        name: gain_of(results, name, (way, average("joint")), (way, best("joint")))
        for name in DATASETS
    }
    return {name: gain for name, gain in gains.items() if gain is not None}


def stored_datasets(results: Mapping[str, Results]) -> list[str]:
    """Return the data sets of which full tables have predicted every fold, by their size."""
    known = [
        name for name in DATASETS if over_folds(results, name, TABLES, best("joint")) is not None
    ]
    return sorted(known, key=lambda name: record_count(results, name))


def record_count(results: Mapping[str, Results], dataset: str) -> int:
    """Return the number of records of a data set whose first fold is stored."""
    first = results[f"{dataset}/0/{TABLES}"]
    return int(first["records"] + first["held_out"])
