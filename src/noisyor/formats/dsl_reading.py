"""GeNIe's .dsl files, its text format before XDSL, as a parsed network.

    net clinic
    {
     node cough
      {
       TYPE = CPT;
       HEADER = { ID = cough; NAME = "A cough"; };
       PARENTS = (flu, cold);
       DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.9, 0.1, ...); };
      };
    };

Types and numbers are those of XDSL: a CPT, a NOISY_MAX with STRENGTHS, a TRUTHTABLE with
RESULTINGSTATES. In the numbers, the node's own states vary fastest, then the last parent. Nodes may
stand within a submodel.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod

import numpy as np

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.core.variable_sets import MAX_NODES
from noisyor.formats.bif_tables import MAX_PARENTS
from noisyor.formats.block_tables import ListedNumbers, numbers_in, table_shape
from noisyor.formats.blocks import MARKS, Block, Value, parse_blocks, words_in
from noisyor.formats.left_out import (
    DECISION,
    announce_decisions,
    announce_left_out,
    decisions_that_matter,
)
from noisyor.formats.parsed_network import ParsedCauses, ParsedNetwork, ParsedNode
from noisyor.formats.parsed_node import Table
from noisyor.formats.row_sums import RowSums
from noisyor.formats.tokens import Syntax
from noisyor.formats.xdsl_noisymax import noisymax_distribution

_SYNTAX = Syntax(MARKS, "//", block_comments=True, long_texts=True)
_DECISION = "LIST"
_LEFT_OUT = {_DECISION: DECISION, "TABLE": "utility", "MAU": "utility", "EQUATION": "equation"}
_NOISY_MAX = "NOISY_MAX"
_MAX_WRITTEN_OUT = 2**24  # entries of all the tables that a file gives only by resulting states


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A node whose numbers are still text."""

    name: str
    block: Block
    definition: Block
    states: tuple[str, ...]
    parents: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"line {self.block.line}"

    def value(self, key: str) -> Value:
        """Return a value of the definition, which must be there."""
        found = self.definition.only(key)
        if found is None:
            raise FormatError(
                f"line {self.definition.line}: the node {self.name!r:.60} has no {key}"
            )
        return found


