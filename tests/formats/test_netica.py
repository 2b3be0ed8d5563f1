"""Netica's .dne files, as Netica writes them, read; and written."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from noisyor.core import FormatError, Network, Structure, Variable
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.warning import ConversionWarning
from noisyor.formats.netica import netica_text, parse_netica
from noisyor.formats.parsed_network import to_network
from tests.formats.alike import appearances, assert_alike
from tests.formats.networks import discrete_networks, visible_texts, written_out
from tests.formats.small_networks import pair
from tests.formats.ward import assert_is_ward
from tests.support.effort import scaled

WARD = """// ~->[DNET-1]->~

// File created by somebody using Netica 6.05 on Jun 03, 2023 at 03:09:37 UTC.

bnet ward {
AutoCompile = TRUE;
autoupdate = TRUE;
whenchanged = 1685761777;
title = "The ward";

visual V1 {
    defdispform = BELIEFBARS;
    nodefont = font {shape= "Arial"; size= 9;};
    windowposn = (26, 26, 1002, 383);
    NodeSet Node {BuiltIn = 1; Color = 0x00E1E1E1;};
    };

node season {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (winter, spring, summer);
    statetitles = ("the cold one", , );
    parents = ();
    probs =
        // winter       spring       summer
          (0.5,         0.25,        0.25);
    numcases = 1;
    whenchanged = 1685761777;
    belief = (0.5, 0.25, 0.25);
    visual V1 {
        center = (174, 72);
        height = 1;
        };
    };

node flu {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (yes, no);
    parents = (season);
    probs =
        // yes          no            // season
          (0.5,         0.5,          // winter
           0.25,        0.75,         // spring
           0.125,       0.875);       // summer ;
    title = "Influenza";
    comment = "Reported \\"as is\\".\\n\\
        Twice a week.";
    };

node cough {
    kind = NATURE;
    discrete = TRUE;
    chance = CHANCE;
    states = (none, mild, severe);
    parents = (season, flu);
    probs =
        // none         mild         severe        // season flu
          (((0.125,     0.375,       0.5),         // winter yes
            (0.75,      0.125,       0.125)),      // winter no
           ((0.25,      0.25,        0.5),         // spring yes
            (0.875,     0.125,       0)),          // spring no
           ((0.25,      0.5,         0.25),        // summer yes
            (1,         0,           0)));         // summer no ;
    };
ElimOrder = (season, flu, cough);
};
"""


def read(text: str, *, forgiving: bool = False) -> Network:
    return to_network(parse_netica(text, forgiving=forgiving))


def bnet(*nodes: str) -> str:
    return f"bnet a {{ {' '.join(f'node {node};' for node in nodes)} }};"


FLU = "flu { states = (yes, no); probs = (0.25, 0.75); }"


def test_a_file_of_netica() -> None:
    network = read(WARD)
    assert_is_ward(network)
    assert network.appearance.title == "The ward"
    season, flu, _ = (network.appearance.of(name) for name in network.names)
    assert season.box == (136, 54, 212, 90)
    assert flu.title == "Influenza"
    assert flu.comment == 'Reported "as is".\nTwice a week.'


def test_a_file_of_an_old_version_with_other_line_ends() -> None:
    assert_is_ward(read(WARD.replace("bnet ward", "dnet ward").replace("\n", "\r\n")))


@pytest.mark.parametrize(
    ("given", "states", "ordered"),
    [
        ("discrete = TRUE; levels = (4, 2, 1); states = (a, b, c);", ("a", "b", "c"), False),
        ("discrete = FALSE; levels = (0, 1.5, 1e3);", ("0 to 1.5", "1.5 to 1e3"), True),
        ("discrete = TRUE; levels = (2, 4, 8);", ("2", "4", "8"), True),
        ("discrete = FALSE; levels = (0, 1, 2); states = (a, b);", ("a", "b"), True),
        ("numstates = 3;", ("state0", "state1", "state2"), False),
    ],
)
def test_states_without_names(given: str, states: tuple[str, ...], ordered: bool) -> None:
    row = ", ".join(["0.5", "0.25", "0.25"] if len(states) == 3 else ["0.5", "0.5"])
    parsed = parse_netica(bnet(f"x {{ {given} probs = ({row}); }}"))
    assert parsed.nodes[0].states == states
    assert parsed.nodes[0].ordered == ordered


def test_a_deterministic_node_names_a_state_for_each_configuration() -> None:
    network = read(
        bnet(
            FLU,
            "bed { chance = DETERMIN; states = (rest, up); parents = (flu); "
            "functable = (#0, up); }",
            "days { chance = DETERMIN; discrete = TRUE; levels = (1, 7); parents = (bed, flu); "
            "functable = ((7, 7), (7, 1)); }",
        )
    )
    assert network.states == (("no", "yes"), ("up", "rest"), ("7", "1"))
    tables = [one.expand().axes().tolist() for one in network.distributions]
    assert tables[1] == [[1, 0], [0, 1]]
    # First without flu, up and then at rest.
    assert tables[2] == [[[0, 1], [1, 0]], [[1, 0], [1, 0]]]


def test_a_deterministic_node_may_have_values_within_its_intervals() -> None:
    node = "x {{ chance = DETERMIN; discrete = FALSE; levels = (0, 1, 2.5, 9); functable = ({}); }}"
    for value, place in (("0", 0), ("0.5", 0), ("1", 1), ("2.4", 1), ("2.5", 2), ("9", 2)):
        table = read(bnet(node.format(value))).distributions[0].expand().axes()
        assert table.tolist() == [float(one == place) for one in range(3)]
    for value in ("-1", "9.5", "nan", "many"):
        with pytest.raises(FormatError, match=f"has the value '{value}'; its states are: 0 to 1,"):
            read(bnet(node.format(value)))


def test_other_nodes_are_left_out_with_a_warning() -> None:
    text = bnet(
        FLU,
        "treat { kind = DECISION; states = (yes, no); parents = (flu); }",
        "worth { kind = UTILITY; discrete = FALSE; parents = (flu, treat); functable = (1, 2); }",
        "pi { kind = CONSTANT; value = 3.14; }",
        'TITLE1 { kind = NATURE; discrete = FALSE; parents = (); title = "A note"; }',
        'note { kind = ASSUME; discrete = FALSE; title = "Another"; }',
        'sum { kind = NATURE; discrete = FALSE; levels = (0, 1, 2); eqn = "sum (flu) = flu"; }',
    )
    with pytest.warns(ConversionWarning) as caught:
        network = read(text)
    assert network.names == ("flu",)
    assert (
        "(decision: 'treat'; utility: 'worth'; constant: 'pi'; text: 'TITLE1', 'note'; "
        "equation: 'sum')"
    ) in str(caught[0].message)


def test_a_decision_on_which_a_variable_depends_is_read() -> None:
    text = bnet(
        "treat { kind = DECISION; states = (yes, no); parents = (seen); }",
        "seen { states = (yes, no); probs = (0.25, 0.75); }",
        "ill { states = (yes, no); parents = (treat); probs = (0.25, 0.75, 0.5, 0.5); }",
    )
    with pytest.warns(ConversionWarning, match=r"equally likely states \('treat'\)"):
        network = read(text)
    assert network.structure.families[0].parents == 0
    assert network.distributions[0].expand().axes().tolist() == [0.5, 0.5]


def test_rows_off_by_rounding_and_a_node_without_a_table() -> None:
    text = WARD.replace("0.125,       0.875);", "0.125,       0.8740001);")
    with pytest.raises(FormatError, match=r"line 47: .* 'flu' sum to 0.999; .* forgiving=True"):
        read(text)
    with pytest.warns(ConversionWarning, match="line 47: .* 'flu' sum to 0.999"):
        read(text, forgiving=True)
    bare = bnet("x { states = (a, b, c); }")
    with pytest.raises(FormatError, match=r"'x' has no table .* forgiving=True"):
        read(bare)
    with pytest.warns(ConversionWarning, match="'x' has no table"):
        network = read(bare, forgiving=True)
    assert network.distributions[0].expand().axes().tolist() == [1 / 3] * 3


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bnet ward", "network ward", "line 5: a .dne file is one 'bnet' in braces"),
        ("node season", "node flu", "line 37: the node 'flu' occurs twice"),
        ("node season", "node the season", "line 18: a node has one name, not 2"),
        ("node season", "define node season", "line 18: 'define' starts a definition"),
        ("kind = NATURE", "kind = CULTURE", "line 18: .* 'season' is of the kind 'CULTURE'"),
        ("parents = (season, flu)", "parents = (season, sky)", "line 53: .* parent 'sky', which"),
        ("parents = (season, flu)", "parents = (flu)", "line 61: the table of 'cough' has 18"),
        ("states = (winter, spring, summer);", "", "line 18: the node 'season' has no 'states'"),
        ("0.5,         0.25,        0.25", "0.5, 0.25, x", "line 27: 'x' is not a number"),
        ("(174, 72)", "(174)", "line 32: 'center' must be 2 numbers"),
        ("parents = (season);", "parents = (flu); delays = (1);", "line 42: links over time"),
        ("numcases = 1;", "numcases = 1", "line 28: there is 'whenchanged' where ';'|'='"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in WARD
    with pytest.raises(FormatError, match=message):
        read(WARD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ("x { numstates = -1; probs = (1); }", "'-1' is not a number of states"),
        ("x { states = (a, b); functable = (c); }", "has the value 'c'; its states are: a, b"),
        ("x { states = (a, b); functable = (a, b); }", "has 2 values; its parents need 1"),
        ("x { states = (a, b); functable = (#2); }", "has the value '#2'"),
    ],
)
def test_odd_nodes_are_refused(node: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(bnet(node))


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(discrete_networks())
@settings(max_examples=scaled(60))
def test_every_network_comes_back(network: Network) -> None:
    text = netica_text(network)
    assert max(map(len, re.findall(r"^node (\w+) ", text, re.MULTILINE))) <= 30
    back = read(text)
    assert back.states == network.states
    assert back.structure == written_out(network).structure
    assert_alike(back, network)


def test_what_a_file_shows_is_written_back() -> None:
    network = read(WARD)
    assert read(netica_text(network)).appearance == network.appearance
    text = netica_text(network)
    assert "states = (yes, no);" in text
    assert 'title = "Influenza";' in text
    assert 'comment = "Reported \\"as is\\".\\nTwice a week.";' in text


@given(name=visible_texts, node=appearances(titles=visible_texts))
@settings(max_examples=scaled(100))
def test_every_title_and_comment_comes_back(name: str, node: NodeAppearance) -> None:
    network = pair(name, name + "2")
    with pytest.warns(ConversionWarning):
        back = read(netica_text(replace(network, appearance=Appearance(nodes={name: node}))))
    assert back.names == network.names
    assert back.appearance.of(name) == node


def test_a_title_that_was_changed_since_counts() -> None:
    named = bnet(
        'x { states = (a, b); probs = (1, 0); title = "%s"; user U { noisyor_name = "y"; }; }'
    )
    assert read(named % "y").appearance.of("y").title is None
    assert read(named % "z").appearance.of("y").title == "z"


def test_names_that_netica_cannot_have_are_kept_in_user_fields() -> None:
    network = read(WARD.replace("node season", "node s").replace("(season", "(s"))
    names = ("the season, in full and at length", "flu", "cough")
    structure = Structure(names, network.structure.families)
    variables = tuple(
        Variable(name, one.states) for name, one in zip(names, network.variables, strict=True)
    )
    title = Appearance(nodes={names[0]: NodeAppearance(title="Season", order=(0, 1, 2))})
    renamed = replace(network, structure=structure, variables=variables, appearance=title)
    back = read(netica_text(renamed))
    assert back.names == names
    assert back.appearance.of(names[0]).title == "Season"
    with pytest.raises(FormatError, match="noisyor_present is 'up'; it must be one of the states"):
        read(bnet("x { states = (a, b); probs = (1, 0); user U1 { noisyor_present = up; }; }"))


def test_a_fragment_that_depends_on_another_network_is_refused() -> None:
    fragment = (
        "bnet a { param X { kind = DISCONNECTED; states = (x, y); }; node b { states = (u, v); "
    )
    with pytest.raises(FormatError, match=r"'b' depends on 'X', .* of the kind 'disconnected'"):
        read(fragment + "inputs = (X); parents = (X); probs = (1, 0, 0, 1); }; };")


def test_a_bar_keeps_the_indentation_of_a_long_text() -> None:
    text = bnet('x { states = (a, b); probs = (1, 0); comment = "one\\n\\\n\t\t\\|  two"; }')
    assert read(text).appearance.of("x").comment == "one\n  two"
