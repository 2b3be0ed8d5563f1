"""Networks to networkx."""

from typing import TYPE_CHECKING

from noisyor.core import Distribution, Network
from noisyor.core.variable import BINARY
from noisyor.formats.causes_json import causes_to_json
from noisyor.formats.or_causes import or_causes

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(network: Network) -> "nx.DiGraph[str]":
    """Return the graph, with the parameters as attributes.

    A node has `relation`, `states` (absent, present) and `parents`, in the network's order. A
    table has `probabilities` of presence, where bit t of a configuration's index is the value of
    the t-th of the `parents`, and `unseen`, one mark for each. If a variable of the family does not
    have two states, it has `chances` instead: for each configuration, the first parent varying
    fastest, a tuple over the node's states. A noisy-OR has `leak`, the probability that the child
    is present without any of its causes, and each edge into it has `strength`, the probability
    that this cause alone suffices; None if no record has the cause. Any other relation with causes
    has `q` and, with a leak, `leak_q`, by parent, state and level as in noisyor's JSON. A relation
    without causes has its `parameters`. The graph has `cost`.
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
        relation = distribution.relation.name_for(len(states))
        node.update(relation=relation, states=states, parents=parents)
        causes = or_causes(distribution)
        if causes is not None:
            node["leak"] = causes.leak
            for above, strength, seen in zip(parents, causes.strengths, causes.seen, strict=True):
                graph.add_edge(above, name, strength=strength if seen else None)
            continue
        graph.add_edges_from((above, name) for above in parents)
        if distribution.relation.closed_form:
            node.update(_table(distribution))
        elif distribution.relation.causes is not None:
            own, *variables = (
                network.variables[v] for v in (family.child, *family.parent_indices())
            )
            node.update(causes_to_json(distribution, own, variables))
        else:
            node["parameters"] = tuple(distribution.parameters().tolist())
    return graph


def _table(distribution: Distribution) -> dict[str, object]:
    table = distribution.expand()
    unseen = tuple(table.unseen.tolist())
    if {table.child_states, *table.parent_states} == {BINARY}:
        return {"probabilities": tuple(table.present.tolist()), "unseen": unseen}
    return {"chances": tuple(map(tuple, table.table.tolist())), "unseen": unseen}
