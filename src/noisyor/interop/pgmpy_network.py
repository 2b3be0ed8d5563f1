"""Networks to and from pgmpy, which computes with tables only.

Its one noisy-OR, `NoisyORCPD`, has no leak and no states but "True" and "False" (in this order),
and is a table internally. Present comes first here, too: pgmpy keeps no other mark of it when it
copies a model.
"""

from collections.abc import Hashable, Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    FormatError,
    Network,
    Provenance,
    SettingsError,
    TableSizeError,
)
from noisyor.core.relation_looks import look_of
from noisyor.core.relations import cause_relation
from noisyor.core.variable import BINARY
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.or_causes import or_causes
from noisyor.formats.parsed_network import (
    ParsedCauses,
    ParsedNetwork,
    ParsedNode,
    parsed_noisy_or,
    present_at,
    to_network,
)
from noisyor.formats.tables_of import labels_in_file, table_in_file

if TYPE_CHECKING:
    from pgmpy.factors.discrete import TabularCPD  # type: ignore[import-untyped]
    from pgmpy.models import DiscreteBayesianNetwork  # type: ignore[import-untyped]

PLACE = "the pgmpy model"
MARK = "noisyor_present"
"""The attribute of a node of a pgmpy model that names the state that means present."""

_NOISY_OR_STATES = ("False", "True")
_SAME = 1e-12  # how far a NoisyORCPD's table may be from its probabilities


def to_pgmpy(network: Network) -> "DiscreteBayesianNetwork":
    """Return the network as pgmpy's, states (present, absent), noisy-ORs written out as tables.

    More than two states keep their order. A warning names what was written out. A noisy-OR
    without a leak whose states are all "False" and "True" becomes pgmpy's own. More than 20 parents
    are too many for a table and raise a TableSizeError. The cost, the provenance and the marks of
    unseen configurations are lost.
    """
    discrete, models = _pgmpy()
    result = models.DiscreteBayesianNetwork()
    result.add_nodes_from(network.names)
    result.add_edges_from(network.structure.edges())
    expanded = []
    kinds: dict[str, None] = {}
    for child, name in enumerate(network.names):
        if network.variables[child].is_binary:
            result.nodes[name][MARK] = network.states[child][1]
        cpd = _cpd_of(network, child, discrete)
        result.add_cpds(cpd)
        distribution = network.distributions[child]
        relation = distribution.relation
        if not relation.closed_form and not isinstance(cpd, discrete.NoisyORCPD):
            expanded.append(name)
            kinds[look_of(relation).label_for(distribution.child_states)] = None
    if expanded:
        warn_user(
            f"pgmpy has no such {' or '.join(kinds)}; written out as tables: "
            f"{', '.join(map(repr, expanded))}",
            ConversionWarning,
        )
    return result


def from_pgmpy(
    model: "DiscreteBayesianNetwork", present: Mapping[str, str] | None = None
) -> Network:
    """Return a network of pgmpy as ours; a NoisyORCPD becomes a noisy-OR if its table still is one.

    Names and states become text. The state that means present is the first of these that applies:
    the one that `present` names; the one that `to_pgmpy` recorded; "True" in a family with a
    NoisyORCPD; the accepted word for present; the first state.
    """
    discrete, models = _pgmpy()
    if not isinstance(model, models.DiscreteBayesianNetwork):
        raise TypeError(f"a pgmpy DiscreteBayesianNetwork is expected, not {type(model).__name__}")
    cpds = {node: _cpd(model, node, discrete) for node in model.nodes}
    nodes = tuple(_parsed(model, cpds, node, discrete) for node in cpds)
    return to_network(ParsedNetwork(nodes, Provenance(VERSION)), present)


def _pgmpy() -> tuple[ModuleType, ModuleType]:
    """Return pgmpy's modules of distributions and models."""
    try:
        return import_module("pgmpy.factors.discrete"), import_module("pgmpy.models")
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"pgmpy cannot be imported ({error}); `pip install noisyor[interop]` installs it"
        ) from error


