"""BIF files: what is written comes back, what others write is read, and odd files are refused."""

import re
import time
import tracemalloc
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from noisyor.core import (
    NOISY_OR,
    Cpt,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    TableSizeError,
)
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.variable import variables_of
from noisyor.core.variable_sets import set_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats import bif_statements
from noisyor.formats.bif import bif_text, parse_bif
from noisyor.formats.parsed_network import ParsedNode, to_network
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import AWKWARD_TEXTS, networks, written_out
from tests.support.effort import scaled

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", ".*StructureScore. is deprecated", FutureWarning)
    from pgmpy.readwrite import BIFReader  # type: ignore[import-untyped]

quiet = pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
many = settings(suppress_health_check=list(HealthCheck))

COUGH = """network unknown {
}
variable cough {
  type discrete [ 2 ] { yes, no };
}
variable flu {
  type discrete [ 2 ] { yes, no };
}
variable cold {
  type discrete [ 2 ] { some, none };
}
probability ( cough | flu, cold ) {
  (yes, some) 0.875, 0.125;
  (no, some) 0.5, 0.5;
  (yes, none) 0.75, 0.25;
  (no, none) 0.1, 0.9;
}
probability ( flu ) {
  table 0.25, 0.75;
}
probability ( cold ) {
  table 0.375, 0.625;
}
"""


def cough() -> Network:
    """Return flu and cold, and a cough that they make likelier by different amounts."""
    return Network(
        Structure(("cough", "flu", "cold"), (Family(0, 0b110), Family(1, 0), Family(2, 0))),
        variables_of(("cough", "flu", "cold"), (("no", "yes"), ("no", "yes"), ("none", "some"))),
        # Neither, flu only, cold only, both.
        (Cpt.binary([0.1, 0.75, 0.5, 0.875]), Cpt.binary([0.25]), Cpt.binary([0.375])),
        None,
        Provenance(""),
    )


def as_tables(network: Network) -> Network:
    """Return the network with each relation written out as a table, of unknown cost."""
    tables = written_out(network)
    return replace(tables, cost=network.cost if tables == network else None)


def _families(network: Network) -> tuple[Family, ...]:
    return network.structure.families


def has_two_parents(network: Network) -> bool:
    return any(family.parent_count > 1 for family in _families(network))


def node(text: str, name: str) -> ParsedNode:
    return next(one for one in parse_bif(text).nodes if one.name == name)


def table(text: str, name: str = "x") -> list[object]:
    values = node(text, name).distribution
    assert isinstance(values, np.ndarray)
    listed: list[object] = values.tolist()
    return listed


def with_blocks(*blocks: str) -> str:
    """Return a file over x (a, b, c), y (0, 1) and z (0, 1), with these additional blocks."""
    return "\n".join(
        [
            "network test {",
            "}",
            "variable x { type discrete [ 3 ] { a, b, c }; }",
            "variable y { type discrete [ 2 ] { 0, 1 }; }",
            "variable z { type discrete [ 2 ] { 0, 1 }; }",
            "probability ( y ) { table 0.5, 0.5; }",
            "probability ( z ) { table 0.25, 0.75; }",
            *blocks,
        ]
    )


# Writing


def test_the_first_parent_varies_fastest_and_present_comes_first() -> None:
    assert bif_text(cough()) == COUGH
    assert to_network(parse_bif(COUGH)) == cough()


@quiet
@given(networks())
@many
def test_what_is_written_comes_back_as_tables(network: Network) -> None:
    assert to_network(parse_bif(bif_text(network))) == as_tables(network)


SHAPES = (
    r"network unknown \{",
    r"\}",
    r"variable \w+ \{",
    r"  type discrete \[ 2 \] \{ \w+, \w+ \};",
    r"  property noisyor_\w+ = [\w.,~-]* ;",
    r"probability \( \w+( \| \w+(, \w+)*)? \) \{",
    r"  (table|\(\w+(, \w+)*\)) \S+, \S+;( // noisyor: unseen)?",
)


@quiet
@given(networks())
@many
def test_every_line_has_a_shape_that_a_reader_of_lines_knows(network: Network) -> None:
    shape = re.compile("|".join(f"(?:{one})" for one in SHAPES), re.ASCII)
    for line in bif_text(network).splitlines():
        assert shape.fullmatch(line), line


