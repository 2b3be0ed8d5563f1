"""Making a network of many-valued variables binary: states grouped in two, tables compressed.

What a table becomes. Let C be a variable with parents P, g a group of its states and G one group of
states for each parent. In the original network, by the definition of conditional probability,

    P(C in g | P in G)  =  sum of P(P = p) P(C in g | P = p) over p in G  /  sum of P(P = p)

so a row of the new table is an average of the old rows p in G, with the probabilities of the
parents' configurations as weights. With `Weights.JOINT` these are the parents' joint probabilities,
found by exact inference, and each new conditional distribution is exactly that of the original
network. The network as a whole need not be: grouping hides how the states of a group differ, so
variables that were independent given their parents may be dependent given the parents' groups.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Distribution,
    Family,
    Network,
    NetworkError,
    Provenance,
    SettingsError,
    Structure,
    TableSizeError,
    Variable,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.choices import choice_of
from noisyor.core.listing import expected_names
from noisyor.core.relations import root_relation
from noisyor.core.state_words import place_of_present
from noisyor.core.variable import BINARY, States
from noisyor.core.version import VERSION

Floats = npt.NDArray[np.float64]
Factor = tuple[tuple[int, ...], Floats]
"""A function of some variables, with an axis for each."""

Group = npt.NDArray[np.bool_]
"""Whether each state of a variable becomes present."""

SEPARATORS = ("+", "|")
"""The text between labels of a group; the second where the first makes both labels equal."""

MAX_JOINT_SIZE = 2**25
"""The most entries of an intermediate table of a joint distribution: 256 MB."""


class Weights(StrEnum):
    """The weights of the rows of a table that merge when their parents' states are grouped.

    `joint`: the joint probabilities of the parents' configurations. The new table is then exactly
    what the original network says. Where a group of configurations has probability zero, the
    product of the parents' marginals decides; where that is zero too, all rows weigh the same.
    Both are marked as unseen in the new table: no possible event depends on them.

    `independent`: the product of the parents' marginals, as if the parents were independent; with
    zero probability as above.

    `first`: no average but the row of the first state of each parent's group. The binary survey
    network of Sharma, Liao, Cussens and van Beek (2020) was made this way.
    """

    JOINT = "joint"
    INDEPENDENT = "independent"
    FIRST = "first"

    @classmethod
    def of(cls, name: "Weights | str") -> "Weights":
        """Return the weights of that name."""
        return choice_of(cls, name, "weights")


@checked_arguments
def binarize_network(
    network: Network,
    present: Mapping[str, Collection[str]],
    *,
    weights: Weights | str = Weights.JOINT,
) -> Network:
    """Return the binary network in which each variable says which group its state belongs to.

    A group of one state keeps its label. The labels of larger groups are joined in the order of the
    states, as in "young+adult".

    Parameters
    ----------
    network
        The network, of any variables.
    present
        The states that become present, by variable; the others become absent. Every variable with
        more than two states must be listed. For one with two states the default is the accepted
        word for present (1, yes, true, ...), else the first state.
    weights
        How the rows of a table are averaged; see `Weights`.

    """
    chosen = Weights.of(weights)
    groups = _groups(network, present)
    original = _Tables.of(network)
    tables = []
    for child, above in enumerate(original.parents):
        rows = np.minimum(original.tables[child][..., groups[child]].sum(axis=-1), 1.0)
        grouped = [groups[parent] for parent in above]
        if chosen is Weights.FIRST or not above:
            values, unseen = _first_rows(rows, grouped), np.zeros((2,) * len(above), np.bool_)
        else:
            values, unseen = _average_rows(rows, grouped, original.joint(above), chosen)
        tables.append(_binary_table(values, unseen))
    families = [Family(family.child, family.parents) for family in network.structure.families]
    return Network(
        Structure(network.names, tuple(families)),
        tuple(
            Variable(one.name, _labels(one.states, group))
            for one, group in zip(network.variables, groups, strict=True)
        ),
        tuple(tables),
        None,
        _provenance(network.provenance, chosen),
    )


def _binary_table(present: Floats, unseen: npt.NDArray[np.bool_]) -> Distribution:
    """Return the full table with these chances of presence, with an axis of two per parent."""
    chances = present.ravel(order="F")  # the first parent varies fastest over configurations
    rows = np.stack([1 - chances, chances], axis=1)
    table = root_relation().distribution(rows, BINARY, present.shape).expand()
    return replace(table, unseen=unseen.ravel(order="F"))


def _groups(network: Network, present: Mapping[str, Collection[str]]) -> list[Group]:
    for name in present:
        if name not in network.names:
            raise NetworkError(
                f"there is no variable {name!r} whose states could be grouped; "
                f"{expected_names(name, network.names, 'the network')}"
            )
    return [
        _group(name, states, present.get(name))
        for name, states in zip(network.names, network.states, strict=True)
    ]


def _group(name: str, states: tuple[str, ...], wanted: Collection[str] | None) -> Group:
    listed = ", ".join(states)
    if len(states) < BINARY:
        raise SettingsError(f"{name!r} has only the state {listed}; two groups need at least two")
    if wanted is None:
        if len(states) > BINARY:
            raise SettingsError(
                f"{name!r} has {len(states)} states ({listed}); say which of them become present"
            )
        by_word = place_of_present((states[0], states[1]))
        wanted = (states[by_word or 0],)
    if isinstance(wanted, str):
        raise TypeError(
            f"the states of {name!r} that become present must be a list, not {wanted!r}"
        )
    for state in wanted:
        if state not in states:
            raise NetworkError(f"{name!r} has no state {state!r}; it has: {listed}")
    group = np.array([state in wanted for state in states])
    if group.all() or not group.any():
        raise SettingsError(
            f"{'all' if group.all() else 'none'} of the states of {name!r} would become present; "
            f"allowed: some but not all of {listed}"
        )
    return group


def _labels(states: States, group: Group) -> States:
    """Return the labels of the two groups, which differ.

    If one separator makes them equal, the other does not: the first labels of the groups differ,
    so the shorter is followed by the separator where the longer has a character of its own, and
    that can be equal to only one of the separators.
    """
    labels = np.array(states, dtype=object)
    for separator in SEPARATORS:
        absent, present = separator.join(labels[~group]), separator.join(labels[group])
        if absent != present:
            break
    return absent, present


def _first_rows(rows: Floats, groups: Sequence[Group]) -> Floats:
    """Return the rows of each group's first state, of shape (2,) * parents, absent first."""
    firsts = [(int((~group).argmax()), int(group.argmax())) for group in groups]
    return rows[np.ix_(*firsts)] if firsts else rows


