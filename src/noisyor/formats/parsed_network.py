"""A network as read from a file of another program, and its conversion to noisyor's.

Readers turn text into `ParsedNode`s and do nothing else. This module decides which state means
present, sorts parents in ascending order, and refuses what is not a network.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Distribution,
    Family,
    FormatError,
    Network,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.configurations import MAX_EXPANDED_PARENTS
from noisyor.core.constraints import find_cycle
from noisyor.core.network import ROW_TOLERANCE, normalised
from noisyor.core.relations import Acting, Effect, binary_table, cause_relation, full_table
from noisyor.core.state_words import place_of_present
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import MAX_NODES, set_of

Table = npt.NDArray[np.float64]
Arrangement = tuple[int, ...]
"""The positions of a node's states in the file, in the order of the network's variable."""


@dataclass(frozen=True, slots=True)
class ParsedNoisyOr:
    """A noisy-OR of a file: for each parent, the state that acts and the probability that it fails.

    `effect` is the state of the child that the causes produce. `leak_q` is None without a leak.
    """

    q: tuple[float, ...]
    leak_q: float | None
    acting: tuple[int, ...]
    effect: int


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNode:
    """One variable of a file: states and parents in the file's order, and how it depends on them.

    A table has one axis per parent and a last one for the node's own states. `present` is the
    state that means present, where the file says so, and `unseen` the configurations that no
    record had, one axis per parent. `place` says where in the file, for messages.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    distribution: Table | ParsedNoisyOr
    place: str
    present: int | None = None
    unseen: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNetwork:
    """The content of a file: its nodes, and the cost and the origin if noisyor wrote it."""

    nodes: tuple[ParsedNode, ...]
    provenance: Provenance
    cost: float | None = None


def to_network(parsed: ParsedNetwork, present: Mapping[str, str] | None = None) -> Network:
    """Return the binary network that a file describes, variables in the file's order.

    The state that means present is the first of these that applies: the one that `present` names;
    the one that the file names; the one that acts or is produced in a noisy-OR; the accepted word
    for present; the first state, as in GeNIe.
    """
    nodes = parsed.nodes
    number = _numbers(nodes)
    for node in nodes:
        if len(node.states) != BINARY:
            raise FormatError(
                f"{node.place}: {node.name!r} has {len(node.states)} states "
                f"({', '.join(node.states)}); noisyor's networks are binary. read_discrete_network "
                "reads such a file, and binarize_network groups its states into two"
            )
    places = _places_of_present(nodes, number, present or {})
    arranged = [(1 - place, place) for place in places]
    distributions = list(map(_binary, _families(nodes, number, arranged)))
    return _network(parsed, arranged, distributions, parsed.cost)


def to_discrete(parsed: ParsedNetwork) -> Network:
    """Return the network that a file describes, with noisy-ORs written out as tables.

    States are in the file's order. Only if the file says which of two states means present does
    that one come second, as everywhere in noisyor.
    """
    nodes = parsed.nodes
    number = _numbers(nodes)
    arranged: list[Arrangement] = [
        (1 - node.present, node.present)
        if node.present is not None and len(node.states) == BINARY
        else tuple(range(len(node.states)))
        for node in nodes
    ]
    distributions = [full_table(*family.axes()) for family in _families(nodes, number, arranged)]
    # As tables, noisy-ORs have other costs, and so has the network.
    as_told = not any(isinstance(node.distribution, ParsedNoisyOr) for node in nodes)
    return _network(parsed, arranged, distributions, parsed.cost if as_told else None)


@dataclass(frozen=True, slots=True, eq=False)
class _ArrangedFamily:
    """A node with its parents in ascending order: the t-th is the `order[t]`-th of the file.

    `own` and `above` arrange the states of the node and of each parent, in the file's order.
    """

    node: ParsedNode
    order: Arrangement
    own: Arrangement
    above: tuple[Arrangement, ...]

    def axes(self) -> tuple[Table, npt.NDArray[np.bool_]]:
        """Return the table, an axis per parent and its own last, and the unseen configurations."""
        table = _table(self.node)
        unseen = np.zeros(table.shape[:-1], dtype=np.bool_)
        if self.node.unseen is not None:
            unseen = np.asarray(self.node.unseen)
        if self.above:
            unseen = unseen[np.ix_(*self.above)]
        table = table[np.ix_(*self.above, self.own)]
        return table.transpose((*self.order, table.ndim - 1)), unseen.transpose(self.order)


