"""Families in columns, as score tables, the scores of a child and kernel results hold them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.variable_sets import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

Keys = list[npt.NDArray[Any]]
"""Columns to sort or compare by, the leading one first."""

_DTYPES = {
    "children": np.int32,
    "parents": np.uint64,
    "relations": np.uint8,
    "costs": np.float64,
    "gaps": np.float64,
    "offsets": np.int64,
    "parameters": np.float64,
}


@dataclass(frozen=True, slots=True, eq=False)
class FamilyColumns:
    """Families, each with its cost, the gap of its certificate and its parameters.

    Shapes, with m families: children, relations, costs, gaps (m,); parents (m, words);
    offsets (m + 1,); parameters (offsets[-1],). The fit attains `costs`; `costs - gaps` are proven
    lower bounds. `parameters[offsets[f]:offsets[f + 1]]` belong to family f; relations in closed
    form have none.
    """

    children: npt.NDArray[np.int32]
    parents: Words
    relations: npt.NDArray[np.uint8]
    costs: npt.NDArray[np.float64]
    gaps: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.int64]
    parameters: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        """Make the arrays read-only and check that they belong together."""
        for name, dtype in _DTYPES.items():
            object.__setattr__(self, name, read_only(getattr(self, name), dtype))
        count = len(self.children)
        words = self.parents.shape[1] if self.parents.ndim == 2 else 0  # noqa: PLR2004
        expected = {
            "children": (count,),
            "parents": (count, words),
            "relations": (count,),
            "costs": (count,),
            "gaps": (count,),
            "offsets": (count + 1,),
        }
        for name, shape in expected.items():
            actual = getattr(self, name).shape
            if actual != shape:
                raise ValueError(f"{name} has shape {actual}, not {shape}")
        ascend = not (np.diff(self.offsets) < 0).any()
        if self.offsets[0] or not ascend or self.parameters.shape != (int(self.offsets[-1]),):
            raise ValueError("parameters do not match their offsets")

    @classmethod
    def none(cls, words: int) -> "FamilyColumns":
        """Return no families, with sets of `words` words each."""
        return cls.without_parameters(0, np.empty((0, words), np.uint64), [], [], [])

    @classmethod
    def without_parameters(
        cls,
        child: int,
        parents: Words,
        relations: npt.ArrayLike,
        costs: npt.ArrayLike,
        gaps: npt.ArrayLike,
    ) -> "FamilyColumns":
        """Return families of one child whose parameters are not kept."""
        count = len(parents)
        return cls(
            np.full(count, child, dtype=np.int32),
            parents,
            np.asarray(relations, dtype=np.uint8),
            np.asarray(costs, dtype=np.float64),
            np.asarray(gaps, dtype=np.float64),
            np.zeros(count + 1, dtype=np.int64),
            np.empty(0),
        )

    @classmethod
    def concatenated(cls, parts: "Sequence[FamilyColumns]", words: int) -> "FamilyColumns":
        """Return the families of all parts, one part after the other."""
        parts = [cls.none(words), *parts]
        starts = np.cumsum([0, *(len(part.parameters) for part in parts)])
        shifted = [part.offsets[:-1] + start for part, start in zip(parts, starts, strict=False)]
        return cls(
            children=np.concatenate([part.children for part in parts]),
            parents=np.concatenate([part.parents for part in parts]),
            relations=np.concatenate([part.relations for part in parts]),
            costs=np.concatenate([part.costs for part in parts]),
            gaps=np.concatenate([part.gaps for part in parts]),
            offsets=np.concatenate([*shifted, starts[-1:]]),
            parameters=np.concatenate([part.parameters for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.children)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FamilyColumns):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _DTYPES)

    def __hash__(self) -> int:
        return hash((len(self), self.costs.tobytes()))

    @property
    def word_count(self) -> int:
        """The number of words that a set of parents takes."""
        return int(self.parents.shape[1])

    def parent_counts(self) -> npt.NDArray[np.int64]:
        """Return the number of parents of each family."""
        counts: npt.NDArray[np.int64] = np.bitwise_count(self.parents).sum(axis=1, dtype=np.int64)
        return counts

    def parameters_of(self, family: int) -> npt.NDArray[np.float64]:
        """Return the parameters of the family at this position."""
        return self.parameters[self.offsets[family] : self.offsets[family + 1]]

    def select(self, rows: npt.NDArray[np.int64]) -> "FamilyColumns":
        """Return the families at these positions, in this order."""
        sizes = np.diff(self.offsets)[rows]
        ends = np.cumsum(sizes)
        within = np.arange(sizes.sum()) - np.repeat(ends - sizes, sizes)
        return FamilyColumns(
            self.children[rows],
            self.parents[rows],
            self.relations[rows],
            self.costs[rows],
            self.gaps[rows],
            np.concatenate(([0], ends)).astype(np.int64),
            self.parameters[np.repeat(self.offsets[rows], sizes) + within],
        )

    def ordered(self) -> "FamilyColumns":
        """Return the families by child, then cost, parents and relation."""
        return self.select(np.lexsort(self.by_cost()[::-1]))

    def by_cost(self) -> Keys:
        """Return the keys of the order by cost: child, cost, parents as numbers, relation."""
        return [self.children, self.costs, *self._by_set(), self.relations]

    def by_identity(self) -> Keys:
        """Return the keys that identify a family: child, parents and relation."""
        return [self.children, *self._by_set(), self.relations]

    def _by_set(self) -> Keys:
        """Return the words of the parents, the most significant first."""
        return [self.parents[:, word] for word in reversed(range(self.word_count))]
