"""The cost of a given graph, with the best relation at each node."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from noisyor.core import BIC, Dataset, Family, Prior, Relation, Score, Structure, Variable
from noisyor.core.errors import InfeasibleFitError, MismatchError, TableSizeError
from noisyor.core.listing import listed
from noisyor.core.relations import RelationChoice, relations_from, root_relation
from noisyor.core.score import check_score, score_named
from noisyor.core.tolerance import is_within
from noisyor.fitting import FittedFamily, Fitter, fit


@dataclass(frozen=True, slots=True)
class RelationCost:
    """One relation at one node: its fit, or the reason why there is none."""

    relation: Relation
    fit: FittedFamily | None
    reason: str | None = None

    def __post_init__(self) -> None:
        """Refuse both a fit and a reason, or neither."""
        if (self.fit is None) == (self.reason is None):
            raise ValueError("either a fit or the reason why there is none")

    @property
    def cost(self) -> float | None:
        """The cost in nats; None without a fit, see `reason`."""
        return None if self.fit is None else self.fit.cost


@dataclass(frozen=True, slots=True)
class NodeCost:
    """One node with its parents: the cost of each relation, and the chosen one.

    `options` are in the order of preference; `fit` is that of the chosen relation.
    """

    name: str
    fit: FittedFamily
    options: tuple[RelationCost, ...]

    @property
    def relation(self) -> Relation:
        """The chosen relation."""
        return self.fit.family.relation

    @property
    def cost(self) -> float:
        """The cost of the chosen relation."""
        return self.fit.cost

    @property
    def margin(self) -> float | None:
        """By how much the next best relation costs more, in nats: 0 on a tie, None without one."""
        others = [
            option.cost
            for option in self.options
            if option.cost is not None and option.relation != self.relation
        ]
        return max(min(others) - self.cost, 0.0) if others else None


@dataclass(frozen=True, slots=True)
class StructureCost:
    """The cost of a graph: the sum over its nodes, each with its best relation."""

    structure: Structure
    nodes: tuple[NodeCost, ...]

    @property
    def total(self) -> float:
        """The cost of the whole network in nats; lower is better."""
        return math.fsum(node.cost for node in self.nodes)


def score_structure(  # noqa: PLR0913  (each option is one that a user names)
    data: Dataset,
    structure: Structure | Sequence[tuple[str, str]],
    *,
    score: str | Score = BIC,
    relations: RelationChoice | None = None,
    prior: Prior | None = None,
    fitter: Fitter | str = Fitter.NEWTON,
) -> StructureCost:
    """Score a graph, choosing the best relation at each node.

    A score is a sum over the nodes, so the cheapest relation at each node makes the cheapest
    network on this graph. A tie within the tolerance goes to the earlier relation, the full table
    first.

    Parameters
    ----------
    data
        The records.
    structure
        The graph: a Structure, whose own relations are ignored, or (parent, child) pairs of names.
    score
        The score, or its name.
    relations
        The relations that compete at each node: names, values, or a group: `default` (full
        tables and leaky noisy-ORs), `paper` (full tables and noisy-ORs) or `all`. By default
        `default`, or full tables alone if the score is defined for no others.
    prior
        How likely arcs and relations are beforehand, a part of the cost.
    fitter
        How likelihoods without a closed form are maximised (see `Fitter`).
    """
    if not isinstance(structure, Structure):
        structure = Structure.from_edges(data.names, structure)
    if structure.names != data.names:
        raise MismatchError(
            f"the graph is over {listed(structure.names)}, the table over "
            f"{listed(data.names)}; they must be the same variables in the same order"
        )
    chosen = score_named(score)
    allowed = relations_from(chosen.default_relations if relations is None else relations)
    check_score(chosen, allowed)
    believed = prior or Prior.none()
    believed.check_names(data.names)
    fit_one = partial(fit, data, score=chosen, structure_prior=believed, fitter=fitter)
    nodes = tuple(_node_cost(data, family, allowed, fit_one) for family in structure.families)
    return StructureCost(Structure(data.names, tuple(node.fit.family for node in nodes)), nodes)


def _node_cost(
    data: Dataset,
    family: Family,
    relations: Sequence[Relation],
    fit_one: Callable[[Family], FittedFamily],
) -> NodeCost:
    if not family.parents:
        relations = (root_relation(),)
    options = []
    child = data.variables[family.child]
    parents = [data.variables[parent] for parent in family.parent_indices()]
    for relation in relations:
        if not relation.supports(child, parents):
            options.append(RelationCost(relation, None, _undefined(relation, child)))
            continue
        one = Family(family.child, family.parents, relation)
        try:
            options.append(RelationCost(relation, fit_one(one)))
        except (InfeasibleFitError, TableSizeError) as error:
            options.append(RelationCost(relation, None, str(error)))
    fits = [option.fit for option in options if option.fit is not None]
    if not fits:
        raise InfeasibleFitError(
            f"no relation fits {data.names[family.child]!r} with these parents: "
            + "; ".join(f"{option.relation}: {option.reason}" for option in options)
        )
    # A relation that is no simpler than the full table does not compete, whatever its weight.
    competing = [one for one in fits if len(parents) >= one.family.relation.least_parents] or fits
    lowest = min(one.cost for one in competing)
    chosen = next(one for one in competing if is_within(one.cost, lowest))
    return NodeCost(data.names[family.child], chosen, tuple(options))


def _undefined(relation: Relation, child: Variable) -> str:
    """Return why a relation is not defined for a child."""
    if relation.causes is not None and not child.has_order:
        return f"the {child.state_count} states of {child.name!r} have no order"
    return f"{relation} is not defined for the states of {child.name!r} and its parents"
