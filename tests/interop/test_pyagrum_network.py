"""pyAgrum: noisy-ORs stay noisy-ORs, with our formula, and round-trip."""

import json
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from noisyor.core import (
    NOISY_OR,
    Cpt,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Structure,
    TableSizeError,
)
from noisyor.core.variable import variables_of
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning
from noisyor.interop import from_pyagrum, to_pyagrum
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import networks
from tests.interop.models import (
    COUGH,
    assert_same,
    kept_by_pyagrum,
    of_unknown_origin,
    star,
    warnings_of_lost_relations,
)
from tests.oracles.joint import joint
from tests.support.effort import scaled

if TYPE_CHECKING:
    import pyagrum as gum
else:
    gum = load_pyagrum()


def pyagrum_joint(bn: gum.BayesNet) -> npt.NDArray[np.float64]:
    """Return pyAgrum's probability of each configuration, an axis per node."""
    place = gum.Instantiation()  # type: ignore[no-untyped-call]
    for node in range(bn.size()):
        place.add(bn.variable(node))
    result = np.empty((2,) * bn.size())
    for values in product((0, 1), repeat=bn.size()):
        for node, value in enumerate(values):
            place.chgVal(node, value)
        result[values] = bn.jointProbability(place)
    return result


def two_causes(add: str, external: float, *weights: float) -> gum.BayesNet:
    """Return a network of causes a, b, ... and an effect that is one of pyAgrum's functions."""
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    causes = [bn.add(_binary(name)) for name, _ in zip("abc", weights, strict=False)]
    effect = getattr(bn, add)(_binary("effect"), external)
    for cause, weight in zip(causes, weights, strict=True):
        bn.cpt(cause).fillWith([0.75, 0.25])
        bn.addWeightedArc(cause, effect, weight)
    return bn


def _binary(name: str) -> gum.LabelizedVariable:
    return gum.LabelizedVariable(name, "", ["off", "on"])  # type: ignore[no-untyped-call]


@given(networks())
@settings(max_examples=scaled(150))
def test_every_network_comes_back_as_it_was(network: Network) -> None:
    with warnings_of_lost_relations(network):
        bn = to_pyagrum(network)
    assert_same(from_pyagrum(bn), of_unknown_origin(kept_by_pyagrum(network)))


@given(networks(max_variables=5))
@settings(max_examples=scaled(60))
def test_the_joint_distribution_is_the_same_in_pyagrum(network: Network) -> None:
    with warnings_of_lost_relations(network):
        bn = to_pyagrum(network)
    assert np.abs(pyagrum_joint(bn) - joint(network)).max() < 1e-14


def test_a_noisy_or_stays_one_with_our_formula() -> None:
    bn = to_pyagrum(COUGH)
    stored = json.loads(bn.saveGUMstring())["cpt"]["cough"]
    assert stored["name"] == "MultiDimNoisyORNet"
    assert stored["causalWeights"] == {"flu": 0.75, "cold": 0.5}
    assert stored["externalWeight"] == pytest.approx(0.1, abs=1e-16)
    place = gum.Instantiation(bn.cpt("cough"))  # type: ignore[no-untyped-call]
    found = {}
    for flu, cold in product((0, 1), repeat=2):
        place.chgVal("flu", flu)
        place.chgVal("cold", cold)
        place.chgVal("cough", 1)
        found[flu, cold] = bn.cpt("cough").get(place)
    # 1 - 0.9, 1 - 0.9/4, 1 - 0.9/2, 1 - 0.9/8
    assert found == pytest.approx({(0, 0): 0.1, (1, 0): 0.775, (0, 1): 0.55, (1, 1): 0.8875})


def test_tables_and_labels_are_where_pyagrum_expects_them() -> None:
    bn = to_pyagrum(COUGH)
    assert bn.names() == {"cough", "flu", "cold", "fever"}
    assert bn.variable("cold").labels() == ("low", "high")
    fever = bn.cpt("fever")
    assert fever[{"flu": "present", "cold": "low"}].tolist() == [0.4, 0.6]
    assert fever[{"flu": "absent", "cold": "high"}].tolist() == [0.9, 0.1]


