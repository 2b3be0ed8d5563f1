"""Networks to and from pyAgrum, whose noisy-ORs are ours.

pyAgrum's `MultiDimNoisyORNet` gives the child's absence the probability (1 - external weight)
times the product of (1 - causal weight) over the present parents: our formula, with the causal
weight 1 - q and the external weight 1 - leak_q. Its `MultiDimNoisyORCompound` (which is also what
its `addNoisyOR` adds) counts the leak in each causal weight.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from noisyor.core import Network, Provenance, TableSizeError
from noisyor.core.configurations import MAX_EXPANDED_PARENTS
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.or_causes import OrCauses, is_noisy_or, or_causes
from noisyor.formats.parsed_network import (
    ParsedCauses,
    ParsedNetwork,
    ParsedNode,
    to_network,
)
from noisyor.formats.tables_of import announce_tables
from noisyor.interop.pyagrum_functions import NOISY_ORS, causes_of, noisy_or_parameters
from noisyor.interop.pyagrum_loading import load_pyagrum
from noisyor.interop.pyagrum_texts import (
    PROPERTY,
    Texts,
    from_property,
    is_plain_text,
    texts_of,
    to_property,
)

if TYPE_CHECKING:
    import pyagrum

PLACE = "the pyAgrum network"
MOST_PARENTS = 62
"""pyAgrum counts the configurations of a node and its parents in 64 bits, even for noisy-ORs."""

_PRESENT = 1  # the state that acts in pyAgrum's noisy-ORs, whatever its label


def to_pyagrum(network: Network) -> "pyagrum.BayesNet":
    """Return the network as pyAgrum's, noisy-ORs as noisy-ORs, states in the order of its file.

    In the families of noisy-ORs, and without a file, states are in the network's order. Names and
    labels are kept unless pyAgrum cannot hold them (see `pyagrum_texts`). The cost, the
    provenance and the marks of unseen configurations are lost. Probabilities q of noisy-ORs are
    rounded by up to 2**-53. More than 62 parents raise a TableSizeError. pyAgrum's own inference
    writes noisy-ORs out as tables: with more than about 20 parents, use `noisyor.inference`.
    """
    check_parents(network)
    announce_tables(network, "pyAgrum", native=is_noisy_or)
    gum = load_pyagrum()
    texts = texts_of(network, is_plain_text, lambda states: all(map(is_plain_text, states)))
    result: pyagrum.BayesNet = gum.BayesNet()
    for one, distribution in zip(texts, network.distributions, strict=True):
        variable = gum.LabelizedVariable(one.called, "", list(one.labels))
        causes = or_causes(distribution)
        if causes is not None:
            result.addNoisyORNet(variable, external_weight(causes))
        else:
            result.add(variable)
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        parents = family.parent_indices()
        causes = or_causes(distribution)
        if causes is not None:
            for parent, weight in zip(parents, causal_weights(causes), strict=True):
                result.addWeightedArc(parent, family.child, weight)
        else:
            for parent in parents:
                result.addArc(parent, family.child)
            result.cpt(family.child).fillWith(flat_table(network, family.child, texts))
    result.setProperty(PROPERTY, to_property(texts))
    return result


def from_pyagrum(bn: "pyagrum.BayesNet", present: Mapping[str, str] | None = None) -> Network:
    """Return a network of pyAgrum as ours: noisy-ORs and ORs as noisy-ORs, all else as tables.

    The state that means present is the first of these that applies: the one that `present` names;
    the one that `to_pyagrum` recorded; the second state of a variable in the family of a noisy-OR;
    the accepted word for present; the first state. pyAgrum's other functions (logit, noisy-AND,
    max, ...) are written out as tables, with a warning.
    """
    if not isinstance(bn, load_pyagrum().BayesNet):
        raise TypeError(f"a pyAgrum BayesNet is expected, not {type(bn).__name__}")
    # The only way to get the parameters of pyAgrum's functions.
    functions = json.loads(bn.saveGUMstring())["cpt"]
    texts = from_property(bn.property(PROPERTY)) if bn.existsProperty(PROPERTY) else {}
    nodes = tuple(_parsed(bn, node, functions, texts) for node in sorted(bn.nodes()))
    return to_network(ParsedNetwork(nodes, Provenance(VERSION)), present)


def check_parents(network: Network) -> None:
    """Refuse a node with more parents than pyAgrum can have."""
    for name, distribution in zip(network.names, network.distributions, strict=True):
        if distribution.parent_count > MOST_PARENTS:
            raise TableSizeError(
                f"{name!r} has {distribution.parent_count} parents; a variable of pyAgrum can have "
                f"at most {MOST_PARENTS}"
            )


def external_weight(causes: OrCauses) -> float:
    """Return pyAgrum's external weight: the probability that the leak acts, 0 without one."""
    return 0.0 if causes.leak_q is None else _weight(causes.leak_q)


