"""Splitting the networks into branches, in turns with requests for the families that these lack."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from noisyor.search.bounds.bounding import Bounding, topological_order
from noisyor.search.bounds.linear_program import Start
from noisyor.search.pricing.effort import HOPELESS_GAP
from noisyor.search.pricing.prices import Front, prices_within
from noisyor.search.pricing.state import PricingState
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.branching import Branched, Branching

RANDOM_ORDERS = 12
"""Orders to search from, at the start of the loop and again before branching."""

_NODES_AT_ONCE = 4
_PACE = 2  # rounds of branching: how far back the gap is compared
_MUCH = 0.1  # of the gap: what these rounds must close for branching to go on beyond its time
_SHARP = 0.25  # nats: acceptable loss of a branch's bound due to missing families
_LEAST_SECONDS = 5.0  # for branching
_FIRST_NODES = 64  # branches to solve before families are requested for them
_NODES_FACTOR = 8  # how many more come before each further request
_NEAR_ENOUGH = 1.0  # nats: a gap with which families are collected in reasonable time
_NEAR = 3.0  # nats: families up to this reduced cost are collected before branching
_SMALL_SHARE = 0.2  # of the gap of clusters: rounded cuts that close less are not used in branches
_MOST_NEAR = 200  # of these families, for each child


class BranchTurns:
    """Branches the networks of a state, which then has the branches as its fronts."""

    def __init__(self, state: PricingState) -> None:
        self._state = state

    def run(self) -> None:
        """Split the networks until the bounds are close, for as long as the steps before took.

        This takes at most half of the time that is left. If the bounds are still far apart, too
        many families would have to be collected; then it takes all of this half. While the gap is
        closing quickly, it goes on even beyond that.

        Families that were missing lower the bounds of branches. Branches whose bounds fall much are
        solved again with these families, and split further while there is time. The families are
        first requested when there are few branches, so that the parts of these have them. When time
        is up, only branches that alone keep the bound of all down are solved again.
        """
        gap = self._state.gap * self._state.scale.tick
        if not self._state.effort.small_gap + self._state.unasked < gap <= HOPELESS_GAP:
            return
        (root,) = self._state.fronts
        self._widen(root)
        share = max(_LEAST_SECONDS, self._state.clock.seconds)
        half_time = self._half_time()
        split_until = (min(self._state.clock.seconds + share, half_time), half_time)
        until, quota = math.inf, _FIRST_NODES
        done: list[Front] = []
        before, again = [root], [root.branch]
        starts: list[Start | None] = [None]
        if self._state.root_gain < _SMALL_SHARE * (gap + self._state.root_gain):
            again = [replace(root.branch, rounded=None)]
        while again:
            with self._state.watch.timed("branching"):
                split, is_partial = self._split(again, starts, quota, *split_until)
            quota *= _NODES_FACTOR
            if not is_partial:
                until = min(until, self._state.clock.seconds + 2 * share)
            solved, moved = self._state.ask_below(split.branches)
            # What was proven before holds in the parts, too: it is more if time was up meanwhile.
            kept = [front.at_least(front.holder_among(before)) for front in solved]
            self._state.fronts = done + kept
            self._state.check_time()
            level = self._state.upper_bound
            if self._state.clock.seconds >= until:
                known = min(front.proof.lower_bound for front in done + solved)
                level = known - int(_SHARP / self._state.scale.tick)
            has_new = moved is not None  # else a branch that is solved again proves the same
            before, again, starts = [], [], []
            for front, own, start in zip(kept, solved, split.starts, strict=True):
                if is_partial or (has_new and self._is_blunt(own, level)):
                    before.append(front)
                    again.append(own.branch)
                    starts.append(_moved(start, moved))
                else:
                    done.append(front)

    def _widen(self, root: Front) -> None:
        """Add families that the root does not need, but that branches may need."""
        near = min(self._state.upper_bound, root.lower_bound + int(_NEAR / self._state.scale.tick))
        with self._state.watch.timed("pricing"):
            offer = self._state.source.within(
                prices_within([root], near, self._state.scale),
                most=_MOST_NEAR,
                undominated=True,
                stop=self._state.stop,
            )
        self._state.rounds += 1
        self._state.learn(offer)
        with self._state.watch.timed("branching"):
            self._search_orders()

    def _search_orders(self) -> None:
        """Search for a better network of the families known by now."""
        with self._state.clock.limit() as cancellation:
            work = Bounding(
                self._state.families,
                self._state.scale.tick,
                seed=self._state.rounds,
                cancellation=cancellation,
            )
            work.improve_order(topological_order(self._state.families, self._state.best))
            work.search_random_orders(RANDOM_ORDERS)
        self._state.best = self._state.cheaper(work.incumbent)

    def _split(
        self,
        branches: Sequence[Branch],
        starts: Sequence[Start | None],
        quota: int,
        until: float,
        far_until: float,
    ) -> tuple[Branched, bool]:
        """Solve and split the branches; return whether it ended because the quota was used up.

        Otherwise it ends at `until`, or at `far_until` if the gap is large; later if the gap is
        closing quickly.
        """
        nodes = self._state.effort.nodes - self._state.nodes
        work = Branching(
            self._state.families,
            self._state.scale.tick,
            self._state.best,
            self._state.slack,
            branches,
            starts=starts,
            all_families=False,
        )
        work.run(0, 0, self._state.clock, self._state.jobs)
        gaps = [work.gap]
        quota += work.nodes
        is_partial = False
        while work.nodes < nodes and not work.finished():
            far = work.gap * self._state.scale.tick > _NEAR_ENOUGH
            if self._state.clock.seconds >= (far_until if far else until) and not _closes(gaps):
                break
            if is_partial := work.nodes >= quota:
                break
            work.run(0, _NODES_AT_ONCE, self._state.clock, self._state.jobs)
            gaps.append(work.gap)
            left = work.gap * self._state.scale.tick
            self._state.report(
                "branching", f"{work.nodes} branches, {left:.2f} open with known families"
            )
            self._state.check_time()
        self._state.nodes += work.nodes
        self._state.best = self._state.cheaper(work.best)
        return work.found(), is_partial

    def _half_time(self) -> float:
        """Return when half of the time that is left will have passed."""
        if self._state.clock.deadline is None:
            return math.inf
        return (
            self._state.clock.seconds + max(0.0, self._state.clock.deadline - time.monotonic()) / 2
        )

    def _is_blunt(self, front: Front, level: int) -> bool:
        """Return whether missing families have lowered a branch's bound much, and below a level."""
        lacking = (front.proof.lower_bound - front.lower_bound) * self._state.scale.tick
        return front.lower_bound < level and lacking > _SHARP + self._state.unasked


def _moved(start: Start | None, moved: npt.NDArray[np.int64] | None) -> Start | None:
    """Return a start with the positions that its families have now, if they have moved."""
    if start is None or moved is None:
        return start
    return replace(start, columns=moved[start.columns])


def _closes(gaps: Sequence[int]) -> bool:
    """Return whether the last rounds of branching have closed much of the gap."""
    return len(gaps) > _PACE and gaps[-1] <= (1 - _MUCH) * gaps[-1 - _PACE]