def awkward() -> Network:
    """Return a network of all names and labels that need care, most with two parents."""
    # Where table or default is followed by a digit or an e, pgmpy expects numbers.
    texts = (*AWKWARD_TEXTS, "defaulted", "timetable2", "tableE5", "tablé1", "my variable")
    count = len(texts)
    families = [
        Family(v, set_of(above for above in (v - 3, v - 1) if above >= 0)) for v in range(count)
    ]
    rng = np.random.default_rng(6)
    return Network(
        Structure(texts, tuple(families)),
        variables_of(texts, tuple((texts[v - 1], texts[v - 2]) for v in range(count))),
        tuple(Cpt.binary(rng.random(2**family.parent_count)) for family in families),
        None,
        Provenance("0.1.0", "a variable {", 5, (("probability", "}\n"),)),
    )


def test_pgmpy_reads_every_entry_of_an_awkward_network() -> None:
    # One network and not many: its reader takes seconds to begin.
    network = awkward()
    text = bif_text(network)
    assert to_network(parse_bif(text)) == network
    written = re.findall(r"^variable (\w+) ", text, re.MULTILINE)
    model = BIFReader(string=text).get_model()
    assert list(model.nodes()) == written
    for family in _families(network):
        name, above = written[family.child], [written[v] for v in family.parent_indices()]
        cpd = model.get_cpds(name)
        assert cpd.variables == [name, *above]
        for configuration, present in enumerate(
            network.distributions[family.child].expand().present
        ):
            at = [1 - (configuration >> place & 1) for place in range(len(above))]
            assert cpd.values[(0, *at)] == present


@quiet
@given(network=networks(max_variables=4).filter(has_two_parents) | networks())
@settings(many, max_examples=scaled(60))
def test_pyagrum_reads_every_entry_of_any_network(network: Network, tmp_path: Path) -> None:
    path = tmp_path / "any.bif"
    text = bif_text(network)
    path.write_text(text)
    written = re.findall(r"^variable (\w+) ", text, re.MULTILINE)
    read = load_pyagrum().loadBN(str(path))
    assert sorted(read.names()) == sorted(written)
    for family in _families(network):
        for configuration, present in enumerate(
            network.distributions[family.child].expand().present
        ):
            at = {
                written[parent]: 1 - (configuration >> place & 1)
                for place, parent in enumerate(family.parent_indices())
            }
            found = read.cpt(written[family.child])[{**at, written[family.child]: 0}]
            assert found == pytest.approx(present, abs=1e-7)  # it reads 32-bit numbers


def test_what_does_not_fit_is_kept_in_properties_and_comments() -> None:
    network = Network(
        Structure(("1", "1a", "variable"), (Family(0, 0b010), Family(1, 0), Family(2, 0))),
        variables_of(("1", "1a", "variable"), (("yes", "no"), ("<5", "1e5"), ("18_25", "7"))),
        (
            Cpt.binary(np.array([0.5, 1 / 3]), np.array([True, False])),
            Cpt.binary(np.array([0.5]), np.array([True])),
            Cpt.binary([1e-300]),
        ),
        -12.5,
        Provenance("0.1.0", "ab/c", 7, (("a probability", ""), ("a probability", ",;"))),
    )
    text = bif_text(network)
    assert text == (
        "network unknown {\n"
        "  property noisyor_cost = -12.5 ;\n"
        "  property noisyor_version = 0.1.0 ;\n"
        "  property noisyor_data = ab~2Fc ;\n"
        "  property noisyor_records = 7 ;\n"
        "  property noisyor_setting = a~20~70robability, ;\n"
        "  property noisyor_setting = a~20~70robability,~2C~3B ;\n"
        "}\n"
        "variable x_1 {\n  type discrete [ 2 ] { no, yes };\n"
        "  property noisyor_name = 1 ;\n"
        "  property noisyor_present = no ;\n}\n"
        "variable 1a {\n  type discrete [ 2 ] { x_1e5, 5 };\n"
        "  property noisyor_state_x_1e5 = 1e5 ;\n"
        "  property noisyor_state_5 = ~3C5 ;\n}\n"
        "variable x_variable {\n  type discrete [ 2 ] { 7, 18_25 };\n"
        "  property noisyor_name = ~76ariable ;\n}\n"
        "probability ( x_1 | 1a ) {\n"
        "  (x_1e5) 0.3333333333333333, 0.6666666666666667;\n"
        "  (5) 0.5, 0.5; // noisyor: unseen\n}\n"
        "probability ( 1a ) {\n  table 0.5, 0.5; // noisyor: unseen\n}\n"
        "probability ( x_variable ) {\n  table 1e-300, 1.0;\n}\n"
    )
    assert to_network(parse_bif(text)) == network


