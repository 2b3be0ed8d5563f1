"""How each relation is named and drawn: in reports, plots, Graphviz files and terminals alike.

No other module knows the looks of relations by name. Blue and orange can be distinguished with
every kind of colour blindness, and all relations differ in shape or outline: ORs are ellipses, ANDs
are hexagons, a leak doubles the outline, and signs thicken it. A
relation that is not listed here is shown by its name, with colours and an outline unlike the
others'.
"""

from dataclasses import dataclass
from enum import StrEnum

from noisyor.core.relations import Relation
from noisyor.core.variable import BINARY


class Shape(StrEnum):
    """The shape of a node; the values are Graphviz's names."""

    BOX = "box"
    ELLIPSE = "ellipse"
    HEXAGON = "hexagon"


class Outline(StrEnum):
    """How a node is outlined."""

    SINGLE = "single"
    DOUBLE = "double"  # dashed where a drawing has no room for a second line
    THICK = "thick"


@dataclass(frozen=True, slots=True)
class Colours:
    """The colours of a node, as `#rrggbb`: its inside, its outline and arcs, and its text."""

    fill: str
    line: str
    text: str


@dataclass(frozen=True, slots=True)
class Look:
    """How a relation is shown.

    `label` names it for a binary child, `label_of_more` for a child of more than two states.
    `paper` has the colours of plots and Graphviz files; `light` and `dark` those of web pages in
    light and dark mode.
    """

    label: str
    label_of_more: str
    short_label: str
    shape: Shape
    outline: Outline
    paper: Colours
    light: Colours
    dark: Colours

    def label_for(self, child_states: int) -> str:
        """Return what the relation is called for a child of so many states."""
        return self.label if child_states <= BINARY else self.label_of_more


_BLUE = (
    Colours("#e3edf8", "#3f6fa3", "#1d3b5c"),
    Colours("#e8f0f9", "#2f65a3", "#1a3a5e"),
    Colours("#1d2f45", "#7fb0ea", "#d7e7fa"),
)
_ORANGE = (
    Colours("#fdebd3", "#d27a16", "#6b3a04"),
    Colours("#fdeedb", "#c96d0c", "#6b3a04"),
    Colours("#40290f", "#f0a04b", "#ffe6c7"),
)
_GREEN = (
    Colours("#dff1ea", "#1f7a5c", "#0c3f2f"),
    Colours("#e2f3ec", "#1b7657", "#0c3f2f"),
    Colours("#123529", "#62c9a2", "#d3f3e6"),
)
_VIOLET = (
    Colours("#f1e8f6", "#8250a0", "#452459"),
    Colours("#f3eaf8", "#7b479b", "#452459"),
    Colours("#35223f", "#c79be0", "#f2e1fb"),
)


def _causes(label: str, shape: Shape, outline: Outline, *colours: Colours) -> Look:
    of_more = label.replace("OR", "MAX").replace("AND", "MIN")
    return Look(label, of_more, label, shape, outline, *colours)


_LOOKS = {
    "cpt": Look("full table", "full table", "CPT", Shape.BOX, Outline.SINGLE, *_BLUE),
    "noisy-or": _causes("noisy-OR", Shape.ELLIPSE, Outline.SINGLE, *_ORANGE),
    "leaky-noisy-or": _causes("leaky noisy-OR", Shape.ELLIPSE, Outline.DOUBLE, *_ORANGE),
    "signed-noisy-or": _causes("signed noisy-OR", Shape.ELLIPSE, Outline.THICK, *_ORANGE),
    "noisy-and": _causes("noisy-AND", Shape.HEXAGON, Outline.SINGLE, *_GREEN),
    "leaky-noisy-and": _causes("leaky noisy-AND", Shape.HEXAGON, Outline.DOUBLE, *_GREEN),
    "signed-noisy-and": _causes("signed noisy-AND", Shape.HEXAGON, Outline.THICK, *_GREEN),
}


def look_of(relation: Relation) -> Look:
    """Return how a relation is shown; one that is not listed is shown by its name."""
    if relation.name in _LOOKS:
        return _LOOKS[relation.name]
    name, of_more = relation.name, relation.name_for(BINARY + 1)
    return Look(name, of_more, name, Shape.BOX, Outline.DOUBLE, *_VIOLET)
