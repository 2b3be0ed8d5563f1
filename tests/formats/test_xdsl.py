"""XDSL: files by hand, round trips to the last bit, edits, and hostile files."""

import re
from contextlib import nullcontext
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import (
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
)
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.formats import xdsl_nodes
from noisyor.formats.parsed_network import ParsedCauses, to_network
from noisyor.formats.tables_of import table_in_file
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from tests.formats.networks import fits_noisymax, marked, networks, written_out
from tests.support.effort import scaled

# As GeNIe writes it, with its additional elements.
CLINIC = """<?xml version="1.0" encoding="UTF-8"?>
<!-- This network was created in GeNIe -->
<smile version="1.0" id="Clinic" numsamples="10000" discsamples="10000">
	<nodes>
		<cpt id="Flu" diagtype="target" ranked="true">
			<state id="Present" label="F1" fault="true" />
			<state id="Absent" />
			<probabilities>0.125 0.875</probabilities>
			<property id="source">a book</property>
		</cpt>
		<cpt id="Cold">
			<state id="Absent" />
			<state id="Present" />
			<parents>Flu</parents>
			<probabilities>0.75 0.25 0.5 0.5</probabilities>
		</cpt>
		<noisymax id="Cough">
			<state id="Present" />
			<state id="Absent" />
			<parents>Flu Cold</parents>
			<strengths>0 1 1 0</strengths>
			<parameters>0.75 0.25 0 1 0.5 0.5 0 1 0.125 0.875</parameters>
		</noisymax>
		<cpt id="Fever">
			<state id="high" />
			<state id="normal" />
			<parents>Cold Flu</parents>
			<probabilities>0.9 0.1 0.2 0.8 0.7 0.3 0.4 0.6</probabilities>
		</cpt>
		<deterministic id="Ill">
			<state id="no" />
			<state id="yes" />
			<parents>Cold Flu</parents>
			<resultingstates>yes no yes yes</resultingstates>
		</deterministic>
	</nodes>
	<extensions>
		<genie version="1.0" app="GeNIe 4.0" name="Clinic">
			<submodel id="Sub1"><name>Causes</name>
				<node id="Flu"><name>Influenza</name><position>1 2 3 4</position></node>
			</submodel>
		</genie>
	</extensions>
</smile>
"""


def read(text: str) -> Network:
    return to_network(parse_xdsl(text))


def test_a_file_of_genie() -> None:
    made = read(CLINIC)
    assert made.names == ("Flu", "Cold", "Cough", "Fever", "Ill")
    assert made.states == (
        ("Absent", "Present"),
        ("Absent", "Present"),
        ("Absent", "Present"),
        ("normal", "high"),  # no word for present: the first state, as in GeNIe
        ("no", "yes"),
    )
    assert [family.parents for family in made.structure.families] == [0, 0b1, 0b11, 0b11, 0b11]
    flu, cold, cough, fever, ill = made.distributions
    assert flu == Cpt.binary([0.125])
    # Flu is present in the first row of the file, Cold in its second column.
    assert cold == Cpt.binary([0.5, 0.25])
    assert cough == NoisyOr(np.array([0.25, 0.5]), 0.875)
    # The file's rows: Cold absent and Flu present, neither, both, Cold alone.
    assert fever == Cpt.binary([0.2, 0.9, 0.4, 0.7])
    assert ill == Cpt.binary([0.0, 1.0, 1.0, 1.0])
    assert (made.cost, made.provenance) == (None, Provenance(""))


def test_a_leaky_noisymax_and_its_table() -> None:
    made = read(CLINIC)
    # Absent: the leak 7/8, times 1/4 where Flu is present, times 1/2 where Cold is (its state 1).
    cough, fever = (table_in_file(made, v)[0] for v in (2, 3))
    assert cough[..., 1].tolist() == [[7 / 32, 7 / 64], [7 / 8, 7 / 16]]
    assert cough[..., 0].tolist() == [[25 / 32, 57 / 64], [1 / 8, 9 / 16]]
    # The file lists Cold before Flu; here Flu, which is absent in its second state, comes first.
    assert made.structure.families[3].parent_indices() == (0, 1)
    assert fever[1, 0].tolist() == [0.2, 0.8]


