"""Networks as XDSL, the format of GeNIe and SMILE, a noisy-OR as a native <noisymax>.

States are written present first, since in a noisy-MAX the first state is the strongest and the
last the one that means nothing happened. Nodes come in topological order, as SMILE demands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Network, NoisyOr
from noisyor.core.dataset import States
from noisyor.core.version import VERSION
from noisyor.formats.legal_names import different_names, identifier_of
from noisyor.formats.xdsl_properties import (
    KEY,
    NetworkNote,
    NodeNote,
    UnseenNote,
    network_property,
    node_property,
)

Scalar = TypeVar("Scalar", np.float64, np.bool_)

_UNFIT_FOR_XML = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_DEFAULT_LABELS: States = ("0", "1")
_WORDS: States = ("no", "yes")
_CERTAINLY_ABSENT = (0.0, 1.0)

_WIDTH, _HEIGHT, _GAP = 120, 50, 60  # of a node on GeNIe's canvas, in pixels
_NODES_A_ROW = 10
_COLORS = {Cpt: "e5f6f7", NoisyOr: "ffe9b3"}


def xdsl_text(network: Network) -> str:
    """Return the network as XDSL; `parse_xdsl` gives back the same one, to the last bit.

    A name or label that is no identifier of GeNIe is replaced by one, and kept in a property.
    """
    ids = different_names(network.names, _identifier)
    states = [_state_ids(pair) for pair in network.states]
    root = ET.Element("smile", version="1.0", id="noisyor", numsamples="10000")
    note = NetworkNote(ids, network.cost, network.provenance)
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
    tag = "cpt" if isinstance(distribution, Cpt) else "noisymax"
    node = _add(nodes, tag, id=ids[variable])
    absent, present = states[variable]
    for state in (present, absent):
        _add(node, "state", id=state)
    if parents:
        _add(node, "parents", " ".join(ids[parent] for parent in parents))
    unseen = None
    if isinstance(distribution, NoisyOr):
        _add(node, "strengths", " ".join(["0 1"] * len(parents)))
        _add(node, "parameters", _listed(_noisymax_columns(distribution)))
    else:
        rows = _in_file_order(distribution.present)
        _add(node, "probabilities", _listed((float(p), 1 - float(p)) for p in rows))
        if distribution.unseen.any():
            listed = tuple((ids[parent], states[parent][::-1]) for parent in parents)
            marks = np.flatnonzero(_in_file_order(distribution.unseen))
            unseen = UnseenNote(listed, tuple(marks.tolist()))
    labels = dict(zip((present, absent), reversed(network.states[variable]), strict=True))
    leaky = isinstance(distribution, NoisyOr) and distribution.leak_q is not None
    note = NodeNote(ids[variable], network.names[variable], labels, leaky, unseen)
    _add(node, "property", node_property(note), id=KEY)


def _in_file_order(values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Return values per configuration, bit t the t-th parent, as a file lists them.

    There the last parent varies fastest, and present precedes absent.
    """
    parents = values.size.bit_length() - 1
    by_parent = values.reshape((2,) * parents).transpose()  # the t-th axis is the t-th parent
    return np.flip(by_parent).reshape(-1)


def _noisymax_columns(distribution: NoisyOr) -> Iterator[tuple[float, float]]:
    """Yield (present, absent): for each parent when it is present and absent, then the leak."""
    for strength, q in zip(distribution.strengths.tolist(), distribution.q.tolist(), strict=True):
        yield strength, q
        yield _CERTAINLY_ABSENT
    leak_q = distribution.leak_q
    yield _CERTAINLY_ABSENT if leak_q is None else (float(distribution.leak), float(leak_q))


def _listed(columns: Iterator[tuple[float, float]]) -> str:
    # repr() is the shortest text that gives the same number back.
    return " ".join(repr(value) for column in columns for value in column)


def _state_ids(labels: States) -> States:
    if labels == _DEFAULT_LABELS:
        return _WORDS
    absent, present = different_names(labels, _identifier)
    return absent, present


def _identifier(text: str) -> str:
    """Return a text that GeNIe takes as an id, which begins with a letter."""
    legal = identifier_of(text)
    return f"x{legal}" if legal.startswith("_") else legal


def _positions(network: Network) -> list[tuple[int, int]]:
    """Return the corner of each node: parents above children, and near to them where it fits."""
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
    _add(node, "interior", color=_COLORS[type(network.distributions[variable])])
    _add(node, "outline", color="000080")
    _add(node, "font", color="000000", name="Arial", size="8")
    _add(node, "position", f"{left} {top} {left + _WIDTH} {top + _HEIGHT}")
