"""bnlearn's model string: the graph in one line, and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import CPT, FormatError, Network, Structure
from noisyor.formats.model_string import model_string, structure_of_model_string
from tests.formats.networks import networks, visible_texts
from tests.formats.small_networks import clinic, pair
from tests.support.effort import scaled

plain_texts = visible_texts.filter(lambda text: not set(text) & set("[]|:"))


def test_the_clinic_as_bnlearn_writes_it() -> None:
    assert model_string(clinic()) == "[flu][cold][cough|flu:cold][fever|flu][bed rest|flu:cough]"


def test_the_graph_of_bnlearns_learning_test() -> None:
    structure = structure_of_model_string("[A][C][F][B|A][D|A:C][E|B:F]")
    assert structure.names == ("A", "C", "F", "B", "D", "E")
    assert set(structure.edges()) == {
        ("A", "B"),
        ("A", "D"),
        ("C", "D"),
        ("B", "E"),
        ("F", "E"),
    }
    assert {family.relation for family in structure.families} == {CPT}


def test_a_child_may_precede_its_parents() -> None:
    assert structure_of_model_string("[B|A:C][A][C]\n") == Structure.from_edges(
        ("B", "A", "C"), [("A", "B"), ("C", "B")]
    )


@settings(max_examples=scaled(100))
@given(network=networks(names=plain_texts))
def test_the_graph_comes_back(network: Network) -> None:
    back = structure_of_model_string(model_string(network))
    assert back.names == network.names
    assert list(back.edges()) == list(network.structure.edges())


@settings(max_examples=scaled(200))
@given(text=st.text(alphabet="[]|:AB \n", max_size=20))
def test_any_other_text_is_refused_or_says_what_it_is(text: str) -> None:
    try:
        structure = structure_of_model_string(text)
    except FormatError:
        return
    said = text.strip("\r\n")
    assert said.count("[") == len(structure.names)
    assert said.count("|") + said.count(":") == len(list(structure.edges()))
    for name in structure.names:
        assert f"[{name}]" in said or f"[{name}|" in said


@pytest.mark.parametrize("name", ["a[0]", "b]", "x|y", "time: 10"])
def test_names_with_a_mark_are_refused(name: str) -> None:
    with pytest.raises(FormatError, match=r"has one of the characters \[ \] \| :, which have a"):
        model_string(pair("a", name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a model string looks like \[A\]\[B\|A:C\]\[C\]; got: ''"),
        ("A", "a model string looks like"),
        ("[A", "a model string looks like"),
        ("]", "a model string looks like"),
        ("[", "a model string looks like"),
        ("[]", r"node 1 of the model string is \[\]"),
        ("[A][ ]", r"node 2 of the model string is \[ \]; a node looks like"),
        ("[A] [B]", r"node 1 of the model string is \[A\] \[B\]"),
        ("[A][B|]", r"node 2 of the model string is \[B\|\]"),
        ("[A][B|A:]", r"node 2 of the model string is \[B\|A:\]"),
        ("[A][B|A|A]", r"node 2 of the model string is \[B\|A\|A\]"),
        ("[A:B]", r"node 1 of the model string is \[A:B\]"),
        ("[[A]]", "node 1 of the model string"),
        ("[A][A]", "node 2 of the model string is 'A', which occurs twice"),
        ("[A][B|A:A]", "node 2 of the model string has the same parent twice"),
        (
            "[A][B|C]",
            "the model string is not a network: the edge 'C' -> 'B' names 'C', which",
        ),
        ("[A|A]", "the model string is not a network: an edge leads from 'A' to itself"),
        ("[A|B][B|A]", "the model string is not a network: the edges form a directed cycle"),
        ("".join(f"[v{number}]" for number in range(65537)), "not a network: .*at most 65536"),
    ],
)
def test_what_is_no_model_string_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        structure_of_model_string(text)
