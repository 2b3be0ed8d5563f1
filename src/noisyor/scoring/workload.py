"""The number of families, and of those that scoring may evaluate, computed in advance."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from math import comb

from noisyor.core import Constraints, Dataset, Family, Relation
from noisyor.core.relations import ParameterForm
from noisyor.core.request import Request
from noisyor.core.variable_sets import variables_in
from noisyor.fitting import fit
from noisyor.scoring.child_search import settings_for
from noisyor.scoring.statistics import count_sets

CostOf = Callable[[int], float]
"""What a number of parameters costs."""

_MOST_PARAMETERS = 1 << 1024  # of a table of 1,024 binary variables


def count_families(request: Request) -> dict[Relation, int]:
    """Return how many families the constraints allow, by relation."""
    most = request.constraints.most_parents
    return {
        relation: sum(
            _sets_within(request, child, most) - _without_parents(request, child, relation)
            for child in _children_of(request, relation)
        )
        for relation in request.relations
    }


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
        fit(
            request.data,
            Family(child, required),
            score=request.score,
            structure_prior=request.prior,
        ).cost
        + request.factor.slack
        + settings.tolerance
        for child, required in enumerate(request.constraints.required)
    ]


def count_affordable(request: Request, costs: Sequence[float] | None = None) -> dict[Relation, int]:
    """Return, by relation, an upper bound on the number of families that scoring evaluates.

    These are the families whose penalty alone does not exceed the child's `affordable_costs`, which
    are computed unless given: a penalty is no more than the cost. Others are never evaluated (rule
    PENALTY). What a number of parents and a prior add counts with the least that they add to any
    larger set, because a set is visited if one that contains it may be affordable. For full tables,
    whose penalty multiplies with every parent, nearly all of these are evaluated; for noisy-ORs,
    other rules prune most of them.
    """
    if costs is None:
        costs = affordable_costs(request)
    return {
        relation: sum(
            _count_affordable(request, child, relation, costs[child])
            for child in _children_of(request, relation)
        )
        for relation in request.relations
    }


def _children_of(request: Request, relation: Relation) -> list[int]:
    """Return the children that can have the relation."""
    everyone = range(request.data.variable_count)
    return [child for child in everyone if relation in request.relations_of(child)]


def _sets_within(request: Request, child: int, most: int) -> int:
    """Return the number of sets of at most `most` parents that the constraints allow."""
    required, allowed = request.constraints.required[child], request.constraints.allowed[child]
    fixed = required.bit_count()
    return count_sets((allowed & ~required).bit_count(), most - fixed) if most >= fixed else 0


def _without_parents(request: Request, child: int, relation: Relation) -> int:
    """Return 1 if the sets of a child's parents include the empty one, which the relation lacks."""
    return int(relation.needs_parents and not request.constraints.required[child])


def _count_affordable(request: Request, child: int, relation: Relation, room: float) -> int:
    """Return how many families of a child have a penalty of at most `room`, or more.

    For a relation whose parameters have no form it is all that the constraints allow.
    """
    constraints = request.constraints
    own = request.penalties(relation, child)
    form, cost_of = own.form, own.by_parameters
    if form is None or cost_of is None:
        every = _sets_within(request, child, constraints.most_parents)
        return every - _without_parents(request, child, relation)
    required, allowed = constraints.required[child], constraints.allowed[child]
    by_size = own.least_from_size(required, allowed, constraints.most_parents)
    if _without_parents(request, child, relation):
        by_size.pop(0, None)
    if not by_size:
        return 0
    counted = _parameter_counts(
        form,
        tuple(request.data.variables[parent].state_count for parent in variables_in(required)),
        _states_within(request.data, allowed & ~required),
        constraints.most_parents,
        _enough_parameters(cost_of, room - min(by_size.values())),
    )
    return sum(
        _within(*own, room - by_size[size], cost_of)
        for size, own in counted.items()
        if size in by_size
    )


def _states_within(data: Dataset, candidates: int) -> tuple[tuple[int, int], ...]:
    """Return the numbers of states of some variables, and how many variables have each.

    Nearly all variables are candidates of nearly every child, so the others are taken away from
    all where these are fewer.
    """
    states = [variable.state_count for variable in data.variables]
    others = ~candidates & ((1 << len(states)) - 1)
    if candidates.bit_count() <= others.bit_count():
        counted = Counter(states[one] for one in variables_in(candidates))
    else:
        counted = Counter(states)
        counted.subtract(states[one] for one in variables_in(others))
    return tuple(sorted((number, there) for number, there in counted.items() if there))


def _enough_parameters(cost_of: CostOf, room: float) -> int:
    """Return a power of two of parameters that cost more than `room`, or more than any table has.

    Powers of two are few, so that what is counted up to them is remembered.
    """
    most = 1
    while most < _MOST_PARAMETERS and cost_of(most) <= room:
        most *= 2
    return most


def _within(counts: list[int], cumulative: list[int], room: float, cost_of: CostOf) -> int:
    """Return how many families have parameters that cost at most `room`."""
    within = bisect_right(counts, room, key=cost_of)
    return cumulative[within - 1] if within else 0


@lru_cache(maxsize=256)
def _parameter_counts(
    form: ParameterForm,
    required: tuple[int, ...],
    candidates: tuple[tuple[int, int], ...],
    most_parents: int,
    most_parameters: int,
) -> dict[int, tuple[list[int], list[int]]]:
    """Return by size the numbers of parameters of families, and how many have at most so many.

    A size is left out if all of its families have too many parameters.

    A dynamic programme over the numbers of states: what counts is how many candidates of each
    number a set has. `candidates` has these numbers and how many candidates have each. Only
    families of at most `most_parameters` parameters are counted.

    """
    start = _Key()
    for states in required:
        start = start.with_more(form, states, 1)
    ways = {start: 1} if start.size <= most_parents else {}
    for states, there_are in candidates:
        longer: Counter[_Key] = Counter()
        for key, count in ways.items():
            for more in range(min(there_are, most_parents - key.size) + 1):
                reached = key.with_more(form, states, more)
                if reached.parameters(form) > most_parameters:
                    break
                longer[reached] += count * comb(there_are, more)
        ways = longer
    by_count: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for key, count in ways.items():
        by_count[key.size][key.parameters(form)] += count
    return {size: _accumulated(by_count[size]) for size in sorted(by_count)}


def _accumulated(by_count: Counter[int]) -> tuple[list[int], list[int]]:
    counts = sorted(by_count)
    return counts, list(accumulate(by_count[count] for count in counts))


@dataclass(frozen=True, slots=True)
class _Key:
    """What the number of parameters depends on, and the size that the constraints limit.

    The sum of r - 1 and the product of r are left out where the form does not depend on them, so
    that many sets of parents have the same key.
    """

    size: int = 0
    beyond_first: int = 0
    configurations: int = 1

    def with_more(self, form: ParameterForm, states: int, parents: int) -> "_Key":
        """Return the key with so many more parents of these states."""
        return _Key(
            self.size + parents,
            self.beyond_first + parents * (states - 1) if form.per_state else 0,
            self.configurations * states**parents if form.per_configuration else 1,
        )

    def parameters(self, form: ParameterForm) -> int:
        """Return the number of parameters."""
        return form.count_of(self.beyond_first, self.configurations)
