"""Distance of a learned network, or a credible set, from the network the data were sampled from."""

from collections.abc import Collection, Iterable, Mapping
from itertools import combinations, permutations
from math import isfinite

import numpy as np
import numpy.typing as npt

from benchmarks.harness.measuring import Results
from noisyor import (
    NOISY_OR,
    Dataset,
    Family,
    Network,
    NetworkSet,
    Structure,
    compare,
    cpdag,
    inference_error,
)
from noisyor.networks.arcs import ArcStrength
from noisyor.networks.likelihood import SMOOTHING

BINS = 10
_ROWS_AT_ONCE = 1024  # of held-out records: with 1,000 members, 8 MB at a time

Pair = tuple[str, str]
Bin = tuple[int, float, int]
"""How many pairs have a weight in the bin, the sum of their weights, and how many are true."""


def structure_measures(truth: Structure, learned: Structure) -> Results:
    """Return how the arcs of a learned network differ from the true ones.

    `shd` is the structural Hamming distance: pairs of variables that are joined in one network
    only, or in opposite directions, each counting 1. `cpdag_shd` is the same between the CPDAGs of
    the two graphs, where an edge that is directed in one and undirected in the other counts 1,
    too. Both graphs are treated as if every node were a full table. Where a node is a noisy-OR, the
    records can determine more directions than its CPDAG has, so `cpdag_shd` ignores a reversed arc
    that might have been identified. `shd` counts it, even at full tables, where it never can be.

    `precision` is the share of the learned arcs that are true, None where none was learned;
    `recall` the share of the true arcs that were learned. Arcs count with their direction, and
    without it in the `skeleton_` ones.
    """
    difference = compare(truth, learned)
    true, found = set(truth.edges()), set(learned.edges())
    right = len(difference.shared)
    near = right + len(difference.edges.reversed_edges)
    return {
        "arcs": len(found),
        "shd": difference.edges.shd,
        "cpdag_shd": difference.classes.shd,
        "precision": _share(right, len(found)),
        "recall": _share(right, len(true)),
        "skeleton_precision": _share(near, len(found)),
        "skeleton_recall": _share(near, len(true)),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 5) if whole else None


def relation_measures(truth: Structure, learned: Structure) -> Results:
    """Return how many nodes are noisy-ORs, and how many of the true ones were found.

    `noisy_or_parents` of the true noisy-ORs have exactly their true parents in the learned network,
    and `noisy_or_found` of these are noisy-ORs there; both are None if the truth has no noisy-OR.
    """
    true = [one for one in truth.families if one.relation is NOISY_OR]
    chosen = {learned.names[one.child]: one for one in learned.families}
    same = [
        chosen[truth.names[one.child]]
        for one in true
        if _parents(truth, one) == _parents(learned, chosen[truth.names[one.child]])
    ]
    return {
        "noisy_or": sum(one.relation is NOISY_OR for one in learned.families),
        "noisy_or_parents": len(same) if true else None,
        "noisy_or_found": sum(one.relation is NOISY_OR for one in same) if true else None,
    }


def _parents(structure: Structure, family: Family) -> set[str]:
    return {structure.names[parent] for parent in family.parent_indices()}


def error_measures(truth: Network, learned: Network, trials: int, seed: int) -> Results:
    """Return the error of the learned network's posteriors.

    `relative` and `absolute` are medians over all entries, the text "inf" where they are infinite;
    `mean` that of the trials whose mean relative error is finite, None if none is; `impossible`
    counts the trials whose evidence the learned network rules out, `infinite` the entries of other
    trials where the truth is 0 and the learned value is not. See `noisyor.InferenceError`.
    """
    found = inference_error(truth, learned, trials=trials, seed=seed)
    return {
        "relative": _rounded(found.relative),
        "absolute": _rounded(found.absolute),
        "mean": None if found.finite_mean is None else _rounded(found.finite_mean),
        "impossible": found.impossible_trials,
        "infinite": found.infinite_entries,
    }


def _rounded(value: float) -> float | str:
    """Return four digits, or a text where JSON has no number; `float` reads both."""
    return float(f"{value:.4g}") if isfinite(value) else str(value)


