"""GeNIe's drawing of a network: what it shows, where, and in which colours.

The extension of GeNIe in an XDSL file has an element for each node, possibly within elements for
submodels. Text boxes, fonts and the like have no place in a `NodeAppearance`; they come back with
the original document (see `xdsl_editing`).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from noisyor.core import Network
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.formats.xdsl_noisymax import holds_causes
from noisyor.formats.xml_elements import Element

WIDTH, HEIGHT, GAP = 120, 50, 60  # of a node on GeNIe's canvas, in pixels
UNTITLED = "noisyor"
"""What noisyor calls a network without a title."""

_NODES_A_ROW = 10
_TABLE_COLOUR, _NOISYMAX_COLOUR = "e5f6f7", "ffe9b3"  # as GeNIe draws them
_COLOUR = re.compile("[0-9a-fA-F]{6}")
_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,9})?")
_EDGES_OF_A_BOX = 4
_ESCAPE = re.compile(r"\\([n\\])")
_LETTERS = {"n": "\n", "\\": "\\"}


@dataclass(frozen=True, slots=True)
class Canvas:
    """What GeNIe shows: the title and the comment of the network, and its nodes by their ids."""

    title: str | None
    comment: str | None
    nodes: dict[str, NodeAppearance]


def canvas_in(root: Element) -> Canvas:
    """Return GeNIe's drawing; empty if the file has none, or one of another program."""
    nodes: dict[str, NodeAppearance] = {}
    genie = drawing_of(root)
    if genie is None:
        return Canvas(None, None, nodes)
    for element in drawn_nodes(genie):
        nodes.setdefault(element.attributes.get("id", ""), _appearance(element))
    title = _unescaped(genie.attributes.get("name"))
    return Canvas(title if title != UNTITLED else None, _text(genie, "comment"), nodes)


def drawing_of(root: Element) -> Element | None:
    """Return the element of GeNIe's drawing, if there is one."""
    for extensions in root.all("extensions"):
        for genie in extensions.all("genie"):
            return genie
    return None


def drawn_nodes(above: Element) -> Iterator[Element]:
    """Yield the elements of the drawn nodes, also of those within submodels."""
    for element in above.children:
        if element.tag == "node":
            yield element
        elif element.tag == "submodel":
            yield from drawn_nodes(element)


def _appearance(element: Element) -> NodeAppearance:
    title = _text(element, "name")
    return NodeAppearance(
        title=title if title != element.attributes.get("id") else None,
        box=_box(_text(element, "position")),
        fill=_colour(element, "interior"),
        line=_colour(element, "outline"),
        text=_colour(element, "font"),
        comment=_text(element, "comment"),
    )


def _text(element: Element, tag: str) -> str | None:
    return _unescaped(next((one.text for one in element.all(tag) if one.text.strip()), None))


def _unescaped(text: str | None) -> str | None:
    return text and _ESCAPE.sub(lambda one: _LETTERS[one[1]], text)


def escaped_for_genie(text: str) -> str:
    """Return a text with line ends and backslashes as GeNIe writes them."""
    return text.replace("\\", "\\\\").replace("\r\n", "\n").replace("\n", "\\n")


def _colour(element: Element, tag: str) -> str | None:
    for one in element.all(tag):
        colour = one.attributes.get("color", "")
        if _COLOUR.fullmatch(colour):
            return colour
    return None


def _box(text: str | None) -> Box | None:
    """Return the edges of a node; None if the text is not four numbers."""
    words = (text or "").split()
    if len(words) != _EDGES_OF_A_BOX or not all(map(_NUMBER.fullmatch, words)):
        return None
    left, top, right, bottom = map(float, words)
    return left, top, right, bottom


def complete_appearance(network: Network, variable: int, corner: tuple[int, int]) -> NodeAppearance:
    """Return how a variable is drawn: as its file had it, else at this corner, as GeNIe does."""
    own = network.appearance.of(network.names[variable])
    left, top = corner
    causes = holds_causes(network.distributions[variable])
    return NodeAppearance(
        own.title or network.names[variable],
        own.order,
        own.box or (left, top, left + WIDTH, top + HEIGHT),
        own.fill or (_NOISYMAX_COLOUR if causes else _TABLE_COLOUR),
        own.line or "000080",
        own.text or "000000",
        own.comment,
    )


def free_corners(network: Network) -> list[tuple[int, int]]:
    """Return a corner for each node: parents above children, and close to them if possible.

    They lie below the nodes that have a place already, so that nothing overlaps.
    """
    families = network.structure.families
    layer_of = [0] * len(families)
    for variable in network.structure.topological_order():
        above = families[variable].parent_indices()
        layer_of[variable] = max((layer_of[parent] + 1 for parent in above), default=0)
    boxes = [network.appearance.of(name).box for name in network.names]
    start = max((int(box[3]) for box in boxes if box is not None), default=0) + GAP
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
                GAP + across * (WIDTH + GAP),
                start + (row + down) * (HEIGHT + GAP),
            )
        row += -(-len(members) // _NODES_A_ROW)
    return positions
