"""The candidate noisy-ORs of a child, as the published scorer writes them to its file.

Sets of parents grow by variables after their last one, level by level. A set is not made, nor
anything that grows from it, if a set that it contains was written with a cost below its own penalty
less the slack. It is written if it costs less than each written set that it contains plus the
slack. Both rules charge 2^k parameters for k parents.

A set that leaves a record with the effect but without any cause costs 10,000 nats a record or more
and is never written, so its descent runs only where that of a larger set starts from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log

import numpy as np
import numpy.typing as npt

from benchmarks.paper.table2.emulation.descent import Floats, Observed, descend, misfit
from noisyor.core import NOISY_OR, Dataset, Family
from noisyor.core.variable_sets import set_of, variables_in
from noisyor.fitting import fit

LARGEST_COST = 10_000.0
"""What the scorer takes for infinity where it looks for the cheapest subset."""

_COUNTED_AT_ONCE = 4096  # families

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A set of parents that was written, and minus the log-likelihood of its noisy-OR, in nats."""

    parents: int
    misfit: float


@dataclass(slots=True)
class Level:
    """The sets of one size, in the order in which they are made.

    `members` has shape (sets, k), the parents ascending; `prefix` is the place, one level below, of
    the set without its last parent; `unexplained` says which records with the effect have none of
    the parents; `least` is the least cost written for the set or one that it contains. A row of `q`
    is not a number until its descent has run.
    """

    members: npt.NDArray[np.int64]
    prefix: Places
    unexplained: npt.NDArray[np.bool_]
    least: Floats
    q: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Begin without descents."""
        self.q = np.full(self.members.shape, np.nan)

    @property
    def size(self) -> int:
        """The number of parents, k."""
        return int(self.members.shape[1])

    def possible(self) -> Places:
        """Return the sets that explain every record with the effect."""
        return np.flatnonzero(~self.unexplained.any(axis=1))


class Scorer:
    """Scores the noisy-ORs of one child, by the published descent or with the best q's there are.

    After `written`, `made` and `fitted` count sets and fits.
    """

    def __init__(self, data: Dataset, child: int, slack: float, *, by_descent: bool) -> None:
        """Prepare the records."""
        self._data = data
        self._child = child
        self._slack = slack
        self._by_descent = by_descent
        self._unit = log(data.record_count) / 2
        self._effect = data.codes[:, child] == 1
        varied = [v for v in range(data.variable_count) if len(np.unique(data.codes[:, v])) > 1]
        self._others = np.array([v for v in varied if v != child], dtype=np.int64)
        self._levels: list[Level] = []
        self.made = 0
        self.fitted = 0

    def written(self) -> list[Candidate]:
        """Return the sets in the order of the file, without the empty one."""
        self._levels = [self._root()]
        found: list[Candidate] = []
        while len((level := self._grown(self._levels[-1])).members):
            self._levels.append(level)
            self.made += len(level.members)
            found += self._written_at(level)
        self._levels.clear()  # of a table of many variables, they take gigabytes
        return found

    def refitted(self, sets: Sequence[int]) -> list[Candidate]:
        """Return these sets of parents, fitted: nothing is pruned, whatever they cost."""
        self._levels = _levels_with(sets)
        found: dict[int, float] = {}
        for level in self._levels[1:]:
            places = np.flatnonzero(np.isin(_bits(level.members), np.array(sets, dtype=np.uint64)))
            misfits = self._misfits(level, places)
            found |= zip(_bits(level.members[places]).tolist(), misfits.tolist(), strict=True)
        return [Candidate(one, found[one]) for one in sets]

    def _root(self) -> Level:
        """Return the empty set, whose table is exact."""
        counts = np.bincount(self._effect, self._data.weights, minlength=2)
        entropy = -float((counts * np.log(counts / counts.sum())).sum())
        return Level(
            np.zeros((1, 0), dtype=np.int64),
            np.zeros(1, dtype=np.intp),
            np.ones((1, int(self._effect.sum())), dtype=np.bool_),
            np.array([entropy + self._penalty(0)]),
        )

    def _penalty(self, parents: int) -> float:
        return float(2**parents * self._unit)

    def _grown(self, below: Level) -> Level:
        """Return the next level, made from the last set to the first: its queue is reversed."""
        order = np.arange(len(below.members))[::-1]
        last = below.members[order, -1] if below.size else np.full(1, -1)
        rows, columns = np.nonzero(self._others > last[:, np.newaxis])
        prefix, added = order[rows], self._others[columns]
        members = np.column_stack([below.members[prefix], added])
        least = _least_below(members, below)
        made = least >= self._penalty(below.size + 1) - self._slack
        prefix, added = prefix[made], added[made]
        caused = self._data.codes[self._effect][:, added].T == 1
        unexplained = below.unexplained[prefix] & ~caused
        return Level(members[made], prefix, unexplained, least[made])

    def _written_at(self, level: Level) -> list[Candidate]:
        """Return the sets of a level that are written, and enter their costs."""
        places = level.possible()
        misfits = self._misfits(level, places)
        costs = misfits + self._penalty(level.size)
        chosen = costs < np.minimum(level.least[places], LARGEST_COST) + self._slack
        kept = places[chosen]
        level.least[kept] = np.minimum(level.least[kept], costs[chosen])
        return [
            Candidate(set_of(level.members[place].tolist()), float(cost))
            for place, cost in zip(kept, misfits[chosen], strict=True)
        ]

    def _misfits(self, level: Level, places: Places) -> Floats:
        if not self._by_descent:
            self.fitted += len(places)
            return np.array([self._least_misfit(level, place) for place in places])
        self._run_descents(level, places)
        found = np.empty(len(places))
        for first in range(0, len(places), _COUNTED_AT_ONCE):
            some = slice(first, first + _COUNTED_AT_ONCE)
            observed = self._observed(level.members[places[some]])
            found[some] = misfit(observed, level.q[places[some]])
        return found

    def _least_misfit(self, level: Level, place: int) -> float:
        """Return the misfit of the certified fit."""
        family = Family(self._child, set_of(level.members[place].tolist()), NOISY_OR)
        return fit(self._data, family).cost - level.size * self._unit

    def _run_descents(self, level: Level, places: Places) -> None:
        """Run the descents that have not run: from the q's of the prefix, and 0 for the last."""
        waiting = places[np.isnan(level.q[places, 0])]
        below = self._levels[level.size - 1]
        if below.size and len(waiting):
            self._run_descents(below, np.unique(level.prefix[waiting]))
        for first in range(0, len(waiting), _COUNTED_AT_ONCE):
            some = waiting[first : first + _COUNTED_AT_ONCE]
            start = np.zeros((len(some), level.size))
            start[:, :-1] = below.q[level.prefix[some]]
            level.q[some] = descend(self._observed(level.members[some]), start)
        self.fitted += len(waiting)

    def _observed(self, members: npt.NDArray[np.int64]) -> Observed:
        """Count the records of each configuration of each set of parents."""
        families, k = members.shape
        kinds = self._effect.astype(np.int64) << k
        kinds = kinds + (np.arange(families) << k + 1)[:, np.newaxis]
        for t in range(k):
            kinds += self._data.codes[:, members[:, t]].T.astype(np.int64) << t
        weights = np.broadcast_to(self._data.weights, kinds.shape)
        counts = np.bincount(kinds.ravel(), weights.ravel(), minlength=families << k + 1)
        absent, present = counts.astype(np.float64).reshape(families, 2, 2**k).swapaxes(0, 1)
        return Observed(absent, present)


