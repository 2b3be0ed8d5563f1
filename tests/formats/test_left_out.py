"""Nodes that are no variables: left out with their names, unless something depends on them."""

import pytest

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning
from noisyor.formats.left_out import announce_left_out

KEPT = [("rain", "line 3", ()), ("grass", "line 9", ("rain",))]


def test_the_warning_names_them_by_kind() -> None:
    with pytest.warns(ConversionWarning) as caught:
        announce_left_out(KEPT, {"d": "decision", "u": "utility", "v": "utility"})
    assert "(decision: 'd'; utility: 'u', 'v')" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_of_many_the_first_are_named_and_the_others_counted() -> None:
    with pytest.warns(ConversionWarning, match="utility: 'u0', .*'u9' and 2 others"):
        announce_left_out(KEPT, {f"u{v}": "utility" for v in range(12)})


def test_a_variable_that_depends_on_one_is_refused() -> None:
    with pytest.raises(FormatError, match=r"line 9: 'grass' depends on 'rain'.*kind 'equation'"):
        announce_left_out(KEPT[1:], {"rain": "equation"})


def test_a_file_without_variables_is_refused() -> None:
    with pytest.raises(FormatError, match=r"no variable with a table, only .*decision: 'd'"):
        announce_left_out([], {"d": "decision"})


def test_nothing_left_out_is_nothing_to_say(recwarn: pytest.WarningsRecorder) -> None:
    announce_left_out(KEPT, {})
    assert not recwarn.list
