"""From draws to a credible set: known networks, shares with standard errors, and what is open."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, Constraints, CredibleSet, Family, ScoreTable, Structure
from noisyor.core.credible_set import FamilyUse, Labels
from noisyor.core.machine import core_count
from noisyor.core.progress import Progress
from noisyor.core.relations import relation_of
from noisyor.core.sampling import SampledMembers, Sampling
from noisyor.core.variable_sets import from_words
from noisyor.search.clock import Clock
from noisyor.search.preparation import Problem, places_of, prepare
from noisyor.search.sampling.drawing import Drawn, SamplingEffort, draw_networks

_BATCHES = 8  # of each chain
_DISAGREEING = 1.05  # a split R-hat above this means that the chains disagree
_FEW = 100  # effective draws


def sample_credible(  # noqa: PLR0913  (one option each, all by name)
    table: ScoreTable,
    bayes_factor: BayesFactor,
    *,
    best: npt.NDArray[np.int64],
    labels: Labels = Labels.BEST,
    constraints: Constraints | None = None,
    lower_bound: float | None = None,
    shortfalls: Sequence[str] = (),
    notes: Sequence[str] = (),
    seed: int = 0,
    clock: Clock | None = None,
    jobs: int | None = None,
    effort: SamplingEffort = SamplingEffort(),  # noqa: B008  (frozen)
    progress: Callable[[Progress], None] | None = None,
) -> CredibleSet:
    """Return a credible set of networks that were drawn by their weight, and of the best one.

    Each network made of the table's families that costs at most the slack more than the best one
    is drawn with a probability proportional to its weight (see `Use`). If a better network than
    `best` is met, it takes its place, and the sample begins anew. Ctrl-C ends the sample early, and
    what was drawn is returned.

    Parameters
    ----------
    table
        The families and their costs.
    bayes_factor
        The largest Bayes factor between the best network and a credible one.
    best
        The rows in the table of the best network known, one for each variable.
    labels
        Which networks count as different (see `Labels`).
    constraints
        Prior knowledge, applied to the table; `best` respects it.
    lower_bound
        A proven lower bound on the cost of any network; by default that of the table's families.
    shortfalls
        Why the networks were not enumerated, one line each.
    notes
        What the result is relative to, one line each.
    seed
        The seed of the random numbers. With the same seed, a sample that ends before its time
        limit is the same, whatever the number of threads.
    clock
        The time limit; at its end the sample is what was drawn so far.
    jobs
        The number of threads; all cores by default.
    effort
        How much is drawn.
    progress
        Called regularly with the progress.
    """
    problem = prepare(table, bayes_factor, labels, constraints, network=best)
    clock = clock or Clock(None)

    def report(detail: str, ticks: int) -> None:
        if progress is not None:
            progress(Progress("sampling", detail, clock.seconds, lower_bound, problem.cost(ticks)))

    places = places_of(best, table, problem.families)
    drawn = _until_interrupted(
        lambda: draw_networks(
            problem,
            places,
            seed=seed,
            clock=clock,
            jobs=jobs or core_count(),
            effort=effort,
            report=report,
        ),
        clock,
    )
    bound = problem.cost(0) if lower_bound is None else lower_bound
    return _Sampled(table, problem, drawn).credible_set(
        bayes_factor,
        labels=labels,
        lower_bound=bound,
        shortfalls=shortfalls,
        notes=notes,
        seed=seed,
    )


def _until_interrupted(draw: Callable[[], Drawn], clock: Clock) -> Drawn:
    """Draw in a thread, so that Ctrl-C is noticed at once; it ends the drawing, not the run."""
    with ThreadPoolExecutor(1, "noisyor-sampling") as pool:
        future = pool.submit(draw)
        while True:
            try:
                return future.result()
            except KeyboardInterrupt:
                if future.done():  # there is nothing left to end: it was meant for the caller
                    raise
                clock.cancel()


class _Sampled:
    """Draws, arranged as distinct networks and the families that these have."""

    def __init__(self, table: ScoreTable, problem: Problem, drawn: Drawn) -> None:
        self._table = table
        self._problem = problem
        self._drawn = drawn
        chains, length, variables = drawn.draws.shape
        self._batches = chains * max(1, min(_BATCHES, length))
        # Batches are of one length: a few draws at the beginning may be left over.
        self._length = chains * length // self._batches
        used = drawn.draws[:, length - self._length * (self._batches // chains) :]
        best = drawn.best.astype(np.uint32)[None, :]
        every = np.concatenate((best, used.reshape(-1, variables)))
        rows, times = np.unique(every, axis=0, return_counts=True)
        times[np.flatnonzero((rows == best).all(axis=1))] -= 1
        self._rows, self._times = rows, times.astype(np.int64)
        self._listed = np.unique(rows)
        self._in_batches = np.array(
            [
                np.bincount(np.searchsorted(self._listed, batch).ravel(), minlength=self._size)
                for batch in used.reshape(self._batches, self._length, variables)
            ],
            dtype=np.int64,
        )

    @property
    def _size(self) -> int:
        return len(self._listed)

    def credible_set(  # noqa: PLR0913  (what the draws do not say)
        self,
        factor: BayesFactor,
        *,
        labels: Labels,
        lower_bound: float,
        shortfalls: Sequence[str],
        notes: Sequence[str],
        seed: int,
    ) -> CredibleSet:
        table, drawn = self._table, self._drawn
        best = np.searchsorted(self._listed, drawn.best)
        rows = self._problem.families.rows
        cost = math.fsum(table.costs[rows[drawn.best]])
        places = np.searchsorted(self._listed, self._rows).astype(np.uint32)
        costs = table.costs[rows[self._rows]].sum(axis=1)
        uses = self._uses(places, costs)
        sampling = None
        if self._length:
            sampling = Sampling(
                seed,
                len(drawn.draws),
                drawn.spacing,
                self._times,
                drawn.agreement.r_hat,
                drawn.agreement.effective,
                self._in_batches,
            )
        return CredibleSet(
            names=table.names,
            bayes_factor=factor,
            labels=labels,
            best=Structure(table.names, tuple(uses[place].family for place in best)),
            optimum=cost,
            lower_bound=min(lower_bound, cost),
            count=len(self._rows),
            families=uses,
            members=SampledMembers(places, costs, self._times, factor.temperature),
            shortfalls=(*shortfalls, *said_about(sampling)),
            notes=tuple(notes),
            sampling=sampling,
        )

    def _uses(
        self, places: npt.NDArray[np.uint32], costs: npt.NDArray[np.float64]
    ) -> tuple[FamilyUse, ...]:
        table = self._table
        rows = self._problem.families.rows[self._listed]
        networks = np.bincount(places.ravel(), minlength=self._size)
        best_with = np.full(self._size, np.inf)
        np.minimum.at(best_with, places, costs[:, None])
        draws = self._in_batches.sum(axis=0)
        # Without a draw, the best network is all that is known.
        weights = draws / max(1, int(self._times.sum())) if self._length else np.ones(self._size)
        return tuple(
            FamilyUse(Family(child, parents, relation_of(code)), cost, count, weight, least)
            for child, parents, code, cost, count, weight, least in zip(
                table.children[rows].tolist(),
                from_words(table.parents[rows]),
                table.relations[rows].tolist(),
                table.costs[rows].tolist(),
                networks.tolist(),
                weights.tolist(),
                best_with.tolist(),
                strict=True,
            )
        )


def is_reliable(sampling: Sampling | None) -> bool:
    """Return whether the chains agree, and have moved enough to tell."""
    return (
        sampling is not None
        and sampling.r_hat is not None
        and sampling.r_hat <= _DISAGREEING
        and sampling.effective >= _FEW
    )


def said_about(sampling: Sampling | None) -> list[str]:
    """Return the lines that say what a sample leaves open."""
    if sampling is None:
        return ["no network was drawn before time was up: only the best network found is counted"]
    drawn = (
        f"the credible networks were sampled, not enumerated: {sampling.draws:,} draws of "
        f"{sampling.chains} Markov chains, worth at least {sampling.effective:.0f} independent "
        "ones; shares are estimates with a standard error"
    )
    lines = [drawn]
    if sampling.r_hat is None:
        lines.append(
            "there are too few draws to tell whether the chains agree: do not rely on them"
        )
    elif sampling.r_hat > _DISAGREEING:
        lines.append(
            f"the Markov chains do not agree yet (R-hat {sampling.r_hat:.2f}, above "
            f"{_DISAGREEING}): the shares may be off by more than their standard errors"
        )
    elif sampling.effective < _FEW:
        lines.append(
            f"the Markov chains move slowly: some shares rest on {sampling.effective:.0f} "
            "independent draws, and may be off by more than their standard errors"
        )
    return lines
