"""A network with new parameters: the same graph and relations, fitted to records."""

from collections.abc import Callable, Collection
from dataclasses import replace
from math import fsum, isfinite

import numpy as np

from noisyor.core import (
    BIC,
    Dataset,
    Distribution,
    Family,
    Network,
    Provenance,
    SettingsError,
    Structure,
)
from noisyor.core.relations import cause_relation
from noisyor.core.version import VERSION
from noisyor.fitting import penalty_of
from noisyor.fitting.expert_prior import PriorRecords
from noisyor.fitting.relations import fit_with_prior
from noisyor.networks.likelihood import log_likelihood


def refit(
    network: Network,
    data: Dataset,
    prior_of: Callable[[int], PriorRecords | None],
    settings: tuple[tuple[str, str], ...] = (),
) -> Network:
    """Return the network with parameters from records, its own numbers being the prior.

    The cost is that of the new parameters on the records, without the prior.

    Parameters
    ----------
    network
        The network.
    data
        Records of its variables, in its order.
    prior_of
        The imaginary records of a variable, by its number; None keeps its distribution.
    settings
        Names and values that the provenance records.

    """
    distributions: list[Distribution] = []
    for family, own in zip(network.structure.families, network.distributions, strict=True):
        prior = prior_of(family.child)
        distributions.append(own if prior is None else fit_with_prior(data, family, own, prior))
    fitted = replace(
        network,
        distributions=tuple(distributions),
        cost=None,
        provenance=Provenance(VERSION, data.fingerprint(), data.record_count, settings),
    )
    logarithm = log_likelihood(fitted, data)
    if not isfinite(logarithm):  # of numbers that were kept
        return fitted
    penalty = fsum(penalty_of(data, family, BIC) for family in network.structure.families)
    return replace(fitted, cost=penalty - logarithm)


def with_leaks(network: Network, names: Collection[str]) -> Network:
    """Return the network with a leak, of strength 0 as yet, at some nodes that have none.

    Parameters
    ----------
    network
        The network.
    names
        The nodes, each with independent causes.

    """
    families, distributions = list(network.structure.families), list(network.distributions)
    for name in names:
        child = network.index(name)
        family, own = families[child], distributions[child]
        model = family.relation.causes
        if model is None:
            raise SettingsError(
                f"{name!r} cannot have a leak: it has no causes, but a {family.relation}"
            )
        if model.leak:
            continue
        leaky = cause_relation(model.effect, leak=True, acting=model.acting)
        levels = own.child_states - 1
        q = np.append(own.parameters(), np.ones(levels))
        unknown = [[not one.is_seen(t + 1) for t in range(levels)] for one in own.causes()]
        families[child] = Family(child, family.parents, leaky)
        distributions[child] = leaky.distribution(q, own.child_states, own.parent_states).marked(
            [*unknown, [False] * levels]
        )
    return replace(
        network,
        structure=Structure(network.names, tuple(families)),
        distributions=tuple(distributions),
    )
