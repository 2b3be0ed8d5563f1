"""GeNIe's old .dsl files, as GeNIe and SMILE write them, read."""

from pathlib import Path

import numpy as np
import pytest

from noisyor.core import FormatError, Network
from noisyor.core.warning import ConversionWarning
from noisyor.formats.dsl_reading import parse_dsl
from noisyor.formats.parsed_network import to_network
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.ward import assert_is_ward

WARD = """net Ward
{
 HEADER =
  {
   ID = Ward;
   NAME = "The ward";
   COMMENT = "";
  };
 CREATION =
  {
  };
 NUMSAMPLES = 1000;
 SCREEN =
  {
   POSITION = { CENTER_X = 0; CENTER_Y = 0; WIDTH = 76; HEIGHT = 36; };
   COLOR = 16250597;
  };
 USER_PROPERTIES =
  {
  };

 node season
  {
   TYPE = CPT;
   HEADER =
    {
     ID = season;
     NAME = "Time of year";
     COMMENT = "of the visit";
    };
   SCREEN =
    {
     POSITION =
      {
       CENTER_X = 107;
       CENTER_Y = 255;
       WIDTH = 84;
       HEIGHT = 58;
      };
     COLOR = 16250597;
     SELCOLOR = 12303291;
     FONT = 1;
     FONTCOLOR = 255;
     BORDERTHICKNESS = 1;
     BORDERCOLOR = 8388608;
    };
   PARENTS = ();
   DEFINITION =
    {
     NAMESTATES = (winter, spring, summer);
     PROBABILITIES = (0.50000000, 0.25000000, 0.25000000);
    };
   EXTRA_DEFINITION =
    {
     FAULT_NAMES = ("", "", "");
     DOCUMENTATION =
      {
      };
     DOCUMENTATION =
      {
      };
    };
  };

 submodel Patients
  {
   HEADER = { ID = Patients; NAME = "The patients"; };
   node flu
    {
     TYPE = CPT;
     HEADER = { ID = flu; NAME = "flu"; };
     PARENTS = (season);
     DEFINITION =
      {
       NAMESTATES = (yes, no);
       PROBABILITIES = (0.50000000, 0.50000000, 0.25000000,
       0.75000000, 0.12500000, 0.87500000);
      };
    };
   submodel Findings
    {
     node cough
      {
       TYPE = CPT;
       HEADER = { ID = cough; NAME = "cough"; };
       PARENTS = (season, flu);
       DEFINITION =
        {
         NAMESTATES = (none, mild, severe);
         PROBABILITIES = (0.125, 0.375, 0.5, 0.75, 0.125, 0.125, 0.25, 0.25, 0.5,
         0.875, 0.125, 0, 0.25, 0.5, 0.25, 1, 0, 0);
        };
      };
    };
  };
 OBSERVATION_COST =
  {
   node season
    {
     PARENTS = ();
     COSTS = (0.00000000);
    };
  };
};
"""


def read(text: str, *, forgiving: bool = False) -> Network:
    return to_network(parse_dsl(text, forgiving=forgiving))


def node(name: str, kind: str, parents: str, definition: str) -> str:
    return (
        f"node {name} {{ TYPE = {kind}; PARENTS = ({parents}); DEFINITION = {{ {definition} }}; }};"
    )


FLU = node("flu", "CPT", "", "NAMESTATES = (yes, no); PROBABILITIES = (0.25, 0.75);")


def test_a_file_of_genie() -> None:
    network = read(WARD)
    assert_is_ward(network)
    assert network.appearance.title == "The ward"
    season = network.appearance.of("season")
    assert season.title == "Time of year"
    assert season.comment == "of the visit"
    assert season.box == (65, 226, 149, 284)
    assert (season.fill, season.text, season.line) == ("e5f6f7", "ff0000", "000080")
    assert network.appearance.of("flu").title is None
    assert network.appearance.of("flu").box is None


def test_a_noisy_max_stays_one() -> None:
    fever = node(
        "fever",
        "NOISY_MAX",
        "flu, cold",
        "NAMESTATES = (high, mild, none); STRENGTHS = (0, 1, 0, 2, 1); PROBABILITIES = ("
        "0.5, 0.25, 0.25, 0, 0, 1, 0.25, 0.25, 0.5, 0, 0.5, 0.5, 0, 0, 1, 0.125, 0.125, 0.75);",
    )
    cold = node(
        "cold", "CPT", "", "NAMESTATES = (bad, no, light); PROBABILITIES = (0.5, 0.25, 0.25);"
    )
    network = read(f"net a {{ {FLU} {cold} {fever} }};")
    assert network.states[2] == ("none", "mild", "high")
    distribution = network.distributions[2]
    # It is signed, as the middle one of the states of cold does not act.
    assert distribution.relation.name_for(3) == "signed-noisy-max"
    table = distribution.expand().axes()
    flu, cold_states = network.states[0].index("yes"), network.states[1]
    light = table[flu, cold_states.index("light")]
    # None: no cause brings anything about; at most mild: none brings about high.
    assert light[0] == pytest.approx(0.25 * 0.5 * 0.75)
    assert light[:2].sum() == pytest.approx(0.5 * 1 * 0.875)


