"""A score table holds families in columns and checks them once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Family,
    Provenance,
    ScoreTable,
    TableScope,
)
from noisyor.core.variable_sets import to_words

NAMES = ("a", "b", "c")
SCOPE = TableScope(Constraints.none(NAMES), BayesFactor(20), (CPT, NOISY_OR), Provenance("test"))


def columns() -> dict[str, Any]:
    """Return the columns of four families; the third is a noisy-OR of two parents."""
    return {
        "names": NAMES,
        "children": np.array([0, 1, 2, 2], dtype=np.int32),
        "parents": to_words([0, 0, 0b011, 0], 1),
        "relations": np.array([0, 0, 1, 0], dtype=np.uint8),
        "costs": np.array([10.0, 11.0, 8.0, 12.0]),
        "gaps": np.array([0, 0, 1e-9, 0]),
        "offsets": np.array([0, 0, 0, 2, 2], dtype=np.int64),
        "parameters": np.array([0.25, 0.5]),
        "scope": SCOPE,
    }


def test_families_come_back() -> None:
    table = ScoreTable(**columns())
    assert len(table) == 4
    assert list(table.families()) == [
        (Family(0, 0), 10.0),
        (Family(1, 0), 11.0),
        (Family(2, 0b011, NOISY_OR), 8.0),
        (Family(2, 0), 12.0),
    ]
    assert [table.families_of(child) for child in range(3)] == [
        slice(0, 1),
        slice(1, 2),
        slice(2, 4),
    ]
    assert table.parameters_of(2).tolist() == [0.25, 0.5]
    assert table.parameters_of(3).tolist() == []


def test_an_empty_table_is_a_table() -> None:
    empty = columns() | {
        "children": np.zeros(0, np.int32),
        "parents": np.zeros((0, 1), np.uint64),
        "relations": np.zeros(0, np.uint8),
        "costs": np.zeros(0),
        "gaps": np.zeros(0),
        "offsets": np.zeros(1, np.int64),
        "parameters": np.zeros(0),
    }
    table = ScoreTable(**empty)
    assert len(table) == 0
    assert list(table.families()) == []
    assert table.families_of(1) == slice(0, 0)


@pytest.mark.parametrize(
    "field", ["children", "parents", "relations", "costs", "gaps", "offsets", "parameters"]
)
def test_columns_cannot_be_changed(field: str) -> None:
    given = columns()
    before = given[field].copy()
    table = ScoreTable(**given)
    given[field][...] = 1
    held = getattr(table, field)
    assert held.tolist() == before.tolist()
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("parents", np.zeros((4, 2), np.uint64), r"parents has shape \(4, 2\), not \(4, 1\)"),
        ("relations", [0, 0], "relations has shape"),
        ("costs", [1.0], "costs has shape"),
        ("gaps", [0.0], "gaps has shape"),
        ("offsets", [0, 2], "offsets has shape"),
        ("offsets", [0, 0, 0, 1, 1], "parameters do not match their offsets"),
        ("offsets", [1, 1, 1, 2, 2], "parameters do not match their offsets"),
        ("offsets", [0, 0, 3, 1, 2], "parameters do not match their offsets"),
        ("costs", [1.0, 2.0, np.inf, 3.0], "costs must be finite"),
        ("costs", [1.0, 2.0, np.nan, 3.0], "costs must be finite"),
        ("gaps", [0, 0, -1e-9, 0], "gaps not negative"),
        ("gaps", [0, 0, np.nan, 0], "gaps not negative"),
        ("children", [0, 1, 2, 3], "child is not a variable"),
        ("children", [-1, 1, 2, 2], "child is not a variable"),
        ("children", [0, 2, 1, 2], "ascend by child"),
        ("relations", [0, 0, 3, 0], "unknown relation"),
    ],
)
def test_bad_columns_are_refused(field: str, value: Sequence[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScoreTable(**(columns() | {field: np.asarray(value)}))


def test_a_shortfall_breaks_the_promise() -> None:
    assert SCOPE.complete
    short = TableScope(SCOPE.constraints, None, None, Provenance("t"), ("stopped after 60 s",))
    assert not short.complete
