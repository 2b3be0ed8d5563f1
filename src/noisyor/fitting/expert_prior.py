"""Fits in which given parameters count like records: a network's own numbers as the prior.

Each number is backed by imaginary records (`PriorRecords` has how many). A row of a full table, and
what a cause by itself brings about, are distributions with a Dirichlet prior: its mean is the given
distribution, its total the number of imaginary records. The fit maximises the likelihood of the
real and the imaginary records together. docs/fitting.md has the proofs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Dataset, Distribution, Family
from noisyor.core.configurations import configuration_count
from noisyor.core.errors import NumericalError
from noisyor.core.tolerance import FIT_GAP, FIT_RELATIVE_GAP
from noisyor.core.variable import BINARY
from noisyor.fitting.causes import CauseColumns, no_cause, with_an_idle_state
from noisyor.fitting.constrained_fit import ConstrainedProblem, minimise
from noisyor.fitting.cpt import counts_of

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_LARGEST_START = 30.0  # the rate -ln q of a cause that hardly ever fails, to start from


class PriorRecords(ABC):
    """How many imaginary records back the numbers of one node."""

    @abstractmethod
    def of_configurations(self, parent_states: Sequence[int]) -> Floats:
        """Return the imaginary records of each configuration of the parents."""

    @abstractmethod
    def of_states(self, parent_states: Sequence[int]) -> list[Floats]:
        """Return for each parent the imaginary records of each of its states."""

    @property
    @abstractmethod
    def of_node(self) -> float:
        """The imaginary records of the node, all of which have a leak."""


@dataclass(frozen=True, slots=True)
class EqualRecords(PriorRecords):
    """The same number for each row of a table, for each cause, and for the leak."""

    weight: float

    def of_configurations(self, parent_states: Sequence[int]) -> Floats:
        """Return the weight for each configuration."""
        return np.full(configuration_count(parent_states), self.weight)

    def of_states(self, parent_states: Sequence[int]) -> list[Floats]:
        """Return the weight for each state of each parent."""
        return [np.full(states, self.weight) for states in parent_states]

    @property
    def of_node(self) -> float:
        """The weight."""
        return self.weight


PriorFit = Callable[[Dataset, Family, Distribution, PriorRecords], Distribution]
"""Fits a family to records, starting from a distribution that counts like some of them."""


def fit_table_with_prior(
    data: Dataset, family: Family, expert: Distribution, prior: PriorRecords
) -> Cpt:
    """Return (n + w theta) / (N + w) for each row: the mean of the posterior.

    n are the records of each state, N their sum, theta the expert's row and w its imaginary
    records. A row with neither is the expert's. It stays marked as unseen if it was, and is
    marked so where no weight was given to the expert.
    """
    counts, sizes = counts_of(data, family)
    rows = prior.of_configurations(sizes)[:, None]
    given = expert.expand()
    total = counts.sum(axis=1, keepdims=True) + rows
    chances = given.table.copy()
    np.divide(counts + rows * given.table, total, out=chances, where=total > 0)
    if chances.shape[1] == BINARY:  # files store only the chance of presence
        chances[:, 0] = 1 - chances[:, 1]
    unseen = (counts.sum(axis=1) == 0) & (given.unseen | (prior.of_node == 0))
    return Cpt(chances, unseen, sizes)


def fit_causes_with_prior(
    data: Dataset, family: Family, expert: Distribution, prior: PriorRecords
) -> Distribution:
    """Fit independent causes, each with imaginary records of what it brings about by itself.

    Level by level this is a noisy-OR fit (docs/relations.md) with more rows, one for each cause
    alone, so it is convex, and its optimum is proven to a gap. A cause that no record of a level
    has keeps its strength exactly: no other term contains it. It stays marked as unseen if it was,
    and is marked so where no weight was given to the expert.
    """
    columns = CauseColumns.of(data, family)
    relation = columns.relation
    if not relation.model.leak and columns.without_cause():
        raise no_cause(data, family, columns.without_cause())
    given = expert.parameters().reshape(-1, columns.level_count)
    weights = _cause_weights(columns, prior)
    levels = [
        _Level.of(columns, level, given, weights) for level in range(1, columns.level_count + 1)
    ]
    q = np.stack([one.fit(data.names[family.child]) for one in levels], axis=1)
    if relation.signed:
        known = np.stack([one.known for one in levels], axis=1)[:-1]
        everywhere = np.ones_like(known)
        usual = with_an_idle_state(given, columns.parent_states, everywhere)
        q = with_an_idle_state(q, columns.parent_states, known)
        q[:-1] = np.where(known, q[:-1], usual[:-1])
    fitted = relation.distribution(q, columns.level_count + 1, columns.parent_states)
    numbers = range(1, columns.level_count + 1)
    told = [[prior.of_node > 0 and one.is_seen(t) for t in numbers] for one in expert.causes()]
    unseen = columns.unseen()
    # Parents of a single state are no causes; there may be none at all.
    return fitted.marked(unseen & ~np.array(told, dtype=np.bool_).reshape(unseen.shape))


def _cause_weights(columns: CauseColumns, prior: PriorRecords) -> Floats:
    """Return the imaginary records of each cause, the leak's last."""
    by_state = prior.of_states(columns.parent_states)
    causes = columns.relation.columns(columns.parent_states)
    weights = [by_state[place][state] for place, state in causes]
    leak = [prior.of_node] if columns.relation.model.leak else []
    return np.array([*weights, *leak])


