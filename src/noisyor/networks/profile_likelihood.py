"""How well the records determine each strength of a cause: profile-likelihood intervals.

A strength s = 1 - q belongs to the interval if the best fit with it held at s is not much worse
than the best fit of all: its negative log-likelihood is higher by at most half the chi-square
quantile with one degree of freedom (Venzon and Moolgavkar, 1988). With x = -ln q it is convex in
all parameters together, so its minimum over the others, the profile, is convex in x: the interval
has no holes, and each end is the only root on its side of the optimum.

Unlike an interval from the curvature this one needs no symmetry, and it stays meaningful where the
optimum is at strength 0 or 1 and has no useful curvature. (If the truth lies there and records are
many, its coverage exceeds the level: half of the time the rise is 0.)

Each level of a child with more states is a noisy-OR with strengths of its own, and the likelihood
is a product over the levels (docs/relations.md), so the profile of a strength involves only the
records of its level. Where any state of a parent may be the idle one, the intervals are for the
idle states that were found: these are held idle.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, NumericalError, SettingsError
from noisyor.fitting import FittedFamily
from noisyor.fitting.causes import CauseColumns
from noisyor.fitting.constrained_fit import (
    ConstrainedProblem,
    Floats,
    Minimum,
    failures,
    minimise,
    row_rises,
)

ACCURACY = 1e-6
"""How far an end may be off: in strength, or in nats from the threshold that defines it."""

LOWEST_LEVEL, HIGHEST_LEVEL = 0.01, 0.999999
"""Below, the threshold approaches the accuracy of a fit; above, intervals have no practical use."""

_ON_THRESHOLD = 1e-9  # nats: near enough to the threshold to stop
_SAME_STRENGTH = 1e-12  # a bracket narrower than this in strength is a point
_MAX_EVALUATIONS = 200  # of a profile, for one end; about six are needed


@dataclass(frozen=True, slots=True)
class StrengthInterval:
    """The strengths that are compatible with the records.

    `determined` is false where every strength fits equally well: the cause is never present, or
    each of its records is explained by another cause that never fails. The interval is then 0 to 1.
    """

    lower: float
    upper: float
    determined: bool


def threshold_of(level: float) -> float:
    """Return how much worse a fit may be, in nats: half the level's quantile of chi-square_1."""
    if not LOWEST_LEVEL <= level <= HIGHEST_LEVEL:
        raise SettingsError(
            f"the level of an interval is {level}; it must be between {LOWEST_LEVEL} and "
            f"{HIGHEST_LEVEL}"
        )
    return NormalDist().inv_cdf((1 + level) / 2) ** 2 / 2


def strength_intervals(
    data: Dataset, fitted: FittedFamily, level: float = 0.95
) -> tuple[tuple[StrengthInterval | None, ...], ...]:
    """Return an interval for the strength of each cause at each level of the child.

    The causes are those of the distribution, in its order; None stands for a state that is idle
    because it is the weakest of its parent. `fitted` is the best fit of a relation with causes to
    the same records. Raises NumericalError if an end cannot be found to the promised accuracy:
    every interval returned has been checked.
    """
    if fitted.family.relation.causes is None:
        raise TypeError(f"strengths belong to causes, and {fitted.family.relation} has none")
    threshold = threshold_of(level)
    columns = CauseColumns.of(data, fitted.family)
    q = np.array([cause.levels for cause in fitted.distribution.causes()])
    idle = columns.idle(q)
    by_level = [
        _level_intervals(
            _CauseRecords.of(columns, at + 1, ~idle[:, at], data.copies), 1 - q[:, at], threshold
        )
        for at in range(columns.level_count)
    ]
    return tuple(zip(*by_level, strict=True))


