"""The noisy-OR fit with some causes held fixed, with a proven gap.

With lambda = -ln q >= 0, minus the log-likelihood of a noisy-OR is convex (docs/scoring.md). A
cause that is held at one value adds a constant to the exponent of each row that it is present in:

    f(lambda) = a . lambda - sum_r c_r ln(1 - exp(-(b_r + x_r . lambda))),    b_r >= 0

with rows x_r, the configurations of the other causes among the records with the child present,
their numbers c_r, and for each cause the records a_j > 0 that have it without the child.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor._kernels import kernels

Floats = npt.NDArray[np.float64]

_CLOSED = 1e-10  # nats: a gap below this moves no end of an interval visibly
_ROUNDING = 2.0**-52  # relative, of a sum of terms
_MAX_STEPS = 200  # Newton needs about ten; this only guards against rounding
_LARGEST_EXPONENT = 700.0  # exp does not overflow up to here


@dataclass(frozen=True, slots=True, eq=False)
class ConstrainedProblem:
    """The convex problem above. Each row has a cause, or a positive base.

    `rows` (R, K) are 0 or 1, `counts` (R,) and `absent` (K,) positive, `base` (R,) at least 0.
    """

    rows: Floats
    counts: Floats
    absent: Floats
    base: Floats

    def exponents(self, rates: Floats) -> Floats:
        """Return b_r + x_r . lambda, of shape (R,)."""
        return self.base + self.rows @ rates


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where f is least, up to a proven `gap` in nats: no lambda >= 0 gives less than f - gap."""

    rates: Floats
    gap: float


def failures(counts: Floats, exponents: Floats) -> Floats:
    """Return u_r = c_r/(exp(s_r) - 1), by which f falls as s_r grows."""
    fails: Floats = counts / np.expm1(np.minimum(exponents, _LARGEST_EXPONENT))
    return fails


def minimise(
    problem: ConstrainedProblem, near: Floats | None = None, *, gap: float = _CLOSED
) -> Minimum:
    """Return the best lambda with its gap, which may be wide if doubles end before the proof.

    `near` is where to start, for instance a neighbouring problem's optimum. It ends once the gap is
    at most `gap`, or as small as rounding allows.
    """
    found = kernels.fit_with_base(
        rows=np.ascontiguousarray(problem.rows),
        counts=problem.counts,
        absent=problem.absent,
        base=problem.base,
        near=np.empty(0) if near is None else near,
        gap=max(gap, _ROUNDING * float(problem.counts.sum())) if gap else 0.0,
        max_steps=_MAX_STEPS,
    )
    return Minimum(found.rates, found.gap)


def row_rises(counts: Floats, exponents: Floats, change: Floats) -> Floats:
    """Return how much each row adds to f when its s grows by `change`, to a small relative error.

    Written as one logarithm of a ratio near 1, so that nothing large cancels in a small change.
    """
    ratio = -np.expm1(-change) / np.expm1(np.minimum(exponents, _LARGEST_EXPONENT))
    rises: Floats = -counts * np.log1p(ratio)
    return rises
