"""Every family of small data, without any pruning: a slow twin of the scoring search.

Full tables are counted record by record. Causes are fitted level by level, one at a time, by a
plain Newton method on the convex problem, and each result must pass its own proof of optimality.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from math import inf, log, prod
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from noisyor.core import CPT, Constraints, Dataset, Relation
from noisyor.core.variable_sets import set_of, variables_in

TOLERANCE = 1e-7

PROVEN = 1e-9
"""How far a noisy-OR's cost may be from its proven optimum, in nats, but for rounding."""

Floats = npt.NDArray[np.float64]

Key = tuple[int, int, str]


@dataclass(frozen=True)
class Records:
    """Distinct records as tuples of codes with their weights, and the variables' state counts."""

    rows: list[tuple[tuple[int, ...], int]]
    states: tuple[int, ...]
    total: int

    @classmethod
    def of(cls, data: Dataset) -> "Records":
        rows = [
            (tuple(codes), weight)
            for codes, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True)
        ]
        states = tuple(variable.state_count for variable in data.variables)
        return cls(rows, states, sum(weight for _, weight in rows))


def cpt_cost(data: Dataset, child: int, parents: int) -> float:
    records = Records.of(data)
    members = list(variables_in(parents))
    cells: dict[tuple[int, ...], dict[int, int]] = {}
    for row, weight in records.rows:
        cell = cells.setdefault(tuple(row[v] for v in members), {})
        cell[row[child]] = cell.get(row[child], 0) + weight
    configurations = prod(records.states[v] for v in members)
    cost = (records.states[child] - 1) * configurations * log(records.total) / 2
    for cell in cells.values():
        for count in cell.values():
            cost -= count * log(count / sum(cell.values()))
    return cost


def cause_cost(data: Dataset, child: int, parents: int, relation: Relation) -> float:
    """Return the cost of the best causes; infinite if a record with an effect has no cause.

    A signed relation is the best of all choices of one inactive state for each parent, made anew
    for each level of the child.
    """
    records = Records.of(data)
    kind, effect = relation.name.split("noisy-")
    leak, minimum = kind != "", effect == "and"
    members = list(variables_in(parents))
    usual = [[records.states[v] - 1 if minimum else 0] for v in members]
    inactive = [list(range(records.states[v])) for v in members] if kind == "signed-" else usual
    highest = records.states[child] - 1
    parameters = sum(records.states[v] - 1 for v in members) + leak
    cost = highest * parameters * log(records.total) / 2
    for level in range(1, highest + 1):
        of_level = [
            (row, weight, (highest - row[child] if minimum else row[child]) == level)
            for row, weight in records.rows
            if (highest - row[child] if minimum else row[child]) <= level
        ]
        cost += min(
            _level_loss(of_level, members, records.states, idle, leak=leak)
            for idle in product(*inactive)
        )
    return cost


def _level_loss(
    records: list[tuple[tuple[int, ...], int, bool]],
    members: list[int],
    states: tuple[int, ...],
    idle: tuple[int, ...],
    *,
    leak: bool,
) -> float:
    """Return the least -ln L of one level, with these inactive states."""
    columns = [
        (v, state)
        for v, own in zip(members, idle, strict=True)
        for state in range(states[v])
        if state != own
    ]
    explained: dict[tuple[int, ...], int] = {}
    absences = [0] * (len(columns) + leak)
    for row, weight, has_effect in records:
        seen = [int(row[v] == state) for v, state in columns] + [1] * leak
        if has_effect:
            explained[tuple(seen)] = explained.get(tuple(seen), 0) + weight
        else:
            absences = [a + weight * one for a, one in zip(absences, seen, strict=True)]
    if any(not any(seen) for seen in explained):
        return inf
    return least_loss(explained, absences)


def least_loss(explained: dict[tuple[int, ...], int], absences: list[int]) -> float:
    """Return the least -ln L = sum a_j x_j - sum c_r ln(1 - exp(-s_r)) over x = -ln q >= 0.

    s_r is the sum of x_j over the causes of row r. A cause that never occurs without the child
    has a_j = 0: its best x_j is infinite, and it explains its rows at no cost.
    """
    free = [j for j, a in enumerate(absences) if a]
    rows = {
        seen: count
        for seen, count in explained.items()
        if not any(one and not a for one, a in zip(seen, absences, strict=True))
    }
    if not rows:
        return 0.0
    present = np.array([[seen[j] for j in free] for seen in rows], dtype=np.float64)
    return _newton(present, np.array(list(rows.values()), float), np.array(absences, float)[free])


