"""A logistic regression of each variable on all the others: a yardstick, and no joint model."""

import warnings

import numpy as np
import numpy.typing as npt

from benchmarks.heldout.plan import SMOOTHING, TABLE_PRIOR
from benchmarks.heldout.predicting import Logs
from noisyor import Dataset
from noisyor.core.dataset import Codes

PENALTY = 1.0
"""scikit-learn's own choice of C, the inverse strength of the squared penalty."""

STEPS = 1000


def logistic_logs(outside: Dataset, inside: Dataset) -> tuple[Logs, int]:
    """Return the log-probability of each variable given the others, and how many did not converge.

    Columns of the others are one for each state but the first. A variable that has one state in all
    training records is predicted by its smoothed frequency.
    """
    found = np.empty(inside.codes.shape)
    unsettled = 0
    for variable, name in enumerate(outside.variables):
        states = name.state_count
        others = [one for one in range(outside.variable_count) if one != variable]
        train, settled = _fitted(outside, variable, others, inside.codes)
        unsettled += not settled
        chances = train[np.arange(len(inside.codes)), inside.codes[:, variable]]
        found[:, variable] = np.log((1 - SMOOTHING) * chances + SMOOTHING / states)
    return found, unsettled


def _fitted(
    outside: Dataset, variable: int, others: list[int], codes: Codes
) -> tuple[npt.NDArray[np.float64], bool]:
    """Return the chance of each state in each row, and whether the fit converged."""
    # Only this benchmark needs them.
    from sklearn.exceptions import (  # type: ignore[import-untyped]  # noqa: PLC0415
        ConvergenceWarning,
    )
    from sklearn.linear_model import (  # type: ignore[import-untyped]  # noqa: PLC0415
        LogisticRegression,
    )
    from threadpoolctl import (  # type: ignore[import-untyped]  # noqa: PLC0415
        threadpool_limits,
    )

    states = outside.variables[variable].state_count
    child = outside.codes[:, variable]
    seen = np.unique(child)
    if len(seen) == 1:
        counts = np.full(states, TABLE_PRIOR)
        counts[seen[0]] += outside.record_count
        return np.tile(counts / counts.sum(), (len(codes), 1)), True
    model = LogisticRegression(C=PENALTY, max_iter=STEPS)
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model.fit(_columns(outside, outside.codes, others), child, sample_weight=outside.weights)
    chances = np.zeros((len(codes), states))
    chances[:, model.classes_] = model.predict_proba(_columns(outside, codes, others))
    return chances, not any(issubclass(one.category, ConvergenceWarning) for one in caught)


def _columns(data: Dataset, codes: Codes, others: list[int]) -> npt.NDArray[np.float64]:
    return np.column_stack(
        [
            codes[:, one] == state
            for one in others
            for state in range(1, data.variables[one].state_count)
        ]
    ).astype(np.float64)
