"""What a search found, as JSON and for people."""

from collections.abc import Mapping, Sequence
from itertools import islice

from rich.console import Console
from rich.table import Table

from noisyor.cli.terminal import results
from noisyor.core import CredibleSet, Variable
from noisyor.core.bootstrap import Bootstrap
from noisyor.core.listing import counted
from noisyor.core.relation_looks import look_of
from noisyor.core.variable import BINARY
from noisyor.networks.relation_shares import relation_shares
from noisyor.runs.summaries import (
    best_families,
    credible_summary,
    parents_of,
    search_work,
    strongest_edges,
)
from noisyor.search import SearchStatistics

_NODES_SHOWN = 100
_EDGES_SHOWN = 20
_BEYOND_SHOWN = 3


def summary(
    credible: CredibleSet, statistics: SearchStatistics, seconds: Mapping[str, float]
) -> dict[str, object]:
    """Return the result of a search as JSON's own types."""
    work = search_work(statistics)
    families = {key: work.pop(key) for key in ("given", "reduced", "used")}
    return {
        **credible_summary(credible),
        "families": families,
        **work,
        "seconds": dict(seconds),
    }


def print_summary(
    credible: CredibleSet,
    seconds: float,
    variables: Sequence[Variable] | None = None,
    bootstrap: Bootstrap | None = None,
) -> None:
    """Print the result for people, with the shares of a bootstrap if there was one.

    Relations are called as for binary variables, unless the variables are given.
    """
    console = results()
    factor = credible.bayes_factor
    warm = "" if factor.temperature == 1 else f" at temperature {factor.temperature:.4g}"
    console.print(
        f"{len(credible.names)} variables, Bayes factor {factor.value:g}{warm}: networks within "
        f"{factor.slack:.4g} nats of the {'optimum' if credible.proven else 'best one found'}, "
        f"{seconds:.2f} s"
    )
    console.print(_optimum_line(credible))
    console.print(_count_line(credible))
    states = [BINARY] * len(credible.names)
    if variables is not None:
        states = [variable.state_count for variable in variables]
    _print_best(console, credible, states)
    _print_edges(console, credible, bootstrap)
    _print_causes(console, credible, states)


def _optimum_line(credible: CredibleSet) -> str:
    if credible.proven:
        return f"optimum {credible.optimum:.6f}, proven"
    if not credible.has_useful_bound:
        return (
            f"best network found {credible.optimum:.6f}, not proven to be optimal; no useful "
            "bound on the optimum is known"
        )
    gap = credible.optimum - credible.lower_bound
    return (
        f"best network found {credible.optimum:.6f}, not proven to be optimal: the optimum is at "
        f"least {credible.lower_bound:.6f}, a gap of {gap:.6f}"
    )


def _count_line(credible: CredibleSet) -> str:
    if credible.complete:
        costliest = f"the costliest costs {credible.costliest().cost:.6f}"
        return f"{counted(credible.count, 'credible network')}; {costliest}"
    sampling = credible.sampling
    if sampling is not None:
        what = "credible networks" if credible.proven else "networks near the best one found"
        known = "one is" if credible.count == 1 else "ones are"
        return (
            f"{sampling.draws:,} {what} were drawn, {credible.count:,} different {known} known: "
            "shares are estimates, ± their standard errors"
        )
    if not credible.proven:
        return (
            f"{counted(credible.count, 'network')} found within the Bayes factor of the best one "
            "found; a better one may exist, and others"
        )
    if credible.most is None:
        return f"at least {counted(credible.count, 'credible network')}"
    return f"at least {credible.count:,} and at most {counted(credible.most, 'credible network')}"


def _one_of(credible: CredibleSet) -> str:
    """Return what a single member is: of a set that is not known completely, only a find."""
    if credible.sampling is not None:
        return "sampled network"
    return "credible network" if credible.complete else "network that was found"


