"""Arrays of frozen types cannot change, neither through them nor from outside."""

import numpy as np
import pytest

from noisyor.core.arrays import hand_over, read_only


def test_a_writeable_array_is_copied() -> None:
    source = np.arange(3, dtype=np.int64)
    result = read_only(source, np.int64)
    source[0] = 99
    assert result.tolist() == [0, 1, 2]


def test_the_result_refuses_to_be_written() -> None:
    result = read_only([1, 2], np.int64)
    with pytest.raises(ValueError, match="read-only"):
        result[0] = 5
    assert result.tolist() == [1, 2]


def test_a_read_only_array_is_shared() -> None:
    source = hand_over(np.arange(4, dtype=np.int64))
    assert read_only(source, np.int64) is source


def test_a_read_only_view_of_a_writeable_array_is_copied() -> None:
    owner = np.arange(4, dtype=np.int64)
    view = owner[:]
    view.flags.writeable = False
    result = read_only(view, np.int64)
    owner[0] = 99
    assert result.tolist() == [0, 1, 2, 3]


def test_dtype_and_order_are_enforced() -> None:
    source = np.asfortranarray(np.arange(6, dtype=np.int32).reshape(2, 3))
    result = read_only(source, np.int64)
    assert result.dtype == np.int64
    assert result.flags.c_contiguous
    assert result.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_handing_over_does_not_copy() -> None:
    source = np.zeros(2)
    assert hand_over(source) is source
    assert not source.flags.writeable