def test_a_noisy_max_may_have_more_parents_than_a_table() -> None:
    causes = [f"c{place}" for place in range(40)]
    nodes = " ".join(
        node(name, "CPT", "", "NAMESTATES = (yes, no); PROBABILITIES = (0.5, 0.5);")
        for name in causes
    )
    columns = ", ".join(["0.5, 0.5, 0, 1"] * 40 + ["0, 1"])
    effect = node(
        "effect",
        "NOISY_MAX",
        ", ".join(causes),
        f"NAMESTATES = (yes, no); PROBABILITIES = ({columns});",
    )
    network = read(f"net a {{ {nodes} {effect} }};")
    assert network.distributions[40].relation.is_noisy_or
    as_table = effect.replace("NOISY_MAX", "CPT")
    with pytest.raises(FormatError, match="'effect' has 40 parents; a table can have at most 31"):
        read(f"net a {{ {nodes} {as_table} }};")


def test_a_truth_table_names_the_resulting_states() -> None:
    bed = node("bed", "TRUTHTABLE", "flu", "NAMESTATES = (rest, up); RESULTINGSTATES = (rest, up);")
    network = read(f"net a {{ {FLU} {bed} }};")
    assert network.states[1] == ("up", "rest")
    assert network.distributions[1].expand().axes().tolist() == [[1, 0], [0, 1]]


def test_decisions_and_utilities() -> None:
    treat = node("treat", "LIST", "flu", "NAMECHOICES = (drug, none);")
    worth = node("worth", "TABLE", "flu, treat", "UTILITIES = (1, 2, 3, 4);")
    with pytest.warns(ConversionWarning, match=r"\(decision: 'treat'; utility: 'worth'\)"):
        assert read(f"net a {{ {FLU} {treat} {worth} }};").names == ("flu",)
    ill = node("ill", "CPT", "treat", "NAMESTATES = (yes, no); PROBABILITIES = (1, 0, 0.5, 0.5);")
    with pytest.warns(ConversionWarning) as caught:
        network = read(f"net a {{ {FLU} {treat} {worth} {ill} }};")
    assert [("decisions on which" in str(one.message)) for one in caught] == [True, False]
    assert network.names == ("flu", "treat", "ill")
    assert network.distributions[1].expand().axes().tolist() == [0.5, 0.5]
    assert network.structure.families[1].parents == 0


def test_rows_off_by_rounding() -> None:
    text = WARD.replace("0.12500000, 0.87500000", "0.12500000, 0.87300000")
    with pytest.raises(FormatError, match=r"line 77: .* 'flu' sum to 0.998; .* forgiving=True"):
        read(text)
    with pytest.warns(ConversionWarning, match="'flu' sum to 0.998"):
        read(text, forgiving=True)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("net Ward", "nets Ward", "line 1: a .dsl file is one 'net'"),
        ("TYPE = CPT", "TYPE = TAPE", "line 22: .* 'season' is of the type 'TAPE'; .*NOISY_MAX"),
        ("ID = season", "ID = flu", "line 68: the node 'flu' occurs twice"),
        ("PARENTS = (season)", "PARENTS = (sky)", "line 68: 'flu' has the parent 'sky', which is"),
        ("   DEFINITION =", "   DEFINED =", "line 22: the node 'season' has no DEFINITION"),
        ("NAMESTATES = (winter, spring, summer)", "X = ()", "'season' has no NAMESTATES"),
        ("PROBABILITIES = (0.5", "PROB = (0.5", "'season' has no PROBABILITIES"),
        ("0.50000000, 0.25000000, 0.25000000", "0.5, 0.5", "line 51: .* has 2 numbers; .* need 3"),
        ("WIDTH = 84", "WIDTH = wide", "line 37: 'wide' is not a number"),
        ("FONTCOLOR = 255", "FONTCOLOR = -255", "FONTCOLOR is -255; a colour is 0 to 16777215"),
    ],
)
def test_odd_files_are_refused_with_the_line(old: str, new: str, message: str) -> None:
    assert old in WARD
    with pytest.raises(FormatError, match=message):
        read(WARD.replace(old, new, 1))


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("STRENGTHS = (0); PROBABILITIES = (1, 0, 0, 1, 0, 1);", "1 strengths; .* have 2 states"),
        ("STRENGTHS = (0, 0); PROBABILITIES = (1, 0, 0, 1, 0, 1);", "strengths '0 0' for a parent"),
        ("PROBABILITIES = (1, 0, 0, 1);", "has 4 numbers; .* need 6"),
        ("PROBABILITIES = (1, 0, 0, 2, 0, 1);", "has the entry 2"),
    ],
)
def test_odd_noisy_maxs_are_refused(definition: str, message: str) -> None:
    effect = node("b", "NOISY_MAX", "flu", f"NAMESTATES = (x, y); {definition}")
    with pytest.raises(FormatError, match=message):
        read(f"net a {{ {FLU} {effect} }};")


def test_pyagrum_writes_what_is_read(tmp_path: Path) -> None:
    pyagrum = load_pyagrum()
    bn = pyagrum.fastBN("a{x|y|z}->c{lo|hi}<-b{u|v|w|q};a->b")
    bn.saveDSL(str(tmp_path / "bn.dsl"))
    network = read((tmp_path / "bn.dsl").read_text())
    members = sorted("ab", key=network.index)
    table = network.distributions[network.index("c")].expand().axes()
    for place in np.ndindex(table.shape):
        at = {
            name: network.states[network.index(name)][state]
            for name, state in zip((*members, "c"), place, strict=True)
        }
        assert table[place] == pytest.approx(bn.cpt("c")[at], abs=1e-6)  # it writes six digits
