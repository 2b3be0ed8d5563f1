"""A network written into the file that it came from: only what differs changes."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core import (
    LEAKY_NOISY_OR,
    Cpt,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.appearance import Appearance, NodeAppearance, SourceDocument
from noisyor.core.relations import SIGNED_NOISY_OR, CauseDistribution
from noisyor.core.warning import ConversionWarning
from noisyor.formats.bif import parse_bif
from noisyor.formats.parsed_network import to_network
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from tests.formats.networks import (
    discrete_networks,
    fits_noisymax,
    marked,
    written_out,
)
from tests.support.effort import scaled

# In the manner of GeNIe: titles, comments, a submodel, a text box, things noisyor does not know.
PUMP = """<?xml version="1.0" encoding="UTF-8"?>
<!-- drawn by hand -->
<smile version="1.0" id="Pump" numsamples="10000" discsamples="10000">
	<nodes>
		<cpt id="Wear" diagtype="target" ranked="true">
			<state id="None" />
			<state id="Some" default="true" />
			<state id="Much" fault="true"/>
			<probabilities>0.5 0.25 0.25</probabilities>
			<property id="source">a book &amp; a guess</property>
		</cpt>
		<cpt id="Dirt">
			<state id="yes" />
			<state id="no" />
			<probabilities>
				0.125
				0.875
			</probabilities>
		</cpt>
		<noisymax id="Noise">
			<state id="Loud" />
			<state id="Low" />
			<state id="Silent" />
			<parents>Dirt Wear</parents>
			<strengths>0 1 2 1 0</strengths>
			<parameters>0.25 0.25 0.5 0 0 1 0.5 0.25 0.25 0.1 0.2 0.7 0 0 1 0 0.1 0.9</parameters>
		</noisymax>
		<deterministic id="Alarm">
			<state id="on" />
			<state id="off" />
			<parents>Noise</parents>
			<resultingstates>on off off</resultingstates>
		</deterministic>
		<decision id="Stop">
			<state id="now" />
			<state id="later" />
			<parents>Alarm</parents>
		</decision>
	</nodes>
	<extensions>
		<genie version="1.0" app="GeNIe 4.1" name="A pump" faultnameformat="nodestate">
			<comment>Built for a course.\\nKeep it.</comment>
			<node id="Wear">
				<name>How worn &lt;out&gt;?</name>
				<interior color="e5f6f7" />
				<outline color="000080" />
				<font color="0000ff" name="Arial" size="8" bold="true" />
				<position>10 20 90 60</position>
				<barchart active="true" width="128" height="80" />
			</node>
			<submodel id="Signs">
				<name>Signs</name>
				<position>200 20 280 60</position>
				<node id="Noise">
					<name>Noise</name>
					<position>-5 100 75 140</position>
					<comment>Heard by everybody.</comment>
				</node>
			</submodel>
			<textbox><caption>Drawn on a napkin</caption><position>1 2 3 4</position></textbox>
		</genie>
	</extensions>