def test_the_warning_names_the_noisy_ors_and_points_at_the_caller() -> None:
    network = Network(
        Structure(("flu", "cough"), (Family(0, 0), Family(1, 1, NOISY_OR))),
        variables_of(("flu", "cough"), (("no", "yes"),) * 2),
        (Cpt.binary([0.5]), NoisyOr(np.array([0.25]))),
        None,
        Provenance(""),
    )
    with pytest.warns(ConversionWarning, match="BIF has no noisy-OR: .*'cough'") as caught:
        text = bif_text(network)
    assert "  (yes) 0.75, 0.25;\n  (no) 0.0, 1.0;\n" in text
    assert caught[0].filename == __file__


def test_a_noisy_or_with_too_many_parents_is_refused_by_name() -> None:
    names = (*(f"cause{v}" for v in range(21)), "effect")
    families = (*(Family(v, 0) for v in range(21)), Family(21, 2**21 - 1, NOISY_OR))
    network = Network(
        Structure(names, families),
        variables_of(names, (("no", "yes"),) * 22),
        (*([Cpt.binary([0.5])] * 21), NoisyOr(np.full(21, 0.5))),
        None,
        Provenance(""),
    )
    with pytest.raises(TableSizeError, match="'effect' has 21 parents"):
        bif_text(network)


# Reading


def test_a_file_of_javabayes_is_read() -> None:
    text = """// Bayesian Network in the Interchange Format
    // Produced by BayesianNetworks package in JavaBayes
    network "Dog-Problem" { //2 variables and 2 probability distributions
        property "credal-set constant-density-bounded 1.1" ;
    }
    variable  "light-on" { //2 values
        type discrete[2] {  "true"  "false" };
        property "position = (218, 195)" ;
        property see http://example.org/a_b ;
    }
    variable  "family out" { /* 2
        values */
        type discrete[2] {  "true"  "false" };
    }
    probability (  "light-on"  "family out" ) { //2 variable(s) and 4 values
        table 0.6 0.05 0.4 0.95 ;
    }
    probability (  "family out" ) { table 0.15 0.85 ; property "x" ; }
    """
    network = to_network(parse_bif(text))
    assert network.names == ("light-on", "family out")
    assert network.states == (("false", "true"),) * 2
    # Out: 0.6 and 0.4; in: 0.05 and 0.95.
    assert network.distributions == (Cpt.binary([0.05, 0.6]), Cpt.binary([0.15]))
    assert (network.cost, network.provenance) == (None, Provenance(""))


def test_in_a_table_the_last_variable_of_the_header_varies_fastest() -> None:
    numbers = "0.1 0.2 0.3 0.4  0.5 0.5 0.5 0.5  0.4 0.3 0.2 0.1"
    text = with_blocks(f"probability ( x | y, z ) {{ table {numbers}; }}")
    assert table(text) == [
        [[0.1, 0.5, 0.4], [0.2, 0.5, 0.3]],
        [[0.3, 0.5, 0.2], [0.4, 0.5, 0.1]],
    ]


def test_rows_come_in_any_order_and_default_fills_the_others() -> None:
    rows = "(1, 0) 1, 0, 0; default .25 2.5e-1 5.E-1; (0 1) 0, 1e0, 0;"
    text = with_blocks(f"probability ( x | z, y ) {{ {rows} }}")
    assert node(text, "x").parents == ("z", "y")
    default = [0.25, 0.25, 0.5]
    assert table(text) == [[default, [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], default]]


