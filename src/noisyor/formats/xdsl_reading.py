"""XDSL, the format of GeNIe and SMILE, as a parsed network.

In the numbers, the node's own states vary fastest, then the last parent. Elements other than nodes
that draw or control algorithms are skipped; what would change the distribution (decisions,
equations, time slices) is refused.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError, Provenance
from noisyor.core.errors import errors_at
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import MAX_NODES
from noisyor.core.warning import ConversionWarning
from noisyor.formats.parsed_network import ParsedCauses, ParsedNetwork, ParsedNode, present_at
from noisyor.formats.xdsl_noisymax import noisymax_distribution
from noisyor.formats.xdsl_properties import (
    NetworkNote,
    NodeNote,
    UnseenNote,
    network_note,
    node_note,
)
from noisyor.formats.xml_elements import Element, parse_elements

_MAX_WRITTEN_OUT = 2**24  # entries of all the tables that a file gives only by parameters
_TOO_LARGE = (
    f"and those before it have more than {_MAX_WRITTEN_OUT} entries when they are written out as "
    "tables, which is too many"
)
_FEWEST_STATES = BINARY  # required by the schema of SMILE
_READ_TAGS = ("cpt", "noisymax", "deterministic")

Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A node whose numbers are still text."""

    identifier: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    element: Element
    note: NodeNote | None

    @property
    def place(self) -> str:
        return f"line {self.element.line}"

    def wrong(self, what: str) -> FormatError:
        return FormatError(f"{self.place}: the node {self.identifier!r} {what}")


def parse_xdsl(text: str) -> ParsedNetwork:
    """Return the network in an XDSL file; a FormatError says what is wrong, and in which line.

    Variables are named by the nodes' ids. From a file that noisyor wrote, the names, labels and
    order of the variables, the cost and the origin are restored from its properties.
    """
    root = parse_elements(text)
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
    if len(listed.children) > MAX_NODES:
        raise FormatError(f"it has {len(listed.children)} nodes; at most {MAX_NODES} are supported")
    note = _network_note(root)
    nodes = _nodes(listed, note)
    distributions = _distributions(nodes)
    names = {node.identifier: _name(node) for node in nodes.values()}
    return ParsedNetwork(
        tuple(_parsed(node, nodes, names, distributions[one]) for one, node in nodes.items()),
        Provenance("") if note is None else note.provenance,
        None if note is None else note.cost,
    )


def _network_note(root: Element) -> NetworkNote | None:
    held = root.only("properties")
    if held is None:
        return None
    with errors_at(f"line {held.line}: the network's property"):
        return network_note(_properties(held))


def _properties(element: Element) -> dict[str, str]:
    return {one.attributes.get("id", ""): one.text for one in element.all("property")}


def _nodes(listed: Element, note: NetworkNote | None) -> dict[str, _Node]:
    """Return the nodes by id, in the order of the variables if the file has it."""
    nodes: dict[str, _Node] = {}
    for element in listed.children:
        node = _node(element)
        if node.identifier in nodes:
            raise node.wrong("occurs twice; ids must differ")
        nodes[node.identifier] = node
    for node in nodes.values():
        for parent in node.parents:
            if parent not in nodes:
                raise node.wrong(f"has the parent {parent!r}, which is not a node of the file")
    known = [] if note is None else [one for one in note.order if one in nodes]
    return {one: nodes[one] for one in (*known, *nodes)}


def _node(element: Element) -> _Node:
    identifier = element.attributes.get("id", "")
    if not identifier.strip():
        raise FormatError(f"line {element.line}: a <{element.tag}> has no id")
    with errors_at(f"line {element.line}: the property of the node {identifier!r}"):
        note = node_note(_properties(element))
    states = tuple(state.attributes.get("id", "") for state in element.all("state"))
    parents = element.only("parents")
    above = () if parents is None else tuple(parents.text.split())
    node = _Node(identifier, states, above, element, note)
    if element.tag not in _READ_TAGS:
        raise node.wrong(
            f"is of the kind <{element.tag}>; noisyor reads networks of the kinds "
            f"{', '.join(f'<{tag}>' for tag in _READ_TAGS)}"
        )
    if "dynamic" in element.attributes:
        raise node.wrong("is part of a network over time, which is not read")
    if len(states) < _FEWEST_STATES or not all(states) or len(set(states)) != len(states):
        raise node.wrong("must have two or more states, all with different ids")
    if len(set(above)) != len(above):
        raise node.wrong("has the same parent twice")
    return node


def _distributions(nodes: Mapping[str, _Node]) -> dict[str, Table | ParsedCauses]:
    found: dict[str, Table | ParsedCauses] = {}
    written_out = 0
    for identifier, node in nodes.items():
        above = [len(nodes[parent].states) for parent in node.parents]
        if node.element.tag == "cpt":
            shape = (*above, len(node.states))
            found[identifier] = _numbers(node, "probabilities", prod(shape)).reshape(shape)
            continue
        distribution = (_noisymax if node.element.tag == "noisymax" else _deterministic)(
            node, above
        )
        written_out += 0 if isinstance(distribution, ParsedCauses) else distribution.size
        if written_out > _MAX_WRITTEN_OUT:
            raise node.wrong(_TOO_LARGE)
        found[identifier] = distribution
    return found


