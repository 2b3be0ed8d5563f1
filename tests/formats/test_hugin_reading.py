"""Hugin's .net files, as Hugin and others write them, read."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import FormatError, Network
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.provenance import Provenance
from noisyor.core.warning import ConversionWarning
from noisyor.formats.hugin import hugin_text, parse_hugin
from noisyor.formats.parsed_network import to_network
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.alike import appearances
from tests.formats.networks import check_tables_came_back, discrete_networks, texts, visible_texts
from tests.formats.small_networks import pair
from tests.formats.ward import COUGH_TABLE, assert_is_ward
from tests.support.effort import scaled

WARD = """net
{
    node_size = (80 40);
    HR_Desc = "On a ward";
    HR_Color_Interface = "21";
}

node season
{
    label = "";
    position = (200 300);
    states = ("winter" "spring" "summer");
}
node flu
{
    label = "Influenza";
    position = (100 200);
    states = ("yes" "no");
    HR_Desc = "as reported";
    HR_NodeSize = "(30, 40)";
}
discrete node cough
{
    states = ("none" "mild" "severe");
    subtype = label;
}

potential (season)
{
    data = ( 0.5 0.25 0.25 );
}
potential (flu | season)
{
    data = (( 0.5 0.5 )	%  season=winter
            ( 0.25 0.75 )	%  season=spring
            ( 0.125 0.875 ));	%  season=summer
}
potential (cough | season flu)
{
    data = ((( 0.125 0.375 0.5 )	%  season=winter  flu=yes
             ( 0.75 0.125 0.125 ))	%  season=winter  flu=no
            (( 0.25 0.25 0.5 )
             ( 0.875 0.125 0 ))
            (( 0.25 0.5 0.25 )
             ( 1 0 0 )));
}
"""
WITH_UTILITY = (
    WARD
    + """
