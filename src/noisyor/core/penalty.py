"""What a family costs besides its fit: the score's penalty, and the prior."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from noisyor.core.prior import Prior
from noisyor.core.relations import ParameterForm, Relation
from noisyor.core.score import Score
from noisyor.core.variable import Variable
from noisyor.core.variable_sets import variables_in


@dataclass(frozen=True, slots=True)
class FamilyPenalty:
    """What the families of one child cost under one relation besides their fit, in nats.

    It has the three parts that scoring bounds separately (see `core.pruning_rules`): the
    parameters, whose cost does not fall as parents are added, the number of parents, and each
    parent.
    """

    score: Score
    prior: Prior
    relation: Relation
    child: int
    variables: tuple[Variable, ...]
    records: int

    def of(self, parents: int) -> float:
        """Return what the family over these parents costs besides its fit."""
        return self.of_score(parents) + self.of_prior(parents)

    def of_score(self, parents: int) -> float:
        """Return the penalty of the score."""
        size = self.score.size_penalty(parents.bit_count(), len(self.variables))
        return self._of_parameters(parents) + size

    def of_prior(self, parents: int) -> float:
        """Return what the prior adds; it may be negative."""
        if not parents:
            return 0.0
        weights = self.weights
        own = sum(weights[parent] for parent in variables_in(parents)) if weights else 0.0
        return self.prior.relation_cost(self.relation) + own

    def _of_parameters(self, parents: int) -> float:
        sizes = [self.variables[parent].state_count for parent in variables_in(parents)]
        return self.score.penalty(self.relation, self._states, sizes, self.records)

    @property
    def _states(self) -> int:
        return self.variables[self.child].state_count

    @property
    def price(self) -> float:
        """The price of one parameter."""
        return self.score.price(self.records)

    @property
    def form(self) -> ParameterForm | None:
        """How the number of parameters depends on the parents; None if it has no form."""
        return self.relation.parameter_form(self._states)

    @property
    def by_parameters(self) -> Callable[[int], float] | None:
        """What a number of parameters costs, without falling; None if they cost nothing."""
        by_configurations, price = self.by_configurations, self.price
        if by_configurations is not None:
            each = max(1, self._states - 1)
            return lambda count: by_configurations(max(1, count // each))
        return (lambda count: count * price) if price else None

    @property
    def by_configurations(self) -> Callable[[float], float] | None:
        """What the parameters cost by the number of configurations; None if it is a price each."""
        if not self.score.counts_configurations:
            return None
        penalty, own, records = self.score.penalty, self._states, self.records
        return lambda configurations: penalty(self.relation, own, [int(configurations)], records)

    @property
    def by_parents(self) -> Callable[[Sequence[int]], float]:
        """What the parameters cost by the parents, ascending."""
        return lambda parents: self._of_parameters(sum(1 << parent for parent in parents))

    @property
    def by_size(self) -> tuple[float, ...]:
        """What each number of parents costs, concave from one parent on; empty if nothing."""
        relation = self.prior.relation_cost(self.relation)
        if not (self.score.gamma or relation):
            return ()
        count = len(self.variables)
        sizes = [self.score.size_penalty(size, count) for size in range(count)]
        return (sizes[0], *(relation + size for size in sizes[1:]))

    @property
    def weights(self) -> tuple[float, ...]:
        """What each variable costs as a parent; empty if nothing."""
        if not self.prior.weighs_arcs:  # saves a list of all names for each child
            return ()
        return self.prior.weights([one.name for one in self.variables], self.child)

    def least_from_size(self, required: int, allowed: int, most: int) -> dict[int, float]:
        """Return, by number of parents, the least that sizes and weights add from there on.

        The sets of parents lie between the required and the allowed ones, and have at most `most`.
        It bounds what any of them adds that contains a set of this size.
        """
        largest = min(most, allowed.bit_count())
        weights, by_size = self.weights, self.by_size
        if not weights and not by_size:
            return dict.fromkeys(range(required.bit_count(), largest + 1), 0.0)
        weights = weights or (0.0,) * len(self.variables)
        by_size = by_size or (0.0,) * len(self.variables)
        fixed = sum(weights[parent] for parent in variables_in(required))
        free = sum(min(0.0, weights[parent]) for parent in variables_in(allowed & ~required))
        least = inf
        added = {}
        for size in range(largest, required.bit_count() - 1, -1):
            least = min(least, by_size[size])
            added[size] = least + fixed + free
        return added

    def least(self, required: int, allowed: int, most: int, alike: Iterable[int]) -> float:
        """Return a lower bound on what any family of the child costs besides its fit.

        What the parameters cost does not fall as parents are added, and depends on the parents'
        numbers of states: one parent of each number is enough where the relation needs parents.
        `alike` has, for each number of states, the set of variables that have it. The other parts
        are bounded apart, by the least that any number of parents adds. It is infinite if the child
        can have no family of the relation.
        """
        starts = [required]
        added = self.least_from_size(required, allowed, most)
        smallest = required.bit_count()
        if not required and self.relation.needs_parents:
            candidates = (those & allowed for those in alike)
            starts, smallest = [those & -those for those in candidates if those], 1
        parameters = min(map(self._of_parameters, starts), default=inf)
        return parameters + added.get(smallest, inf)
