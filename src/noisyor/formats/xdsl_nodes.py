"""The nodes of an XDSL file, and the numbers in them.

In the numbers, the node's own states vary fastest, then the last parent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.core.errors import errors_at
from noisyor.core.variable import BINARY
from noisyor.formats.left_out import DECISION
from noisyor.formats.parsed_network import ParsedCauses
from noisyor.formats.row_sums import RowSums
from noisyor.formats.xdsl_noisymax import noisymax_distribution
from noisyor.formats.xdsl_properties import NodeNote, node_note
from noisyor.formats.xml_elements import Element

READ_TAGS = ("cpt", "noisymax", "deterministic")
"""The kinds of nodes that are variables of a Bayesian network."""


_MAX_WRITTEN_OUT = 2**24  # entries of all the tables that a file gives only by their states
_TOO_LARGE = (
    f"and those before it have more than {_MAX_WRITTEN_OUT} entries when they are written out as "
    "tables, which is too many"
)
_FEWEST_STATES = BINARY  # required by the schema of SMILE

Table = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class XdslNode:
    """A node whose numbers are still text."""

    identifier: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    element: Element
    note: NodeNote | None

    @property
    def place(self) -> str:
        """Where the node is, for messages."""
        return f"line {self.element.line}"

    def place_of_row(self, row: int) -> str:
        """Return where a row of the table is, counted in the file's order."""
        return f"{self.place}: row {row + 1}"

    def wrong(self, what: str) -> FormatError:
        """Return an error that names the node."""
        return FormatError(f"{self.place}: the node {self.identifier!r} {what}")


def properties_in(element: Element) -> dict[str, str]:
    """Return the user properties of a node or of the network."""
    return {one.attributes.get("id", ""): one.text for one in element.all("property")}


def node_of(element: Element) -> XdslNode:
    """Return the node that an element describes; refuse one that no network can have.

    The parents of a decision are what is known when it is made, not what its states depend on.
    """
    identifier = identifier_of_node(element)
    with errors_at(f"line {element.line}: the property of the node {identifier!r}"):
        note = node_note(properties_in(element))
    states = _states_of(element)
    above = () if element.tag == DECISION else parents_of(element)
    node = XdslNode(identifier, states, above, element, note)
    if "dynamic" in element.attributes:
        raise node.wrong("is part of a network over time, which is not read")
    if len(states) < _FEWEST_STATES or not all(states) or len(set(states)) != len(states):
        raise node.wrong("must have two or more states, all with different ids")
    if len(set(above)) != len(above):
        raise node.wrong("has the same parent twice")
    return node


def _states_of(element: Element) -> tuple[str, ...]:
    """Return the ids of the states; where none has one, as between numbers, GeNIe's usual ones."""
    ids = tuple(state.attributes.get("id", "") for state in element.all("state"))
    return ids if any(ids) else tuple(f"State{place}" for place in range(len(ids)))


def identifier_of_node(element: Element) -> str:
    """Return the id of a node."""
    identifier = element.attributes.get("id", "")
    if not identifier.strip():
        raise FormatError(f"line {element.line}: a <{element.tag}> has no id")
    return identifier


def parents_of(element: Element) -> tuple[str, ...]:
    """Return the ids of a node's parents."""
    parents = element.only("parents")
    return () if parents is None else tuple(parents.text.split())


def distributions_of(
    nodes: Mapping[str, XdslNode], rows: RowSums
) -> dict[str, Table | ParsedCauses]:
    """Return the distribution of each node, with an axis per parent and one of its own."""
    found: dict[str, Table | ParsedCauses] = {}
    written_out = 0
    for identifier, node in nodes.items():
        above = [len(nodes[parent].states) for parent in node.parents]
        if node.element.tag == "cpt":
            shape = (*above, len(node.states))
            table = _numbers(node, "probabilities", prod(shape)).reshape(shape)
            found[identifier] = rows.checked(table, identifier, node.place_of_row)
        elif node.element.tag == "noisymax":
            found[identifier] = _noisymax(node, above, rows)
        elif node.element.tag == DECISION:
            found[identifier] = np.full(len(node.states), 1 / len(node.states))
        else:
            table = _deterministic(node, above)
            written_out += table.size
            if written_out > _MAX_WRITTEN_OUT:
                raise node.wrong(_TOO_LARGE)
            found[identifier] = table
    return found


def _noisymax(node: XdslNode, above: Sequence[int], rows: RowSums) -> Table | ParsedCauses:
    own = len(node.states)
    strengths = strengths_of(node, above)
    parameters = _numbers(node, "parameters", (sum(above) + 1) * own).reshape(-1, own)
    parameters = rows.checked(parameters, node.identifier, node.place_of_row)
    note = node.note
    try:
        return noisymax_distribution(
            parameters,
            strengths,
            place=f"{node.place}: the node {node.identifier!r}",
            leaky=note is not None and note.leaky,
            signed=note is not None and note.signed,
        )
    except FormatError as error:
        raise node.wrong(str(error)) from error


def strengths_of(node: XdslNode, above: Sequence[int]) -> list[list[int]]:
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


def _deterministic(node: XdslNode, above: Sequence[int]) -> Table:
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


def _numbers(node: XdslNode, tag: str, expected: int) -> Table:
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


def _words(node: XdslNode, tag: str, expected: int) -> list[str]:
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
