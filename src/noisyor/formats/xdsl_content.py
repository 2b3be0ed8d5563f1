"""What a node of XDSL says of its distribution: a table, or the parameters of a noisy-MAX."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from noisyor.core import Network
from noisyor.core.relations import Acting, Effect
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.tables_of import states_in_file, table_in_file
from noisyor.formats.xdsl_noisymax import (
    NoisymaxCauses,
    columns_of_levels,
    holds_causes,
    noisymax_causes,
)
from noisyor.formats.xdsl_properties import NetworkNote, NodeNote, UnseenNote

Strengths = tuple[tuple[int, ...], ...]
"""The states of each parent, by their places in the file, from strongest to weakest."""


@dataclass(frozen=True, slots=True)
class NodeContent:
    """The definition of a node: its kind, its parents in the file's order, and its numbers.

    `unseen` has the rows of a table that no record had. Of a noisy-MAX, it counts the levels of
    each state of each parent, as the file lists them, and of the leak.
    """

    tag: str
    parents: tuple[int, ...]
    strengths: Strengths
    numbers: tuple[float, ...]
    unseen: tuple[int, ...] = ()

    def parts(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Return the tags and texts of the elements; `ids` has those of the variables."""
        said = []
        if self.parents:
            said.append(("parents", " ".join(ids[parent] for parent in self.parents)))
        if self.strengths:
            orders = (str(state) for states in self.strengths for state in states)
            said.append(("strengths", " ".join(orders)))
        tag = "parameters" if self.strengths else "probabilities"
        # repr() is the shortest text that reads back as the same number.
        said.append((tag, " ".join(map(repr, self.numbers))))
        return said


def with_orders_of_xdsl(network: Network) -> Network:
    """Return the network with the order of states that each node has in XDSL.

    A noisy-MAX of GeNIe lists its states from the strongest to the one that nothing brings about.
    If the network was read from a file with another order, a warning names the node.
    """
    nodes = dict(network.appearance.nodes)
    turned = []
    for variable, name in enumerate(network.names):
        distribution = network.distributions[variable]
        order = states_in_file(network, variable)
        causes = distribution.relation.causes
        if causes is not None and holds_causes(distribution):
            order = tuple(range(distribution.child_states))
            order = order[::-1] if causes.effect is Effect.MAX else order
            own = network.appearance.of(name).order_for(network.variables[variable])
            if own is not None and own != order:
                turned.append(repr(name))
        nodes[name] = replace(network.appearance.of(name), order=order)
    if turned:
        warn_user(
            "XDSL lists the states of a noisy-MAX from the strongest to the weakest; turned round "
            f"are those of {', '.join(turned)}",
            ConversionWarning,
        )
    return replace(network, appearance=replace(network.appearance, nodes=nodes))


def content_of(
    network: Network,
    variable: int,
    parents: Sequence[int] = (),
    strengths: Strengths = (),
) -> NodeContent:
    """Return what a node says; the network has the orders of `with_orders_of_xdsl`.

    `parents` and `strengths` are those that the file has already, which are kept where possible.
    """
    above = network.structure.families[variable].parent_indices()
    listed = tuple(parents) if sorted(parents) == sorted(above) else above
    kept = strengths if listed == tuple(parents) else ()
    axes = [above.index(parent) for parent in listed]
    causes = noisymax_causes(network.distributions[variable])
    if causes is not None:
        return _noisymax(network, causes, listed, axes, kept)
    table, marks = table_in_file(network, variable)
    numbers = table.transpose((*axes, len(axes))).reshape(-1)
    unseen = np.flatnonzero(marks.transpose(axes).reshape(-1))
    return NodeContent("cpt", listed, (), tuple(numbers.tolist()), tuple(unseen.tolist()))


def _noisymax(
    network: Network,
    causes: NoisymaxCauses,
    listed: tuple[int, ...],
    axes: Sequence[int],
    kept: Strengths,
) -> NodeContent:
    strengths, levels, marks = [], [], []
    for place, (parent, axis) in enumerate(zip(listed, axes, strict=True)):
        order = states_in_file(network, parent)
        idle = [order.index(state) for state in causes.idle[axis]]
        own = kept[place] if place < len(kept) else ()
        if len(own) != len(order) or own[-1] not in idle:
            own = (*(state for state in range(len(order)) if state != idle[0]), idle[0])
        strengths.append(own)
        levels += [causes.q[axis][order[state]] for state in own]
        marks.append(causes.unseen[axis][list(order)])
    leak = np.ones_like(levels[0]) if causes.leak_q is None else causes.leak_q
    columns = columns_of_levels(np.array([*levels, leak]))
    unseen = np.flatnonzero(np.concatenate([*marks, causes.unseen[-1]]))
    numbers = tuple(columns.reshape(-1).tolist())
    return NodeContent("noisymax", listed, tuple(strengths), numbers, tuple(unseen.tolist()))


def note_for(
    network: Network,
    variable: int,
    content: NodeContent,
    ids: Sequence[str],
    states: Sequence[Sequence[str]],
) -> NodeNote:
    """Return what GeNIe has no place for.

    `states` has the ids of the states in the file's order, which is that of `with_orders_of_xdsl`.
    """
    own = network.variables[variable]
    order = states_in_file(network, variable)
    labels = {
        states[variable][order.index(place)]: own.states[place] for place in range(len(order))
    }
    model = network.structure.families[variable].relation.causes
    if content.tag == "cpt":
        model = None
    unseen = None
    if content.unseen:
        listed = tuple((ids[parent], tuple(states[parent])) for parent in content.parents)
        unseen = UnseenNote(listed, content.unseen, of_causes=content.tag != "cpt")
    return NodeNote(
        ids[variable],
        own.name,
        labels,
        leaky=model is not None and model.leak,
        signed=model is not None and model.acting is Acting.ANY,
        ordered=own.ordered,
        unseen=unseen,
    )


def network_note_for(network: Network, ids: Sequence[str]) -> NetworkNote:
    """Return the order of the variables, the network's cost and its origin.

    A relation that is written out as a table has another cost, and so has the network.
    """
    kept = all(one.relation.closed_form or holds_causes(one) for one in network.distributions)
    return NetworkNote(tuple(ids), network.cost if kept else None, network.provenance)