def test_odd_names_and_labels_are_read() -> None:
    text = """network n { }
    variable 2nd.visit-day { type discrete [ 4 ] = { <5, 1_2, no pain, 50+/h }; }
    variable heart rate { type discrete [ 2 ] { >=100 "a, (b)" }; }
    probability ( heart rate | 2nd.visit-day ) {
      (<5) 1, 0; (1_2) 0, 1; (no pain) 0.5, 0.5; (50+/h) 0.25, 0.75;
    }
    probability ( 2nd.visit-day ) { default 0.25, 0.25, 0.25, 0.25; }
    """
    parsed = parse_bif(text)
    assert [one.name for one in parsed.nodes] == ["2nd.visit-day", "heart rate"]
    assert parsed.nodes[0].states == ("<5", "1_2", "no pain", "50+/h")
    assert parsed.nodes[1].states == (">=100", "a, (b)")
    assert table(text, "heart rate") == [[1, 0], [0, 1], [0.5, 0.5], [0.25, 0.75]]
    families = to_network(parsed).structure.families
    assert [family.parent_indices() for family in families] == [(), (0,)]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_newline_and_a_byte_order_mark_are_read(newline: str) -> None:
    text = "\ufeff// a comment\n" + COUGH
    assert to_network(parse_bif(text.replace("\n", newline))) == cough()


def test_words_say_which_state_is_present_and_else_the_first_one_is() -> None:
    text = COUGH.replace("yes, no }", "no, yes }")
    network = to_network(parse_bif(text))
    assert network.states == (("no", "yes"), ("no", "yes"), ("none", "some"))
    # The numbers of cough now begin with the absent state.
    assert network.distributions[0] == Cpt.binary([0.9, 0.25, 0.5, 0.125])


def test_unseen_rows_are_marked_whatever_their_order() -> None:
    text = COUGH.replace("  (no, some) 0.5, 0.5;\n", "")
    text = text.replace("0.1, 0.9;", "0.1, 0.9; // other\n(no, some) 0.5, 0.5;// noisyor: unseen")
    distribution = to_network(parse_bif(text)).distributions[0]
    assert distribution == Cpt.binary(
        np.array([0.1, 0.75, 0.5, 0.875]), np.array([False, False, True, False])
    )


# Files that are almost right


def test_repeated_rows_and_wrong_counts_are_forgiven_on_request_with_a_warning() -> None:
    twice = "  (yes, some) 0.5, 0.5;\n  (yes, some) 0, 1;\n"
    text = COUGH.replace("  (no, some) 0.5, 0.5;\n", twice)
    with pytest.raises(FormatError, match=r"line 14: the configuration has a row .* in line 13"):
        parse_bif(text)
    with pytest.warns(ConversionWarning, match="line 14: .*'cough' are taken") as caught:
        network = to_network(parse_bif(text, forgiving=True))
    assert caught[0].filename == __file__
    assert network.distributions[0] == Cpt.binary(
        np.array([0.1, 0.75, 0.5, 0.0]), np.array([False, False, True, False])
    )
    text = COUGH.replace("[ 2 ] { some", "[ 3 ] { some")
    with pytest.warns(ConversionWarning, match="line 10: 3 states .* 2 labels") as caught:
        assert to_network(parse_bif(text, forgiving=True)) == cough()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("old", "new", "line", "present"),
    [
        # Listed with the first parent fastest: a row out of order is misplaced.
        ("(no, some)", "(yes, some)", 14, [0.1, 0.75, 0.5, 0.875]),
        ("(yes, some)", "(no, some)", 13, [0.1, 0.75, 0.5, 0.875]),
        ("(no, none)", "(yes, none)", 16, [0.1, 0.75, 0.5, 0.875]),
    ],
)
def test_a_single_row_that_went_astray_is_put_where_one_is_missing(
    old: str, new: str, line: int, present: list[float]
) -> None:
    with pytest.warns(ConversionWarning, match=f"Line {line} is taken for the one configuration"):
        network = to_network(parse_bif(COUGH.replace(old, new), forgiving=True))
    # Bit 0 is flu, bit 1 is cold.
    assert network.distributions[0] == Cpt.binary(present)


def test_a_row_astray_among_rows_with_the_last_parent_fastest() -> None:
    rows = "(yes, some) 0.875, 0.125;\n(yes, some) 0.75, 0.25;\n(no, some) 0.5, 0.5;\n"
    text = re.sub(r"  \(yes, some\)[^}]*(?=  \(no, none\))", rows, COUGH)
    with pytest.warns(ConversionWarning, match="Line 14 is taken"):
        assert to_network(parse_bif(text, forgiving=True)) == cough()


