"""The families that some credible network might use, with their costs."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.constraints import Constraints
from noisyor.core.errors import MismatchError
from noisyor.core.family import Family
from noisyor.core.family_columns import FamilyColumns, Keys
from noisyor.core.prior import Prior
from noisyor.core.provenance import Provenance
from noisyor.core.relations import Relation, all_relations, relation_of, root_relation
from noisyor.core.score import Score
from noisyor.core.tolerance import tolerances_at
from noisyor.core.variable import BINARY, Variable
from noisyor.core.variable_sets import WORD_BITS, Words, from_words, variables_in, word_count


@dataclass(frozen=True, slots=True)
class TableScope:
    """For which networks a score table holds all families.

    Parameters
    ----------
    constraints
        The constraints that the table was scored with.
    bayes_factor
        The largest Bayes factor for which the table holds all families of credible networks. None
        for a table of another program: a search is then complete relative to the table.
    score
        The score; None for a table of another program.
    relations
        The relations that were scored; None for a table of another program.
    provenance
        How the table was made.
    shortfalls
        The reasons why families may be missing, such as a time limit or an interruption, one line
        each. Empty for a complete table.
    variables
        The variables with their states; None for a table of another program.
    prior
        The prior that the costs contain.
    """

    constraints: Constraints
    bayes_factor: BayesFactor | None
    score: Score | None
    relations: tuple[Relation, ...] | None
    provenance: Provenance
    shortfalls: tuple[str, ...] = ()
    variables: tuple[Variable, ...] | None = None
    prior: Prior = field(default_factory=Prior.none)

    @property
    def complete(self) -> bool:
        """Whether no families are missing."""
        return not self.shortfalls


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """The families that credible networks may have, with their costs.

    Parameters
    ----------
    names
        The names of the variables.
    columns
        The families, ordered by child, then cost, parents and relation.
    scope
        For which networks the table holds all families.
    """

    names: tuple[str, ...]
    columns: FamilyColumns
    scope: TableScope

    def __post_init__(self) -> None:
        """Check ranges and order once."""
        object.__setattr__(self, "names", tuple(self.names))
        self._check_names()
        self._check_values()
        self._check_families()
        self._check_parameters()

    def _check_names(self) -> None:
        if not all(name.strip() for name in self.names) or len(set(self.names)) < len(self.names):
            raise ValueError("names must differ and not be blank")
        if self.scope.constraints.names != self.names:
            raise ValueError("the scope's constraints are about other variables")
        known = self.scope.variables
        if known is not None and tuple(one.name for one in known) != self.names:
            raise ValueError("the scope has the states of other variables")

    def _check_values(self) -> None:
        if self.columns.word_count != word_count(len(self.names)):
            raise ValueError(
                f"parents has {self.columns.word_count} words a set, not "
                f"{word_count(len(self.names))}"
            )
        if not np.isfinite(self.costs).all() or not (self.gaps >= 0).all():
            raise ValueError("costs must be finite and gaps not negative")
        if len(self) and not 0 <= self.children.min() <= self.children.max() < len(self.names):
            raise ValueError("a family's child is not a variable")
        if not np.isin(self.relations, [relation.code for relation in all_relations()]).all():
            raise ValueError("a family has an unknown relation")
        if (np.diff(self.children) < 0).any():
            raise ValueError("families must ascend by child")

    def _check_families(self) -> None:
        word, bit = np.divmod(self.children, WORD_BITS)
        own = self.parents[np.arange(len(self)), word] >> bit.astype(np.uint64)
        if (own & np.uint64(1)).any():
            raise ValueError("a child is among its own parents")
        union = np.bitwise_or.reduce(self.parents, axis=0, initial=0)
        if from_words(union.reshape(1, -1))[0] >> len(self.names):
            raise ValueError("a parent is not a variable")
        alone = np.unique(self.relations[self.parent_counts() == 0]).tolist()
        if any(relation_of(code).needs_parents for code in alone):
            raise ValueError(f"a node without parents is always {root_relation()}")
        if not _ascend_strictly(self.columns.by_cost()):
            raise ValueError("a child's families must ascend by cost, then parents and relation")
        identity = self.columns.by_identity()
        order = np.lexsort(identity[::-1])
        if not _ascend_strictly([key[order] for key in identity]):
            raise ValueError("a family appears twice")

    def _check_parameters(self) -> None:
        # A table stores no parameters for relations in closed form, and all for the others.
        expected = np.zeros(len(self), dtype=np.int64)
        for relation in all_relations():
            if not relation.closed_form:
                chosen = np.flatnonzero(self.relations == relation.code)
                expected[chosen] = self._parameter_sizes(relation, chosen)
        if (np.diff(self.columns.offsets) != expected).any():
            raise ValueError(
                "a family has more or fewer parameters than its relation and parents need"
            )
        parameters = self.columns.parameters
        if not ((parameters >= 0) & (parameters <= 1)).all():
            raise ValueError("a parameter lies between 0 and 1")

    def _parameter_sizes(
        self, relation: Relation, rows: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """Return how many parameters these families of a relation have.

        The variables of another program's table count as binary.
        """
        known = self.scope.variables
        states = [BINARY] * len(self.names) if known is None else [v.state_count for v in known]
        if len(set(states)) == 1:  # the number of parents is enough
            counts, place = np.unique(self.parent_counts()[rows], return_inverse=True)
            sizes = [
                relation.parameter_size(states[0], states[:count]) for count in counts.tolist()
            ]
            return np.array(sizes, dtype=np.int64)[place]
        sets = from_words(self.parents[rows])
        return np.array(
            [
                relation.parameter_size(states[child], [states[v] for v in variables_in(parents)])
                for child, parents in zip(self.children[rows].tolist(), sets, strict=True)
            ],
            dtype=np.int64,
        )

    def __len__(self) -> int:
        return len(self.columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return (self.names, self.scope, self.columns) == (other.names, other.scope, other.columns)

    def __hash__(self) -> int:
        return hash((self.names, self.scope, len(self)))

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.names)} variables, {len(self)} families)"

    @property
    def children(self) -> npt.NDArray[np.int32]:
        """The child of each family."""
        return self.columns.children

    @property
    def parents(self) -> Words:
        """The parents of each family, as words."""
        return self.columns.parents

    @property
    def relations(self) -> npt.NDArray[np.uint8]:
        """The code of each family's relation."""
        return self.columns.relations

    @property
    def costs(self) -> npt.NDArray[np.float64]:
        """The cost of each family, in nats."""
        return self.columns.costs

    @property
    def gaps(self) -> npt.NDArray[np.float64]:
        """The gap of each family's certificate, in nats."""
        return self.columns.gaps

    def parent_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of parents of each family."""
        return self.columns.parent_counts()

    def parameters_of(self, family: int) -> npt.NDArray[np.float64]:
        """Return the parameters of the family at a position in the table."""
        return self.columns.parameters_of(family)

    def has_best_relation(self) -> npt.NDArray[np.bool_]:
        """Return which families have the best relation of their parent set, one per parent set.

        A tie within the tolerance goes to the earlier relation, so the winner is the earliest
        whose cost is within the tolerance of the lowest.
        """
        keys = self.columns.by_identity()
        order = np.lexsort(keys[::-1])
        first = np.ones(len(self), dtype=np.bool_)
        first[1:] = np.any([np.diff(key[order]) for key in keys[:-1]], axis=0)
        group = np.cumsum(first) - 1
        costs = self.costs[order]
        lowest = np.minimum.reduceat(costs, np.flatnonzero(first)) if len(self) else costs
        with np.errstate(over="ignore"):  # a limit beyond the largest double is rightly infinite
            limit = lowest + tolerances_at(lowest)
        ties = np.flatnonzero(costs <= limit[group])
        _, winners = np.unique(group[ties], return_index=True)
        best = np.zeros(len(self), dtype=np.bool_)
        best[order[ties[winners]]] = True
        return best

    def families_of(self, child: int) -> slice:
        """Return the range of positions of a child's families."""
        first, last = np.searchsorted(self.children, (child, child + 1))
        return slice(int(first), int(last))

    def families(self) -> Iterator[tuple[Family, float]]:
        """Yield every family with its cost, in the table's order."""
        sets = from_words(self.parents)
        for child, parents, code, cost in zip(
            self.children.tolist(), sets, self.relations.tolist(), self.costs.tolist(), strict=True
        ):
            yield Family(child, parents, relation_of(code)), cost

    def select(self, rows: npt.NDArray[np.int64]) -> "ScoreTable":
        """Return the families at these positions, which must ascend."""
        return ScoreTable(self.names, self.columns.select(rows), self.scope)

    def joined(self, other: "ScoreTable") -> "ScoreTable":
        """Return the families of both tables, with the scope of this one.

        For a family that is in both, this table's fit is kept. Both must have the same score and
        prior.
        """
        if self.scope.prior != other.scope.prior:
            raise MismatchError(
                f"one table has the prior {self.scope.prior.words()}, the other "
                f"{other.scope.prior.words()}; costs with two priors cannot be compared"
            )
        if self.scope.score != other.scope.score:
            raise MismatchError(
                f"one table has the score {self.scope.score or 'of another program'}, the other "
                f"{other.scope.score or 'that of another program'}; costs of two scores cannot be "
                "compared"
            )
        new = other.select(np.flatnonzero(~self.has(other)))
        both = FamilyColumns.concatenated([self.columns, new.columns], self.columns.word_count)
        return ScoreTable(self.names, both.ordered(), self.scope)

    def has(self, other: "ScoreTable") -> npt.NDArray[np.bool_]:
        """Return which families of another table are in this one, whatever their cost."""
        found = np.zeros(len(other), dtype=np.bool_)
        found[self._matches(other)[1]] = True
        return found

    def positions_of(self, other: "ScoreTable") -> npt.NDArray[np.int64]:
        """Return the position here of each family of another table; all must be in this one."""
        mine, theirs = self._matches(other)
        if len(theirs) < len(other):
            raise ValueError("a family is not in the table")
        positions = np.empty(len(other), dtype=np.int64)
        positions[theirs] = mine
        return positions

    def _matches(self, other: "ScoreTable") -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the positions, here and in the other table, of the families that both have."""
        keys = [
            np.concatenate((mine, theirs))
            for mine, theirs in zip(
                self.columns.by_identity(), other.columns.by_identity(), strict=True
            )
        ]
        order = np.lexsort(keys[::-1])
        same = np.ones(max(0, len(order) - 1), dtype=np.bool_)
        for key in keys:
            same &= key[order][1:] == key[order][:-1]
        # The sort is stable and no table has a family twice, so a match directly follows mine.
        return order[:-1][same], order[1:][same] - len(self)


def _ascend_strictly(keys: Keys) -> bool:
    """Return whether rows are distinct and ascend, compared by the first key, then the next."""
    greater = np.zeros(max(0, len(keys[0]) - 1), dtype=np.bool_)
    equal = np.ones_like(greater)
    for key in keys:
        greater |= equal & (key[1:] > key[:-1])
        equal &= key[1:] == key[:-1]
    return bool(greater.all())