def _cpd_of(network: Network, child: int, discrete: ModuleType) -> "TabularCPD":
    """Return a child's distribution as pgmpy's: its noisy-OR if possible, else a table."""
    members = (child, *network.structure.families[child].parent_indices())
    name, *above = (network.names[v] for v in members)
    causes = or_causes(network.distributions[child])
    table = _table(network, child)
    if (
        causes is not None
        and causes.leak_q is None
        and all(network.states[v] == _NOISY_OR_STATES for v in members)
    ):
        return discrete.NoisyORCPD(name, np.array(causes.strengths), above)
    *sizes, own = table.shape
    return discrete.TabularCPD(
        name,
        own,
        np.moveaxis(table, -1, 0).reshape(own, -1),
        above,
        sizes,
        {network.names[v]: list(labels_in_file(network, v)) for v in members},
    )


def _table(network: Network, child: int) -> npt.NDArray[np.float64]:
    try:
        return table_in_file(network, child)[0]
    except TableSizeError as error:
        name = network.names[child]
        raise TableSizeError(f"{name!r} cannot be given to pgmpy: {error}") from error


def _cpd(model: "DiscreteBayesianNetwork", node: Hashable, discrete: ModuleType) -> "TabularCPD":
    """Return a node's table, which must be over the node's parents in the graph."""
    cpd = model.get_cpds(node)
    if cpd is None:
        raise FormatError(f"{PLACE}: {node!r} has no CPD; each variable needs one")
    if not isinstance(cpd, discrete.TabularCPD):
        raise FormatError(
            f"{PLACE}: the CPD of {node!r} is a {type(cpd).__name__}; only tables can be read"
        )
    if set(cpd.variables[1:]) != set(model.predecessors(node)):
        raise FormatError(
            f"{PLACE}: the CPD of {node!r} has the parents {_listed(cpd.variables[1:])}, the graph "
            f"{_listed(model.predecessors(node))}; they must be the same"
        )
    return cpd


def _parsed(
    model: "DiscreteBayesianNetwork",
    cpds: Mapping[Hashable, "TabularCPD"],
    node: Hashable,
    discrete: ModuleType,
) -> ParsedNode:
    cpd = cpds[node]
    for above in cpd.variables[1:]:
        own, given = cpds[above].state_names[above], cpd.state_names.get(above, ())
        if own != given:
            raise FormatError(
                f"{PLACE}: the CPD of {node!r} has the states {_listed(given)} of its parent "
                f"{above!r}, whose own are {_listed(own)}; they must be the same, in the same order"
            )
    states = tuple(map(str, cpd.state_names[node]))
    marked = model.nodes[node].get(MARK)
    distribution = _noisy_or(cpd) if isinstance(cpd, discrete.NoisyORCPD) else None
    return ParsedNode(
        str(node),
        states,
        tuple(map(str, cpd.variables[1:])),
        np.moveaxis(np.asarray(cpd.values), 0, -1) if distribution is None else distribution,
        PLACE,
        present_at(states.index(marked)) if marked in states and len(states) == BINARY else None,
    )


def _noisy_or(cpd: "TabularCPD") -> ParsedCauses | None:
    """Return the noisy-OR of a NoisyORCPD; None if its table has been changed since."""
    q = 1 - cpd.prob_values
    relation = cause_relation(leak=False)
    present = relation.distribution(q, BINARY, (BINARY,) * q.size).expand().axes()[..., 1]
    if cpd.values[0].shape != present.shape:
        return None
    if np.abs(np.flip(present) - cpd.values[0]).max() > _SAME:
        return None
    return parsed_noisy_or(q.tolist(), None, (0,) * q.size, 0)


def _listed(things: Iterable[object]) -> str:
    return ", ".join(map(repr, things)) or "none"
