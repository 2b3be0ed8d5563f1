"""A network as read from a file of another program, and its conversion to noisyor's.

Readers turn text into `ParsedNode`s and do nothing else. The order of states is decided by
`state_orders`, and what is not a network is refused by `parsed_checks`. This module arranges the
tables and causes accordingly, parents ascending, and records how the file presented them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Distribution,
    Family,
    Network,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.appearance import Appearance, SourceDocument
from noisyor.core.network import normalised
from noisyor.core.relations import (
    Acting,
    CauseRelation,
    Effect,
    binary_table,
    cause_relation,
    full_table,
)
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import set_of
from noisyor.formats.parsed_checks import checked_numbers
from noisyor.formats.parsed_node import (
    Arrangement,
    ParsedCauses,
    ParsedNode,
    Table,
    parsed_noisy_or,
    present_at,
)
from noisyor.formats.state_orders import state_orders

__all__ = [
    "ParsedCauses",
    "ParsedNetwork",
    "ParsedNode",
    "parsed_noisy_or",
    "present_at",
    "to_network",
]


_Scalar = TypeVar("_Scalar", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNetwork:
    """The content of a file: its nodes, the cost and the origin if noisyor wrote it.

    `document` is the file's text, if the writer of its format can give back the rest of it.
    """

    nodes: tuple[ParsedNode, ...]
    provenance: Provenance
    cost: float | None = None
    title: str | None = None
    comment: str | None = None
    document: SourceDocument | None = None


def to_network(parsed: ParsedNetwork, present: Mapping[str, str] | None = None) -> Network:
    """Return the network that a file describes, variables in the file's order.

    `present` names by variable the state that means present, before anything that the file says
    (see `state_orders`). The network's appearance keeps the file's order of states.
    """
    nodes = parsed.nodes
    number = checked_numbers(nodes)
    orders = state_orders(nodes, number, present or {})
    distributions = list(map(_distribution, _families(nodes, number, orders)))
    families = (
        Family(child, set_of(number[parent] for parent in node.parents), distribution.relation)
        for child, (node, distribution) in enumerate(zip(nodes, distributions, strict=True))
    )
    return Network(
        Structure(tuple(number), tuple(families)),
        tuple(_variable(node, order) for node, order in zip(nodes, orders, strict=True)),
        tuple(distributions),
        parsed.cost,
        parsed.provenance,
        _appearance(parsed, orders),
    )


def _variable(node: ParsedNode, order: Arrangement) -> Variable:
    has_levels = isinstance(node.distribution, ParsedCauses) and len(order) > BINARY
    states = tuple(node.states[place] for place in order)
    return Variable(node.name, states, node.ordered or has_levels)


def _appearance(parsed: ParsedNetwork, orders: Sequence[Arrangement]) -> Appearance:
    nodes = {
        node.name: replace(
            node.appearance, order=tuple(order.index(place) for place in range(len(order)))
        )
        for node, order in zip(parsed.nodes, orders, strict=True)
    }
    return Appearance(parsed.title, parsed.comment, nodes, parsed.document)


@dataclass(frozen=True, slots=True, eq=False)
class _ArrangedFamily:
    """A node with its parents in ascending order: the t-th is the `order[t]`-th of the file.

    `own` and `above` arrange the states of the node and of each parent, in the file's order.
    """

    node: ParsedNode
    order: Arrangement
    own: Arrangement
    above: tuple[Arrangement, ...]

    @property
    def is_binary(self) -> bool:
        """Whether the node and its parents have two states."""
        return all(len(states) == BINARY for states in (self.own, *self.above))

    def axes(self, values: Table) -> tuple[Table, npt.NDArray[np.bool_]]:
        """Return the table, an axis per parent and its own last, and the unseen configurations."""
        table = normalised(values)
        unseen = np.zeros(table.shape[:-1], dtype=np.bool_)
        if self.node.unseen is not None:
            unseen = np.asarray(self.node.unseen)
        if self.above:
            unseen = unseen[np.ix_(*self.above)]
        table = table[np.ix_(*self.above, self.own)]
        return table.transpose((*self.order, table.ndim - 1)), unseen.transpose(self.order)

    def by_state(
        self, parents: Sequence[npt.NDArray[_Scalar]], leak: npt.NDArray[_Scalar]
    ) -> list[npt.NDArray[_Scalar]]:
        """Return what the file has for each state of its parents, arranged, and then the leak's."""
        arranged = [parents[place][list(self.above[place])] for place in self.order]
        return [*arranged, leak.reshape(1, -1)]


def _families(
    nodes: Sequence[ParsedNode], number: Mapping[str, int], orders: Sequence[Arrangement]
) -> Iterator[_ArrangedFamily]:
    for child, node in enumerate(nodes):
        given = [number[parent] for parent in node.parents]
        ascending = tuple(sorted(range(len(given)), key=given.__getitem__))
        yield _ArrangedFamily(node, ascending, orders[child], tuple(orders[v] for v in given))


def _distribution(family: _ArrangedFamily) -> Distribution:
    """Return the distribution of a node; causes of the file stay causes."""
    values = family.node.distribution
    if isinstance(values, ParsedCauses):
        return _causes(values, family)
    table, unseen = family.axes(values)
    if not family.is_binary:
        return full_table(table, unseen)
    # Bit t of a configuration is the t-th parent: the first axis varies fastest.
    return binary_table(table[..., 1].ravel(order="F"), unseen.ravel(order="F"))


def _causes(values: ParsedCauses, family: _ArrangedFamily) -> Distribution:
    """Return the relation that the causes of a file are, given the order of the states.

    If each parent is idle in its first state and the node's states ascend, they are a noisy-OR or a
    noisy-MAX; turned round, a noisy-AND or a noisy-MIN. Anything else is signed, which has a leak.
    """
    effect = Effect.MAX if values.weakest_first == family.own else Effect.MIN
    own = len(family.own)
    sizes = tuple(len(family.above[place]) for place in family.order)
    leak = np.ones(own - 1) if values.leak_q is None else values.leak_q
    q = family.by_state(values.q, leak)
    idle = 0 if effect is Effect.MAX else -1
    plain = not values.signed and all((one[idle] == 1).all() for one in q[:-1])
    relation = cause_relation(effect, leak=True, acting=Acting.ANY)
    if plain:
        relation = cause_relation(effect, leak=values.leak_q is not None)
    made = relation.distribution(_columns(relation, q), own, sizes)
    if values.unseen is None:
        return made
    *marks, of_leak = values.unseen
    return made.marked(_columns(relation, family.by_state(marks, of_leak)))


def _columns(
    relation: CauseRelation, by_state: Sequence[npt.NDArray[_Scalar]]
) -> npt.NDArray[_Scalar]:
    """Return the rows of the causes that a relation has, those of the leak last."""
    *parents, leak = by_state
    columns = [one[list(relation.model.acting_states(len(one)))] for one in parents]
    return np.concatenate([*columns, leak] if relation.model.leak else columns)
