"""Fitting the parameters of structures to records."""

from collections.abc import Iterable
from math import fsum

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    BIC,
    CredibleSet,
    Dataset,
    FamilyParameters,
    MismatchError,
    Network,
    NetworkSet,
    Prior,
    Provenance,
    Score,
    SettingsError,
    Structure,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import UncountedError
from noisyor.core.listing import listed
from noisyor.core.tolerance import tolerance_at
from noisyor.core.version import VERSION
from noisyor.fitting import fit

FEW_MEMBERS = 1000
"""Up to this many networks are all taken; of more, this many are drawn."""

Settings = Iterable[tuple[str, str]]


@checked_arguments
def fit_network(  # noqa: PLR0913  (each option is one that a user names)
    data: Dataset,
    structure: Structure,
    *,
    score: Score = BIC,
    prior: float = 0.0,
    structure_prior: Prior | None = None,
    settings: Settings = (),
) -> Network:
    """Return the structure with parameters of maximum likelihood and their cost on the data.

    Under a Bayesian-Dirichlet score the parameters are the means of the posterior (docs/scores.md).
    Noisy-ORs are fitted with a certificate. In full tables, a configuration that no record has is
    marked unseen, and its states are equally likely.

    Parameters
    ----------
    data
        The records, with the variables of the structure in its order.
    structure
        Each variable's parents and how it depends on them.
    score
        What the parameters cost.
    prior
        Records of each state that are added to every configuration of a full table (Dirichlet);
        noisy-ORs have none.
    structure_prior
        The prior of arcs and relations that the cost contains.
    settings
        Names and values that the network's provenance records, besides the prior.

    """
    _check_names(data, structure.names)
    fitted = [
        fit(data, family, score=score, prior=prior, structure_prior=structure_prior)
        for family in structure.families
    ]
    return Network(
        structure,
        data.variables,
        tuple(one.distribution for one in fitted),
        fsum(one.cost for one in fitted),
        _provenance(data, prior, settings),
    )


@checked_arguments
def fit_members(  # noqa: PLR0913  (each option is one that a user names)
    data: Dataset,
    credible: CredibleSet,
    *,
    most: int = FEW_MEMBERS,
    seed: int = 0,
    score: Score = BIC,
    prior: float = 0.0,
    structure_prior: Prior | None = None,
    settings: Settings = (),
) -> NetworkSet:
    """Return the networks of a credible set with parameters, each family fitted once.

    If there are at most `most`, all are taken; else that many are drawn, independently and by their
    weight (see `NetworkSet`). Of a sampled set, that many of the draws are taken. If the
    members were not fully enumerated, so that none can be drawn, the best ones are taken: `count`
    is then the number of these, and the shortfalls say so.

    Parameters
    ----------
    data
        The records that the set was learned from.
    credible
        The credible set.
    most
        The most networks that are taken.
    seed
        The seed of the generator that draws them.
    score
        The score that the set was learned by.
    prior
        Records of each state that are added to every configuration of a full table (Dirichlet);
        noisy-ORs have none.
    structure_prior
        The prior of arcs and relations that the set was learned with.
    settings
        Names and values that the provenance records, besides the prior.

    """
    _check_names(data, credible.names)
    if most < 1:
        raise SettingsError(f"the most networks to take is {most}; it must be at least 1")
    try:
        places, draws = _members(credible, most, seed)
        count, shortfalls = credible.count, credible.shortfalls
    except UncountedError:
        places, draws = credible.members.best(most).families, None
        count = len(places)
        best_only = f"only the {count:,} best of the networks that were found are included"
        shortfalls = (*credible.shortfalls, best_only)
    used, numbers = np.unique(places, return_inverse=True)
    families = []
    for place in used.tolist():
        use = credible.families[place]
        alone = fit(data, use.family, score=score, structure_prior=structure_prior)
        if abs(alone.cost - use.cost) > tolerance_at(use.cost):
            raise MismatchError(
                f"the family of {data.names[use.family.child]!r} costs {alone.cost:.6f} on these "
                f"records and {use.cost:.6f} in the credible set, which comes from other records"
            )
        smooth = prior and use.family.relation.closed_form
        chosen = fit(data, use.family, score=score, prior=prior) if smooth else alone
        # The weights are those of the credible set, whatever the prior.
        families.append(FamilyParameters(use.family, chosen.distribution, use.cost))
    return NetworkSet(
        variables=data.variables,
        families=tuple(families),
        members=numbers.reshape(places.shape).astype(np.uint32),
        optimum=credible.optimum,
        count=count,
        bayes_factor=credible.bayes_factor,
        labels=credible.labels,
        provenance=_provenance(data, prior, settings),
        draws=draws,
        shortfalls=shortfalls,
    )


def _members(
    credible: CredibleSet, most: int, seed: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64] | None]:
    """Return members as places of families, and how often each was drawn if they were."""
    credible.members.sample(0, seed, weighted=True)  # refuses a set not fully enumerated
    if credible.count > most or credible.sampling is not None:
        drawn = credible.members.sample(most, seed, weighted=True).families
        rows, draws = np.unique(drawn, axis=0, return_counts=True)
        return rows, draws.astype(np.int64)
    return np.concatenate([batch.families for batch in credible.members.stream()]), None


def _check_names(data: Dataset, names: tuple[str, ...]) -> None:
    if data.names != names:
        raise MismatchError(
            "the records and the network have different variables or orders of variables: "
            f"{listed(data.names)} and {listed(names)}"
        )


def _provenance(data: Dataset, prior: float, settings: Settings) -> Provenance:
    return Provenance(
        VERSION,
        data.fingerprint(),
        data.record_count,
        (*settings, ("prior", repr(float(prior)))),
    )
