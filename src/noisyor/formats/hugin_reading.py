"""Read Hugin's .net files; `hugin` describes the format."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.core.errors import errors_at
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import MAX_NODES
from noisyor.formats.block_tables import ListedNumbers, numbers_in, table_shape
from noisyor.formats.blocks import MARKS, Block, Value, parse_blocks
from noisyor.formats.hugin_labels import label_of, text_of
from noisyor.formats.left_out import (
    announce_decisions,
    announce_left_out,
    decisions_that_matter,
)
from noisyor.formats.legal_names import unescaped
from noisyor.formats.own_words import COMMENT, NAME, PRESENT, STATE, TITLE
from noisyor.formats.parsed_network import ParsedNetwork, ParsedNode, present_at
from noisyor.formats.row_sums import RowSums
from noisyor.formats.tokens import Syntax

_SYNTAX = Syntax(MARKS, "%", block_comments=False, long_texts=True)
_LEFT_OUT = ("decision", "utility", "function")
_NODES = ("node", *_LEFT_OUT)
_QUALIFIERS = ("discrete", "continuous", "real", "limid")
_MAX_ENTRIES = 2**20  # of all tables that the file leaves out
NODE_SIZE = (80.0, 40.0)
"""The width and height of a node where a file does not tell, which is what Hugin writes."""

_SIZE = re.compile(r"\(([0-9]{1,6}), ?([0-9]{1,6})\)")
_PAIR = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A node with its potential, whose names are those in the file."""

    name: str
    block: Block
    states: tuple[str, ...]
    parents: tuple[str, ...]
    data: Value | None
    line: int

    @property
    def place(self) -> str:
        """Where the node is, for messages."""
        return f"line {self.line}"


