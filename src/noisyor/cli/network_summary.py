"""Networks as JSON and for people."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from noisyor.cli.terminal import results
from noisyor.core import Distribution, Network, NetworkSet, Provenance, Variable
from noisyor.core.configurations import configuration_codes, configuration_count
from noisyor.core.listing import counted
from noisyor.core.relation_looks import look_of
from noisyor.formats.causes_json import strengths_to_json
from noisyor.formats.tables_of import labels_in_file
from noisyor.networks import Comparison, GraphDifference, markov_blanket
from noisyor.networks.cause_words import CauseWords
from noisyor.networks.comparison import Edge

if TYPE_CHECKING:  # explaining fits noisy-ORs, which takes long to load
    from noisyor.networks.explanation import CauseStrength, Explanation

_ROWS_SHOWN = 64
_FINGERPRINT_SHOWN = 12


def network_summary(network: Network) -> dict[str, object]:
    """Return a network as JSON's own types."""
    return {
        "variables": len(network.names),
        "edges": sum(family.parent_count for family in network.structure.families),
        "cost": network.cost,
        "made": _made(network.provenance),
        "nodes": [_node_summary(network, variable) for variable in range(len(network.names))],
    }


def _node_summary(network: Network, variable: int) -> dict[str, object]:
    family, distribution = network.structure.families[variable], network.distributions[variable]
    own = network.variables[variable]
    parents = [network.variables[parent] for parent in family.parent_indices()]
    title = network.appearance.of(own.name).title
    said: dict[str, object] = {
        "name": own.name,
        **({} if title is None else {"title": title}),
        **_states(own),
        "relation": family.relation.name_for(own.state_count),
        "parents": [parent.name for parent in parents],
    }
    if distribution.relation.causes is not None:
        said["strengths"], said["leak"] = strengths_to_json(distribution, own, parents)
    elif distribution.relation.closed_form:
        table = distribution.expand()
        said["chances"] = (table.present if own.is_binary else table.table).tolist()
        said["unseen"] = int(table.unseen.sum())
    else:
        said["parameters"] = distribution.parameters().tolist()
    return said


def _states(variable: Variable) -> dict[str, object]:
    if not variable.is_binary:
        return {"states": list(variable.states)}
    absent, present = variable.states
    return {"absent": absent, "present": present}


def _made(provenance: Provenance) -> dict[str, object]:
    return {
        "version": provenance.version,
        "data": provenance.data,
        "records": provenance.records,
        "settings": dict(provenance.settings),
    }


def print_network(network: Network, console: Console | None = None) -> None:
    """Print a network for people: a line per node."""
    console = console or results()
    edges = sum(family.parent_count for family in network.structure.families)
    cost = "" if network.cost is None else f", cost {network.cost:.4f}"
    variables = len(network.names)
    size = f"{variables} variable{'s' * (variables != 1)}, {edges} edge{'s' * (edges != 1)}"
    console.print(f"{size}, {_kinds_of(network)}{cost}")
    console.print(_origin(network.provenance))
    titles = [network.appearance.of(name).title for name in network.names]
    table = Table("variable", *(["title"] if any(titles) else []), "states", "relation", "parents")
    for variable, family in zip(network.variables, network.structure.families, strict=True):
        parents = ", ".join(network.names[parent] for parent in family.parent_indices())
        table.add_row(
            variable.name,
            *([titles[family.child] or ""] if any(titles) else []),
            ", ".join(labels_in_file(network, family.child)),
            family.relation.name_for(variable.state_count),
            parents,
        )
    console.print(table)


def _kinds_of(network: Network) -> str:
    """Return how many nodes have each relation with causes."""
    counts: dict[str, int] = {}
    for one in network.distributions:
        if one.relation.causes is not None:
            label = look_of(one.relation).label_for(one.child_states)
            counts[label] = counts.get(label, 0) + 1
    listed = [f"{count} {label}{'' if count == 1 else 's'}" for label, count in counts.items()]
    return ", ".join(listed) or "0 noisy-ORs"


def _origin(provenance: Provenance) -> str:
    if not provenance.data:
        return "of unknown origin: the file does not say what it was made from"
    settings = "".join(f", {name} {value}" for name, value in provenance.settings)
    return (
        f"made by noisyor {provenance.version} from {provenance.records} records "
        f"({provenance.data[:_FINGERPRINT_SHOWN]}){settings}"
    )


