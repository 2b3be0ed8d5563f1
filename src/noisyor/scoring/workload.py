"""The number of families, and of those that scoring may evaluate, computed in advance."""

from collections.abc import Sequence

from noisyor.core import Constraints, Family, Relation
from noisyor.core.request import Request
from noisyor.fitting import fit
from noisyor.scoring.child_search import settings_for
from noisyor.scoring.statistics import count_sets


def count_families(constraints: Constraints, relations: Sequence[Relation]) -> dict[Relation, int]:
    """Return how many families the constraints allow, by relation."""
    most = [constraints.most_parents] * len(constraints.names)
    return {one: _count(constraints, one, most) for one in relations}


def most_parents(constraints: Constraints) -> int:
    """Return the most parents that a family may have."""
    return min(constraints.most_parents, max(one.bit_count() for one in constraints.allowed))


def affordable_costs(request: Request) -> list[float]:
    """Return, for each child, an upper bound on the cost of the families that scoring keeps.

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
    """Return, by relation, an upper bound on the number of families that scoring evaluates.

    These are the families whose penalty alone does not exceed the child's `affordable_costs`, which
    are computed unless given: a penalty is no more than the cost. So P is at most as large as the
    penalties allow, and larger sets are never evaluated (rule PENALTY). For full tables, whose
    penalty doubles with every parent, nearly all of these are evaluated; for noisy-ORs, other rules
    prune most of them.
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
    """Return the most parents whose penalty is at most `room`; 0 if there are none."""
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