def causal_weights(causes: OrCauses) -> list[float]:
    """Return pyAgrum's causal weights: the probability that each parent alone suffices."""
    return [_weight(q) for q in causes.q]


def flat_table(network: Network, variable: int, texts: Sequence[Texts]) -> list[float]:
    """Return the table as pyAgrum lists it: the child varies fastest, then the first parent."""
    above = network.structure.families[variable].parent_indices()
    axes = network.distributions[variable].expand().axes()
    axes = axes[np.ix_(*(texts[member].listed for member in (*above, variable)))]
    values: list[float] = (
        axes.transpose((*reversed(range(len(above))), len(above))).ravel().tolist()
    )
    return values


def _weight(q: float) -> float:
    """Return 1 - q, but never 0.

    pyAgrum refuses causal weights of 0, and an external one would be read back as no leak. With the
    least positive number that every reader of numbers accepts, 1 - weight is still exactly 1.
    """
    return max(1 - q, sys.float_info.min)


def _parsed(
    bn: "pyagrum.BayesNet",
    node: int,
    functions: Mapping[str, Any],
    texts: Mapping[str, Texts],
) -> ParsedNode:
    called, labels = bn.variable(node).name(), tuple(bn.variable(node).labels())
    known = texts.get(called)
    kept = known is not None and known.labels == labels
    parents, distribution = _distribution(bn, node, functions[called])
    return ParsedNode(
        known.name if known is not None else called,
        known.states if known is not None and kept else labels,
        tuple(texts[above].name if above in texts else above for above in parents),
        distribution,
        PLACE,
        known.order if known is not None and kept else None,
    )


def _distribution(
    bn: "pyagrum.BayesNet", node: int, function: list[float] | Mapping[str, Any]
) -> tuple[Sequence[str], npt.NDArray[np.float64] | ParsedCauses]:
    """Return the parents, and the distribution over them in that order."""
    tensor = bn.cpt(node)
    parents = tuple(tensor.names[1:])
    if isinstance(function, list):
        return parents[::-1], np.array(tensor.toarray())  # type: ignore[no-untyped-call]
    if not parents:
        return (), _entries(bn, node)
    noisy_or = _noisy_or(bn, function, parents)
    if noisy_or is not None:
        return parents, noisy_or
    warn_user(
        f"{PLACE}: {tensor.names[0]!r} is a function ({function['name']}) that noisyor does not "
        "have; it is written out as a table",
        ConversionWarning,
    )
    return parents[::-1], _entries(bn, node)


def _noisy_or(
    bn: "pyagrum.BayesNet", function: Mapping[str, Any], parents: Sequence[str]
) -> ParsedCauses | None:
    """Return the noisy-OR that one of pyAgrum's functions is, if it is one."""
    if function["name"] not in NOISY_ORS:
        return None
    causal = function.get("causalWeights", {})
    weights = [float(causal.get(above, 1)) for above in parents]
    external = float(function.get("externalWeight", 0))
    sizes = [bn.variable(above).domainSize() for above in parents]
    return causes_of(*noisy_or_parameters(function["name"], external, weights), sizes)


def _entries(bn: "pyagrum.BayesNet", node: int) -> npt.NDArray[np.float64]:
    """Return a function's table, with axes as in `toarray`, which is wrong for functions."""
    tensor = bn.cpt(node)
    if tensor.nbrDim() > MAX_EXPANDED_PARENTS + 1:
        raise TableSizeError(
            f"{PLACE}: {tensor.names[0]!r} is a function of {tensor.nbrDim() - 1} parents, which "
            f"noisyor can only read as a table; at most {MAX_EXPANDED_PARENTS} parents can be "
            "written out as one"
        )
    values = []
    place = load_pyagrum().Instantiation(tensor)
    place.setFirst()
    while not place.end():
        values.append(tensor.get(place))
        place.inc()
    return np.array(values).reshape(tensor.shape[::-1])