def _families(
    nodes: Sequence[ParsedNode], number: Mapping[str, int], arranged: Sequence[Arrangement]
) -> Iterator[_ArrangedFamily]:
    for child, node in enumerate(nodes):
        given = [number[parent] for parent in node.parents]
        order = tuple(sorted(range(len(given)), key=given.__getitem__))
        yield _ArrangedFamily(node, order, arranged[child], tuple(arranged[v] for v in given))


def _network(
    parsed: ParsedNetwork,
    arranged: Sequence[Arrangement],
    distributions: Sequence[Distribution],
    cost: float | None,
) -> Network:
    """Return the network of a file's nodes with these distributions."""
    number = {node.name: place for place, node in enumerate(parsed.nodes)}
    families = (
        Family(child, set_of(number[parent] for parent in node.parents), distribution.relation)
        for child, (node, distribution) in enumerate(zip(parsed.nodes, distributions, strict=True))
    )
    variables = (
        Variable(node.name, tuple(node.states[place] for place in places))
        for node, places in zip(parsed.nodes, arranged, strict=True)
    )
    return Network(
        Structure(tuple(number), tuple(families)),
        tuple(variables),
        tuple(distributions),
        cost,
        parsed.provenance,
    )


def _numbers(nodes: Sequence[ParsedNode]) -> dict[str, int]:
    """Return the variables' numbers; refuse names and edges that no network can have."""
    if not 1 <= len(nodes) <= MAX_NODES:
        raise FormatError(f"it has {len(nodes)} variables; 1 to {MAX_NODES} are supported")
    number: dict[str, int] = {}
    for node in nodes:
        if not node.name.strip():
            raise FormatError(f"{node.place}: a variable has an empty name")
        if len(set(node.states)) != len(node.states):
            raise FormatError(
                f"{node.place}: the states of {node.name!r} must differ; they are: "
                f"{', '.join(node.states)}"
            )
        if node.name in number:
            raise FormatError(f"{node.place}: the variable {node.name!r} occurs twice")
        number[node.name] = len(number)
    _check_edges(nodes, number)
    for node in nodes:
        _check_distribution(node)
    return number


def _check_edges(nodes: Sequence[ParsedNode], number: Mapping[str, int]) -> None:
    for node in nodes:
        for parent in node.parents:
            if parent not in number:
                raise FormatError(
                    f"{node.place}: {node.name!r} has the parent {parent!r}, which is not a "
                    f"variable of the file"
                )
        if len(set(node.parents)) != len(node.parents):
            raise FormatError(f"{node.place}: {node.name!r} has the same parent twice")
        if node.name in node.parents:
            raise FormatError(f"{node.place}: {node.name!r} is its own parent")
    cycle = find_cycle([set_of(number[parent] for parent in node.parents) for node in nodes])
    if cycle:
        path = " -> ".join(nodes[v].name for v in (*cycle, cycle[0]))
        raise FormatError(f"{nodes[cycle[0]].place}: the edges form a directed cycle: {path}")


def _check_distribution(node: ParsedNode) -> None:
    values = node.distribution
    if isinstance(values, ParsedNoisyOr):
        chances = np.array([*values.q, *([] if values.leak_q is None else [values.leak_q])])
        if not ((chances >= 0) & (chances <= 1)).all():
            raise FormatError(
                f"{node.place}: the noisy-OR of {node.name!r} has a probability that is not "
                "between 0 and 1"
            )
        return
    if not ((values >= 0) & (values <= 1)).all():
        raise FormatError(
            f"{node.place}: the table of {node.name!r} has a probability that is not between 0 "
            "and 1"
        )
    sums = values.sum(axis=-1)
    if np.abs(sums - 1).max() > ROW_TOLERANCE:
        worst = float(sums.flat[int(np.abs(sums - 1).argmax())])
        raise FormatError(
            f"{node.place}: a row of the table of {node.name!r} sums to {worst:g}; it must be 1, "
            f"within {ROW_TOLERANCE:g}"
        )


