"""scikit-learn's own checks; those that only tables of other values can pass are listed."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import Binarizer  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import check_estimator  # type: ignore[import-untyped]

from noisyor.estimator import CredibleNetwork

# The message of a check whose X or y noisyor cannot read.
MANY_VALUES = "only binary variables are supported here"
NOT_BITS = "raised DataError unexpectedly. This happens when passing negative input values as X"
# In predict, a missing value is an unobserved one.
GAPS = "doesn't check for NaN and inf in predict"
# A pipeline fits the estimators in its own parameter in place.
STEPS = "steps"

EXPECTED = {
    "check_estimators_overwrite_params": MANY_VALUES,
    "check_dont_overwrite_parameters": MANY_VALUES,
    "check_estimators_fit_returns_self": MANY_VALUES,
    "check_readonly_memmap_input": MANY_VALUES,
    "check_n_features_in_after_fitting": MANY_VALUES,
    "check_positive_only_tag_during_fit": NOT_BITS,
    "check_estimators_dtypes": MANY_VALUES,
    "check_estimators_nan_inf": GAPS,
    "check_f_contiguous_array_estimator": MANY_VALUES,
    "check_methods_sample_order_invariance": MANY_VALUES,
    "check_methods_subset_invariance": MANY_VALUES,
    "check_fit2d_1feature": MANY_VALUES,
    "check_dict_unchanged": MANY_VALUES,
    "check_fit_idempotent": MANY_VALUES,
    "check_fit_check_is_fitted": MANY_VALUES,
    "check_n_features_in": MANY_VALUES,
    "check_fit2d_predict1d": MANY_VALUES,
}
EXPECTED_BINARIZED = {
    "check_estimators_overwrite_params": STEPS,
    "check_dont_overwrite_parameters": STEPS,
}


def check(estimator: BaseEstimator, expected: dict[str, str]) -> None:
    """Run the checks: those expected to fail must fail, for the reason given, and no others."""
    results: list[dict[str, Any]] = check_estimator(
        estimator, expected_failed_checks=expected, on_fail=None, on_skip=None
    )
    failed = {
        one["check_name"]: f"{type(one['exception']).__name__}: {one['exception']}"
        for one in results
        if one["status"] in {"failed", "xfail"}
    }
    assert failed.keys() == expected.keys(), failed
    for name, reason in expected.items():
        assert reason in failed[name]
    skipped = {one["check_name"] for one in results if one["status"] == "skipped"}
    assert skipped == {"check_array_api_input"}  # it needs an environment variable
    passed = sum(one["status"] == "passed" for one in results)
    assert passed == len(results) - len(failed) - len(skipped) > 20


@pytest.mark.filterwarnings("ignore::noisyor.DataWarning")  # of constant columns, made by chance
def test_the_estimator_passes_all_checks_whose_tables_are_binary() -> None:
    check(CredibleNetwork(), EXPECTED)


@pytest.mark.filterwarnings("ignore::noisyor.DataWarning")
def test_after_a_binarizer_it_passes_nearly_all_checks() -> None:
    check(make_pipeline(Binarizer(threshold=0.5), CredibleNetwork()), EXPECTED_BINARIZED)
