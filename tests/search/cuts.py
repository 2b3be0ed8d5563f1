"""Cuts: those of the oracles as the search has them, random ones, and a search without some."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from noisyor.core.family_source import PriceCut
from noisyor.core.variable_sets import Words, from_words, to_words, variables_in
from noisyor.search.bounds import bounding as bounding_module
from noisyor.search.bounds.cut_system import HalvedSums
from noisyor.search.bounds.duals import Clusters, Cuts
from noisyor.search.bounds.separation import LocalSearch, Point, violated_cuts
from tests.oracles.cuts import OracleCut

if TYPE_CHECKING:
    from noisyor._kernels import kernels

LeaveOut = Callable[[pytest.MonkeyPatch], None]
"""Makes the search do without some kind of cuts."""


def clusters_of(cuts: Sequence[OracleCut], words: int) -> Clusters:
    """Return the clusters of an oracle's cuts."""
    listed = [one for cut in cuts for one in cut.classes]
    ends = np.cumsum([0, *(len(cut.classes) for cut in cuts)])
    return Clusters(
        words_of([cut.members for cut in cuts], words),
        np.array([cut.need for cut in cuts], dtype=np.int32),
        ends.astype(np.int64),
        words_of(listed, words),
    )


def cuts_of(cuts: Sequence[OracleCut], words: int) -> Cuts:
    """Return an oracle's cuts with their weights."""
    weights = np.array([cut.weight for cut in cuts], dtype=np.int64)
    return Cuts(clusters_of(cuts, words), weights)


def oracle_cuts_of(clusters: Clusters) -> list[OracleCut]:
    """Return clusters as an oracle has them, without weights."""
    classes = from_words(clusters.classes)
    first = clusters.first_class.tolist()
    return [
        OracleCut(members, need, 0, tuple(classes[first[cut] : first[cut + 1]]))
        for cut, (members, need) in enumerate(
            zip(from_words(clusters.variables), clusters.needs.tolist(), strict=True)
        )
    ]


def words_of(sets: Sequence[int], words: int) -> np.ndarray:
    """Return sets in words, also if there are none."""
    return to_words(sets, words) if len(sets) else Clusters.none(words).variables


def divided(rng: np.random.Generator, members: int, weight: int = 0) -> OracleCut:
    """Return a cut of random need over some variables, divided into classes at random."""
    labels: dict[int, int] = {}
    chosen = list(variables_in(members))
    count = int(rng.integers(1, len(chosen) + 1))
    for v in chosen:
        label = int(rng.integers(0, count))
        labels[label] = labels.get(label, 0) | 1 << v
    listed = tuple(one for one in labels.values() if one.bit_count() > 1)
    return OracleCut(members, int(rng.integers(1, len(labels) + 1)), weight, listed)


def classed_price_cut(
    rng: np.random.Generator, child: int, members: int, weight: float
) -> PriceCut:
    """Return a cut of a child's prices, over some variables divided into classes at random."""
    cut = divided(rng, members | 1 << child)
    own = next((one for one in cut.classes if one >> child & 1), 0) & ~(1 << child)
    return PriceCut(cut.members, cut.need, weight, own, cut.classes)


def leave_out_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Round no cuts from others."""
    monkeypatch.setattr(bounding_module, "violated_halves", lambda *_: HalvedSums([], []))


def leave_out_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for clusters without classes only."""

    def plain(
        point: Point,
        starts: Words,
        search: LocalSearch,
        seed: int,
        cancellation: "kernels.Cancellation",
    ) -> Clusters:
        if search.classes:
            return Clusters.none(starts.shape[1])
        return violated_cuts(point, starts, search, seed, cancellation)

    monkeypatch.setattr(bounding_module, "violated_cuts", plain)
