"""Networks as XDSL, the format of GeNIe and SMILE, causes as a native <noisymax>.

A network that was read from an XDSL file is written into that file (see `xdsl_editing`). Otherwise
a new one is made, drawn as the file of another program had it, if it had any places and colours.
States are listed in the order of the file that the network was read from. Without one, of two
states present comes first. In a noisy-MAX the first state is the strongest and the last means that
nothing happened. Nodes are in topological order, as SMILE requires.
"""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from noisyor.core import Network, NetworkError
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.core.variable import BINARY, States
from noisyor.core.version import VERSION
from noisyor.formats.legal_names import different_names, identifier_of
from noisyor.formats.tables_of import announce_tables, states_in_file
from noisyor.formats.xdsl_canvas import (
    UNTITLED,
    complete_appearance,
    escaped_for_genie,
    free_corners,
)
from noisyor.formats.xdsl_content import (
    content_of,
    network_note_for,
    note_for,
    with_orders_of_xdsl,
)
from noisyor.formats.xdsl_editing import edited_document
from noisyor.formats.xdsl_noisymax import holds_causes
from noisyor.formats.xdsl_properties import KEY, network_property, node_property

_UNFIT_FOR_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DEFAULT_LABELS: States = ("0", "1")
_WORDS: States = ("no", "yes")


def xdsl_text(network: Network) -> str:
    """Return the network as XDSL, from which `parse_xdsl` restores it.

    All numbers come back to the last bit, except that the columns of a noisy-MAX of more than two
    states are rounded. A name or label that is not a GeNIe identifier is replaced by one, and kept
    in a property.
    """
    _announce(network)
    network = with_orders_of_xdsl(network)
    edited = edited_document(network)
    return _new_document(network) if edited is None else edited


def _announce(network: Network) -> None:
    """Refuse what XDSL cannot hold; warn of relations that it stores as tables."""
    for variable in network.variables:
        if variable.state_count < BINARY:
            raise NetworkError(f"{variable.name!r} has one state; a node of XDSL has at least two")
    announce_tables(network, "XDSL", native=holds_causes)


def _new_document(network: Network) -> str:
    ids = different_names(network.names, _identifier)
    states = [_state_ids(network, variable) for variable in range(len(ids))]
    root = ET.Element("smile", version="1.0", id="noisyor", numsamples="10000")
    note = network_note_for(network, ids)
    _add(_add(root, "properties"), "property", network_property(note), id=KEY)
    nodes = _add(root, "nodes")
    for variable in network.structure.topological_order():
        _add_node(nodes, network, variable, ids, states)
    extensions = _add(root, "extensions")
    title = _fit_for_xml(network.appearance.title or UNTITLED)
    canvas = _add(extensions, "genie", version="1.0", app=f"noisyor {VERSION}", name=title)
    if network.appearance.comment:
        _add(canvas, "comment", _fit_for_xml(network.appearance.comment))
    for variable, corner in enumerate(free_corners(network)):
        _add_drawing(canvas, ids[variable], complete_appearance(network, variable, corner))
    ET.indent(root, "\t")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(above: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(above, tag, attributes)
    element.text = text
    return element


def _add_node(
    nodes: ET.Element,
    network: Network,
    variable: int,
    ids: Sequence[str],
    states: Sequence[States],
) -> None:
    content = content_of(network, variable)
    node = _add(nodes, content.tag, id=ids[variable])
    for state in states[variable]:
        _add(node, "state", id=state)
    for tag, text in content.parts(ids):
        _add(node, tag, text)
    note = note_for(network, variable, content, ids, states)
    _add(node, "property", node_property(note), id=KEY)


def _state_ids(network: Network, variable: int) -> States:
    """Return the ids of a variable's states in the file's order."""
    labels = network.variables[variable].states
    ids = _WORDS if labels == _DEFAULT_LABELS else different_names(labels, _identifier)
    return tuple(ids[place] for place in states_in_file(network, variable))


def _identifier(text: str) -> str:
    """Return a text that GeNIe accepts as an id, which begins with a letter."""
    legal = identifier_of(text)
    return f"x{legal}" if legal.startswith("_") else legal


def _add_drawing(canvas: ET.Element, identifier: str, look: NodeAppearance) -> None:
    node = _add(canvas, "node", id=identifier)
    _add(node, "name", _fit_for_xml(look.title or ""))
    _add(node, "interior", color=look.fill or "")
    _add(node, "outline", color=look.line or "")
    _add(node, "font", color=look.text or "", name="Arial", size="8")
    _add(node, "position", _edges(look.box or (0, 0, 0, 0)))
    if look.comment:
        _add(node, "comment", _fit_for_xml(look.comment))


def _edges(box: Box) -> str:
    return " ".join(str(round(edge)) for edge in box)


def _fit_for_xml(text: str) -> str:
    return _UNFIT_FOR_XML.sub("\N{REPLACEMENT CHARACTER}", escaped_for_genie(text))
