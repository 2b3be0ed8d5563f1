# ruff: noqa: N803  (X is what scikit-learn calls a table)
"""X and y as columns, after scikit-learn's own checks of shape and names."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.utils import (  # type: ignore[import-untyped]
    check_array,
    check_consistent_length,
    column_or_1d,
)
from sklearn.utils.validation import validate_data  # type: ignore[import-untyped]

from noisyor.core import DataError, SettingsError
from noisyor.core.listing import listed
from noisyor.estimator.columns import array_columns, frame_columns, is_frame

Columns = dict[str, pl.Series]

LEAST_RECORDS = 2
"""With one record, BIC's price of a parameter, ln(N)/2, is zero and all networks are equal."""

_Y = "y"  # the name of a target that has none


def read_table(estimator: BaseEstimator, X: object, *, reset: bool, gaps: bool) -> Columns:
    """Return X's columns by name, in order; `gaps` says whether values may be missing.

    With `reset`, the estimator stores their number and names; without it, they must match.
    """
    least = LEAST_RECORDS if reset else 1
    if not is_frame(X):
        rules = _array_rules(gaps=gaps) | {"ensure_min_samples": least}
        return _numbered(validate_data(estimator, X, reset=reset, **rules))
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    columns = frame_columns(X)
    records = len(next(iter(columns.values())))
    if records < least:
        raise DataError(f"X has {records} record; at least {least} are needed to learn from")
    return columns


def read_others(X: object, names: Sequence[str]) -> Columns:
    """Return the columns of a table that lacks the target, given the names of the others."""
    if not is_frame(X):
        return _numbered(check_array(X, **_array_rules(gaps=True)))
    columns = frame_columns(X)
    if tuple(columns) != tuple(names):
        raise DataError(
            f"X has the columns {listed(list(columns))}; to predict, it needs these, in this "
            f"order, with or without the target: {listed(names)}"
        )
    return columns


def read_target(y: object, X: object, name: str) -> Columns:
    """Return y as one column of that name, with as many records as X."""
    values = column_or_1d(y, warn=True)
    check_consistent_length(X, values)
    return array_columns(values[:, None], [name])


def target_name(target: str | int | None, names: Sequence[str], y: object) -> str | None:
    """Return the name of the variable to predict: y, or a column of X by name or number."""
    if y is not None:
        return _name_of_y(target, names, y)
    if target is None:
        return None
    if isinstance(target, str):
        if target not in names:
            raise SettingsError(f"target is {target!r}; the columns are: {listed(names)}")
        return target
    if not -len(names) <= target < len(names):
        raise SettingsError(
            f"target is column {target}; X has {len(names)}, counted from 0, or from -1 backwards"
        )
    return names[target]


def width_of(X: Any) -> int | None:  # noqa: ANN401  (whatever numpy takes)
    """Return the number of columns if X is a table."""
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    return shape[1] if len(shape) == 2 else None  # noqa: PLR2004  (records and columns)


def _name_of_y(target: str | int | None, names: Sequence[str], y: object) -> str:
    if target is not None:
        raise SettingsError(f"target is {target!r}, and y is given too; only one can be predicted")
    own = getattr(y, "name", None)
    name = own if isinstance(own, str) and own.strip() else _Y
    if name in names:
        raise SettingsError(
            f"y is called {name!r}, and so is a column of X; leave that one out, or give y as a "
            "Series of another name"
        )
    return name


def _array_rules(*, gaps: bool) -> dict[str, Any]:
    """Return the options of scikit-learn's check of arrays; noisyor itself checks the values."""
    return {
        "accept_sparse": "csr",
        "dtype": None,
        "ensure_all_finite": "allow-nan" if gaps else True,
    }


def _numbered(array: Any) -> Columns:  # noqa: ANN401  (scipy's sparse types have no common one)
    """Return the columns of a checked array, sparse or not, under scikit-learn's names."""
    dense: npt.NDArray[Any] = array.toarray() if hasattr(array, "toarray") else array
    return array_columns(dense, [f"x{place}" for place in range(dense.shape[1])])
