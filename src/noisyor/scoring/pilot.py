"""A short trial of scoring that estimates the time and size of the whole.

**How many families will be kept.** Whether a family over P is kept depends on the subsets of P
only (`core.pruning_rules`). So a search in which each child has c random candidates keeps exactly
those families of the whole table that lie within them. A set of s parents does so with probability
C(c, s) / C(n - 1, s); dividing the number kept by that, size by size, estimates the families of up
to c parents without bias (Horvitz and Thompson, 1952), and misses larger ones. The variance falls
with c, so c grows while there is time. Once no candidate is left out, the figure is exact.

**How much work that is.** Nearly all affordable full tables are counted (`workload`), at a rate
that is measured in a short run of the real search. The work on noisy-ORs grows with c by a factor
per candidate. This factor is extrapolated, which is crude if many candidates are left out.

Seconds are those of an otherwise idle machine: processor time divided by the number of threads.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb, sqrt

import numpy as np

from noisyor.core import Constraints, Relation, ScoreTable
from noisyor.core.progress import Progress
from noisyor.core.relations import relation_of
from noisyor.core.request import Limits, Request
from noisyor.core.variable_sets import set_of, variables_in
from noisyor.scoring.board import thread_count
from noisyor.scoring.scoring import Scored, score_request
from noisyor.scoring.workload import affordable_costs, count_affordable

_FIRST_CANDIDATES = 6
_MORE_CANDIDATES = 2  # from level to level
_GROWTH = 3.0  # of the time from level to level, roughly: a level that would not finish is skipped
_LEVELS_BACK = 2  # between the levels that growth is measured on
# The number of fits grows with each candidate by a factor that falls towards the usual one. The
# excess over the usual factor counts half, and for _UNUSUAL_CANDIDATES candidates only. Measured on
# sixteen data sets.
_USUAL_GROWTH = sqrt(2.1)
_UNUSUAL_CANDIDATES = 8
_RATE_SHARE = 1 / 3  # of the time
_LEAST_SECONDS = 1e-3
_PATIENCE = 4.0  # wall-clock time, as a multiple of the processor time


@dataclass(frozen=True, slots=True)
class Pilot:
    """The results of a trial of scoring.

    `kept` estimates the families of the whole table by relation. `table_seconds` estimates the time
    for all full tables, `fit_seconds` the additional time for the other relations. The trial used
    `candidates` of at most `most_candidates` candidate parents per child, and a `share` of the
    children if the time was too short for all.
    """

    kept: Mapping[Relation, float]
    table_seconds: float
    fit_seconds: float
    candidates: int
    most_candidates: int
    seconds: float
    share: float = 1.0

    @property
    def exact(self) -> bool:
        """Whether no candidate and no child was left out, so that `kept` is exact."""
        return self.candidates >= self.most_candidates and self.share >= 1


@dataclass(frozen=True, slots=True)
class _Level:
    """Scoring with at most `candidates` candidates per child, of a share of the children."""

    candidates: int
    constraints: Constraints
    scored: Scored
    seconds: float  # for all children, extrapolated from those scored
    share: float

    def counted(self) -> float:
        """Return how many families in closed form are counted, including bounds of subtrees."""
        return self._evaluated(closed_form=True)

    def fitted(self) -> float:
        """Return how many families are fitted, including bounds of subtrees."""
        return self._evaluated(closed_form=False)

    def _evaluated(self, *, closed_form: bool) -> float:
        work = self.scored.statistics.relations
        chosen = [one for relation, one in work.items() if relation.closed_form == closed_form]
        return sum(one.evaluated + one.bounds for one in chosen) / self.share


def pilot(request: Request, *, seconds: float = 2.0) -> Pilot:
    """Try scoring for about `seconds`, with a few candidates and at least one child."""
    started, worked = time.monotonic(), time.process_time()
    trial = _Trial(request)
    rate = trial.table_rate(seconds * _RATE_SHARE)
    levels = trial.levels(worked, seconds)
    last = levels[-1]
    table_seconds = trial.tables_in_all(last) / rate
    fit_seconds = 0.0
    if any(not one.closed_form for one in request.relations):
        spent = last.seconds - last.counted() / rate
        fit_seconds = max(spent, 0.0) * trial.fit_growth(levels)
    return Pilot(
        kept=trial.kept_in_all(last.scored.table, last.candidates, last.share),
        table_seconds=table_seconds,
        fit_seconds=fit_seconds,
        candidates=last.candidates,
        most_candidates=trial.most_candidates,
        seconds=time.monotonic() - started,
        share=last.share,
    )


class _Trial:
    """A trial of a request, with the candidates of each child in a fixed random order."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._counted = replace(
            request, relations=tuple(one for one in request.relations if one.closed_form)
        )
        self._constraints = constraints = request.constraints
        self._jobs = thread_count(request.limits.jobs)
        self._costs = affordable_costs(request)
        rng = np.random.default_rng(0)
        self._orders = [
            rng.permutation(
                np.array(list(variables_in(allowed & ~required)), dtype=np.int64)
            ).tolist()
            for allowed, required in zip(constraints.allowed, constraints.required, strict=True)
        ]
        self.most_candidates = max(map(len, self._orders))

    def table_rate(self, seconds: float) -> float:
        """Return how many full tables are counted in a second of the real search."""
        seen = [(1, seconds)]  # families, and how long it took
        started = time.process_time()

        def look(now: Progress) -> None:
            seen.append((now.decided or 0, self._seconds_since(started)))

        limits = Limits(jobs=self._jobs, seconds=seconds)
        scored = score_request(replace(self._counted, limits=limits), progress=look)
        if len(scored.children) == self._request.data.variable_count:
            decided = sum(one.evaluated for one in scored.statistics.relations.values())
            return decided / max(self._seconds_since(started), _LEAST_SECONDS)
        # The most, not the last: when time is up, the count of unfinished searches is dropped.
        decided, spent = max(seen)
        return decided / max(spent, _LEAST_SECONDS)

    def _seconds_since(self, started: float) -> float:
        """Return the processor time used since, per thread."""
        return (time.process_time() - started) / self._jobs

    def levels(self, started: float, seconds: float) -> list[_Level]:
        """Score with more and more candidates while there is time.

        Time is processor time, by time.process_time(), so that a busy machine gives the same
        figures; by the clock it may be _PATIENCE times longer.
        """
        left = max(_LEAST_SECONDS, seconds - self._seconds_since(started))
        levels = [self._first_level(_PATIENCE * left)]
        while levels[-1].candidates < self.most_candidates and levels[-1].share >= 1:
            left = seconds - self._seconds_since(started)
            if left < _GROWTH * levels[-1].seconds:
                break
            level = self._level(levels[-1].candidates + _MORE_CANDIDATES, _PATIENCE * left)
            if level.share < 1:
                break
            levels.append(level)
        return levels

    def _first_level(self, seconds: float) -> _Level:
        """Score with a few candidates as many children as time allows, at least one.

        Children differ, so figures from a few of them are only a guess for the others.
        """
        level = self._level(_FIRST_CANDIDATES, seconds)
        return level if level.share else self._level(_FIRST_CANDIDATES, children=[0])

    def _level(
        self, candidates: int, seconds: float | None = None, children: list[int] | None = None
    ) -> _Level:
        candidates = min(candidates, self.most_candidates)
        allowed = tuple(
            required | set_of(order[:candidates])
            for required, order in zip(self._constraints.required, self._orders, strict=True)
        )
        few = replace(self._constraints, allowed=allowed)
        started = time.process_time()
        limits = Limits(jobs=self._jobs, seconds=seconds)
        scored = score_request(
            replace(self._request, constraints=few, limits=limits), children=children
        )
        share = len(scored.children) / self._request.data.variable_count
        spent = self._seconds_since(started)
        return _Level(candidates, few, scored, spent / share if share else spent, share)

    def kept_in_all(
        self, table: ScoreTable, candidates: int, share: float = 1.0
    ) -> dict[Relation, float]:
        """Estimate how many families the whole table has from a table of few candidates."""
        kept = dict.fromkeys(self._request.relations, 0.0)
        columns = np.stack([table.children, table.relations, table.parent_counts()])
        for (child, code, size), count in zip(
            *(part.tolist() for part in _distinct(columns)), strict=True
        ):
            own = size - self._constraints.required[child].bit_count()
            there = len(self._orders[child])
            tried = min(candidates, there)
            kept[relation_of(code)] += count * comb(there, own) / comb(tried, own) / share
        affordable = count_affordable(self._request, self._costs)
        # Of 1,024 variables there are more families than any double.
        return {one: float(min(kept[one], affordable[one])) for one in kept}

    def tables_in_all(self, level: _Level) -> float:
        """Estimate how many full tables will be counted: the same share of the affordable ones."""
        affordable = [
            sum(count_affordable(replace(self._counted, constraints=one), self._costs).values())
            for one in (self._constraints, level.constraints)
        ]
        return level.counted() * (affordable[0] / affordable[1])

    def fit_growth(self, levels: list[_Level]) -> float:
        """Estimate the factor by which the work on fits grows with all candidates."""
        last, before = levels[-1], levels[max(0, len(levels) - 1 - _LEVELS_BACK)]
        missing = self.most_candidates - last.candidates
        work = [level.fitted() + 1 for level in (before, last)]
        steps = max(1, last.candidates - before.candidates)
        measured = max(1.0, (work[1] / work[0]) ** (1 / steps))
        unusual = (measured / _USUAL_GROWTH) ** (min(missing, _UNUSUAL_CANDIDATES) / 2)
        return float(unusual * _USUAL_GROWTH**missing)


def _distinct(columns: "np.typing.NDArray[np.int64]") -> tuple["np.typing.NDArray[np.int64]", ...]:
    """Return the distinct columns of a matrix as rows, and how often each occurs."""
    found, counts = np.unique(columns.T, axis=0, return_counts=True)
    return found, counts
