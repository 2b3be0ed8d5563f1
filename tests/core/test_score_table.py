"""A score table holds families in columns and checks them once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    AIC,
    BIC,
    CPT,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Family,
    MismatchError,
    Provenance,
    Score,
    ScoreTable,
    TableScope,
)
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.variable_sets import to_words, word_count

NAMES = ("a", "b", "c")
SCOPE = TableScope(
    Constraints.none(NAMES), BayesFactor(20), BIC, (CPT, NOISY_OR), Provenance("test")
)


def table_with(**given: Any) -> ScoreTable:  # noqa: ANN401  (columns, the names, the scope)
    """Return a table of these columns."""
    names, scope = given.pop("names"), given.pop("scope")
    return ScoreTable(names, FamilyColumns(**given), scope)


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
    table = table_with(**columns())
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
    table = table_with(**empty)
    assert len(table) == 0
    assert list(table.families()) == []
    assert table.families_of(1) == slice(0, 0)
    assert table.has_best_relation().tolist() == []


@pytest.mark.parametrize(
    "field", ["children", "parents", "relations", "costs", "gaps", "offsets", "parameters"]
)
def test_columns_cannot_be_changed(field: str) -> None:
    given = columns()
    before = given[field].copy()
    table = table_with(**given)
    given[field][...] = 1
    held = getattr(table.columns, field)
    assert held.tolist() == before.tolist()
    with pytest.raises(ValueError, match="read-only"):
        held[0] = 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("parents", np.zeros((4, 2), np.uint64), "parents has 2 words a set, not 1"),
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
        ("relations", [0, 0, 99, 0], "unknown relation"),
        ("relations", [0, 1, 1, 0], "without parents is always cpt"),
        ("names", ("a", "b", "b"), "names must differ"),
        ("names", ("a", " ", "c"), "not be blank"),
        ("names", ("a", "b", "x"), "other variables"),
        ("parents", to_words([0, 0, 0b101, 0], 1), "among its own parents"),
        ("parents", to_words([0, 0, 0b1001, 0], 1), "a parent is not a variable"),
        ("parents", to_words([0, 0, 0b001, 0], 1), "more or fewer parameters"),
        ("relations", [0, 0, 2, 0], "more or fewer parameters"),
        ("relations", [0, 0, 0, 0], "more or fewer parameters"),
        ("costs", [10.0, 11.0, 12.5, 12.0], "ascend by cost"),
        ("parameters", [0.25, 1.5], "between 0 and 1"),
        ("parameters", [-0.25, 0.5], "between 0 and 1"),
        ("parameters", [0.25, np.nan], "between 0 and 1"),
    ],
)
def test_bad_columns_are_refused(field: str, value: Sequence[Any], message: str) -> None:
    given = value if field == "names" else np.asarray(value)
    with pytest.raises(ValueError, match=message):
        table_with(**(columns() | {field: given}))


def full_tables(
    children: list[int], parents: list[int], costs: list[float], names: tuple[str, ...] = NAMES
) -> ScoreTable:
    """Return a table of full tables alone."""
    count = len(children)
    return table_with(
        names=names,
        children=np.array(children, dtype=np.int32),
        parents=to_words(parents, word_count(len(names))),
        relations=np.zeros(count, np.uint8),
        costs=np.array(costs),
        gaps=np.zeros(count),
        offsets=np.zeros(count + 1, np.int64),
        parameters=np.zeros(0),
        scope=TableScope(Constraints.none(names), None, None, None, Provenance("test")),
    )


def test_equal_costs_ascend_by_parents() -> None:
    assert len(full_tables([0, 0], [0b010, 0b100], [1.0, 1.0])) == 2
    with pytest.raises(ValueError, match="ascend by cost, then parents"):
        full_tables([0, 0], [0b100, 0b010], [1.0, 1.0])


def test_sets_of_several_words_compare_as_numbers() -> None:
    names = tuple(f"v{number}" for number in range(70))
    assert len(full_tables([0, 0], [1 << 63, 1 << 64], [1.0, 1.0], names)) == 2
    with pytest.raises(ValueError, match="ascend by cost, then parents"):
        full_tables([0, 0], [1 << 64, 1 << 63], [1.0, 1.0], names)
    with pytest.raises(ValueError, match="among its own parents"):
        full_tables([65], [1 << 65], [1.0], names)
    with pytest.raises(ValueError, match="a parent is not a variable"):
        full_tables([65], [1 << 70], [1.0], names)


@pytest.mark.parametrize(
    ("costs", "message"), [([1.0, 1.0], "must ascend by cost"), ([1.0, 2.0], "appears twice")]
)
def test_a_family_comes_once(costs: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        full_tables([0, 0], [0b010, 0b010], costs)
    assert len(full_tables([0, 2], [0b010, 0b010], costs)) == 2


def test_tables_are_equal_by_content() -> None:
    table = table_with(**columns())
    same = table_with(**columns())
    assert table == same
    assert hash(table) == hash(same)
    assert table != "table"
    for field, value in (
        ("costs", np.array([10.0, 11.0, 8.0, 12.5])),
        ("gaps", np.zeros(4)),
        ("parameters", np.array([0.25, 0.75])),
        ("scope", TableScope(SCOPE.constraints, None, None, None, SCOPE.provenance)),
    ):
        assert table != table_with(**(columns() | {field: value}))


@pytest.mark.parametrize(
    ("costs", "codes", "expected"),
    [
        ([8.0, 9.0], [0, 1], [True, False]),
        ([8.0, 9.0], [1, 0], [True, False]),
        ([8.0, 8.0 + 0.9e-7], [1, 0], [False, True]),
        ([8.0, 8.0 + 1.1e-7], [1, 0], [True, False]),
        ([1e308, 1.7e308], [1, 0], [True, False]),
    ],
)
def test_a_tie_goes_to_the_earlier_relation(
    costs: list[float], codes: list[int], expected: list[bool]
) -> None:
    table = table_with(
        names=NAMES,
        children=np.array([0, 0, 1], dtype=np.int32),
        parents=to_words([0b110, 0b110, 0], 1),
        relations=np.array([*codes, 0], dtype=np.uint8),
        costs=np.array([*costs, 1.0]),
        gaps=np.zeros(3),
        offsets=np.cumsum([0, *(2 * code for code in codes), 0]),
        parameters=np.full(2, 0.5),
        scope=SCOPE,
    )
    assert table.has_best_relation().tolist() == [*expected, True]


def test_the_earliest_relation_that_ties_with_the_lowest_wins() -> None:
    # The full table ties with the noisy-OR, but not with the lowest, the leaky one.
    table = table_with(
        names=NAMES,
        children=np.zeros(3, dtype=np.int32),
        parents=to_words([0b110] * 3, 1),
        relations=np.array([2, 1, 0], dtype=np.uint8),
        costs=np.array([8.0, 8.0 + 0.8e-7, 8.0 + 1.6e-7]),
        gaps=np.zeros(3),
        offsets=np.array([0, 3, 5, 5]),
        parameters=np.full(5, 0.5),
        scope=SCOPE,
    )
    assert table.has_best_relation().tolist() == [False, True, False]
    assert table.parent_counts().tolist() == [2, 2, 2]


def test_a_shortfall_breaks_the_promise() -> None:
    assert SCOPE.complete
    short = replace(SCOPE, shortfalls=("stopped after 60 s",))
    assert not short.complete


def test_rows_are_selected_with_their_parameters() -> None:
    table = table_with(**columns())
    some = table.select(np.array([0, 2]))
    assert list(some.families()) == [(Family(0, 0), 10.0), (Family(2, 0b011, NOISY_OR), 8.0)]
    assert some.parameters_of(1).tolist() == [0.25, 0.5]
    assert some.scope == table.scope


def test_a_table_is_the_join_of_any_two_that_cover_it() -> None:
    table = table_with(**columns())
    rows = np.arange(len(table))
    for mask in range(2 ** len(table)):
        chosen = (mask >> rows & 1).astype(bool)
        part, rest = table.select(rows[chosen]), table.select(rows[~chosen])
        assert part.joined(rest) == table
        assert part.joined(table) == table
        assert table.positions_of(part).tolist() == rows[chosen].tolist()
        assert table.has(part).all()
        assert not part.has(rest).any()
        assert part.has(table).tolist() == chosen.tolist()
        if len(rest):
            with pytest.raises(ValueError, match="a family is not in the table"):
                part.positions_of(rest)


def test_a_join_keeps_the_first_of_two_fits() -> None:
    table = table_with(**columns())
    dearer = table_with(**columns() | {"costs": table.costs + 1})
    assert table.joined(dearer) == table
    assert dearer.joined(table) == dearer
    assert table.positions_of(dearer).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("score", "said"), [(AIC, "the score bic, the other aic"), (None, "that of another program")]
)
def test_costs_of_two_scores_are_not_mixed(score: Score | None, said: str) -> None:
    table = table_with(**columns())
    other = table_with(**columns() | {"scope": replace(SCOPE, score=score)})
    with pytest.raises(MismatchError, match=f"{said}; costs of two scores cannot be compared"):
        table.joined(other)
    assert other.joined(other) == other
