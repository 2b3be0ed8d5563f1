"""What a search found, as JSON and for people."""

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from noisyor.cli.terminal import results
from noisyor.core import CredibleSet, Family
from noisyor.core.credible_set import Use
from noisyor.networks.relation_shares import relation_shares
from noisyor.search import SearchStatistics

_EDGES_SHOWN = 20


def summary(
    credible: CredibleSet, statistics: SearchStatistics | None, seconds: Mapping[str, float]
) -> dict[str, object]:
    """Return the result as JSON's own types."""
    return {
        "variables": len(credible.names),
        "bayes_factor": credible.bayes_factor.value,
        "slack": credible.bayes_factor.slack,
        "labels": str(credible.labels),
        "optimum": credible.optimum,
        "lower_bound": credible.lower_bound,
        "proven": credible.proven,
        "networks": credible.count,
        "networks_at_most": credible.count if credible.complete else credible.most,
        "complete": credible.complete,
        "shortfalls": list(credible.shortfalls),
        "notes": list(credible.notes),
        "noisy_or": _noisy_or_summary(credible),
        "best": [
            {
                "node": credible.names[family.child],
                "parents": _parents(credible, family),
                "relation": family.relation.name,
                "cost": cost,
            }
            for family, cost in _best_families(credible)
        ],
        "costliest": credible.costliest().cost if credible.complete else None,
        "edges": [
            {
                "parent": parent,
                "child": child,
                "networks": use.networks,
                "fraction": use.fraction,
                "weight": use.weight,
                "best_with": use.best_with,
                "best_without": use.best_without,
            }
            for (parent, child), use in _strongest_edges(credible)
        ],
        **({} if statistics is None else _work(statistics)),
        "seconds": dict(seconds),
    }


def _work(statistics: SearchStatistics) -> dict[str, object]:
    """Return how the networks were found."""
    return {
        "families": {
            "given": statistics.families_given,
            "reduced": statistics.families_reduced,
            "used": statistics.families_used,
        },
        "lp": {
            "bound": statistics.lower_bound,
            "gap": statistics.lp_gap,
            "rounds": statistics.lp_rounds,
            "cuts": statistics.cuts,
        },
        "branches": statistics.branches,
        "subsets": statistics.subsets,
        "nodes": statistics.nodes,
    }


def print_summary(credible: CredibleSet, seconds: float) -> None:
    """Print the result for people."""
    console = results()
    console.print(
        f"{len(credible.names)} variables, Bayes factor {credible.bayes_factor.value:g}: networks "
        f"within {credible.bayes_factor.slack:.4g} nats of the optimum, {seconds:.2f} s"
    )
    console.print(_optimum_line(credible))
    console.print(_count_line(credible))
    _print_best(console, credible)
    _print_edges(console, credible)
    _print_noisy_or(console, credible)


def _optimum_line(credible: CredibleSet) -> str:
    if credible.proven:
        return f"optimum {credible.optimum:.6f}, proven"
    gap = credible.optimum - credible.lower_bound
    return (
        f"best network found {credible.optimum:.6f}, not proven to be optimal: the optimum is at "
        f"least {credible.lower_bound:.6f}, a gap of {gap:.6f}"
    )


def _count_line(credible: CredibleSet) -> str:
    if credible.complete:
        plural = "" if credible.count == 1 else "s"
        costliest = f"the costliest costs {credible.costliest().cost:.6f}"
        return f"{credible.count:,} credible network{plural}; {costliest}"
    most = "" if credible.most is None else f" and at most {credible.most:,}"
    return f"at least {credible.count:,}{most} credible networks"


def _print_best(console: Console, credible: CredibleSet) -> None:
    table = Table("node", "parents", "relation", "cost", title="best network", title_justify="left")
    table.columns[-1].justify = "right"
    for family, cost in _best_families(credible):
        node = escape(credible.names[family.child])
        parents = escape(", ".join(_parents(credible, family)))
        table.add_row(node, parents, family.relation.name, f"{cost:.6f}")
    console.print(table)


def _print_edges(console: Console, credible: CredibleSet) -> None:
    edges = _strongest_edges(credible)
    if not edges:
        console.print("no credible network has an edge")
        return
    shown = min(len(edges), _EDGES_SHOWN)
    title = f"edges ({shown} of {len(edges)}, by weight)"
    table = Table("edge", "networks", "weight", title=title, title_justify="left")
    for column in table.columns[1:]:
        column.justify = "right"
    for (parent, child), use in edges[:shown]:
        edge = escape(f"{parent} -> {child}")
        table.add_row(edge, f"{use.fraction:.2%}", f"{use.weight:.2%}")
    console.print(table)


def _print_noisy_or(console: Console, credible: CredibleSet) -> None:
    shares = relation_shares(credible).fractions
    if not shares:
        console.print("no credible network has a noisy-OR")
        return
    title = f"noisy-ORs ({len(shares)} of {len(credible.names)} nodes)"
    table = Table("node", "networks", title=title, title_justify="left")
    table.columns[1].justify = "right"
    for name, share in shares.items():
        table.add_row(escape(name), f"{share:.2%}")
    console.print(table)


def _best_families(credible: CredibleSet) -> list[tuple[Family, float]]:
    costs = {use.family: use.cost for use in credible.families}
    return [(family, costs[family]) for family in credible.best.families]


def _parents(credible: CredibleSet, family: Family) -> list[str]:
    return [credible.names[parent] for parent in family.parent_indices()]


def _strongest_edges(credible: CredibleSet) -> list[tuple[tuple[str, str], Use]]:
    """Return the edges of greatest weight first."""
    return sorted(credible.edges().items(), key=lambda item: (-item[1].weight, item[0]))


def _noisy_or_summary(credible: CredibleSet) -> dict[str, object]:
    """Return the columns of table 2 in Sharma et al. (2020), and the percentages behind them."""
    shares = relation_shares(credible)
    return {
        "nodes": shares.nodes,
        "average_percent": shares.average_percent,
        "maximum_percent": shares.maximum_percent,
        "percent_by_node": {name: 100 * share for name, share in shares.fractions.items()},
    }
