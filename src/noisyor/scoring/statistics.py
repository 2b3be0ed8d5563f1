"""How much work the scoring was, and how much it was spared."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
import numpy.typing as npt

from noisyor.core.pruning_rules import CUTTING_RULES, PruningRule
from noisyor.core.relations import Relation, all_relations


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """What became of the families of one relation.

    `considered` is all of `cut` plus `evaluated`, exactly on one thread; with several, subtrees
    that two of them opened count twice. `bounds` are fits and counts that only bounded a subtree.
    """

    considered: int
    cut: Mapping[PruningRule, int]
    evaluated: int
    bounds: int
    kept: int

    @property
    def pruned_percent(self) -> float:
        """The share of families left out, as the paper reports it."""
        return 100 * (1 - self.kept / self.considered) if self.considered else 0.0


@dataclass(frozen=True, slots=True)
class FitCounts:
    """What the fits took.

    Fits of the search that were made and that the memory of earlier ones spared, Newton steps of
    those made, final fits, how many of these have a gap left, and the fits made before the search
    to order its candidates.
    """

    made: int = 0
    remembered: int = 0
    newton_steps: int = 0
    final: int = 0
    unconverged: int = 0
    ordering: int = 0


@dataclass(frozen=True, slots=True)
class ScoringStatistics:
    """The work, by relation, and what the fits took."""

    relations: Mapping[Relation, RelationStatistics]
    fits: FitCounts

    @property
    def considered(self) -> int:
        """The number of families there are."""
        return sum(one.considered for one in self.relations.values())

    @property
    def kept(self) -> int:
        """The number of families that stayed."""
        return sum(one.kept for one in self.relations.values())

    @property
    def pruned_percent(self) -> float:
        """The share of families left out, over all relations."""
        return 100 * (1 - self.kept / self.considered) if self.considered else 0.0


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """Which families a child's search is about, in numbers."""

    variables: int
    candidates: int
    required: int
    max_parents: int


Counters = tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    npt.NDArray[np.int64],
    int,
    int,
    int,
    int,
    int,
    int,
]
"""What a search of the kernels counts: cuts, families evaluated, bounds, and the FitCounts."""


def statistics_of(
    space: SearchSpace,
    relations: Sequence[Relation],
    kept: npt.NDArray[np.uint8],
    counters: Counters,
) -> ScoringStatistics:
    """Return what a search has done for these relations; `kept` has the relation of each family."""
    cuts, evaluated, bounds, *fits = counters
    shape = (len(all_relations()), len(CUTTING_RULES), space.variables + 1, space.variables + 1)
    cut = families_cut(cuts.reshape(shape), space.max_parents)
    counts = np.bincount(kept, minlength=len(all_relations()))
    sets = count_sets(space.candidates, space.max_parents - space.required)
    by_relation: dict[Relation, RelationStatistics] = {}
    for relation in relations:
        without_empty = relation.needs_parents and space.required == 0
        by_relation[relation] = RelationStatistics(
            considered=sets - without_empty,
            cut=cut[relation],
            evaluated=int(evaluated[relation.code]),
            bounds=int(bounds[relation.code]),
            kept=int(counts[relation.code]),
        )
    return ScoringStatistics(by_relation, FitCounts(*fits))


def count_sets(candidates: int, most: int) -> int:
    """Return how many sets of at most `most` there are among the candidates."""
    if most >= candidates:
        return 1 << candidates
    return sum(comb(candidates, size) for size in range(most + 1))


def families_cut(
    subtrees: npt.NDArray[np.int64], max_parents: int
) -> dict[Relation, dict[PruningRule, int]]:
    """Return how many families the cut subtrees held.

    `subtrees` has shape (relations, rules, n + 1, n + 1): how many subtrees were cut below a set
    of so many parents, with a tail of so many candidates. Each holds the non-empty subsets of its
    tail that leave the set within `max_parents`.
    """
    totals: dict[Relation, dict[PruningRule, int]] = {}
    for relation in all_relations():
        by_rule = dict.fromkeys(CUTTING_RULES, 0)
        for number, rule in enumerate(CUTTING_RULES):
            table = subtrees[relation.code, number]
            for parents, tail in np.argwhere(table):
                held = count_sets(int(tail), max_parents - int(parents)) - 1
                by_rule[rule] += int(table[parents, tail]) * held
        totals[relation] = by_rule
    return totals


def combine(parts: Iterable[ScoringStatistics]) -> ScoringStatistics:
    """Return the statistics of several children together."""
    parts = list(parts)
    relations: dict[Relation, RelationStatistics] = {}
    for part in parts:
        for relation, one in part.relations.items():
            known = relations.get(relation)
            relations[relation] = one if known is None else _add(known, one)
    fits = FitCounts(
        sum(part.fits.made for part in parts),
        sum(part.fits.remembered for part in parts),
        sum(part.fits.newton_steps for part in parts),
        sum(part.fits.final for part in parts),
        sum(part.fits.unconverged for part in parts),
        sum(part.fits.ordering for part in parts),
    )
    return ScoringStatistics(relations, fits)


def of_parts(parts: Sequence[ScoringStatistics]) -> ScoringStatistics:
    """Return the statistics of a child that was searched in parts, the last of which decided.

    Families on the way to the sets of several parts were evaluated, or cut, by each of them.
    """
    total, last = combine(parts), parts[-1]
    relations = {
        relation: replace(total.relations[relation], considered=one.considered, kept=one.kept)
        for relation, one in last.relations.items()
    }
    return ScoringStatistics(relations, total.fits)


def _add(a: RelationStatistics, b: RelationStatistics) -> RelationStatistics:
    return RelationStatistics(
        considered=a.considered + b.considered,
        cut={rule: a.cut[rule] + b.cut[rule] for rule in a.cut},
        evaluated=a.evaluated + b.evaluated,
        bounds=a.bounds + b.bounds,
        kept=a.kept + b.kept,
    )
