"""A noisy-AND for the tests: each absent parent may prevent the child, independently.

It is the noisy-OR of the child's absence, caused by the absences of the parents. So its fit is that
of a noisy-OR on the exchanged states.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Dataset, Distribution, Family, NoisyOr, Relation
from noisyor.core.relations import NOISY_OR, Cause, CauseModel, Effect
from noisyor.fitting.fitters import FitterSettings
from noisyor.fitting.likelihood_fit import LikelihoodFit
from noisyor.fitting.noisy_or import fit_noisy_or


@dataclass(frozen=True, slots=True)
class NoisyAndRelation(Relation):
    """The child needs all its parents, up to noise."""

    @property
    def causes(self) -> CauseModel:
        return CauseModel(Effect.MIN)

    def parameter_count(self, child_states: int, parent_states: Sequence[int]) -> int:  # noqa: ARG002
        return len(parent_states)

    def distribution(
        self,
        parameters: npt.ArrayLike,
        child_states: int,  # noqa: ARG002
        parent_states: Sequence[int],  # noqa: ARG002
    ) -> "NoisyAnd":
        return NoisyAnd(tuple(np.asarray(parameters, dtype=np.float64).tolist()))


NOISY_AND = NoisyAndRelation("toy-noisy-and", 202)


@dataclass(frozen=True, slots=True)
class NoisyAnd(Distribution):
    """`q[t]` is the chance that the t-th parent's absence fails to prevent the child."""

    q: tuple[float, ...]

    @property
    def relation(self) -> Relation:
        return NOISY_AND

    @property
    def child_states(self) -> int:
        return 2

    @property
    def parent_states(self) -> tuple[int, ...]:
        return (2,) * len(self.q)

    def parameters(self) -> npt.NDArray[np.float64]:
        return np.array(self.q)

    def causes(self) -> tuple[Cause, ...]:
        return tuple(Cause(place, 0, q) for place, q in enumerate(self.q))

    def expand(self) -> Cpt:
        exchanged = NoisyOr(self.parameters()).expand().table
        return Cpt.binary(exchanged[::-1, 0])


def fit_noisy_and(data: Dataset, family: Family, settings: FitterSettings) -> LikelihoodFit:
    """Fit a noisy-OR to the exchanged states."""
    exchanged = Dataset(data.variables, 1 - data.codes[::-1], data.weights[::-1])
    found = fit_noisy_or(exchanged, Family(family.child, family.parents, NOISY_OR), settings)
    return LikelihoodFit(
        NoisyAnd(tuple(found.distribution.parameters().tolist())),
        found.upper,
        found.lower,
        converged=found.converged,
        iterations=found.iterations,
    )
