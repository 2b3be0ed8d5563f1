"""Scoring and search in one loop: finds only families that some credible network may have.

Weights on cuts determine the most that a family may cost (see `prices`). The loop: solve the linear
program over the known families, with cuts; request families that would lower its bound; repeat
until there are none. If a gap remains, branch, and do the same in every branch. Then collect all
families that some credible network of a branch may have.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, ScoreTable
from noisyor.core.family_source import FamilySource, Offer
from noisyor.core.progress import Progress
from noisyor.core.tolerance import tolerance_at
from noisyor.search.bounds.bounding import Bounding, topological_order
from noisyor.search.bounds.effort import ONE_ROUND, QUICK, THOROUGH, WHILE_PRICING, Effort
from noisyor.search.bounds.linear_program import Start
from noisyor.search.bounds.tree import are_trees, best_tree
from noisyor.search.clock import Clock, Stopwatch
from noisyor.search.preparation import scale_from, some_network
from noisyor.search.pricing.prices import Front, prices_below, prices_within, proven
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branched, Branching

HOPELESS_GAP = 100.0
"""A gap in nats, as on large samples, that is too large for branching to close."""

_MARGIN = 1e-6  # nats: requested families have a reduced cost below minus this
_TOLERANCES = 10  # the same in tolerances of costs, which is more for very large samples
_NODES_AT_ONCE = 4
_PACE = 2  # rounds of branching: how far back the gap is compared
_MUCH = 0.1  # of the gap: what these rounds must close for branching to go on beyond its time
_RANDOM_ORDERS = 12  # at the start, and again before branching
_SHARP = 0.25  # nats: acceptable loss of a branch's bound due to missing families
_LEAST_SECONDS = 5.0  # for branching
_FIRST_NODES = 64  # branches to solve before families are requested for them
_NODES_FACTOR = 8  # how many more come before each further request
_NEAR_ENOUGH = 1.0  # nats: a gap with which families are collected in reasonable time
_LEAST_SECONDS_FOR_CUTS = 30.0  # more if the seed took longer
_NEAR = 3.0  # nats: families up to this reduced cost are collected before branching
_SMALL_SHARE = 0.2  # of the gap of clusters: rounded cuts that close less are not used in branches
_MOST_NEAR = 200  # of these families, for each child


@dataclass(frozen=True, slots=True)
class PricingEffort:
    """How much work goes into bounds before all families within them are collected."""

    most_offered: int = 50  # families per child in each request
    small_gap: float = 0.5  # nats, not worth branching for
    nodes: int = 4096  # the most branches to solve
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
    return _Pricing(source, factor, clock, jobs, effort, start, progress).run()


class _TimeIsUpError(Exception):
    """Time is up."""


class _Pricing:
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
        self._effort = effort
        self._source = source
        self._clock = clock
        self._jobs = jobs
        self._progress = progress
        self._watch = Stopwatch()
        with self._watch.timed("seed"):
            seed = source.seed(self._stop)
            least = source.least_costs(self._stop)
        self._table = seed.table if start is None else seed.table.joined(start.table)
        self._seeded = seed
        everything = np.arange(len(self._table))
        if start is None:
            network = some_network(self._table, everything)
        else:
            network = self._table.positions_of(start.table)[start.best]
        self._is_given = start is not None
        self._start_cuts = None if start is None else start.cuts
        excess = math.fsum(self._table.costs[network] - least)
        self._scale = scale_from(least, excess, factor)
        self._families = self._scale.families(self._table, everything)
        tolerance = tolerance_at(math.fsum(self._table.costs[network]))
        self._margin = math.ceil(max(_MARGIN, _TOLERANCES * tolerance) / self._scale.tick)
        # Bounds lose the margin for each child even if no family is missing. Branching cannot help.
        self._unasked = len(least) * self._margin * self._scale.tick
        # A tolerance for the cost of the network; one for each family, since of two relations that
        # tie within it the preferred one must be found; and the rounding to ticks.
        room = factor.slack + (1 + len(least)) * tolerance
        self._slack = math.ceil(room / self._scale.tick) + len(least)
        self._best = network
        self._fronts: list[Front] = []
        self._root_bound = 0
        self._root_cuts: RootCuts | None = None
        self._root_gain = 0.0  # nats, of rounded cuts over clusters
        self._is_thorough = False  # whether the last search for families was finished
        self._rounds = 0
        self._nodes = 0
        self._cuts = 0

    def run(self) -> Priced:
        """Bound, branch, collect."""
        known = len(self._table)
        shortfall: str | None = None
        try:
            self._bound()
            known = len(self._table)
            self._branch()
            known = len(self._table)
            self._collect()
        except _TimeIsUpError:
            shortfall = f"{self._clock.ending} before all families were priced"
        return self._priced(shortfall, known)

    def _bound(self) -> None:
        """Solve the linear program over all families, most of which are never scored.

        While heuristic requests find new families, there is one after each round of cuts: it is
        quicker than a round, and cuts for a program that lacks families may be of little use for
        the whole one. A source that searches exactly at once is asked less often.
        """
        with self._clock.limit() as cancellation:
            work = Bounding(self._families, self._scale.tick, cancellation=cancellation)
            with self._watch.timed("bounds"):
                self._begin(work)
            efforts = [QUICK, THOROUGH, WHILE_PRICING]
            wanted, effort, heuristic = efforts.pop(0), ONE_ROUND, True
            while True:
                work.deadline = self._time_for_cuts()
                with self._watch.timed("bounds"):
                    work.run(effort, lambda now: self._report("bounds", f"{now.cuts} cuts"))
                self._best = self._cheaper(work.incumbent)
                self._cuts = work.weighted_cuts
                root = Branch.root(self._families.variable_count, work.best.cuts, work.rounded())
                self._root_cuts = RootCuts(root, self._scale.tick)
                self._root_gain = (work.lower_bound - work.best.lower_bound) * self._scale.tick
                late = time.monotonic() >= work.deadline
                heuristic = heuristic and not late
                self._fronts, moved = self._ask_below([root], heuristic=heuristic)
                self._root_bound = max(self._root_bound, self._fronts[0].lower_bound)
                self._check_time()
                if late:
                    return
                if moved is not None:
                    work.extend(self._families, moved)
                    effort = wanted if heuristic and self._is_thorough else ONE_ROUND
                    heuristic = True
                elif heuristic and not self._is_thorough:
                    heuristic = False
                elif effort is not wanted:
                    effort = wanted
                elif efforts and not work.closed and self._wants(efforts[0], work):
                    wanted = effort = efforts.pop(0)
                else:
                    return

    def _wants(self, effort: Effort, work: Bounding) -> bool:
        """Return whether an effort is worth the time: rounded cuts are for large gaps only."""
        return effort.halves is None or work.gap * self._scale.tick > self._effort.rounds_above

    def _begin(self, work: Bounding) -> None:
        """Begin with the network and the cuts that are known."""
        work.improve_order(topological_order(self._families, self._best))
        work.search_random_orders(_RANDOM_ORDERS)
        if self._start_cuts is None:
            self._begin_without_cuts(work)
            return
        start = self._start_cuts.root.rescaled(self._start_cuts.tick / self._scale.tick)
        work.begin(start.cuts if start.rounded is None else start.rounded)
        work.consider(start.cuts)

    def _begin_without_cuts(self, work: Bounding) -> None:
        """Begin with no cuts, unless no family has two parents: then the best ones are known."""
        if are_trees(self._families):
            tree = best_tree(self._families)
            work.improve_order(tree.order)
            work.begin(tree.cuts)
        else:
            work.begin()

    def _time_for_cuts(self) -> float:
        """Return the deadline of the linear program, which may take as long as the seed did."""
        most = max(_LEAST_SECONDS_FOR_CUTS, self._watch.seconds["seed"])
        until = time.monotonic() + most - self._watch.seconds.get("bounds", 0.0)
        return until if self._clock.deadline is None else min(until, self._clock.deadline)

    def _branch(self) -> None:
        """Split the networks until the bounds are close, for as long as the steps before took.

        That is at most half of the time that is left. If they are still far apart, too many
        families would have to be collected; then it is all of this half. While they are closing
        quickly, it goes on.

        Families that were missing lower the bounds of branches. Branches whose bounds fall much are
        solved again with these families, and split further while there is time. The families are
        first requested when there are few branches, so that the parts of these have them. When time
        is up, only branches that alone keep the bound of all down are solved again.
        """
        gap = self._gap * self._scale.tick
        if not self._effort.small_gap + self._unasked < gap <= HOPELESS_GAP:
            return
        (root,) = self._fronts
        self._widen(root)
        share = max(_LEAST_SECONDS, self._clock.seconds)
        half_time = self._half_time()
        split_until = (min(self._clock.seconds + share, half_time), half_time)
        until, quota = math.inf, _FIRST_NODES
        done: list[Front] = []
        before, again = [root], [root.branch]
        starts: list[Start | None] = [None]
        if self._root_gain < _SMALL_SHARE * (gap + self._root_gain):
            again = [replace(root.branch, rounded=None)]
        while again:
            with self._watch.timed("branching"):
                split, is_partial = self._split(again, starts, quota, *split_until)
            quota *= _NODES_FACTOR
            if not is_partial:
                until = min(until, self._clock.seconds + 2 * share)
            solved, moved = self._ask_below(split.branches)
            # What was proven before holds in the parts, too: it is more if time was up meanwhile.
            kept = [front.at_least(front.holder_among(before)) for front in solved]
            self._fronts = done + kept
            self._check_time()
            level = self._upper_bound
            if self._clock.seconds >= until:
                known = min(front.proof.lower_bound for front in done + solved)
                level = known - int(_SHARP / self._scale.tick)
            before, again, starts = [], [], []
            for front, own, start in zip(kept, solved, split.starts, strict=True):
                if is_partial or self._is_blunt(own, level):
                    before.append(front)
                    again.append(own.branch)
                    starts.append(_moved(start, moved))
                else:
                    done.append(front)

    def _widen(self, root: Front) -> None:
        """Add families that the root does not need, but that branches may need."""
        near = min(self._upper_bound, root.lower_bound + int(_NEAR / self._scale.tick))
        with self._watch.timed("pricing"):
            offer = self._source.within(
                prices_within([root], near, self._scale),
                most=_MOST_NEAR,
                undominated=True,
                stop=self._stop,
            )
        self._rounds += 1
        self._learn(offer)
        with self._watch.timed("branching"):
            self._search_orders()

    def _search_orders(self) -> None:
        """Search for a better network of the families known by now."""
        with self._clock.limit() as cancellation:
            work = Bounding(
                self._families, self._scale.tick, seed=self._rounds, cancellation=cancellation
            )
            work.improve_order(topological_order(self._families, self._best))
            work.search_random_orders(_RANDOM_ORDERS)
        self._best = self._cheaper(work.incumbent)

    def _split(
        self,
        branches: Sequence[Branch],
        starts: Sequence[Start | None],
        quota: int,
        until: float,
        far_until: float,
    ) -> tuple[Branched, bool]:
        """Solve and split the branches; return whether it ended because the quota was used up.

        Otherwise it ends at a time, unless the gap is closing quickly then; and later if it is
        large.
        """
        nodes = self._effort.nodes - self._nodes
        work = Branching(
            self._families,
            self._scale.tick,
            self._best,
            self._slack,
            branches,
            starts=starts,
            all_families=False,
        )
        goal = self._upper_bound
        work.run(goal, 0, self._clock, self._jobs)
        gaps = [work.gap]
        quota += work.nodes
        is_partial = False
        while work.nodes < nodes and not work.finished(goal):
            far = work.gap * self._scale.tick > _NEAR_ENOUGH
            if self._clock.seconds >= (far_until if far else until) and not _closes(gaps):
                break
            if is_partial := work.nodes >= quota:
                break
            work.run(goal, _NODES_AT_ONCE, self._clock, self._jobs)
            gaps.append(work.gap)
            left = work.gap * self._scale.tick
            self._report("branching", f"{work.nodes} branches, {left:.2f} open with known families")
            self._check_time()
        self._nodes += work.nodes
        self._best = self._cheaper(work.best)
        return work.found(), is_partial

    def _half_time(self) -> float:
        """Return when half of the time that is left will have passed."""
        if self._clock.deadline is None:
            return math.inf
        return self._clock.seconds + max(0.0, self._clock.deadline - time.monotonic()) / 2

    def _is_blunt(self, front: Front, level: int) -> bool:
        """Return whether missing families have lowered a branch's bound much, and below a level."""
        lacking = (front.proof.lower_bound - front.lower_bound) * self._scale.tick
        return front.lower_bound < level and lacking > _SHARP + self._unasked

    def _ask_below(
        self, branches: Sequence[Branch], *, heuristic: bool = False
    ) -> tuple[list[Front], npt.NDArray[np.int64] | None]:
        """Request families that lower the branches' bounds, and add them.

        A `heuristic` search is enough as long as it finds some; its bounds are weak. Return the
        branches with bounds that hold for all families, and the new positions of the families known
        before; None if there is no new family.
        """
        fronts = [Front.of(branch, self._families) for branch in branches]
        with self._watch.timed("pricing"):
            offer = self._source.within(
                prices_below(fronts, self._margin, self._scale),
                most=self._effort.most_offered,
                undominated=not any(any(front.branch.required) for front in fronts),
                heuristic=heuristic,
                stop=self._stop,
            )
        self._rounds += 1
        offered = self._scale.families(offer.table, np.arange(len(offer.table)))
        finished = Offer(offer.table, offer.finished & self._seeded.finished)
        self._is_thorough = bool(finished.finished.all())
        bounded = proven(fronts, finished, offered, self._effort.most_offered, self._margin)
        is_new = ~self._table.has(offer.table)
        moved = self._learn(offer) if is_new.any() else None
        self._report("pricing", f"{np.count_nonzero(is_new):,} families offered")
        return bounded, moved

    def _cheaper(self, network: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return this network if it is better than the best so far, which is returned otherwise."""
        ticks = self._families.ticks
        return network if ticks[network].sum() < ticks[self._best].sum() else self._best

    def _check_time(self) -> None:
        if self._stop():
            raise _TimeIsUpError

    def _collect(self) -> None:
        """Find all families that some credible network of a branch may have."""
        limit = self._upper_bound + self._slack
        fronts = [front for front in self._fronts if front.lower_bound <= limit]
        with self._watch.timed("collecting"):
            offer = self._source.within(prices_within(fronts, limit, self._scale), stop=self._stop)
        if self._stop() or not (offer.finished & self._seeded.finished).all():
            raise _TimeIsUpError
        self._learn(offer)
        self._fronts = fronts

    def _learn(self, offer: Offer) -> npt.NDArray[np.int64]:
        """Add families; return the new positions of those known before.

        Shortfalls of a finished search, such as open gaps of fits, are kept. Those of an unfinished
        one are not, since later searches complete it.
        """
        before, offered = self._table, offer.table
        new = offered.scope.shortfalls if offer.finished.all() else ()
        lines = (*before.scope.shortfalls, *new)
        scope = replace(before.scope, shortfalls=tuple(dict.fromkeys(lines)))
        self._table = replace(before.joined(offered), scope=scope)
        self._families = self._scale.families(self._table, np.arange(len(self._table)))
        moved = self._table.positions_of(before)
        self._best = moved[self._best]
        return moved

    @property
    def _upper_bound(self) -> int:
        return int(self._families.ticks[self._best].sum())

    @property
    def _lower_bound(self) -> int:
        """The bound proven for all families; no network has fewer than 0 ticks."""
        branches = min((front.lower_bound for front in self._fronts), default=0)
        return min(max(0, self._root_bound, branches), self._upper_bound)

    @property
    def _gap(self) -> int:
        return self._upper_bound - self._lower_bound

    def _stop(self) -> bool:
        return self._clock.time_is_up

    def _priced(self, shortfall: str | None, known: int) -> Priced:
        tick = self._scale.tick
        base = math.fsum(self._scale.base)
        if not self._is_given:  # if time was up early
            self._best = self._cheaper(some_network(self._table, np.arange(len(self._table))))
        return Priced(
            table=self._table,
            best=self._best,
            cuts=self._root_cuts,
            branches=tuple(front.branch for front in self._fronts),
            tick=tick,
            lower_bound=base + self._lower_bound * tick,
            shortfall=shortfall,
            statistics=PricingStatistics(
                rounds=self._rounds,
                families_seeded=len(self._seeded.table),
                families_known=known,
                families_collected=len(self._table),
                lower_bound=base + self._root_bound * tick,
                lp_gap=(self._upper_bound - self._root_bound) * tick,
                gap=self._gap * tick,
                cuts=self._cuts,
                branches=len(self._fronts),
                nodes=self._nodes,
                seconds=dict(self._watch.seconds),
            ),
        )

    def _report(self, step: str, detail: str) -> None:
        if self._progress is not None:
            base = math.fsum(self._scale.base)
            lower, upper = (
                base + bound * self._scale.tick for bound in (self._lower_bound, self._upper_bound)
            )
            self._progress(Progress(step, detail, self._clock.seconds, lower, upper))


def _moved(start: Start | None, moved: npt.NDArray[np.int64] | None) -> Start | None:
    """Return a start with the positions that its families have now, if they have moved."""
    if start is None or moved is None:
        return start
    return replace(start, columns=moved[start.columns])


def _closes(gaps: Sequence[int]) -> bool:
    """Return whether the last rounds of branching have closed much of the gap."""
    return len(gaps) > _PACE and gaps[-1] <= (1 - _MUCH) * gaps[-1 - _PACE]
