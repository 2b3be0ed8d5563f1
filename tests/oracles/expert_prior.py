"""What real and imaginary records cost a cause model, term by term from the definition.

Shares no code with the package's fit: it reads the q's of a distribution and multiplies.
"""

from collections.abc import Sequence
from math import inf, log, prod

from noisyor.core import Dataset
from noisyor.core.relations import CauseDistribution
from tests.oracles.joint import chance


def brought_about(q: Sequence[float]) -> list[float]:
    """Return the chance of each level that a cause with these q(t) brings about by itself."""
    at_most = [prod(q[level:]) for level in range(len(q) + 1)]
    return [now - before for now, before in zip(at_most, [0.0, *at_most], strict=False)]


def imaginary_cost(
    q: Sequence[Sequence[float]], expert: Sequence[Sequence[float]], weights: Sequence[float]
) -> float:
    """Return -ln L of what each cause by itself brings about in its imaginary records."""
    total = 0.0
    for own, given, weight in zip(q, expert, weights, strict=True):
        for now, then in zip(brought_about(own), brought_about(given), strict=True):
            if weight * then > 0:
                total -= weight * then * log(now) if now > 0 else -inf
    return total


def real_cost(distribution: CauseDistribution, data: Dataset) -> float:
    """Return -ln L of variable 0 given all others in the records."""
    total = 0.0
    for row, weight in zip(data.codes.tolist(), data.weights.tolist(), strict=True):
        probability = chance(distribution, row[1:], row[0])
        total -= weight * log(probability) if probability > 0 else -inf
    return total
