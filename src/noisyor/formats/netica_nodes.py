"""The nodes of a Netica file: what each is, its states and its parents."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from noisyor.core import FormatError
from noisyor.core.errors import errors_at
from noisyor.core.variable_sets import MAX_NODES
from noisyor.formats.blocks import Block, Word, words_in
from noisyor.formats.left_out import DECISION
from noisyor.formats.legal_names import unescaped
from noisyor.formats.own_words import MARK, PRESENT

_LEFT_OUT = {
    "DECISION": DECISION,
    "UTILITY": "utility",
    "CONSTANT": "constant",
    "ASSUME": "text",
    "DISCONNECTED": "disconnected",
}
_CHANCE = "NATURE"
_PAIR = 2
_UNPRINTABLE = re.compile(r"[^\n\x20-\x7e\xa1-\U0010ffff]")


@dataclass(frozen=True, slots=True, eq=False)
class NeticaNode:
    """A chance node whose table is still text, or a decision that is read as one."""

    name: str
    block: Block
    states: tuple[str, ...]
    parents: tuple[str, ...]
    ordered: bool
    is_decision: bool
    noted: Mapping[str, str]

    @property
    def place(self) -> str:
        """Where the node is, for messages."""
        return f"line {self.block.line}"


def printable(text: str) -> str:
    """Return a text as Netica can show it, without control characters but for line breaks."""
    return _UNPRINTABLE.sub(" ", text)


def node_blocks(network: Block) -> dict[str, Block]:
    """Return the nodes of all kinds by name."""
    found: dict[str, Block] = {}
    for block in network.blocks:
        if block.kind == "define":
            raise FormatError(
                f"line {block.line}: 'define' starts a definition for other nodes to inherit; "
                "such files are not read. Netica writes a file without it"
            )
        if block.kind not in ("node", "param"):
            continue
        name = _name(block)
        if name in found:
            raise FormatError(f"line {block.line}: the node {name!r:.60} occurs twice")
        found[name] = block
        if len(found) > MAX_NODES:
            raise FormatError(f"line {block.line}: it has more than {MAX_NODES} nodes")
    if not found:
        raise FormatError(f"line {network.line}: the file declares no node")
    return found


def _name(block: Block) -> str:
    if len(block.words) != _PAIR:
        raise FormatError(f"line {block.line}: a node has one name, not {len(block.words) - 1}")
    return block.words[1].text


def kind_of(block: Block) -> str | None:
    """Return what a node is if it is not a chance node with a table."""
    kind = (block.text("kind") or _CHANCE).upper()
    if kind in _LEFT_OUT:
        return _LEFT_OUT[kind]
    if kind != _CHANCE:
        raise FormatError(
            f"line {block.line}: the node {block.words[1].text!r:.60} is of the kind {kind!r:.60}; "
            f"allowed: {', '.join((_CHANCE, *_LEFT_OUT))}"
        )
    delays = block.only("delays")
    if delays is not None and any(word.text != "0" for word in words_in(delays)):
        raise FormatError(f"line {delays.line}: links over time ('delays') are not read")
    if block.only("probs") is None and block.only("functable") is None:
        if block.only("eqn") is not None or block.only("equation") is not None:
            return "equation"
        if not _labels(block)[0]:
            return "text"  # titles and notes on the drawing are nodes without states
    return None


def parents_of(block: Block) -> tuple[str, ...]:
    """Return the names of a node's parents."""
    return tuple(word.text for word in block.texts("parents") or [])


def node_of(block: Block, name: str, *, is_decision: bool) -> NeticaNode:
    """Return a chance node, or a decision that is read as one; refuse one without states."""
    states, ordered = _labels(block)
    if not states:
        raise FormatError(
            f"line {block.line}: the node {name!r:.60} has no 'states', 'levels' or 'numstates'"
        )
    return NeticaNode(
        name,
        block,
        states,
        () if is_decision else parents_of(block),
        ordered,
        is_decision,
        _noted(block),
    )


def _labels(block: Block) -> tuple[tuple[str, ...], bool]:
    """Return the labels of the states, and whether they ascend.

    States without names are the values or, of a continuous node, the intervals between `levels`.
    """
    listed = block.texts("states")
    levels = [word.text for word in block.texts("levels") or []]
    if listed:
        return tuple(word.text for word in listed), _ascends(levels)
    if (block.text("discrete") or "TRUE").upper() == "FALSE":
        return tuple(f"{low} to {high}" for low, high in pairwise(levels)), _ascends(levels)
    if levels:
        return tuple(levels), _ascends(levels)
    count = block.text("numstates") or "0"
    if not (count.isascii() and count.isdigit() and len(count) <= len(str(MAX_NODES))):
        raise FormatError(f"line {block.line}: {count!r:.60} is not a number of states")
    return tuple(f"state{place}" for place in range(int(count))), False


def _ascends(levels: Sequence[str]) -> bool:
    try:
        numbers = [float(word) for word in levels]
    except ValueError:
        return False
    return bool(numbers) and all(low < high for low, high in pairwise(numbers))


def _noted(block: Block) -> dict[str, str]:
    """Return what noisyor kept in the user fields of a node, unescaped."""
    found: dict[str, str] = {}
    for user in block.blocks:
        for key, line, value in user.attributes if user.kind == "user" else ():
            if key.startswith(MARK) and isinstance(value, Word):
                with errors_at(f"line {line}"):
                    found[key] = value.text if key == PRESENT else unescaped(value.text)
    return found
