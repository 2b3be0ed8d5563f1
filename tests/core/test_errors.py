"""Errors with their location."""

import pytest

from noisyor.core import DataError, FormatError, SettingsError, TableSizeError
from noisyor.core.errors import errors_at


def test_the_message_begins_with_the_place_and_the_type_is_kept() -> None:
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


def test_the_type_may_be_replaced() -> None:
    with (
        pytest.raises(FormatError, match=r"^states: two alike$"),
        errors_at("states", raised=FormatError),
    ):
        raise DataError("two alike")


def test_other_errors_pass_unchanged() -> None:
    with (
        pytest.raises(SettingsError, match=r"^no such option$"),
        errors_at("table.csv", caught=DataError),
    ):
        raise SettingsError("no such option")
    with pytest.raises(ZeroDivisionError), errors_at("table.csv"):
        raise ZeroDivisionError