def _level_intervals(
    records: "_CauseRecords", estimates: Floats, threshold: float
) -> list[StrengthInterval | None]:
    """Return the interval of each cause at one level; None for those that are not there."""
    best = records.best_fit()
    found: list[StrengthInterval | None] = [None] * len(estimates)
    for place, cause in enumerate(records.causes):
        profile = _Profile.of(records, best, place)
        found[cause] = _interval(profile, float(estimates[cause]), threshold)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _CauseRecords:
    """The records of a level as its causes see them; a leak is a last cause, always present.

    The effect is that the child has the level, among the records in which it has at most that.
    `rows` (R, K) are the distinct configurations among the records with the effect, `counts` (R,)
    their numbers, `absent` (K,) the records with a cause but without the effect. `causes` has the
    numbers of the causes: those that may act.
    """

    causes: tuple[int, ...]
    rows: npt.NDArray[np.bool_]
    counts: Floats
    absent: Floats

    @classmethod
    def of(
        cls, columns: CauseColumns, level: int, acting: npt.NDArray[np.bool_], copies: int
    ) -> "_CauseRecords":
        at_most = columns.levels <= level
        effect, weights = columns.levels[at_most] == level, columns.weights[at_most]
        present, chosen = columns.present[at_most][:, acting], np.flatnonzero(acting).tolist()
        if columns.relation.model.leak:
            present = np.column_stack([present, np.ones(len(present), dtype=np.bool_)])
            chosen.append(len(acting))
        rows, place = np.unique(present[effect], axis=0, return_inverse=True)
        absent = weights[~effect] @ present[~effect]
        counts = np.bincount(place.reshape(-1), weights[effect], minlength=len(rows))
        return cls(tuple(chosen), rows, counts / copies, absent / copies)

    def rows_without(self, causes: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which rows have none of these causes."""
        return ~np.asarray(self.rows[:, causes].any(axis=1))

    def problem(
        self, rows: npt.NDArray[np.bool_], causes: npt.NDArray[np.bool_]
    ) -> ConstrainedProblem:
        """Return the problem of some rows and some causes, none held fixed."""
        chosen = self.rows[np.ix_(rows, causes)].astype(np.float64)
        return ConstrainedProblem(
            chosen, self.counts[rows], self.absent[causes], np.zeros(len(chosen))
        )

    def best_fit(self) -> Minimum:
        """Return the best -ln q of each cause: infinite where it never failed."""
        certain = self.absent == 0
        found = minimise(self.problem(self.rows_without(certain), ~certain))
        rates = np.full(len(certain), np.inf)
        rates[~certain] = found.rates
        return Minimum(rates, found.gap)


@dataclass(frozen=True, slots=True, eq=False)
class _Rise:
    """By how much a fit with one cause held fixed is worse than the best one, in nats.

    The true rise is at most `gap` away; `slope` is its derivative by x.
    """

    value: float
    slope: float
    gap: float
    rates: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """The fits with one cause held at x = -ln q, against the best fit of all.

    `own` (R,) marks the rows that the cause is present in, `absent` counts the records that it
    failed in, and `others` is the problem of the other causes with x = 0, which may be infeasible.
    The best fit has x = `best_x`, infinite for a cause that never failed, and `best` for the rest.
    """

    own: npt.NDArray[np.bool_]
    absent: float
    others: ConstrainedProblem
    best_x: float
    best: Minimum

    @classmethod
    def of(cls, records: _CauseRecords, best: Minimum, cause: int) -> "_Profile":
        """Return the profile of one cause, given the best fit of all.

        Other causes that never failed explain their rows at no cost, whatever x is: neither they
        nor those rows matter.
        """
        other = np.arange(len(best.rates)) != cause
        certain = other & (records.absent == 0)
        left = records.rows_without(certain)
        uncertain = other & ~certain
        return cls(
            records.rows[left, cause],
            float(records.absent[cause]),
            records.problem(left, uncertain),
            float(best.rates[cause]),
            Minimum(best.rates[uncertain], best.gap),
        )

    @property
    def is_flat(self) -> bool:
        """Whether the cause never failed and has nothing to explain: all x fit equally well."""
        return self.absent == 0 and not self.own.any()

    def is_feasible_at_zero(self) -> bool:
        """Whether the other causes cover every row."""
        return bool(self.others.rows.any(axis=1).all())

    def lowest_cost(self) -> float:
        """Return the negative log-likelihood of the best fit; only for finite `best_x`."""
        exponents = self.others.exponents(self.best.rates) + self.own * self.best_x
        explained = -self.others.counts @ np.log(-np.expm1(-exponents))
        return float(explained + self.others.absent @ self.best.rates + self.absent * self.best_x)

    def curvature(self) -> float:
        """Return the second derivative by x at the best fit, with the other causes fixed."""
        exponents = self.others.exponents(self.best.rates) + self.own * self.best_x
        fails = failures(self.others.counts, exponents)
        return float((fails * (1 + fails / self.others.counts))[self.own].sum())

    def rise(self, x: float, near: Floats) -> _Rise:
        """Return how much worse the best fit with the cause held at x is, starting near rates."""
        others = self.others
        held = ConstrainedProblem(
            others.rows, others.counts, others.absent, self.own * np.float64(x)
        )
        found = minimise(held, near)
        change = found.rates - self.best.rates
        value = float(others.absent @ change)
        exponents = held.exponents(found.rates)
        if math.isinf(self.best_x):
            explained = others.counts[self.own] * np.log(-np.expm1(-exponents[self.own]))
            value -= float(explained.sum())
            shared = ~self.own  # the rows that the best fit, too, explains by the others
            moved = others.rows[shared] @ change
        else:
            value += self.absent * (x - self.best_x)
            shared = np.ones(len(self.own), dtype=np.bool_)
            moved = others.rows @ change + self.own * (x - self.best_x)
        value += float(row_rises(others.counts[shared], exponents[shared] - moved, moved).sum())
        slope = self.absent - float(failures(others.counts, exponents)[self.own].sum())
        return _Rise(value, slope, found.gap + self.best.gap, found.rates)


def _interval(profile: _Profile, estimate: float, threshold: float) -> StrengthInterval:
    if profile.is_flat:
        return StrengthInterval(0.0, 1.0, determined=False)
    # The estimate comes from another fit, as good as this one up to its gap: it is always inside.
    return StrengthInterval(
        min(_lower_end(profile, threshold), estimate),
        max(_upper_end(profile, threshold), estimate),
        determined=True,
    )


def _upper_end(profile: _Profile, threshold: float) -> float:
    """Return the largest strength whose fit is within the threshold.

    A cause that never failed may be certain. Otherwise the cost is at least absent * x, since no
    term of it is negative, and that bounds the search from above.
    """
    if math.isinf(profile.best_x):
        return 1.0
    outside = (profile.lowest_cost() + threshold) / profile.absent * (1 + 1e-9)
    bend = profile.curvature()
    slope = max(profile.rise(profile.best_x, profile.best.rates).slope, 0.0)
    ahead = 2 * threshold / (slope + math.sqrt(slope * slope + 2 * bend * threshold))
    return _strength(_root(profile, threshold, outside, profile.best_x + ahead))


def _lower_end(profile: _Profile, threshold: float) -> float:
    """Return the smallest strength whose fit is within the threshold.

    For a cause that never failed the other causes may stay as they are at x = infinity: the rise
    is at most -C ln(1 - exp(-x)), C records having cause and child. So the end lies below the x
    where this is the threshold, and there if the cause acts alone.
    """
    if profile.best_x == 0:
        return 0.0
    if profile.is_feasible_at_zero():
        at_zero = profile.rise(0.0, profile.best.rates)
        if at_zero.value <= threshold:
            if at_zero.value + at_zero.gap > threshold:
                _check(profile, threshold, 0.0, at_zero, away=-1)
            return 0.0
    if math.isinf(profile.best_x):
        explained = float(profile.others.counts[profile.own].sum())
        guess = -math.log(-math.expm1(-threshold / explained))
    else:
        bend = profile.curvature()
        behind = math.sqrt(2 * threshold / bend)
        guess = profile.best_x - min(behind, profile.best_x / 2)
    return _strength(_root(profile, threshold, 0.0, guess))


def _root(profile: _Profile, threshold: float, outside: float, guess: float) -> float:
    """Return the x between the best one and `outside` at which the rise is the threshold.

    Newton's method on the square root of the rise, which is nearly straight where the likelihood
    is nearly normal; a step that leaves the bracket is replaced by its middle.
    """
    # With the best x at infinity the guess is one that is known to lie inside.
    inside = guess if math.isinf(profile.best_x) else profile.best_x
    x, near, away = guess, profile.best.rates, 1 if outside > profile.best_x else -1
    for _ in range(_MAX_EVALUATIONS):
        rise = profile.rise(x, near)
        near = rise.rates
        narrow = abs(_strength(inside) - _strength(outside)) <= _SAME_STRENGTH
        if abs(rise.value - threshold) <= _ON_THRESHOLD or narrow:
            _check(profile, threshold, x, rise, away)
            return x
        if rise.value < threshold:
            inside = x
        else:
            outside = x
        low, high = min(inside, outside), max(inside, outside)
        root = math.sqrt(max(rise.value, 0.0))
        step = 2 * root * (root - math.sqrt(threshold)) / rise.slope if rise.slope else math.inf
        x = x - step if low < x - step < high else (low + high) / 2
    raise NumericalError(
        f"the end of a profile-likelihood interval was not found in {_MAX_EVALUATIONS} steps: it "
        f"lies between strength {_strength(low)} and {_strength(high)}"
    )


def _check(profile: _Profile, threshold: float, x: float, rise: _Rise, away: int) -> None:
    """Refuse an end that may be further off than the accuracy, both in nats and in strength.

    In strength it is right if the rise is certainly above the threshold a little further from the
    best strength (`away` is 1 for an upper end, else -1), and certainly below a little nearer.
    """
    error = abs(rise.value - threshold) + rise.gap
    if error <= ACCURACY:
        return
    further, nearer = (_strength(x) + side * ACCURACY for side in (away, -away))
    outside = inside = True  # nothing lies beyond 0 or 1, and the rise at the best strength is 0
    if 0 < further < 1:
        there = profile.rise(-math.log1p(-further), rise.rates)
        outside = there.value - there.gap >= threshold
    if (nearer - _strength(profile.best_x)) * away > 0:
        there = profile.rise(-math.log1p(-nearer), rise.rates)
        inside = there.value + there.gap <= threshold
    if not (outside and inside):
        raise NumericalError(
            f"the end of a profile-likelihood interval at strength {_strength(x)} is uncertain by "
            f"{error:g} nats: the records are too many, or too unevenly spread, for doubles"
        )


def _strength(x: float) -> float:
    return -math.expm1(-x)
