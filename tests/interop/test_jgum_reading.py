"""pyAgrum's own files, read without pyAgrum; pyAgrum is the twin."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import FormatError, Network
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import to_network
from noisyor.interop import from_pyagrum, jgum_bytes
from noisyor.interop.jgum_reading import parse_jgum
from noisyor.interop.network_files import read_network
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import discrete_networks, networks
from tests.interop.models import assert_same, kept_by_pyagrum, of_unknown_origin
from tests.support.effort import scaled

if TYPE_CHECKING:
    import pyagrum as gum
else:
    gum = load_pyagrum()


def read(text: str, *, forgiving: bool = False) -> Network:
    return to_network(parse_jgum(text, forgiving=forgiving))


def document(**changes: object) -> str:
    parts: dict[str, object] = {
        "type": "BN",
        "GumJsonVersion": "1.0",
        "nodes": ["a{yes|no|maybe}", "b{lo|hi}", "c{0|1}"],
        "parents": {"a": [], "b": ["a", "c"], "c": []},
        "cpt": {
            "a": [0.5, 0.25, 0.25],
            "b": [0.5, 0.5, 0.25, 0.75, 0.125, 0.875, 1, 0, 0, 1, 0.375, 0.625],
            "c": [0.75, 0.25],
        },
        "properties": {"name": "three"},
    }
    return json.dumps(parts | changes)


def changed(name: str, entry: object) -> str:
    given = json.loads(document())
    return document(cpt=given["cpt"] | {name: entry})


def test_a_file_by_hand() -> None:
    network = read(document())
    assert network.states == (("yes", "no", "maybe"), ("hi", "lo"), ("0", "1"))
    table = network.distributions[1].expand().axes()
    # The child varies fastest, then a, then c; states of b are turned round.
    assert table[1, 0].tolist() == [0.75, 0.25]
    assert table[0, 1].tolist() == [0, 1]
    assert network.appearance.title == "three"
    assert network.appearance.of("b").order == (1, 0)


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        ("x{yes|no}", ("yes", "no")),
        ("x{3|1|2}", ("1", "2", "3")),
        ("x{0.5|-2|10}", ("-2", "0.5", "10")),
        ("x{3|a|2}", ("3", "a", "2")),
        ("x[3]", ("0", "1", "2")),
        ("x[-1,2]", ("-1", "0", "1", "2")),
        ("x[0,1.5,20]", ("[0;1.5[", "[1.5;20]")),
    ],
)
def test_every_kind_of_variable_has_the_labels_of_pyagrum(
    said: str, labels: tuple[str, ...]
) -> None:
    row = [1 / len(labels)] * len(labels)
    text = json.dumps({"type": "BN", "nodes": [said], "parents": {"x": []}, "cpt": {"x": row}})
    assert parse_jgum(text).nodes[0].states == labels
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    bn.loadGUMstring(text)
    assert bn.variable(0).labels() == labels


@given(networks())
@settings(max_examples=scaled(80))
@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
def test_every_network_that_we_write_comes_back(network: Network) -> None:
    back = read(jgum_bytes(network).decode())
    assert_same(of_unknown_origin(back), of_unknown_origin(kept_by_pyagrum(network)))


@given(discrete_networks(least_states=2))  # pyAgrum reads no variable of one state
@settings(max_examples=scaled(60))
@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
def test_networks_of_any_states_come_back_as_by_pyagrum(network: Network) -> None:
    text = jgum_bytes(network).decode()
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    bn.loadGUMstring(text)
    back, twin = read(text), from_pyagrum(bn)
    assert back.states == twin.states == network.states
    assert back.structure == twin.structure
    for one, other, own in zip(
        back.distributions, twin.distributions, network.distributions, strict=True
    ):
        assert np.abs(one.expand().table - other.expand().table).max() < 1e-15
        assert np.abs(one.expand().table - own.expand().table).max() < 1e-15


@pytest.mark.parametrize(
    ("said", "name"),
    [("[{a|b}", "["), ("x[1]{a|b[c]}", "x[1]"), ("a[b[1,3]", "a[b"), ("a{b[1,3]", "a{b")],
)
def test_a_name_may_hold_the_other_bracket_as_in_pyagrum(said: str, name: str) -> None:
    labels = gum.fastVariable(said).labels()
    row = [1 / len(labels)] * len(labels)
    text = json.dumps({"type": "BN", "nodes": [said], "parents": {name: []}, "cpt": {name: row}})
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    bn.loadGUMstring(text)
    assert bn.variable(0).name() == name
    (node,) = parse_jgum(text).nodes
    assert (node.name, node.states) == (name, labels)


def with_function(
    add: str, *arguments: float, weights: tuple[float, float] | None
) -> "gum.BayesNet":
    """Return a network with a function of pyAgrum of a parent of three and one of two states."""
    bn = gum.fastBN("p[1,3];r[2]")
    getattr(bn, add)(gum.LabelizedVariable("c", "", 2), *arguments)  # type: ignore[no-untyped-call]
    for place, parent in enumerate(("p", "r")):
        if weights is None:
            bn.addArc(parent, "c")
        else:
            bn.addWeightedArc(parent, "c", weights[place])
    return bn


@pytest.mark.parametrize(
    ("add", "arguments", "weights"),
    [
        ("addNoisyORNet", (0.125,), (0.25, 0.75)),
        ("addNoisyORNet", (0.0,), (0.25, 0.75)),
        ("addNoisyORCompound", (0.125,), (0.25, 0.75)),
        ("addNoisyAND", (0.875,), (0.25, 0.75)),
        ("addOR", (), None),
        ("addAND", (), None),
    ],
)
@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
def test_functions_are_those_of_pyagrum(
    add: str, arguments: tuple[float, ...], weights: tuple[float, float] | None
) -> None:
    bn = with_function(add, *arguments, weights=weights)
    tensor = bn.cpt("c")
    for network in (read(bn.saveGUMstring()), from_pyagrum(bn)):
        table = network.distributions[2].expand().axes()
        for place in np.ndindex(3, 2, 2):
            at = gum.Instantiation(tensor)  # type: ignore[no-untyped-call]
            for name, state in zip(("p", "r", "c"), place, strict=True):
                at.chgVal(bn.variable(name), state)
            own = network.states[2].index(bn.variable("c").label(place[2]))
            second = network.states[1].index(str(place[1]))
            assert table[place[0], second, own] == pytest.approx(tensor.get(at), abs=1e-15)


def test_a_noisy_or_stays_one_and_other_functions_are_named() -> None:
    bn = with_function("addNoisyORNet", 0.125, weights=(0.25, 0.75))
    assert len(read(bn.saveGUMstring()).distributions[2].causes()) > len(("p", "r"))
    with pytest.warns(ConversionWarning, match=r"cpt.c: 'c' is a function \(MultiDimNoisyAND\)"):
        read(with_function("addNoisyAND", 0.5, weights=(0.5, 0.5)).saveGUMstring())
    with pytest.raises(FormatError, match=r"is a function \(exists\) that noisyor does not have"):
        read(with_function("addEXISTS", 1, weights=None).saveGUMstring())
    with pytest.raises(FormatError, match=r"a function \(MultiDimLogit\) that noisyor does not"):
        read(with_function("addLogit", 0.5, weights=(0.5, 0.5)).saveGUMstring())


def test_a_function_without_parents_is_its_leak() -> None:
    entry = {
        "kind": "ici",
        "name": "MultiDimNoisyORNet",
        "externalWeight": 0.25,
        "causalWeights": {},
    }
    with pytest.warns(ConversionWarning, match="written out as a table"):
        network = read(changed("c", entry))
    assert network.distributions[2].expand().axes().tolist() == [0.75, 0.25]


def test_rows_off_by_rounding() -> None:
    text = changed("c", [0.75, 0.248])
    with pytest.raises(FormatError, match=r"cpt.c: .* 'c' sum to 0.998; .* forgiving=True"):
        read(text)
    with pytest.warns(ConversionWarning, match="'c' sum to 0.998"):
        read(text, forgiving=True)


def noisy_or(**changes: object) -> dict[str, object]:
    entry: dict[str, object] = {
        "kind": "ici",
        "name": "MultiDimNoisyORNet",
        "externalWeight": 0.5,
        "causalWeights": {"a": 0.5, "c": 0.5},
    }
    return entry | changes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "it is not JSON"),
        ("[]", "the document is a list; expected: an object"),
        ("{}", "the document lacks 'type'"),
        (document(type="ID"), "its type is 'ID'; noisyor reads Bayesian networks, 'BN'"),
        (document(nodes=[]), "it has 0 nodes"),
        (document(nodes=["a{x|y}"] * 2), r"nodes\[1\] is a second 'a'"),
        (document(nodes=["a"]), r"nodes\[0\] is 'a'; expected: name\{label"),
        (document(nodes=["{x|y}"]), r"nodes\[0\] is '\{x|y\}'"),
        (document(nodes=["a[x]"]), r"nodes\[0\] is 'a\[x\]'; a range has whole numbers"),
        (document(nodes=["a[0,999]"]), r"nodes\[0\] has 1000 states; 1 to 250"),
        (document(nodes=["a[3,2]"]), r"nodes\[0\] has 0 states"),
        (document(nodes=["a[1,3,2]"]), r"nodes\[0\] has the limits '1,3,2', which must be asc"),
        (document(parents={"a": ["z"]}), "'a' has the parent 'z', which is not a node"),
        (document(cpt={}), "cpt has no entry for 'a'"),
        (changed("a", [0.5, 0.5]), "cpt.a has 2 numbers; the states need 3"),
        (changed("a", ["x"]), r"cpt.a\[0\] is 'x'; expected: a number"),
        (changed("a", 1), "cpt.a is 1; expected: an object"),
        (changed("b", {"kind": "ici"}), "cpt.b lacks 'name'"),
        (changed("b", noisy_or(causalWeights={"a": 1})), "cpt.b.causalWeights lacks 'c'"),
        (changed("b", noisy_or(externalWeight=2)), "between 0 and 1"),
        (changed("a", noisy_or()), "cpt.a lacks 'causalWeights'|noisyor does not have"),
    ],
)
def test_odd_files_are_refused_with_the_path(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(text)


def test_a_file_is_read_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "three.jgum"
    path.write_text(document())
    assert read_network(path).names == ("a", "b", "c")
