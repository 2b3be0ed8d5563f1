"""Networks of full tables are checked once, and rounded rows are normalised."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import CPT, Cpt, DataError, Network, Provenance, Variable

THIRDS = [0.3333, 0.3333, 0.3333]
LABELS = (("x", "y", "z"), ("no", "yes"))


def network(
    *,
    names: tuple[str, ...] = ("a", "b"),
    parents: tuple[tuple[int, ...], ...] = ((), (0,)),
    first: Sequence[object] = (0.2, 0.3, 0.5),
    second: Sequence[object] = ((0.9, 0.1), (0.4, 0.6), (0.5, 0.5)),
) -> Network:
    tables = (np.array(first, dtype=np.float64), np.array(second, dtype=np.float64))
    variables = [Variable(name, states) for name, states in zip(names, LABELS, strict=False)]
    return Network.from_tables(variables, parents, tables, Provenance("1"))


def tables(made: Network) -> list[npt.NDArray[np.float64]]:
    """Return the tables, an axis for each parent and one for the variable."""
    return [distribution.expand().axes() for distribution in made.distributions]


def alone(states: tuple[str, ...], table: npt.ArrayLike) -> Network:
    return Network.from_tables([Variable("a", states)], [()], [table], Provenance("1"))


def test_a_network_keeps_what_it_is_given() -> None:
    made = network()
    assert [variable.state_count for variable in made.variables] == [3, 2]
    assert tables(made)[0].tolist() == [0.2, 0.3, 0.5]
    assert tables(made)[1][1].tolist() == [0.4, 0.6]
    assert made.states == LABELS
    assert made.provenance.version == "1"
    assert made.cost is None
    assert {family.relation for family in made.structure.families} == {CPT}


def test_parents_may_be_in_any_order() -> None:
    variables = [Variable("a", ("x", "y", "z")), Variable("b"), Variable("c")]
    roots = [[0.2, 0.3, 0.5], [0.5, 0.5]]
    table = np.random.default_rng(1).dirichlet(np.ones(2), (2, 3))  # given b, then a
    made = Network.from_tables(variables, [(), (), (1, 0)], [*roots, table], Provenance("1"))
    assert made.structure.families[2].parents == 0b011
    assert isinstance(made.distributions[2], Cpt)
    assert made.distributions[2].parent_states == (3, 2)
    assert (made.distributions[2].axes() == table.transpose(1, 0, 2)).all()


def test_tables_cannot_be_changed() -> None:
    mine = np.array([0.2, 0.3, 0.5])
    made = alone(("x", "y", "z"), mine)
    mine[:] = 0
    assert tables(made)[0].tolist() == [0.2, 0.3, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        tables(made)[0][0] = 1


def test_rows_that_were_rounded_are_made_to_sum_to_one() -> None:
    made = network(first=THIRDS)
    assert tables(made)[0].tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)


def test_rows_that_sum_to_one_but_for_rounding_stay_as_they_are() -> None:
    tenth = [0.1, 0.2, 0.7000000000000005]
    assert sum(tenth) != 1
    assert tables(network(first=tenth))[0].tolist() == tenth


def test_a_variable_may_have_a_single_state() -> None:
    made = alone(("only",), [1.0])
    assert made.variables[0].state_count == 1
    assert tables(made)[0].tolist() == [1.0]


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


def test_names_differ_and_each_has_its_table() -> None:
    with pytest.raises(DataError, match="both named 'a'"):
        network(names=("a", "a"))
    with pytest.raises(ValueError, match="one list of parents and one table per variable"):
        network(names=("a",))
    with pytest.raises(ValueError, match="a parent that is not the number of a variable"):
        network(parents=((), (2,)))
