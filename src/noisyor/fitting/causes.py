"""Independent causes: maximum likelihood by a chosen fitter, always certified.

The likelihood of a cause model is a product over the levels of the child, each with parameters of
its own (docs/relations.md). Level t is a noisy-OR: among the records in which the child has a state
of at most t, the effect is that it has exactly t. So a fit is one certified noisy-OR fit a level,
and the sum of their bounds is its certificate.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels
from noisyor.core import Dataset, Family
from noisyor.core.configurations import configuration_count, configuration_index
from noisyor.core.errors import InfeasibleFitError, SettingsError
from noisyor.core.relations import CauseRelation, Effect, cause_relation
from noisyor.core.variable_sets import MAX_VARIABLES, WORD_BITS, Words, to_words, word_count
from noisyor.fitting.fitted_family import FittedFamily
from noisyor.fitting.fitters import FitterSettings
from noisyor.fitting.likelihood_fit import LikelihoodFit
from noisyor.fitting.noisy_or import fit_rows

_MUCH_FEWER = 4  # rows for each configuration: fewer are not worth merging

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class CauseColumns:
    """A family's records as its causes see them; equal ones may be merged.

    `present` has shape (rows, causes without the leak): whether each cause is there. `levels` has
    the child's codes over the rows, reversed where the minimum decides, and `weights` the number of
    records of each row.
    """

    relation: CauseRelation
    parent_states: tuple[int, ...]
    present: Bools
    levels: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.int64]
    level_count: int

    @classmethod
    def of(cls, data: Dataset, family: Family) -> "CauseColumns":
        """Return the columns of a family."""
        relation = _cause_relation(family)
        parents = family.parent_indices()
        sizes = tuple(data.variables[parent].state_count for parent in parents)
        columns = relation.columns(sizes)
        rows, weights = _merged(data, (*parents, family.child))
        present = np.zeros((len(weights), len(columns)), dtype=np.bool_)
        for number, (place, state) in enumerate(columns):
            present[:, number] = data.column(parents[place])[rows] == state
        highest = data.variables[family.child].state_count - 1
        codes = data.column(family.child)[rows]
        reverse = relation.model.effect is Effect.MIN
        levels = (highest - codes).astype(np.uint8) if reverse else codes
        return cls(relation, sizes, present, levels, weights, highest)

    def records_of(self, level: int) -> tuple[Words, npt.NDArray[np.int64]]:
        """Return the records of a level, bit-packed: the causes, then whether the child has it."""
        at_most = self.levels <= level
        effect = self.levels[at_most] == level
        bits = np.column_stack([self.present[at_most], effect])
        packed = np.zeros((len(bits), word_count(bits.shape[1]) * WORD_BITS // 8), dtype=np.uint8)
        own = np.packbits(bits, axis=1, bitorder="little")
        packed[:, : own.shape[1]] = own
        return packed.view("<u8").astype(np.uint64, copy=False), self.weights[at_most]

    def seen(self) -> Bools:
        """Return whether some record of a level has a cause, shape (causes but the leak, m)."""
        return np.stack(
            [
                self.present[self.levels <= level].any(axis=0)
                for level in range(1, self.level_count + 1)
            ],
            axis=1,
        )

    def unseen(self) -> Bools:
        """Return whether no record of a level has a cause, shape (causes and the leak, m)."""
        unseen = ~self.seen()
        if not self.relation.model.leak:
            return unseen
        levels = range(1, self.level_count + 1)
        leak = [not (self.levels <= level).any() for level in levels]
        return np.vstack([unseen, leak])

    def idle(self, q: Floats) -> Bools:
        """Return which causes are the idle states of their parents, shape (causes, m).

        `q` has shape (causes and perhaps the leak, m). Where any state may be idle, it is the
        weakest of those that the level's records have; of equals, the one that is idle in an
        unsigned relation comes first. Otherwise no cause is idle.
        """
        idle = np.zeros((self.present.shape[1], self.level_count), dtype=np.bool_)
        if not self.relation.signed:
            return idle
        seen = self.seen()
        backwards = self.relation.model.effect is Effect.MIN
        first = 0
        for states in self.parent_states:
            own = np.where(seen[first : first + states], q[first : first + states], -1)
            place = states - 1 - own[::-1].argmax(axis=0) if backwards else own.argmax(axis=0)
            idle[first + place, np.arange(self.level_count)] = True
            first += states
        return idle

    def without_cause(self) -> int:
        """Return how many records no parameters can explain: above the first level, no cause."""
        unexplained = (self.levels > 0) & ~self.present.any(axis=1)
        return int(self.weights[unexplained].sum())


def _merged(
    data: Dataset, variables: tuple[int, ...]
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Return a row for each configuration of some variables, and how many records have it.

    It is the first row that has it, and rows stay in their order, so a fit is the same to the last
    bit. Where configurations are not much fewer than rows, all rows are returned.
    """
    sizes = [data.variables[variable].state_count for variable in variables]
    rows, count = np.arange(len(data.weights)), configuration_count(sizes)
    if count * _MUCH_FEWER > len(rows):
        return rows, data.weights
    place = configuration_index([data.column(one) for one in variables], sizes, len(rows))
    first = np.full(count, len(rows))
    np.minimum.at(first, place, rows)
    kept = np.sort(first[first < len(rows)])
    weights = np.bincount(place, data.weights, minlength=count)
    return kept, weights[place[kept]].astype(np.int64)