def _levels_with(sets: Sequence[int]) -> list[Level]:
    """Return levels of these sets and of all prefixes that their descents start from."""
    tuples = {tuple(variables_in(one)) for one in sets}
    wanted = sorted({one[:size] for one in tuples for size in range(len(one) + 1)})
    levels: list[Level] = []
    places: dict[tuple[int, ...], int] = {}
    for size in range(max(map(len, wanted), default=0) + 1):
        some = [one for one in wanted if len(one) == size]
        levels.append(
            Level(
                np.array(some, dtype=np.int64).reshape(len(some), size),
                np.array([places.get(one[:-1], 0) for one in some], dtype=np.intp),
                np.zeros((len(some), 0), dtype=np.bool_),
                np.zeros(len(some)),
            )
        )
        places = {one: place for place, one in enumerate(some)}
    return levels


def _least_below(members: npt.NDArray[np.int64], below: Level) -> Floats:
    """Return the least cost written for a proper subset of each set; minus infinity if not made.

    A set with a subset that was not made is not made either: the rule that left out the subset
    holds for the set, whose penalty is larger.
    """
    known = _bits(below.members)
    order = np.argsort(known)
    least = np.full(len(members), np.inf)
    whole = _bits(members)
    for column in members.T:
        part = whole - (np.uint64(1) << column.astype(np.uint64))
        place = np.minimum(np.searchsorted(known, part, sorter=order), len(known) - 1)
        found = order[place]
        value = np.where(known[found] == part, below.least[found], -np.inf)
        least = np.minimum(least, value)
    return least


def _bits(members: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
    bits = np.uint64(1) << members.astype(np.uint64)
    found: npt.NDArray[np.uint64] = np.bitwise_or.reduce(bits, axis=1)
    return found
