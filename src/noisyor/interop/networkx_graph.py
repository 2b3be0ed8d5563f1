"""Networks to networkx."""

from typing import TYPE_CHECKING

from noisyor.core import Network, NoisyOr

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(network: Network) -> "nx.DiGraph[str]":
    """Return the graph, with the parameters as attributes.

    A node has `relation`, `states` (absent, present) and `parents`, in the network's order. A
    table has `probabilities` of presence: bit t of a configuration's place is the value of the
    t-th of the `parents`; and `unseen`, one mark for each. A noisy-OR has `leak`, the chance that
    the child is present without any of its causes, and each edge into it `strength`, the chance
    that this cause alone suffices. The graph has `cost`.
    """
    import networkx as nx  # noqa: PLC0415 (slow)

    graph: nx.DiGraph[str] = nx.DiGraph(cost=network.cost)
    graph.add_nodes_from(network.names)
    for family, states, distribution in zip(
        network.structure.families, network.states, network.distributions, strict=True
    ):
        name = network.names[family.child]
        parents = tuple(network.names[above] for above in family.parent_indices())
        node = graph.nodes[name]
        node.update(relation=str(family.relation), states=states, parents=parents)
        if isinstance(distribution, NoisyOr):
            node["leak"] = distribution.leak
            for above, strength in zip(parents, distribution.strengths.tolist(), strict=True):
                graph.add_edge(above, name, strength=strength)
        else:
            node["probabilities"] = tuple(distribution.present.tolist())
            node["unseen"] = tuple(distribution.unseen.tolist())
            graph.add_edges_from((above, name) for above in parents)
    return graph
