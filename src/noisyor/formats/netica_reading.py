"""Read Netica's .dne files; `netica` describes the format."""

from bisect import bisect_right
from collections.abc import Mapping
from math import prod

import numpy as np

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.core.variable import BINARY
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.block_tables import ListedNumbers, numbers_in, table_shape
from noisyor.formats.blocks import MARKS, Block, Value, parse_blocks, words_in
from noisyor.formats.left_out import (
    announce_decisions,
    announce_left_out,
    decisions_that_matter,
)
from noisyor.formats.netica_nodes import (
    NeticaNode,
    kind_of,
    node_blocks,
    node_of,
    parents_of,
    printable,
)
from noisyor.formats.own_words import COMMENT, NAME, PRESENT, STATE, TITLE
from noisyor.formats.parsed_network import ParsedNetwork, ParsedNode, present_at
from noisyor.formats.parsed_node import Table
from noisyor.formats.row_sums import RowSums
from noisyor.formats.tokens import Syntax

_SYNTAX = Syntax(MARKS, "//", block_comments=True, long_texts=True)
_NETWORKS = ("bnet", "dnet")
_HALF_SIZE = (38, 18)  # Netica draws a node as large as its text, which the file does not tell
_MAX_WRITTEN_OUT = 2**24  # entries of all the tables that a file gives only by functions
_PAIR = 2