def parse_hugin(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a Hugin .net file; a FormatError gives the line of an error.

    Decisions, utilities, functions, continuous nodes, and nodes with a formula in place of a table
    are left out with a warning, but for decisions on which a variable depends. Rows may have any
    sum, by which they are divided, with a warning. If `forgiving`, the states in a row of zeros are
    equally likely.
    """
    whole = parse_blocks(text, _SYNTAX)
    network, blocks = _network(whole)
    declared, left_out = _declared(blocks)
    potentials = _potentials(blocks, declared)
    for name in declared:
        if name not in left_out and _is_formula(potentials.get(name)):
            left_out[name] = "formula"
    parents = {
        name: tuple(word.text for word in block.parents)
        for name, block in potentials.items()
        if name not in left_out
    }
    decisions = decisions_that_matter(left_out, parents.values())
    announce_decisions(decisions)
    nodes: dict[str, _Node] = {}
    for name, block in declared.items():
        if name in left_out and name not in decisions:
            continue
        potential = None if name in left_out else potentials.get(name)
        data = None if potential is None else potential.only("data")
        above, line = parents.get(name, ()), (potential or block).line
        nodes[name] = _Node(name, block, _states(block, name), above, data, line)
    left_out = {name: kind for name, kind in left_out.items() if name not in decisions}
    announce_left_out(((node.name, node.place, node.parents) for node in nodes.values()), left_out)
    return _parsed(network, nodes, forgiving=forgiving)


def _network(whole: Block) -> tuple[Block, list[Block]]:
    """Return the block of the network as a whole, and those of its nodes and potentials."""
    heads = [block for block in whole.blocks if block.kind in ("net", "class")]
    if len(heads) != 1:
        raise FormatError(
            f"line {heads[1].line if heads else 1}: a .net file has one 'net' or 'class', not "
            f"{len(heads)}"
        )
    head = heads[0]
    inside = head.blocks if head.kind == "class" else []
    return head, [*inside, *(block for block in whole.blocks if block is not head)]


def _declared(blocks: Sequence[Block]) -> tuple[dict[str, Block], dict[str, str]]:
    """Return the nodes by name, and the kinds of those that are not discrete chance nodes."""
    declared: dict[str, Block] = {}
    left_out: dict[str, str] = {}
    for block in blocks:
        if block.kind == "potential":
            continue
        *kind, name = (word.text for word in block.words)
        if not kind or kind[-1] not in _NODES or not set(kind[:-1]) <= set(_QUALIFIERS):
            raise FormatError(
                f"line {block.line}: there is a block {' '.join((*kind, name))!r:.60}; noisyor "
                f"reads {', '.join(_NODES)} and potential"
            )
        if name in declared:
            raise FormatError(f"line {block.line}: the node {name!r:.60} occurs twice")
        declared[name] = block
        if kind[-1] != "node" or "continuous" in kind:
            left_out[name] = kind[-1] if kind[-1] in _LEFT_OUT else "continuous"
        if len(declared) > MAX_NODES:
            raise FormatError(f"line {block.line}: it has more than {MAX_NODES} nodes")
    if not declared:
        raise FormatError("the file declares no node")
    return declared, left_out


def _potentials(blocks: Sequence[Block], declared: Mapping[str, Block]) -> dict[str, Block]:
    """Return the potentials by the names of their nodes."""
    found: dict[str, Block] = {}
    for block in blocks:
        if block.kind != "potential":
            continue
        if len(block.child) != 1:
            raise FormatError(
                f"line {block.line}: a potential is of one node, not of {len(block.child)}"
            )
        name = block.child[0].text
        if name not in declared:
            raise FormatError(
                f"line {block.line}: there is a potential of {name!r:.60}, which is not a node of "
                "the file"
            )
        if name in found:
            raise FormatError(f"line {block.line}: there is a second potential of {name!r:.60}")
        found[name] = block
    return found


def _is_formula(potential: Block | None) -> bool:
    return (
        potential is not None
        and potential.only("data") is None
        and potential.only("model_data") is not None
    )


def _states(block: Block, name: str) -> tuple[str, ...]:
    """Return the labels in the file; an empty one, which Hugin allows, becomes a number."""
    listed = block.texts("states")
    if not listed:
        raise FormatError(f"line {block.line}: the node {name!r:.60} has no states")
    return tuple(word.text or f"state {place}" for place, word in enumerate(listed))


def _parsed(network: Block, nodes: Mapping[str, _Node], *, forgiving: bool) -> ParsedNetwork:
    rows = RowSums(forgiving=forgiving, any_sum=True)
    states = {name: node.states for name, node in nodes.items()}
    names = {name: _noted(node.block, NAME, name) for name, node in nodes.items()}
    size = _pair(network, "node_size") or NODE_SIZE
    parsed, supplied = [], 0
    for name, node in nodes.items():
        shape = table_shape(name, node.line, node.parents, states)
        if node.data is None:  # Hugin then supplies a table of equal numbers
            supplied += prod(shape)
            if supplied > _MAX_ENTRIES:
                raise FormatError(
                    f"{node.place}: up to here, {supplied} entries of tables are not in the file; "
                    f"at most {_MAX_ENTRIES} may be left out"
                )
            table = np.full(shape, 1 / shape[-1])
        else:
            table = ListedNumbers(node.data, shape, name).table(rows)
        labels, order = _labels(node)
        parsed.append(
            ParsedNode(
                names[name],
                labels,
                tuple(names[parent] for parent in node.parents),
                table,
                node.place,
                order=order,
                appearance=_appearance(node, names[name], size),
            )
        )
    rows.warn()
    return ParsedNetwork(
        tuple(parsed),
        Provenance(""),
        title=_shown(network, "label", TITLE) or network.text("name") or None,
        comment=_shown(network, "HR_Desc", COMMENT),
    )


def _labels(node: _Node) -> tuple[tuple[str, ...], tuple[int, ...] | None]:
    """Return the original labels, and the order of two states if the file says so."""
    labels = tuple(
        _noted(node.block, f"{STATE}{place}", state) for place, state in enumerate(node.states)
    )
    present = node.block.text(PRESENT)
    if present is None or len(labels) != BINARY:
        return labels, None
    if present not in node.states:
        raise FormatError(
            f"line {node.block.line}: {PRESENT} is {present!r:.60}; it must be one of the states"
        )
    return labels, present_at(node.states.index(present))


def _noted(block: Block, key: str, otherwise: str) -> str:
    """Return the original of what noisyor replaced when it wrote the file."""
    kept = block.text(key)
    if kept is None:
        return otherwise
    with errors_at(f"line {block.line}"):
        return unescaped(kept)


def _appearance(node: _Node, name: str, size: tuple[float, float]) -> NodeAppearance:
    block = node.block
    title = _shown(block, "label", TITLE)
    if title == name or (block.only(TITLE) is None and title == label_of(name)):
        title = None  # then the label only shows the name, as far as a label can
    return NodeAppearance(
        title=title, box=_box(block, size), comment=_shown(block, "HR_Desc", COMMENT)
    )


def _shown(block: Block, key: str, kept: str) -> str | None:
    """Return a text that a file shows, with what noisyor kept of it."""
    return text_of(block.text(key), _noted(block, kept, "") or None)


def _box(block: Block, size: tuple[float, float]) -> Box | None:
    """Return the place of a node, whose own size Hugin writes as a text: "(135, 30)"."""
    at = _pair(block, "position")
    if at is None:
        return None
    own = _SIZE.fullmatch(block.text("HR_NodeSize") or "")
    (x, y), (width, height) = at, (float(own[1]), float(own[2])) if own else size
    return (x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _pair(block: Block, key: str) -> tuple[float, float] | None:
    value = block.only(key)
    if value is None:
        return None
    first, second = numbers_in(value, key, _PAIR)
    return (first, second)
