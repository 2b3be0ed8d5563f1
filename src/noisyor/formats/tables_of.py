"""The full table of any node, for formats that have nothing else."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Distribution, Network, TableSizeError, Variable
from noisyor.core.configurations import (
    MAX_CONFIGURATIONS,
    MAX_EXPANDED_PARENTS,
    configuration_count,
)
from noisyor.core.relation_looks import look_of
from noisyor.core.variable import BINARY, States
from noisyor.core.warning import ConversionWarning, warn_user


def announce_tables(
    network: Network,
    format_name: str,
    *,
    native: Callable[[Distribution], bool] | None = None,
) -> None:
    """Refuse nodes too large for a table; warn of relations that the format stores as tables.

    Parameters
    ----------
    network
        What is to be written.
    format_name
        What the format is called in messages.
    native
        Whether the format holds a distribution without a table; by default, it has only tables.
    """
    expanded = []
    kinds: dict[str, None] = {}
    for name, distribution in zip(network.names, network.distributions, strict=True):
        if native is not None and native(distribution):
            continue
        if configuration_count(distribution.parent_states) > MAX_CONFIGURATIONS:
            raise TableSizeError(
                f"{name!r} has {distribution.parent_count} parents, and a table of "
                f"{_product(distribution.parent_states)} configurations; {format_name} has "
                f"only tables{'' if native is None else ' for it'}, and at most "
                f"{_most(distribution.parent_states)} can be written out as one"
            )
        relation = distribution.relation
        if not relation.closed_form:
            kinds[look_of(relation).label_for(distribution.child_states)] = None
            expanded.append(repr(name))
    if expanded:
        warn_user(
            f"{format_name} has no {' or '.join(kinds)}: written out as full tables are "
            f"{', '.join(expanded)}",
            ConversionWarning,
        )


def table_of(network: Network, variable: int) -> npt.NDArray[np.float64]:
    """Return the table of a variable: an axis per parent, ascending, and a last one of its own.

    Along each axis, states are in the variable's order: absent, then present, if binary.
    """
    distribution = network.distributions[variable]
    return _complete(distribution, distribution.expand().axes())


def states_in_file(network: Network, variable: int) -> tuple[int, ...]:
    """Return the order of a variable's states in files.

    That is the order of the file that the network was read from. Otherwise, of two states present
    comes first, as in GeNIe, and more states keep their order.
    """
    own = network.variables[variable]
    order = network.appearance.of(own.name).order_for(own)
    if order is not None:
        return order
    return default_order(own)


def default_order(variable: Variable) -> tuple[int, ...]:
    """Return the order in which files list states, unless told otherwise: of two, present first."""
    return (1, 0) if variable.is_binary else tuple(range(variable.state_count))


def labels_in_file(network: Network, variable: int) -> States:
    """Return the labels of a variable's states in their order in files."""
    labels = network.variables[variable].states
    return tuple(labels[place] for place in states_in_file(network, variable))


def table_in_file(
    network: Network, variable: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return `table_of` with each axis as `states_in_file` says, and the unseen configurations."""
    above = network.structure.families[variable].parent_indices()
    *given, own = (states_in_file(network, v) for v in (*above, variable))
    sizes = tuple(len(states) for states in given)
    unseen = network.distributions[variable].expand().unseen.reshape(sizes, order="F")
    if given:
        unseen = unseen[np.ix_(*given)]
    return table_of(network, variable)[np.ix_(*given, own)], unseen


def _complete(
    distribution: Distribution, chances: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Return probabilities that sum to 1 to the last bit, even if they were computed."""
    if distribution.relation.closed_form or distribution.child_states != BINARY:
        return chances
    present = chances[..., 1]
    return np.stack([1 - present, present], axis=-1)


def _product(parent_states: Sequence[int]) -> str:
    if set(parent_states) == {BINARY}:
        return f"2**{len(parent_states)}"
    return str(configuration_count(parent_states))


def _most(parent_states: Sequence[int]) -> str:
    if set(parent_states) == {BINARY}:
        return f"{MAX_EXPANDED_PARENTS} parents"
    return f"{MAX_CONFIGURATIONS} configurations"
