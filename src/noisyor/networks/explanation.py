"""What causes mean, in numbers and in words: how strong each is, and why the relation won."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from noisyor.core import BIC, Dataset, Family, Prior, Relation, Score
from noisyor.core.arguments import checked_arguments
from noisyor.core.configurations import MAX_CONFIGURATIONS, configuration_count
from noisyor.core.errors import InfeasibleFitError
from noisyor.core.relation_looks import look_of
from noisyor.core.relations import cause_relation, root_relation
from noisyor.core.tolerance import is_tie
from noisyor.fitting import FittedFamily, fit, penalties_of, penalty_of
from noisyor.networks.cause_words import CauseWords, state_words
from noisyor.networks.profile_likelihood import (
    StrengthInterval,
    strength_intervals,
    threshold_of,
)

Intervals = Sequence[Sequence[StrengthInterval | None]]
"""The intervals of each cause at each level; None for an idle state."""

_MOST_DIGITS = 6  # the ends of an interval are no more accurate


@dataclass(frozen=True, slots=True)
class CauseStrength:
    """How strongly one cause acts at one level of its effect, with an interval.

    Parameters
    ----------
    cause
        The state of a parent that acts, as a sentence names it (see `explain`); None for a leak.
    effect
        The state of the child that the cause brings about.
    statement
        What the cause does, as a sentence without its probability.
    q
        The chance that the cause fails when it is there.
    interval
        The strengths that are compatible with the records.
    """

    cause: str | None
    effect: str
    statement: str
    q: float
    interval: StrengthInterval

    @property
    def strength(self) -> float:
        """The chance that the cause, when it is there, acts."""
        return 1 - self.q

    def sentence(self) -> str:
        """Return what this cause does, in one line."""
        if not self.interval.determined:
            return f"{self.statement} with unknown probability: no record says how strong it is"
        lower, upper = self.interval.lower, self.interval.upper
        digits = _digits(upper - lower)
        return (
            f"{self.statement} with probability {self.strength:.{digits}f} "
            f"({lower:.{digits}f} to {upper:.{digits}f})"
        )


@dataclass(frozen=True, slots=True)
class CostParts:
    """A cost in nats, split: negative log-likelihood, the score's penalty, and the prior."""

    fit: float
    penalty: float
    prior: float = 0.0

    @property
    def cost(self) -> float:
        """The total; lower is better."""
        return self.fit + self.penalty + self.prior

    def __str__(self) -> str:
        prior = f", prior {self.prior:.2f}" if self.prior else ""
        return f"{self.cost:.2f} nats (fit {self.fit:.2f}, penalty {self.penalty:.2f}{prior})"


@dataclass(frozen=True, slots=True)
class Rival:
    """Another relation on the same parents, and by how much it costs more, in nats.

    `margin` is None where no parameters explain the records.
    """

    relation: Relation
    called: str
    margin: float | None

    def words(self) -> str:
        """Return how it compares."""
        if self.margin is None:
            return f"{self.called} cannot explain every record"
        more = "more" if self.margin >= 0 else "less"
        return f"{self.called} costs {abs(self.margin):.2f} {more}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A fitted relation with causes: what they do, and its cost against the full table's.

    Parameters
    ----------
    child
        The child, as a sentence names it.
    parents
        The names of its parents, ascending.
    relation
        The relation.
    called
        What the relation is called for this child: noisy-or, noisy-max, ...
    level
        The level of the intervals.
    summary
        What all causes together mean, where that needs words: what a noisy-AND needs.
    causes
        The strengths of the causes: parents ascending, their states ascending, and for each the
        levels of the child from the first. A state that is idle is not listed.
    leak
        The strengths of the leak, by level; empty without one.
    own
        The cost of the relation.
    table
        The cost of the full table on the same parents; None where it is too large to be fitted.
    table_penalty
        The penalty of the full table, with the prior; known even then.
    rivals
        The other relations that were asked for, the cheapest first.
    """

    child: str
    parents: tuple[str, ...]
    relation: Relation
    called: str
    level: float
    summary: str | None
    causes: tuple[CauseStrength, ...]
    leak: tuple[CauseStrength, ...]
    own: CostParts
    table: CostParts | None
    table_penalty: float
    rivals: tuple[Rival, ...] = ()

    @property
    def saving(self) -> float:
        """By how much the full table costs more, in nats; a lower bound where it was not fitted."""
        table = self.table_penalty if self.table is None else self.table.cost
        return table - self.own.cost

    @property
    def is_preferred(self) -> bool:
        """Whether it is known to cost less than the full table; a tie is the table's."""
        return self.saving > 0 and not is_tie(self.saving + self.own.cost, self.own.cost)

    def sentence(self) -> str:
        """Return its cost and that of the full table in one line."""
        own = f"{self.child} as {self.called} of {', '.join(self.parents)} costs {self.own}"
        if self.table is None:
            return (
                f"{own}; a full table of {len(self.parents)} parents is too large to be fitted, "
                f"and its penalty alone would be {self.table_penalty:.2f}"
            )
        other = f"the full table on the same parents costs {self.table}"
        if self.is_preferred:
            return f"{own}; {other}: {self.called} saves {self.saving:.2f}"
        if is_tie(self.table.cost, self.own.cost):
            return f"{own}; {other}: a tie, which goes to the table"
        return f"{own}; {other}: the table saves {-self.saving:.2f}"

    def sentences(self) -> tuple[str, ...]:
        """Return everything in words: the costs, then each cause, the leak last.

        Of a cause with several levels, the one that matters most comes first.
        """
        rivals = f"on the same parents, {'; '.join(one.words() for one in self.rivals)}"
        more = ((rivals,) if self.rivals else ()) + ((self.summary,) if self.summary else ())
        return (self.sentence(), *more, *self.cause_sentences())

    def cause_sentences(self) -> tuple[str, ...]:
        """Return what each cause does, the leak last, and of each the highest level first."""
        by_cause: dict[str | None, list[str]] = {}
        for one in (*self.causes, *self.leak):
            by_cause.setdefault(one.cause, []).insert(0, one.sentence())
        return tuple(sentence for own in by_cause.values() for sentence in own)


