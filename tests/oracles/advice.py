"""Values of information and posteriors at other parameters, from the joint distribution.

Shares no code with the package's own: it sums the entries of the joint distribution.
"""

from collections.abc import Mapping
from math import log

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution
from noisyor.core.relations import CauseDistribution

Floats = npt.NDArray[np.float64]


def restricted(joint: Floats, given: Mapping[int, int]) -> Floats:
    """Return the joint with zeros where a variable has not its given value."""
    result = joint.copy()
    for variable, value in given.items():
        places = np.arange(joint.shape[variable]) != value
        result[(slice(None),) * variable + (places,)] = 0
    return result


def marginal(joint: Floats, variable: int) -> Floats:
    """Return the distribution of a variable; NaN if nothing is possible."""
    axes = tuple(other for other in range(joint.ndim) if other != variable)
    sums = joint.sum(axis=axes)
    with np.errstate(invalid="ignore"):
        return np.asarray(sums / sums.sum())


def entropy(chances: Floats) -> float:
    return float(-sum(p * log(p) for p in chances.tolist() if p > 0))


def expected_drop(joint: Floats, target: int, finding: int, given: Mapping[int, int]) -> float:
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
    rest = 1 - rows[row, state]
    for other in range(rows.shape[1]):
        if other != state:
            share = rows[row, other] / rest if rest > 0 else 1 / (rows.shape[1] - 1)
            rows[row, other] = share * (1 - value)
    rows[row, state] = value
    return Cpt(rows, table.unseen, table.sizes)


def causes_with(causes: CauseDistribution, cause: int, level: int, strength: float) -> Distribution:
    """Return the distribution in which a cause has another strength at a level, from 0."""
    levels = causes.levels.copy()
    levels[cause, level] = 1 - strength
    return CauseDistribution(causes.relation, levels, causes.parent_states)  # type: ignore[arg-type]
