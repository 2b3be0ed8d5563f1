"""The state that a number stands for: of equal value, or the bin that holds it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core.number_states import bin_labels, bin_of, in_state, state_of
from noisyor.data.binning import Bins

TEMPERATURE = ("<= 37.2", "37.2 to 38.5", "> 38.5")


@pytest.mark.parametrize(
    ("value", "state"),
    [
        (36, 0),
        (37.2, 0),  # a number that equals a cut is in the lower bin
        ("37.20", 0),
        (37.3, 1),
        (np.float64(38.5), 1),
        (" 38.6 ", 2),
        (-1e300, 0),
        (10**400, 2),  # beyond the floats, but above every cut
        (-(10**400), 0),
        ("1" + 400 * "0", 2),
        (np.float32(37.2), 0),  # 37.2000008 as a double
        (np.float16(38.5), 1),
        ("+4.1e1", 2),
        ("> 38.5", 2),
        (True, None),  # three states have no present one
        (float("nan"), None),
        ("warm", None),
        ("", None),
        ("37,2", None),
        (None, None),
    ],
)
def test_the_bin_that_holds_a_number(value: object, state: int | None) -> None:
    assert state_of(TEMPERATURE, value) == state


@pytest.mark.parametrize(
    ("states", "value", "state"),
    [
        (("12.5", "13", "13.5"), 13.5, 2),
        (("12.5", "13", "13.5"), "13.0", 1),
        (("12.5", "13", "13.5"), 13.2, None),
        (("0.1", "0.2", "0.3"), np.float32(0.1), 0),
        (("36.5", "37.1875"), np.float16(37.2), 1),  # as a table of such floats has it
        (("0.1", "0.2", "0.3"), np.longdouble("0.2"), 1),
        (("0.1", "0.2", "0.3"), 10**400, None),
        (("1e400", "2"), 10**400, None),  # both are too large to be compared
        (("1e400", "2"), "1E400", 0),
        (("1", "2"), 1, 0),  # the number, not the second state
        (("1", "2"), True, 1),
        (("0", "1"), np.int64(1), 1),
        (("no", "yes"), 1, 1),
        (("no", "yes"), np.False_, 0),
        (("no", "yes"), "1", None),
        (("no", "yes"), "YES ", 1),
        (("No", "no"), "no", 1),
        (("No", "no"), "NO", None),
        (("<= 5", "> 5"), 1, 0),
        (("<= 5", "> 5"), True, 1),
        (("<= 5", "> 5", "missing"), 6, 1),
        (("> 5", "<= 5"), 6, 0),
        (("0 to 10", "10 to 20"), 5, None),  # not bins of ours: which end is included?
        (("<= 5", "6 to 7", "> 7"), 6.5, None),
    ],
)
def test_numbers_and_truths_of_other_states(
    states: tuple[str, ...], value: object, state: int | None
) -> None:
    assert state_of(states, value) == state


@given(
    cuts=st.lists(
        st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=5, unique=True
    ),
    number=st.floats(allow_nan=False),
)
def test_labels_say_what_the_bins_do(cuts: list[float], number: float) -> None:
    bins = Bins.at("x", sorted({cut + 0.0 for cut in cuts}), "given")
    assert bin_of(bins.states, number) == bins.codes(np.array([number]))[0]


def test_a_variable_in_a_state_reads_well() -> None:
    assert in_state("flu", "yes") == "flu=yes"
    assert in_state("age", "> 65") == "age > 65"
    assert in_state("age", "<= 18") == "age <= 18"
    assert in_state("age", "18 to 65") == "age=18 to 65"


def test_no_cuts_no_labels() -> None:
    assert bin_labels([]) == ()
    assert bin_of((), 1.0) is None
