"""Records with gaps: EM in several ways, and each result against brute force."""

from dataclasses import dataclass, replace
from math import isclose

import numpy as np

from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.incomplete.options import Em
from noisyor.learning import learn
from noisyor.runs.learned import Learned
from noisyor.runs.missing_cells import EmRecord
from tests.oracles.em import observed_log_likelihood
from tests.oracles.precise import tolerance_at
from tests.soak.compare import between, same, within_itself
from tests.soak.expected import by_brute_force, labels_in_doubt, record_costs
from tests.soak.problems import GapProblem, RecordProblem
from tests.soak.seen import Seen, seen

FIRST = "table, one thread"
WAYS = {FIRST: ("table", 0), "table, more threads": ("table", 1), "price": ("price", 2)}
"""The method of each way, and which of the problem's numbers of threads it takes; None is one."""


@dataclass
class Compared:
    """What was compared, by kind, and where something differs."""

    kinds: list[str]
    differences: list[str]
    members: int = 0
    count: int = 0

    def note(self, kind: str, name: str, found: list[str]) -> None:
        """Record a comparison."""
        self.kinds.append(kind)
        self.differences += [f"EM by {name}, by {kind}: {line}" for line in found]


def incomplete(made: GapProblem) -> IncompleteDataset:
    """Return the records without the cells that are missing."""
    rng = np.random.default_rng(made.removed_by)
    codes = np.repeat(made.data.codes, made.data.weights, axis=0)
    removed = rng.random(codes.shape) < made.share
    removed[removed.all(axis=1), 0] = False  # each record keeps a value
    removed[0] = False  # and each column
    weights = np.ones(len(codes), dtype=np.int64)
    return IncompleteDataset(made.data.variables, np.where(removed, GAP, codes), weights)


def compare_gaps(made: GapProblem) -> Compared:
    """Learn in every way, and compare.

    One method gives the same for any number of threads. Another may take another of several
    networks of the same cost, and with it another path; so methods are compared up to the first
    step, and every result with brute force for the completions that it is of.
    """
    data = incomplete(made)
    compared = Compared([], [])
    found = {name: _learned(made, data, name) for name in WAYS}
    first = found[FIRST]
    first_seen = seen(first.credible)
    compared.count = first_seen.count
    for name, learned in found.items():
        got = first_seen if name == FIRST else seen(learned.credible)
        compared.note("what a set says of itself", name, within_itself(got, made.n))
        compared.note("the observed cells", name, _of_observed_cells(learned, data))
        compared.note("brute force", name, _by_brute_force(made, learned, got, compared))
        if name == FIRST:
            continue
        if WAYS[name][0] == WAYS[FIRST][0]:
            compared.note(f"EM by {FIRST}", name, same(first_seen, got) + _steps(first, learned))
        compared.note("the first step", name, _first_steps(first, learned))
    return compared


def _learned(made: GapProblem, data: IncompleteDataset, name: str) -> Learned:
    method, threads = WAYS[name]
    settings = made.settings
    return learn(
        data,
        settings.factor,
        missing="em",
        em=Em(completions=made.completions, starts=3, steps=8, seed=made.removed_by % 1000),
        score=made.score,
        relations=made.relations,
        keep_constants=True,
        constraints=settings.known.knowledge(data.names) if settings.known else None,
        method=method,
        labels=settings.labels,
        jobs=1 if name == FIRST else settings.jobs[threads],
        quiet=True,
    )


def _em(learned: Learned) -> EmRecord | None:
    return None if learned.missing is None else learned.missing.em


def _of_observed_cells(learned: Learned, data: IncompleteDataset) -> list[str]:
    """Compare the likelihood with a sum over all completions, and the start with the others."""
    em = _em(learned)
    if em is None:
        return [] if not data.gaps.any() else ["nothing is said about the missing cells"]
    wanted = observed_log_likelihood(learned.best, data)
    found = []
    if not isclose(em.log_likelihood, wanted, rel_tol=1e-9, abs_tol=1e-9):
        found.append(f"log-likelihood {em.log_likelihood!r}, expected {wanted!r}")
    costs = [start.observed_cost for start in em.starts]
    if costs[em.best] != min(costs):
        found.append(f"start {em.best} was taken, of the costs {costs}")
    chosen = em.starts[em.best].steps[em.starts[em.best].chosen - 1]
    if abs(chosen.expected_cost - learned.optimum) > tolerance_at(learned.optimum):
        found.append(f"the step costs {chosen.expected_cost!r}, its set {learned.optimum!r}")
    return found


def _by_brute_force(made: GapProblem, learned: Learned, got: Seen, compared: Compared) -> list[str]:
    """Compare the set with all networks of the completions that it was learned from."""
    if learned.data is None:
        return ["the completions are not in the result"]
    settings = replace(made.settings)
    whole = RecordProblem(
        made.kind, made.n, learned.data, made.relations, settings, score=made.score
    )
    costs = record_costs(whole)
    if labels_in_doubt(costs):
        return []
    expected = by_brute_force(whole, costs)
    compared.members += len(got.members or ())
    return between(expected.certain, got, expected.possible)


def _steps(one: Learned, other: Learned) -> list[str]:
    """Return where the steps of two runs differ, apart from their seconds."""
    pairs = []
    for learned in (one, other):
        em = _em(learned)
        starts = () if em is None else em.starts
        pairs.append([[replace(step, seconds=0.0) for step in start.steps] for start in starts])
    return [] if pairs[0] == pairs[1] else [f"steps {pairs[0]!r} and {pairs[1]!r}"[:400]]


def _first_steps(one: Learned, other: Learned) -> list[str]:
    """Return where the first steps of two methods differ, of starts that begin alike."""
    first, second = _em(one), _em(other)
    if first is None or second is None:
        return [] if first is second else ["only one had gaps"]
    found = []
    for own, theirs in zip(first.starts, second.starts, strict=True):
        if (
            own.begins_with == "complete records"
        ):  # with a network, which may be another of the same cost
            continue
        a, b = own.steps[0].expected_cost, theirs.steps[0].expected_cost
        if abs(a - b) > tolerance_at(a):
            found.append(f"the start with {own.begins_with} costs {b!r}, expected {a!r}")
    return found
