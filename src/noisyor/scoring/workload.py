"""How many families there are, and how many of them scoring can come to look at, before it does."""

from collections.abc import Iterable, Sequence

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    Family,
    Relation,
)
from noisyor.core.relation import relations_from
from noisyor.fitting import fit
from noisyor.scoring.child_search import settings_for
from noisyor.scoring.rules import ALL_RULES
from noisyor.scoring.statistics import count_sets


def count_families(
    constraints: Constraints, relations: Iterable[str | Relation] = (CPT, NOISY_OR)
) -> dict[Relation, int]:
    """Return how many families the constraints leave, by relation: the sets of parents."""
    most = [constraints.most_parents] * len(constraints.names)
    return {one: _count(constraints, one, most) for one in relations_from(relations)}


def most_parents(constraints: Constraints) -> int:
    """Return how many parents a family may have at most."""
    return min(constraints.most_parents, max(one.bit_count() for one in constraints.allowed))


def affordable_costs(
    data: BinaryDataset,
    bayes_factor: float | BayesFactor = 20,
    *,
    relations: Iterable[str | Relation] = (CPT, NOISY_OR),
    constraints: Constraints | None = None,
) -> list[float]:
    """Return, for each child, what no family that scoring keeps costs more than.

    A family over P is not kept if it costs more than m(P) + slack (see `rules`), and m(P) is at
    most the cost of the full table over the required parents.
    """
    settings = settings_for(data, bayes_factor, relations, constraints, ALL_RULES, None)
    return [
        fit(data, Family(child, required)).certificate.cost
        + settings.bayes_factor.slack
        + settings.tolerance
        for child, required in enumerate(settings.constraints.required)
    ]


def count_affordable(
    data: BinaryDataset,
    bayes_factor: float | BayesFactor = 20,
    *,
    relations: Iterable[str | Relation] = (CPT, NOISY_OR),
    constraints: Constraints | None = None,
    costs: Sequence[float] | None = None,
) -> dict[Relation, int]:
    """Return, by relation, how many families scoring looks at, at most.

    Those whose parameters alone do not cost more than the children's `affordable_costs`, which are
    found unless they are given: a penalty is no more than the cost. So P is at most as large as
    the penalties allow, and larger sets are never looked at (rule PENALTY). For full tables, whose
    penalty doubles with every parent, nearly all of these are looked at; for noisy-ORs other rules
    leave out most.
    """
    chosen = relations_from(relations)
    known = constraints or Constraints.none(data.names)
    if costs is None:
        costs = affordable_costs(data, bayes_factor, relations=chosen, constraints=known)
    return {
        relation: _count(
            known, relation, [_largest_within(relation, data, known, most) for most in costs]
        )
        for relation in chosen
    }


def _largest_within(
    relation: Relation, data: BinaryDataset, constraints: Constraints, room: float
) -> int:
    """Return the number of parents whose penalty is within the room; no parents always are."""
    size = 0
    most = min(constraints.most_parents, data.variable_count - 1)
    while size < most and relation.penalty(size + 1, data.record_count) <= room:
        size += 1
    return size


def _count(constraints: Constraints, relation: Relation, most: list[int]) -> int:
    """Return the number of families of a relation with at most so many parents per child.

    Only a full table can have none: other relations without parents do not exist.
    """
    total = 0
    for allowed, required, size in zip(
        constraints.allowed, constraints.required, most, strict=True
    ):
        fixed = required.bit_count()
        if size >= fixed:
            total += count_sets((allowed & ~required).bit_count(), size - fixed)
            total -= relation is not CPT and not fixed
    return total
