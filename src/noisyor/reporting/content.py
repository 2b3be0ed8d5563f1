"""Everything that a report shows, as JSON types, in the shape of `content_shape`."""

import math
from collections.abc import Collection, Mapping
from itertools import chain, islice
from typing import Any

import numpy as np

from noisyor.core import (
    BIC,
    Constraints,
    CredibleSet,
    Dataset,
    MismatchError,
    NetworkSet,
    Prior,
    Score,
    SettingsError,
)
from noisyor.core.bootstrap import Bootstrap
from noisyor.core.relations import all_relations
from noisyor.networks.cause_words import presence_of
from noisyor.reporting.content_shape import (
    ArcShare,
    BootstrapFacts,
    Content,
    KnownSet,
    Node,
    Others,
    SampleFacts,
    Variable,
)
from noisyor.reporting.family_content import rounded_cost, rounded_share, with_parameters
from noisyor.reporting.live_content import live_set

FORMAT = "noisyor report"
VERSION = 4

MOST_FAMILIES = 12
"""The most families of a node that are shown one by one; with very many nodes, fewer."""

LEAST_FAMILIES = 3
"""The most families of a node that are shown one by one, however many nodes there are."""

MOST_EXPLAINED = 2
"""The most families per node that get intervals and reasons, besides the best network's."""

MOST_EXPLAINED_BESIDES = 500
"""The most families of all nodes that are explained besides the best network's; each is slow."""

MOST_SHOWN = 4_000
"""The most families with parameters, which are most of a page; fewer members are listed then."""

Json = dict[str, Any]


def report_content(  # noqa: PLR0913  (what a page shows)
    credible: CredibleSet,
    data: Dataset,
    run: Mapping[str, object],
    *,
    networks: NetworkSet | None = None,
    members: int = 50,
    score: Score = BIC,
    structure_prior: Prior | None = None,
    bootstrap: Bootstrap | None = None,
    constraints: Constraints | None = None,
) -> Json:
    """Return the contents of a report on a credible set, its records, and the run.

    Parameters
    ----------
    credible
        The credible set.
    data
        The records that it was learned from.
    run
        How the run went: JSON types, any keys; numbers that JSON does not have become null.
    networks
        The networks of the set with their parameters, of which the page can be asked; without them
        it cannot.
    members
        The most members that are listed; they are the best ones. Fewer are, if their families
        would be more than `MOST_SHOWN`.
    score
        The score that the set was learned by.
    structure_prior
        The prior of arcs and relations that it was learned with.
    bootstrap
        Arc strengths from resampled tables, if there are any.
    constraints
        What was known of the network; tiers become columns of the picture.

    Raises
    ------
    MismatchError
        The set was learned from other records.

    """
    if networks is not None and networks.names != credible.names:
        raise MismatchError("the networks and the credible set have different variables")
    if data.names != credible.names:
        raise MismatchError(
            "the records and the credible set have different variables or orders of variables: "
            f"{', '.join(data.names)} and {', '.join(credible.names)}"
        )
    if members < 1:
        raise SettingsError(f"the most members to show is {members}; it must be at least 1")
    listed = credible.members.best(min(members, credible.count))
    place_of = {use.family: place for place, use in enumerate(credible.families)}
    best = [place_of[family] for family in credible.best.families]
    heaviest = _heaviest(credible)
    most = families_per_node(len(heaviest))
    first = {*best, *chain.from_iterable(node[:most] for node in heaviest)}
    rows = _affordable(listed.families.tolist(), first)
    shown = sorted({*first, *chain.from_iterable(rows)})
    number = {place: at for at, place in enumerate(shown)}
    explained = _explained(credible, best, heaviest)
    found = {use.family.relation for use in credible.families}
    competing = [relation for relation in all_relations() if relation in found]
    arcs = arc_shares(credible)
    tiers = None if constraints is None else constraints.tiers()
    content: Content = {
        "format": FORMAT,
        "version": VERSION,
        "title": None,
        "records": data.record_count,
        "variables": _variables(data),
        "set": _set(credible, arcs, shown),
        "arcs": arcs,
        "families": [
            with_parameters(
                data,
                credible.families[place],
                score,
                structure_prior,
                explained=place in explained,
                relations=competing,
            )
            for place in shown
        ],
        "nodes": [_node(credible, places, number, most) for places in heaviest],
        "best": [number[place] for place in best],
        "members": [
            {"cost": rounded_cost(cost), "families": [number[place] for place in row]}
            for row, cost in zip(rows, listed.costs.tolist()[: len(rows)], strict=True)
        ],
        "live": None if networks is None else live_set(networks),
        "bootstrap": _bootstrap(bootstrap, credible, arcs),
        "tiers": None if tiers is None else list(tiers),
        "run": json_value(dict(run), "run"),
    }
    return dict(content)