def fit_causes(data: Dataset, family: Family, settings: FitterSettings) -> LikelihoodFit:
    """Fit independent causes, and certify the fit.

    Without a leak the likelihood is zero for all parameters if and only if some record has the
    child above its first level and no cause. That raises an InfeasibleFitError with their number.

    A cause that is in no record of a level has no strength there, q = 1, and is marked as unseen:
    the records say nothing about it.
    """
    columns = CauseColumns.of(data, family)
    relation = columns.relation
    causes = columns.present.shape[1]
    if causes >= MAX_VARIABLES:  # the kernel's sets hold the causes and the effect
        raise SettingsError(
            f"{data.names[family.child]!r} has {causes} causes, the acting states of its "
            f"{family.parent_count} parents; at most {MAX_VARIABLES - 1} can be fitted"
        )
    if not relation.model.leak and columns.without_cause():
        raise no_cause(data, family, columns.without_cause())
    starts = _starts(data, family, settings.start)
    fits = [
        _fit_level(columns, level, settings, None if starts is None else starts[:, level - 1])
        for level in range(1, columns.level_count + 1)
    ]
    q = np.stack([np.asarray(fit.q) for fit in fits], axis=1)
    if relation.signed:
        q = with_an_idle_state(q, columns.parent_states, columns.seen())
    fitted = relation.distribution(q, columns.level_count + 1, columns.parent_states)
    return LikelihoodFit(
        fitted.marked(columns.unseen()),
        float(sum(fit.upper[0] for fit in fits)),
        float(sum(fit.lower[0] for fit in fits)),
        converged=all(fit.ends[0] == kernels.FitEnd.CONVERGED for fit in fits),
        iterations=int(sum(fit.steps[0] for fit in fits)),
    )


def with_an_idle_state(q: Floats, parent_states: Iterable[int], seen: Bools) -> Floats:
    """Return the same distribution of the records with one state of each parent idle in each level.

    `q` has shape (causes, levels), with a row for each state of each parent and one for the leak;
    `seen` says whether the level's records have a state. Whatever its state in a record, a parent
    acts at least as strongly as in the weakest of those. That much is moved to the leak, which
    always acts too; no probability of a record changes. A state without records has no strength.
    """
    moved = q.copy()
    first = 0
    for states in parent_states:
        own, there = moved[first : first + states], seen[first : first + states]
        weakest = np.where(there, own, 0).max(axis=0)
        weakest[~there.any(axis=0)] = 1
        moved[-1] *= weakest
        np.divide(own, weakest, out=own, where=weakest > 0)
        own[:, weakest == 0] = 1
        own[~there] = 1
        first += states
    return moved


def _fit_level(
    columns: CauseColumns, level: int, settings: FitterSettings, start: Floats | None
) -> "kernels.NoisyOrFits":
    rows, weights = columns.records_of(level)
    causes = columns.present.shape[1]
    return fit_rows(
        rows,
        weights,
        variables=causes + 1,
        child=causes,
        parents=to_words([(1 << causes) - 1], rows.shape[1]),
        settings=settings,
        leak=columns.relation.model.leak,
        gap=settings.tolerance / columns.level_count,
        start=start,
    )


def _cause_relation(family: Family) -> CauseRelation:
    if not isinstance(family.relation, CauseRelation):
        raise TypeError(f"{family.relation} has no causes")
    return family.relation


def _starts(data: Dataset, family: Family, start: FittedFamily | None) -> Floats | None:
    """Return a warm start: q by cause, the child, and the leak, and level; NaN if unknown."""
    if start is None:
        return None
    causes = start.distribution.causes()
    if start.family.child != family.child or not causes:
        raise SettingsError(
            f"a fit of {data.names[family.child]!r} can start from causes of the same variable, "
            f"not from {start.family.relation} of variable {start.family.child}"
        )
    known = start.family.parent_indices()
    by_cause = {
        (None if one.parent is None else known[one.parent], one.state): one.levels for one in causes
    }
    parents = family.parent_indices()
    sizes = [data.variables[parent].state_count for parent in parents]
    wanted = [(parents[place], state) for place, state in _cause_relation(family).columns(sizes)]
    levels = data.variables[family.child].state_count - 1
    unknown = (np.nan,) * levels
    rows = [by_cause.get(key, unknown) for key in wanted]
    return np.array([*rows, unknown, by_cause.get((None, 1), unknown)])


def no_cause(data: Dataset, family: Family, records: int) -> InfeasibleFitError:
    """Return the error that counts the records that these causes cannot explain."""
    variable = data.variables[family.child]
    relation = _cause_relation(family)
    parents = ", ".join(repr(data.names[parent]) for parent in family.parent_indices())
    first, present, absent = variable.states[0], "present", "absent"
    if relation.model.effect is Effect.MIN:
        first, present, absent = variable.states[-1], absent, present
    is_what = present if variable.is_binary else f"not {first!r}"
    idle = absent if data.is_binary else "in their inactive states"
    child = variable.name
    leaky = cause_relation(relation.model.effect, leak=True)
    return InfeasibleFitError(
        f"no {relation.name_for(variable.state_count)} of {child!r} fits: it is {is_what} in "
        f"{-(-records // data.copies)} of {data.record_count} records in which all of its parents "
        f"are {idle} ({parents}); allowed: parents that cover every record with {child!r} "
        f"{is_what}, or {leaky.name_for(variable.state_count)}"
    )
