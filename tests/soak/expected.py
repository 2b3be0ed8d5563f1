"""What a problem's credible set must and may contain, and which refusals are correct."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, prod

from noisyor.core import (
    ConstraintError,
    Constraints,
    DataError,
    Family,
    MismatchError,
    NoisyorError,
    SettingsError,
)
from noisyor.core.relations import relation_named
from noisyor.core.request import Request
from noisyor.core.score import score_named
from noisyor.fitting import fit
from tests.oracles.families import all_costs
from tests.oracles.lattice import optimum as lattice_optimum
from tests.oracles.networks import Costs, Key, NaiveSet, better_relations, credible_set
from tests.oracles.precise import tolerance_at
from tests.soak.graphs import MOST_VARIABLES, networks_within
from tests.soak.problems import Problem, RecordProblem, TableProblem
from tests.soak.seen import Seen, seen_by_brute_force

MOST_BY_BRUTE_FORCE = 2000
"""Networks of a set; a larger one is not listed by brute force."""

_FEW = 20_000  # choices of families, one a child, cycles included
_MOST_STEPS = 600_000  # of the dynamic programme
_SMALLEST_UNIT = 2**80  # the programme's whole numbers are this many to a nat
_FINE = 2.0**16  # nats; where costs differ by less, the search rounds to 2**-34
_ALMOST = 0.9  # of a tolerance
_ROUNDING = 0.01  # of a tolerance: what sums of doubles may be off by, and no more


@dataclass(frozen=True)
class Refusal:
    """Errors of which any is correct, and why; whether one `must` be raised or may be."""

    kind: str
    errors: tuple[type[NoisyorError], ...]
    must: bool


@dataclass(frozen=True)
class Expected:
    """The networks that are certain, those that are possible, and the source of both."""

    certain: Seen
    possible: Seen
    source: str

    @property
    def on_the_boundary(self) -> bool:
        """Whether some network may be in the set or not."""
        return self.certain.count != self.possible.count


def expected_refusal(problem: Problem, costs: Costs | None) -> Refusal | None:
    """Return the expected refusal of a problem; `costs` are those of its families, if known."""
    known = problem.settings.known
    faults: dict[str, type[NoisyorError]] = {}
    if isinstance(problem, RecordProblem) and problem.data.record_count == 1:
        faults["a single record"] = DataError
    if known and known.contradicts_itself():
        faults["knowledge that contradicts itself"] = ConstraintError
    if faults:  # any of them may be found first
        return Refusal(" and ".join(faults), tuple(faults.values()), must=True)
    wrong = _wrong_table(problem) if isinstance(problem, TableProblem) else None
    if wrong is not None:
        return wrong
    if costs is not None and not has_network(costs, problem.n):
        return Refusal("no acyclic network", (ConstraintError,), must=True)
    if costs is not None and not _is_fine(costs):
        return Refusal("costs too far apart", (SettingsError,), must=False)
    return None


def _wrong_table(problem: TableProblem) -> Refusal | None:
    settings = problem.settings
    if not problem.foreign and settings.factor > problem.scored_for:
        return Refusal("a Bayes factor above the table's", (MismatchError,), must=True)
    if settings.known and settings.known.required:
        return Refusal("a required edge that was not scored", (ConstraintError,), must=True)
    if problem.foreign and settings.labels == "all":
        return Refusal("labels of a table from elsewhere", (SettingsError,), must=True)
    return None


def has_network(costs: Costs, n: int) -> bool:
    """Return whether the families make an acyclic network: some variable can always come next."""
    placed = 0
    for _ in range(n):
        ready = {c for c, parents, _ in costs if not placed >> c & 1 and not parents & ~placed}
        for child in ready:
            placed |= 1 << child
    return placed == (1 << n) - 1


def _is_fine(costs: Costs) -> bool:
    """Return whether costs differ so little that networks differ by less than 2**16 nats."""
    by_child: dict[int, list[float]] = {}
    for (child, _, _), cost in costs.items():
        by_child.setdefault(child, []).append(cost)
    return sum(max(own) - min(own) for own in by_child.values()) < _FINE / 2


def record_costs(problem: RecordProblem) -> dict[Key, float]:
    """Return the costs of all families, none left out, by the oracle.

    The oracle knows one score, and counts every row as a record. For another score, with a prior,
    or if records have copies, what families cost besides their fit is exchanged; a marginal
    likelihood is taken from the fit, which has oracles of its own.
    """
    data, score = problem.data, score_named(problem.score)
    relations = tuple(relation_named(name) for name in problem.relations)
    every = all_costs(data, relations, Constraints.none(data.names), dict(problem.prior.relations))
    asked = Request.of(data, score=score, relations=relations, prior=problem.prior)
    known_to_oracle = Request.of(replace(data, copies=1), relations=relations)
    costs: dict[Key, float] = {}
    for (child, parents, name), by_oracle in every.items():
        relation = relation_named(name)
        if score.dirichlet is not None:
            family = Family(child, parents, relation)
            cost = fit(data, family, score=score, structure_prior=problem.prior).cost
        else:
            cost = by_oracle - known_to_oracle.penalty(relation, child, parents)
            cost /= data.copies
            cost += asked.penalty(relation, child, parents)
        costs[child, parents, relation.code] = by_oracle if asked == known_to_oracle else cost
    known = problem.settings.known
    return known.allowed(costs) if known else costs


def labels_in_doubt(costs: Costs) -> bool:
    """Return whether relations differ by so nearly the tolerance that either may be the label."""
    rivals: dict[tuple[int, int], list[float]] = {}
    for (child, parents, _), cost in costs.items():
        rivals.setdefault((child, parents), []).append(cost)
    for own in rivals.values():
        least = min(own)
        tolerance = tolerance_at(least)
        if any(0.5 * tolerance < cost - least < 1.5 * tolerance for cost in own):
            return True
    return False


def can_be_listed(costs: Costs, n: int, count: int) -> bool:
    """Return whether brute force is fast enough; `count` is the expected number of networks."""
    return count <= MOST_BY_BRUTE_FORCE and (n <= MOST_VARIABLES or _choices(costs, n) <= _FEW)


def _choices(costs: Costs, n: int) -> int:
    return prod(sum(key[0] == child for key in costs) for child in range(n))


def by_brute_force(problem: Problem, costs: Costs) -> Expected:
    """Return the expectation from listing all acyclic networks of the families."""
    settings = problem.settings
    eligible = better_relations(costs) if settings.labels == "best" else costs
    best = _listed(eligible, problem.n, 0.0)
    limit = best.optimum + settings.slack
    tolerance = tolerance_at(limit)
    possible = _listed(eligible, problem.n, settings.slack + (1 + _ROUNDING) * tolerance)
    certain = NaiveSet(
        tuple(one for one in possible.members if one[0] <= limit + _ROUNDING * tolerance)
    )
    told = seen_by_brute_force(possible)
    same = len(certain.members) == len(possible.members)
    return Expected(told if same else seen_by_brute_force(certain), told, "brute force")


def _listed(costs: Costs, n: int, above: float) -> NaiveSet:
    """Return the networks up to so much above the best; few choices are gone through one by one."""
    if _choices(costs, n) > _FEW:
        found = networks_within(costs, n, above)
    else:
        found = credible_set(costs, n, above)  # with a tolerance, of which nothing is to be left
        if found is not None:
            limit = found.optimum + above
            found = NaiveSet(tuple(one for one in found.members if one[0] <= limit))
    if found is None:
        raise AssertionError("brute force finds no network")
    return found


def by_other_slacks(
    find: Callable[[float], Seen], got: Seen, problem: Problem, costs: Costs | None
) -> Expected:
    """Return what the search itself finds with a slack of one tolerance less, and of one more.

    `find` takes a Bayes factor. The search adds almost a tolerance to every slack. With nine
    tenths of one taken off, it must still have what is exactly at the slack. Where costs are so far
    apart that its rounding is as coarse as the tolerance, two are taken off.
    """
    slack = problem.settings.slack
    tolerance = tolerance_at(got.optimum + slack)
    fine = costs is None or _is_fine(costs)
    less = slack - tolerance * (_ALMOST if fine else 2)
    return Expected(
        find(exp(max(0.0, less))), find(exp(slack + tolerance)), "the search with other slacks"
    )


def by_dynamic_programme(costs: Costs, n: int, labels: str) -> float | None:
    """Return the optimum by the classical programme in exact numbers, if it is fast enough."""
    if labels == "best":
        costs = better_relations(costs)
    if 2 ** (n - 1) * len(costs) > _MOST_STEPS:
        return None
    options: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for (child, parents, _), cost in costs.items():
        options[child].append((parents, round(Fraction(cost) * _SMALLEST_UNIT)))
    best = lattice_optimum(options)
    return None if best is None else float(Fraction(best, _SMALLEST_UNIT))
