"""Families in columns keep their parameters when they are selected and sorted."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core.family_columns import FamilyColumns
from noisyor.core.variable_sets import to_words

Row = tuple[int, int, int, float, float, tuple[float, ...]]
"""Child, parents, relation, cost, gap, parameters."""

numbers = st.integers(0, 3).map(float)
rows = st.tuples(
    st.integers(0, 3),
    st.sampled_from([0, 1, 2, 1 << 63, 1 << 64, 1 << 100]),
    st.integers(0, 2),
    numbers,
    numbers,
    st.lists(numbers, max_size=3).map(tuple),
)


def columns_of(given: list[Row], words: int = 2) -> FamilyColumns:
    return FamilyColumns(
        np.array([row[0] for row in given], dtype=np.int32),
        to_words([row[1] for row in given], words),
        np.array([row[2] for row in given], dtype=np.uint8),
        np.array([row[3] for row in given], dtype=np.float64),
        np.array([row[4] for row in given], dtype=np.float64),
        np.cumsum([0, *(len(row[5]) for row in given)]),
        np.array([value for row in given for value in row[5]], dtype=np.float64),
    )


def columns() -> FamilyColumns:
    return columns_of(
        [(0, 2, 1, 5.0, 0.5, (0.25,)), (0, 0, 0, 6.0, 0.0, ()), (1, 1, 0, 2.0, 0, ())]
    )


def test_what_a_family_has() -> None:
    assert len(columns()) == 3
    assert columns().word_count == 2
    assert columns().parent_counts().tolist() == [1, 0, 1]
    assert [columns().parameters_of(place).tolist() for place in range(3)] == [[0.25], [], []]


@given(st.lists(rows, max_size=8), st.data())
def test_chosen_rows_keep_their_parameters(families: list[Row], draw: st.DataObject) -> None:
    places = draw.draw(st.lists(st.integers(0, len(families) - 1), max_size=8)) if families else []
    chosen = columns_of(families).select(np.array(places, dtype=np.int64))
    assert chosen == columns_of([families[place] for place in places])


@given(st.lists(st.lists(rows, max_size=4), max_size=4))
def test_parts_are_put_one_after_the_other(parts: list[list[Row]]) -> None:
    joined = FamilyColumns.concatenated([columns_of(part) for part in parts], 2)
    assert joined == columns_of([row for part in parts for row in part])


@given(st.lists(rows, max_size=8))
def test_the_order_is_by_child_cost_parents_as_numbers_and_relation(families: list[Row]) -> None:
    def key(row: Row) -> tuple[object, ...]:
        child, parents, relation, cost, _, _ = row
        return child, cost, parents, relation

    # Both sorts are stable.
    assert columns_of(families).ordered() == columns_of(sorted(families, key=key))


def test_no_families() -> None:
    none = FamilyColumns.none(3)
    assert len(none) == 0
    assert none.word_count == 3
    assert none == FamilyColumns.concatenated([], 3)
    assert none.ordered() == none


def test_families_of_one_child_without_parameters() -> None:
    found = FamilyColumns.without_parameters(7, to_words([0, 3], 1), [0, 1], [4, 5], [0, 0.5])
    assert found == columns_of([(7, 0, 0, 4.0, 0.0, ()), (7, 3, 1, 5.0, 0.5, ())], words=1)


def test_columns_are_equal_by_content() -> None:
    one = columns()
    assert one == columns()
    assert hash(one) == hash(columns())
    assert one != one.select(np.array([0, 2, 1]))
    assert one != "columns"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("parents", np.zeros(3, np.uint64), r"parents has shape \(3,\), not \(3, 0\)"),
        ("parents", np.zeros((2, 2), np.uint64), r"parents has shape \(2, 2\), not \(3, 2\)"),
        ("relations", [0, 0], r"relations has shape \(2,\), not \(3,\)"),
        ("costs", [1.0], r"costs has shape \(1,\), not \(3,\)"),
        ("gaps", [1.0], r"gaps has shape \(1,\), not \(3,\)"),
        ("offsets", [0, 1, 1], r"offsets has shape \(3,\), not \(4,\)"),
        ("offsets", [0, 0, 0, 0], "parameters do not match their offsets"),
        ("offsets", [1, 1, 1, 1], "parameters do not match their offsets"),
        ("offsets", [0, 2, 1, 1], "parameters do not match their offsets"),
        ("parameters", [[0.25]], "parameters do not match their offsets"),
    ],
)
def test_columns_that_do_not_belong_together_are_refused(
    field: str, value: object, message: str
) -> None:
    one = columns()
    given: dict[str, Any] = {name: getattr(one, name) for name in one.__slots__}
    with pytest.raises(ValueError, match=message):
        FamilyColumns(**given | {field: np.asarray(value)})


def test_columns_cannot_be_changed() -> None:
    costs = np.array([1.0, 2.0])
    found = FamilyColumns.without_parameters(0, to_words([2, 4], 1), [0, 0], costs, [0, 0])
    costs[:] = 9
    assert found.costs.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        found.costs[0] = 9
