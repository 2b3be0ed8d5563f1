"""Scoring and search in one loop: finds only families that some credible network may have.

Weights on cuts determine the most that a family may cost (see `prices`). The loop: solve the linear
program over the known families, with cuts; request families that would lower its bound; repeat
until there are none. If a gap remains, branch, and do the same in every branch. Then collect all
families that some credible network of a branch may have.
"""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, ScoreTable
from noisyor.core.family_source import FamilySource
from noisyor.core.progress import Progress
from noisyor.search.bounds.bounding import Bounding, topological_order
from noisyor.search.bounds.effort import ONE_ROUND, QUICK, THOROUGH, WHILE_PRICING, Effort
from noisyor.search.bounds.tree import are_trees, best_tree
from noisyor.search.clock import Clock
from noisyor.search.preparation import some_network
from noisyor.search.pricing.branches import RANDOM_ORDERS, BranchTurns
from noisyor.search.pricing.effort import HOPELESS_GAP, PricingEffort
from noisyor.search.pricing.prices import prices_within
from noisyor.search.pricing.state import Known, PricingState, RootCuts, TimeIsUpError
from noisyor.search.proof.branch import Branch

_LEAST_SECONDS_FOR_CUTS = 30.0  # more if the seed took longer


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


def price(  # noqa: PLR0913  (each by name)
    source: FamilySource,
    factor: BayesFactor,
    clock: Clock,
    jobs: int,
    *,
    effort: PricingEffort = PricingEffort(),  # noqa: B008  (frozen)
    start: Known | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Priced:
    """Find, in a source, the families of all networks within a Bayes factor of the best."""
    state = PricingState(source, factor, clock, jobs, effort, start, progress)
    return _Pricing(state).run()


class _Pricing:
    """The loop over the state that its steps share."""

    def __init__(self, state: PricingState) -> None:
        self._state = state

    def run(self) -> Priced:
        """Bound, branch, collect."""
        known = len(self._state.table)
        shortfall: str | None = None
        try:
            self._bound()
            known = len(self._state.table)
            BranchTurns(self._state).run()
            known = len(self._state.table)
            self._collect()
        except TimeIsUpError:
            shortfall = f"{self._state.clock.ending} before all families were priced"
        return self._priced(shortfall, known)

    def _bound(self) -> None:
        """Solve the linear program over all families, most of which are never scored.

        While heuristic requests find new families, there is one after each round of cuts: it is
        quicker than a round, and cuts for a program that lacks families may be of little use for
        the whole one. A source that searches exactly at once is asked less often.
        """
        with self._state.clock.limit() as cancellation:
            work = Bounding(self._state.families, self._state.scale.tick, cancellation=cancellation)
            with self._state.watch.timed("bounds"):
                self._begin(work)
            efforts = [QUICK, THOROUGH, WHILE_PRICING]
            wanted, effort, heuristic = efforts.pop(0), ONE_ROUND, True
            while True:
                work.deadline = self._time_for_cuts()
                with self._state.watch.timed("bounds"):
                    work.run(effort, lambda now: self._state.report("bounds", f"{now.cuts} cuts"))
                self._state.best = self._state.cheaper(work.incumbent)
                self._state.cuts = work.weighted_cuts
                root = Branch.root(
                    self._state.families.variable_count, work.best.cuts, work.rounded()
                )
                self._state.root_cuts = RootCuts(root, self._state.scale.tick)
                self._state.root_gain = (
                    work.lower_bound - work.best.lower_bound
                ) * self._state.scale.tick
                late = time.monotonic() >= work.deadline
                heuristic = heuristic and not late
                self._state.fronts, moved = self._state.ask_below([root], heuristic=heuristic)
                self._state.root_bound = max(
                    self._state.root_bound, self._state.fronts[0].lower_bound
                )
                self._state.check_time()
                if late:
                    return
                if moved is not None:
                    work.extend(self._state.families, moved)
                    effort = wanted if heuristic and self._state.is_thorough else ONE_ROUND
                    heuristic = True
                elif heuristic and not self._state.is_thorough:
                    heuristic = False
                elif effort is not wanted:
                    effort = wanted
                else:
                    efforts = [one for one in efforts if self._wants(one, work)]
                    if work.closed or not efforts:
                        return
                    wanted = effort = efforts.pop(0)

    def _wants(self, effort: Effort, work: Bounding) -> bool:
        """Return whether an effort is worth the time.

        More plain clusters are for gaps that are too small to branch for, or hopeless, and further
        cuts, after more plain clusters, for those that are large. In between, branching closes the
        gap sooner.
        """
        gap = work.gap * self._state.scale.tick
        if effort.further is None:
            return not self._state.effort.small_gap < gap <= HOPELESS_GAP
        return gap > self._state.effort.further_above

    def _begin(self, work: Bounding) -> None:
        """Begin with the network and the cuts that are known."""
        work.improve_order(topological_order(self._state.families, self._state.best))
        work.search_random_orders(RANDOM_ORDERS)
        if self._state.start_cuts is None:
            self._begin_without_cuts(work)
            return
        start = self._state.start_cuts.root.rescaled(
            self._state.start_cuts.tick / self._state.scale.tick
        )
        work.begin(start.cuts if start.rounded is None else start.rounded)
        work.consider(start.cuts)

    def _begin_without_cuts(self, work: Bounding) -> None:
        """Begin with no cuts, unless no family has two parents: then the best ones are known."""
        if are_trees(self._state.families):
            tree = best_tree(self._state.families)
            work.improve_order(tree.order)
            work.begin(tree.cuts)
        else:
            work.begin()

    def _time_for_cuts(self) -> float:
        """Return the deadline of the linear program, which may take as long as the seed did."""
        most = max(_LEAST_SECONDS_FOR_CUTS, self._state.watch.seconds["seed"])
        until = time.monotonic() + most - self._state.watch.seconds.get("bounds", 0.0)
        return (
            until if self._state.clock.deadline is None else min(until, self._state.clock.deadline)
        )

    def _collect(self) -> None:
        """Find all families that some credible network of a branch may have."""
        limit = self._state.upper_bound + self._state.slack
        fronts = [front for front in self._state.fronts if front.lower_bound <= limit]
        with self._state.watch.timed("collecting"):
            offer = self._state.source.within(
                prices_within(fronts, limit, self._state.scale), stop=self._state.stop
            )
        if self._state.stop() or not (offer.finished & self._state.seeded.finished).all():
            raise TimeIsUpError
        self._state.learn(offer)
        self._state.fronts = fronts

    def _priced(self, shortfall: str | None, known: int) -> Priced:
        tick = self._state.scale.tick
        base = math.fsum(self._state.scale.base)
        if not self._state.is_given:  # if time was up early
            self._state.best = self._state.cheaper(
                some_network(self._state.table, np.arange(len(self._state.table)))
            )
        return Priced(
            table=self._state.table,
            best=self._state.best,
            cuts=self._state.root_cuts,
            branches=tuple(front.branch for front in self._state.fronts),
            tick=tick,
            lower_bound=base + self._state.lower_bound * tick,
            shortfall=shortfall,
            statistics=PricingStatistics(
                rounds=self._state.rounds,
                families_seeded=len(self._state.seeded.table),
                families_known=known,
                families_collected=len(self._state.table),
                lower_bound=base + self._state.root_bound * tick,
                lp_gap=(self._state.upper_bound - self._state.root_bound) * tick,
                gap=self._state.gap * tick,
                cuts=self._state.cuts,
                branches=len(self._state.fronts),
                nodes=self._state.nodes,
                seconds=dict(self._state.watch.seconds),
            ),
        )
