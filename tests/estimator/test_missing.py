"""The estimator on tables that lack values."""

import numpy as np
import polars as pl
import pytest

from noisyor import DataError, DataWarning, SettingsError
from noisyor.estimator import CredibleNetwork
from noisyor.networks import sample_codes
from tests.incomplete.tables import chain

CODES = sample_codes(chain(4, 0.9), 150, seed=1).astype(float)
GAPS = np.where(np.random.default_rng(2).random(CODES.shape) < 0.15, np.nan, CODES)


def test_gaps_are_refused_by_default() -> None:
    with pytest.raises((ValueError, DataError), match=r"NaN|missing"):
        CredibleNetwork().fit(GAPS)


def test_em_learns_and_predicts() -> None:
    model = CredibleNetwork(missing="em", target=3).fit(GAPS)
    assert model.approximate_ is not None
    assert model.learned_.data is not None
    assert model.approximate_.startswith("approximate: completed by EM")
    assert model.learned_.data.record_count == 150
    assert (model.predict(CODES) == CODES[:, 3]).mean() > 0.8
    again = CredibleNetwork(missing="em", target=3).fit(GAPS)
    assert again.optimum_ == model.optimum_
    other = CredibleNetwork(missing="em", target=3, random_state=5).fit(GAPS)
    assert other.optimum_ != model.optimum_


def test_records_are_left_out() -> None:
    with pytest.warns(DataWarning, match="left out"):
        model = CredibleNetwork(missing="drop").fit(GAPS)
    assert model.learned_.data is not None
    assert model.learned_.data.record_count == int((~np.isnan(GAPS).any(axis=1)).sum())
    assert model.approximate_ is None


def test_frames_with_nulls() -> None:
    frame = pl.DataFrame(
        {
            f"v{place}": [None if np.isnan(one) else int(one) for one in GAPS[:, place]]
            for place in range(4)
        }
    )
    model = CredibleNetwork(missing="em").fit(frame)
    drawn = model.sample(5, random_state=0)
    assert drawn.columns == frame.columns
    assert drawn.null_count().row(0) == (0, 0, 0, 0)


def test_a_state_for_missing_values_is_refused() -> None:
    with pytest.raises(SettingsError, match="missing is 'state'"):
        CredibleNetwork(missing="state").fit(GAPS)
    with pytest.raises(SettingsError, match="missing"):
        CredibleNetwork(missing="guess").fit(GAPS)
