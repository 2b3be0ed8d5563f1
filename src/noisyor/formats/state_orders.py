"""Which order the states of a file's nodes get in the network.

Of two states, the second means present. The states of a node with causes go from the one that
nothing brings about to the strongest effect, so that its relation is a noisy-OR or a noisy-MAX.
Its parents, too, have the state that does not act first, if that only turns their order round. All
other states stay as the file lists them.
"""

from collections.abc import Mapping, Sequence

from noisyor.core import FormatError
from noisyor.core.listing import expected_names
from noisyor.core.state_words import place_of_present
from noisyor.core.variable import BINARY
from noisyor.formats.parsed_node import Arrangement, ParsedCauses, ParsedNode, present_at


def state_orders(
    nodes: Sequence[ParsedNode], number: Mapping[str, int], asked: Mapping[str, str]
) -> list[Arrangement]:
    """Return for each node its states in the network's order.

    The state of two that means present is the first of these that applies: the one that `asked`
    names; the one that the file names; the one that acts, or is produced by causes; the accepted
    word for present; the first state, as in GeNIe.
    """
    for name in asked:
        if name not in number:
            raise FormatError(
                f"there is no variable {name!r}, whose present state is given; "
                f"{expected_names(name, list(number), 'the file')}"
            )
    preferred = _orders_of_causes(nodes, number)
    return [_order(node, preferred.get(v), asked.get(node.name)) for v, node in enumerate(nodes)]


def _orders_of_causes(
    nodes: Sequence[ParsedNode], number: Mapping[str, int]
) -> dict[int, Arrangement]:
    """Return the orders that make the relations of the file noisy-ORs and noisy-MAXs.

    What a node's own causes need comes first, then what the first of its children needs.
    """
    orders: dict[int, Arrangement] = {}
    for node in nodes:
        if isinstance(node.distribution, ParsedCauses):
            orders[number[node.name]] = node.distribution.weakest_first
    for node in nodes:
        if isinstance(node.distribution, ParsedCauses):
            for parent, idle in zip(node.parents, node.distribution.idle, strict=True):
                above = number[parent]
                straight = tuple(range(len(nodes[above].states)))
                turned = idle == straight[-1]
                orders.setdefault(above, straight[::-1] if turned else straight)
    return orders


def _order(node: ParsedNode, preferred: Arrangement | None, asked: str | None) -> Arrangement:
    if asked is not None:
        if asked not in node.states:
            raise FormatError(
                f"{node.name!r} has no state {asked!r} to mean present; it has: "
                f"{', '.join(node.states)}"
            )
        if len(node.states) != BINARY:
            raise FormatError(
                f"{node.name!r} has {len(node.states)} states; only where there are two, one of "
                "them means present"
            )
        return present_at(node.states.index(asked))
    if node.order is not None and _suits(node, node.order):
        return node.order
    if preferred is not None:
        return preferred
    if len(node.states) != BINARY:
        return tuple(range(len(node.states)))
    by_word = place_of_present((node.states[0], node.states[1]))
    return present_at(0 if by_word is None else by_word)


def _suits(node: ParsedNode, order: Arrangement) -> bool:
    """Return whether the causes of a node can have their levels in an order, up or down."""
    if not isinstance(node.distribution, ParsedCauses):
        return True
    return node.distribution.weakest_first in (order, order[::-1])
