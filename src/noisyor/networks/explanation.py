"""What a noisy-OR means, in numbers and in words: how strong each cause is, and why it won."""

import math
from dataclasses import dataclass

from noisyor.core import BIC, Dataset, Family, Relation, Score
from noisyor.core.configurations import MAX_CONFIGURATIONS, configuration_count
from noisyor.core.relation_looks import look_of
from noisyor.core.relations import Cause, cause_relation, root_relation
from noisyor.core.state_words import place_of_present
from noisyor.core.tolerance import is_tie
from noisyor.fitting import FittedFamily, fit, penalty_of
from noisyor.networks.profile_likelihood import (
    StrengthInterval,
    strength_intervals,
    threshold_of,
)

_MOST_DIGITS = 6  # the ends of an interval are no more accurate


@dataclass(frozen=True, slots=True)
class CauseStrength:
    """How strongly one cause brings its effect about, with an interval.

    `cause` and `effect` are variables as a sentence names them (see `explain`); `cause` is None
    for a leak. `q` is the chance that the present cause fails.
    """

    cause: str | None
    effect: str
    q: float
    interval: StrengthInterval

    @property
    def strength(self) -> float:
        """The chance that the cause, when present, brings the effect about on its own."""
        return 1 - self.q

    def sentence(self) -> str:
        """Return what this cause does, in one line."""
        cause = "what is not among the causes" if self.cause is None else self.cause
        if not self.interval.determined:
            return (
                f"the records do not say how strongly {cause} brings about {self.effect}: any "
                "probability fits them equally well"
            )
        lower, upper = self.interval.lower, self.interval.upper
        digits = _digits(upper - lower)
        return (
            f"{cause} brings about {self.effect} with probability {self.strength:.{digits}f} "
            f"({lower:.{digits}f} to {upper:.{digits}f})"
        )


@dataclass(frozen=True, slots=True)
class CostParts:
    """A cost in nats, split: negative log-likelihood, and the penalty for parameters."""

    fit: float
    penalty: float

    @property
    def cost(self) -> float:
        """The total; lower is better."""
        return self.fit + self.penalty

    def __str__(self) -> str:
        return f"{self.cost:.2f} nats (fit {self.fit:.2f}, penalty {self.penalty:.2f})"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A fitted noisy-OR: its causes, parents ascending, and its cost against the full table's.

    `level` is the level of the intervals. `table` is None where the full table on the same parents
    has too many entries to be fitted; `table_penalty` is known even then.
    """

    child: str
    relation: Relation
    level: float
    causes: tuple[CauseStrength, ...]
    leak: CauseStrength | None
    noisy_or: CostParts
    table: CostParts | None
    table_penalty: float

    @property
    def saving(self) -> float:
        """By how much the full table costs more, in nats; a lower bound where it was not fitted."""
        table = self.table_penalty if self.table is None else self.table.cost
        return table - self.noisy_or.cost

    @property
    def is_preferred(self) -> bool:
        """Whether the noisy-OR is known to cost less than the full table; a tie is the table's."""
        return self.saving > 0 and not is_tie(self.saving + self.noisy_or.cost, self.noisy_or.cost)

    def sentence(self) -> str:
        """Return its cost and that of the full table in one line."""
        causes = ", ".join(str(one.cause) for one in self.causes)
        own = f"{self.child} as {self.relation} of {causes} costs {self.noisy_or}"
        if self.table is None:
            return (
                f"{own}; a full table of {len(self.causes)} parents is too large to be fitted, and "
                f"its penalty alone would be {self.table_penalty:.2f}"
            )
        other = f"the full table on the same parents costs {self.table}"
        if self.is_preferred:
            return f"{own}; {other}: {self.relation} saves {self.saving:.2f}"
        if is_tie(self.table.cost, self.noisy_or.cost):
            return f"{own}; {other}: a tie, which goes to the table"
        return f"{own}; {other}: the table saves {-self.saving:.2f}"

    def sentences(self) -> tuple[str, ...]:
        """Return everything in words: the costs, then each cause, the leak last."""
        leak = () if self.leak is None else (self.leak,)
        return (self.sentence(), *(one.sentence() for one in (*self.causes, *leak)))


def explain(
    data: Dataset, family: Family, level: float = 0.95, *, score: Score = BIC
) -> Explanation:
    """Fit a noisy-OR and say what it means: each strength with its interval, and what it costs.

    A sentence names a variable alone where its present state is labelled by a word for presence (1,
    yes, true, ...), else with the state, as in "sex = female".

    Parameters
    ----------
    data
        The records.
    family
        A child, its parents, and a relation that explains it by causes.
    level
        The level of the profile-likelihood intervals (see `profile_likelihood`).
    score
        What the parameters cost.

    Raises
    ------
    InfeasibleFitError
        The likelihood is zero whatever the parameters.

    """
    if not family.relation.is_noisy_or:
        raise ValueError(
            f"a {look_of(family.relation).label} has no causes to explain; "
            f"a {cause_relation(leak=False)} has"
        )
    threshold_of(level)  # refuses a wrong level before anything is fitted
    fitted = fit(data, family, score=score)
    child = _spoken(data, family.child)
    parents = family.parent_indices()

    def strength(cause: Cause, interval: StrengthInterval) -> CauseStrength:
        name = None if cause.parent is None else _spoken(data, parents[cause.parent], cause.state)
        return CauseStrength(name, child, cause.q, interval)

    intervals = strength_intervals(data, fitted, level)
    causes = fitted.distribution.causes()
    strengths = tuple(strength(*one) for one in zip(causes, intervals, strict=True))
    table = Family(family.child, family.parents, root_relation())
    sizes = [data.variables[parent].state_count for parent in parents]
    small = configuration_count(sizes) <= MAX_CONFIGURATIONS
    return Explanation(
        child,
        family.relation,
        level,
        tuple(one for one in strengths if one.cause is not None),
        next((one for one in strengths if one.cause is None), None),
        _parts(data, fitted, score),
        _parts(data, fit(data, table, score=score), score) if small else None,
        penalty_of(data, table, score),
    )


def _parts(data: Dataset, fitted: FittedFamily, score: Score) -> CostParts:
    penalty = penalty_of(data, fitted.family, score)
    return CostParts(max(fitted.cost - penalty, 0.0), penalty)  # below 0 only by rounding


def _spoken(data: Dataset, variable: int, state: int = 1) -> str:
    """Return a variable in one of its states as a sentence names it."""
    own = data.variables[variable]
    if own.is_binary and place_of_present((own.states[0], own.states[1])) == state:
        return own.name
    return f"{own.name} = {own.states[state]}"


def _digits(width: float) -> int:
    """Return how many decimals the ends of an interval need to differ, at least two."""
    return min(_MOST_DIGITS, max(2, math.ceil(-math.log10(width)))) if width > 0 else _MOST_DIGITS
