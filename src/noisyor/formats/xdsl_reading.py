"""XDSL, the format of GeNIe and SMILE, as a parsed network.

Decisions, utilities and equations are left out with a warning, if no variable depends on them. A
decision on which one depends becomes a variable, whose states are equally likely: what the network
says given that decision is right (Cooper, 1988). Networks over time are refused. The text itself is
kept, so that all that GeNIe draws and says comes back when the network is written (see
`xdsl_editing`).
"""

from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import PLAIN, NodeAppearance, SourceDocument
from noisyor.core.errors import errors_at
from noisyor.core.variable_sets import MAX_NODES
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.left_out import announce_decisions, announce_left_out, decisions_that_matter
from noisyor.formats.parsed_network import ParsedCauses, ParsedNetwork, ParsedNode
from noisyor.formats.row_sums import RowSums
from noisyor.formats.xdsl_canvas import canvas_in
from noisyor.formats.xdsl_nodes import (
    READ_TAGS,
    XdslNode,
    distributions_of,
    identifier_of_node,
    node_of,
    parents_of,
    properties_in,
)
from noisyor.formats.xdsl_properties import NetworkNote, UnseenNote, network_note
from noisyor.formats.xml_elements import Element, parse_elements

FORMAT = "xdsl"

Table = npt.NDArray[np.float64]


def parse_xdsl(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in an XDSL file; a FormatError says what is wrong, and in which line.

    Variables are named by the nodes' ids. From a file that noisyor wrote, the names, labels and
    order of the variables, the cost and the origin are restored from its properties. If
    `forgiving`, rows may be off from 1 by rounding.
    """
    root = parse_elements(text)
    listed = listed_nodes(root)
    if len(listed.children) > MAX_NODES:
        raise FormatError(f"it has {len(listed.children)} nodes; at most {MAX_NODES} are supported")
    note = note_of_network(root)
    nodes = nodes_in(listed, note)
    rows = RowSums(forgiving=forgiving)
    distributions = distributions_of(nodes, rows)
    rows.warn()
    names = {node.identifier: _name(node) for node in nodes.values()}
    canvas = canvas_in(root)
    return ParsedNetwork(
        tuple(
            _parsed(node, nodes, names, distributions[one], canvas.nodes.get(one, PLAIN))
            for one, node in nodes.items()
        ),
        Provenance("") if note is None else note.provenance,
        None if note is None else note.cost,
        canvas.title,
        canvas.comment,
        SourceDocument(FORMAT, text),
    )


def listed_nodes(root: Element) -> Element:
    """Return the element that holds the nodes; refuse what is not a network of GeNIe."""
    if root.tag != "smile":
        raise FormatError(
            f"line {root.line}: the outermost element is <{root.tag}>; in XDSL it is <smile>"
        )
    dynamic = root.only("dynamic")
    if dynamic is not None:
        raise FormatError(f"line {dynamic.line}: <dynamic>: networks over time are not read")
    listed = root.only("nodes")
    if listed is None or not listed.children:
        raise FormatError(f"line {root.line}: it has no <nodes>; a network has at least one")
    return listed


def note_of_network(root: Element) -> NetworkNote | None:
    """Return what noisyor recorded at the network, if anything."""
    held = root.only("properties")
    if held is None:
        return None
    with errors_at(f"line {held.line}: the network's property"):
        return network_note(properties_in(held))


def nodes_in(listed: Element, note: NetworkNote | None) -> dict[str, XdslNode]:
    """Return the variables by id, in the order of the network if the file has it."""
    elements: dict[str, Element] = {}
    for element in listed.children:
        identifier = identifier_of_node(element)
        if identifier in elements:
            raise FormatError(
                f"line {element.line}: the node {identifier!r} occurs twice; ids must differ"
            )
        elements[identifier] = element
    chance = [one for one in elements.values() if one.tag in READ_TAGS]
    left_out = {name: one.tag for name, one in elements.items() if one.tag not in READ_TAGS}
    decisions = decisions_that_matter(left_out, map(parents_of, chance))
    for name in decisions:
        del left_out[name]
    announce_decisions(decisions)
    nodes = {name: node_of(one) for name, one in elements.items() if name not in left_out}
    families = ((node.identifier, node.place, node.parents) for node in nodes.values())
    announce_left_out(families, left_out)
    for node in nodes.values():
        for parent in node.parents:
            if parent not in nodes:
                raise node.wrong(f"has the parent {parent!r}, which is not a node of the file")
    known = [] if note is None else [one for one in note.order if one in nodes]
    return {one: nodes[one] for one in (*known, *nodes)}


def _name(node: XdslNode) -> str:
    """Return the variable's name: the node's id if it was renamed in GeNIe."""
    note = node.note
    return note.name if note and note.identifier == node.identifier else node.identifier


def _parsed(
    node: XdslNode,
    nodes: Mapping[str, XdslNode],
    names: Mapping[str, str],
    distribution: Table | ParsedCauses,
    appearance: NodeAppearance,
) -> ParsedNode:
    note = node.note
    labels = {} if note is None else note.labels
    unseen = None if note is None or note.unseen is None else _marks(node, nodes, note.unseen)
    if isinstance(distribution, ParsedCauses):
        distribution = replace(distribution, unseen=_by_parent(node, nodes, unseen))
        unseen = None
    name = names[node.identifier]
    return ParsedNode(
        name=name,
        states=tuple(labels.get(state, state) for state in node.states),
        parents=tuple(names[parent] for parent in node.parents),
        distribution=distribution,
        place=node.place,
        order=_order(node),
        unseen=unseen,
        ordered=note is not None and note.ordered,
        appearance=replace(
            appearance, title=None if appearance.title == name else appearance.title
        ),
    )


def _order(node: XdslNode) -> tuple[int, ...] | None:
    """Return the states in the order that noisyor recorded; one with a new id keeps its place."""
    if node.note is None or len(node.note.labels) != len(node.states):
        return None
    new = [state for state in node.states if state not in node.note.labels]
    kept = [state if state in node.states else new.pop(0) for state in node.note.labels]
    return tuple(node.states.index(state) for state in kept)


def _marks(
    node: XdslNode, nodes: Mapping[str, XdslNode], unseen: UnseenNote
) -> npt.NDArray[np.bool_] | None:
    parents = tuple((parent, nodes[parent].states) for parent in node.parents)
    shape = tuple(len(states) for _, states in parents)
    if unseen.of_causes:
        shape = (sum(shape) + 1, len(node.states) - 1)
    kind = "noisymax" if unseen.of_causes else "cpt"
    if parents == unseen.parents and node.element.tag == kind:
        marks = np.zeros(prod(shape), dtype=np.bool_)
        if any(row >= marks.size for row in unseen.rows):
            raise node.wrong(f"has an unseen row in its property beyond its {marks.size} rows")
        marks[list(unseen.rows)] = True
        return marks.reshape(shape)
    warn_user(
        f"{node.place}: the parents of {node.identifier!r} have changed since noisyor marked the "
        "configurations that no record had; the marks are left out",
        ConversionWarning,
    )
    return None


def _by_parent(
    node: XdslNode, nodes: Mapping[str, XdslNode], marks: npt.NDArray[np.bool_] | None
) -> tuple[npt.NDArray[np.bool_], ...] | None:
    """Return the marks of the states of each parent, the leak's last."""
    if marks is None:
        return None
    sizes = [len(nodes[parent].states) for parent in node.parents]
    return tuple(np.split(marks, np.cumsum(sizes)))
