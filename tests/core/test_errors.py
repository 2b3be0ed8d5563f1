"""Errors that say where they were."""

import pytest

from noisyor.core import DataError, FormatError, SettingsError, TableSizeError
from noisyor.core.errors import errors_at


def test_an_error_begins_with_its_place_and_stays_what_it_was() -> None:
    cause = TableSizeError("too large")
    whole = r"^model\.bif: line 3: too large$"
    with (
        pytest.raises(TableSizeError, match=whole) as caught,
        errors_at("model.bif"),
        errors_at("line 3"),
    ):
        raise cause
    assert type(caught.value) is TableSizeError
    assert caught.value.__cause__ is not None
    assert caught.value.__cause__.__cause__ is cause


def test_an_error_may_become_another() -> None:
    with (
        pytest.raises(FormatError, match=r"^states: two alike$"),
        errors_at("states", raised=FormatError),
    ):
        raise DataError("two alike")


def test_what_has_nothing_to_do_with_the_place_passes() -> None:
    with (
        pytest.raises(SettingsError, match=r"^no such option$"),
        errors_at("table.csv", caught=DataError),
    ):
        raise SettingsError("no such option")
    with pytest.raises(ZeroDivisionError), errors_at("table.csv"):
        raise ZeroDivisionError
