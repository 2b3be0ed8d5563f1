# ruff: noqa: N806  (X is what scikit-learn calls a table)
"""Frames and arrays of any two values go in, and come out the same."""

import subprocess
import sys
from math import log
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from noisyor import DataError, DataWarning, SettingsError
from noisyor.estimator import CredibleNetwork
from tests.support.effort import HANGS_AFTER

FLU = {"flu": ["no", "no", "yes", "yes"] * 4, "fever": ["no", "no", "yes", "no"] * 4}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.fixture(params=sorted(FRAMES))
def frame(request: pytest.FixtureRequest) -> Any:  # noqa: ANN401
    return FRAMES[request.param](FLU)


def test_a_frame_of_words_is_scored_by_its_frequencies(frame: Any) -> None:  # noqa: ANN401
    fitted = CredibleNetwork(1, smoothing=0).fit(frame)
    assert fitted.feature_names_in_.tolist() == ["flu", "fever"]
    assert fitted.n_features_in_ == 2
    assert fitted.network_.states == (("no", "yes"), ("no", "yes"))
    # flu, half of the records, brings about fever in half of its cases, and nothing else does
    np.testing.assert_allclose(
        fitted.score_samples(frame[:4]), [log(1 / 2), log(1 / 2), log(1 / 4), log(1 / 4)]
    )


def test_many_numbers_are_refused_with_what_an_estimator_can_do() -> None:
    table = pd.DataFrame({"age": np.arange(70), "ill": [0, 1] * 35})
    with pytest.raises(DataError, match=r"into bins first, with noisyor.discretize or a KBins"):
        CredibleNetwork().fit(table)


@pytest.mark.parametrize("missing", ["error", "em"])
def test_what_is_advised_is_what_an_estimator_can_do(missing: str) -> None:
    ill = [0, 1] * 35
    estimator = CredibleNetwork(missing=missing)
    with pytest.raises(DataError, match=r"Group its values, or leave the column out of X: no two"):
        estimator.fit(pd.DataFrame({"name": [f"n{one}" for one in range(70)], "ill": ill}))
    with pytest.raises(DataError, match=r"'name' is missing.*; leave the column out of X$"):
        estimator.fit(pd.DataFrame({"name": [None] * 70, "ill": ill}))
    days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04", "2026-01-05"] * 14
    with pytest.warns(DataWarning, match=r"take the month or the year.*, or leave it out of X$"):
        estimator.fit(pd.DataFrame({"day": days, "ill": ill}))


@pytest.mark.parametrize("values", [("False", "True"), ("FALSE", "TRUE"), ("0.0", "1.0")])
def test_classes_are_written_as_the_table_writes_them(values: tuple[str, str]) -> None:
    table = pd.DataFrame(FLU).replace(dict(zip(("no", "yes"), values, strict=True)))
    fitted = CredibleNetwork(target="flu").fit(table)
    assert fitted.classes_.tolist() == list(values)
    assert set(fitted.predict(table)) == set(values)
    assert fitted.score(table) == pytest.approx(0.75)


def test_a_frame_without_the_target_is_enough_to_predict(frame: Any) -> None:  # noqa: ANN401
    fitted = CredibleNetwork(relations="paper", target="flu").fit(frame)
    assert fitted.classes_.tolist() == ["no", "yes"]
    # Without fever, flu is one in three.
    np.testing.assert_allclose(fitted.predict_proba(frame[:3])[:, 1], [1 / 3, 1 / 3, 1])
    np.testing.assert_allclose(fitted.predict_proba(frame[["fever"]][:3])[:, 1], [1 / 3, 1 / 3, 1])
    assert fitted.predict(frame[["fever"]][:3]).tolist() == ["no", "no", "yes"]


def test_samples_are_a_frame_of_the_same_kind(frame: Any) -> None:  # noqa: ANN401
    fitted = CredibleNetwork().fit(frame)
    drawn = fitted.sample(40)
    assert type(drawn) is type(frame)
    assert list(drawn.columns) == ["flu", "fever"]
    assert set(drawn["flu"]) == {"no", "yes"}
    assert np.isfinite(fitted.score(drawn))


def test_other_columns_than_those_learned_from_are_refused(frame: Any) -> None:  # noqa: ANN401
    fitted = CredibleNetwork(target="flu").fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.score(frame[["fever", "flu"]])
    with pytest.raises(DataError, match=r"X has the columns flu; .*: fever"):
        fitted.predict(frame[["flu"]])
    with pytest.raises(ValueError, match="yet now missing:\n- fever"):
        fitted.score(frame[["flu"]])