def _among(credible: CredibleSet) -> str:
    """Return what shares are shares of, unless all credible networks are known."""
    if credible.complete or credible.sampling is not None:
        return ""
    return f", shares of the {counted(credible.count, 'network')} found"


def _print_best(console: Console, credible: CredibleSet, states: Sequence[int]) -> None:
    table = Table("node", "parents", "relation", "cost")
    table.columns[-1].justify = "right"
    families = best_families(credible)
    for family, cost in families[:_NODES_SHOWN]:
        node = credible.names[family.child]
        parents = ", ".join(parents_of(credible, family))
        table.add_row(node, parents, family.relation.name_for(states[family.child]), f"{cost:.6f}")
    _print_table(console, f"best network{_part_shown(len(families))}", table)


def _part_shown(nodes: int) -> str:
    """Return which nodes are shown if they are too many to read."""
    if nodes <= _NODES_SHOWN:
        return ""
    return f", the first {_NODES_SHOWN} of {nodes:,} nodes (--json has all)"


def _print_table(console: Console, title: str, table: Table) -> None:
    """Print a table below its title, which may be wider than the table."""
    console.print(title, style="italic")
    console.print(table)


def _print_edges(console: Console, credible: CredibleSet, bootstrap: Bootstrap | None) -> None:
    if bootstrap is not None and not bootstrap.resamples:
        bootstrap = None  # there are no shares of no table
    edges = strongest_edges(credible)
    if not edges:
        console.print(f"no {_one_of(credible)} has an edge")
        return
    shown = min(len(edges), _EDGES_SHOWN)
    title = f"edges ({shown} of {len(edges)}, by weight){_among(credible)}"
    columns = ["edge", "networks", "weight", *([] if bootstrap is None else ["bootstrap"])]
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    resampled = {} if bootstrap is None else bootstrap.by_arc()
    for (parent, child), use in edges[:shown]:
        edge = f"{parent} -> {child}"
        error = "" if use.standard_error is None else f" ± {use.standard_error:.2%}"
        cells = [edge, f"{use.fraction:.2%}", f"{use.weight:.2%}{error}"]
        if bootstrap is not None:
            arc = resampled.get((parent, child), bootstrap.unseen_arc())
            cells.append(f"{arc.share:.0%} ± {arc.standard_error:.0%}")
        table.add_row(*cells)
    _print_table(console, title, table)
    if bootstrap is not None:
        _print_bootstrap(console, bootstrap, {edge for edge, _ in edges})


def _print_bootstrap(console: Console, bootstrap: Bootstrap, in_set: set[tuple[str, str]]) -> None:
    """Say what the shares are, and which arcs only resamples have."""
    console.print(
        f"bootstrap: the share of {bootstrap.resamples:,} resampled tables (seed {bootstrap.seed}) "
        "whose best network has the edge"
    )
    beyond = [arc for arc in bootstrap.arcs if arc.share and (arc.parent, arc.child) not in in_set]
    if beyond:
        some = ", ".join(
            f"{arc.parent} -> {arc.child} {arc.share:.0%}" for arc in beyond[:_BEYOND_SHOWN]
        )
        console.print(f"edges of resamples alone ({len(beyond)}), most often: {some}")


def _print_causes(console: Console, credible: CredibleSet, states: Sequence[int]) -> None:
    """Print how often each node is explained by causes, and by which relation."""
    shares = relation_shares(credible).by_relation
    if not shares:
        console.print(f"no {_one_of(credible)} explains a node by independent causes")
        return
    nodes = f"({len(shares)} of {len(credible.names)}){_part_shown(len(shares))}"
    title = f"nodes with independent causes {nodes}{_among(credible)}"
    table = Table("node", "relation", "networks")
    table.columns[-1].justify = "right"
    size_of = dict(zip(credible.names, states, strict=True))
    for name, own in islice(shares.items(), _NODES_SHOWN):
        for relation, share in sorted(own.items(), key=lambda one: -one[1]):
            table.add_row(name, look_of(relation).label_for(size_of[name]), f"{share:.2%}")
    _print_table(console, title, table)
