"""Networks as JSON and for people."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from noisyor.cli.terminal import results
from noisyor.core import Cpt, Distribution, Network, NetworkSet, Provenance
from noisyor.networks import Comparison, GraphDifference, markov_blanket
from noisyor.networks.comparison import Edge
from noisyor.networks.explanation import CauseStrength, Explanation

_ROWS_SHOWN = 64
_FINGERPRINT_SHOWN = 12


def network_summary(network: Network) -> dict[str, object]:
    """Return what a network is, as JSON's own types."""
    return {
        "variables": len(network.names),
        "edges": sum(family.parent_count for family in network.structure.families),
        "cost": network.cost,
        "made": _made(network.provenance),
        "nodes": [_node_summary(network, variable) for variable in range(len(network.names))],
    }


def _node_summary(network: Network, variable: int) -> dict[str, object]:
    family, distribution = network.structure.families[variable], network.distributions[variable]
    parents = [network.names[parent] for parent in family.parent_indices()]
    said: dict[str, object] = {
        "name": network.names[variable],
        "absent": network.states[variable][0],
        "present": network.states[variable][1],
        "relation": family.relation.name,
        "parents": parents,
    }
    if isinstance(distribution, Cpt):
        said["chances"] = distribution.present.tolist()
        said["unseen"] = int(distribution.unseen.sum())
    else:
        said["strengths"] = dict(zip(parents, distribution.strengths.tolist(), strict=True))
        said["leak"] = None if distribution.leak_q is None else distribution.leak
    return said


def _made(provenance: Provenance) -> dict[str, object]:
    return {
        "version": provenance.version,
        "data": provenance.data,
        "records": provenance.records,
        "settings": dict(provenance.settings),
    }


def print_network(network: Network, console: Console | None = None) -> None:
    """Print a network as people read it: a line a node."""
    console = console or results()
    edges = sum(family.parent_count for family in network.structure.families)
    noisy = sum(not isinstance(one, Cpt) for one in network.distributions)
    cost = "" if network.cost is None else f", cost {network.cost:.4f}"
    console.print(f"{len(network.names)} variables, {edges} edges, {noisy} noisy-ORs{cost}")
    console.print(_origin(network.provenance))
    table = Table("variable", "states", "relation", "parents")
    for name, states, family in zip(
        network.names, network.states, network.structure.families, strict=True
    ):
        parents = ", ".join(network.names[parent] for parent in family.parent_indices())
        table.add_row(
            name,
            f"{states[1]}, {states[0]}",
            family.relation.name,
            parents,
        )
    console.print(table)


def _origin(provenance: Provenance) -> str:
    if not provenance.data:
        return "of unknown origin: the file does not say what it was made from"
    settings = "".join(f", {name} {value}" for name, value in provenance.settings)
    return (
        f"made by noisyor {provenance.version} from {provenance.records} records "
        f"({provenance.data[:_FINGERPRINT_SHOWN]}){settings}"
    )


def print_networks(networks: NetworkSet) -> None:
    """Print a credible set: how much there is, and its best network."""
    console = results()
    weights, costs = networks.weights(), networks.costs()
    drawn = "" if networks.draws is None else f", drawn {int(networks.draws.sum())} times"
    console.print(
        f"{len(networks)} different networks{drawn}, of a credible set of {networks.count} "
        f"(Bayes factor {networks.bayes_factor.value:g}, optimum {networks.optimum:.4f})"
    )
    for shortfall in networks.shortfalls:
        console.print(f"not complete: {shortfall}")
    best = int(costs.argmin())
    console.print(f"the best of them, with {weights[best]:.1%} of the weight:")
    print_network(networks.network(best), console)


