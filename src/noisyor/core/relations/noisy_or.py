"""The noisy-OR, with and without a leak: causes that act independently."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.configurations import check_configurations
from noisyor.core.relations.base import (
    Cause,
    CauseModel,
    Columns,
    Distribution,
    Floats,
    Relation,
    check_probabilities,
)
from noisyor.core.relations.full_table import Cpt
from noisyor.core.variable import BINARY, Variable


@dataclass(frozen=True, slots=True)
class CauseRelation(Relation):
    """Binary causes that each may bring the binary child about (Pearl, 1988)."""

    model: CauseModel

    @property
    def causes(self) -> CauseModel:
        """How the parents act as independent causes."""
        return self.model

    def supports(self, child: Variable, parents: Sequence[Variable]) -> bool:
        """Return whether all variables are binary and there is at least one parent."""
        return bool(parents) and all(one.is_binary for one in (child, *parents))

    def parameter_count(self, child_states: int, parent_states: Sequence[int]) -> int:  # noqa: ARG002
        """Return one parameter for each parent, and one for the leak."""
        return len(parent_states) + self.model.leak

    def distribution(
        self,
        parameters: npt.ArrayLike,
        child_states: int = BINARY,  # noqa: ARG002
        parent_states: Sequence[int] = (),  # noqa: ARG002
    ) -> "NoisyOr":
        """Return the noisy-OR with these q's: one per parent, ascending, then the leak's."""
        q = np.asarray(parameters, dtype=np.float64)
        return NoisyOr(q[:-1], float(q[-1])) if self.model.leak else NoisyOr(q)


NOISY_OR = CauseRelation("noisy-or", 1, CauseModel())
LEAKY_NOISY_OR = CauseRelation("leaky-noisy-or", 2, CauseModel(leak=True))


@dataclass(frozen=True, slots=True, eq=False)
class NoisyOr(Distribution):
    """Causes that act independently (Pearl, 1988).

    The chance that the child is absent is the product of the q's of the present parents, times
    `leak_q` if there is a leak.

    Parameters
    ----------
    q
        For each parent, ascending, the chance that it fails to bring the child about when present.
    leak_q
        The chance that no cause outside of the parents acts; None without a leak.

    Examples
    --------
    >>> NoisyOr([0.2, 0.5]).expand().present.tolist()
    [0.0, 0.8, 0.5, 0.9]
    """

    q: npt.NDArray[np.float64]
    leak_q: float | None = None

    def __post_init__(self) -> None:
        """Check the shape and the probabilities once."""
        object.__setattr__(self, "q", read_only(self.q, np.float64))
        if self.q.ndim != 1 or not self.q.size:
            raise ValueError("a noisy-OR has one q for each of at least one parent")
        check_probabilities(self.parameters())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NoisyOr):
            return NotImplemented
        return np.array_equal(self.q, other.q) and self.leak_q == other.leak_q

    def __hash__(self) -> int:
        return hash((self.q.tobytes(), self.leak_q))

    @property
    def relation(self) -> Relation:
        """The relation that these are the parameters of."""
        return NOISY_OR if self.leak_q is None else LEAKY_NOISY_OR

    @property
    def child_states(self) -> int:
        """The number of states of the child."""
        return BINARY

    @property
    def parent_states(self) -> tuple[int, ...]:
        """The number of states of each parent."""
        return (BINARY,) * self.q.size

    @property
    def strengths(self) -> npt.NDArray[np.float64]:
        """The chance that each parent, when present, brings the child about: 1 - q."""
        return 1 - self.q

    @property
    def leak(self) -> float:
        """The chance that the child is present although no parent is; 0 without a leak."""
        return 0.0 if self.leak_q is None else 1 - self.leak_q

    def parameters(self) -> Floats:
        """Return the q's: one per parent, ascending, then the leak's."""
        return self.q if self.leak_q is None else np.append(self.q, self.leak_q)

    def causes(self) -> tuple[Cause, ...]:
        """Return the causes, parents ascending and the leak last."""
        named = tuple(Cause(place, 1, q) for place, q in enumerate(self.q.tolist()))
        return named if self.leak_q is None else (*named, Cause(None, 1, self.leak_q))

    def expand(self) -> Cpt:
        """Return the full table of the same distribution."""
        check_configurations(self.parent_states, "a noisy-OR")
        absent = np.array([1.0 if self.leak_q is None else self.leak_q])
        for q in self.q:
            absent = np.concatenate([absent, absent * q])
        return Cpt(
            np.stack([absent, 1 - absent], axis=1),
            np.zeros(absent.size, dtype=np.bool_),
            self.parent_states,
        )

    def chances(self, parents: Columns, records: int) -> Floats:
        """Return the chances of absence and presence in each record."""
        absent = np.full(records, 1.0 if self.leak_q is None else self.leak_q)
        for q, column in zip(self.q, parents, strict=True):
            absent[column.astype(np.bool_)] *= q
        return np.stack([absent, 1 - absent])

    def log_chances(self, parents: Columns, records: int) -> Floats:
        """Return the logarithms of the chances of absence and presence in each record.

        The first is computed as a sum. Computed as one minus the chance of presence, the chance of
        absence would round to 0 once several strong causes are present, which would make a record
        impossible that is merely unlikely.
        """
        with np.errstate(divide="ignore"):  # the logarithm of zero is -inf, as intended
            absent = np.full(records, np.log(1.0 if self.leak_q is None else self.leak_q))
            for log_q, column in zip(np.log(self.q), parents, strict=True):
                absent[column.astype(np.bool_)] += log_q
            return np.stack([absent, np.log(-np.expm1(absent))])
