"""scikit-learn's own checks; the few that cannot pass are listed, with the reason."""

from typing import Any

import pytest
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import Binarizer  # type: ignore[import-untyped]
from sklearn.utils.estimator_checks import check_estimator  # type: ignore[import-untyped]

from noisyor.estimator import CredibleNetwork

# In predict, a missing value is an unobserved one.
GAPS = "doesn't check for NaN and inf in predict"
# A pipeline fits the estimators in its own parameter in place.
STEPS = "steps"

EXPECTED = {"check_estimators_nan_inf": GAPS}
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
def test_the_estimator_passes_all_checks_but_one() -> None:
    check(CredibleNetwork(), EXPECTED)


@pytest.mark.filterwarnings("ignore::noisyor.DataWarning")
def test_after_a_binarizer_it_passes_nearly_all_checks() -> None:
    check(make_pipeline(Binarizer(threshold=0.5), CredibleNetwork()), EXPECTED_BINARIZED)