def parse_netica(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a Netica .dne file; a FormatError gives the line of an error.

    Decisions, utilities, constants, texts, and nodes with an equation in place of a table are left
    out with a warning, but for decisions on which a variable depends. Links over time are refused.
    If `forgiving`, rows may be off from 1 by rounding, and a node without a table is uniform.
    """
    whole = parse_blocks(text, _SYNTAX)
    networks = [block for block in whole.blocks if block.kind in _NETWORKS]
    if len(networks) != 1 or len(whole.blocks) != 1:
        raise FormatError(
            f"line {whole.blocks[0].line if whole.blocks else 1}: a .dne file is one 'bnet' in "
            f"braces; this one has {len(networks)}, and {len(whole.blocks)} blocks in all"
        )
    network = networks[0]
    blocks = node_blocks(network)
    left_out = {
        name: kind for name, block in blocks.items() if (kind := kind_of(block)) is not None
    }
    chance = (block for name, block in blocks.items() if name not in left_out)
    decisions = decisions_that_matter(left_out, map(parents_of, chance))
    announce_decisions(decisions)
    left_out = {name: kind for name, kind in left_out.items() if name not in decisions}
    nodes = {
        name: node_of(block, name, is_decision=name in decisions)
        for name, block in blocks.items()
        if name not in left_out
    }
    families = ((node.name, node.place, node.parents) for node in nodes.values())
    announce_left_out(families, left_out)
    parsed = _Tables(nodes, forgiving=forgiving).parsed()
    return ParsedNetwork(
        parsed,
        Provenance(""),
        title=network.text("title") or None,
        comment=network.text("comment") or None,
    )


class _Tables:
    """Turns the text of tables into arrays, one node after another."""

    def __init__(self, nodes: Mapping[str, NeticaNode], *, forgiving: bool) -> None:
        self._nodes = nodes
        self._states = {name: node.states for name, node in nodes.items()}
        self._forgiving = forgiving
        self._rows = RowSums(forgiving=forgiving)
        self._written_out = 0

    def parsed(self) -> tuple[ParsedNode, ...]:
        tables = {name: self._table(node) for name, node in self._nodes.items()}
        names = {name: node.noted.get(NAME, name) for name, node in self._nodes.items()}
        found = tuple(
            ParsedNode(
                names[node.name],
                tuple(
                    node.noted.get(f"{STATE}{place}", state)
                    for place, state in enumerate(node.states)
                ),
                tuple(names[parent] for parent in node.parents),
                tables[node.name],
                node.place,
                order=_order(node),
                ordered=node.ordered,
                appearance=_appearance(node),
            )
            for node in self._nodes.values()
        )
        self._rows.warn()
        return found

    def _table(self, node: NeticaNode) -> Table:
        shape = table_shape(node.name, node.block.line, node.parents, self._states)
        if node.is_decision:
            return np.full(shape, 1 / shape[-1])
        listed, function = node.block.only("probs"), node.block.only("functable")
        if listed is not None:
            return ListedNumbers(listed, shape, node.name).table(self._rows)
        self._written_out += prod(shape)
        if self._written_out > _MAX_WRITTEN_OUT:
            raise FormatError(
                f"{node.place}: the tables up to here that the file does not list would have "
                f"{self._written_out} entries; at most {_MAX_WRITTEN_OUT} are written out"
            )
        if function is not None:
            return _function(node, function, shape)
        if not self._forgiving:
            raise FormatError(
                f"{node.place}: the node {node.name!r:.60} has no table ('probs' or 'functable'). "
                "With forgiving=True, its states are taken to be equally likely"
            )
        warn_user(
            f"{node.place}: {node.name!r:.60} has no table; its states are taken to be equally "
            "likely",
            ConversionWarning,
        )
        return np.full(shape, 1 / shape[-1])


def _function(node: NeticaNode, value: Value, shape: tuple[int, ...]) -> Table:
    """Return the table of a deterministic node: a state for each configuration of its parents."""
    words = list(words_in(value))
    if len(words) != prod(shape[:-1]):
        raise FormatError(
            f"line {value.line}: the function of {node.name!r:.60} has {len(words)} values; its "
            f"parents need {prod(shape[:-1])}"
        )
    levels = [word.text for word in node.block.texts("levels") or []]
    places = {f"#{place}": place for place in range(shape[-1])}
    if len(levels) == shape[-1]:
        places |= {level: place for place, level in enumerate(levels)}
    places |= {state: place for place, state in enumerate(node.states)}
    table = np.zeros((len(words), shape[-1]))
    for row, word in enumerate(words):
        place = places.get(word.text)
        if place is None and len(levels) == shape[-1] + 1:
            place = _interval(word.text, levels)
        if place is None:
            raise FormatError(
                f"line {word.line}: the function of {node.name!r:.60} has the value "
                f"{word.text!r:.60}; its states are: {', '.join(node.states):.200}"
            )
        table[row, place] = 1
    return table.reshape(shape)


def _interval(text: str, levels: list[str]) -> int | None:
    """Return the interval between levels that a number lies in; the last includes its end."""
    try:
        number, *limits = (float(word) for word in (text, *levels))
    except ValueError:
        return None
    place = min(bisect_right(limits, number), len(limits) - 1) - 1
    return place if limits[0] <= number <= limits[-1] else None


def _order(node: NeticaNode) -> tuple[int, ...] | None:
    """Return the order of two states if noisyor noted which of them means present."""
    present = node.noted.get(PRESENT)
    if present is None or len(node.states) != BINARY:
        return None
    if present not in node.states:
        raise FormatError(
            f"{node.place}: {PRESENT} is {present!r:.60}; it must be one of the states"
        )
    return present_at(node.states.index(present))


def _appearance(node: NeticaNode) -> NodeAppearance:
    title = _shown(node, "title", TITLE)
    if NAME in node.noted and TITLE not in node.noted and title == printable(node.noted[NAME]):
        title = None  # then it only shows the name
    return NodeAppearance(
        title=title, box=_box(node.block), comment=_shown(node, "comment", COMMENT)
    )


def _shown(node: NeticaNode, key: str, kept: str) -> str | None:
    """Return a text that Netica shows, or the original if noisyor kept it and it is the same."""
    text, original = node.block.text(key) or None, node.noted.get(kept)
    return original if original is not None and printable(original) == text else text


def _box(block: Block) -> Box | None:
    """Return the place of a node in the first of its drawings."""
    for visual in block.blocks:
        centre = visual.only("center") if visual.kind == "visual" else None
        if centre is not None:
            (x, y), (width, height) = numbers_in(centre, "center", _PAIR), _HALF_SIZE
            return (x - width, y - height, x + width, y + height)
    return None