utility cost { position = (0 0); }
decision treat { states = ("yes" "no"); }
continuous node temperature { label = "T"; }
node sum { states = ("0" "1"); }
potential (cost | treat flu) { data = ( 1 2 3 4 ); }
potential (temperature | flu) { data = ( normal ( 36.5, 0.5 ) normal ( 39, 1 ) ); }
potential (sum | flu cough) { model_nodes = (); model_data = ( if (flu == "yes", 1, 0) ); }
"""
)


def read(text: str, *, forgiving: bool = False) -> Network:
    return to_network(parse_hugin(text, forgiving=forgiving))


def test_a_file_of_hugin() -> None:
    network = read(WARD)
    assert_is_ward(network)
    assert network.names == ("season", "flu", "cough")
    assert network.appearance.comment == "On a ward"
    season, flu, cough = (network.appearance.of(name) for name in network.names)
    assert (season.title, flu.title, cough.title) == (None, "Influenza", None)
    assert season.box == (160, 280, 240, 320)
    assert flu.box == (85, 180, 115, 220)
    assert cough.box is None
    assert flu.comment == "as reported"


def test_a_class_of_an_object_oriented_network() -> None:
    inside = WARD.replace("net\n{\n", "class ward\n{\n inputs = ();\n outputs = ();\n", 1)
    assert_is_ward(read(inside.replace('"21";\n}', '"21";\n', 1) + "}\n"))


def test_a_file_without_brackets_in_a_list() -> None:
    numbers = " ".join(map(str, np.ravel(COUGH_TABLE)))
    flat = re.sub(r"\(\(\( 0.125.*?\)\)\)", f"( {numbers} )", WARD, flags=re.DOTALL)
    assert_is_ward(read(flat))


def test_tables_that_are_left_out_are_uniform() -> None:
    text = 'net { } node a { states = (x "" z); } node b { states = (x y); } potential (b | a) { }'
    network = read(text)
    assert network.states == (("x", "state 1", "z"), ("y", "x"))
    assert network.distributions[0].expand().axes().tolist() == [1 / 3] * 3
    assert network.distributions[1].expand().axes().tolist() == [[0.5, 0.5]] * 3


def test_other_nodes_are_left_out_with_a_warning() -> None:
    with pytest.warns(
        ConversionWarning,
        match=r"\(utility: 'cost'; decision: 'treat'; continuous: 'temperature'; formula: 'sum'\)",
    ):
        assert_is_ward(read(WITH_UTILITY))


def test_a_decision_on_which_a_variable_depends_is_read() -> None:
    text = (
        "net {} decision treat { states = (yes no); } node ill { states = (yes no); } "
        "potential (ill | treat) { data = (0.25 0.75 0.5 0.5); }"
    )
    with pytest.warns(ConversionWarning, match=r"equally likely states \('treat'\); give them"):
        network = read(text)
    assert network.distributions[0].expand().axes().tolist() == [0.5, 0.5]
    assert network.distributions[1].expand().axes().tolist() == [[0.5, 0.5], [0.75, 0.25]]


def test_a_variable_that_depends_on_a_formula_is_refused() -> None:
    text = WITH_UTILITY.replace("potential (flu | season)", "potential (flu | sum)")
    with pytest.raises(FormatError, match=r"line 32: 'flu' depends on 'sum', .* 'formula'"):
        read(text)


def test_rows_are_weights() -> None:
    text = WARD.replace("( 0.125 0.375 0.5 )", "( 1 3 4 )")
    with pytest.warns(ConversionWarning, match=r"line 40: .* 'cough' sum to 8. Such rows are div"):
        assert_is_ward(read(text))
    for row, message in (("0 0 0", "has only zeros"), ("-1 1 1", "the entry -1, .* not a weight")):
        with pytest.raises(FormatError, match=f"line 40: .* 'cough' {message}|{message}"):
            read(WARD.replace("( 0.125 0.375 0.5 )", f"( {row} )"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("net\n{", "nett\n{", "line 1: a .net file has one 'net' or 'class', not 0"),
        ("node season", "node flu", "line 14: the node 'flu' occurs twice"),
        ("node season", "instance season", "line 8: there is a block 'instance season'"),
        ("potential (season)", "potential (flu)", "line 32: there is a second potential of 'flu'"),
        ("potential (season)", "potential (sky)", "line 28: .* 'sky', which is not a node"),
        ("potential (season)", "potential (season flu)", "line 28: .* of one node, not of 2"),
        ("| season flu)", "| season sky)", "line 38: 'cough' has the parent 'sky', which is not"),
        ("| season flu)", "| flu)", "line 40: the table of 'cough' has 18 numbers; .* need 6"),
        ('    states = ("yes" "no");\n', "", "line 14: the node 'flu' has no states"),
        ('("yes" "no")', '("yes" "yes")', "the states of 'flu' must differ"),
        ("(200 300)", "(200)", "line 11: 'position' must be 2 numbers"),
        ("(200 300)", "(200 a)", "line 11: 'a' is not a number"),
        ("( 1 0 0 )))", "( 1 0 )))", "line 45: a list of 2 numbers in the table of 'cough'"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in WARD
    with pytest.raises(FormatError, match=message):
        read(WARD.replace(old, new, 1))


def test_a_directed_cycle_is_refused() -> None:
    text = "net {} node a { states = (x y); } node b { states = (x y); } potential (a | b) {} "
    with pytest.raises(FormatError, match="directed cycle: "):
        read(text + "potential (b | a) {}")


def test_tables_that_a_file_leaves_out_have_a_limit() -> None:
    nodes = "".join(f"node n{v} {{ states = (x y); }}" for v in range(31))
    given_all = " ".join(f"n{v}" for v in range(30))
    with pytest.raises(FormatError, match="entries of tables are not in the file; at most"):
        read(f"net {{}} {nodes} potential (n30 | {given_all}) {{}}")


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(discrete_networks())
@settings(max_examples=scaled(80))
def test_every_network_comes_back(network: Network) -> None:
    back = read(hugin_text(network))
    check_tables_came_back(back, network)


def test_what_a_file_shows_is_written_back() -> None:
    network = read(WARD)
    again = read(hugin_text(network))
    assert again.appearance == network.appearance
    node = NodeAppearance(title='The "best" node; (50 %)', order=(1, 0), box=(0, 0, 60, 30))
    shown = replace(network, appearance=Appearance(nodes={"flu": node}))
    assert read(hugin_text(shown)).appearance.of("flu") == node


@given(name=visible_texts, node=appearances(titles=visible_texts), comment=st.none() | texts)
@settings(max_examples=scaled(100))
def test_every_title_and_comment_comes_back(
    name: str, node: NodeAppearance, comment: str | None
) -> None:
    shown = pair(name, name + "2")
    shown = replace(shown, appearance=Appearance(nodes={name: node}, comment=comment))
    with pytest.warns(ConversionWarning):
        back = read(hugin_text(shown)).appearance
    expected = replace(node, title=None) if node.title == name else node
    assert back.of(name) == expected
    assert back.comment == comment


def test_a_label_that_was_changed_since_counts() -> None:
    text = hugin_text(replace(read(WARD), appearance=Appearance(comment="as (in) May")))
    assert 'HR_Desc = "as in May";' in text
    changed = text.replace("as in May", "as in June")
    assert read(changed).appearance.comment == "as in June"


def test_the_mark_of_the_present_state() -> None:
    text = "net {} node a { states = (left right); %s } potential (a) { data = (0.25 0.75); }"
    assert read(text % "").states == (("right", "left"),)
    marked = read(text % "noisyor_present = right;")
    assert marked.states == (("left", "right"),)
    assert 'noisyor_present = "right";' in hugin_text(marked)
    with pytest.raises(FormatError, match="noisyor_present is 'up'; it must be one of the states"):
        read(text % "noisyor_present = up;")


def test_pyagrum_writes_what_is_read(tmp_path: pytest.TempPathFactory) -> None:
    pyagrum = load_pyagrum()
    bn = pyagrum.fastBN("a{x|y|z}->c{lo|hi}<-b{u|v|w|q};a->b")
    path = f"{tmp_path}/bn.net"
    bn.saveNET(path)
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        network = read(file.read())
    table = network.distributions[network.index("c")].expand().axes()
    states = dict(zip(network.names, network.states, strict=True))
    for x, a in enumerate(states["a"]):
        for y, b in enumerate(states["b"]):
            for z, c in enumerate(states["c"]):
                place = (x, y, z) if network.index("a") < network.index("b") else (y, x, z)
                assert table[place] == pytest.approx(bn.cpt("c")[{"a": a, "b": b, "c": c}])
    assert network.provenance == Provenance("")