def _average_rows(
    rows: Floats, groups: Sequence[Group], joint: Floats, weights: Weights
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the averages over each group of configurations, and which have probability zero."""
    independent = np.ones(())
    for axis in range(joint.ndim):
        marginal = joint.sum(axis=tuple(other for other in range(joint.ndim) if other != axis))
        independent = np.multiply.outer(independent, marginal)
    usual = joint if weights is Weights.JOINT else independent
    unseen = _sum_groups(usual, groups) == 0
    values = np.zeros(unseen.shape)
    for by in (np.ones(rows.shape), independent, usual):  # a later one overrides where it can
        total = _sum_groups(by, groups)
        np.divide(_sum_groups(by * rows, groups), total, out=values, where=total > 0)
    return np.minimum(values, 1.0), unseen


def _sum_groups(values: Floats, groups: Sequence[Group]) -> Floats:
    """Sum over the states of each group: from an axis of states per parent to one of (2,) each."""
    for group in groups:
        # The summed axis is always the first, and its sum goes last: in the end, all are in order.
        values = np.tensordot(values, np.stack([~group, group], axis=1).astype(np.float64), (0, 0))
    return values


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """A network as tables: each variable's parents, number of states, and table.

    `tables[v]` has an axis for each parent, ascending, and a last one for v itself.
    """

    parents: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]
    tables: tuple[Floats, ...]

    @classmethod
    def of(cls, network: Network) -> "_Tables":
        """Return the tables of a network, whatever its relations."""
        return cls(
            tuple(family.parent_indices() for family in network.structure.families),
            tuple(variable.state_count for variable in network.variables),
            tuple(one.expand().axes() for one in network.distributions),
        )

    def joint(self, wanted: Sequence[int]) -> Floats:
        """Return the joint distribution of some variables, an axis each, by variable elimination.

        Only they and their ancestors matter: every other table sums to one (Shachter, 1986). The
        others are summed out one by one, always the one whose neighbours have the smallest table.
        """
        tables = {v: ((*self.parents[v], v), self.tables[v]) for v in self._ancestors(wanted)}
        around = {v: {v} for v in tables}
        for scope, _ in tables.values():
            for v in scope:
                around[v] |= set(scope)
        factors: list[Factor] = list(tables.values())
        left = set(tables) - set(wanted)
        while left:
            next_out = min(left, key=lambda v: (self._size(around[v]), v))
            involved = [factor for factor in factors if next_out in factor[0]]
            factors = [factor for factor in factors if next_out not in factor[0]]
            scope = tuple(sorted(around.pop(next_out) - {next_out}))
            product = self._product(involved, (*scope, next_out))
            factors.append((scope, product.sum(axis=-1)))
            for v in scope:
                around[v] = (around[v] | set(scope)) - {next_out}
            left.remove(next_out)
        return self._product(factors, tuple(wanted))

    def _ancestors(self, of: Sequence[int]) -> set[int]:
        """Return the variables and all their ancestors."""
        found: set[int] = set()
        open_yet = list(of)
        while open_yet:
            variable = open_yet.pop()
            if variable not in found:
                found.add(variable)
                open_yet.extend(self.parents[variable])
        return found

    def _product(self, factors: Sequence[Factor], scope: Sequence[int]) -> Floats:
        """Multiply functions of some of the variables into one of all, with their axes in order."""
        if self._size(scope) > MAX_JOINT_SIZE:
            raise TableSizeError(
                f"the joint distribution of the parents of a variable needs a table of "
                f"{self._size(scope)} entries; at most {MAX_JOINT_SIZE} are allowed. Weights that "
                f"need none: {Weights.FIRST}"
            )
        product = np.ones([self.sizes[v] for v in scope])
        for own, values in factors:
            order = sorted(range(len(own)), key=lambda axis: scope.index(own[axis]))
            shape = [self.sizes[v] if v in own else 1 for v in scope]
            product *= values.transpose(order).reshape(shape)
        return product

    def _size(self, variables: Collection[int]) -> int:
        return prod(self.sizes[v] for v in variables)


def _provenance(original: Provenance, weights: Weights) -> Provenance:
    settings = (*original.settings, ("binarized", str(weights)))
    return Provenance(VERSION, original.data, original.records, settings)
