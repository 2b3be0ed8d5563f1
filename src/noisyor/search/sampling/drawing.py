"""Draws credible networks by Markov chains until they agree, or until time is up.

The kernel (`cpp/search/network_chain.hpp`) has the moves; docs/sampling.md proves what they
converge to. Here the chains get their starts, and the draws are checked.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core.tolerance import tolerance_at
from noisyor.core.variable_sets import WORD_BITS
from noisyor.search.clock import Clock
from noisyor.search.families import Families
from noisyor.search.members.component import Choice
from noisyor.search.preparation import Problem
from noisyor.search.sampling.diagnostics import can_tell, effective_draws, split_r_hat

Draws = npt.NDArray[np.uint32]

_HOT, _COLD = 0.02, 4.0  # slopes per nat that a start is annealed through
_HEATED, _COOLED = 40, 5  # sweeps from hot to the plain slope, and from there to cold
_ROUNDS = 10  # of annealing
_WARM_UP = 40  # sweeps
_WARM_UPS = 5  # until no chain is lost
_SEGMENT = 100  # draws of a chain between two looks at the clock
_STEEPEST = 300.0  # nats that the weight may fall over the slack by the slope outside it
_MOST_R_HAT = 1000.0  # it is infinite if every chain is stuck somewhere else
_PATIENCE = 50  # visits of a chain for each draw that is wanted


@dataclass(frozen=True, slots=True)
class SamplingEffort:
    """How much is drawn.

    Parameters
    ----------
    chains
        The number of chains.
    draws
        The number of draws of each chain that are kept.
    seconds
        The time after which sampling ends, even if the chains do not agree yet.
    effective
        Sampling ends when every arc has this effective number of draws, and
    r_hat
        no split R-hat exceeds this one.
    """

    chains: int = 4
    draws: int = 1000
    seconds: float = 60.0
    effective: float = 400.0
    r_hat: float = 1.02


@dataclass(frozen=True, slots=True, eq=False)
class Agreement:
    """The largest split R-hat, if there are enough draws, and the fewest effective draws."""

    r_hat: float | None
    effective: float


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Networks that chains have drawn.

    `best` has the families of the best network known, `draws` (chains, draws, n) those of each
    draw.
    """

    best: Choice
    draws: Draws
    spacing: int
    agreement: Agreement


Report = Callable[[str, int], None]


def draw_networks(  # noqa: PLR0913  (what a sample depends on)
    problem: Problem,
    best: Choice,
    *,
    seed: int,
    clock: Clock,
    jobs: int,
    effort: SamplingEffort,
    report: Report,
) -> Drawn:
    """Return networks of a problem, each drawn by its weight among those within the slack.

    Without a draw before time is up, the result has none. `report` is called with a line and the
    ticks of the best network known.
    """
    walk = _Walk(problem, best, seed, min(jobs, effort.chains), effort)
    with clock.limit(effort.seconds) as cancellation:
        return walk.run(cancellation, report)


