"""The families that some credible network might use, with their costs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.constraints import Constraints
from noisyor.core.family import Family
from noisyor.core.provenance import Provenance
from noisyor.core.relation import CPT, RELATIONS, Relation
from noisyor.core.tolerance import tolerances_at
from noisyor.core.variable_sets import WORD_BITS, Words, from_words, word_count

_Keys = list[npt.NDArray[Any]]  # columns to sort or compare by, the leading one first


@dataclass(frozen=True, slots=True)
class TableScope:
    """What a table promises: which networks lose none of their families by being searched in it.

    `bayes_factor` and `relations` are None for a table from elsewhere, about which nothing is
    known: a search in it is complete relative to the table. `shortfalls` says, a line each, why a
    table is incomplete (a time limit, an interruption); a table without any keeps its promise.
    """

    constraints: Constraints
    bayes_factor: BayesFactor | None
    relations: tuple[Relation, ...] | None
    provenance: Provenance
    shortfalls: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether the table keeps its promise."""
        return not self.shortfalls


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns of a ScoreTable, in any order."""

    children: npt.NDArray[np.int32]
    parents: Words
    relations: npt.NDArray[np.uint8]
    costs: npt.NDArray[np.float64]
    gaps: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Families in columns, ascending by child, then cost, parents and relation.

    Shapes, with m families: children, relations, costs, gaps (m,); parents (m, words);
    offsets (m + 1,); parameters (offsets[-1],). `costs` are attained by the fit, `costs - gaps`
    proven to be unbeatable. `parameters[offsets[f]:offsets[f + 1]]` are the q's of family f, a
    parent each in ascending order, a leak's last; full tables have none here.
    """

    names: tuple[str, ...]
    children: npt.NDArray[np.int32]
    parents: Words
    relations: npt.NDArray[np.uint8]
    costs: npt.NDArray[np.float64]
    gaps: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]
    scope: TableScope

    def __post_init__(self) -> None:
        """Check shapes, ranges and order once."""
        for field, dtype in (
            ("children", np.int32),
            ("parents", np.uint64),
            ("relations", np.uint8),
            ("costs", np.float64),
            ("gaps", np.float64),
            ("offsets", np.int64),
            ("parameters", np.float64),
        ):
            object.__setattr__(self, field, read_only(getattr(self, field), dtype))
        object.__setattr__(self, "names", tuple(self.names))
        self._check_names()
        self._check_shapes()
        self._check_values()
        self._check_families()
        self._check_parameters()

    def _check_names(self) -> None:
        if not all(name.strip() for name in self.names) or len(set(self.names)) < len(self.names):
            raise ValueError("names must differ and not be blank")
        if self.scope.constraints.names != self.names:
            raise ValueError("the scope's constraints are about other variables")

    def _check_shapes(self) -> None:
        count = len(self.children)
        expected = {
            "parents": (count, word_count(len(self.names))),
            "relations": (count,),
            "costs": (count,),
            "gaps": (count,),
            "offsets": (count + 1,),
        }
        for field, shape in expected.items():
            actual = getattr(self, field).shape
            if actual != shape:
                raise ValueError(f"{field} has shape {actual}, not {shape}")
        ascend = not (np.diff(self.offsets) < 0).any()
        if self.offsets[0] or not ascend or self.parameters.shape != (int(self.offsets[-1]),):
            raise ValueError("parameters do not match their offsets")

    def _check_values(self) -> None:
        if not np.isfinite(self.costs).all() or not (self.gaps >= 0).all():
            raise ValueError("costs must be finite and gaps not negative")
        if len(self.children) and not 0 <= self.children.min() <= self.children.max() < len(
            self.names
        ):
            raise ValueError("a family's child is not a variable")
        if len(self.relations) and self.relations.max() >= len(RELATIONS):
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
        if self.relations[self.parent_counts() == 0].any():
            raise ValueError(f"a node without parents is always {CPT}")
        by_cost: _Keys = [self.children, self.costs, *_by_size(self.parents), self.relations]
        if not _ascend_strictly(by_cost):
            raise ValueError("a child's families must ascend by cost, then parents and relation")
        by_parents = _by_parents(self)
        order = np.lexsort(by_parents[::-1])
        if not _ascend_strictly([key[order] for key in by_parents]):
            raise ValueError("a family appears twice")

    def _check_parameters(self) -> None:
        # A relation's q's are the parameters that BIC charges for, except in full tables.
        expected = np.zeros(len(self), dtype=np.int64)
        counts = self.parent_counts()
        for relation in RELATIONS:
            if relation is not CPT:
                chosen = self.relations == relation.code
                by_count = [relation.parameter_count(size) for size in range(len(self.names))]
                expected[chosen] = np.array(by_count, dtype=np.int64)[counts[chosen]]
        if (np.diff(self.offsets) != expected).any():
            raise ValueError("a family has more or fewer q's than its relation and parents need")
        if not ((self.parameters >= 0) & (self.parameters <= 1)).all():
            raise ValueError("a q lies between 0 and 1")

    def __len__(self) -> int:
        return len(self.children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        columns = ("children", "parents", "relations", "costs", "gaps", "offsets", "parameters")
        return (self.names, self.scope) == (other.names, other.scope) and all(
            np.array_equal(getattr(self, column), getattr(other, column)) for column in columns
        )

    def __hash__(self) -> int:
        return hash((self.names, self.scope, len(self)))

    def __repr__(self) -> str:
        return f"ScoreTable({len(self.names)} variables, {len(self)} families)"

    def parent_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of parents of each family."""
        counts: npt.NDArray[np.int64] = np.bitwise_count(self.parents).sum(axis=1, dtype=np.int64)
        return counts

    def has_best_relation(self) -> npt.NDArray[np.bool_]:
        """Return which families have the better relation of their parent set, one of each.

        A tie within the tolerance goes to the earlier relation, so the winner is the earliest
        whose cost is within the tolerance of the lowest.
        """
        keys = _by_parents(self)
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
        """Return where a child's families lie in the columns."""
        first, last = np.searchsorted(self.children, (child, child + 1))
        return slice(int(first), int(last))

    def families(self) -> Iterator[tuple[Family, float]]:
        """Yield every family with its cost, in the table's order."""
        sets = from_words(self.parents)
        for child, parents, code, cost in zip(
            self.children.tolist(), sets, self.relations.tolist(), self.costs.tolist(), strict=True
        ):
            yield Family(child, parents, RELATIONS[code]), cost

    def select(self, rows: npt.NDArray[np.int64]) -> "ScoreTable":
        """Return the families at these positions, which must ascend."""
        return self._arranged(rows, self)

    def joined(self, other: "ScoreTable") -> "ScoreTable":
        """Return the families of both tables, with the scope of this one.

        Of a family that both have, this one's fit is kept.
        """
        new = other.select(np.flatnonzero(self.positions_of(other) < 0))
        columns = _Columns(
            children=np.concatenate((self.children, new.children)),
            parents=np.concatenate((self.parents, new.parents)),
            relations=np.concatenate((self.relations, new.relations)),
            costs=np.concatenate((self.costs, new.costs)),
            gaps=np.concatenate((self.gaps, new.gaps)),
            offsets=np.concatenate((self.offsets, new.offsets[1:] + self.offsets[-1])),
            parameters=np.concatenate((self.parameters, new.parameters)),
        )
        order = table_order(columns.children, columns.parents, columns.relations, columns.costs)
        return self._arranged(order, columns)

    def _arranged(
        self, rows: npt.NDArray[np.int64], columns: "_Columns | ScoreTable"
    ) -> "ScoreTable":
        """Return a table of this scope with some rows of the columns, in this order."""
        sizes = np.diff(columns.offsets)[rows]
        ends = np.cumsum(sizes)
        within = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
        return ScoreTable(
            self.names,
            columns.children[rows],
            columns.parents[rows],
            columns.relations[rows],
            columns.costs[rows],
            columns.gaps[rows],
            np.concatenate(([0], ends)).astype(np.int64),
            columns.parameters[np.repeat(columns.offsets[rows], sizes) + within],
            self.scope,
        )

    def positions_of(self, other: "ScoreTable") -> npt.NDArray[np.int64]:
        """Return where each family of another table is in this one, whatever its cost; or -1."""
        keys = [
            np.concatenate((mine, theirs))
            for mine, theirs in zip(_by_parents(self), _by_parents(other), strict=True)
        ]
        order = np.lexsort(keys[::-1])
        same = np.ones(max(0, len(order) - 1), dtype=np.bool_)
        for key in keys:
            same &= key[order][1:] == key[order][:-1]
        # The sort is stable and no table has a family twice: mine, if any, comes right before.
        found = np.full(len(other), -1, dtype=np.int64)
        found[order[1:][same] - len(self)] = order[:-1][same]
        return found

    def parameters_of(self, family: int) -> npt.NDArray[np.float64]:
        """Return the q's of the family at this position."""
        return self.parameters[self.offsets[family] : self.offsets[family + 1]]


def table_order(
    children: npt.NDArray[np.int32],
    parents: Words,
    relations: npt.NDArray[np.uint8],
    costs: npt.NDArray[np.float64],
) -> npt.NDArray[np.int64]:
    """Return the positions of families in the order that a ScoreTable demands."""
    keys: _Keys = [children, costs, *_by_size(parents), relations]
    return np.lexsort(keys[::-1])


def _by_parents(table: ScoreTable) -> _Keys:
    """Return what a family is, to sort by: child, parents and relation."""
    return [table.children, *_by_size(table.parents), table.relations]


def _by_size(parents: Words) -> _Keys:
    """Return the words of sets from the leading one down, to compare sets as numbers."""
    return [parents[:, word] for word in reversed(range(parents.shape[1]))]


def _ascend_strictly(keys: _Keys) -> bool:
    """Return whether rows ascend, compared by the first key, then the next, and are distinct."""
    greater = np.zeros(max(0, len(keys[0]) - 1), dtype=np.bool_)
    equal = np.ones_like(greater)
    for key in keys:
        greater |= equal & (key[1:] > key[:-1])
        equal &= key[1:] == key[:-1]
    return bool(greater.all())