def _newton(present: Floats, counts: Floats, absences: Floats) -> float:
    """Minimise by Newton steps over the causes above 0, and over single causes when these stall.

    A step ends at the first cause that it takes to 0. When steps no longer help, each cause in turn
    is set to its best value, which also raises those at 0 that help. The dual proves the result.
    """

    def loss(x: Floats) -> float:
        with np.errstate(divide="ignore"):
            return float(absences @ x - counts @ np.log(-np.expm1(-(present @ x))))

    x = np.full(len(absences), 0.5)
    best = loss(x)
    for _ in range(1000):
        fails = np.exp(-(present @ x))
        u = counts * fails / (1 - fails)
        lower = _dual(present, counts, absences, u)
        if best - lower <= PROVEN + 1e-13 * best:
            return best
        moving = x > 0
        slope = absences - present.T @ u
        curvature = (present.T * (u / (1 - fails))) @ present
        curvature += 1e-13 * curvature.trace() * np.eye(len(x))  # equal causes: no unique optimum
        step = np.zeros(len(x))
        step[moving] = np.linalg.solve(curvature[np.ix_(moving, moving)], slope[moving])
        to_zero = np.where(step > 0, x / np.where(step > 0, step, 1.0), inf)
        size = min(1.0, float(to_zero.min()))
        while size > 1e-15:
            reached = np.where(to_zero <= size, 0.0, x - size * step)
            if loss(reached) <= best:
                break
            size /= 2
        else:
            reached = x
        if best - loss(reached) <= 1e-10 * (1 + best):
            reached = _one_by_one(present, counts, absences, reached)
        x, best = reached, min(best, loss(reached))
    raise AssertionError(f"the loss lies between {lower} and {best}, which is no proof")


def _one_by_one(present: Floats, counts: Floats, absences: Floats, x: Floats) -> Floats:
    """Return x with each cause in turn set to its best value, by bisection on the slope."""
    x = x.copy()
    for j in range(len(x)):
        rows = present[:, j] > 0
        if not rows.any():
            x[j] = 0.0
            continue
        others = present[rows] @ x - x[j]

        def rises(at: float, j: int = j, rows: npt.NDArray[np.bool_] = rows) -> bool:
            with np.errstate(divide="ignore", over="ignore"):
                pull = (counts[rows] / np.expm1(others + at)).sum()  # noqa: B023
            return bool(absences[j] > pull)

        low, high = 0.0, float(np.log1p(counts[rows].sum() / absences[j]))
        for _ in range(80):
            middle = (low + high) / 2
            low, high = (low, middle) if rises(middle) else (middle, high)
        x[j] = 0.0 if rises(0.0) else (low + high) / 2
    return x


def _dual(present: Floats, counts: Floats, absences: Floats, u: Floats) -> float:
    """Return a lower bound on the loss: weak duality at u, made feasible row by row.

    Any u >= 0 whose sum over the rows of each cause j is at most a_j bounds the loss from below by
    sum u ln(1 + c / u) + c ln(1 + u / c).
    """
    used = present.T @ u
    share = np.where(used > absences, absences / np.maximum(used, 1e-300), 1.0)
    u = u * np.where(present > 0, share, 1.0).min(axis=1)
    u = np.maximum(u, 1e-300)
    return float((u * np.log1p(counts / u) + counts * np.log1p(u / counts)).sum())


def family_cost(data: Dataset, child: int, parents: int, relation: Relation) -> float:
    if relation is CPT:
        return cpt_cost(data, child, parents)
    return cause_cost(data, child, parents, relation)


def legal_sets(constraints: Constraints, child: int) -> Iterator[int]:
    required = constraints.required[child]
    free = list(variables_in(constraints.allowed[child] & ~required))
    most = constraints.max_parents
    for size in range(len(free) + 1):
        if most is not None and size + required.bit_count() > most:
            break
        for chosen in combinations(free, size):
            yield required | set_of(chosen)


def all_costs(
    data: Dataset,
    relations: tuple[Relation, ...],
    constraints: Constraints,
    weights: Mapping[str, float] = MappingProxyType({}),
) -> dict[Key, float]:
    """Return the BIC cost of every family that competes, where it is finite.

    Causes need an ordered child, and with a leak two parents. A signed family whose optimum needs
    no sign is that of the leaky relation, if this one competes as well and has the same weight in
    the prior. `weights` has those that are not 1; they do not change the costs.
    """
    costs: dict[Key, float] = {}
    for child, variable in enumerate(data.variables):
        for parents in legal_sets(constraints, child):
            for relation in relations:
                least = 0 if relation is CPT else 1 if relation.name.startswith("noisy-") else 2
                ordered = variable.state_count == 2 or (
                    variable.ordered and variable.state_count > 2
                )
                if parents.bit_count() < least or not (ordered or relation is CPT):
                    continue
                cost = family_cost(data, child, parents, relation)
                unsigned = relation.name.replace("signed-", "leaky-")
                is_rival = unsigned != relation.name and (
                    weights.get(unsigned, 1.0) == weights.get(relation.name, 1.0)
                )
                rival = costs.get((child, parents, unsigned), inf) if is_rival else inf
                if cost < inf and rival > cost + TOLERANCE:
                    costs[child, parents, relation.name] = cost
    return costs


def keep(costs: dict[Key, float], slack: float, tolerance: float = TOLERANCE) -> set[Key]:
    """Return the families that cost at most the slack more than the best over a subset."""
    kept = set()
    by_child: dict[int, dict[Key, float]] = {}
    for key, cost in costs.items():
        by_child.setdefault(key[0], {})[key] = cost
    for child, own in by_child.items():
        best: dict[int, float] = {}
        for (_, parents, _), cost in own.items():
            best[parents] = min(cost, best.get(parents, inf))
        for key, cost in own.items():
            subset = min(value for other, value in best.items() if not other & ~key[1])
            if cost <= subset + slack + tolerance:
                kept.add((child, key[1], key[2]))
    return kept
