"""XMLBIF files, as JavaBayes and Weka write them, read; and written."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import FormatError, Network
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import to_network
from noisyor.formats.xmlbif import parse_xmlbif, xmlbif_text
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.alike import appearances
from tests.formats.networks import check_tables_came_back, discrete_networks, visible_texts
from tests.formats.small_networks import pair
from tests.formats.ward import assert_is_ward
from tests.support.effort import scaled

WARD = """<?xml version="1.0"?>
<!-- a network in the format of JavaBayes -->
<!DOCTYPE BIF [
    <!ELEMENT BIF ( NETWORK )*>
          <!ATTLIST BIF VERSION CDATA #REQUIRED>
    <!ELEMENT NETWORK ( NAME, ( PROPERTY | VARIABLE | DEFINITION )* )>
    <!ELEMENT VARIABLE ( NAME, ( OUTCOME |  PROPERTY )* ) >
          <!ATTLIST VARIABLE TYPE (nature|decision|utility) "nature">
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>The ward</NAME>
<VARIABLE TYPE="nature">
    <NAME>season</NAME>
    <OUTCOME>winter</OUTCOME>
    <OUTCOME>spring</OUTCOME>
    <OUTCOME>summer</OUTCOME>
    <PROPERTY>position = (73, 165)</PROPERTY>
</VARIABLE>
<VARIABLE>
    <NAME>cough</NAME>
    <OUTCOME>none</OUTCOME>
    <OUTCOME>mild</OUTCOME>
    <OUTCOME>severe</OUTCOME>
    <PROPERTY>a remark</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature">
    <NAME> flu </NAME>
    <OUTCOME>yes</OUTCOME>
    <OUTCOME>no</OUTCOME>
</VARIABLE>
<DEFINITION>
    <FOR>season</FOR>
    <TABLE>0.5 0.25 0.25</TABLE>
</DEFINITION>
<DEFINITION>
    <FOR>cough</FOR>
    <GIVEN>season</GIVEN>
    <GIVEN>flu</GIVEN>
    <TABLE>
      0.125 0.375 0.5  <!-- winter, flu -->
      0.75 0.125 0.125
      0.25 0.25 0.5
      0.875 0.125 0
      0.25 0.5 0.25
      1 0 0
    </TABLE>
</DEFINITION>
<DEFINITION>
    <FOR>flu</FOR>
    <GIVEN>season</GIVEN>
    <TABLE>0.5 0.5 0.25 0.75 0.125 0.875</TABLE>
</DEFINITION>
</NETWORK>
</BIF>
"""
DECISION = """<BIF><NETWORK><NAME>x</NAME>
<VARIABLE TYPE="decision"><NAME>treat</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME></VARIABLE>
<VARIABLE TYPE="utility"><NAME>worth</NAME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>ill</NAME><VALUE>yes</VALUE><VALUE>no</VALUE></VARIABLE>
<DEFINITION><FOR>treat</FOR></DEFINITION>
<DEFINITION><FOR>worth</FOR><GIVEN>ill</GIVEN><TABLE>1 2</TABLE></DEFINITION>
<DEFINITION><FOR>ill</FOR>{}</DEFINITION></NETWORK></BIF>"""


def read(text: str, *, forgiving: bool = False) -> Network:
    return to_network(parse_xmlbif(text, forgiving=forgiving))


def test_a_file_of_javabayes() -> None:
    network = read(WARD)
    assert_is_ward(network)
    assert network.names == ("season", "cough", "flu")
    assert network.appearance.title == "The ward"
    assert network.appearance.of("season").box == (35, 147, 111, 183)
    assert network.appearance.of("cough").box is None


def test_decisions_and_utilities() -> None:
    alone = DECISION.format("<TABLE>0.25 0.75</TABLE>")
    with pytest.warns(ConversionWarning, match=r"\(decision: 'treat'; utility: 'worth'\)"):
        assert read(alone).names == ("ill",)
    below = DECISION.format("<GIVEN>treat</GIVEN><TABLE>0.25 0.75 0.5 0.5</TABLE>")
    with pytest.warns(ConversionWarning) as caught:
        network = read(below)
    assert [("decisions on which" in str(one.message)) for one in caught] == [True, False]
    assert network.distributions[0].expand().axes().tolist() == [0.5, 0.5]
    assert network.distributions[1].expand().axes().tolist() == [[0.5, 0.5], [0.75, 0.25]]


def test_rows_off_by_rounding() -> None:
    text = WARD.replace("0.25 0.25 0.5\n", "0.25 0.25 0.4999\n").replace("1 0 0\n", "0.99 0 0\n")
    with pytest.raises(FormatError, match=r"line 46: .* 'cough' sum to 0.99; .* forgiving=True"):
        read(text)
    with pytest.warns(ConversionWarning, match="'cough' sum to 0.99"):
        read(text, forgiving=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('<BIF VERSION="0.3">', "<BAF>", "it is not well-formed XML: mismatched tag"),
        ("<NETWORK>", "<NETWORK/><NETWORK>", "line 11: a second <NETWORK>"),
        ('TYPE="nature"', 'TYPE="culture"', "line 13: .* 'season' is of the type 'culture'"),
        ("<NAME>season</NAME>", "<NAME>cough</NAME>", "line 20: the variable 'cough' occurs twice"),
        ("<NAME>season</NAME>", "", "line 13: a <VARIABLE> has no <NAME>"),
        ("<OUTCOME>winter<", "<OUTCOME>spring<", "line 13: .* outcomes, all with different names"),
        ("<FOR>season", "<FOR>sky", "line 32: .* definition for 'sky', which is not a variable"),
        ("<FOR>season", "<FOR>flu", "line 49: a second definition for 'flu'"),
        ("<GIVEN>flu", "<GIVEN>sky", "line 36: 'cough' has the parent 'sky', which is not"),
        ("<GIVEN>flu</GIVEN>", "", "line 40: the table of 'cough' has 18 numbers; .* need 9"),
        ("0.875 0.125 0\n", "0.875 0.125 O\n", "line 44: 'O' is not a number"),
        ("0.875 0.125 0\n", "0.875 0.125 nan\n", "line 44: 'nan' is not a number"),
        ("<TABLE>0.5 0.25 0.25</TABLE>", "", "line 32: the definition for 'season' has no <TABLE>"),
        ("<!ELEMENT BIF", '<!ENTITY a "b"><!ELEMENT BIF', "line 4: it has an entity of its own"),
        ("(73, 165)", "(7-3, 165)", "line 18: 'position = .*' is not a position"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in WARD
    with pytest.raises(FormatError, match=message):
        read(WARD.replace(old, new, 1))


def test_a_variable_without_a_definition_is_refused() -> None:
    start, end = WARD.index("<DEFINITION>"), WARD.index("</DEFINITION>")
    with pytest.raises(FormatError, match="line 13: the variable 'season' has no <DEFINITION>"):
        read(WARD[:start] + WARD[end + len("</DEFINITION>") :])


@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
@given(discrete_networks())
@settings(max_examples=scaled(80))
def test_every_network_comes_back(network: Network) -> None:
    back = read(xmlbif_text(network))
    check_tables_came_back(back, network)


def test_what_a_file_shows_is_written_back() -> None:
    network = read(WARD)
    assert read(xmlbif_text(network)).appearance == network.appearance
    node = NodeAppearance(title="a <b> & = c", order=(0, 1), box=(-38, -18, 38, 18))
    shown = replace(network, appearance=Appearance(nodes={"flu": node}))
    assert read(xmlbif_text(shown)).appearance.of("flu") == node


@given(name=visible_texts, node=appearances(titles=visible_texts, comments=st.nothing()))
@settings(max_examples=scaled(60))
def test_every_title_and_place_comes_back(name: str, node: NodeAppearance) -> None:
    network = pair(name, name + "2")
    with pytest.warns(ConversionWarning):
        back = read(xmlbif_text(replace(network, appearance=Appearance(nodes={name: node}))))
    assert back.appearance.of(name) == node


def test_the_mark_of_the_present_state_must_be_one() -> None:
    property_of_flu = "<OUTCOME>no</OUTCOME><PROPERTY>noisyor_present = {}</PROPERTY>"
    marked = read(WARD.replace("<OUTCOME>no</OUTCOME>", property_of_flu.format("no")))
    assert marked.states[2] == ("yes", "no")
    assert "<PROPERTY>noisyor_present = no</PROPERTY>" in xmlbif_text(marked)
    with pytest.raises(FormatError, match="noisyor_present is 'up'; it must be one of the outc"):
        read(WARD.replace("<OUTCOME>no</OUTCOME>", property_of_flu.format("up")))


def test_pyagrum_reads_and_writes_the_same_tables(tmp_path: Path) -> None:
    path = tmp_path / "ward.bifxml"
    path.write_text(xmlbif_text(read(WARD)))
    by_pyagrum = load_pyagrum().loadBN(str(path))
    assert by_pyagrum.cpt("cough")[{"season": "spring", "flu": "no"}].tolist() == [0.875, 0.125, 0]
    by_pyagrum.saveBIFXML(str(path))
    assert_is_ward(read(path.read_text()))