def parse_dsl(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a .dsl file of GeNIe; a FormatError gives the line of an error.

    Decisions, utilities and equations are left out with a warning, but for decisions on which a
    variable depends. If `forgiving`, rows may be off from 1 by rounding.
    """
    whole = parse_blocks(text, _SYNTAX)
    if [block.kind for block in whole.blocks] != ["net"]:
        raise FormatError("line 1: a .dsl file is one 'net' with a name and a block in braces")
    network = whole.blocks[0]
    blocks: dict[str, Block] = {}
    for block in _node_blocks(network):
        name = _header(block, "ID") or block.words[-1].text
        if name in blocks:
            raise FormatError(f"line {block.line}: the node {name!r:.60} occurs twice")
        blocks[name] = block
        if len(blocks) > MAX_NODES:
            raise FormatError(f"line {block.line}: it has more than {MAX_NODES} nodes")
    if not blocks:
        raise FormatError(f"line {network.line}: it has no nodes")
    left_out = {name: kind for name, block in blocks.items() if (kind := _kind(block, name))}
    chance = (block for name, block in blocks.items() if name not in left_out)
    decisions = decisions_that_matter(left_out, map(_parents, chance))
    announce_decisions(decisions)
    left_out = {name: kind for name, kind in left_out.items() if name not in decisions}
    nodes = {name: _node(block, name) for name, block in blocks.items() if name not in left_out}
    families = ((node.name, node.place, node.parents) for node in nodes.values())
    announce_left_out(families, left_out)
    return ParsedNetwork(
        _parsed(nodes, RowSums(forgiving=forgiving)),
        Provenance(""),
        title=_header(network, "NAME"),
        comment=_header(network, "COMMENT"),
    )


def _node_blocks(block: Block) -> Iterator[Block]:
    """Yield the nodes of a network or submodel, and of the submodels in it."""
    for inner in block.blocks:
        if inner.kind == "node":
            yield inner
        elif inner.kind == "submodel":
            yield from _node_blocks(inner)


def _kind(block: Block, name: str) -> str | None:
    """Return what a node is if it is not a variable."""
    kind = block.text("TYPE") or ""
    if kind in _LEFT_OUT:
        return _LEFT_OUT[kind]
    if kind not in _DISTRIBUTIONS:
        raise FormatError(
            f"line {block.line}: the node {name!r:.60} is of the type {kind!r:.60}; noisyor reads "
            f"{', '.join((*_DISTRIBUTIONS, *_LEFT_OUT))}"
        )
    return None


def _parents(block: Block) -> tuple[str, ...]:
    return tuple(word.text for word in block.texts("PARENTS") or [])


def _header(block: Block, key: str) -> str | None:
    header = block.inner("HEADER")
    return None if header is None else header.text(key) or None


def _node(block: Block, name: str) -> _Node:
    definition = block.inner("DEFINITION")
    if definition is None:
        raise FormatError(f"line {block.line}: the node {name!r:.60} has no DEFINITION")
    is_decision = block.text("TYPE") == _DECISION
    key = "NAMECHOICES" if is_decision else "NAMESTATES"
    states = tuple(word.text for word in definition.texts(key) or [])
    if not states:
        raise FormatError(f"line {definition.line}: the node {name!r:.60} has no {key}")
    return _Node(name, block, definition, states, () if is_decision else _parents(block))


def _parsed(nodes: Mapping[str, _Node], rows: RowSums) -> tuple[ParsedNode, ...]:
    states = {name: node.states for name, node in nodes.items()}
    written_out = 0
    found = []
    for name, node in nodes.items():
        kind = node.block.text("TYPE") or ""
        most = MAX_NODES if kind == _NOISY_MAX else MAX_PARENTS
        shape = table_shape(name, node.block.line, node.parents, states, most)
        if kind == "TRUTHTABLE":
            written_out += prod(shape)
            if written_out > _MAX_WRITTEN_OUT:
                raise FormatError(
                    f"{node.place}: the tables up to here that the file gives by resulting states "
                    f"would have {written_out} entries; at most {_MAX_WRITTEN_OUT} are written out"
                )
        found.append(
            ParsedNode(
                name,
                node.states,
                node.parents,
                _DISTRIBUTIONS.get(kind, _equally_likely)(node, shape, rows),
                node.place,
                appearance=_appearance(node),
            )
        )
    rows.warn()
    return tuple(found)


def _table(node: _Node, shape: tuple[int, ...], rows: RowSums) -> Table:
    return ListedNumbers(node.value("PROBABILITIES"), shape, node.name).table(rows)


def _equally_likely(_: _Node, shape: tuple[int, ...], __: RowSums) -> Table:
    """Return the table of a decision."""
    return np.full(shape, 1 / shape[-1])


def _noisy_max(node: _Node, shape: tuple[int, ...], rows: RowSums) -> Table | ParsedCauses:
    *above, own = shape
    columns = ListedNumbers(node.value("PROBABILITIES"), (sum(above) + 1, own), node.name)
    place = f"{node.place}: the node {node.name!r:.60}"
    return noisymax_distribution(columns.table(rows), _strengths(node, above), place=place)


def _strengths(node: _Node, above: list[int]) -> list[list[int]]:
    """Return each parent's states from strongest to weakest; by default in the file's order."""
    listed = node.definition.texts("STRENGTHS")
    if listed is None:
        return [list(range(states)) for states in above]
    words = [word.text for word in listed]
    if len(words) != sum(above):
        raise FormatError(
            f"{node.place}: {node.name!r:.60} has {len(words)} strengths; its parents have "
            f"{sum(above)} states"
        )
    strengths = []
    for start, end in pairwise((0, *accumulate(above))):
        own = words[start:end]
        if sorted(own) != sorted(map(str, range(end - start))):
            raise FormatError(
                f"{node.place}: {node.name!r:.60} has the strengths {' '.join(own)!r:.60} for a "
                f"parent; they must be the numbers of its states, 0 to {end - start - 1}, from "
                "strongest to weakest"
            )
        strengths.append([int(word) for word in own])
    return strengths


def _truth_table(node: _Node, shape: tuple[int, ...], _: RowSums) -> Table:
    words = list(words_in(node.value("RESULTINGSTATES")))
    if len(words) != prod(shape[:-1]):
        raise FormatError(
            f"{node.place}: {node.name!r:.60} has {len(words)} resulting states; its parents need "
            f"{prod(shape[:-1])}"
        )
    place_of = {state: place for place, state in enumerate(node.states)}
    table = np.zeros((len(words), shape[-1]))
    for row, word in enumerate(words):
        if word.text not in place_of:
            raise FormatError(
                f"line {word.line}: {node.name!r:.60} has the resulting state {word.text!r:.60}; "
                f"its states are: {', '.join(node.states):.200}"
            )
        table[row, place_of[word.text]] = 1
    return table.reshape(shape)


_DISTRIBUTIONS: dict[str, Callable[[_Node, tuple[int, ...], RowSums], Table | ParsedCauses]] = {
    "CPT": _table,
    _NOISY_MAX: _noisy_max,
    "TRUTHTABLE": _truth_table,
}


def _appearance(node: _Node) -> NodeAppearance:
    title = _header(node.block, "NAME")
    screen = node.block.inner("SCREEN")
    return NodeAppearance(
        title=None if title == node.name else title,
        box=None if screen is None else _box(screen),
        fill=_colour(screen, "COLOR"),
        line=_colour(screen, "BORDERCOLOR"),
        text=_colour(screen, "FONTCOLOR"),
        comment=_header(node.block, "COMMENT"),
    )


def _box(screen: Block) -> Box | None:
    place = screen.inner("POSITION")
    if place is None:
        return None
    found = []
    for key in ("CENTER_X", "CENTER_Y", "WIDTH", "HEIGHT"):
        value = place.only(key)
        if value is None:
            return None
        found += numbers_in(value, key, 1)
    x, y, width, height = found
    if not (x or y):  # SMILE writes zeros where nobody has drawn the network
        return None
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _colour(screen: Block | None, key: str) -> str | None:
    """Return a colour as rrggbb; the file has it as a number, red in the lowest byte."""
    value = None if screen is None else screen.only(key)
    if value is None:
        return None
    (number,) = numbers_in(value, key, 1)
    if number != int(number) or not 0 <= number < 2**24:
        raise FormatError(f"line {value.line}: {key} is {number:g}; a colour is 0 to {2**24 - 1}")
    return int(number).to_bytes(3, "little").hex()