def test_strengths_may_be_missing_and_no_leak_is_none() -> None:
    text = CLINIC.replace("<strengths>0 1 1 0</strengths>", "").replace(
        "0.125 0.875</parameters>", "0 1</parameters>"
    )
    found = parse_xdsl(text).nodes[2].distribution
    assert isinstance(found, ParsedCauses)
    assert [q.tolist() for q in found.q] == [[[0.25], [1.0]], [[0.5], [1.0]]]
    assert (found.weakest_first, found.idle, found.leak_q) == ((1, 0), (1, 1), None)


def test_a_parent_may_come_after_its_child() -> None:
    flu = CLINIC[CLINIC.index('\t\t<cpt id="Flu"') : CLINIC.index('\t\t<cpt id="Cold"')]
    moved = CLINIC.replace(flu, "").replace("\t</nodes>", f"{flu}\t</nodes>")
    made = read(moved)
    assert made.names == ("Cold", "Cough", "Fever", "Ill", "Flu")
    assert made.distributions[1] == NoisyOr(np.array([0.5, 0.25]), 0.875)
    # Now Cold is variable 0 and Flu the last.
    assert made.distributions[2] == Cpt.binary([0.2, 0.4, 0.9, 0.7])


def test_a_multi_valued_noisymax_stays_one() -> None:
    text = CLINIC.replace(
        '<noisymax id="Cough">', '<noisymax id="Cough"><state id="Severe" />'
    ).replace(
        "0.75 0.25 0 1 0.5 0.5 0 1 0.125 0.875",
        "0.5 0.25 0.25  0 0 1  0.25 0.25 0.5  0 0 1  0 0.5 0.5",
    )
    found = read(text)
    assert found.states[2] == ("Absent", "Present", "Severe")
    assert found.distributions[2].relation is LEAKY_NOISY_OR
    table = table_in_file(found, 2)[0]
    assert table.shape == (2, 2, 3)
    # Both act: at most absent 1/4 1/2 1/2 = 1/16, at most present 1/2 3/4 1 = 3/8.
    assert table[0, 1].tolist() == [5 / 8, 5 / 16, 1 / 16]
    # Flu alone (Cold is absent in its first state): 1/4 1/2 = 1/8, and 1/2.
    assert table[0, 0].tolist() == [1 / 2, 3 / 8, 1 / 8]


def test_states_without_ids_are_numbered_and_stay_without() -> None:
    text = (
        '<smile><nodes><cpt id="a"><state/><state/><state/><probabilities>0.25 0.5 0.25'
        "</probabilities></cpt></nodes></smile>"
    )
    made = read(text)
    assert made.states == (("State0", "State1", "State2"),)
    assert xdsl_text(made) == text


DIAGRAM = """<smile><nodes>
<cpt id="Rain"><state id="yes"/><state id="no"/><probabilities>0.25 0.75</probabilities></cpt>
<decision id="Umbrella"><state id="take"/><state id="leave"/><state id="buy"/>
<parents>Rain</parents></decision>
<cpt id="Wet"><state id="yes"/><state id="no"/><parents>Rain Umbrella</parents>
<probabilities>0.125 0.875 1 0 0.25 0.75 0 1 0 1 0 1</probabilities></cpt>
<utility id="Joy"><parents>Wet</parents><utilities>0 1</utilities></utility>
</nodes></smile>
"""


