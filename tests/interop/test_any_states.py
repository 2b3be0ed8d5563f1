"""Networks of any states to other libraries and back."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings

from noisyor.core import Network, Variable
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.core.provenance import Provenance
from noisyor.formats.parsed_network import to_network
from noisyor.formats.xmlbif import parse_xmlbif
from noisyor.interop import (
    from_pgmpy,
    from_pyagrum,
    jgum_bytes,
    to_networkx,
    to_pgmpy,
    to_pyagrum,
)
from noisyor.interop.jgum_reading import parse_jgum
from tests.formats.alike import assert_alike
from tests.formats.networks import discrete_networks
from tests.formats.test_xmlbif import WARD
from tests.formats.ward import assert_is_ward
from tests.interop.models import COUGH
from tests.support.effort import scaled

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")


@given(discrete_networks())
@settings(max_examples=scaled(40))
def test_pgmpy_gives_back_the_distribution(network: Network) -> None:
    assert_alike(from_pgmpy(to_pgmpy(network)), network)


@given(discrete_networks())
@settings(max_examples=scaled(40))
def test_pyagrum_gives_back_the_distribution(network: Network) -> None:
    back = from_pyagrum(to_pyagrum(network))
    assert back.states == network.states
    assert_alike(back, network)


def test_a_file_keeps_its_order_of_states_through_pgmpy() -> None:
    ward = to_network(parse_xmlbif(WARD))
    model = to_pgmpy(ward)
    assert model.get_cpds("flu").state_names["flu"] == ["yes", "no"]
    assert_is_ward(from_pgmpy(model))


def test_a_file_keeps_its_order_of_states_through_pyagrum() -> None:
    ward = to_network(parse_xmlbif(WARD))
    bn = to_pyagrum(ward)
    assert bn.variable("flu").labels() == ("yes", "no")
    assert bn.cpt("cough")[{"season": "spring", "flu": "no"}].tolist() == [0.875, 0.125, 0]
    assert_is_ward(from_pyagrum(bn))
    text = jgum_bytes(ward).decode()
    assert '"flu{yes|no}"' in text
    assert_is_ward(to_network(parse_jgum(text)))


def test_in_a_noisy_or_of_pyagrum_the_second_state_acts_whatever_the_file_said() -> None:
    nodes = {name: NodeAppearance(order=(1, 0)) for name in COUGH.names}
    turned = replace(COUGH, appearance=Appearance(nodes=nodes))
    bn = to_pyagrum(turned)
    assert bn.variable("flu").labels() == ("absent", "present")
    # The numbers of fever would be sorted, so they stay as they are.
    assert '"fever{0|1}"' in jgum_bytes(turned).decode()
    assert bn.variable("fever").labels() == ("1", "0")
    for back in (from_pyagrum(bn), to_network(parse_jgum(jgum_bytes(turned).decode()))):
        assert_alike(back, COUGH)
        assert back.states == COUGH.states
        assert back.structure == COUGH.structure


@pytest.mark.filterwarnings("ignore")
def test_pgmpy_reads_and_writes_xmlbif_as_we_do(tmp_path: Path) -> None:
    from pgmpy.readwrite import XMLBIFReader, XMLBIFWriter  # type: ignore[import-untyped]  # noqa: PLC0415

    path = tmp_path / "ward.xmlbif"
    XMLBIFWriter(to_pgmpy(to_network(parse_xmlbif(WARD)))).write(str(path))
    assert_is_ward(to_network(parse_xmlbif(path.read_text())))
    assert_is_ward(from_pgmpy(XMLBIFReader(str(path)).get_model()))


def test_networkx_has_a_tuple_over_the_states_for_each_configuration() -> None:
    network = Network.from_tables(
        (Variable("sky", ("clear", "grey", "dark")), Variable("wet", ("no", "yes"))),
        ((), (0,)),
        ([0.5, 0.25, 0.25], [[1.0, 0.0], [0.75, 0.25], [0.125, 0.875]]),
        Provenance("test"),
    )
    graph = to_networkx(network)
    assert nx.is_directed_acyclic_graph(graph)
    assert graph.nodes["sky"]["states"] == ("clear", "grey", "dark")
    assert graph.nodes["wet"]["chances"] == ((1, 0), (0.75, 0.25), (0.125, 0.875))