def print_networks(networks: NetworkSet) -> None:
    """Print a credible set: its size, and its best network."""
    console = results()
    weights, costs = networks.weights(), networks.costs()
    drawn = "" if networks.draws is None else f", drawn {int(networks.draws.sum())} times"
    at_least = "" if networks.complete else "at least "
    factor = networks.bayes_factor
    warm = "" if factor.temperature == 1 else f" at temperature {factor.temperature:.4g}"
    console.print(
        f"{counted(len(networks), 'different network')}{drawn}, of a credible set of {at_least}"
        f"{networks.count:,} "
        f"(Bayes factor {factor.value:g}{warm}, optimum {networks.optimum:.4f})"
    )
    for shortfall in networks.shortfalls:
        console.print(f"not complete: {shortfall}")
    best = int(costs.argmin())
    console.print(f"the best of them, with {weights[best]:.1%} of the weight:")
    print_network(networks.network(best), console)


def print_node(network: Network, name: str, explanation: "Explanation | None") -> None:
    """Print one node: what it depends on and how, and what that means."""
    console = results()
    variable = network.index(name)
    family, distribution = network.structure.families[variable], network.distributions[variable]
    own = network.variables[variable]
    console.print(f"{name}: {_said_states(own)}, {family.relation.name_for(own.state_count)}")
    blanket = ", ".join(markov_blanket(network.structure, name)) or "nothing"
    console.print(f"Markov blanket: {blanket}")
    if explanation is not None:
        for sentence in explanation.sentences():
            console.print(sentence)
        return
    if distribution.relation.causes is not None:
        console.print(_strengths_of(network, variable))
        console.print("with --data: intervals, and the strengths that no record tells")
        return
    if not distribution.relation.closed_form:
        label = look_of(distribution.relation).label
        listed = ", ".join(f"{one:.6g}" for one in distribution.parameters().tolist())
        console.print(f"parameters of the {label}: {listed}; as a table:")
    console.print(_table_of(network, variable, distribution))
    rows = configuration_count(distribution.parent_states)
    if rows > _ROWS_SHOWN:
        console.print(f"the first {_ROWS_SHOWN} of {rows} configurations")


def _said_states(variable: Variable) -> str:
    if not variable.is_binary:
        return ", ".join(variable.states)
    absent, present = variable.states
    return f"{present} (present) or {absent} (absent)"


def _table_of(network: Network, variable: int, distribution: Distribution) -> Table:
    table = distribution.expand()
    above = [network.variables[v] for v in network.structure.families[variable].parent_indices()]
    own = network.variables[variable]
    shown = Table(*(parent.name for parent in above))
    # The probability of absence is the complement.
    heads = own.states[1:] if own.is_binary else own.states
    for head in heads:
        shown.add_column(f"P({head})", justify="right")
    shown.add_column("remark")
    for row, chances in enumerate(table.table[:_ROWS_SHOWN, -len(heads) :].tolist()):
        codes = configuration_codes(row, table.parent_states)
        labels = [parent.states[code] for parent, code in zip(above, codes, strict=True)]
        remark = "never seen" if table.unseen[row] else ""
        shown.add_row(*labels, *(f"{chance:.6g}" for chance in chances), remark)
    return shown


def _strengths_of(network: Network, variable: int) -> Table:
    """Return what each cause does and how strongly, a row for each level of the child."""
    distribution = network.distributions[variable]
    model = distribution.relation.causes
    if model is None:
        raise TypeError(f"{distribution.relation} has no causes")
    parents = (network.variables[v] for v in network.structure.families[variable].parent_indices())
    words = CauseWords(network.variables[variable], tuple(parents), model)
    shown = Table("cause", "what it does")
    shown.add_column("strength", justify="right")
    shown.add_column("q", justify="right")
    for cause in distribution.causes():
        for level, q in enumerate(cause.levels, start=1):
            name = words.cause(cause) or "(leak)"
            numbers = [f"{1 - q:.6g}", f"{q:.6g}"]
            if not cause.is_seen(level):
                # A strength that no record tells may still be one that an expert gave.
                numbers = ["not identified", ""] if q == 1 else [f"{1 - q:.6g} (never seen)", ""]
            shown.add_row(name, words.statement(cause, level), *numbers)
    return shown


def explanation_summary(explanation: "Explanation") -> dict[str, object]:
    """Return the explanation of causes as JSON's own types."""
    table = explanation.table
    return {
        "level": explanation.level,
        "causes": [_cause_summary(one) for one in explanation.causes],
        "leak": [_cause_summary(one) for one in explanation.leak],
        "cost": explanation.own.cost,
        "table_cost": None if table is None else table.cost,
        "saving": explanation.saving,
        "rivals": {one.called: one.margin for one in explanation.rivals},
        "sentences": list(explanation.sentences()),
    }


def _cause_summary(one: "CauseStrength") -> dict[str, object]:
    return {
        "cause": one.cause,
        "effect": one.effect,
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
