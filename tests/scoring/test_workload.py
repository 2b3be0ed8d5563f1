"""Numbers of families, compared with plain enumeration and with the work of scoring."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Constraints,
    Dataset,
    Knowledge,
    Relation,
    Variable,
)
from noisyor.core.relations import PAPER_RELATIONS
from noisyor.core.request import Request
from noisyor.scoring import score
from noisyor.scoring.workload import count_affordable, count_families
from tests.support.effort import scaled

NAMES = ("a", "b", "c", "d")


def constant(records: int, names: tuple[str, ...] = NAMES) -> Dataset:
    """Return variables that are always absent."""
    return Dataset(
        tuple(map(Variable, names)), np.zeros((1, len(names)), np.uint8), np.array([records])
    )


def families(constraints: Constraints, relations: tuple[Relation, ...]) -> dict[Relation, int]:
    data = constant(1, constraints.names)
    return count_families(Request.of(data, relations=relations, constraints=constraints))


def counted(constraints: Constraints) -> int:
    """Return the number of parent sets, by enumeration."""
    variables = range(len(constraints.names))
    total = 0
    for child in variables:
        for size in variables:
            for parents in combinations(variables, size):
                chosen = sum(1 << parent for parent in parents)
                total += (
                    not chosen & ~constraints.allowed[child]
                    and not constraints.required[child] & ~chosen
                    and (constraints.max_parents is None or size <= constraints.max_parents)
                )
    return total


def test_without_constraints_there_are_all_subsets_of_the_others() -> None:
    found = families(Constraints.none(NAMES), (CPT, NOISY_OR, LEAKY_NOISY_OR))
    assert found == {CPT: 4 * 8, NOISY_OR: 4 * 7, LEAKY_NOISY_OR: 4 * 7}


def test_large_numbers_are_exact() -> None:
    names = [f"v{number}" for number in range(1024)]
    assert families(Constraints.none(names), (CPT,)) == {CPT: 1024 * 2**1023}


@pytest.mark.parametrize(
    ("knowledge", "without_parents"),
    [
        (Knowledge(max_parents=1), 4),
        (Knowledge(max_parents=0), 4),
        (Knowledge(required=[("a", "b"), ("c", "b")]), 3),
        (Knowledge(required=[("a", "b")], max_parents=1), 3),
        (Knowledge(forbidden=[("a", "b")], roots=["c"], tiers=[["a"], ["d"]]), 4),
    ],
)
def test_constraints_leave_fewer(knowledge: Knowledge, without_parents: int) -> None:
    constraints = knowledge.constraints(NAMES)
    every = counted(constraints)
    assert families(constraints, PAPER_RELATIONS) == {
        CPT: every,
        NOISY_OR: every - without_parents,
    }


def test_the_largest_affordable_sets_by_hand() -> None:
    # w = ln(100) / 2 = 2.303. Without parents a child costs w, as it fits without loss; with the
    # slack ln(20) = 2.996 there is room for 2.3 parameters: a full table of one parent, a
    # noisy-OR of two, a leaky one of one.
    found = count_affordable(
        Request.of(constant(100), 20, relations=(CPT, NOISY_OR, LEAKY_NOISY_OR))
    )
    assert found == {CPT: 4 * (1 + 3), NOISY_OR: 4 * (3 + 3), LEAKY_NOISY_OR: 4 * 3}
    # ln(1e4) = 9.21: room for 5 parameters, that is, two parents of a full table.
    assert count_affordable(Request.of(constant(100), 9999, relations="paper")) == {
        CPT: 4 * (1 + 3 + 3),
        NOISY_OR: 4 * 7,
    }


def test_required_parents_are_paid_for_first() -> None:
    known = Knowledge(required=[("a", "b"), ("c", "b")], max_parents=2).constraints(NAMES)
    found = count_affordable(Request.of(constant(100), 20, relations="paper", constraints=known))
    # b: its two parents alone, whose table costs 4 w. The others as above.
    assert found == {CPT: 3 * 4 + 1, NOISY_OR: 3 * 6 + 1}


@settings(max_examples=scaled(25))
@given(
    st.lists(st.integers(0, 31), min_size=1, max_size=40),
    st.floats(1, 1e6),
    st.none() | st.integers(0, 3),
)
def test_scoring_never_evaluates_more(records: list[int], factor: float, most: int | None) -> None:
    rows, weights = np.unique(np.array(records, dtype=np.uint64), return_counts=True)
    data = Dataset.from_bits(("a", "b", "c", "d", "e"), rows[:, None], weights)
    known = Knowledge(required=[("a", "b")] if most != 0 else [], max_parents=most)
    constraints = known.constraints(data.names)
    found = score(
        data, factor, constraints=constraints, jobs=1, relations="paper"
    ).statistics.relations
    affordable = count_affordable(
        Request.of(data, factor, constraints=constraints, relations="paper")
    )
    there_are = families(constraints, PAPER_RELATIONS)
    for relation, statistics in found.items():
        assert statistics.considered == there_are[relation]
        assert statistics.evaluated <= affordable[relation] <= there_are[relation]


def test_the_room_of_the_slack_is_inclusive() -> None:
    # A full table of two parents costs 3 w more than the one of none, and 3 w = ln(1000).
    assert count_affordable(Request.of(constant(100), 999, relations=(CPT,))) == {CPT: 4 * (1 + 3)}
    assert count_affordable(Request.of(constant(100), 1000, relations=(CPT,))) == {
        CPT: 4 * (1 + 3 + 3)
    }
