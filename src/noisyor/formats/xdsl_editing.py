"""A network written into the XDSL file that it was read from.

Only what differs is replaced: the parents and the numbers of a node, its kind, the order of its
states. All else stays as it is, byte for byte: text boxes, submodels, fonts, comments, decisions
and utilities, elements and attributes that noisyor does not know. A property of noisyor is added
only where the file would otherwise be read as something else.
"""

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from noisyor.core import FormatError, Network
from noisyor.core.errors import errors_at
from noisyor.core.network import ROW_TOLERANCE
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.left_out import DECISION
from noisyor.formats.parsed_network import to_network
from noisyor.formats.tables_of import labels_in_file
from noisyor.formats.xdsl_content import (
    NodeContent,
    Strengths,
    content_of,
    network_note_for,
    note_for,
)
from noisyor.formats.xdsl_nodes import XdslNode, strengths_of
from noisyor.formats.xdsl_properties import KEY, network_property, node_property
from noisyor.formats.xdsl_reading import (
    FORMAT,
    listed_nodes,
    nodes_in,
    note_of_network,
    parse_xdsl,
)
from noisyor.formats.xml_editing import XmlEdits, element_text
from noisyor.formats.xml_elements import Element, parse_elements

_NUMBERS = {"cpt": "probabilities", "noisymax": "parameters"}
_DEFINITION = ("parents", "strengths", "parameters", "probabilities", "resultingstates")


def edited_document(network: Network) -> str | None:
    """Return the file that a network was read from, with what differs replaced.

    None if it was not read from XDSL, or is too different: then a warning says that all else in the
    file is lost. The network has the orders of `with_orders_of_xdsl`.
    """
    document = network.appearance.document
    if document is None or document.format != FORMAT:
        return None
    with errors_at("the file that the network was read from", raised=FormatError):
        source = _Source.of(document.text)
    difference = source.difference(network)
    if difference is not None:
        warn_user(
            f"the network has {difference} than the file that it was read from; a new file is "
            "made, without that one's text boxes, submodels and fonts",
            ConversionWarning,
        )
        return None
    changed = source.changed(network)
    decisions = {v for v in changed if source.nodes[v].element.tag == DECISION}
    if decisions:
        warn_user(
            "XDSL has no probabilities of a decision; not kept are those of "
            f"{', '.join(repr(network.names[v]) for v in sorted(decisions))}",
            ConversionWarning,
        )
    changed -= decisions
    noted = {v for v in changed if source.nodes[v].note is not None}
    edited = source.edited(network, changed, noted)
    if not changed and source.reads_as(network):
        return edited
    misread = source.misread(network, edited)
    return source.edited(network, changed, noted | misread) if misread - noted else edited