</smile>
"""


def read(text: str, *, forgiving: bool = False) -> Network:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)  # of the decision
        return to_network(parse_xdsl(text, forgiving=forgiving))


def with_distribution(network: Network, name: str, **parts: object) -> Network:
    """Return a network with another distribution at a node, and other parents if they are given."""
    variable = network.index(name)
    distribution = parts["distribution"]
    assert isinstance(distribution, Cpt | CauseDistribution)
    families, distributions = list(network.structure.families), list(network.distributions)
    parents = parts.get("parents", families[variable].parents)
    assert isinstance(parents, int)
    families[variable] = Family(variable, parents, distribution.relation)
    distributions[variable] = distribution
    return replace(
        network,
        structure=Structure(network.names, tuple(families)),
        distributions=tuple(distributions),
    )


def changed_lines(before: str, after: str) -> list[tuple[str, str]]:
    old, new = before.split("\n"), after.split("\n")
    assert len(old) == len(new)
    return [
        (one.strip(), other.strip()) for one, other in zip(old, new, strict=True) if one != other
    ]


def test_what_genie_shows_is_known() -> None:
    look = read(PUMP).appearance
    assert (look.title, look.comment) == ("A pump", "Built for a course.\nKeep it.")
    assert look.of("Wear").title == "How worn <out>?"
    assert look.of("Wear").box == (10, 20, 90, 60)
    assert (look.of("Wear").fill, look.of("Wear").line) == ("e5f6f7", "000080")
    assert look.of("Wear").text == "0000ff"
    assert look.of("Noise").title is None  # it is the node's id
    assert look.of("Noise").comment == "Heard by everybody."
    assert look.of("Noise").box == (-5, 100, 75, 140)
    assert look.of("Dirt").box is None


def test_the_file_comes_back_byte_for_byte() -> None:
    assert xdsl_text(read(PUMP)) == PUMP
    windows = PUMP.replace("\n", "\r\n")
    assert xdsl_text(read(windows)) == windows


def test_new_numbers_of_a_table_are_all_that_changes() -> None:
    made = with_distribution(read(PUMP), "Wear", distribution=Cpt.from_axes([0.75, 0.125, 0.125]))
    after = xdsl_text(made)
    assert changed_lines(PUMP, after) == [
        (
            "<probabilities>0.5 0.25 0.25</probabilities>",
            "<probabilities>0.75 0.125 0.125</probabilities>",
        )
    ]
    assert read(after) == made


@pytest.mark.parametrize(
    ("faulty", "repaired"), [("0.5 0.25 0.245", (0.5, 0.25, 0.245)), ("0 0 0", (1, 1, 1))]
)
def test_a_row_that_was_forgiven_is_written_without_its_fault(
    faulty: str, repaired: tuple[float, ...]
) -> None:
    before = PUMP.replace("0.5 0.25 0.25</prob", f"{faulty}</prob")
    made = read(before, forgiving=True)
    after = xdsl_text(made)
    ((_, new),) = changed_lines(before, after)
    numbers = [float(word) for word in re.sub(r"<[^>]*>", "", new).split()]
    assert numbers == pytest.approx([one / sum(repaired) for one in repaired], abs=1e-15)
    assert read(after) == made
    assert xdsl_text(read(after)) == after


def test_new_strengths_of_a_noisymax_keep_the_order_of_its_parents_and_their_states() -> None:
    before = read(PUMP)
    noise = before.distributions[before.index("Noise")]
    assert noise.relation is LEAKY_NOISY_OR
    # Wear is the first variable; in its own order, None comes first.
    assert noise.parent_states == (3, 2)
    stronger = LEAKY_NOISY_OR.distribution(
        [0.75, 0.5, 0.5, 0.25, 0.25, 0.5, 0.875, 0.75], 3, noise.parent_states
    )
    after = xdsl_text(with_distribution(before, "Noise", distribution=stronger))
    ((old, new),) = changed_lines(PUMP, after)
    assert old.startswith("<parameters>0.25 0.25 0.5 0 0 1 ")
    numbers = new.removeprefix("<parameters>").removesuffix("</parameters>").split()
    assert [float(number) for number in numbers] == [
        *(0.5, 0.375, 0.125),  # Dirt: Loud 1 - 1/2, Low (1 - 1/4) 1/2, Silent 1/4 1/2
        *(0, 0, 1),
        *(0.75, 0.125, 0.125),  # Much: 1 - 1/4, (1 - 1/2) 1/4, 1/2 1/4
        *(0.5, 0.125, 0.375),  # Some
        *(0, 0, 1),
        *(0.25, 0.09375, 0.65625),  # the leak
    ]
    assert read(after).distributions[2].expand().table == pytest.approx(stronger.expand().table)


def test_a_node_that_is_a_table_now_is_renamed_and_keeps_what_else_is_in_it() -> None:
    before = read(PUMP)
    table = before.distributions[2].expand()
    after = xdsl_text(with_distribution(before, "Noise", distribution=table))
    assert '<cpt id="Noise">' in after
    assert "</noisymax>" not in after
    assert "<strengths>" not in after
    assert "<parents>Dirt Wear</parents>\n\t\t\t<probabilities>" in after
    found = read(after)
    assert found.structure.families[2].relation is table.relation
    assert found.distributions[2].expand().axes() == pytest.approx(table.axes())
    # Nothing else would say that the states ascend from Silent to Loud.
    assert after.count('<property id="noisyor">') == 1
    assert found.variables == before.variables
    assert re.sub("(?s)<nodes>.*</nodes>", "", after) == re.sub("(?s)<nodes>.*</nodes>", "", PUMP)


def test_a_deterministic_node_becomes_a_table_if_it_is_no_longer_certain() -> None:
    before = read(PUMP)
    table = Cpt.from_axes([[1.0, 0.0], [0.75, 0.25], [0.0, 1.0]])
    after = xdsl_text(with_distribution(before, "Alarm", distribution=table))
    assert "<resultingstates>" not in after
    # Noise is Loud, Low, Silent in the file, and Alarm on, off.
    assert (
        '<cpt id="Alarm">\n\t\t\t<state id="on" />\n\t\t\t<state id="off" />\n'
        "\t\t\t<parents>Noise</parents>\n"
        "\t\t\t<probabilities>1.0 0.0 0.25 0.75 0.0 1.0</probabilities>\n\t\t</cpt>"
    ) in after
    assert read(after).distributions[3] == table


def test_parents_may_go_and_come() -> None:
    before = read(PUMP)
    fewer = with_distribution(
        before, "Alarm", parents=0, distribution=Cpt.from_axes([0.875, 0.125])
    )
    text = xdsl_text(fewer)
    assert read(text) == fewer
    table = Cpt.from_axes(np.full((3, 2), 0.5))
    more = with_distribution(fewer, "Alarm", parents=0b001, distribution=table)
    assert "<parents>Wear</parents>" in xdsl_text(more)
    assert read(xdsl_text(more)) == more


def test_a_noisy_or_of_two_states_turns_the_states_of_its_node_if_it_must() -> None:
    text = (
        '<smile><nodes><cpt id="a"><state id="no"/><state id="yes"/>'
        "<probabilities>0.25 0.75</probabilities></cpt>"
        '<cpt id="b"><state id="no" x="1"/><state id="yes" x="2"/><parents>a</parents>'
        "<probabilities>1 0 0.5 0.5</probabilities></cpt>"
        '<cpt id="c"><state id="no"/><state id="yes"/><parents>b</parents>'
        "<probabilities>0.125 0.875 0.5 0.5</probabilities></cpt></nodes></smile>"
    )
    made = with_distribution(read(text), "b", distribution=NoisyOr([0.25]))
    with pytest.warns(ConversionWarning, match="from the strongest .* turned round are .*'b'$"):
        after = xdsl_text(made)
    assert after == text.replace(
        '<cpt id="b"><state id="no" x="1"/><state id="yes" x="2"/><parents>a</parents>'
        "<probabilities>1 0 0.5 0.5</probabilities></cpt>",
        '<noisymax id="b"><state id="yes" x="2"/><state id="no" x="1"/><parents>a</parents>'
        "<strengths>1 0</strengths><parameters>0.75 0.25 0.0 1.0 0.0 1.0</parameters></noisymax>",
    ).replace("0.125 0.875 0.5 0.5", "0.5 0.5 0.125 0.875")
    assert read(after) == made


def test_a_property_is_added_only_where_it_is_needed() -> None:
    before = read(PUMP)
    # Signed, although no state acts that does not act in the file.
    levels = [[1.0, 1.0], [0.875, 0.75], [0.5, 0.5], [1.0, 1.0], [0.75, 0.625], [1.0, 1.0]]
    signed = CauseDistribution(SIGNED_NOISY_OR, levels, (3, 2))
    made = with_distribution(before, "Noise", distribution=signed)
    after = xdsl_text(made)
    assert after.count('<property id="noisyor">') == 1
    assert read(after).structure == made.structure
    unseen = Cpt.from_axes([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [False, True, False])
    marked = with_distribution(before, "Alarm", distribution=unseen)
    after = xdsl_text(marked)
    assert after.count('<property id="noisyor">') == 1
    assert read(after) == marked


def test_the_state_that_was_chosen_for_present_is_noted() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        made = to_network(parse_xdsl(PUMP), {"Dirt": "no"})
    after = xdsl_text(made)
    assert after.count('<property id="noisyor">') == 2  # Noise, which Dirt acts on, is signed now
    assert read(after).states == made.states
    assert read(after).structure == made.structure


def test_the_origin_is_noted_at_the_network() -> None:
    made = replace(read(PUMP), provenance=Provenance("0.1.0", "abc", 40), cost=12.5)
    after = xdsl_text(made)
    assert '<properties><property id="noisyor">' in after
    assert read(after) == made
    again = replace(read(after), provenance=Provenance("0.1.0", "def", 41))
    assert xdsl_text(again).count("<properties>") == 1
    assert read(xdsl_text(again)) == again
    # What noisyor did not change is what it was.
    assert re.sub(r"<properties>.*</properties>\s*", "", after) == PUMP


def test_a_network_that_is_too_different_makes_a_new_file_with_the_same_places() -> None:
    before = read(PUMP)
    look = before.appearance
    titled = {**look.nodes, "Dirt": replace(look.of("Dirt"), title="Dust")}
    for other, what in (
        (
            replace(
                before,
                variables=(
                    replace(before.variables[0], states=tuple("abc")),
                    *before.variables[1:],
                ),
            ),
            "other states",
        ),
        (replace(before, appearance=replace(look, nodes=titled)), "other titles, places"),
        (_without_last(before), "other variables"),
        (_reversed_edge(before), "parents that come later"),
    ):
        with pytest.warns(ConversionWarning, match=f"the network has {what}.* a new file is made"):
            text = xdsl_text(other)
        found = read(text)
        assert found == other
        assert (found.appearance.title, found.appearance.comment) == (look.title, look.comment)
        assert found.appearance.of("Wear") == look.of("Wear")
        assert found.appearance.of("Dirt").title == other.appearance.of("Dirt").title
        assert "napkin" not in text


def _without_last(network: Network) -> Network:
    return replace(
        network,
        structure=Structure(network.names[:3], network.structure.families[:3]),
        variables=network.variables[:3],
        distributions=network.distributions[:3],
    )


def _reversed_edge(network: Network) -> Network:
    alone = with_distribution(
        network, "Alarm", parents=0, distribution=Cpt.from_axes([0.875, 0.125])
    )
    return with_distribution(
        alone, "Dirt", parents=0b1000, distribution=Cpt.from_axes([[0.5, 0.5], [0.25, 0.75]])
    )


def test_nothing_overlaps_what_has_its_place_already() -> None:
    made = _without_last(read(PUMP))
    with pytest.warns(ConversionWarning, match="other variables"):
        text = xdsl_text(made)
    assert read(text).appearance.of("Noise").box == (-5, 100, 75, 140)
    new = read(text).appearance.of("Dirt").box
    assert new is not None
    assert new[1] >= 140


def test_a_document_that_is_not_xdsl_is_refused_and_one_of_another_format_is_not_used() -> None:
    made = read(PUMP)
    broken = replace(made.appearance, document=SourceDocument("xdsl", "<smile>"))
    with pytest.raises(FormatError, match="the file that the network was read from: it is not w"):
        xdsl_text(replace(made, appearance=broken))
    bif = "network w { }\nvariable a { type discrete [ 2 ] { no, yes }; }\n"
    other = to_network(parse_bif(f"{bif}probability ( a ) {{ table 0.25, 0.75; }}\n"))
    assert '<state id="no" />\n\t\t\t<state id="yes" />' in xdsl_text(other)


@settings(max_examples=scaled(60))
@given(
    network=discrete_networks(least_states=2, max_variables=3),
    other=st.integers(0, 2**32),
)
def test_any_network_may_be_written_over_another(network: Network, other: int) -> None:
    """New numbers in an old file read back as they are, and the rest of the file is the same."""
    random = np.random.default_rng(other)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        first = xdsl_text(network)
        read_back = read(first)
        assert xdsl_text(read_back) == first
        tables = []
        for variable, family in zip(network.variables, network.structure.families, strict=True):
            sizes = [network.variables[v].state_count for v in family.parent_indices()]
            weights = random.random((*sizes, variable.state_count)) + 0.1
            tables.append(Cpt.from_axes(weights / weights.sum(axis=-1, keepdims=True)))
        families = tuple(Family(one.child, one.parents) for one in network.structure.families)
        structure = Structure(network.names, families)
        made = replace(read_back, structure=structure, distributions=tuple(tables), cost=None)
        second = xdsl_text(made)
    found = read(second)
    assert found.variables == made.variables
    assert found.structure == made.structure
    for one, expected in zip(found.distributions, made.distributions, strict=True):
        assert one.expand().table == pytest.approx(expected.expand().table, abs=1e-15)
    assert second[second.index("</nodes>") :] == first[first.index("</nodes>") :]


@settings(max_examples=scaled(60))
@given(network=marked(discrete_networks(least_states=2, max_variables=3)))
def test_causes_may_be_written_over_tables(network: Network) -> None:
    """The kinds of nodes change, and where they must, the orders of their states."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConversionWarning)
        first = xdsl_text(written_out(network))
        tables = read(first)
        made = replace(tables, structure=network.structure, distributions=network.distributions)
        second = xdsl_text(made)
    found = read(second)
    expected = written_out(made, lambda _, one: fits_noisymax(one))
    assert found.variables == made.variables
    assert found.structure == expected.structure
    for one, other in zip(found.distributions, expected.distributions, strict=True):
        assert one.expand().table == pytest.approx(other.expand().table, abs=1e-15)
        assert [cause.unseen for cause in one.causes()] == [
            cause.unseen for cause in other.causes()
        ]
    assert xdsl_text(found) == second