def _noisymax(node: _Node, above: Sequence[int]) -> Table | ParsedCauses:
    own = len(node.states)
    strengths = _strengths(node, above)
    parameters = _numbers(node, "parameters", (sum(above) + 1) * own).reshape(-1, own)
    leaky = node.note is not None and node.note.leaky
    try:
        return noisymax_distribution(
            parameters, strengths, place=f"{node.place}: the node {node.identifier!r}", leaky=leaky
        )
    except FormatError as error:
        raise node.wrong(str(error)) from error


def _strengths(node: _Node, above: Sequence[int]) -> list[list[int]]:
    """Return each parent's states from strongest to weakest; by default in the file's order."""
    element = node.element.only("strengths")
    if element is None:
        return [list(range(states)) for states in above]
    words = element.text.split()
    if len(words) != sum(above):
        raise node.wrong(f"has {len(words)} strengths; its parents have {sum(above)} states")
    strengths, start = [], 0
    for parent, states in zip(node.parents, above, strict=True):
        own = words[start : start + states]
        if sorted(own) != sorted(map(str, range(states))):
            raise node.wrong(
                f"has the strengths {' '.join(own)!r:.60} for its parent {parent!r}; they must be "
                f"the numbers of its states, 0 to {states - 1}, from strongest to weakest"
            )
        strengths.append([int(word) for word in own])
        start += states
    return strengths


def _deterministic(node: _Node, above: Sequence[int]) -> Table:
    words = _words(node, "resultingstates", prod(above))
    if len(words) * len(node.states) > _MAX_WRITTEN_OUT:
        raise node.wrong(_TOO_LARGE)
    place_of = {state: place for place, state in enumerate(node.states)}
    for word in words:
        if word not in place_of:
            raise node.wrong(
                f"has the resulting state {word!r:.60}; its states are: {', '.join(node.states)}"
            )
    table = np.zeros((len(words), len(node.states)))
    table[np.arange(len(words)), [place_of[word] for word in words]] = 1
    return table.reshape((*above, len(node.states)))


def _numbers(node: _Node, tag: str, expected: int) -> Table:
    words = _words(node, tag, expected)
    try:
        return np.array([_number(word) for word in words], dtype=np.float64)
    except ValueError as error:
        raise node.wrong(f"has {error} in <{tag}>, which is not a number") from None


def _number(word: str) -> float:
    """Return a number; a ValueError names a word that is not one."""
    try:
        # float() would accept both: digits of other scripts, and underscores between digits.
        return float(word if word.isascii() and "_" not in word else "")
    except ValueError:
        raise ValueError(f"{word!r:.60}") from None


def _words(node: _Node, tag: str, expected: int) -> list[str]:
    """Return the words of a list; their number is checked before that much is allocated."""
    element = node.element.only(tag)
    if element is None:
        raise node.wrong(f"has no <{tag}>")
    words = element.text.split()
    if len(words) != expected:
        raise node.wrong(
            f"has {len(words)} entries in <{tag}>; its states and its {len(node.parents)} parents "
            f"need {expected}"
        )
    return words


def _name(node: _Node) -> str:
    """Return the variable's name: the node's id if it was renamed in GeNIe."""
    note = node.note
    return note.name if note and note.identifier == node.identifier else node.identifier


def _parsed(
    node: _Node,
    nodes: Mapping[str, _Node],
    names: Mapping[str, str],
    distribution: Table | ParsedCauses,
) -> ParsedNode:
    labels = {} if node.note is None else node.note.labels
    present = next(iter(labels), "") if len(labels) == BINARY else ""
    unseen = None if node.note is None else node.note.unseen
    return ParsedNode(
        name=names[node.identifier],
        states=tuple(labels.get(state, state) for state in node.states),
        parents=tuple(names[parent] for parent in node.parents),
        distribution=distribution,
        place=node.place,
        order=present_at(node.states.index(present)) if present in node.states else None,
        unseen=None if unseen is None else _marks(node, nodes, unseen),
    )


def _marks(
    node: _Node, nodes: Mapping[str, _Node], unseen: UnseenNote
) -> npt.NDArray[np.bool_] | None:
    parents = tuple((parent, nodes[parent].states) for parent in node.parents)
    shape = tuple(len(states) for _, states in parents)
    if parents == unseen.parents and node.element.tag == "cpt":
        marks = np.zeros(prod(shape), dtype=np.bool_)
        if any(row >= marks.size for row in unseen.rows):
            raise node.wrong(f"has an unseen row in its property beyond its {marks.size} rows")
        marks[list(unseen.rows)] = True
        return marks.reshape(shape)
    warnings.warn(
        f"{node.place}: the parents of {node.identifier!r} have changed since noisyor marked the "
        "configurations that no record had; the marks are left out",
        ConversionWarning,
        stacklevel=4,
    )
    return None
