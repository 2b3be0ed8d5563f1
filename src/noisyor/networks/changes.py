"""What a fit has changed: each number before and after, and the records that bear on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from noisyor.core import Dataset, MismatchError, Network, Variable
from noisyor.core.configurations import configuration_codes, configuration_index
from noisyor.core.number_states import in_state
from noisyor.networks.cause_words import CauseWords


@dataclass(frozen=True, slots=True)
class NumberChange:
    """One probability of a node before and after a fit.

    Parameters
    ----------
    where
        The configuration of the parents, by name, or the cause.
    state
        The state of the child whose probability it is. For a cause, the probability that by itself
        it brings the state about.
    before, after
        The probability.
    records
        The records that have this configuration, or this cause.
    """

    where: str
    state: str
    before: float
    after: float
    records: int

    @property
    def moved(self) -> float:
        """How far the probability has moved."""
        return abs(self.after - self.before)


@dataclass(frozen=True, slots=True)
class NodeChange:
    """The numbers of one node before and after a fit."""

    name: str
    relation: str
    numbers: tuple[NumberChange, ...]

    @property
    def moved(self) -> float:
        """How far the number has moved that moved most."""
        return max(one.moved for one in self.numbers)


def changes(before: Network, after: Network, data: Dataset) -> tuple[NodeChange, ...]:
    """Return what a fit to records has changed, in the order of the variables.

    Of a binary child the tables have the probability of presence only. The states of others are in
    the order of the file that the network was read from.

    Parameters
    ----------
    before, after
        Networks of the same graph and relations.
    data
        The records, with the variables of the networks in their order.

    """
    if before.structure != after.structure or before.variables != after.variables:
        raise MismatchError("the networks have different variables, edges or relations")
    if data.variables != after.variables:
        raise MismatchError("the records have other variables than the networks, or other states")
    return tuple(
        NodeChange(
            variable.name,
            family.relation.name_for(variable.state_count),
            tuple(
                _of_table(before, after, data, family.child)
                if family.relation.causes is None
                else _of_causes(before, after, data, family.child)
            ),
        )
        for variable, family in zip(after.variables, after.structure.families, strict=True)
    )


def _parents_of(network: Network, child: int) -> tuple[Variable, ...]:
    return tuple(network.variables[v] for v in network.structure.families[child].parent_indices())


def _of_table(before: Network, after: Network, data: Dataset, child: int) -> Iterator[NumberChange]:
    old, new = before.distributions[child].expand(), after.distributions[child].expand()
    parents, own = _parents_of(after, child), after.variables[child]
    columns = [data.column(v) for v in after.structure.families[child].parent_indices()]
    index = configuration_index(columns, new.parent_states, len(data.weights))
    records = np.bincount(index, data.weights, minlength=len(new.table))
    listed = after.appearance.of(own.name).order_for(own) or range(own.state_count)
    states = range(1, 2) if own.is_binary else listed
    for row, (first, second) in enumerate(zip(old.table.tolist(), new.table.tolist(), strict=True)):
        codes = configuration_codes(row, new.parent_states)
        where = ", ".join(
            in_state(parent.name, parent.states[code])
            for parent, code in zip(parents, codes, strict=True)
        )
        for state in states:
            yield NumberChange(
                where, own.states[state], first[state], second[state], int(records[row])
            )


def _of_causes(
    before: Network, after: Network, data: Dataset, child: int
) -> Iterator[NumberChange]:
    model = after.structure.families[child].relation.causes
    if model is None:
        raise TypeError(f"{after.names[child]!r} has no causes")
    own = after.variables[child]
    words = CauseWords(own, _parents_of(after, child), model)
    columns = [data.column(v) for v in after.structure.families[child].parent_indices()]
    states = model.level_states(own.state_count)
    old, new = before.distributions[child].causes(), after.distributions[child].causes()
    for first, second in zip(old, new, strict=True):
        there = np.ones(len(data.weights), dtype=np.bool_)
        if second.parent is not None:
            there = columns[second.parent] == second.state
        records = int(data.weights[there].sum())
        chances = zip(states, first.brings_about(), second.brings_about(), strict=True)
        for state, one, other in list(chances)[1:]:
            where = words.cause(second) or "leak"
            yield NumberChange(where, own.states[state], one, other, records)
