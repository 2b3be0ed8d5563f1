"""The noisy-OR fit with some causes held fast: Newton's method, ended by a proof.

With lambda = -ln q >= 0, minus the log-likelihood of a noisy-OR is convex (docs/scoring.md). A
cause that is held at one value adds a constant to the exponent of each row that it is present in:

    f(lambda) = a . lambda - sum_r c_r ln(1 - exp(-(b_r + x_r . lambda))),    b_r >= 0

with rows x_r, the configurations of the other causes among the records with the child present,
their numbers c_r, and for each cause the records a_j > 0 that have it without the child.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_CLOSED = 1e-10  # nats: a gap below this moves no end of an interval visibly
_ROUNDING = 2.0**-52  # relative, of a sum of terms
_MAX_STEPS = 200  # Newton needs about ten; this only guards against rounding
_PATIENCE = 12  # steps without a smaller gap: doubles end here
_MAX_BACKTRACKS = 40
_SUFFICIENT_DECREASE = 1e-4
_TOWARDS_BOUNDARY = 0.95  # of the way to a row without a cause, where f is infinite
_RIDGE = 1e-12  # of a diagonal of ones: keeps causes that always occur together apart
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

    def largest_rates(self) -> Floats:
        """Return what no optimal lambda exceeds: ln(1 + n_j/a_j), n_j records having child and j.

        Where lambda_j > 0 is optimal the derivative vanishes: a_j is the sum of c_r/(exp(s_r) - 1)
        over the rows of j, each of which has s_r >= lambda_j. So a_j <= n_j/(exp(lambda_j) - 1).
        """
        return np.log1p(self.counts @ self.rows / self.absent)

    def start(self) -> Floats:
        """Return a point at which f is finite: each row's credit split among its causes."""
        split = self.counts / np.maximum(self.rows.sum(axis=1), 1)
        rates: Floats = np.log1p(split @ self.rows / self.absent)
        return rates


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """Where f is least, up to a proven `gap` in nats: no lambda >= 0 gives less than f - gap."""

    rates: Floats
    gap: float


def failures(counts: Floats, exponents: Floats) -> Floats:
    """Return u_r = c_r/(exp(s_r) - 1), by which f falls as s_r grows."""
    fails: Floats = counts / np.expm1(np.minimum(exponents, _LARGEST_EXPONENT))
    return fails


def minimise(problem: ConstrainedProblem, near: Floats | None = None) -> Minimum:
    """Return the best lambda with its gap, which may be wide if doubles end before the proof.

    A convex f lies above its tangent: f* >= f + g . (lambda* - lambda). The optimum lies in the
    box [0, largest_rates], so f - f* is at most the largest value of g . (lambda - z) over z in
    the box, a sum over the causes: g_j lambda_j where g_j > 0, else -g_j (largest_j - lambda_j).

    `near` is where to start, for instance a neighbouring problem's optimum.
    """
    # A cause with nothing to explain only costs: lambda = 0.
    used = np.asarray(problem.rows.any(axis=0))
    inner = ConstrainedProblem(
        problem.rows[:, used], problem.counts, problem.absent[used], problem.base
    )
    rates = inner.start() if near is None else near[used]
    if (inner.exponents(rates) <= 0).any():
        rates = inner.start()
    best = _newton(inner, rates)
    full = np.zeros(len(used))
    full[used] = best.rates
    return Minimum(full, best.gap)


def _newton(problem: ConstrainedProblem, rates: Floats) -> Minimum:
    largest = problem.largest_rates()
    closed = max(_CLOSED, _ROUNDING * float(problem.counts.sum()))
    best, best_step = Minimum(rates, np.inf), 0
    for number in range(_MAX_STEPS):
        exponents = problem.exponents(rates)
        fails = failures(problem.counts, exponents)
        gradient = problem.absent - fails @ problem.rows
        worst = np.where(gradient > 0, gradient * rates, gradient * (rates - largest))
        gap = max(float(worst.sum()), 0.0)
        if gap < best.gap:
            best, best_step = Minimum(rates, gap), number
        if gap <= closed or number > best_step + _PATIENCE:
            break
        curvature = fails * (1 + fails / problem.counts)
        hessian = (problem.rows.T * curvature) @ problem.rows
        step = _model_minimum(hessian, gradient, rates) - rates
        length = _step_length(problem, exponents, step, float(gradient @ step))
        if length is None:
            break
        rates = np.maximum(rates + length * step, 0.0)
    return best


def _model_minimum(hessian: Floats, gradient: Floats, rates: Floats) -> Floats:
    """Return the point lambda >= 0 with the least value of Newton's quadratic model.

    An active-set method (Lawson and Hanson, 1974) that begins at `rates` and lowers the model in
    each round. So the way to any point that it ends at, were it cut short, is one of descent.
    Clipping the free minimum at zero instead may stall on a face.
    """
    scale = np.sqrt(np.diag(hessian))
    matrix = hessian / np.outer(scale, scale) + _RIDGE * np.eye(len(scale))
    point = rates * scale
    right = matrix @ point - gradient / scale
    free = point > 0
    for _ in range(10 + 4 * len(scale)):
        while free.any():
            wanted = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
            if (wanted > 0).all():
                point[free] = wanted
                break
            _stop_at_zero(point, free, wanted)
        pull = np.where(free, -np.inf, right - matrix @ point)
        strongest = int(pull.argmax())
        if pull[strongest] <= _RIDGE * abs(right[strongest]):
            break
        free[strongest] = True
    moved: Floats = point / scale
    return moved


def _stop_at_zero(point: Floats, free: npt.NDArray[np.bool_], wanted: Floats) -> None:
    """Go towards the wanted point as far as none is negative; who is zero there is not free."""
    here = point[free]
    falling = wanted <= 0
    share = np.full(len(here), np.inf)
    share[falling] = here[falling] / np.maximum(here[falling] - wanted[falling], 1e-300)
    least = share.min()
    here = here + least * (wanted - here)
    here[share <= least] = 0.0
    point[free] = np.maximum(here, 0.0)
    free[free] = point[free] > 0


def _step_length(
    problem: ConstrainedProblem, exponents: Floats, step: Floats, slope: float
) -> float | None:
    """Return how far to go for f to fall by a fraction of what the slope promises, if anywhere.

    Up to rounding: near the optimum a step is still a good one when its fall can no longer be told
    from zero, and the gap will say whether it was.
    """
    if not slope < 0:
        return None
    change = problem.rows @ step
    falling = change < 0
    room = exponents[falling] / -change[falling]
    length = min(1.0, _TOWARDS_BOUNDARY * float(room.min(initial=np.inf)))
    for _ in range(_MAX_BACKTRACKS):
        terms = np.append(
            length * problem.absent * step, row_rises(problem.counts, exponents, length * change)
        )
        noise = _ROUNDING * float(np.abs(terms).sum())
        if float(terms.sum()) <= _SUFFICIENT_DECREASE * length * slope + noise:
            return length
        length /= 2
    return None


def row_rises(counts: Floats, exponents: Floats, change: Floats) -> Floats:
    """Return how much each row adds to f when its s grows by `change`, to a small relative error.

    Written as one logarithm of a ratio near 1, so that nothing large cancels in a small change.
    """
    ratio = -np.expm1(-change) / np.expm1(np.minimum(exponents, _LARGEST_EXPONENT))
    rises: Floats = -counts * np.log1p(ratio)
    return rises
