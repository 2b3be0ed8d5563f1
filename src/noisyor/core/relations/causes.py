"""Independent causes: noisy-OR, noisy-AND, noisy-MAX and noisy-MIN, leaky and signed.

All of them are one model with three settings (`CauseModel`). Number the child's states 0 to m, in
reverse for a minimum. Each acting state of a parent is a cause, and so is the leak, which always
acts. The child's state is the highest that one of its causes brings about, independently of each
other, so

    P(Y <= y | x) = the product, over the causes c that are there in x, of F_c(y).

The parameters are q_c(t) = F_c(t - 1) / F_c(t) for the levels t = 1 to m: the chance that a cause
which has brought about at most t brings about less. They are free, each between 0 and 1. With one
level, the binary child, q_c is the chance that a cause fails. `docs/relations.md` has the proofs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.configurations import check_configurations
from noisyor.core.relations.base import (
    Acting,
    Cause,
    CauseModel,
    Columns,
    Distribution,
    Effect,
    Floats,
    ParameterForm,
    Relation,
    check_probabilities,
)
from noisyor.core.relations.full_table import Cpt
from noisyor.core.variable import BINARY, Variable


@dataclass(frozen=True, slots=True)
class CauseRelation(Relation):
    """Parents that act on the child as independent causes (Pearl, 1988; Diez, 1993)."""

    model: CauseModel

    @property
    def causes(self) -> CauseModel:
        """How the parents act as independent causes."""
        return self.model

    @property
    def least_parents(self) -> int:
        """One parent; with a leak two, as one alone has as many parameters as the full table."""
        return 2 if self.model.leak else 1

    def name_for(self, child_states: int) -> str:
        """Return the name for a child of so many states: or and and, else max and min."""
        if child_states <= BINARY:
            return self.name
        or_, max_ = ("or", "max") if self.model.effect is Effect.MAX else ("and", "min")
        return f"{self.name.removesuffix(or_)}{max_}"

    def supports(self, child: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether the child's states are ordered and there is at least one parent."""
        return bool(parents) and child.has_order and child.state_count >= BINARY

    def parameter_form(self, child_states: int) -> ParameterForm:
        """Return one parameter a level for each state of a parent but one, and for the leak.

        Where any state may be the inactive one, its choice is not counted as a parameter.
        """
        levels = child_states - 1
        return ParameterForm(constant=levels * self.model.leak, per_state=levels)

    def parameter_size(self, child_states: int, parent_states: Sequence[int]) -> int:
        """Return one q a level for each cause; where any state may be inactive, each is one."""
        return (child_states - 1) * (len(self.columns(parent_states)) + self.model.leak)

    def columns(self, parent_states: Sequence[int]) -> list[tuple[int, int]]:
        """Return the causes but the leak: the place of the parent, and its acting state."""
        return [
            (place, state)
            for place, states in enumerate(parent_states)
            for state in self.model.acting_states(states)
        ]

    def distribution(
        self,
        parameters: npt.ArrayLike,
        child_states: int = BINARY,
        parent_states: Sequence[int] | None = None,
    ) -> "CauseDistribution":
        """Return the distribution with these q's: by cause, the leak last, then by level.

        Without numbers of states, all variables are binary.
        """
        q = np.asarray(parameters, dtype=np.float64).reshape(-1)
        if parent_states is None:
            parent_states = (BINARY,) * ((q.size - self.model.leak) // (2 if self.signed else 1))
        if child_states == BINARY and set(parent_states) <= {BINARY} and self.is_noisy_or:
            return NoisyOr(q[:-1], float(q[-1])) if self.model.leak else NoisyOr(q)
        return CauseDistribution(self, q.reshape(-1, child_states - 1), tuple(parent_states))

    @property
    def signed(self) -> bool:
        """Whether any state of a parent may be the inactive one."""
        return self.model.acting is Acting.ANY


NOISY_OR = CauseRelation("noisy-or", 1, CauseModel())
LEAKY_NOISY_OR = CauseRelation("leaky-noisy-or", 2, CauseModel(leak=True))
SIGNED_NOISY_OR = CauseRelation("signed-noisy-or", 3, CauseModel(leak=True, acting=Acting.ANY))
NOISY_AND = CauseRelation("noisy-and", 4, CauseModel(Effect.MIN))
LEAKY_NOISY_AND = CauseRelation("leaky-noisy-and", 5, CauseModel(Effect.MIN, leak=True))
SIGNED_NOISY_AND = CauseRelation(
    "signed-noisy-and", 6, CauseModel(Effect.MIN, leak=True, acting=Acting.ANY)
)
CAUSE_RELATIONS = (
    NOISY_OR,
    LEAKY_NOISY_OR,
    SIGNED_NOISY_OR,
    NOISY_AND,
    LEAKY_NOISY_AND,
    SIGNED_NOISY_AND,
)


class CauseDistribution(Distribution):
    """The parameters of independent causes at a node.

    Parameters
    ----------
    relation
        The relation, which decides what the causes are.
    levels
        q_c(t) for each cause and level, shape (causes, m): parents ascending, their acting states
        ascending, the leak last.
    parent_states
        The number of states of each parent, ascending.
    unseen
        Whether no record of a level has the cause, in the shape of `levels`; False by default.
    """

    __slots__ = ("_relation", "_states", "levels", "unseen")

    def __init__(
        self,
        relation: CauseRelation,
        levels: npt.ArrayLike,
        parent_states: Sequence[int],
        unseen: npt.ArrayLike | None = None,
    ) -> None:
        self._relation = relation
        self._states = tuple(parent_states)
        self.levels: Floats = read_only(np.asarray(levels), np.float64)
        """q_c(t), shape (causes, m)."""
        marks = np.zeros(self.levels.shape) if unseen is None else np.asarray(unseen)
        self.unseen: npt.NDArray[np.bool_] = read_only(marks, np.bool_)
        """Whether no record of a level has the cause, shape (causes, m)."""
        needed = len(relation.columns(self._states)) + relation.model.leak
        if not self._states:
            raise ValueError(f"a {relation} has at least one parent")
        if self.levels.ndim != 2 or len(self.levels) != needed or not self.levels.shape[1]:  # noqa: PLR2004
            raise ValueError(
                f"the parameters of a {relation} have shape {self.levels.shape}; parents with "
                f"{self._states} states need {needed} rows"
            )
        if self.unseen.shape != self.levels.shape:
            raise ValueError("one mark for each cause and level")
        check_probabilities(self.levels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CauseDistribution):
            return NotImplemented
        return (
            self._relation is other._relation
            and self._states == other._states
            and np.array_equal(self.levels, other.levels)
            and np.array_equal(self.unseen, other.unseen)
        )

    def __hash__(self) -> int:
        marks = self.unseen.tobytes()
        return hash((self._relation, self._states, self.levels.tobytes(), marks))

    def __repr__(self) -> str:
        marks = f", {self.unseen.tolist()}" if self.unseen.any() else ""
        return f"CauseDistribution({self._relation}, {self.levels.tolist()}, {self._states}{marks})"

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return self._relation

    @property
    def child_states(self) -> int:
        """The number of states of the child."""
        return int(self.levels.shape[1]) + 1

    @property
    def parent_states(self) -> tuple[int, ...]:
        """The number of states of each parent, ascending."""
        return self._states

    def parameters(self) -> Floats:
        """Return the q's: by cause, the leak last, then by level."""
        return self.levels.reshape(-1)

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes, parents ascending and the leak last."""
        columns: list[tuple[int | None, int]] = [*self._relation.columns(self._states)]
        if self._relation.model.leak:
            columns.append((None, 1))
        return tuple(
            Cause(place, state, tuple(q), tuple(marks) if any(marks) else ())
            for (place, state), q, marks in zip(
                columns, self.levels.tolist(), self.unseen.tolist(), strict=True
            )
        )

    def marked(self, unseen: npt.ArrayLike) -> "CauseDistribution":
        """Return the distribution with the causes marked that no record of a level has."""
        return CauseDistribution(self._relation, self.levels, self._states, unseen)

    def expand(self) -> Cpt:
        """Return the full table of the same distribution."""
        check_configurations(self._states, f"a {self._relation.name_for(self.child_states)}")
        staying = self._leak()[:, None]
        for factors in self._by_parent():
            staying = np.concatenate([staying * q[:, None] for q in factors], axis=1)
        table = self._from_levels(staying).T
        return Cpt(table, np.zeros(len(table), dtype=np.bool_), self._states)

    def chances(self, parents: Columns, records: int) -> Floats:
        """Return the chance of each of the child's states in each record."""
        staying = np.repeat(self._leak()[:, None], records, axis=1)
        for factors, column in zip(self._by_parent(), parents, strict=True):
            staying *= factors[column.astype(np.intp)].T
        return self._from_levels(staying)

    def log_chances(self, parents: Columns, records: int) -> Floats:
        """Return the logarithms of the chances of each state in each record.

        Sums of logarithms do not round to zero. Computed as one minus the other chances, a state
        that several strong causes make unlikely would become impossible.
        """
        with np.errstate(divide="ignore", invalid="ignore"):  # the logarithm of zero is -inf
            staying = np.repeat(np.log(self._leak())[:, None], records, axis=1)
            for factors, column in zip(self._by_parent(), parents, strict=True):
                staying += np.log(factors)[column.astype(np.intp)].T
            logs = np.zeros((self.child_states, records))
            logs[:-1] = np.cumsum(staying[::-1], axis=0)[::-1]
            logs[1:] += np.log(-np.expm1(staying))
            return self._in_order(logs)

    def _leak(self) -> Floats:
        """Return the leak's q by level; 1 without a leak."""
        return self.levels[-1] if self._relation.model.leak else np.ones(self.levels.shape[1])

    def _by_parent(self) -> list[Floats]:
        """Return for each parent the q's of its states, shape (states, m); 1 where one is idle."""
        factors = [np.ones((states, self.levels.shape[1])) for states in self._states]
        columns = self._relation.columns(self._states)
        for (place, state), q in zip(columns, self.levels, strict=False):
            factors[place][state] = q
        return factors

    def _from_levels(self, staying: Floats) -> Floats:
        """Return the chances of the child's states from S(t), shape (m, ...).

        S(t) is the product of the q(t) of all causes that are there: the chance that a child of at
        most t stays below t. So P(Y = y) = (1 - S(y)) * S(y + 1) * ... * S(m).
        """
        chances = np.ones((self.child_states, *staying.shape[1:]))
        chances[:-1] = np.cumprod(staying[::-1], axis=0)[::-1]
        chances[1:] *= 1 - staying
        return self._in_order(chances)

    def _in_order(self, by_level: Floats) -> Floats:
        """Return values by level as values by state: reversed where the minimum decides."""
        return by_level[::-1] if self._relation.model.effect is Effect.MIN else by_level


class NoisyOr(CauseDistribution):
    """A noisy-OR of binary variables (Pearl, 1988).

    The chance that the child is absent is the product of the q's of the present parents, times
    `leak_q` if there is a leak.

    Parameters
    ----------
    q
        For each parent, ascending, the chance that it fails to bring the child about when present.
    leak_q
        The chance that no cause outside of the parents acts; None without a leak.
    unseen
        Whether no record has the cause, for each parent and, with a leak, one more; False by
        default.

    Examples
    --------
    >>> NoisyOr([0.2, 0.5]).expand().present.tolist()
    [0.0, 0.8, 0.5, 0.9]
    """

    __slots__ = ()

    def __init__(
        self,
        q: npt.ArrayLike,
        leak_q: float | None = None,
        unseen: npt.ArrayLike | None = None,
    ) -> None:
        own = np.asarray(q, dtype=np.float64)
        if own.ndim != 1 or not own.size:
            raise ValueError("a noisy-OR has one q for each of at least one parent")
        relation = NOISY_OR if leak_q is None else LEAKY_NOISY_OR
        levels = own if leak_q is None else np.append(own, leak_q)
        marks = None if unseen is None else np.asarray(unseen).reshape(-1, 1)
        super().__init__(relation, levels[:, None], (BINARY,) * own.size, marks)

    def __reduce__(
        self,
    ) -> "tuple[type[NoisyOr], tuple[Floats, float | None, npt.NDArray[np.bool_]]]":
        return NoisyOr, (self.q, self.leak_q, self.unseen)

    def __repr__(self) -> str:
        marks = f", unseen={self.unseen[:, 0].tolist()}" if self.unseen.any() else ""
        return f"NoisyOr(q={self.q.tolist()}, leak_q={self.leak_q}{marks})"

    def marked(self, unseen: npt.ArrayLike) -> "NoisyOr":
        """Return the noisy-OR with the causes marked that no record has."""
        return NoisyOr(self.q, self.leak_q, unseen)

    @property
    def q(self) -> Floats:
        """The chance that each parent, when present, fails to bring the child about."""
        return self.levels[: len(self.parent_states), 0]

    @property
    def leak_q(self) -> float | None:
        """The chance that no cause outside of the parents acts; None without a leak."""
        return float(self.levels[-1, 0]) if self._relation.model.leak else None

    @property
    def strengths(self) -> Floats:
        """The chance that each parent, when present, brings the child about: 1 - q."""
        return 1 - self.q

    @property
    def leak(self) -> float:
        """The chance that the child is present although no parent is; 0 without a leak."""
        return 0.0 if self.leak_q is None else 1 - self.leak_q
