"""Figures of the calibration, from stored results."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.plan import RANDOM, SIZES, TRUE
from benchmarks.harness.against_truth import BINS
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import is_random

GROUPS = [(family, records) for family in (RANDOM, TRUE) for records in SIZES]
"""The families of networks and numbers of records over which figures are averaged."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A mean paired difference over samples, and its standard error."""

    mean: float
    error: float


def in_group(results: Mapping[str, Results], group: tuple[str, int]) -> list[Results]:
    """Return the results of the samples of a group, each with the name of its network."""
    family, records = group
    return [
        {**result, "network": key.split("/")[0]}
        for key, result in results.items()
        if "nothing_because" not in result
        and is_random(key.split("/")[0]) == (family == RANDOM)
        and int(key.split("/")[1]) == records
    ]


def bins_of(results: list[Results], kind: str, subject: str) -> npt.NDArray[np.float64]:
    """Return the pairs, the sum of weights and the true pairs of each bin, shape (bins, 3)."""
    total = np.zeros((BINS, 3))
    for result in results:
        for number, pairs, weight, true in result[kind][subject]:
            total[int(number)] += (pairs, weight, true)
    return total


def calibration_error(bins: npt.NDArray[np.float64]) -> float:
    """Return the expected calibration error: the mean gap between weight and truth of a pair."""
    return float(np.abs(bins[:, 1] - bins[:, 2]).sum() / bins[:, 0].sum())


def mean_of(results: list[Results], kind: str, measure: str) -> float:
    """Return the mean of a measure over samples."""
    return float(np.mean([result[kind][measure] for result in results]))


def gap_of(results: list[Results], kind: str, other: str, measure: str) -> Gap:
    """Return by how much a kind of weights differs from another on the same samples.

    Samples of one network are alike, so the error is that of the mean over networks.
    """
    of_network: dict[str, list[float]] = {}
    for result in results:
        gap = result[kind][measure] - result[other][measure]
        of_network.setdefault(result["network"], []).append(gap)
    gaps = np.array([np.mean(own) for own in of_network.values()])
    error = float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else float("nan")
    return Gap(float(gaps.mean()), error)


def temperatures(results: list[Results], kind: str) -> list[float]:
    """Return the temperatures that were fitted."""
    return [result[kind]["temperature"] for result in results if "temperature" in result[kind]]


def uncounted(results: list[Results], kind: str) -> int:
    """Return how many samples have a credible set that was not counted in full."""
    return sum(not result[kind]["counted"] for result in results)