# Hostile files


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("network unknown", "graph unknown", "line 1: there is 'graph' where 'network'"),
        ("network unknown {", "network unknown (", "line 1: there is '[(]' where '{'"),
        ("variable flu", "varable flu", "line 6: there is 'varable' where 'variable' or"),
        ("variable flu", "variable", "line 6: there is '{' where the name"),
        ("variable flu", "variable cough", "line 6: the variable 'cough' occurs twice"),
        ("discrete", "continuous", "line 4: there is 'continuous' where 'discrete', the only"),
        ("[ 2 ]", "[ 3 ]", "line 4: 3 states are announced, and there are 2 labels"),
        ("[ 2 ]", "[ 0 ]", "line 4: 0 states are announced"),
        ("[ 2 ]", "[ 999999999 ]", "line 4: 999999999 states are announced"),
        ("[ 2 ]", f"[ {'9' * 10_000} ]", "line 4: there is '999.* where the number of states"),
        ("[ 2 ]", "[ -2 ]", "line 4: there is '-2' where the number of states"),
        ("{ yes, no }", "{ }", "line 4: 2 states are announced, and there are 0"),
        ("{ yes, no }", "{ yes, yes }", "line 4: a label occurs twice among yes, yes"),
        ("{ yes, no };", "{ yes, no }", "line 5: there is '}' where ';'"),
        ("  type discrete [ 2 ] { yes, no };", "", "line 5: the variable 'cough' has no type"),
        ("0.875, 0.125", "-0.875, 1.875", "line 13: '-0.875' is not a probability"),
        ("0.875, 0.125", "1.5, -0.5", "line 13: '1.5' is not a probability"),
        ("0.875, 0.125", "nan, 0.5", "line 13: 'nan' is not a number"),
        ("0.875, 0.125", "1e999, 0", "line 13: '1e999' is not a probability"),
        ("0.875, 0.125", "0_1, 0", "line 13: '0_1' is not a number"),
        ("0.875, 0.125", "1-e, 0", "line 13: '1-e' is not a number"),
        ("0.875, 0.125", "0.875, 0.5", "line 13: .* 'cough' sum to 1.375; it must be 1"),
        ("0.875, 0.125", "1", "line 13: there are 1 probabilities for 2 states"),
        ("0.875, 0.125", "0.5, 0.25, 0.25", "line 13: there are 3 probabilities for 2 states"),
        ("0.875, 0.125;", "", "line 14: there is '[(]' where a probability or ';'"),
        ("table 0.25, 0.75", "table 0.25, 0.5", "line 19: .* sum to 0.75; .* varies slowest"),
        ("table 0.25, 0.75", "table 1", "line 19: the table has 1 numbers; .* need 2"),
        ("table 0.25, 0.75;", "table 1, 0; table 0, 1;", "line 19: there is 'table' where"),
        ("table 0.25, 0.75;", "table 1, 0; default 0, 1;", "line 18: .* both a 'table' and"),
        ("table 0.25, 0.75;", "", "line 18: 0 of 1 configurations have a row"),
        ("(yes, some)", "(maybe, some)", "line 13: there is no state 'maybe'; .* yes, no"),
        ("(yes, some)", "(yes)", "line 13: the row must give a state for each of 2 parents"),
        ("(yes, some)", "(yes, some, 1)", "line 13: the row must give a state for each of 2"),
        ("(yes, some)", "((yes, some)", "line 13: there is '[(]' where a name, ','"),
        ("  (yes, none) 0.75, 0.25;\n", "", "line 12: 3 of 4 .* none for [(]yes, none[)]"),
        ("flu, cold", "flu, fever", "line 12: 'fever' is not a variable"),
        ("flu, cold", "flu, flu", "line 12: 'cough' has the same parent twice"),
        ("flu, cold", "flu, cough", "line 12: 'cough' is its own parent"),
        ("cough | flu", "cough, cold | flu", "line 12: .* of one variable, not of 2"),
        ("cough | flu, cold", "| flu, cold", "line 12: .* of one variable, not of 0"),
        ("( flu )", "( flu | cough )", "line 12: .* cycle: (cough|flu) -> "),
        ("( flu )", "( cold )", "line 21: there is a second probability block of 'cold'"),
        ("probability ( flu ) {\n  table 0.25, 0.75;\n}", "", "line 6: .*'flu' has no probab"),
        ("variable flu {", "/* variable flu {", "line 6: a comment /[*] is never closed"),
        ("variable flu {", 'variable "flu {', "line 6: a quotation mark is not closed"),
        ("network unknown {", "network unknown { property x", "line 12: 'cough' is not a variable"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in COUGH
    with pytest.raises(FormatError, match=message):
        parse_bif(COUGH.replace(old, new, 1))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("noisyor_name = a~zz ;", "line 7: 'a~zz' has '~zz'"),
        ("noisyor_name = cold ;", "line 10: the name 'cold' is empty, or that of another"),
        ("noisyor_name = ~20 ;", "line 6: the name ' ' is empty"),
        ("noisyor_name = a ; property noisyor_name = b ;", "line 7: .*'noisyor_name' occurs twice"),
        ("noisyor_state_no = yes ;", "line 6: two states of 'flu' have the same label"),
        ("noisyor_state_maybe = x ;", "line 7: the property 'noisyor_state_maybe' is of a state"),
        ("noisyor_present = maybe ;", "line 7: 'flu' has no state 'maybe' to mean present"),
    ],
)
def test_properties_that_noisyor_cannot_have_written_are_refused(line: str, message: str) -> None:
    text = COUGH.replace("variable flu {\n", f"variable flu {{\n  property {line}\n")
    with pytest.raises(FormatError, match=message):
        parse_bif(text)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("noisyor_cost = nan ;", "line 2: the cost 'nan' is not a finite number"),
        ("noisyor_cost = cheap ;", "line 2: the cost 'cheap' is not a finite number"),
        ("noisyor_cost = -inf ;", "line 2: the cost '-inf' is not a finite number"),
        ("noisyor_cost = 1e999 ;", "line 2: the cost '1e999' is not a finite number"),
        ("noisyor_records = -1 ;", "line 2: '-1' is not a number of records"),
        (f"noisyor_records = {'9' * 5000} ;", "line 2: '9999.* is not a number of records"),
        ("noisyor_setting = jobs ;", "line 2: a setting is a name, a comma and a value"),
        ("noisyor_data = ~ ;", "line 2: '~' has '~'"),
    ],
)
def test_an_origin_that_noisyor_cannot_have_written_is_refused(line: str, message: str) -> None:
    text = COUGH.replace("unknown {\n", f"unknown {{\n  property {line}\n")
    with pytest.raises(FormatError, match=message):
        parse_bif(text)