def test_a_value_that_was_never_seen_is_refused_with_its_row(frame: Any) -> None:  # noqa: ANN401
    fitted = CredibleNetwork(target="flu").fit(frame)
    wrong = type(frame)({"flu": ["no", "no"], "fever": ["yes", "high"]})
    with pytest.raises(DataError, match="column 'fever' has the value 'high' in row 2"):
        fitted.score_samples(wrong)


def test_missing_values_in_a_frame_are_refused_or_not_observed(frame: Any) -> None:  # noqa: ANN401
    gaps = type(frame)({"flu": ["no", "yes"], "fever": ["yes", None]})
    with pytest.raises(DataError, match="values are missing in 1 of 2 records"):
        CredibleNetwork().fit(gaps)
    fitted = CredibleNetwork(target="flu").fit(frame)
    with pytest.raises(DataError, match="values are missing in 1 of 2 records"):
        fitted.score_samples(gaps)
    assert fitted.predict_proba(gaps)[1, 1] == pytest.approx(0.5)


def test_which_of_two_words_means_present_can_be_said() -> None:
    y = pd.Series(["benign"] * 6 + ["malignant"] * 4, name="tumour")
    X = pd.DataFrame({"lump": [False] * 6 + [True] * 4})
    assert CredibleNetwork().fit(X, y).classes_.tolist() == ["benign", "malignant"]
    fitted = CredibleNetwork(present={"tumour": "benign"}).fit(X, y)
    assert (fitted.target_, fitted.classes_.tolist()) == ("tumour", ["malignant", "benign"])
    assert fitted.predict(X[4:8]).tolist() == ["benign", "benign", "malignant", "malignant"]
    drawn, target = fitted.sample(30)
    assert drawn["lump"].dtype == bool
    assert (drawn["lump"].to_numpy() == (target == "malignant")).all()


def test_an_accepted_pair_can_be_reversed() -> None:
    X = np.array([[0, 1]] * 5 + [[1, 0]] * 3)
    fitted = CredibleNetwork(target=0, present={"x0": "0", "x1": "0"}, smoothing=0).fit(X)
    assert fitted.network_.states == (("1", "0"), ("1", "0"))
    assert fitted.classes_.tolist() == [1, 0]
    assert fitted.predict([[0, 0], [0, 1]]).tolist() == [1, 0]
    np.testing.assert_allclose(fitted.score_samples([[0, 1], [1, 0]]), [log(5 / 8), log(3 / 8)])


@pytest.mark.parametrize("later", [bool, int, float, np.uint8, np.float32, object, str])
@pytest.mark.parametrize("first", [bool, int, float])
def test_truth_values_and_numbers_of_any_type_are_the_same(first: type, later: type) -> None:
    X = np.array([[0], [1], [1], [1]])
    fitted = CredibleNetwork(smoothing=0).fit(X.astype(first))
    rows = np.array([[1], [0]])
    if later is str and first is bool:
        rows = rows.astype(bool)
    elif later is object:
        rows = rows.astype(first)
    np.testing.assert_allclose(fitted.score_samples(rows.astype(later)), [log(3 / 4), log(1 / 4)])
    assert fitted.sample(3).dtype == np.zeros(1, dtype=first).dtype


def test_numbers_beside_truth_values_are_refused() -> None:
    fitted = CredibleNetwork().fit(np.array([[False], [True], [True]]))
    with pytest.raises(DataError, match="column 'x0' has the value '2' in row 1"):
        fitted.score_samples([[2], [1]])


def test_a_target_of_the_same_name_as_a_column_is_refused() -> None:
    X = pd.DataFrame(FLU)
    with pytest.raises(SettingsError, match="y is called 'flu', and so is a column of X"):
        CredibleNetwork().fit(X, X["flu"])


def test_one_record_is_too_few() -> None:
    with pytest.raises(ValueError, match="1 sample"):
        CredibleNetwork().fit([[0, 1]])
    with pytest.raises(DataError, match="X has 1 record"):
        CredibleNetwork().fit(pd.DataFrame({"flu": [1]}))


def test_importing_noisyor_does_not_import_scikit_learn() -> None:
    code = "import sys, noisyor; print('sklearn' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_AFTER,
    )
    assert done.stdout.strip() == "False"


def test_without_scikit_learn_it_says_what_to_install() -> None:
    code = """
import sys
sys.modules["sklearn"] = None
import noisyor
try:
    import noisyor.estimator
except noisyor.SettingsError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_AFTER,
    )
    assert "noisyor.estimator needs scikit-learn" in done.stdout
    assert "pip install noisyor[sklearn]" in done.stdout
