"""A network's graph in one line, as bnlearn writes it: [A][B|A:C][C]."""

from noisyor.core import DataError, FormatError, Network, Structure
from noisyor.core.variable import check_node_names

_MARKS = "[]|:"


def model_string(network: Network) -> str:
    """Return the graph as bnlearn's model string, variables in the network's order.

    It holds names and edges, but no relations or parameters. Its punctuation cannot be escaped,
    so a name that contains some is refused.
    """
    for name in network.names:
        if set(name) & set(_MARKS):
            raise FormatError(
                f"the name {name!r} has one of the characters {' '.join(_MARKS)}, which have a "
                "meaning in a model string and cannot be escaped; rename the variable"
            )
    parts = []
    for family in network.structure.families:
        parents = ":".join(network.names[parent] for parent in family.parent_indices())
        parts.append(f"[{network.names[family.child]}{'|' if parents else ''}{parents}]")
    return "".join(parts)


def structure_of_model_string(text: str) -> Structure:
    """Return the graph of a model string, variables in its order and every node a full table."""
    nodes: dict[str, list[str]] = {}
    text = text.strip("\r\n")
    if not (text.startswith("[") and text.endswith("]")):
        raise FormatError(f"a model string looks like [A][B|A:C][C]; got: {text!r:.60}")
    for place, node in enumerate(text[1:-1].split("]["), start=1):
        name, bar, listed = node.partition("|")
        parents = listed.split(":") if bar else []
        if any(not one.strip() or set(one) & set(_MARKS) for one in (name, *parents)):
            raise FormatError(
                f"node {place} of the model string is [{node:.60}]; a node looks like [A], or like "
                "[B|A:C] with the parents A and C"
            )
        if name in nodes:
            raise FormatError(f"node {place} of the model string is {name!r}, which occurs twice")
        if len(set(parents)) != len(parents):
            raise FormatError(f"node {place} of the model string has the same parent twice")
        nodes[name] = parents
    edges = [(parent, child) for child, parents in nodes.items() for parent in parents]
    try:
        check_node_names(tuple(nodes))
        return Structure.from_edges(tuple(nodes), edges)
    except DataError as error:
        raise FormatError(f"the model string is not a network: {error}") from error