def test_every_truncated_file_is_refused() -> None:
    whole = len(COUGH.rstrip())
    for length in range(whole):
        with pytest.raises(FormatError):
            parse_bif(COUGH[:length])
    assert to_network(parse_bif(COUGH[:whole])) == cough()


@pytest.mark.parametrize(
    "text", ["", " \n", "// only a comment", "network n { }", "\0", "{" * 10**5]
)
def test_files_without_variables_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"network|no variable"):
        parse_bif(text)


def wide(parents: int, body: str) -> str:
    """Return a file in which one variable has this many parents."""
    names = [f"p{number}" for number in range(parents)]
    return "\n".join(
        [
            "network n { }",
            *(f"variable {name} {{ type discrete [2] {{ 0, 1 }}; }}" for name in names),
            *(f"probability ({name}) {{ table 1 0; }}" for name in names),
            "variable x { type discrete [2] { 0, 1 }; }",
            f"probability ( x | {', '.join(names)} ) {{ {body} }}",
        ]
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("default 0.5, 0.5;", "2147483648 entries of tables are not in the text"),
        ("table 0.5, 0.5;", "the table has 2 numbers; .* need 2147483648"),
        (f"({', '.join('0' * 30)}) 1, 0;", "1 of 1073741824 configurations have a row"),
        ("", "0 of 1073741824 configurations have a row"),
    ],
)
@pytest.mark.parametrize("forgiving", [False, True])
def test_thirty_parents_take_no_memory(body: str, message: str, forgiving: bool) -> None:
    text = wide(30, body)
    tracemalloc.start()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        with pytest.raises(
            FormatError, match="not in the text" if forgiving and "table" not in body else message
        ):
            parse_bif(text, forgiving=forgiving)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("body", ["default 0.5, 0.5;", "table 0.5, 0.5;"])
def test_more_parents_than_an_array_has_axes_are_refused(body: str) -> None:
    text = wide(32, body).replace("[2] { 0, 1 }; }", "[1] { 0 }; }", 32).replace("1 0;", "1;")
    with pytest.raises(FormatError, match=r"line 67: 'x' has 32 parents; .* at most 31"):
        parse_bif(text)
    fewer = to_network(parse_bif(text.replace(", p31 )", " )")))
    assert fewer.distributions[-1].expand().axes().shape == (1,) * 31 + (2,)