def test_a_decision_that_matters_is_a_variable() -> None:
    with pytest.warns(ConversionWarning) as said:
        made = read(DIAGRAM)
    assert [str(one.message) for one in said] == [
        (
            "decisions on which variables depend are read as variables with equally likely states "
            "('Umbrella'); give them in every query"
        ),
        "left out are nodes that are not variables with a table (utility: 'Joy')",
    ]
    assert made.names == ("Rain", "Umbrella", "Wet")
    # What is known when it is made is no cause of it.
    assert [family.parents for family in made.structure.families] == [0, 0, 0b11]
    assert made.distributions[1] == Cpt.from_axes([1 / 3, 1 / 3, 1 / 3])
    assert made.distributions[2].expand().axes()[1, :, 1].tolist() == [0.125, 1, 0.25]
    assert xdsl_text(made) == DIAGRAM


def test_the_probabilities_of_a_decision_are_not_written() -> None:
    with pytest.warns(ConversionWarning, match="decisions|left out"):
        made = read(DIAGRAM)
    chosen = replace(
        made,
        distributions=(Cpt.binary([0.5]), Cpt.from_axes([0.5, 0.5, 0]), made.distributions[2]),
    )
    with pytest.warns(ConversionWarning, match="no probabilities of a decision; .* 'Umbrella'$"):
        text = xdsl_text(chosen)
    assert text == DIAGRAM.replace("0.25 0.75</prob", "0.5 0.5</prob", 1)


# What noisyor writes.


def example() -> Network:
    return Network(
        Structure(
            ("cough", "flu", "a cold"),
            (Family(0, 0b110, LEAKY_NOISY_OR), Family(1, 0), Family(2, 0b010)),
        ),
        variables_of(("cough", "flu", "a cold"), (("0", "1"), ("well", "ill"), ("-", "+"))),
        (
            NoisyOr(np.array([0.25, 0.5]), 0.875),
            Cpt.binary([0.1]),
            Cpt.binary(np.array([0.25, 0.5]), np.array([True, False])),
        ),
        -12.25,
        Provenance("0.1.0", "abc", 100, (("fitter", "newton"),)),
    )


def parts(text: str, tag: str, identifier: str) -> dict[str, str]:
    """Return the texts inside a node, by tag."""
    node = ET.fromstring(text).find(f"./nodes/{tag}[@id='{identifier}']")  # noqa: S314 (our own)
    assert node is not None
    found = {child.tag: child.text or "" for child in node if child.tag != "state"}
    return found | {"states": " ".join(state.attrib["id"] for state in node.findall("state"))}


def test_a_noisy_or_is_written_as_genie_does() -> None:
    cough = parts(xdsl_text(example()), "noisymax", "cough")
    assert cough["states"] == "yes no"
    assert cough["parents"] == "flu a_cold"
    assert cough["strengths"] == "0 1 0 1"
    assert cough["parameters"] == "0.75 0.25 0.0 1.0 0.5 0.5 0.0 1.0 0.125 0.875"


def test_no_leak_is_a_column_that_is_certainly_absent() -> None:
    plain = Network(
        Structure(("b", "a"), (Family(0, 0b10, NOISY_OR), Family(1, 0))),
        variables_of(("b", "a"), (("0", "1"), ("0", "1"))),
        (NoisyOr(np.array([0.25])), Cpt.binary([0.5])),
        None,
        Provenance(""),
    )
    assert parts(xdsl_text(plain), "noisymax", "b")["parameters"] == "0.75 0.25 0.0 1.0 0.0 1.0"


def test_a_table_is_written_with_the_last_parent_fastest_and_present_first() -> None:
    # Rows of the table: neither, p, q, both; p is variable 0 and q variable 2.
    table = Network(
        Structure(("p", "c", "q"), (Family(0, 0), Family(1, 0b101), Family(2, 0))),
        variables_of(("p", "c", "q"), (("no", "yes"),) * 3),
        (Cpt.binary([0.5]), Cpt.binary([0.125, 0.25, 0.375, 0.75]), Cpt.binary([0.5])),
        None,
        Provenance(""),
    )
    child = parts(xdsl_text(table), "cpt", "c")
    assert child["parents"] == "p q"
    # Both, p alone, q alone, neither.
    assert child["probabilities"] == "0.75 0.25 0.25 0.75 0.375 0.625 0.125 0.875"


