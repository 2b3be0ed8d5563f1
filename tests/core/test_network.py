"""Networks hold the parameters of each node's family."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    DataError,
    Distribution,
    Family,
    Network,
    NetworkError,
    NoisyOr,
    Provenance,
    Structure,
    TableSizeError,
    Variable,
)
from noisyor.core.variable import variables_of

ONE = variables_of(("a",))


def cpt(*present: float) -> Cpt:
    return Cpt.binary(np.array(present), np.zeros(len(present), dtype=np.bool_))


def network(second: Distribution, family: Family, names: tuple[str, str] = ("a", "b")) -> Network:
    structure = Structure(names, (Family(0, 0), family))
    return Network(structure, variables_of(names), (cpt(0.5), second), None, Provenance("test"))


def test_what_a_table_is() -> None:
    table = cpt(0.1, 0.2, 0.3, 1.0)
    assert table.parent_count == 2
    assert table.relation is CPT
    assert cpt(0.5).parent_count == 0


@pytest.mark.parametrize("size", [0, 3, 6])
def test_tables_have_a_power_of_two_of_configurations(size: int) -> None:
    with pytest.raises(ValueError, match=f"a table of {size} configurations; it must be a power"):
        cpt(*[0.5] * size)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_probabilities_lie_between_0_and_1(value: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        cpt(value)
    with pytest.raises(ValueError, match="between 0 and 1"):
        NoisyOr(np.array([value]))
    with pytest.raises(ValueError, match="between 0 and 1"):
        NoisyOr(np.array([0.5]), leak_q=value)


def test_a_mark_for_each_configuration() -> None:
    with pytest.raises(ValueError, match="one mark for each configuration"):
        Cpt.binary(np.array([0.5, 0.5]), np.zeros(1, dtype=np.bool_))


def test_parameters_cannot_be_changed() -> None:
    source = np.array([0.5, 0.25])
    table, noisy = Cpt.binary(source, np.zeros(2, np.bool_)), NoisyOr(source)
    source[:] = 1
    for array in (table.present, noisy.q):
        assert array.tolist() == [0.5, 0.25]
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize("q", [[], [[0.5]]])
def test_a_noisy_or_has_a_parent(q: list[float]) -> None:
    with pytest.raises(ValueError, match="at least one parent"):
        NoisyOr(np.array(q))


def test_a_leak_makes_another_relation() -> None:
    assert NoisyOr(np.array([0.5])).relation is NOISY_OR
    assert NoisyOr(np.array([0.5]), leak_q=1.0).relation is LEAKY_NOISY_OR


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.one_of(st.none(), st.floats(0, 1)),
)
def test_expansion_is_the_product_over_present_causes(q: list[float], leak: float | None) -> None:
    expanded = NoisyOr(np.array(q), leak).expand()
    assert expanded.parent_states == (2,) * len(q)
    assert not expanded.unseen.any()
    for values in itertools.product((0, 1), repeat=len(q)):
        absent = 1.0 if leak is None else leak
        for value, fails in zip(values, q, strict=True):
            if value:
                absent *= fails
        index = sum(value << position for position, value in enumerate(values))
        assert expanded.present[index] == pytest.approx(1 - absent, abs=1e-15)


def test_nothing_happens_without_a_cause() -> None:
    assert NoisyOr(np.array([0.2, 0.3])).expand().present[0] == 0
    assert NoisyOr(np.array([0.2]), leak_q=0.75).expand().present.tolist() == pytest.approx(
        [0.25, 0.85]
    )


def test_a_network_accepts_what_its_families_are() -> None:
    accepted = network(NoisyOr(np.array([0.5])), Family(1, 1, NOISY_OR))
    assert accepted.names == ("a", "b")
    assert accepted.provenance.version == "test"


def test_a_network_does_not_share_its_callers_lists() -> None:
    variables, distributions = [*ONE], [cpt(0.5)]
    structure = Structure(("a",), (Family(0, 0),))
    made = Network(structure, variables, distributions, 1.5, Provenance("t"))  # type: ignore[arg-type]
    variables.clear()
    distributions.clear()
    assert made.states == (("0", "1"),)
    assert len(made.distributions) == 1


@pytest.mark.parametrize(
    ("distribution", "family"),
    [
        (cpt(0.5), Family(1, 1)),
        (cpt(0.5, 0.5), Family(1, 1, NOISY_OR)),
        (NoisyOr(np.array([0.5])), Family(1, 1)),
        (NoisyOr(np.array([0.5, 0.5])), Family(1, 1, NOISY_OR)),
        (NoisyOr(np.array([0.5]), leak_q=0.5), Family(1, 1, NOISY_OR)),
    ],
)
def test_another_familys_parameters_are_refused(distribution: Distribution, family: Family) -> None:
    with pytest.raises(ValueError, match="the distribution of variable 1 is not its family's"):
        network(distribution, family)


def test_a_network_needs_names_and_one_distribution_each() -> None:
    with pytest.raises(DataError, match="both named 'a'"):
        network(cpt(0.5), Family(1, 0), ("a", "a"))
    structure = Structure(("a",), (Family(0, 0),))
    with pytest.raises(ValueError, match="one variable and one distribution per node"):
        Network(structure, ONE, (), None, Provenance("t"))
    with pytest.raises(ValueError, match="other names than the structure's nodes"):
        Network(structure, variables_of(("b",)), (cpt(0.5),), None, Provenance("t"))


def test_settings_are_found_by_name() -> None:
    provenance = Provenance("1.0", settings=(("seed", "7"),))
    assert provenance.setting("seed") == "7"
    assert provenance.setting("other") is None


@pytest.mark.parametrize("cost", [math.nan, math.inf])
def test_a_cost_is_a_number_or_unknown(cost: float) -> None:
    structure = Structure(("a",), (Family(0, 0),))
    with pytest.raises(ValueError, match="it must be a number, or None"):
        Network(structure, ONE, (cpt(0.5),), cost, Provenance("t"))


def test_networks_are_equal_by_content() -> None:
    family = Family(1, 1, NOISY_OR)
    one = network(NoisyOr(np.array([0.25])), family)
    assert one == network(NoisyOr(np.array([0.25])), family)
    assert hash(one) == hash(network(NoisyOr(np.array([0.25])), family))
    assert one != network(NoisyOr(np.array([0.5])), family)
    assert one != network(NoisyOr(np.array([0.25])), family, names=("a", "c"))
    assert cpt(0.5) == Cpt.binary([0.5])
    assert cpt(0.5) != Cpt.binary(np.array([0.5]), np.array([True]))
    assert one != "a network"
    assert cpt(0.5) != NoisyOr(np.array([0.5]))


def test_variables_and_states_are_found_by_name() -> None:
    one = network(NoisyOr(np.array([0.25])), Family(1, 1, NOISY_OR))
    assert one.index("b") == 1
    assert one.state_index("b", "1") == 1
    assert one.state_index("b", "0") == 0
    assert one.state_index("b", 1) == 1
    assert one.state_index("b", state=False) == 0
    with pytest.raises(NetworkError, match="no variable 'c'; the network has: a, b"):
        one.index("c")
    for state in ("yes", 2, "True"):
        with pytest.raises(NetworkError, match=r"it has: 1 .present., 0 .absent."):
            one.state_index("b", state)


def test_strengths_are_what_q_leaves() -> None:
    noisy_or = NoisyOr(np.array([0.25, 1.0]), leak_q=0.75)
    assert noisy_or.strengths.tolist() == [0.75, 0.0]
    assert noisy_or.leak == 0.25
    assert NoisyOr(np.array([0.25])).leak == 0.0


def test_a_noisy_or_of_many_parents_is_not_written_out() -> None:
    with pytest.raises(TableSizeError, match="2097152 rows; at most 1048576 can be written out"):
        NoisyOr(np.full(21, 0.5)).expand()


def test_names_are_made_of_whole_characters() -> None:
    structure = Structure(("a\ud800",), (Family(0, 0),))
    with pytest.raises(DataError, match="half of a surrogate pair"):
        Network(structure, ONE, (cpt(0.5),), None, Provenance("t"))


def test_states_of_a_variable_with_many_are_found_by_label_or_number() -> None:
    sky = Variable("sky", ("clear", "cloudy", "1"))
    structure = Structure(("sky",), (Family(0, 0),))
    made = Network(structure, (sky,), (Cpt.from_axes([0.5, 0.25, 0.25]),), None, Provenance("t"))
    assert made.state_index("sky", "cloudy") == 1
    assert made.state_index("sky", "1") == made.state_index("sky", 1) == 2
    for state in (2, True, "rain"):
        with pytest.raises(NetworkError, match="it has: clear, cloudy, 1"):
            made.state_index("sky", state)
    assert not made.is_binary


def test_another_number_of_states_is_refused() -> None:
    structure = Structure(("a",), (Family(0, 0),))
    with pytest.raises(ValueError, match="the distribution of variable 0 is not its family's"):
        Network(structure, ONE, (Cpt.from_axes([0.5, 0.25, 0.25]),), None, Provenance("t"))


def test_rows_of_a_table_sum_to_one() -> None:
    with pytest.raises(ValueError, match="the chances of a row sum to 1"):
        Cpt(np.array([[0.5, 0.25]]), np.zeros(1, np.bool_), ())
    with pytest.raises(ValueError, match=r"parents with \(2,\) states need 2 rows"):
        Cpt(np.array([[0.5, 0.5]]), np.zeros(1, np.bool_), (2,))


def test_axes_are_the_parents_then_the_child() -> None:
    axes = np.random.default_rng(1).dirichlet(np.ones(4), (2, 3))
    table = Cpt.from_axes(axes)
    assert (table.parent_states, table.child_states) == ((2, 3), 4)
    assert (table.axes() == axes).all()
    assert (table.table[1 + 2 * 2] == axes[1, 2]).all()  # the first parent is the fastest
    with pytest.raises(ValueError, match="a child of 4 states is not present or absent"):
        _ = table.present
