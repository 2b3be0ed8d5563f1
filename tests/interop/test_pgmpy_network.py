"""pgmpy: tables with the states' names, and its own noisy-OR where possible."""

import sys
import warnings
from contextlib import nullcontext
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from noisyor.core import (
    Cpt,
    FormatError,
    Network,
    NoisyOr,
    SettingsError,
    TableSizeError,
)
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning
from noisyor.interop import from_pgmpy, to_pgmpy
from tests.formats.networks import networks, written_out
from tests.interop.models import COUGH, assert_same, of_unknown_origin, star
from tests.oracles.joint import joint
from tests.support.effort import scaled

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", ".*StructureScore. is deprecated", FutureWarning)
    from pgmpy.factors.discrete import NoisyORCPD, TabularCPD  # type: ignore[import-untyped]
    from pgmpy.inference import VariableElimination  # type: ignore[import-untyped]
    from pgmpy.models import (  # type: ignore[import-untyped]
        DiscreteBayesianNetwork,
        LinearGaussianBayesianNetwork,
    )


def converted(network: Network) -> DiscreteBayesianNetwork:
    """Return pgmpy's network; it warns exactly if there are relations that it cannot keep."""
    lost = as_tables(network) != network
    with pytest.warns(ConversionWarning) if lost else nullcontext():
        return to_pgmpy(network)


def kept_by_pgmpy(network: Network, child: int) -> bool:
    distribution = network.distributions[child]
    parents = [
        v for v in range(len(network.names)) if network.structure.families[child].parents >> v & 1
    ]
    return (
        isinstance(distribution, NoisyOr)
        and distribution.leak_q is None
        and all(network.states[v] == ("False", "True") for v in [child, *parents])
    )


def as_tables(network: Network) -> Network:
    """Return a network with every relation that pgmpy cannot keep written out."""
    return written_out(network, lambda child, _: kept_by_pgmpy(network, child))


def pgmpy_joint(model: DiscreteBayesianNetwork, network: Network) -> npt.NDArray[np.float64]:
    """Return pgmpy's probability of each configuration, axes and states as in the network."""
    factor = VariableElimination(model).query(list(network.names), show_progress=False)
    table = np.transpose(factor.values, [factor.variables.index(name) for name in network.names])
    for axis, (name, states) in enumerate(zip(network.names, network.states, strict=True)):
        places = [factor.state_names[name].index(state) for state in states]
        table = np.take(table, places, axis=axis)
    return table


def coin(name: str, chance: float = 0.25, states: list[Any] | None = None) -> TabularCPD:
    return TabularCPD(
        name, 2, [[chance], [1 - chance]], state_names={name: states or ["yes", "no"]}
    )


@given(networks())
@settings(max_examples=scaled(100))
def test_every_network_comes_back_with_its_noisy_ors_as_tables(network: Network) -> None:
    assert_same(from_pgmpy(converted(network)), of_unknown_origin(as_tables(network)))


@given(networks(max_variables=5))
@settings(max_examples=scaled(60))
def test_the_joint_distribution_is_the_same_in_pgmpy(network: Network) -> None:
    model = converted(network)
    assert model.check_model()
    assert np.abs(pgmpy_joint(model, network) - joint(network)).max() < 1e-14


def test_tables_are_where_pgmpy_expects_them() -> None:
    with pytest.warns(ConversionWarning, match="written out as tables: 'cough'$") as caught:
        model = to_pgmpy(COUGH)
    assert caught[0].filename == __file__
    assert list(model.nodes) == ["cough", "flu", "cold", "fever"]
    fever = model.get_cpds("fever")
    assert fever.state_names == {
        "fever": ["1", "0"],
        "flu": ["present", "absent"],
        "cold": ["high", "low"],
    }
    assert fever.get_value(fever="1", flu="present", cold="low") == 0.6
    assert fever.get_value(fever="0", flu="absent", cold="high") == 0.9
    cough = model.get_cpds("cough")
    assert cough.get_value(cough="yes", flu="present", cold="low") == pytest.approx(0.775)


def test_a_noisy_or_of_true_and_false_stays_one() -> None:
    network = star(3, ("False", "True"))
    model = to_pgmpy(network)
    assert isinstance(model.get_cpds("effect"), NoisyORCPD)
    assert model.check_model()
    assert from_pgmpy(model) == network
    assert np.abs(pgmpy_joint(model, network) - joint(network)).max() < 1e-15


def test_a_noisy_or_of_pgmpy_is_read_with_its_parents_in_any_order() -> None:
    model = DiscreteBayesianNetwork([("b", "effect"), ("a", "effect")])
    model.add_cpds(
        coin("a", 0.5, ["True", "False"]),
        coin("b", 0.25, ["True", "False"]),
        NoisyORCPD("effect", [0.25, 0.75], ["a", "b"]),
    )
    network = from_pgmpy(model)
    assert network.names == ("b", "effect", "a")
    assert network.distributions[1] == NoisyOr(np.array([0.25, 0.75]))  # b fails, a fails
    assert network.states == (("False", "True"),) * 3
    assert np.abs(pgmpy_joint(model, network) - joint(network)).max() < 1e-15