def test_parents_precede_children_and_the_order_of_the_variables_comes_back() -> None:
    text = xdsl_text(example())
    root = ET.fromstring(text)  # noqa: S314 (our own)
    assert [node.attrib["id"] for node in root.iterfind("./nodes/*")] == ["flu", "a_cold", "cough"]
    assert read(text) == example()
    assert read(text).names == ("cough", "flu", "a cold")


def test_the_drawing_shows_names_and_parents_above_children() -> None:
    root = ET.fromstring(xdsl_text(example()))  # noqa: S314 (our own)
    drawn = {node.attrib["id"]: node for node in root.iterfind("./extensions/genie/node")}
    assert drawn["a_cold"].findtext("name") == "a cold"
    corners = {one: (node.findtext("position") or "").split() for one, node in drawn.items()}
    assert int(corners["flu"][3]) < int(corners["a_cold"][1])
    assert int(corners["a_cold"][3]) < int(corners["cough"][1])


def test_nothing_overlaps_in_a_wide_drawing() -> None:
    count = 45
    wide = Network(
        Structure(tuple(f"v{v}" for v in range(count)), tuple(Family(v, 0) for v in range(count))),
        variables_of(tuple(f"v{v}" for v in range(count)), (("0", "1"),) * count),
        (Cpt.binary([0.5]),) * count,
        None,
        Provenance(""),
    )
    root = ET.fromstring(xdsl_text(wide))  # noqa: S314 (our own)
    boxes = [
        tuple(map(int, (node.findtext("position") or "").split()))
        for node in root.iterfind("./extensions/genie/node")
    ]
    for place, (left, top, right, bottom) in enumerate(boxes):
        assert (right - left, bottom - top) == (120, 50)
        for other in boxes[:place]:
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top


def kept_by_xdsl(network: Network) -> Network:
    """Return what a file gives back: what a noisy-MAX can hold, and all else as tables.

    As tables, they have other costs, and so has the network.
    """
    kept = written_out(network, lambda _, one: fits_noisymax(one))
    return kept if kept == network else replace(kept, cost=None)


def xdsl_of(network: Network) -> str:
    """Return the text; a warning tells exactly of the relations that become tables."""
    lost = kept_by_xdsl(network) != network
    with pytest.warns(ConversionWarning, match="XDSL has no ") if lost else nullcontext():
        return xdsl_text(network)


@settings(max_examples=scaled(150))
@given(marked(networks()))
def test_every_network_comes_back(network: Network) -> None:
    text = xdsl_of(network)
    text.encode()
    assert read(text) == kept_by_xdsl(network)
    ids = re.findall(r'<(?:cpt|noisymax|state) id="([^"]*)"', text)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", one) for one in ids)


@settings(max_examples=scaled(50))
@given(networks(max_variables=4))
def test_without_the_properties_it_is_still_the_same_distribution(network: Network) -> None:
    """What any other program sees: present first, but a noisy-AND brings about an absence."""
    stripped = re.sub(r"<property .*?</property>", "", xdsl_of(network))
    made = read(stripped)
    order = network.structure.topological_order()
    absent_first = [
        "noisy-and" in one.relation.name and fits_noisymax(one) for one in network.distributions
    ]
    for place, variable in enumerate(order):
        distribution = network.distributions[variable]
        parents = network.structure.families[variable].parent_indices()
        found = [order[parent] for parent in made.structure.families[place].parent_indices()]
        assert sorted(found) == list(parents)
        table = table_in_file(made, place)[0]
        for row, chance in enumerate(distribution.expand().present):
            states = tuple(
                (row >> parents.index(parent) & 1) ^ (not absent_first[parent]) for parent in found
            )
            own = table[states][int(absent_first[variable])]
            assert own == pytest.approx(chance, abs=1e-15)


