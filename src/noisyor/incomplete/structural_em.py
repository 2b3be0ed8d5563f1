"""Structural EM with an exact M-step (Friedman, 1998).

A step draws K completions of every record from its exact posterior in the network of the step
before, and learns the best network for them, exactly: the K rows of a record count as one (see
`Dataset.copies`). The draws of a start use the same random numbers in each step. So a step is a
function of the network before it, and a start reaches a network that no longer changes, or a cycle,
which is detected. It has settled when a step changes no family of the best network, and its
expected cost by no more than the tolerance.

Approximate are the expectation, over K completions instead of all, and the search, which may end in
a local optimum; hence several starts. Exact are the draws, the best network of each step, and the
likelihood of the observed cells that the starts are compared by.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from math import fsum

from noisyor.core import BayesFactor, Dataset, Network
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.progress import Progress
from noisyor.core.request import Limits, Request
from noisyor.incomplete.completing import Completed, column_network, complete
from noisyor.incomplete.options import Em
from noisyor.incomplete.starts import StartKind, start_kinds
from noisyor.incomplete.trail import Trail
from noisyor.networks import fit_network
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Method
from noisyor.runs.missing_cells import EmStep
from noisyor.runs.plan import Plan, method_for
from noisyor.scoring.climbing import FEW_CLIMBERS, Climbing

SETTLED = "settled"
INTERRUPTED = "interrupted"
OUT_OF_TIME = "stopped by the time limit"

_CLIMBING_ROUNDS = 10  # of a step with more variables than an exact search is expected to end with
_LEAST_SECONDS = 0.01


class StructuralEm:
    """Structural EM over some starts.

    Parameters
    ----------
    data
        The records with their gaps.
    request
        What is to be learned; its data are those of a step.
    plan
        How a step is learned: the method and its bounds.
    em
        The options.
    until
        When EM must end, on the clock of time.monotonic(); None for no limit.
    keep
        Called with all starts after each step.
    show
        Called with the progress.

    """

    def __init__(  # noqa: PLR0913  (what a run has)
        self,
        data: IncompleteDataset,
        request: Request,
        plan: Plan,
        em: Em,
        *,
        until: float | None,
        keep: Callable[[list[Trail]], None],
        show: Callable[[Progress], None],
    ) -> None:
        self._data = data
        self._request = request
        self._plan = Plan(
            method=method_for(request, plan), labels=plan.labels, bounds=plan.bounds, quiet=True
        )
        self._em = em
        self._until = until
        self._keep = keep
        self._show = show
        self._columns = column_network(data)
        self.stopped = ""
        """What stopped it before all starts had ended."""

    def run(self, earlier: list[Trail]) -> list[Trail]:
        """Go on from earlier starts until all have ended; return those that made a step.

        Ctrl-C and the time limit end it with the steps so far, if there is one.
        """
        trails = earlier
        for trail in trails:
            if trail.ended in {INTERRUPTED, OUT_OF_TIME}:
                trail.ended = ""
        for number, kind in enumerate(start_kinds(self._data, self._em.starts)):
            cause = None
            try:
                if number == len(trails):
                    self._refuse_if_late(trails)
                    trails.append(Trail(kind, [self._first_network(kind)]))
                self._follow(trails, number)
            except KeyboardInterrupt:
                cause = INTERRUPTED
            except _OutOfTimeError:
                cause = OUT_OF_TIME
            if cause is not None:
                return self._stopped(trails, cause)
        return trails

    def _stopped(self, trails: list[Trail], cause: str) -> list[Trail]:
        """Return the starts that made a step, the last of which was stopped."""
        made = [trail for trail in trails if trail.steps]
        if not made:
            raise KeyboardInterrupt
        self.stopped = cause
        for trail in made:
            trail.ended = trail.ended or cause
        self._keep(made)
        return made

    def table_of(self, trail: Trail, number: int, step: int) -> Completed:
        """Return the completions that a step of a start learns from; steps count from 1."""
        em = self._em
        seed = (em.seed, number)
        jobs = self._request.limits.jobs
        if step > 1:
            before = trail.networks[step - 1]
            return complete(before, self._data, copies=em.completions, seed=seed, jobs=jobs)
        copies = 1 if trail.kind is StartKind.RANDOM else em.completions
        first = complete(
            trail.networks[0],
            self._data,
            copies=copies,
            seed=seed,
            jobs=jobs,
            otherwise=self._columns,
        )
        if copies == em.completions:
            return first
        data = first.data
        many = replace(data, weights=data.weights * em.completions, copies=em.completions)
        return replace(first, data=many)

    def _first_network(self, kind: StartKind) -> Network:
        if kind is not StartKind.COMPLETE:
            return self._columns
        return self._best(self._data.complete_records(), may_be_late=True)[0]

    def _follow(self, trails: list[Trail], number: int) -> None:
        """Make the steps of a start until it ends."""
        trail = trails[number]
        if trail.ended:
            return
        table = self.table_of(trail, number, len(trail.networks)).data
        while not trail.ended:
            table = self._step(trails, number, table)
            self._keep(trails)

    def _step(self, trails: list[Trail], number: int, table: Dataset) -> Dataset:
        """Make a step with these completions; return those of the next one."""
        trail = trails[number]
        step = len(trail.networks)
        started = time.monotonic()
        cost = f", {trail.steps[-1].observed_cost:.2f} nats" if trail.steps else ""
        self._show(Progress("EM", f"start {number + 1} of {self._em.starts}, step {step}{cost}"))
        first = number == 0 and step == 1
        network, exact = self._best(table, may_be_late=first)
        em, jobs = self._em, self._request.limits.jobs
        drawn = complete(
            network, self._data, copies=em.completions, seed=(em.seed, number), jobs=jobs
        )
        before = trail.networks[-1].structure
        changed = sum(
            own != other
            for own, other in zip(network.structure.families, before.families, strict=True)
        )
        trail.networks.append(network)
        trail.tables.append(table.fingerprint())
        trail.steps.append(
            EmStep(
                expected_cost=float(network.cost or 0.0),
                observed_cost=self._penalty(network) - drawn.log_likelihood,
                arcs=sum(family.parent_count for family in network.structure.families),
                changed=changed,
                exact=exact,
                seconds=time.monotonic() - started,
            )
        )
        self._judge(trail, drawn.data.fingerprint())
        return drawn.data

    def _judge(self, trail: Trail, following: str) -> None:
        """Note whether the start has ended, given the digest of the next step's completions."""
        steps = trail.steps
        quiet = len(steps) > 1 and not steps[-1].changed
        near = quiet and abs(steps[-1].expected_cost - steps[-2].expected_cost)
        if following == trail.tables[-1] or (quiet and near <= self._em.tolerance):
            trail.ended, trail.settled = SETTLED, True
        elif following in trail.tables:
            period = len(trail.tables) - trail.tables.index(following)
            structures = {network.structure for network in trail.networks[-period:]}
            trail.ended = (
                f"went round in a cycle of {period} steps between {len(structures)} "
                f"network{'s' if len(structures) > 1 else ''}"
            )
        elif len(steps) >= self._em.steps:
            trail.ended = f"not settled after {len(steps)} steps"

    def _best(self, table: Dataset, *, may_be_late: bool) -> tuple[Network, bool]:
        """Return the best network for a complete table, and whether that is proven."""
        now = time.monotonic()
        request = replace(
            self._request,
            data=table,
            factor=BayesFactor(1.0),
            limits=self._limits(now, may_be_late=may_be_late),
        )
        if self._plan.method is Method.LAYERS:
            climbing = Climbing(request, climbers=FEW_CLIMBERS, seed=self._em.seed)
            climbing.run(self._late, rounds=_CLIMBING_ROUNDS)
            found = fit_network(
                table,
                climbing.structure(),
                score=request.score,
                structure_prior=request.prior,
            )
            proven = False
        else:
            learned = learn_request(request, replace(self._plan, began=now))
            found, proven = learned.best, learned.credible.proven
            if learned.interrupted:
                raise KeyboardInterrupt
        if self._late() and not may_be_late:
            raise _OutOfTimeError
        return found, proven

    def _penalty(self, network: Network) -> float:
        request = self._request
        return fsum(
            request.penalty(family.relation, family.child, family.parents)
            for family in network.structure.families
        )

    def _late(self) -> bool:
        return self._until is not None and time.monotonic() > self._until

    def _refuse_if_late(self, trails: list[Trail]) -> None:
        if trails and self._late():
            raise _OutOfTimeError

    def _limits(self, now: float, *, may_be_late: bool) -> Limits:
        """Return the limits of a step that begins now."""
        limits = self._request.limits
        if self._until is None:
            return replace(limits, seconds=None)
        left = self._until - now
        if left <= 0 and not may_be_late:
            raise _OutOfTimeError
        return replace(limits, seconds=max(_LEAST_SECONDS, left))


class _OutOfTimeError(Exception):
    """The time of EM is up."""