def test_a_row_astray_among_many_is_found() -> None:
    rows = [f"({', '.join(f'{row:011b}')}) 0.5, 0.5;" for row in range(2**11)]
    text = wide(11, "\n".join([*rows[:-1], rows[-2]]))
    with pytest.warns(ConversionWarning, match="is taken for the one configuration"):
        parsed = parse_bif(text, forgiving=True)
    assert parsed.nodes[-1].unseen is None


def test_a_default_may_stand_for_a_large_table_once() -> None:
    text = wide(16, "default 0.25, 0.75;")
    values = node(text, "x").distribution
    assert isinstance(values, np.ndarray)
    assert values.shape == (2,) * 17
    assert (values[..., 1] == 0.75).all()


def test_too_many_variables_are_refused_at_the_first_that_is_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bif_statements, "MAX_NODES", 5)
    lines = [f"variable v{number} {{ type discrete [1] {{ 0 }}; }}" for number in range(10)]
    with pytest.raises(FormatError, match="line 7: it has more than 5 variables"):
        parse_bif("\n".join(["network n { }", *lines]))


@pytest.mark.parametrize("piece", ["a" * 10, "/", "( ", "/**/", '"a" ', "\\", "a, ", "\n", "//\n"])
def test_the_time_is_linear_in_a_hostile_text(piece: str) -> None:
    begun = time.process_time()
    with pytest.raises(FormatError):
        parse_bif("network n { } variable " + piece * 100_000)
    assert time.process_time() - begun < 60  # linear: a tenth of a second; quadratic: minutes


def test_a_plain_row_and_the_same_in_quotation_marks_say_the_same() -> None:
    quoted = re.sub(
        r"\((\w+), (\w+)\) ([\d.]+), ([\d.]+);", r'( "\1" , "\2" ) \3 /* and */ \4 ;', COUGH
    )
    assert quoted.count("/* and */") == 4
    assert to_network(parse_bif(quoted)) == to_network(parse_bif(COUGH)) == cough()


@pytest.mark.parametrize("listed", ["no, yes", "yes, no", "low, high", "mid, low, high"])
def test_states_keep_the_order_of_the_file(listed: str) -> None:
    count = len(listed.split(", "))
    numbers = ", ".join(["0.25", "0.5", "0.25"][:count]) if count == 3 else "0.25, 0.75"
    text = (
        f"network w {{ }}\nvariable a {{ type discrete [ {count} ] {{ {listed} }}; }}\n"
        f"probability ( a ) {{ table {numbers}; }}\n"
    )
    once = bif_text(to_network(parse_bif(text)))
    assert f"{{ {listed} }}" in once
    assert f"table {numbers};" in once
    assert "property" not in once
    again = to_network(parse_bif(once))
    assert again == to_network(parse_bif(text))
    assert bif_text(again) == once


@pytest.mark.parametrize(
    ("name", "title", "written"),
    [
        ("alarm", "alarm", "alarm"),
        ("unknown", None, "unknown"),
        ("", None, "unknown"),
        ('"Dr. Who"', "Dr. Who", "Dr_Who"),
        ("two words", "two words", "two_words"),
    ],
)
def test_the_name_of_the_network_is_kept(name: str, title: str | None, written: str) -> None:
    text = (
        f"network {name} {{ }}\nvariable a {{ type discrete [ 2 ] {{ no, yes }}; }}\n"
        "probability ( a ) { table 0.25, 0.75; }\n"
    )
    network = to_network(parse_bif(text))
    assert network.appearance.title == title
    assert bif_text(network).startswith(f"network {written} {{")
    assert to_network(parse_bif(bif_text(network))).appearance == network.appearance


def test_the_titles_of_other_files_are_kept() -> None:
    titles = {"cough": "A bad cough; really", "flu": "Influenza"}
    looks = {name: NodeAppearance(title) for name, title in titles.items()}
    text = bif_text(replace(cough(), appearance=Appearance(nodes=looks)))
    found = to_network(parse_bif(text))
    assert found.appearance.of("cough").title == "A bad cough; really"
    assert found.appearance.of("flu").title == "Influenza"