@dataclass(frozen=True, slots=True, eq=False)
class _Source:
    """A file: its elements, its nodes in the order of the variables, and the network in it."""

    text: str
    root: Element
    nodes: tuple[XdslNode, ...]
    number: dict[str, int]  # of each variable, by its id
    network: Network

    @classmethod
    def of(cls, text: str) -> "_Source":
        root = parse_elements(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConversionWarning)  # said when it was read
            nodes = nodes_in(listed_nodes(root), note_of_network(root))
            number = {identifier: v for v, identifier in enumerate(nodes)}
            network = to_network(parse_xdsl(text, forgiving=True))
            return cls(text, root, tuple(nodes.values()), number, network)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self.number)

    def difference(self, network: Network) -> str | None:
        """Return in what a network differs more than its distributions; None if it does not."""
        if network.names != self.network.names:
            return "other variables"
        if any(map(_different_states, network.states, self.network.states)):
            return "other states"
        for name in network.names:
            own = replace(network.appearance.of(name), order=None)
            if own != replace(self.network.appearance.of(name), order=None):
                return "other titles, places, colours or comments"
        if any(self._is_behind(network, v) for v in range(len(self.nodes))):
            return "parents that come later"
        return None

    def _is_behind(self, network: Network, variable: int) -> bool:
        """Return whether a new parent comes after a node in the file, which SMILE cannot read."""
        above = network.structure.families[variable].parent_indices()
        old = self.network.structure.families[variable].parent_indices()
        place = self.nodes[variable].element.start
        return any(
            self.nodes[parent].element.start > place for parent in above if parent not in old
        )

    def states_in(self, network: Network, variable: int) -> tuple[str, ...]:
        """Return the ids of a node's states, in the order in which the network lists them."""
        labels = labels_in_file(self.network, variable)
        return tuple(
            self.nodes[variable].states[labels.index(label)]
            for label in labels_in_file(network, variable)
        )

    def content(self, network: Network, variable: int) -> NodeContent:
        """Return what a network says of a node, with the parents in the order of the file."""
        node = self.nodes[variable]
        parents = [self.number[parent] for parent in node.parents]
        strengths: Strengths = ()
        if node.element.tag == "noisymax":
            listed = strengths_of(node, [len(self.nodes[parent].states) for parent in parents])
            strengths = tuple(
                tuple(self._moved(network, parent, state) for state in states)
                for parent, states in zip(parents, listed, strict=True)
            )
        return content_of(network, variable, parents, strengths)

    def _moved(self, network: Network, variable: int, state: int) -> int:
        """Return the new place of a state of the file."""
        return self.states_in(network, variable).index(self.nodes[variable].states[state])

    def changed(self, network: Network) -> set[int]:
        """Return the nodes whose states, parents or numbers differ, or have rows with a fault.

        Rows that were forgiven would otherwise be written again as they were.
        """
        return {
            v
            for v, node in enumerate(self.nodes)
            if self.content(network, v) != self.content(self.network, v)
            or self.states_in(network, v) != node.states
            or _has_wrong_sums(node)
        }

    def reads_as(self, network: Network) -> bool:
        """Return whether the file as it is has the variables and relations of a network."""
        read = self.network
        return (read.variables, read.structure) == (network.variables, network.structure)

    def misread(self, network: Network, text: str) -> set[int]:
        """Return the nodes that would be read from a text as other variables or relations."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConversionWarning)
            found = to_network(parse_xdsl(text, forgiving=True))
        return {
            v
            for v in range(len(self.nodes))
            if found.variables[v] != network.variables[v] or _is_other(found, network, v)
        }

    def edited(self, network: Network, changed: Collection[int], noted: Collection[int]) -> str:
        """Return the file with these nodes replaced, and with a property at these."""
        edits = XmlEdits(self.text.encode())
        ids = self.ids
        states = [self.states_in(network, v) for v in range(len(self.nodes))]
        for v, node in enumerate(self.nodes):
            content = self.content(network, v)
            if v in changed:
                _order_states(edits, node, states[v])
                _define(edits, node.element, content, ids)
            if v in noted:
                note = note_for(network, v, content, ids, states)
                _set_property(edits, node.element, node_property(note))
        self._note_origin(edits, network)
        return edits.edited()

    def _note_origin(self, edits: XmlEdits, network: Network) -> None:
        note = network_note_for(network, self.ids)
        if (note.cost, note.provenance) == (self.network.cost, self.network.provenance):
            return
        held = self.root.only("properties")
        if held is not None and held.children:
            _set_property(edits, held, network_property(note))
            return
        new = element_text("property", network_property(note), id=KEY)
        if held is not None:
            edits.remove(held)
        edits.insert_first(self.root, f"<properties>{new}</properties>")


def _has_wrong_sums(node: XdslNode) -> bool:
    """Return whether a row of a node sums to 1 only for a forgiving reader."""
    tag = _NUMBERS.get(node.element.tag)
    listed = None if tag is None else node.element.only(tag)
    if listed is None:
        return False
    rows = np.array(listed.text.split(), dtype=np.float64).reshape(-1, len(node.states))
    return bool((np.abs(rows.sum(axis=1) - 1) > ROW_TOLERANCE).any())


def _different_states(states: Sequence[str], others: Sequence[str]) -> bool:
    return sorted(states) != sorted(others)


def _is_other(found: Network, network: Network, variable: int) -> bool:
    """Return whether a relation, or what is marked as unseen, was read as something else."""
    one, other = content_of(found, variable), content_of(network, variable)
    if one.unseen != other.unseen:
        return True
    if one.tag == other.tag == "cpt":
        return False
    families = (found.structure.families[variable], network.structure.families[variable])
    return families[0].relation is not families[1].relation


def _order_states(edits: XmlEdits, node: XdslNode, states: Sequence[str]) -> None:
    """Put the elements of the states in an order."""
    elements = node.element.all("state")
    for element, identifier in zip(elements, states, strict=True):
        other = elements[node.states.index(identifier)]
        if other is not element:
            edits.replace(element, edits.text_of(other))


def _define(edits: XmlEdits, node: Element, content: NodeContent, ids: Sequence[str]) -> None:
    """Replace the kind, the parents and the numbers of a node."""
    if node.tag != content.tag:
        edits.rename(node, content.tag)
    parts = dict(content.parts(ids))
    last = node.all("state")[-1]
    for tag in _DEFINITION:
        old = node.only(tag)
        if tag not in parts:
            if old is not None:
                edits.remove(old)
        elif old is None:
            edits.insert_after(last, element_text(tag, parts[tag]))
        else:
            last = old
            if old.text.split() != parts[tag].split():
                edits.replace(old, element_text(tag, parts[tag]))


def _set_property(edits: XmlEdits, above: Element, text: str) -> None:
    """Put noisyor's property in the place of its old one, or after all else."""
    new = element_text("property", text, id=KEY)
    for old in above.all("property"):
        if old.attributes.get("id") == KEY:
            edits.replace(old, new)
            return
    edits.insert_after(above.children[-1], new)