def _places_of_present(
    nodes: Sequence[ParsedNode], number: Mapping[str, int], asked: Mapping[str, str]
) -> list[int]:
    """Return for each node which of its two states means present."""
    for name in asked:
        if name not in number:
            raise FormatError(f"there is no variable {name!r}, whose present state is given")
    acting: dict[int, int] = {}
    for node in nodes:
        values = node.distribution
        if isinstance(values, ParsedNoisyOr):
            acting.setdefault(number[node.name], values.effect)
            for parent, state in zip(node.parents, values.acting, strict=True):
                acting.setdefault(number[parent], state)
    return [_place_of_present(node, acting.get(v), asked) for v, node in enumerate(nodes)]


def _place_of_present(node: ParsedNode, acting: int | None, asked: Mapping[str, str]) -> int:
    if node.name in asked:
        if asked[node.name] not in node.states:
            raise FormatError(
                f"{node.name!r} has no state {asked[node.name]!r} to mean present; it has: "
                f"{', '.join(node.states)}"
            )
        return node.states.index(asked[node.name])
    if node.present is not None:
        return node.present
    if acting is not None:
        return acting
    by_word = place_of_present((node.states[0], node.states[1]))
    return 0 if by_word is None else by_word


def _binary(family: _ArrangedFamily) -> Distribution:
    """Return the distribution of a binary node; a noisy-OR of the file stays a cause model."""
    values = family.node.distribution
    if isinstance(values, ParsedNoisyOr):
        return _causes(values, family)
    table, unseen = family.axes()
    # Bit t of a configuration is the t-th parent: the first axis varies fastest.
    return binary_table(table[..., 1].ravel(order="F"), unseen.ravel(order="F"))


def _causes(values: ParsedNoisyOr, family: _ArrangedFamily) -> Distribution:
    """Return the relation that a noisy-OR of a file is, given which states mean present.

    Causes that act by their presence on that of the child are a noisy-OR; absences that bring about
    its absence, a noisy-AND; anything else is signed, which always has a leak.
    """
    acting = [family.above[place].index(values.acting[place]) for place in family.order]
    effect = Effect.MAX if values.effect == family.own[1] else Effect.MIN
    q = [values.q[place] for place in family.order]
    sizes = (BINARY,) * len(q)
    plain = cause_relation(effect, leak=values.leak_q is not None)
    if all([*plain.model.acting_states(BINARY)] == [state] for state in acting):
        leak = [] if values.leak_q is None else [values.leak_q]
        return plain.distribution([*q, *leak], BINARY, sizes)
    signed = np.ones((len(q), BINARY))
    signed[np.arange(len(q)), acting] = q
    leak_q = 1.0 if values.leak_q is None else values.leak_q
    relation = cause_relation(effect, leak=True, acting=Acting.ANY)
    return relation.distribution([*signed.ravel(), leak_q], BINARY, sizes)


def _table(node: ParsedNode) -> Table:
    """Return the full table, with an axis per parent and one for the node's own states."""
    values = node.distribution
    if not isinstance(values, ParsedNoisyOr):
        return normalised(values)
    if len(values.q) > MAX_EXPANDED_PARENTS:
        raise FormatError(
            f"{node.place}: the noisy-OR of {node.name!r} has {len(values.q)} parents; as a table "
            f"it can have at most {MAX_EXPANDED_PARENTS}"
        )
    absent = np.array(1.0 if values.leak_q is None else values.leak_q)
    for q, state in zip(values.q, values.acting, strict=True):
        by_state = np.ones(BINARY)
        by_state[state] = q
        absent = absent[..., None] * by_state
    table = np.empty((*absent.shape, BINARY))
    table[..., values.effect] = 1 - absent
    table[..., 1 - values.effect] = absent
    return table