@checked_arguments
def explain(  # noqa: PLR0913  (each option is one that a user names)
    data: Dataset,
    family: Family,
    level: float = 0.95,
    *,
    score: Score = BIC,
    structure_prior: Prior | None = None,
    relations: Iterable[Relation] = (),
) -> Explanation:
    """Fit independent causes and say what they mean: each strength with its interval, and the cost.

    A sentence names a binary variable alone where its state is labelled by a word for presence (1,
    yes, true, ...), as "no fever" where it is labelled by a word for absence, else with the state,
    as in "sex = female".

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
    structure_prior
        How likely arcs and relations are beforehand, a part of the costs.
    relations
        Other relations to compare with on the same parents, besides the full table.

    Raises
    ------
    InfeasibleFitError
        The likelihood is zero whatever the parameters.

    """
    model = family.relation.causes
    if model is None:
        raise ValueError(
            f"a {look_of(family.relation).label} has no causes to explain; "
            f"a {cause_relation(leak=False)} has"
        )
    threshold_of(level)  # refuses a wrong level before anything is fitted
    fitted = fit(data, family, score=score, structure_prior=structure_prior)
    parents = tuple(data.variables[parent] for parent in family.parent_indices())
    words = CauseWords(data.variables[family.child], parents, model)
    intervals = strength_intervals(data, fitted, level)
    strengths = _strengths(words, fitted, intervals)
    table = Family(family.child, family.parents, root_relation())
    small = configuration_count([one.state_count for one in parents]) <= MAX_CONFIGURATIONS
    return Explanation(
        words.effect,
        tuple(one.name for one in parents),
        family.relation,
        family.relation.name_for(words.child.state_count),
        level,
        words.needs(_idle(words, fitted, intervals)),
        tuple(one for one in strengths if one.cause is not None),
        tuple(one for one in strengths if one.cause is None),
        _parts(data, fitted, score, structure_prior),
        _table_parts(data, table, score, structure_prior) if small else None,
        penalty_of(data, table, score, structure_prior),
        _rivals(data, fitted, score, structure_prior, relations),
    )


def _rivals(
    data: Dataset,
    fitted: FittedFamily,
    score: Score,
    structure_prior: Prior | None,
    relations: Iterable[Relation],
) -> tuple[Rival, ...]:
    """Return the relations that compete with a fitted one, the cheapest first."""
    family = fitted.family
    child = data.variables[family.child]
    parents = [data.variables[parent] for parent in family.parent_indices()]
    rivals = []
    for relation in relations:
        known = relation in {family.relation, root_relation()}
        if known or len(parents) < relation.least_parents or not relation.supports(child, parents):
            continue
        try:
            own = Family(family.child, family.parents, relation)
            other = fit(data, own, score=score, structure_prior=structure_prior).cost
        except InfeasibleFitError:
            other = None
        margin = None if other is None else other - fitted.cost
        rivals.append(Rival(relation, relation.name_for(child.state_count), margin))
    return tuple(sorted(rivals, key=lambda one: math.inf if one.margin is None else one.margin))


def _strengths(
    words: CauseWords, fitted: FittedFamily, intervals: Intervals
) -> list[CauseStrength]:
    """Return the strengths of all causes but the idle ones, by cause and level."""
    states = words.model.level_states(words.child.state_count)[1:]
    effects = [state_words(words.child, one) for one in states]
    return [
        CauseStrength(words.cause(cause), effect, words.statement(cause, level), q, interval)
        for cause, own in zip(fitted.distribution.causes(), intervals, strict=True)
        for level, (effect, q, interval) in enumerate(
            zip(effects, cause.levels, own, strict=True), start=1
        )
        if interval is not None
    ]


def _idle(words: CauseWords, fitted: FittedFamily, intervals: Intervals) -> list[int | None]:
    """Return for each parent its idle state at the last level; None if perhaps no other acts."""
    idle: list[set[int]] = [set(range(one.state_count)) for one in words.parents]
    acts = [False] * len(words.parents)
    for cause, own in zip(fitted.distribution.causes(), intervals, strict=True):
        if cause.parent is not None and own[-1] is not None:
            idle[cause.parent].discard(cause.state)
            acts[cause.parent] |= own[-1].lower > 0
    return [min(own) if matters else None for own, matters in zip(idle, acts, strict=True)]


def _table_parts(
    data: Dataset, table: Family, score: Score, structure_prior: Prior | None
) -> CostParts:
    fitted = fit(data, table, score=score, structure_prior=structure_prior)
    return _parts(data, fitted, score, structure_prior)


def _parts(
    data: Dataset, fitted: FittedFamily, score: Score, structure_prior: Prior | None
) -> CostParts:
    penalties = penalties_of(data, fitted.family, score, structure_prior)
    penalty = penalties.of_score(fitted.family.parents)
    prior = penalties.of_prior(fitted.family.parents)
    # The fit is below 0 only by rounding.
    return CostParts(max(fitted.cost - penalty - prior, 0.0), penalty, prior)


def _digits(width: float) -> int:
    """Return how many decimals the ends of an interval need to differ, at least two."""
    return min(_MOST_DIGITS, max(2, math.ceil(-math.log10(width)))) if width > 0 else _MOST_DIGITS
