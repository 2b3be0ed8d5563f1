"""Scores: the penalties that are added to the negative log-likelihood.

The cost of a family under a score is its negative log-likelihood plus a penalty, in nats; lower is
better. A score is a value that knows for which relations it is defined and which pruning rules
hold.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, log

from noisyor.core.errors import SettingsError
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import Relation


@dataclass(frozen=True, slots=True)
class Score:
    """A penalised likelihood: each free parameter has the same price.

    `price` maps a number of records to the price of one parameter, in nats. `rules` are the pruning
    rules whose proofs hold. Those of `core.pruning_rules` need penalties that do not fall as
    parents are added, which holds for any price that is not negative.
    """

    name: str
    price: Callable[[int], float] = field(repr=False, compare=False)
    rules: PruningRule = field(default=ALL_RULES, repr=False)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> "tuple[Callable[[str], Score], tuple[str]]":
        # Pickled by name, so that a copy, also in another process, is the same object.
        return score_named, (self.name,)

    def is_defined_for(self, relation: Relation) -> bool:  # noqa: ARG002
        """Return whether the score is defined for a relation; here it needs a likelihood only."""
        return True

    def penalty(
        self, relation: Relation, child_states: int, parent_states: Sequence[int], records: int
    ) -> float:
        """Return the penalty for the parameters of a family, in nats.

        It is infinite for more parameters than a floating-point number can count.
        """
        count = relation.parameter_count(child_states, parent_states)
        try:
            return count * self.price(records)
        except OverflowError:
            return inf


BIC = Score("bic", lambda records: log(records) / 2)
"""The Bayesian information criterion (Schwarz, 1978): ln(N) / 2 nats a parameter."""

AIC = Score("aic", lambda records: 1.0)  # noqa: ARG005
"""The information criterion of Akaike (1974): 1 nat a parameter."""

SCORES = {score.name: score for score in (BIC, AIC)}


def score_named(name: "str | Score") -> Score:
    """Return the score with this name."""
    if isinstance(name, Score):
        return name
    if name not in SCORES:
        raise SettingsError(f"there is no score {name!r}; allowed: {', '.join(SCORES)}")
    return SCORES[name]


def check_score(score: Score, relations: Sequence[Relation]) -> None:
    """Refuse relations that a score is not defined for."""
    for relation in relations:
        if not score.is_defined_for(relation):
            raise SettingsError(f"the score {score} is not defined for {relation}")
