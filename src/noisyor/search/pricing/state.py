"""What learning by price knows: families, the best network, and what branches have proven."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, ScoreTable
from noisyor.core.family_source import FamilySource, Offer
from noisyor.core.progress import Progress
from noisyor.core.tolerance import tolerance_at
from noisyor.search.clock import Clock, Stopwatch
from noisyor.search.preparation import scale_from, some_network
from noisyor.search.pricing.effort import PricingEffort
from noisyor.search.pricing.prices import Front, prices_below, proven
from noisyor.search.proof.branch import Branch

_MARGIN = 1e-6  # nats: requested families have a reduced cost below minus this
_TOLERANCES = 10  # the same in tolerances of costs, which is more for very large samples


class TimeIsUpError(Exception):
    """Time is up."""


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


class PricingState:
    """The known families, and the bounds that they give."""

    def __init__(  # noqa: PLR0913, PLR0917  (those of `price`, in their order)
        self,
        source: FamilySource,
        factor: BayesFactor,
        clock: Clock,
        jobs: int,
        effort: PricingEffort,
        start: Known | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        """Seed the families, and begin with a network that is known, or with any."""
        self.effort = effort
        self.source = source
        self.clock = clock
        self.jobs = jobs
        self._progress = progress
        self.watch = Stopwatch()
        with self.watch.timed("seed"):
            seed = source.seed(self.stop)
            least = source.least_costs(self.stop)
        self.table = seed.table if start is None else seed.table.joined(start.table)
        self.seeded = seed
        everything = np.arange(len(self.table))
        if start is None:
            network = some_network(self.table, everything)
        else:
            network = self.table.positions_of(start.table)[start.best]
        self.is_given = start is not None
        self.start_cuts = None if start is None else start.cuts
        excess = math.fsum(self.table.costs[network] - least)
        self.scale = scale_from(least, excess, factor)
        self.families = self.scale.families(self.table, everything)
        tolerance = tolerance_at(math.fsum(self.table.costs[network]))
        self.margin = math.ceil(max(_MARGIN, _TOLERANCES * tolerance) / self.scale.tick)
        # Bounds lose the margin for each child even if no family is missing. Branching cannot help.
        self.unasked = len(least) * self.margin * self.scale.tick
        # A tolerance for the cost of the network; one for each family, since of two relations that
        # tie within it the preferred one must be found; and the rounding to ticks.
        room = factor.slack + (1 + len(least)) * tolerance
        self.slack = math.ceil(room / self.scale.tick) + len(least)
        self.best = network
        self.fronts: list[Front] = []
        self.root_bound = 0
        self.root_cuts: RootCuts | None = None
        self.root_gain = 0.0  # nats, of rounded cuts over clusters
        self.is_thorough = False  # whether the last search for families was finished
        self.rounds = 0
        self.nodes = 0
        self.cuts = 0

    def ask_below(
        self, branches: Sequence[Branch], *, heuristic: bool = False
    ) -> tuple[list[Front], npt.NDArray[np.int64] | None]:
        """Request families that lower the branches' bounds, and add them.

        A `heuristic` search is enough as long as it finds some; its bounds are weak. Return the
        branches with bounds that hold for all families, and the new positions of the families known
        before; None if there is no new family.
        """
        fronts = [Front.of(branch, self.families) for branch in branches]
        with self.watch.timed("pricing"):
            offer = self.source.within(
                prices_below(fronts, self.margin, self.scale),
                most=self.effort.most_offered,
                undominated=not any(front.branch.demands_parents for front in fronts),
                heuristic=heuristic,
                stop=self.stop,
            )
        self.rounds += 1
        offered = self.scale.families(offer.table, np.arange(len(offer.table)))
        finished = Offer(offer.table, offer.finished & self.seeded.finished)
        self.is_thorough = bool(finished.finished.all())
        bounded = proven(fronts, finished, offered, self.effort.most_offered, self.margin)
        is_new = ~self.table.has(offer.table)
        moved = self.learn(offer) if is_new.any() else None
        self.report("pricing", f"{np.count_nonzero(is_new):,} families offered")
        return bounded, moved

    def cheaper(self, network: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return this network if it is better than the best so far, which is returned otherwise."""
        ticks = self.families.ticks
        return network if ticks[network].sum() < ticks[self.best].sum() else self.best

    def check_time(self) -> None:
        """Raise TimeIsUpError if time is up."""
        if self.stop():
            raise TimeIsUpError

    def learn(self, offer: Offer) -> npt.NDArray[np.int64]:
        """Add families; return the new positions of those known before.

        Shortfalls of a finished search, such as open gaps of fits, are kept. Those of an unfinished
        one are not, since later searches complete it.
        """
        before, offered = self.table, offer.table
        new = offered.scope.shortfalls if offer.finished.all() else ()
        lines = (*before.scope.shortfalls, *new)
        scope = replace(before.scope, shortfalls=tuple(dict.fromkeys(lines)))
        self.table = replace(before.joined(offered), scope=scope)
        self.families = self.scale.families(self.table, np.arange(len(self.table)))
        moved = self.table.positions_of(before)
        self.best = moved[self.best]
        return moved

    @property
    def upper_bound(self) -> int:
        """The ticks of the best network so far."""
        return int(self.families.ticks[self.best].sum())

    @property
    def lower_bound(self) -> int:
        """The bound proven for all families; no network has fewer than 0 ticks."""
        branches = min((front.lower_bound for front in self.fronts), default=0)
        return min(max(0, self.root_bound, branches), self.upper_bound)

    @property
    def gap(self) -> int:
        """The ticks between the bounds."""
        return self.upper_bound - self.lower_bound

    def stop(self) -> bool:
        """Return whether time is up, for sources that poll it."""
        return self.clock.time_is_up

    def report(self, step: str, detail: str) -> None:
        """Show a step and the bounds."""
        if self._progress is not None:
            base = math.fsum(self.scale.base)
            lower, upper = (
                base + bound * self.scale.tick for bound in (self.lower_bound, self.upper_bound)
            )
            self._progress(Progress(step, detail, self.clock.seconds, lower, upper))
