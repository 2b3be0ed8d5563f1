"""Arc strengths from resampled tables: how often the best network of a resample has an arc."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

Edge = tuple[int, int]
"""A parent and a child, by their numbers."""


@dataclass(frozen=True, slots=True)
class Resample:
    """What was learned from one resampled table.

    Parameters
    ----------
    number
        The number of the resample; with the seed, it determines the table.
    best
        The arcs of the best network. Where several networks tie for the best, as those of one
        equivalence class do, an arc has the share of them that have it.
    weights
        The weight of each arc in the credible set of the resample; None if that is not known.
    proven
        Whether the best network is proven to be optimal.
    """

    number: int
    best: Mapping[Edge, float]
    weights: Mapping[Edge, float] | None
    proven: bool


@dataclass(frozen=True, slots=True)
class BootstrapArc:
    """An arc of some resample.

    `share` is the share of the resamples whose best network has the arc, and `weight` the mean of
    its weights in the credible sets of the resamples, if these are known. The standard errors are
    of the resampling: they fall with the number of resamples, not with that of the records.
    """

    parent: str
    child: str
    share: float
    standard_error: float
    weight: float | None = None
    weight_error: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Bootstrap:
    """Arc strengths from a bootstrap of the records (Friedman, Goldszmidt and Wyner, 1999).

    Parameters
    ----------
    names
        The names of the variables.
    asked
        The number of resamples that were asked for.
    seed
        The seed of the resamples.
    resamples
        The number of resamples that were done.
    unproven
        How many of them have a best network that is not proven to be optimal.
    weighted
        How many of them have weights: their credible sets were counted in full. The mean weights
        are over these.
    arcs
        The arcs of all resamples, those of greatest share first.
    """

    names: tuple[str, ...]
    asked: int
    seed: int
    resamples: int
    unproven: int
    weighted: int
    arcs: tuple[BootstrapArc, ...]

    def __post_init__(self) -> None:
        """Refuse counts that contradict each other."""
        if not 0 <= self.unproven <= self.resamples <= self.asked:
            raise ValueError(
                f"{self.unproven} unproven of {self.resamples} resamples of {self.asked} asked for"
            )
        if not 0 <= self.weighted <= self.resamples:
            raise ValueError(f"{self.weighted} of {self.resamples} resamples have weights")

    @property
    def complete(self) -> bool:
        """Whether all resamples were done, each with a proven optimum."""
        return self.resamples == self.asked and not self.unproven

    @property
    def has_weights(self) -> bool:
        """Whether the weights of the resamples' credible sets are known."""
        return self.weighted > 0

    @property
    def shortfalls(self) -> tuple[str, ...]:
        """What a limit has left undone, one line each."""
        lines = []
        if self.resamples < self.asked:
            lines.append(
                f"{self.resamples:,} of {self.asked:,} bootstrap resamples were done in time"
            )
        if self.unproven:
            lines.append(
                f"the best networks of {self.unproven:,} of {self.resamples:,} bootstrap resamples "
                "are not proven to be optimal"
            )
        if self.weighted < self.resamples:
            rest = "the mean weights are of the others" if self.weighted else "no mean weights"
            lines.append(
                f"{self.resamples - self.weighted:,} of {self.resamples:,} bootstrap resamples "
                f"have no weights, because their credible networks were not all counted: {rest}"
            )
        return tuple(lines)

    def unseen_arc(self) -> BootstrapArc:
        """Return the figures of an arc that no resample has; its ends have no names."""
        error, other = (
            error_of_mean(np.zeros(max(1, count))) for count in (self.resamples, self.weighted)
        )
        none = (0.0, other) if self.has_weights else (None, None)
        return BootstrapArc("", "", 0.0, error, *none)

    def by_arc(self) -> dict[tuple[str, str], BootstrapArc]:
        """Return the arcs by parent and child."""
        return {(arc.parent, arc.child): arc for arc in self.arcs}

    @classmethod
    def of(
        cls, names: tuple[str, ...], asked: int, seed: int, resamples: Sequence[Resample]
    ) -> "Bootstrap":
        """Return the shares of all arcs; the order of the resamples does not matter."""
        done = sorted(resamples, key=lambda one: one.number)
        known = [one.weights for one in done if one.weights is not None]
        edges = sorted({edge for one in done for edge in (*one.best, *(one.weights or ()))})
        arcs = []
        for parent, child in edges:
            shares = np.array([one.best.get((parent, child), 0.0) for one in done])
            weights = np.array([one.get((parent, child), 0.0) for one in known])
            arcs.append(
                BootstrapArc(
                    names[parent],
                    names[child],
                    float(shares.mean()),
                    error_of_mean(shares),
                    float(weights.mean()) if known else None,
                    error_of_mean(weights) if known else None,
                )
            )
        arcs.sort(key=lambda arc: -arc.share)
        unproven = sum(not one.proven for one in done)
        return cls(names, asked, seed, len(done), unproven, len(known), tuple(arcs))


def error_of_mean(values: npt.NDArray[np.float64]) -> float:
    """Return the standard error of a mean of shares, shape (resamples,).

    It is at least what a single resample with the opposite outcome would add: an arc of all
    resamples, or of none, is not taken to be certain.
    """
    count = len(values)
    if count == 1:
        return 0.5
    share = (float(values.sum()) + 0.5) / (count + 1)
    least = min(share, 1 - share, 0.5 / (count + 1))
    return sqrt(max(float(values.var(ddof=1)) / count, least * (1 - least) / (count + 1)))
