"""Statistics of scoring: the work done and the work that pruning saved."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.core.pruning_rules import CUTTING_RULES, PruningRule
from noisyor.core.relations import Relation

if TYPE_CHECKING:
    from noisyor._kernels import kernels


@dataclass(frozen=True, slots=True)
class RelationStatistics:
    """The numbers of families of one relation that were pruned, evaluated and kept.

    On one thread, `considered` is the sum of `cut` plus `evaluated`; with several threads, subtrees
    that two of them opened count twice. `bounds` are evaluations that only bounded a subtree.
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
    """The numbers of fits and of their steps.

    `made` and `remembered` are the fits of the search that were made and that the cache saved;
    `newton_steps` those of the fits made; `final` the final fits, of which `unconverged` have a gap
    left; `ordering` the fits before the search that order its candidates.
    """

    made: int = 0
    remembered: int = 0
    newton_steps: int = 0
    final: int = 0
    unconverged: int = 0
    ordering: int = 0


@dataclass(frozen=True, slots=True)
class ScoringStatistics:
    """The work by relation, and the numbers of fits."""

    relations: Mapping[Relation, RelationStatistics]
    fits: FitCounts

    @property
    def considered(self) -> int:
        """The number of all families."""
        return sum(one.considered for one in self.relations.values())

    @property
    def kept(self) -> int:
        """The number of families kept."""
        return sum(one.kept for one in self.relations.values())

    @property
    def pruned_percent(self) -> float:
        """The share of families left out, over all relations."""
        return 100 * (1 - self.kept / self.considered) if self.considered else 0.0


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The sizes that determine the number of families in a child's search."""

    candidates: int
    required: int
    max_parents: int


def statistics_of(
    space: SearchSpace,
    in_use: Sequence[Relation],
    wanted: Sequence[Relation],
    kept: npt.NDArray[np.uint8],
    counters: "kernels.SearchCounters",
) -> ScoringStatistics:
    """Return what a search has done for the relations wanted, among those in use.

    `kept` has the code of each family's relation.
    """
    cuts = counters.cuts
    sets = count_sets(space.candidates, space.max_parents - space.required)
    by_relation: dict[Relation, RelationStatistics] = {}
    for relation in wanted:
        if relation not in in_use:  # the child cannot have it
            by_relation[relation] = RelationStatistics(0, dict.fromkeys(CUTTING_RULES, 0), 0, 0, 0)
            continue
        number = in_use.index(relation)
        without_empty = relation.needs_parents and space.required == 0
        by_relation[relation] = RelationStatistics(
            considered=sets - without_empty,
            cut=families_cut(cuts[cuts[:, 0] == number], space.max_parents),
            evaluated=int(counters.evaluated[number]),
            bounds=int(counters.bounds[number]),
            kept=int((kept == relation.code).sum()),
        )
    fits = FitCounts(
        made=counters.fits,
        remembered=counters.remembered,
        newton_steps=counters.newton_steps,
        final=counters.refits,
        unconverged=counters.unconverged,
        ordering=counters.order_fits,
    )
    return ScoringStatistics(by_relation, fits)


@lru_cache(maxsize=4096)
def count_sets(candidates: int, most: int) -> int:
    """Return the number of sets of at most `most` candidates."""
    if most >= candidates:
        return 1 << candidates
    return sum(comb(candidates, size) for size in range(most + 1))


def families_cut(subtrees: npt.NDArray[np.int64], max_parents: int) -> dict[PruningRule, int]:
    """Return how many families of a relation the cut subtrees held, by rule.

    `subtrees` has rows (relation, r, p, t, count): so many subtrees were cut by rule r below a set
    of p parents with a tail of t candidates. Each holds the non-empty subsets of its tail that keep
    the set within `max_parents`.
    """
    by_rule = dict.fromkeys(CUTTING_RULES, 0)
    for _, rule, parents, tail, count in subtrees.tolist():
        by_rule[CUTTING_RULES[rule]] += count * (count_sets(tail, max_parents - parents) - 1)
    return by_rule


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

    Families on the path to the sets of several parts were evaluated, or cut, by each part.
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