def averaged_held_out(networks: NetworkSet, data: Dataset) -> float:
    """Return the mean log-likelihood per record, in nats, of the networks' weighted mean.

    A record's probability is the mean of the members' probabilities by weight. Each conditional
    probability is smoothed as `noisyor.held_out` does it by default.
    """
    columns = {name: data.present(place) for place, name in enumerate(data.names)}
    if networks.states != tuple(data.states[data.names.index(name)] for name in networks.names):
        raise ValueError("the networks and the records must have the same states")
    logs = np.empty((len(networks.families), len(data.weights)))
    with np.errstate(divide="ignore"):
        for row, one in zip(logs, networks.families, strict=True):
            above = [columns[networks.names[place]] for place in one.family.parent_indices()]
            absent, present = one.distribution.log_chances(above, len(row))
            chance = np.exp(np.where(columns[networks.names[one.family.child]], present, absent))
            row[:] = np.log((1 - SMOOTHING) * chance + SMOOTHING / 2)
    weights = networks.weights()[:, np.newaxis]
    total = 0.0
    for start in range(0, logs.shape[1], _ROWS_AT_ONCE):
        some = logs[:, start : start + _ROWS_AT_ONCE]
        joint: npt.NDArray[np.float64] = np.zeros((len(networks), some.shape[1]))
        for places in networks.members.T:
            joint += some[places]
        largest = joint.max(axis=0)
        mean = largest + np.log((weights * np.exp(joint - largest)).sum(axis=0))
        total += float((mean * data.weights[start : start + _ROWS_AT_ONCE]).sum())
    return total / data.record_count


def calibration_measures(truth: Structure, strengths: Iterable[ArcStrength]) -> Results:
    """Return the calibration of the weights in the credible set, in bins of weight.

    An arc's weight is the share of the weight of the members that have it, an adjacency's the sum
    of both directions'. `arcs` are all ordered pairs of variables, `skeleton` all unordered ones;
    those that no member joins have weight 0. `compelled` are the ordered pairs except those that
    a reversible edge of the true CPDAG joins: at full tables its two directions have the same
    cost, so their weights say nothing about which of them is true. Leaving them out depends on the
    truth, so `compelled` shows where `arcs` goes wrong; it is not itself a calibration.

    Each is a list of [bin, pairs, sum of weights, true pairs] of the bins that have a pair. There
    are 10 bins; bin b has weights from b / 10 up to but not including (b + 1) / 10, the last one
    also 1.
    """
    weights = {(arc.parent, arc.child): arc.weight for arc in strengths}
    true = set(truth.edges())
    tables = tuple(Family(one.child, one.parents) for one in truth.families)
    reversible = cpdag(Structure(truth.names, tables)).undirected
    ordered = list(permutations(truth.names, 2))
    told = [(a, b) for a, b in ordered if (a, b) not in reversible and (b, a) not in reversible]
    unordered = list(combinations(truth.names, 2))
    joined = {(a, b): weights.get((a, b), 0.0) + weights.get((b, a), 0.0) for a, b in unordered}
    adjacent = {(a, b) for a, b in unordered if (a, b) in true or (b, a) in true}
    return {
        "arcs": binned(weights, true, ordered),
        "skeleton": binned(joined, adjacent, unordered),
        "compelled": binned(weights, true, told),
    }


def binned(
    weights: Mapping[Pair, float], true: Collection[Pair], pairs: Iterable[Pair]
) -> list[list[float]]:
    """Return [bin, pairs, sum of weights, true pairs] of each bin that has a pair."""
    bins = [[0, 0.0, 0] for _ in range(BINS)]
    for pair in pairs:
        weight = weights.get(pair, 0.0)
        chosen = bins[min(int(weight * BINS), BINS - 1)]
        chosen[0] += 1
        chosen[1] += weight
        chosen[2] += pair in true
    return [
        [number, count, float(f"{total:.5g}"), right]
        for number, (count, total, right) in enumerate(bins)
        if count
    ]


def all_bins(stored: Iterable[Iterable[float]]) -> list[Bin]:
    """Return the ten bins of what `binned` gave, empty ones included."""
    bins: list[Bin] = [(0, 0.0, 0)] * BINS
    for number, count, total, right in stored:
        bins[int(number)] = (int(count), float(total), int(right))
    return bins
