"""How many families there are, and how many of them scoring can come to look at, before it does."""

from collections.abc import Sequence

from noisyor.core import Constraints, Family, Relation
from noisyor.core.request import Request
from noisyor.fitting import fit
from noisyor.scoring.child_search import settings_for
from noisyor.scoring.statistics import count_sets


def count_families(constraints: Constraints, relations: Sequence[Relation]) -> dict[Relation, int]:
    """Return how many families the constraints leave, by relation: the sets of parents."""
    most = [constraints.most_parents] * len(constraints.names)
    return {one: _count(constraints, one, most) for one in relations}


def most_parents(constraints: Constraints) -> int:
    """Return how many parents a family may have at most."""
    return min(constraints.most_parents, max(one.bit_count() for one in constraints.allowed))


def affordable_costs(request: Request) -> list[float]:
    """Return, for each child, what no family that scoring keeps costs more than.

    A family over P is not kept if it costs more than m(P) + slack (see `core.pruning_rules`), and
    m(P) is at most the cost of the full table over the required parents.
    """
    settings = settings_for(request)
    return [
        fit(request.data, Family(child, required), score=request.score).cost
        + request.factor.slack
        + settings.tolerance
        for child, required in enumerate(request.constraints.required)
    ]


def count_affordable(request: Request, costs: Sequence[float] | None = None) -> dict[Relation, int]:
    """Return, by relation, how many families scoring looks at, at most.

    Those whose parameters alone do not cost more than the children's `affordable_costs`, which are
    found unless they are given: a penalty is no more than the cost. So P is at most as large as
    the penalties allow, and larger sets are never looked at (rule PENALTY). For full tables, whose
    penalty doubles with every parent, nearly all of these are looked at; for noisy-ORs other rules
    leave out most.
    """
    if costs is None:
        costs = affordable_costs(request)
    return {
        relation: _count(
            request.constraints,
            relation,
            [_largest_within(relation, request, most) for most in costs],
        )
        for relation in request.relations
    }


def _largest_within(relation: Relation, request: Request, room: float) -> int:
    """Return the number of parents whose penalty is within the room; no parents always are."""
    size = 0
    most = min(request.constraints.most_parents, request.data.variable_count - 1)
    while size < most and request.penalty(relation, size + 1) <= room:
        size += 1
    return size


def _count(constraints: Constraints, relation: Relation, most: list[int]) -> int:
    """Return the number of families of a relation with at most `most[child]` parents per child."""
    total = 0
    for allowed, required, size in zip(
        constraints.allowed, constraints.required, most, strict=True
    ):
        fixed = required.bit_count()
        if size >= fixed:
            total += count_sets((allowed & ~required).bit_count(), size - fixed)
            total -= relation.needs_parents and not fixed
    return total