def test_a_wide_noisy_or_is_written_and_read() -> None:
    count = 200
    names = (*(f"cause {v}" for v in range(count)), "effect")
    families = (*(Family(v, 0) for v in range(count)), Family(count, 2**count - 1, NOISY_OR))
    q = np.random.default_rng(1).random(count)
    wide = Network(
        Structure(names, families),
        variables_of(names, (("0", "1"),) * (count + 1)),
        (*(Cpt.binary([0.5]) for _ in range(count)), NoisyOr(q)),
        None,
        Provenance(""),
    )
    assert read(xdsl_text(wide)) == wide


# Edits between writing and reading, as GeNIe would save them.


def edited(*changes: tuple[str, str]) -> str:
    text = xdsl_text(example())
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_a_node_that_was_renamed_has_its_new_name() -> None:
    made = read(
        edited(
            ('<cpt id="a_cold">', '<cpt id="sniffles">'),
            ("<parents>flu a_cold</parents>", "<parents>flu sniffles</parents>"),
        )
    )
    # It is no longer in the order of the property, so it comes last, as before.
    assert made.names == ("cough", "flu", "sniffles")
    assert made.states[2] == ("-", "+")
    assert made.distributions == example().distributions


def test_a_state_that_was_renamed_has_its_new_label() -> None:
    made = read(
        edited(('<state id="well" />', '<state id="healthy" />')).replace(
            '["ill", "well"]', '["ill", "healthy"]'
        )
    )
    assert made.states[1] == ("healthy", "ill")
    assert made.distributions == example().distributions


def test_a_node_that_was_added_comes_last() -> None:
    new = '<cpt id="new"><state id="yes"/><state id="no"/><probabilities>1 0</probabilities></cpt>'
    made = read(edited(("<nodes>", f"<nodes>{new}")))
    assert made.names == ("cough", "flu", "a cold", "new")
    assert made.distributions[:3] == example().distributions


def test_unseen_rows_are_left_out_if_the_parents_changed() -> None:
    changed = edited(("<parents>flu</parents>", ""), ("0.5 0.5 0.25 0.75", "0.5 0.5"))
    with pytest.warns(ConversionWarning, match="line 13: the parents of 'a_cold' have changed"):
        made = read(changed)
    assert made.distributions[2] == Cpt.binary([0.5])


