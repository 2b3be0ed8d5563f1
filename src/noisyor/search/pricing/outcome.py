"""What pricing starts from, how much work it does, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import ScoreTable
from noisyor.search.proof.branch import Branch

HOPELESS_GAP = 100.0
"""A gap in nats, as on large samples, that is too large for branching to close."""


@dataclass(frozen=True, slots=True)
class PricingEffort:
    """How much work goes into bounds before all families within them are collected."""

    most_offered: int = 50  # families per child in each request
    small_gap: float = 0.5  # nats, not worth branching for
    nodes: int = 1024  # the most branches to solve
    rounds_above: float = HOPELESS_GAP  # nats: for smaller gaps, branching beats rounded cuts


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """Families known beforehand, and the positions of those that make a network.

    The cuts of an earlier proof hold for all families, and are good to start with.
    """

    table: ScoreTable
    best: npt.NDArray[np.int64]
    cuts: "RootCuts | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class RootCuts:
    """The branch of all networks, with cuts whose weights are in ticks of this size."""

    root: Branch
    tick: float


@dataclass(frozen=True, slots=True)
class PricingStatistics:
    """How the families were found."""

    rounds: int
    families_seeded: int
    families_known: int  # when the bounds were finished
    families_collected: int
    lower_bound: float  # of the linear program, before branching
    lp_gap: float
    gap: float  # when the families were collected
    cuts: int
    branches: int
    nodes: int
    seconds: Mapping[str, float]


@dataclass(frozen=True, slots=True, eq=False)
class Priced:
    """All families that a credible network may have, and bounds on the networks.

    `best` are the positions in the table of the best network's families. If `shortfall` is not
    None, families may be missing; the lower bound holds nevertheless.
    """

    table: ScoreTable
    best: npt.NDArray[np.int64]
    cuts: RootCuts | None
    branches: tuple[Branch, ...]
    tick: float  # in nats, of the weights of the branches' cuts
    lower_bound: float
    shortfall: str | None
    statistics: PricingStatistics
