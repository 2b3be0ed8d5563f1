"""A network as a file of another program tells it, and what noisyor makes of it.

Readers turn text into `ParsedNode`s and do nothing else; this module decides which state means
present, puts parents in ascending order, and refuses what is no network.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Cpt,
    DiscreteNetwork,
    Distribution,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
)
from noisyor.core.constraints import find_cycle
from noisyor.core.dataset import States
from noisyor.core.discrete_network import ROW_TOLERANCE, normalised
from noisyor.core.network import MAX_EXPANDED_PARENTS
from noisyor.core.state_words import place_of_present
from noisyor.core.variable_sets import MAX_VARIABLES, set_of
from noisyor.core.warning import ConversionWarning

_BINARY = 2


@dataclass(frozen=True, slots=True)
class ParsedNoisyOr:
    """A noisy-OR of a file: for each parent which state acts and the chance that it fails.

    `effect` is the state of the child that the causes bring about. `leak_q` is None without leak.
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
    distribution: npt.NDArray[np.float64] | ParsedNoisyOr
    place: str
    present: int | None = None
    unseen: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNetwork:
    """All that a file says: its nodes, and the cost and the origin where noisyor wrote it."""

    nodes: tuple[ParsedNode, ...]
    provenance: Provenance
    cost: float | None = None


def to_network(parsed: ParsedNetwork, present: Mapping[str, str] | None = None) -> Network:
    """Return the binary network that a file describes, variables in the file's order.

    Which state means present is, in this order: what `present` says by name; what the file says;
    the state that acts or is brought about in a noisy-OR; the accepted word for present; else the
    first state, as in GeNIe.
    """
    nodes = parsed.nodes
    number = _numbers(nodes)
    for node in nodes:
        if len(node.states) != _BINARY:
            raise FormatError(
                f"{node.place}: {node.name!r} has {len(node.states)} states "
                f"({', '.join(node.states)}); noisyor's networks are binary. read_discrete_network "
                "reads such a file, and binarize_network groups its states into two"
            )
    places = _places_of_present(nodes, number, present or {})
    families, distributions = [], []
    for child, node in enumerate(nodes):
        given = [number[parent] for parent in node.parents]
        order = sorted(range(len(given)), key=given.__getitem__)
        distribution = _distribution(node, order, places[child], [places[v] for v in given])
        relation = distribution.relation
        families.append(Family(child, set_of(given), relation))
        distributions.append(distribution)
    return Network(
        Structure(tuple(number), tuple(families)),
        tuple(_states(node, place) for node, place in zip(nodes, places, strict=True)),
        tuple(distributions),
        parsed.cost,
        parsed.provenance,
    )


def to_discrete(parsed: ParsedNetwork) -> DiscreteNetwork:
    """Return the network that a file describes, with noisy-ORs written out as tables."""
    nodes = parsed.nodes
    number = _numbers(nodes)
    return DiscreteNetwork(
        tuple(number),
        tuple(node.states for node in nodes),
        tuple(tuple(number[parent] for parent in node.parents) for node in nodes),
        tuple(_table(node) for node in nodes),
        parsed.provenance,
    )


def _numbers(nodes: Sequence[ParsedNode]) -> dict[str, int]:
    """Return the variables' numbers; refuse names and edges that are those of no network."""
    if not 1 <= len(nodes) <= MAX_VARIABLES:
        raise FormatError(f"it has {len(nodes)} variables; 1 to {MAX_VARIABLES} are supported")
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
            raise FormatError(f"{node.place}: the variable {node.name!r} is there twice")
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
            raise FormatError(f"there is no variable {name!r} to say the present state of")
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


def _states(node: ParsedNode, present: int) -> States:
    return node.states[1 - present], node.states[present]


def _distribution(
    node: ParsedNode, order: Sequence[int], own: int, above: Sequence[int]
) -> Distribution:
    """Return the distribution over parents in ascending order, whose t-th is the order[t]-th."""
    values = node.distribution
    if isinstance(values, ParsedNoisyOr):
        if values.effect == own and list(values.acting) == list(above):
            return NoisyOr(np.array([values.q[t] for t in order]), values.leak_q)
        warnings.warn(
            f"{node.place}: the noisy-OR of {node.name!r} acts through states that mean absent; "
            "it is written out as a table",
            ConversionWarning,
            stacklevel=4,
        )
    table = _table(node)[..., own]
    # Bit t of a configuration is the t-th parent: the last axis must vary slowest.
    present_last = [slice(None, None, -1 if place == 0 else 1) for place in above]
    axes = tuple(reversed(order))
    unseen = (
        np.zeros(table.shape, dtype=np.bool_) if node.unseen is None else np.asarray(node.unseen)
    )
    return Cpt(
        table[tuple(present_last)].transpose(axes).reshape(-1),
        unseen[tuple(present_last)].transpose(axes).reshape(-1),
    )


def _table(node: ParsedNode) -> npt.NDArray[np.float64]:
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
        by_state = np.ones(_BINARY)
        by_state[state] = q
        absent = absent[..., None] * by_state
    table = np.empty((*absent.shape, _BINARY))
    table[..., values.effect] = 1 - absent
    table[..., 1 - values.effect] = absent
    return table
