"""A relation that the package does not have: a noisy-OR whose parents all have the same strength.

It has one parameter, whatever the number of parents. Adding a parent may make its likelihood
smaller, since the new parent must be as strong as the others. So no pruning rule that rests on a
likelihood that grows with the parents holds for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, expm1, inf, isinf, log

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Dataset, Distribution, Family, InfeasibleFitError, Relation
from noisyor.core.configurations import configuration_codes, configuration_count
from noisyor.fitting.fitters import FitterSettings
from noisyor.fitting.likelihood_fit import LikelihoodFit

_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class SharedStrength(Relation):
    """Present parents that each bring the child about with the same chance."""

    def parameter_count(self, child_states: int, parent_states: Sequence[int]) -> int:  # noqa: ARG002
        return 1

    def distribution(
        self,
        parameters: npt.ArrayLike,
        child_states: int,  # noqa: ARG002
        parent_states: Sequence[int],
    ) -> "SharedNoisyOr":
        return SharedNoisyOr(float(np.asarray(parameters)[0]), tuple(parent_states))


SHARED = SharedStrength("shared-noisy-or", 200)


@dataclass(frozen=True, slots=True)
class SharedNoisyOr(Distribution):
    """The chance `q` that a present parent fails, the same for all."""

    q: float
    sizes: tuple[int, ...]

    @property
    def relation(self) -> Relation:
        return SHARED

    @property
    def child_states(self) -> int:
        return 2

    @property
    def parent_states(self) -> tuple[int, ...]:
        return self.sizes

    def parameters(self) -> npt.NDArray[np.float64]:
        return np.array([self.q])

    def expand(self) -> Cpt:
        rows = range(configuration_count(self.sizes))
        return Cpt.binary([1 - self.q ** sum(configuration_codes(row, self.sizes)) for row in rows])


def fit_shared(data: Dataset, family: Family, _settings: FitterSettings) -> LikelihoodFit:
    """Minimise -ln L in x = -ln q >= 0, where it is convex, by bisection of its slope.

    Records with k present parents and the child absent cost k x each, those with the child present
    -ln(1 - exp(-k x)). Between two points whose slopes have different signs the tangents bound the
    minimum from below.
    """
    present = data.present(family.child)
    causes = np.zeros(len(data.weights), dtype=np.int64)
    for parent in family.parent_indices():
        causes += data.present(parent)
    if (present & (causes == 0)).any():
        raise InfeasibleFitError("a record has the child present and no cause")
    absent = float((data.weights * causes)[~present].sum())
    counts = [(k, float(data.weights[present & (causes == k)].sum())) for k in set(causes.tolist())]
    effects = [(k, count) for k, count in counts if count]

    def loss(x: float) -> float:
        return absent * x - sum(c * log(-expm1(-k * x)) for k, c in effects)

    def slope(x: float) -> float:
        return absent - sum(c * k / expm1(k * x) for k, c in effects)

    sizes = (2,) * family.parent_count
    if not effects:  # the child is never present: q = 1 explains it fully
        return LikelihoodFit(SharedNoisyOr(1.0, sizes), 0.0, 0.0)
    if not absent:  # parents are never present without the child: q = 0
        return LikelihoodFit(SharedNoisyOr(0.0, sizes), 0.0, 0.0)
    low, high = 1e-12, 40.0
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    best = min((low, high), key=loss)
    meet = (loss(high) - loss(low) + slope(low) * low - slope(high) * high) / (
        slope(low) - slope(high) or inf
    )
    tangent = loss(low) + slope(low) * (meet - low)
    lower = loss(best) if isinf(tangent) else min(loss(best), tangent)
    return LikelihoodFit(SharedNoisyOr(exp(-best), sizes), loss(best), lower)