def json_value(value: object, where: str) -> Any:  # noqa: ANN401  (JSON types)
    """Return a copy of a JSON value; numbers that JSON does not have become null."""
    if isinstance(value, Mapping):
        return {str(key): json_value(one, f"{where}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(one, f"{where}[{at}]") for at, one in enumerate(value)]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return str(value)  # turns an enumeration into its name
    if value is None or isinstance(value, (bool, int)):
        return value
    raise TypeError(f"{where} is a {type(value).__name__}; a report holds JSON types")


def families_per_node(nodes: int) -> int:
    """Return how many families of each node are shown one by one, so that a page stays small."""
    return min(max(LEAST_FAMILIES, 3 * MOST_SHOWN // (4 * nodes)), MOST_FAMILIES)


def _heaviest(credible: CredibleSet) -> list[list[int]]:
    """Return the places of each variable's families, the heaviest first; ties by cost."""
    own: list[list[int]] = [[] for _ in credible.names]
    for at, use in enumerate(credible.families):
        own[use.family.child].append(at)
    for places in own:
        places.sort(key=lambda at: (-credible.families[at].weight, credible.families[at].cost))
    return own


def _affordable(rows: list[list[int]], first: Collection[int]) -> list[list[int]]:
    """Return the best members whose families, with the `first`, are not too many; at least one."""
    shown = set(first)
    for count, row in enumerate(rows):
        shown.update(row)
        if count and len(shown) > MOST_SHOWN:
            return rows[:count]
    return rows


def _explained(credible: CredibleSet, best: list[int], heaviest: list[list[int]]) -> set[int]:
    """Return the places of the families to explain: only some, since each is slow."""

    def has_causes(place: int) -> bool:
        return credible.families[place].family.relation.causes is not None

    most = min(MOST_EXPLAINED, MOST_EXPLAINED_BESIDES // len(heaviest))
    own = families_per_node(len(heaviest))
    some = (islice(filter(has_causes, node[:own]), most) for node in heaviest)
    return {*chain.from_iterable(some), *filter(has_causes, best)}


def _variables(data: Dataset) -> list[Variable]:
    return [
        {
            "name": variable.name,
            "states": list(variable.states),
            "presence": presence_of(variable),
            "records": np.rint(data.state_counts(number) / data.copies).astype(int).tolist(),
        }
        for number, variable in enumerate(data.variables)
    ]


def _set(credible: CredibleSet, arcs: list[ArcShare], shown: list[int]) -> KnownSet:
    return {
        "networks": credible.count,
        "most": credible.most,
        "complete": credible.complete,
        "proven": credible.proven,
        "optimum": rounded_cost(credible.optimum),
        "lower_bound": _finite(credible.lower_bound) if credible.has_useful_bound else None,
        "bayes_factor": credible.bayes_factor.value,
        "temperature": credible.bayes_factor.temperature,
        "slack": rounded_cost(credible.bayes_factor.slack),
        "labels": str(credible.labels),
        "shortfalls": list(credible.shortfalls),
        "notes": list(credible.notes),
        "sampling": _sampling(credible, arcs, shown),
    }


def _sampling(credible: CredibleSet, arcs: list[ArcShare], shown: list[int]) -> SampleFacts | None:
    """Return what a sample says of its own precision; None if the set was enumerated."""
    sampling = credible.sampling
    if sampling is None:
        return None
    names, errors = credible.names, credible.edges()
    of_arcs = [errors[names[arc["parent"]], names[arc["child"]]].standard_error for arc in arcs]
    return {
        "draws": sampling.draws,
        "chains": sampling.chains,
        "r_hat": None if sampling.r_hat is None else _finite(sampling.r_hat),
        "effective": rounded_share(sampling.effective),
        "arc_errors": [rounded_share(error) for error in of_arcs if error is not None],
        "family_errors": [rounded_share(sampling.standard_error([place])) for place in shown],
    }


def _bootstrap(
    bootstrap: Bootstrap | None, credible: CredibleSet, arcs: list[ArcShare]
) -> BootstrapFacts | None:
    """Return the strengths of the listed arcs in resampled tables, and the arcs beyond them."""
    if bootstrap is None or not bootstrap.resamples:  # there are no shares of no table
        return None
    names, found = credible.names, bootstrap.by_arc()
    place = {name: at for at, name in enumerate(names)}
    none = bootstrap.unseen_arc()
    own = [found.pop((names[arc["parent"]], names[arc["child"]]), none) for arc in arcs]
    weights = [rounded_share(arc.weight) for arc in own if arc.weight is not None]
    return {
        "asked": bootstrap.asked,
        "resamples": bootstrap.resamples,
        "seed": bootstrap.seed,
        "unproven": bootstrap.unproven,
        "shares": [rounded_share(arc.share) for arc in own],
        "errors": [rounded_share(arc.standard_error) for arc in own],
        "weights": weights if bootstrap.has_weights else None,
        "beyond": [
            {
                "parent": place[arc.parent],
                "child": place[arc.child],
                "share": rounded_share(arc.share),
            }
            for arc in found.values()
            if arc.share
        ],
    }


def _finite(cost: float) -> float | None:
    """Return a cost, or None if it is infinite."""
    return rounded_cost(cost) if math.isfinite(cost) else None


def arc_shares(credible: CredibleSet) -> list[ArcShare]:
    """Return the arcs of a credible set with their shares, the heaviest first."""
    number = {name: at for at, name in enumerate(credible.names)}
    in_best = set(credible.best.edges())
    arcs: list[ArcShare] = [
        {
            "parent": number[parent],
            "child": number[child],
            "networks": use.networks,
            "fraction": rounded_share(use.fraction),
            "weight": rounded_share(use.weight),
            "in_best": (parent, child) in in_best,
        }
        for (parent, child), use in credible.edges().items()
    ]
    return sorted(arcs, key=lambda arc: (-arc["weight"], arc["parent"], arc["child"]))


def _node(credible: CredibleSet, places: list[int], number: dict[int, int], most: int) -> Node:
    relations: dict[str, float] = {}
    for place in places:
        use = credible.families[place]
        name = use.family.relation.name
        relations[name] = relations.get(name, 0.0) + use.weight
    without = math.fsum(
        credible.families[place].weight
        for place in places
        if not credible.families[place].family.parents
    )
    rest = [credible.families[place] for place in places[most:]]
    others: Others | None = None
    if rest:
        networks = sum(use.networks for use in rest)
        others = {
            "families": len(rest),
            "networks": networks,
            "weight": rounded_share(math.fsum(use.weight for use in rest)),
        }
    return {
        "relations": {name: rounded_share(weight) for name, weight in relations.items()},
        "no_parents": rounded_share(without),
        "families": [number[place] for place in places[:most]],
        "others": others,
    }
