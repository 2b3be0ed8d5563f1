"""Networks of many-valued variables are checked once, and rounded rows made to sum to one."""

from collections.abc import Sequence

import numpy as np
import pytest

from noisyor.core import DataError, DiscreteNetwork, Provenance

THIRDS = [0.3333, 0.3333, 0.3333]


def network(
    *,
    names: tuple[str, ...] = ("a", "b"),
    states: tuple[tuple[str, ...], ...] = (("x", "y", "z"), ("no", "yes")),
    parents: tuple[tuple[int, ...], ...] = ((), (0,)),
    first: Sequence[object] = (0.2, 0.3, 0.5),
    second: Sequence[object] = ((0.9, 0.1), (0.4, 0.6), (0.5, 0.5)),
) -> DiscreteNetwork:
    tables = (np.array(first, dtype=np.float64), np.array(second, dtype=np.float64))
    return DiscreteNetwork(names, states, parents, tables, Provenance("1"))


def test_a_network_keeps_what_it_is_given() -> None:
    made = network()
    assert [made.cardinality(v) for v in range(2)] == [3, 2]
    assert made.tables[0].tolist() == [0.2, 0.3, 0.5]
    assert made.tables[1][1].tolist() == [0.4, 0.6]
    assert made.provenance.version == "1"


def test_tables_cannot_be_changed() -> None:
    mine = np.array([0.2, 0.3, 0.5])
    made = DiscreteNetwork(("a",), (("x", "y", "z"),), ((),), (mine,), Provenance("1"))
    mine[:] = 0
    assert made.tables[0].tolist() == [0.2, 0.3, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        made.tables[0][0] = 1


def test_rows_that_were_rounded_are_made_to_sum_to_one() -> None:
    made = network(first=THIRDS)
    assert made.tables[0].tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_rows_that_sum_to_one_but_for_rounding_stay_as_they_are() -> None:
    tenth = [0.1, 0.2, 0.7000000000000005]
    assert sum(tenth) != 1
    assert network(first=tenth).tables[0].tolist() == tenth


def test_a_variable_may_have_a_single_state() -> None:
    made = DiscreteNetwork(("a",), (("only",),), ((),), (np.array([1.0]),), Provenance("1"))
    assert made.cardinality(0) == 1


@pytest.mark.parametrize(
    ("first", "message"),
    [
        ((0.2, 0.3, 0.4), r"a row of the table of 'a' sums to 0\.9; it must be 1, within 0\.0001"),
        ((0.2, 0.3, 0.5002), r"sums to 1\.0002"),
        ((1.2, -0.1, -0.1), "'a' has an entry that is not between 0 and 1"),
        ((np.nan, 0.5, 0.5), "'a' has an entry that is not between 0 and 1"),
        ((0.5, 0.5), r"'a' has 2 entries in shape \(2,\); its parents need 3 in shape \(3,\)"),
    ],
)
def test_tables_that_are_no_distributions_are_refused(first: Sequence[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        network(first=first)


def test_the_row_that_is_wrong_is_named() -> None:
    with pytest.raises(DataError, match=r"'b' sums to 0\.8 \(where a=y\)"):
        network(second=((0.9, 0.1), (0.4, 0.4), (0.5, 0.5)))


def test_axes_are_the_parents_then_the_variable() -> None:
    with pytest.raises(DataError, match=r"in shape \(2, 3\); its parents need 6 in shape \(3, 2\)"):
        network(second=((0.2, 0.3, 0.5), (0.2, 0.3, 0.5)))


def test_cycles_are_named() -> None:
    with pytest.raises(DataError, match=r"a directed cycle: (a -> b -> a|b -> a -> b)"):
        network(parents=((1,), (0,)))
    with pytest.raises(DataError, match="a directed cycle: b -> b"):
        network(parents=((), (1,)))


def test_a_parent_is_there_once() -> None:
    with pytest.raises(DataError, match="'b' has the same parent twice"):
        network(parents=((), (0, 0)))


@pytest.mark.parametrize("labels", [(), ("x", "x", "z")])
def test_states_are_different_labels(labels: tuple[str, ...]) -> None:
    with pytest.raises(DataError, match="the states of 'a' must be one or more different labels"):
        network(states=(labels, ("no", "yes")))


def test_names_differ_and_each_has_its_table() -> None:
    with pytest.raises(DataError, match="both named 'a'"):
        network(names=("a", "a"))
    with pytest.raises(ValueError, match="one list of states, one of parents and one table"):
        network(names=("a", "b", "c"))