def test_as_many_causes_as_pyagrum_can_have_need_no_table() -> None:
    network = star(62, leak_q=0.75)
    assert from_pyagrum(to_pyagrum(network)) == network
    with pytest.raises(TableSizeError, match=r"'effect' has 63 parents; .* at most 62"):
        to_pyagrum(star(63))


def test_causes_without_effect_are_kept_although_pyagrum_has_no_weight_of_zero() -> None:
    network = replace(
        star(2, leak_q=0.5),
        distributions=(Cpt.binary([0.25]), Cpt.binary([0.25]), NoisyOr(np.array([1.0, 0.0]), 1.0)),
    )
    bn = to_pyagrum(network)
    assert np.array_equal(pyagrum_joint(bn), joint(network))
    assert from_pyagrum(bn) == network


def test_labels_that_pyagrum_would_cut_or_crash_on_are_replaced_and_come_back() -> None:
    network = replace(
        star(2),
        structure=Structure(
            ("nul\0", "nul", "\0"), (Family(0, 0), Family(1, 0), Family(2, 3, NOISY_OR))
        ),
        variables=variables_of(
            ("nul\0", "nul", "\0"), (("x\0y", "x\0z"), ("no", "\0"), ("no", "yes"))
        ),
    )
    bn = to_pyagrum(network)
    assert [bn.variable(node).name() for node in range(3)] == ["nul_", "nul", "x"]
    assert bn.variable(0).labels() == bn.variable(1).labels() == ("absent", "present")
    assert from_pyagrum(bn) == network


def test_the_other_noisy_or_of_pyagrum_counts_the_leak_in_each_weight() -> None:
    # Henrion: flu alone gives 1 - 0.3, so q = 0.3 / 0.8 beyond the leak of 0.2.
    bn = two_causes("addNoisyORCompound", 0.2, 0.7, 0.4)
    network = from_pyagrum(bn)
    found = network.distributions[2]
    assert isinstance(found, NoisyOr)
    assert found.q == pytest.approx([0.375, 0.75])
    assert found.leak_q == pytest.approx(0.8)
    assert np.abs(joint(network) - pyagrum_joint(bn)).max() < 1e-15


@pytest.mark.parametrize(("external", "weights"), [(0.0, (0.5, 0.25)), (1.0, (1.0, 1.0))])
def test_the_other_noisy_or_is_read_without_leak_and_with_a_certain_one(
    external: float, weights: tuple[float, float]
) -> None:
    bn = two_causes("addNoisyORCompound", external, *weights)
    network = from_pyagrum(bn)
    assert network.structure.families[2].relation.name == (
        "leaky-noisy-or" if external else "noisy-or"
    )
    assert np.array_equal(joint(network), pyagrum_joint(bn))


def test_an_or_is_a_noisy_or_that_never_fails() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    for name in "ab":
        bn.cpt(bn.add(_binary(name))).fillWith([0.5, 0.5])
    bn.addOR(_binary("either"))
    bn.addArc("a", "either")
    bn.addArc("b", "either")
    network = from_pyagrum(bn)
    assert network.distributions[2] == NoisyOr(np.zeros(2))
    assert np.array_equal(joint(network), pyagrum_joint(bn))


@pytest.mark.parametrize(
    ("add", "name"), [("addLogit", "MultiDimLogit"), ("addNoisyAND", "MultiDimNoisyAND")]
)
def test_other_functions_are_read_as_tables_with_a_warning(add: str, name: str) -> None:
    bn = two_causes(add, 0.125, 0.5, 0.25, 0.75)
    with pytest.warns(ConversionWarning, match=rf"'effect' is a function \({name}\)") as caught:
        network = from_pyagrum(bn, dict.fromkeys("abc", "on") | {"effect": "on"})
    assert caught[0].filename == __file__
    assert isinstance(network.distributions[3], Cpt)
    assert np.abs(joint(network) - pyagrum_joint(bn)).max() < 1e-15


def test_a_function_of_too_many_parents_is_refused() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    effect = bn.addNoisyAND(_binary("effect"), 0.5)
    for number in range(21):
        bn.addWeightedArc(bn.add(_binary(f"c{number}")), effect, 0.5)
    with (
        pytest.warns(ConversionWarning),
        pytest.raises(TableSizeError, match="'effect' is a function of 21 parents"),
    ):
        from_pyagrum(bn)


