"""What a file of a network says beyond the distribution, so that it can be given back.

Nothing here has a meaning for learning or inference, and two networks that differ only in it are
equal. A reader fills in what its format has, and a writer uses what its format can hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite

from noisyor.core.variable import Variable

Box = tuple[float, float, float, float]
"""The left, top, right and bottom edge of a node in a drawing whose y-axis points down."""


@dataclass(frozen=True, slots=True)
class NodeAppearance:
    """How a file presents one variable.

    Parameters
    ----------
    title
        The name that is shown, if it is not the variable's own.
    order
        The order in which the file lists the states, by their numbers in the network; None if the
        file has none.
    box
        Where the node is drawn.
    fill, line, text
        The colours of its inside, its outline and its text, as `rrggbb`.
    comment
        What the author wrote about it.
    """

    title: str | None = None
    order: tuple[int, ...] | None = None
    box: Box | None = None
    fill: str | None = None
    line: str | None = None
    text: str | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        """Refuse an order that is not one, and a box that cannot be drawn."""
        if self.order is not None and sorted(self.order) != list(range(len(self.order))):
            raise ValueError(f"{self.order} is not an order of states")
        if self.box is not None and not all(map(isfinite, self.box)):
            raise ValueError(f"{self.box} is not a place in a drawing")

    def order_for(self, variable: Variable) -> tuple[int, ...] | None:
        """Return the order of the states; None if there is none, or of other states."""
        fits = self.order is not None and len(self.order) == variable.state_count
        return self.order if fits else None


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """The text of the file that a network was read from, and its format, such as `xdsl`.

    A writer of the same format changes in it only what differs, so that all else comes back.
    """

    format: str
    text: str = field(repr=False)


PLAIN = NodeAppearance()
"""The appearance of a variable of which no file says anything."""


@dataclass(frozen=True, slots=True)
class Appearance:
    """What a file says about a network beyond its distribution.

    Parameters
    ----------
    title
        The network's title.
    comment
        What the author wrote about it.
    nodes
        How each variable is presented, by its name. A variable need not be there.
    document
        The file's text, if a writer of its format can make use of it.
    """

    title: str | None = None
    comment: str | None = None
    nodes: Mapping[str, NodeAppearance] = field(default_factory=dict, hash=False)
    document: SourceDocument | None = None

    def of(self, name: str) -> NodeAppearance:
        """Return how a variable is presented."""
        return self.nodes.get(name, PLAIN)

    @property
    def is_plain(self) -> bool:
        """Whether no file said anything."""
        return self == UNADORNED


UNADORNED = Appearance()
"""The appearance of a network that was not read from a file."""