class _Walk:
    """The chains, and the draws that count."""

    def __init__(
        self, problem: Problem, best: Choice, seed: int, threads: int, effort: SamplingEffort
    ) -> None:
        self._problem = problem
        self._families = families = problem.families
        self._best = best.astype(np.uint32)
        self._best_ticks = int(families.ticks[best].sum())
        self._threads = threads
        self._effort = effort
        seeds = np.random.SeedSequence(seed).generate_state(effort.chains, np.uint64)
        self._chains = kernels.NetworkChains(
            families.first,
            families.parents,
            families.ticks,
            self._best,
            seeds.astype(np.uint64),
        )
        self._parts: list[list[Draws]]
        self._spacing: int
        self._forget()

    @property
    def _limit(self) -> int:
        return self._best_ticks + self._problem.slack

    @property
    def _better(self) -> int:
        """The most ticks of a network that is better, not a tie that rounding to ticks broke."""
        tolerance = tolerance_at(self._problem.cost(self._best_ticks))
        return self._best_ticks - max(1, int(tolerance / 2 / self._problem.tick))

    def run(self, cancellation: "kernels.Cancellation", report: Report) -> Drawn:
        """Draw until the chains agree; start again whenever a better network is met."""
        self._start(cancellation)
        while True:
            whole = self._fill(cancellation, report)
            if cancellation.cancelled:
                return self._drawn(agreement_of(self._families, self._draws()))
            if not whole:
                self._start(cancellation)
                continue
            agreement = agreement_of(self._families, self._draws())
            if self._is_enough(agreement):
                return self._drawn(agreement)
            self._spread_out()

    def _drawn(self, agreement: Agreement) -> Drawn:
        return Drawn(self._best.astype(np.int64), self._draws(), self._spacing, agreement)

    def _start(self, cancellation: "kernels.Cancellation") -> None:
        """Put the chains on networks within the slack: one on the best, the others far apart.

        Only chains that begin in different places show by agreeing that they reach all of them.
        """
        starts = far_apart(self._annealed(cancellation), self._effort.chains)
        for chain, start in enumerate(starts):
            self._chains.put(chain, start)
        for _ in range(_WARM_UPS):
            lost = self._warm_up(cancellation)
            for chain in lost:
                self._chains.put(chain, starts[chain])
            if not lost:
                break

    def _warm_up(self, cancellation: "kernels.Cancellation") -> list[int]:
        """Find the slopes outside the slack, and return the chains that are lost there.

        A chain that leaves the slack before its slope is steep may take very long to come back.
        """
        tick, decay = self._problem.tick, self._problem.decay
        most = _STEEPEST / max(1.0, self._problem.slack * tick)
        self._chains.warm_up(self._limit, decay, most * tick, _WARM_UP, self._threads, cancellation)
        self._visit(1, cancellation)
        return np.flatnonzero(self._chains.ticks > self._limit).tolist()

    def _annealed(self, cancellation: "kernels.Cancellation") -> Draws:
        """Return the best network, and those within the slack that annealing ended at."""
        tick = self._problem.tick
        slopes = [*np.geomspace(_HOT, 1.0, _HEATED), *np.geomspace(1.0, _COLD, _COOLED)]
        found = [self._best]
        rounds = 0
        while rounds < _ROUNDS and not cancellation.cancelled:
            self._chains.anneal(
                1, [float(slope) * tick for slope in slopes], self._threads, cancellation
            )
            rounds += 1
            if self._improve():  # another slack, which has other networks
                found, rounds = [self._best], 0
            found.extend(self._chains.choices[self._chains.ticks <= self._limit])
        return np.array(found)

    def _improve(self) -> bool:
        """Take the best network that the chains have met; return whether it is a better one.

        The earlier draws are then from the credible set of a worse one, and are dropped.
        """
        ticks, choice = self._chains.best()
        if ticks > self._better:
            return False
        self._best, self._best_ticks = choice, ticks
        self._forget()
        return True

    def _forget(self) -> None:
        self._parts = [[] for _ in range(self._effort.chains)]
        self._spacing = 1

    def _fill(self, cancellation: "kernels.Cancellation", report: Report) -> bool:
        """Draw until every chain has its draws; return whether no better network was met."""
        wanted = self._effort.draws - self._length()
        while wanted > 0 and not cancellation.cancelled:
            size = min(wanted, _SEGMENT)
            found = self._visit(size, cancellation)
            if self._improve():
                return False
            for own, new in zip(self._parts, found, strict=True):
                own.append(new.choices.reshape(-1, self._families.variable_count))
            wanted -= size
            report(f"{self._length() * len(self._parts):,} draws", self._best_ticks)
        return True

    def _visit(
        self, wanted: int, cancellation: "kernels.Cancellation"
    ) -> "list[kernels.ChainDraws]":
        """Let each chain visit `wanted` networks within the slack, or fewer if patience ends."""
        return self._chains.draw(
            self._limit,
            self._problem.decay,
            self._better + 1,
            wanted,
            self._spacing,
            _PATIENCE * wanted,
            self._threads,
            cancellation,
        )

    def _length(self) -> int:
        """Return the number of draws that every chain has."""
        return min(sum(len(part) for part in own) for own in self._parts)

    def _draws(self) -> Draws:
        """Return the last draws of every chain, as many of each."""
        length = self._length()
        variables = self._families.variable_count
        if not length:
            return np.empty((len(self._parts), 0, variables), dtype=np.uint32)
        return np.stack([np.concatenate(own)[-length:] for own in self._parts])

    def _is_enough(self, agreement: Agreement) -> bool:
        return (
            agreement.r_hat is not None
            and agreement.r_hat <= self._effort.r_hat
            and agreement.effective >= self._effort.effective
        )

    def _spread_out(self) -> None:
        """Double the spacing; drop the first half of the draws, and every other one of the rest."""
        draws = self._draws()
        kept = draws[:, draws.shape[1] // 2 :][:, 1::2]
        self._parts = [[own] for own in kept]
        self._spacing *= 2


def far_apart(networks: Draws, count: int) -> Draws:
    """Return so many networks that differ much: the first, and then one at a time.

    Each is the one that shares the fewest families with the nearest of those before it. If all that
    are left are among these, the first is returned again.
    """
    chosen = [0]
    apart = np.full(len(networks), networks.shape[1])
    for _ in range(count - 1):
        apart = np.minimum(apart, (networks != networks[chosen[-1]]).sum(axis=1))
        chosen.append(int(apart.argmax()))
    return networks[chosen]


def agreement_of(families: Families, draws: Draws) -> Agreement:
    """Return how well the chains agree on every arc and on the cost."""
    chains, length = draws.shape[:2]
    if not can_tell(length):
        return Agreement(None, float(chains * length > 0))
    r_hat, effective = 1.0, float(chains * length)
    for series in _features(families, draws):
        r_hat = max(r_hat, min(_MOST_R_HAT, float(split_r_hat(series).max())))
        effective = min(effective, float(effective_draws(series).min()))
    return Agreement(r_hat, effective)


def _features(families: Families, draws: Draws) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the ticks of each draw, and for each child which of its arcs each draw has."""
    ticks = families.ticks[draws].sum(axis=2)
    yield (ticks - ticks.min()).astype(np.float64)[:, :, None]
    for child in range(families.variable_count):
        used, which = np.unique(draws[:, :, child], return_inverse=True)
        parents = families.parents[used]
        # Only what some family has and another has not can change.
        doubtful = np.bitwise_or.reduce(parents, axis=0) & ~np.bitwise_and.reduce(parents, axis=0)
        if not doubtful.any():
            continue
        words = [
            parents[:, word, None] >> np.arange(WORD_BITS, dtype=np.uint64) & np.uint64(1)
            for word in np.flatnonzero(doubtful)
        ]
        present = np.concatenate(words, axis=1).astype(np.bool_)
        present = present[:, present.any(axis=0) & ~present.all(axis=0)]
        yield present[which.reshape(draws.shape[:2])].astype(np.float64)