def test_a_function_without_parents_is_a_table_of_one_row() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    bn.addNoisyORNet(_binary("alone"), 0.25)
    assert from_pyagrum(bn, {"alone": "on"}).distributions == (Cpt.binary([0.25]),)


def test_parents_given_in_any_order_are_sorted() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    for name in ("a", "b", "c", "d"):
        bn.add(gum.LabelizedVariable(name, "", ["no", "yes"]))  # type: ignore[no-untyped-call]
    for parent in ("d", "b", "c"):
        bn.addArc(parent, "a")
    bn.generateCPTs()
    network = from_pyagrum(bn)
    assert network.structure.families[0].parent_indices() == (1, 2, 3)
    assert np.abs(joint(network) - pyagrum_joint(bn)).max() < 1e-15


def test_present_is_what_is_asked_else_the_word_else_the_first_state() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    for name, labels in (
        ("a", ["shut", "open"]),
        ("b", ["false", "true"]),
        ("c", ["shut", "open"]),
    ):
        node = bn.add(gum.LabelizedVariable(name, "", labels))  # type: ignore[no-untyped-call]
        bn.cpt(node).fillWith([0.25, 0.75])
    network = from_pyagrum(bn, {"c": "open"})
    assert network.states == (("open", "shut"), ("false", "true"), ("shut", "open"))
    assert network.distributions == (Cpt.binary([0.25]), Cpt.binary([0.75]), Cpt.binary([0.75]))
    assert (network.cost, network.provenance.version, network.provenance.data) == (
        None,
        VERSION,
        "",
    )


def test_what_was_renamed_in_pyagrum_keeps_its_new_name_and_labels() -> None:
    bn = to_pyagrum(COUGH)
    bn.changeVariableName("fever", "heat")
    bn.changeVariableLabel("cold", "low", "slight")
    network = from_pyagrum(bn)
    assert network.names == ("cough", "flu", "cold", "heat")
    assert network.states[2] == ("slight", "high")  # present: the state that acts in a noisy-OR


def test_more_than_two_states_keep_their_order() -> None:
    bn = gum.fastBN("a{low|middle|high}->b{no|yes}")
    bn.cpt("a").fillWith([0.5, 0.25, 0.25])
    bn.cpt("b").fillWith([0.125, 0.875, 0.25, 0.75, 0.375, 0.625])
    network = from_pyagrum(bn)
    assert network.states == (("low", "middle", "high"), ("no", "yes"))
    assert network.distributions[0].expand().table.tolist() == [[0.5, 0.25, 0.25]]
    assert network.distributions[1].expand().table[:, 1].tolist() == [0.875, 0.75, 0.625]


def test_another_kind_of_model_is_refused() -> None:
    with pytest.raises(TypeError, match="a pyAgrum BayesNet is expected, not DAG"):
        from_pyagrum(gum.DAG())  # type: ignore[arg-type,no-untyped-call]


def test_a_table_that_was_never_filled_is_refused() -> None:
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    bn.add(_binary("empty"))
    with pytest.raises(FormatError, match="a row of the table of 'empty' sums to 0"):
        from_pyagrum(bn)


def entry(**changes: object) -> str:
    """Return the property of one variable, with changes."""
    right = {"called": "a", "labels": ["x", "y"], "name": "a", "states": ["x", "y"]}
    return json.dumps([right | {"order": [0, 1]} | changes])


@pytest.mark.parametrize(
    "value",
    [
        "no JSON",
        "[" * 100_000,
        f"[{'9' * 5000}]",
        "{}",
        "[1]",
        '[{"called": "a"}]',
        entry(called=1),
        entry(labels=["x", "x"]),
        entry(states=["x", 1]),
        entry(states=["x", "y", "z"]),
        entry(order=[0, 0]),
        entry(order=[0, True]),
        entry(order="01"),
    ],
)
def test_a_property_that_noisyor_did_not_write_is_refused(value: str) -> None:
    bn = to_pyagrum(COUGH)
    bn.setProperty("noisyor", value)
    with pytest.raises(FormatError, match="a property 'noisyor' that noisyor did not write"):
        from_pyagrum(bn)