# Hostile files.


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("<smile ", "<network ", "not well-formed XML: mismatched tag: line 44"),
        ("</smile>", "", "not well-formed XML: no element found: line 45"),
        ("<!-- This", "<!DOCTYPE smile [<!ENTITY a 'b'>]>\n<!-- This", "line 2: .*document type"),
        ("</nodes>", "</nodes><nodes/>", "line 36: a second <nodes>"),
        ("</nodes>", "</nodes><dynamic/>", "line 36: <dynamic>: networks over time"),
        ('<cpt id="Cold">', '<cpt id="Cold" dynamic="plate">', "line 11: .*'Cold' is part of a"),
        ('<cpt id="Cold">', '<cpt id="Flu">', "line 11: the node 'Flu' occurs twice"),
        ('<cpt id="Cold">', "<cpt>", "line 11: a <cpt> has no id"),
        ("<deterministic", "<utility", "not well-formed"),
        (">Flu Cold<", ">Flu Measles<", "line 17: .*'Cough' has the parent 'Measles', which is"),
        (">Flu Cold<", ">Flu Flu<", "line 17: the node 'Cough' has the same parent twice"),
        ("<parents>Flu<", "<parents>Cold<", "line 11: 'Cold' is its own parent"),
        (
            "<parents>Flu<",
            "<parents>Fever<",
            "line 24: the edges form a directed cycle: Fever -> Cold -> Fever",
        ),
        (
            '<state id="high" />',
            '<state id="high" /><state id="higher" />',
            r"line 24: .*'Fever' has 8 entries in <probabilities>; .*need 12",
        ),
        ('<state id="high" />', '<state id="normal" />', "line 24: .*'Fever' must have .*states"),
        ('<state id="high" />', "", "line 24: .*'Fever' must have two or more states"),
        ('<state id="high" />', "<state />", "line 24: .*'Fever' must have .*states"),
        (
            "0.9 0.1 0.2",
            "0.1 0.2",
            r"line 24: .*'Fever' has 7 entries in <probabilities>; .*need 8",
        ),
        ("0.9 0.1 0.2", "1.9 -0.9 0.2", "line 24: .* of 'Fever' has the entry .* not a prob"),
        ("0.9 0.1 0.2", "nan 0.1 0.2", "line 24: .* of 'Fever' has the entry .* not a prob"),
        ("0.9 0.1 0.2", "inf 0.1 0.2", "line 24: .* of 'Fever' has the entry .* not a prob"),
        ("0.9 0.1 0.2", "0.9 0.2 0.2", "line 24: row 1: .* 'Fever' sum to 1.1"),
        ("0.9 0.1 0.2", "0.9 0,1 0.2", "line 24: .*'Fever' has '0,1' in <probabilities>, which"),
        ("0.9 0.1 0.2", "0.9 0_1 0.2", "line 24: .*'Fever' has '0_1' in <probabilities>, which"),
        ("0.9 0.1 0.2", "0.9 \u0661 0.2", "line 24: .*'Fever' has '\u0661' in <probabilities>"),
        ("0 1 1 0<", "0 1 1<", "line 17: .*'Cough' has 3 strengths; its parents have 4 states"),
        ("0 1 1 0<", "0 1 1 1<", "line 17: .*'Cough' has the strengths '1 1' for .*'Cold'"),
        ("0 1 1 0<", "0 1 2 0<", "line 17: .*'Cough' has the strengths '2 0' for .*'Cold'"),
        (
            " 0.125 0.875</par",
            "</par",
            r"line 17: .*'Cough' has 8 entries in <parameters>; .*need 10",
        ),
        ("0.125 0.875</par", "0.125 0.8</par", "line 17: row 5: .* 'Cough' sum to 0.925"),
        ("yes no yes yes", "yes no yes", r"line 30: .*'Ill' has 3 entries in <resulting.*need 4"),
        ("yes no yes yes", "yes no yes maybe", "line 30: .*'Ill' has the resulting state 'maybe'"),
        ("<parents>Flu</parents>", "<parents/><parents/>", "line 14: a second <parents>"),
    ],
)
def test_odd_files_are_refused(old: str, new: str, message: str) -> None:
    assert old in CLINIC
    with pytest.raises(FormatError, match=message):
        read(CLINIC.replace(old, new))


def test_a_file_that_was_cut_off_is_refused_wherever_it_was_cut() -> None:
    whole = CLINIC.rindex(">")
    for cut in range(0, whole, 7):
        with pytest.raises(FormatError, match="it is not well-formed XML"):
            parse_xdsl(CLINIC[:cut])


@pytest.mark.parametrize(
    "tag", ["decision", "utility", "mau", "equation", "noisyadder", "demorgan"]
)
def test_other_kinds_of_nodes_are_left_out(tag: str) -> None:
    text = CLINIC.replace("deterministic", tag)
    with pytest.warns(ConversionWarning, match=f"left out are nodes .*{tag}: 'Ill'"):
        made = read(text)
    assert made.names == ("Flu", "Cold", "Cough", "Fever")
    assert made.distributions == read(CLINIC).distributions[:4]
    # They are still there when the network is written.
    assert xdsl_text(made) == text


def test_what_depends_on_another_kind_of_node_is_no_network() -> None:
    text = CLINIC.replace("deterministic", "equation").replace(">Flu Cold<", ">Flu Ill<")
    with pytest.raises(FormatError, match="line 17: 'Cough' depends on 'Ill', which is not a vari"):
        parse_xdsl(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<network/>", "line 1: the outermost element is <network>; in XDSL it is <smile>"),
        ("<smile/>", "line 1: it has no <nodes>"),
        ("<smile><nodes/></smile>", "line 1: it has no <nodes>"),
        (f"<smile><nodes>{'<cpt/>' * 65537}</nodes></smile>", "it has 65537 nodes; at most 65536"),
    ],
)
def test_what_is_no_network_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_xdsl(text)


