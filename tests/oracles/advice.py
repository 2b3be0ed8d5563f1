"""Values of information and posteriors at other parameters, from the joint distribution.

Shares no code with the package's own: it sums the entries of the joint distribution.
"""

from collections.abc import Mapping, Sequence
from math import log

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt
from noisyor.core.relations import CauseDistribution

Floats = npt.NDArray[np.float64]


Case = Mapping[int, int | Sequence[float]]
"""The value of some variables, or a likelihood for each of their values."""


def restricted(joint: Floats, given: Case) -> Floats:
    """Return the joint with the evidence: zeros where a variable has not its given value."""
    result = joint.copy()
    for variable, finding in given.items():
        for value in range(joint.shape[variable]):
            kept = float(finding == value) if isinstance(finding, int) else finding[value]
            result[(slice(None),) * variable + (value,)] *= kept
    return result


def marginal(joint: Floats, variable: int) -> Floats:
    """Return the distribution of a variable; NaN if nothing is possible."""
    axes = tuple(other for other in range(joint.ndim) if other != variable)
    sums = joint.sum(axis=axes)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / sums.sum())


def entropy(chances: Floats) -> float:
    return float(-sum(p * log(p) for p in chances.tolist() if p > 0))


def expected_drop(joint: Floats, target: int, finding: int, given: Case) -> float:
    """Return the entropy of the target, less its mean after the finding."""
    known = restricted(joint, given)
    after = 0.0
    for value, chance in enumerate(marginal(known, finding).tolist()):
        if chance > 0:
            after += chance * entropy(marginal(restricted(known, {finding: value}), target))
    return entropy(marginal(known, target)) - after


def table_with(table: Cpt, row: int, state: int, value: float) -> Cpt:
    """Return a table with another entry; the rest of its row keeps its proportions."""
    rows = table.table.copy()
    rest = sum(rows[row, other] for other in range(rows.shape[1]) if other != state)
    for other in range(rows.shape[1]):
        if other != state:
            share = rows[row, other] / rest if rest > 0 else 1 / (rows.shape[1] - 1)
            rows[row, other] = min(1.0, share) * (1 - value)
    rows[row, state] = value
    return Cpt(rows, table.unseen, table.sizes)


def causes_with(
    causes: CauseDistribution, cause: int, level: int, value: float
) -> CauseDistribution:
    """Return the causes, one of which by itself brings about a level with another probability.

    Its probabilities of the other levels keep their proportions.
    """
    levels = causes.levels.copy()
    at_most = [float(np.prod(levels[cause, t:])) for t in range(levels.shape[1] + 1)]
    own = [now - before for now, before in zip(at_most, [0.0, *at_most], strict=False)]
    rest = sum(own) - own[level]
    for other in range(len(own)):
        if other != level:
            share = own[other] / rest if rest > 1e-15 else 1 / (len(own) - 1)
            own[other] = share * (1 - value)
    own[level] = value
    for t in range(1, len(own)):
        total = sum(own[: t + 1])
        levels[cause, t - 1] = min(1.0, sum(own[:t]) / total) if total > 0 else 1.0
    return CauseDistribution(causes.relation, levels, causes.parent_states)  # type: ignore[arg-type]
