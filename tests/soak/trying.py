"""Solves one problem in every way, and reports the outcome."""

import time
import traceback
from collections import Counter
from dataclasses import dataclass, field

from noisyor.core import NoisyorError, ScoreTable
from noisyor.search import search
from tests.oracles.networks import Costs
from tests.oracles.precise import tolerance_at
from tests.soak.compare import between, same, within_itself
from tests.soak.expected import (
    Expected,
    Refusal,
    by_brute_force,
    by_dynamic_programme,
    by_other_slacks,
    can_be_listed,
    expected_refusal,
    labels_in_doubt,
    record_costs,
)
from tests.soak.gaps import compare_gaps
from tests.soak.problems import GapProblem, Problem, RecordProblem, TableProblem, problem
from tests.soak.sampled import compare_sampled
from tests.soak.seen import Seen, seen
from tests.soak.ways import Way, ways_of, wide_table

_FEW = 5  # variables, up to which all families of records are fitted by the oracle

SAMPLED_EVERY = 3
"""Of so many problems, one is sampled as well."""


@dataclass
class Outcome:
    """The outcome of a problem, in JSON-compatible values."""

    seed: int
    number: int
    kind: str
    n: int
    count: int = 0
    members: int = 0  # listed by some way and found in what was expected
    comparisons: Counter[str] = field(default_factory=Counter)
    boundary: bool = False  # some network may be in the set or not
    at_the_slack: bool = False  # some network costs optimum + slack, to the tolerance
    refused: str | None = None
    not_listed: bool = False  # few variables, but too many networks for brute force
    disagreements: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict[str, object]:
        """Return the values by name."""
        return {**vars(self), "comparisons": dict(self.comparisons)}


def try_number(seed: int, number: int) -> Outcome:
    """Make a problem, solve it in every way and compare; an exception is a disagreement."""
    started = time.monotonic()
    made = problem(seed, number)
    outcome = Outcome(seed, number, made.kind, made.n)
    try:
        _try(made, outcome)
    except Exception:  # noqa: BLE001  (whatever it is, it is to be reported, and the soak goes on)
        outcome.disagreements.append(f"exception: {traceback.format_exc(limit=-6)}")
    outcome.seconds = time.monotonic() - started
    return outcome


def _try(made: Problem | GapProblem, outcome: Outcome) -> None:
    if isinstance(made, GapProblem):
        _try_gaps(made, outcome)
        return
    costs = _costs(made)
    refusal = expected_refusal(made, costs)
    found: dict[str, Seen] = {}
    refused: dict[str, NoisyorError] = {}
    for name, way in ways_of(made, costs).items():
        _take(name, way, found, refused)
    if refused or (refusal is not None and refusal.must):
        _judge_refusals(found, refused, refusal, outcome)
    if found:
        _compare(made, costs, found, outcome)
    if found and not refused and outcome.number % SAMPLED_EVERY == 0:
        _sample(made, costs, outcome)


def _try_gaps(made: GapProblem, outcome: Outcome) -> None:
    compared = compare_gaps(made)
    outcome.count = compared.count
    outcome.members = compared.members
    outcome.comparisons.update(f"EM: {kind}" for kind in compared.kinds)
    outcome.disagreements += compared.differences


def _sample(made: Problem, costs: Costs | None, outcome: Outcome) -> None:
    sampled = compare_sampled(wide_table(made, costs or {}), made.settings, outcome.number)
    if sampled is None:
        return
    differences, shares = sampled
    outcome.comparisons["a sample: its networks"] += 1
    outcome.comparisons["a sample: its shares"] += shares
    outcome.disagreements += [f"a sample: {line}" for line in differences]


def _costs(made: Problem) -> Costs | None:
    """Return the families of a problem as plain tuples; of records, only if they are few."""
    if isinstance(made, TableProblem):
        known = made.settings.known
        asked = known is not None and not known.required
        return known.allowed(made.costs) if known and asked else made.costs
    known = made.settings.known
    if made.n > _FEW or made.data.record_count == 1 or (known and known.contradicts_itself()):
        return None
    return record_costs(made)


def _take(name: str, way: Way, found: dict[str, Seen], refused: dict[str, NoisyorError]) -> None:
    try:
        found[name] = seen(way())
    except NoisyorError as error:
        refused[name] = error


def _judge_refusals(
    found: dict[str, Seen],
    refused: dict[str, NoisyorError],
    refusal: Refusal | None,
    outcome: Outcome,
) -> None:
    """Record a refusal that was not expected, or that not every way makes."""
    outcome.refused = refusal.kind if refusal else "not expected"
    for name, error in refused.items():
        outcome.comparisons["refusals"] += 1
        if refusal is None or not isinstance(error, refusal.errors):
            outcome.disagreements.append(f"{name} refused: {type(error).__name__}: {error}")
    tables = {name in refused for name in [*found, *refused] if name.startswith("search")}
    must = refusal is not None and refusal.must
    if found and (must or len(tables) > 1):
        outcome.disagreements.append(f"{', '.join(refused)} refused, but not {', '.join(found)}")


def _compare(
    made: Problem,
    costs: Costs | None,
    found: dict[str, Seen],
    outcome: Outcome,
) -> None:
    """Record every difference between the result and the expectation."""

    def note(kind: str, name: str, differences: list[str]) -> None:
        outcome.comparisons[kind] += 1
        outcome.disagreements.extend(f"{name}, by {kind}: {line}" for line in differences)

    first_name, first = next(iter(found.items()))
    outcome.count = first.count
    for name, got in found.items():
        note("what a set says of itself", name, within_itself(got, made.n))
        if name != first_name and name.startswith("search"):
            note(f"the same table, {first_name.removeprefix('search, ')}", name, same(first, got))
    for expected in _expectations(made, costs, first, outcome):
        outcome.boundary |= expected.on_the_boundary
        outcome.at_the_slack |= _reaches(expected, made.settings.slack)
        for name, got in found.items():
            note(expected.source, name, between(expected.certain, got, expected.possible))
            if got.members is not None and expected.possible.members is not None:
                outcome.members += len(got.members)


def _reaches(expected: Expected, slack: float) -> bool:
    limit = expected.certain.optimum + slack
    return slack > 0 and abs(expected.certain.costliest - limit) <= tolerance_at(limit)


def _expectations(
    made: Problem, costs: Costs | None, first: Seen, outcome: Outcome
) -> list[Expected]:
    """Return what is expected by brute force, if that can be, and else by the search itself.

    The optimum is compared with that of the dynamic programme on the way.
    """
    doubtful = isinstance(made, RecordProblem) and costs is not None and labels_in_doubt(costs)
    if costs is not None and not doubtful and can_be_listed(costs, made.n, first.count):
        return [by_brute_force(made, costs)]
    outcome.not_listed = made.n <= _FEW
    table = wide_table(made, costs or {})
    if costs is None:
        costs = {(f.child, f.parents, f.relation.code): cost for f, cost in table.families()}
    optimum = by_dynamic_programme(costs, made.n, made.settings.labels)
    if optimum is not None:
        outcome.comparisons["the dynamic programme"] += 1
        if abs(optimum - first.optimum) > tolerance_at(optimum):
            outcome.disagreements.append(
                f"optimum {first.optimum!r}, by the dynamic programme {optimum!r}"
            )
    return [by_other_slacks(lambda factor: _searched(table, factor, made), first, made, costs)]


def _searched(table: ScoreTable, factor: float, made: Problem) -> Seen:
    """Return what the classical search finds in a table that has more than it needs."""
    return seen(
        search(table, max(1.0, factor), labels=made.settings.labels, bounds="none", jobs=1).credible
    )