def test_a_table_that_is_announced_but_not_there_takes_no_memory() -> None:
    states = '<state id="yes"/><state id="no"/>'
    above = "".join(
        f'<cpt id="n{v}">{states}<probabilities>0.5 0.5</probabilities></cpt>' for v in range(60)
    )
    parents = " ".join(f"n{v}" for v in range(60))
    for tag, listed in (("cpt", "probabilities"), ("deterministic", "resultingstates")):
        below = (
            f'<{tag} id="c">{states}<parents>{parents}</parents><{listed}>1 0</{listed}></{tag}>'
        )
        with pytest.raises(FormatError, match=r"'c' has 2 entries in .*60 parents need \d{19}"):
            parse_xdsl(f"<smile><nodes>{above}{below}</nodes></smile>")


def test_nodes_that_grow_when_written_out_may_not_take_all_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tag, listed = "deterministic", "<resultingstates>a c</resultingstates>"
    states = '<state id="a"/><state id="b"/>'
    above = f'<cpt id="p">{states}<probabilities>1 0</probabilities></cpt>'
    below = "".join(
        f'<{tag} id="{one}">{states}<state id="c"/><parents>p</parents>{listed}</{tag}>'
        for one in "xy"
    )
    text = f"<smile><nodes>{above}{below}</nodes></smile>"
    monkeypatch.setattr(xdsl_nodes, "_MAX_WRITTEN_OUT", 12)
    assert [node.name for node in parse_xdsl(text).nodes] == ["p", "x", "y"]
    monkeypatch.setattr(xdsl_nodes, "_MAX_WRITTEN_OUT", 11)
    with pytest.raises(FormatError, match="the node 'y' and those before it have"):
        parse_xdsl(text)


def test_a_deterministic_node_beyond_any_machine_is_refused() -> None:
    # Eight thousand words and ten thousand states: more than half a gigabyte as a table.
    binary = '<state id="s0"/><state id="s1"/>'
    above = "".join(
        f'<cpt id="n{v}">{binary}<probabilities>0.5 0.5</probabilities></cpt>' for v in range(13)
    )
    states = "".join(f'<state id="s{place}"/>' for place in range(10_000))
    parents = " ".join(f"n{v}" for v in range(13))
    below = (
        f'<deterministic id="c">{states}<parents>{parents}</parents>'
        f"<resultingstates>{'s0 ' * 2**13}</resultingstates></deterministic>"
    )
    with pytest.raises(FormatError, match="the node 'c' and those before it have more than"):
        parse_xdsl(f"<smile><nodes>{above}{below}</nodes></smile>")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"version": 2, "order"', '"version": 3, "order"', "line 3: the network's property: vers"),
        ('"cost": -12.25', '"cost": "much"', "line 3: the network's property: cost is 'much'"),
        ('"cost": -12.25', '"cost": NaN', "line 3: the network's property: cost is NaN"),
        ('"cost": -12.25', '"cost": ', "line 3: the network's property: it is not JSON"),
        ('"order": ["cough"', '"order": [["cough"]', r"line 3: .*order\[0\] is a list"),
        ('"name": "flu"', '"name": 1', "line 7: the property of the node 'flu': name is 1"),
        ('"name": "flu"', '"name": " "', "line 7: a variable has an empty name"),
        ('"name": "flu"', '"name": "a cold"', "the variable 'a cold' occurs twice"),
        ('"ill": "ill"', '"ill": "well"', "line 7: the states of 'flu' must differ"),
        ('"rows": [1]', '"rows": [2]', "line 13: .*'a_cold' has an unseen row in its property"),
        ('"rows": [1]', '"rows": [-1]', r"line 13: .*rows\[0\] is -1"),
        ('"leaky": true', '"leaky": 2', "line 20: .*leaky is 2"),
        ('"leaky": true', '"leaky": true, "x": 1', "line 20: .*has the key 'x'"),
    ],
)
def test_odd_properties_are_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read(edited((old, new)))