def print_node(network: Network, name: str, explanation: Explanation | None) -> None:
    """Print one node: what it depends on and how, and what that means."""
    console = results()
    variable = network.index(name)
    family, distribution = network.structure.families[variable], network.distributions[variable]
    absent, present = network.states[variable]
    parents = [network.names[parent] for parent in family.parent_indices()]
    console.print(f"{name}: {present} (present) or {absent} (absent), {family.relation}")
    blanket = ", ".join(markov_blanket(network.structure, name)) or "nothing"
    console.print(f"Markov blanket: {blanket}")
    if isinstance(distribution, Cpt):
        console.print(_table_of(network, parents, distribution, f"P({present})"))
        if distribution.present.size > _ROWS_SHOWN:
            console.print(f"the first {_ROWS_SHOWN} of {distribution.present.size} configurations")
    elif explanation is None:
        console.print(_strengths_of(parents, distribution))
    else:
        for sentence in explanation.sentences():
            console.print(sentence)


def _table_of(network: Network, parents: list[str], table: Cpt, head: str) -> Table:
    shown = Table(*(parent for parent in parents))
    shown.add_column(head, justify="right")
    shown.add_column("remark")
    for row, chance in enumerate(table.present[:_ROWS_SHOWN].tolist()):
        labels = [
            network.states[network.index(parent)][row >> position & 1]
            for position, parent in enumerate(parents)
        ]
        remark = "never seen" if table.unseen[row] else ""
        shown.add_row(*(label for label in labels), f"{chance:.6g}", remark)
    return shown


def _strengths_of(parents: list[str], distribution: Distribution) -> Table:
    if isinstance(distribution, Cpt):
        raise TypeError("a full table has no strengths")
    shown = Table("cause")
    shown.add_column("strength", justify="right")
    shown.add_column("q", justify="right")
    for parent, strength, q in zip(
        parents, distribution.strengths.tolist(), distribution.q.tolist(), strict=True
    ):
        shown.add_row(parent, f"{strength:.6g}", f"{q:.6g}")
    if distribution.leak_q is not None:
        shown.add_row("(leak)", f"{distribution.leak:.6g}", f"{distribution.leak_q:.6g}")
    return shown


def explanation_summary(explanation: Explanation) -> dict[str, object]:
    """Return what a noisy-OR means, as JSON's own types."""
    table = explanation.table
    return {
        "level": explanation.level,
        "causes": [_cause_summary(one) for one in explanation.causes],
        "leak": None if explanation.leak is None else _cause_summary(explanation.leak),
        "cost": explanation.noisy_or.cost,
        "table_cost": None if table is None else table.cost,
        "saving": explanation.saving,
        "sentences": list(explanation.sentences()),
    }


def _cause_summary(one: CauseStrength) -> dict[str, object]:
    return {
        "cause": one.cause,
        "strength": one.strength,
        "lower": one.interval.lower,
        "upper": one.interval.upper,
        "determined": one.interval.determined,
    }


def comparison_summary(found: Comparison) -> dict[str, object]:
    """Return how two networks differ, as JSON's own types."""
    return {
        "shared": _pairs(found.shared),
        "edges": _difference_summary(found.edges),
        "classes": _difference_summary(found.classes),
        "relations": [
            {"node": one.name, "first": one.first.name, "second": one.second.name}
            for one in found.relations
        ],
    }


def _difference_summary(found: GraphDifference) -> dict[str, object]:
    return {"shd": found.shd} | {word: _pairs(edges) for word, edges in _kinds(found)}


def _kinds(found: GraphDifference) -> Iterator[tuple[str, tuple[Edge, ...]]]:
    yield "added", found.added
    yield "missing", found.missing
    yield "reversed", found.reversed_edges
    yield "directed", found.directed
    yield "undirected", found.undirected


def _pairs(edges: tuple[Edge, ...]) -> list[list[str]]:
    return [list(edge) for edge in edges]


def print_comparison(found: Comparison) -> None:
    """Print how a second network differs from a first."""
    console = results()
    console.print(
        f"{len(found.shared)} edges are the same; structural Hamming distance {found.edges.shd}, "
        f"of the equivalence classes {found.classes.shd}"
    )
    table = Table("in the second network", "edge")
    for word, edges in _kinds(found.edges):
        for parent, child in edges:
            table.add_row(word, f"{parent} -> {child}")
    for one in found.relations:
        table.add_row("other relation", f"{one.name}: {one.first} -> {one.second}")
    if table.row_count:
        console.print(table)
