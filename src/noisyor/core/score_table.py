"""The families that some credible network might use, with their costs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.constraints import Constraints
from noisyor.core.family import Family
from noisyor.core.provenance import Provenance
from noisyor.core.relation import RELATIONS, Relation
from noisyor.core.variable_sets import Words, from_words, word_count


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
        self._check_shapes()
        self._check_values()

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
        descends = np.diff(self.children) < 0
        if descends.any():
            raise ValueError("families must ascend by child")

    def __len__(self) -> int:
        return len(self.children)

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

    def parameters_of(self, family: int) -> npt.NDArray[np.float64]:
        """Return the q's of the family at this position."""
        return self.parameters[self.offsets[family] : self.offsets[family + 1]]
