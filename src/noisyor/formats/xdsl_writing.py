"""Networks as XDSL, the format of GeNIe and SMILE, a noisy-OR as a native <noisymax>.

Two states are written present first, since in a noisy-MAX the first state is the strongest and the
last means that nothing happened; more states keep their order. A relation that is neither a table
nor a noisy-OR is written out as a table. Nodes are in topological order, as SMILE requires.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np

from noisyor.core import Network, NetworkError
from noisyor.core.appearance import UNADORNED
from noisyor.core.variable import BINARY, States
from noisyor.core.version import VERSION
from noisyor.formats.legal_names import different_names, identifier_of
from noisyor.formats.or_causes import OrCauses, or_causes
from noisyor.formats.tables_of import announce_tables, labels_in_file, states_in_file, table_in_file
from noisyor.formats.xdsl_properties import (
    KEY,
    NetworkNote,
    NodeNote,
    UnseenNote,
    network_property,
    node_property,
)

_UNFIT_FOR_XML = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DEFAULT_LABELS: States = ("0", "1")
_WORDS: States = ("no", "yes")
_CERTAINLY_ABSENT = (0.0, 1.0)

_WIDTH, _HEIGHT, _GAP = 120, 50, 60  # of a node on GeNIe's canvas, in pixels
_NODES_A_ROW = 10
_TABLE_COLOR, _NOISYMAX_COLOR = "e5f6f7", "ffe9b3"  # as GeNIe draws them


def _cost_in_file(network: Network) -> float | None:
    """Return the network's cost; None if a relation is written out as a table, which costs more."""
    kept = all(one.relation.closed_form or or_causes(one) for one in network.distributions)
    return network.cost if kept else None


def xdsl_text(network: Network) -> str:
    """Return the network as XDSL, from which `parse_xdsl` restores it to the last bit.

    A name or label that is not a GeNIe identifier is replaced by one, and kept in a property.
    """
    network = replace(network, appearance=UNADORNED)
    _announce(network)
    ids = different_names(network.names, _identifier)
    states = [_state_ids(network, variable) for variable in range(len(ids))]
    root = ET.Element("smile", version="1.0", id="noisyor", numsamples="10000")
    note = NetworkNote(ids, _cost_in_file(network), network.provenance)
    _add(_add(root, "properties"), "property", network_property(note), id=KEY)
    nodes = _add(root, "nodes")
    for variable in network.structure.topological_order():
        _add_node(nodes, network, variable, ids, states)
    extensions = _add(root, "extensions")
    canvas = _add(extensions, "genie", version="1.0", app=f"noisyor {VERSION}", name="noisyor")
    for variable, position in enumerate(_positions(network)):
        _add_drawing(canvas, network, variable, ids[variable], position)
    ET.indent(root, "\t")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _announce(network: Network) -> None:
    """Refuse what XDSL cannot hold; warn of relations that it stores as tables."""
    for variable in network.variables:
        if variable.state_count < BINARY:
            raise NetworkError(f"{variable.name!r} has one state; a node of XDSL has at least two")
    announce_tables(network, "XDSL", noisy_ors=True, stacklevel=4)


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
    distribution = network.distributions[variable]
    parents = network.structure.families[variable].parent_indices()
    causes = or_causes(distribution)
    node = _add(nodes, "cpt" if causes is None else "noisymax", id=ids[variable])
    for state in states[variable]:
        _add(node, "state", id=state)
    if parents:
        _add(node, "parents", " ".join(ids[parent] for parent in parents))
    unseen = None
    if causes is not None:
        _add(node, "strengths", " ".join(["0 1"] * len(parents)))
        _add(node, "parameters", _listed(_noisymax_columns(causes)))
    else:
        table, marks = table_in_file(network, variable)
        _add(node, "probabilities", _listed(table.reshape(-1, table.shape[-1]).tolist()))
        if marks.any():
            listed = tuple((ids[parent], states[parent]) for parent in parents)
            unseen = UnseenNote(listed, tuple(np.flatnonzero(marks).tolist()))
    own = labels_in_file(network, variable)
    labels = dict(zip(states[variable], own, strict=True))
    leaky = causes is not None and causes.leak_q is not None
    note = NodeNote(ids[variable], network.names[variable], labels, leaky, unseen)
    _add(node, "property", node_property(note), id=KEY)


def _noisymax_columns(causes: OrCauses) -> Iterator[tuple[float, float]]:
    """Yield (present, absent): for each parent when it is present and absent, then the leak."""
    for strength, q in zip(causes.strengths, causes.q, strict=True):
        yield strength, q
        yield _CERTAINLY_ABSENT
    yield _CERTAINLY_ABSENT if causes.leak_q is None else (causes.leak, causes.leak_q)


def _listed(columns: Iterable[Iterable[float]]) -> str:
    # repr() is the shortest text that reads back as the same number.
    return " ".join(repr(value) for column in columns for value in column)


def _state_ids(network: Network, variable: int) -> States:
    """Return the ids of a variable's states in the file's order."""
    labels = network.states[variable]
    ids = _WORDS if labels == _DEFAULT_LABELS else different_names(labels, _identifier)
    return tuple(ids[place] for place in states_in_file(network, variable))


def _identifier(text: str) -> str:
    """Return a text that GeNIe accepts as an id, which begins with a letter."""
    legal = identifier_of(text)
    return f"x{legal}" if legal.startswith("_") else legal


def _positions(network: Network) -> list[tuple[int, int]]:
    """Return the corner of each node: parents above children, and close to them if possible."""
    families = network.structure.families
    layer_of = [0] * len(families)
    for variable in network.structure.topological_order():
        above = families[variable].parent_indices()
        layer_of[variable] = max((layer_of[parent] + 1 for parent in above), default=0)
    positions = [(0, 0)] * len(families)
    row = 0
    for layer in range(max(layer_of) + 1):
        members = [variable for variable, own in enumerate(layer_of) if own == layer]

        def centre_of_parents(variable: int) -> float:
            above = families[variable].parent_indices()
            return sum(positions[parent][0] for parent in above) / max(len(above), 1)

        members.sort(key=centre_of_parents)
        for place, variable in enumerate(members):
            down, across = divmod(place, _NODES_A_ROW)
            positions[variable] = (
                _GAP + across * (_WIDTH + _GAP),
                _GAP + (row + down) * (_HEIGHT + _GAP),
            )
        row += -(-len(members) // _NODES_A_ROW)
    return positions


def _add_drawing(
    canvas: ET.Element, network: Network, variable: int, identifier: str, corner: tuple[int, int]
) -> None:
    left, top = corner
    node = _add(canvas, "node", id=identifier)
    _add(node, "name", _UNFIT_FOR_XML.sub("\N{REPLACEMENT CHARACTER}", network.names[variable]))
    is_table = or_causes(network.distributions[variable]) is None
    _add(node, "interior", color=_TABLE_COLOR if is_table else _NOISYMAX_COLOR)
    _add(node, "outline", color="000080")
    _add(node, "font", color="000000", name="Arial", size="8")
    _add(node, "position", f"{left} {top} {left + _WIDTH} {top + _HEIGHT}")