@dataclass(frozen=True, slots=True, eq=False)
class _Level:
    """The records of one level of the child, real and imaginary, as its causes see them.

    `rows` (R, K) are the distinct configurations of the causes among the real records with the
    effect, `counts` (R,) their numbers, `absent` (K,) the real records with a cause and without the
    effect. `acted` and `failed` (K,) are the imaginary records in which a cause by itself has
    brought the effect about, or less. `given` are the expert's q.
    """

    rows: Bools
    counts: Floats
    absent: Floats
    acted: Floats
    failed: Floats
    given: Floats

    @classmethod
    def of(cls, columns: CauseColumns, level: int, given: Floats, weights: Floats) -> "_Level":
        at_most = columns.levels <= level
        effect, numbers = columns.levels[at_most] == level, columns.weights[at_most]
        present = columns.present[at_most]
        if columns.relation.model.leak:
            present = np.column_stack([present, np.ones(len(present), dtype=np.bool_)])
        rows, place = np.unique(present[effect], axis=0, return_inverse=True)
        counts = np.bincount(place.reshape(-1), numbers[effect], minlength=len(rows))
        absent = (numbers[~effect] @ present[~effect]).astype(np.float64)
        own = given[:, level - 1]
        # F(level): the chance that a cause by itself brings about at most this level.
        reached = weights * given[:, level:].prod(axis=1)
        return cls(rows, counts.astype(np.float64), absent, reached * (1 - own), reached * own, own)

    @property
    def recorded(self) -> Bools:
        """Whether a real record has the cause."""
        return self.rows.any(axis=0) | (self.absent > 0)

    @property
    def known(self) -> Bools:
        """Whether a record has the cause, real or imaginary."""
        return np.asarray(self.recorded | (self.acted + self.failed > 0))

    def fit(self, child: str) -> Floats:
        """Return the q of each cause; the expert's where no real record has it.

        A cause that never fails explains its records at no cost: q = 0, and they are done.
        """
        fails = self.absent + self.failed
        certain = self.recorded & (fails == 0)
        free = self.recorded & ~certain
        q = self.given.copy()
        q[certain] = 0
        if not free.any():
            return q
        left = ~self.rows[:, certain].any(axis=1)
        alone = np.flatnonzero(free & (self.acted > 0))
        rows = np.concatenate([self.rows[left], np.eye(len(q), dtype=np.bool_)[alone]])
        counts = np.concatenate([self.counts[left], self.acted[alone]])
        problem = ConstrainedProblem(
            rows[:, free].astype(np.float64), counts, fails[free], np.zeros(len(rows))
        )
        with np.errstate(divide="ignore"):
            near = np.minimum(-np.log(self.given[free]), _LARGEST_START)
        # As far as doubles go: strengths are shown next to those before.
        found = minimise(problem, near, gap=0.0)
        allowed = max(FIT_GAP, FIT_RELATIVE_GAP * float(counts.sum() + fails.sum()))
        if found.gap > allowed:
            raise NumericalError(
                f"the strengths of the causes of {child!r} are only proven to {found.gap:.2g} nats "
                f"of the optimum, not to {allowed:.2g}: the weights of prior and records are too "
                "uneven for doubles. Give another prior weight"
            )
        q[free] = np.exp(-found.rates)
        return q