def test_a_noisy_or_of_pgmpy_whose_table_was_changed_is_a_table() -> None:
    model = to_pgmpy(star(1, ("False", "True")))
    effect = model.get_cpds("effect")
    effect.values = np.array([[0.5, 0.25], [0.5, 0.75]])  # present without its cause: 1/4
    network = from_pgmpy(model)
    assert network.distributions[1] == Cpt.binary([0.25, 0.5])


def test_a_noisy_or_of_pgmpy_that_lost_a_parent_is_a_table() -> None:
    model = to_pgmpy(star(2, ("False", "True")))
    model.get_cpds("effect").marginalize(["cause1"])
    model.remove_edge("cause1", "effect")
    network = from_pgmpy(model)
    assert network.distributions[2] == Cpt.binary([0.25, 0.625])


def test_too_many_parents_for_a_table_are_refused_by_name() -> None:
    with pytest.raises(TableSizeError, match=r"'effect' cannot be given to pgmpy: .* 21 parents"):
        to_pgmpy(star(21))


def test_a_copy_in_pgmpy_still_knows_which_state_means_present() -> None:
    network = of_unknown_origin(as_tables(COUGH))
    model = to_pgmpy(network).copy()
    assert from_pgmpy(model) == network


def test_present_is_what_is_asked_else_the_word_else_the_first_state() -> None:
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(["a", "b", "c", "d"])
    model.add_cpds(
        coin("a", states=["shut", "open"]),
        coin("b", states=["false", "true"]),
        coin("c", states=["shut", "open"]),
        TabularCPD("d", 2, [[0.25], [0.75]]),  # pgmpy calls the states 0 and 1
    )
    network = from_pgmpy(model, {"c": "open"})
    assert network.states == (("open", "shut"), ("false", "true"), ("shut", "open"), ("0", "1"))
    assert [one.present[0] for one in network.distributions if isinstance(one, Cpt)] == [
        0.25,
        0.75,
        0.75,
        0.75,
    ]
    assert (network.cost, network.provenance.version, network.provenance.data) == (
        None,
        VERSION,
        "",
    )


def test_names_that_are_no_text_become_text() -> None:
    model = DiscreteBayesianNetwork([(1, 2)])
    model.add_cpds(
        TabularCPD(1, 2, [[0.75], [0.25]]),
        TabularCPD(2, 2, [[0.5, 0.125], [0.5, 0.875]], [1], [2]),
    )
    network = from_pgmpy(model)
    assert network.names == ("1", "2")
    assert network.distributions[1] == Cpt.binary([0.5, 0.875])


def _model(*cpds: TabularCPD) -> DiscreteBayesianNetwork:
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(*cpds)
    return model


def _b(values: list[list[float]], **state_names: list[str]) -> TabularCPD:
    return TabularCPD("b", 2, values, ["a"], [2], {"b": ["yes", "no"]} | state_names)


@pytest.mark.parametrize(
    ("cpds", "message"),
    [
        ([coin("a")], "'b' has no CPD; each variable needs one"),
        ([coin("a"), coin("b")], "the CPD of 'b' has the parents none, the graph 'a'"),
        (
            [coin("a"), _b([[0.5, 0.5], [0.5, 0.5]], a=["no", "yes"])],
            "'b' has the states 'no', 'yes' of its parent 'a', whose own are 'yes', 'no'; they",
        ),
        ([coin("a"), _b([[0.5, 0.5], [0.5, 0.5]])], "has the states none of its parent 'a'"),
        (
            [coin("a"), _b([[0.5, 0.5], [0.5, 0.75]], a=["yes", "no"])],
            "a row of the table of 'b' sums to 1.25",
        ),
    ],
)
def test_a_model_that_is_no_network_is_refused(cpds: list[TabularCPD], message: str) -> None:
    with pytest.raises(FormatError, match=f"the pgmpy model: .*{message}"):
        from_pgmpy(_model(*cpds))


def test_a_cycle_is_refused() -> None:
    model = _model(coin("a"), _b([[0.5, 0.5], [0.5, 0.5]], a=["yes", "no"]))
    nx.DiGraph.add_edge(model, "b", "a")  # behind pgmpy's back
    model.cpds[0] = TabularCPD(
        "a",
        2,
        [[0.5, 0.5], [0.5, 0.5]],
        ["b"],
        [2],
        {"a": ["yes", "no"], "b": ["yes", "no"]},
    )
    with pytest.raises(FormatError, match="pgmpy model: the edges form a directed cycle: b -> a"):
        from_pgmpy(model)


def test_another_kind_of_model_is_refused() -> None:
    with pytest.raises(TypeError, match="DiscreteBayesianNetwork is expected, not LinearGaussian"):
        from_pgmpy(LinearGaussianBayesianNetwork())


def test_a_distribution_that_is_no_table_is_refused() -> None:
    model = _model(coin("a"))
    model.cpds.append(type("Rule", (), {"variable": "b"})())
    with pytest.raises(FormatError, match="the CPD of 'b' is a Rule; only tables can be read"):
        from_pgmpy(model)


def test_without_pgmpy_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgmpy", None)
    for name in [name for name in sys.modules if name.startswith("pgmpy.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(SettingsError, match=r"pip install noisyor\[interop\]"):
        to_pgmpy(COUGH)
    with pytest.raises(SettingsError, match=r"pip install noisyor\[interop\]"):
        from_pgmpy(object())
