"""The study's figures: means over samples, paired differences and calibration, with bands."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from benchmarks.harness.against_truth import BINS, all_bins
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind, is_random, parts_of
from benchmarks.study.plan import CURVE_VARIABLES, TRUE

RESAMPLES = 4000
SEED = 8
CONFIDENCE = 0.95
FEWEST_CLUSTERS = 6
"""With fewer clusters, all agree in sign by mere chance more than one time in twenty: 2 / 2**5 is
more than 1 - CONFIDENCE, 2 / 2**6 is not. Then no interval is shown, and no difference is called
clear."""

Reading = Callable[[Results], float | None]
"""A figure of one job's result, None where it has none."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one job found. `group` is the kind of a random network or a true network's name.

    Outcomes of one `cluster` are not independent: they are of the same random network, or have
    the number of a repeat in common.
    """

    group: str
    cluster: str
    variables: int
    records: int
    result: Results

    @property
    def part(self) -> str:
        """The part of the study: a kind of random networks with its size, or a network."""
        return f"{self.group}-{self.variables}" if self.group in tuple(Kind) else self.group

    @property
    def comparable(self) -> bool:
        """Whether both best networks are proven to be best."""
        return "nothing_because" not in self.result and all(
            self.result[relations]["proven"] for relations in ("both", "cpt")
        )


@dataclass(frozen=True, slots=True)
class Band:
    """An estimate, its confidence interval, and the number of clusters behind it."""

    middle: float
    low: float
    high: float
    clusters: int

    @property
    def has_interval(self) -> bool:
        """Whether there are enough clusters for the interval to mean something."""
        return self.clusters >= FEWEST_CLUSTERS

    def clearly_below(self, value: float) -> bool:
        """Return whether the interval is below a value, and rests on enough clusters."""
        return self.high < value and self.has_interval

    def clearly_above(self, value: float) -> bool:
        """Return whether the interval is above a value, and rests on enough clusters."""
        return self.low > value and self.has_interval


@dataclass(frozen=True, slots=True)
class WeightBin:
    """Pairs with a weight in one bin: how many, their mean weight, the share that is true."""

    number: int
    pairs: int
    mean_weight: float
    true_share: Band


def outcomes_of(results: Mapping[str, Results]) -> list[Outcome]:
    """Return the outcomes of all jobs, from their keys network/records/repeat."""
    outcomes = []
    for key, result in results.items():
        network, records, repeat = key.split("/")
        group, variables = network, int(result.get("variables", 0))
        if is_random(network):
            kind, variables, _ = parts_of(network)
            group = str(kind)
        outcomes.append(Outcome(group, f"{network}/{repeat}", variables, int(records), result))
    return outcomes


def curve_outcomes(outcomes: Iterable[Outcome], group: str) -> list[Outcome]:
    """Return the comparable outcomes of a curve over the number of records."""
    return [
        one
        for one in outcomes
        if one.group == group
        and one.comparable
        and (group in TRUE or one.variables in CURVE_VARIABLES)
    ]


def ratio_band(parts: Mapping[str, tuple[float, float]]) -> Band | None:
    """Return the ratio of two sums over clusters with a bootstrap interval, if there are two.

    `parts` has the numerator and the denominator of each cluster. Clusters are drawn with
    replacement, as many as there are, and the interval is from percentile to percentile of the
    ratios (Efron, 1979). A mean is the ratio of a sum and a count. Clusters with a denominator of 0
    carry no information and are left out.
    """
    known = [parts[name] for name in sorted(parts) if parts[name][1] > 0]
    if len(known) < 2:
        return None
    above, below = np.array(known).T
    count = len(known)
    draws = np.random.default_rng(SEED).multinomial(count, [1 / count] * count, size=RESAMPLES)
    ratios = (draws @ above) / (draws @ below)
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(ratios, [tail, 100 - tail]).tolist()
    return Band(float(above.sum() / below.sum()), low, high, count)


def mean_band(outcomes: Iterable[Outcome], reading: Reading) -> Band | None:
    """Return the mean of a figure over the outcomes that have it."""
    parts: dict[str, tuple[float, float]] = {}
    for one in outcomes:
        value = reading(one.result)
        if value is not None:
            total, count = parts.get(one.cluster, (0.0, 0.0))
            parts[one.cluster] = (total + value, count + 1)
    return ratio_band(parts)


def share_band(outcomes: Iterable[Outcome], part: Reading, whole: Reading) -> Band | None:
    """Return the sum of one figure as a share of the sum of another."""
    parts: dict[str, tuple[float, float]] = {}
    for one in outcomes:
        above, below = part(one.result), whole(one.result)
        if above is not None and below is not None:
            total, all_of_it = parts.get(one.cluster, (0.0, 0.0))
            parts[one.cluster] = (total + above, all_of_it + below)
    return ratio_band(parts)


def less(first: Reading, second: Reading) -> Reading:
    """Return the difference of two figures of the same sample."""

    def difference(result: Results) -> float | None:
        one, other = first(result), second(result)
        return None if one is None or other is None else one - other

    return difference


def by_records(
    outcomes: Iterable[Outcome], band: Callable[[list[Outcome]], Band | None]
) -> dict[int, Band]:
    """Return the band of the outcomes with each number of records, where there is one."""
    sorted_out: dict[int, list[Outcome]] = {}
    for one in outcomes:
        sorted_out.setdefault(one.records, []).append(one)
    bands = {records: band(sorted_out[records]) for records in sorted(sorted_out)}
    return {records: one for records, one in bands.items() if one is not None}


def per_arc(relations: str, measure: str) -> Reading:
    """Return a distance between graphs as a share of the number of true arcs."""
    return lambda result: float(result[relations][measure]) / float(result["truth"]["arcs"])


def plain(relations: str, measure: str) -> Reading:
    """Return a figure as it is stored."""
    return lambda result: result[relations][measure]


def counted(relations: str, measure: str) -> Reading:
    """Return a number as it is stored, 0 where there was nothing to count."""
    return lambda result: float(result[relations][measure] or 0)


def excess(relations: str, predicted_by: str) -> Reading:
    """Return the excess of a held-out record's negative log-likelihood over the truth's, in nats.

    It estimates the Kullback-Leibler divergence from the truth, so it is never far below 0.
    """

    def reading(result: Results) -> float | None:
        learned = result[relations][f"held_out_{predicted_by}"]
        return None if learned is None else float(result["truth"]["held_out"]) - float(learned)

    return reading


def wilson(hits: int, pairs: int) -> tuple[float, float]:
    """Return the interval of a share, were the pairs independent (Wilson, 1927)."""
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    share = hits / pairs
    middle = share + z * z / (2 * pairs)
    half = z * sqrt(share * (1 - share) / pairs + z * z / (4 * pairs * pairs))
    scale = 1 + z * z / pairs
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def calibration(outcomes: Sequence[Outcome], relations: str, subject: str) -> list[WeightBin]:
    """Return how often pairs of each weight are true, over the outcomes with complete sets.

    The interval is the wider of two on either side: a bootstrap of clusters, since the pairs of a
    network are not independent, and Wilson's, since where all pairs are true, or none, every
    bootstrap draw is the same.
    """
    sets = [one for one in outcomes if one.comparable and one.result[relations]["calibration"]]
    bins = [(one.cluster, all_bins(one.result[relations]["calibration"][subject])) for one in sets]
    found = []
    for number in range(BINS):
        parts: dict[str, tuple[float, float]] = {}
        weight = 0.0
        for cluster, ten in bins:
            pairs, total, hits = ten[number]
            above, below = parts.get(cluster, (0.0, 0.0))
            parts[cluster] = (above + hits, below + pairs)
            weight += total
        band = ratio_band(parts)
        if band is not None:
            pairs = int(sum(below for _, below in parts.values()))
            low, high = wilson(int(sum(above for above, _ in parts.values())), pairs)
            share = Band(band.middle, min(band.low, low), max(band.high, high), band.clusters)
            found.append(WeightBin(number, pairs, weight / pairs, share))
    return found