# What XML can hold, with the characters that GeNIe escapes.
_shown = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Cn"]) | st.sampled_from("\n\\n<&"), min_size=1
).filter(lambda text: text.strip() != "")


@settings(max_examples=scaled(60))
@given(
    title=st.none() | _shown,
    comment=st.none() | _shown,
    box=st.none() | st.tuples(*[st.integers(-999, 9999).map(float)] * 4),
    order=st.permutations(range(3)),
)
def test_a_new_file_shows_what_another_file_said(
    title: str | None,
    comment: str | None,
    box: tuple[float, float, float, float] | None,
    order: list[int],
) -> None:
    look = NodeAppearance(title, tuple(order), box, "00ff00", "000000", "0000ff", comment)
    sky = Variable("sky", ("clear", "cloudy", "dark"))
    plain = Network.from_tables([sky], [()], [[0.5, 0.25, 0.25]], Provenance("test"))
    network = replace(plain, appearance=Appearance(title, comment, {"sky": look}))
    found = read(xdsl_text(network))
    assert found == network
    own = found.appearance.of("sky")
    assert (found.appearance.title, found.appearance.comment) == (title, comment)
    assert own.title == (title if title != "sky" else None)
    assert own == replace(look, title=own.title, box=own.box)
    assert box is None or own.box == box
