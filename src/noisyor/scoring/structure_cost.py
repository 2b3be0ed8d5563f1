"""What a given graph costs, with the better relation at each node."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from noisyor.core import BIC, Dataset, Family, Relation, Score, Structure
from noisyor.core.errors import InfeasibleFitError, MismatchError, TableSizeError
from noisyor.core.relations import PAPER_RELATIONS, relations_from, root_relation
from noisyor.core.tolerance import is_within
from noisyor.fitting import FittedFamily, Fitter, fit


@dataclass(frozen=True, slots=True)
class RelationCost:
    """One relation at one node: its fit, or why it has none."""

    relation: Relation
    fit: FittedFamily | None
    reason: str | None = None

    def __post_init__(self) -> None:
        """Refuse a fit with a reason for its absence, and neither."""
        if (self.fit is None) == (self.reason is None):
            raise ValueError("either a fit or the reason why there is none")

    @property
    def cost(self) -> float | None:
        """The cost in nats; nothing where it is infinite or out of reach, see `reason`."""
        return None if self.fit is None else self.fit.cost


@dataclass(frozen=True, slots=True)
class NodeCost:
    """One node with its parents: what each relation costs, and which is chosen.

    `options` are in the order of preference; `fit` is that of the chosen one. `margin` is by how
    much the next best relation costs more: 0 on a tie, nothing where there is no other.
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
        """How much the next best relation costs more, in nats."""
        others = [
            option.cost
            for option in self.options
            if option.cost is not None and option.relation != self.relation
        ]
        return max(min(others) - self.cost, 0.0) if others else None


@dataclass(frozen=True, slots=True)
class StructureCost:
    """The cost of a graph: the sum over its nodes, each with its better relation."""

    structure: Structure
    nodes: tuple[NodeCost, ...]

    @property
    def total(self) -> float:
        """The cost of the whole network in nats, lower is better."""
        return math.fsum(node.cost for node in self.nodes)


def score_structure(
    data: Dataset,
    structure: Structure | Sequence[tuple[str, str]],
    *,
    score: str | Score = BIC,
    relations: Iterable[Relation | str] = PAPER_RELATIONS,
    fitter: Fitter | str = Fitter.NEWTON,
) -> StructureCost:
    """Price a graph, choosing the better relation at each node.

    The graph is a Structure, whose own relations are disregarded, or (parent, child) pairs of
    names. A score is a sum over the nodes, so the cheapest relation at each makes the cheapest
    network on this graph. A tie within the tolerance goes to the earlier relation, the full table
    first.
    """
    if not isinstance(structure, Structure):
        structure = Structure.from_edges(data.names, structure)
    if structure.names != data.names:
        raise MismatchError(
            f"the graph is over {', '.join(structure.names)}, the table over "
            f"{', '.join(data.names)}; they must be the same variables in the same order"
        )
    allowed = relations_from(relations)
    nodes = tuple(_price(data, family, score, allowed, fitter) for family in structure.families)
    return StructureCost(Structure(data.names, tuple(node.fit.family for node in nodes)), nodes)


def _price(
    data: Dataset,
    family: Family,
    score: str | Score,
    relations: Sequence[Relation],
    fitter: Fitter | str,
) -> NodeCost:
    if not family.parents:
        relations = (root_relation(),)
    options = []
    for relation in relations:
        one = Family(family.child, family.parents, relation)
        try:
            options.append(RelationCost(relation, fit(data, one, score=score, fitter=fitter)))
        except (InfeasibleFitError, TableSizeError) as error:
            options.append(RelationCost(relation, None, str(error)))
    fits = [option.fit for option in options if option.fit is not None]
    if not fits:
        raise InfeasibleFitError(
            f"no relation fits {data.names[family.child]!r} with these parents: "
            + "; ".join(f"{option.relation}: {option.reason}" for option in options)
        )
    lowest = min(one.cost for one in fits)
    chosen = next(one for one in fits if is_within(one.cost, lowest))
    return NodeCost(data.names[family.child], chosen, tuple(options))
