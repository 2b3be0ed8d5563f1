"""Structures get their parameters from records."""

from collections.abc import Iterable
from math import fsum

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    CPT,
    BinaryDataset,
    CredibleSet,
    FamilyParameters,
    MismatchError,
    Network,
    NetworkSet,
    Provenance,
    SettingsError,
    Structure,
)
from noisyor.core.errors import UncountedError
from noisyor.core.tolerance import tolerance_at
from noisyor.core.version import VERSION
from noisyor.fitting import FittedFamily, fit
from noisyor.fitting.cpt import fit_cpt

FEW_MEMBERS = 1000
"""Up to so many networks are taken all; of more, as many are drawn."""

Settings = Iterable[tuple[str, str]]


def fit_network(
    data: BinaryDataset, structure: Structure, *, prior: float = 0.0, settings: Settings = ()
) -> Network:
    """Return the structure with parameters of maximum likelihood and their cost on the data.

    Noisy-ORs are fitted with a certificate. In full tables a configuration that no record has
    gets 0.5 and is marked unseen. A `prior` above 0 adds so many records of each state to every
    configuration of a full table (Dirichlet); noisy-ORs have none.
    """
    _check_names(data, structure.names)
    fitted = [_fit(data, structure, child, prior) for child in range(len(structure.names))]
    return Network(
        structure,
        data.states,
        tuple(one.distribution for one in fitted),
        fsum(one.cost for one in fitted),
        _provenance(data, prior, settings),
    )


def fit_members(  # noqa: PLR0913  (each option is one that a user names)
    data: BinaryDataset,
    credible: CredibleSet,
    *,
    most: int = FEW_MEMBERS,
    seed: int = 0,
    prior: float = 0.0,
    settings: Settings = (),
) -> NetworkSet:
    """Return the networks of a credible set with parameters, each family fitted once.

    All of them if there are at most `most`; else that many are drawn, independently and by their
    weight exp(-(cost - optimum)), from a generator with this seed. If they were not counted to the
    end, so that none can be drawn, the best ones are taken: `count` is then how many these are, and
    the shortfalls say so.
    """
    _check_names(data, credible.names)
    if most < 1:
        raise SettingsError(f"at most {most} networks; it must be at least 1")
    try:
        places, draws = _members(credible, most, seed)
        count, shortfalls = credible.count, credible.shortfalls
    except UncountedError:
        places, draws = credible.members.best(most).families, None
        count = len(places)
        best_only = f"of the networks that were within reach, only the {count:,} best are here"
        shortfalls = (*credible.shortfalls, best_only)
    used, numbers = np.unique(places, return_inverse=True)
    families = []
    for place in used.tolist():
        use = credible.families[place]
        alone = fit(data, use.family)
        if abs(alone.cost - use.cost) > tolerance_at(use.cost):
            raise MismatchError(
                f"the family of {data.names[use.family.child]!r} costs {alone.cost:.6f} on these "
                f"records and {use.cost:.6f} in the credible set, which was learned from others"
            )
        smooth = prior and use.family.relation is CPT
        distribution = (fit_cpt(data, use.family, prior) if smooth else alone).distribution
        # The weights are those of the credible set, whatever the prior.
        families.append(FamilyParameters(use.family, distribution, use.cost))
    return NetworkSet(
        names=data.names,
        states=data.states,
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


def _fit(data: BinaryDataset, structure: Structure, child: int, prior: float) -> FittedFamily:
    family = structure.families[child]
    if family.relation is CPT:
        return fit_cpt(data, family, prior)
    return fit(data, family)


def _members(
    credible: CredibleSet, most: int, seed: int
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64] | None]:
    """Return members as places of families, and how often each was drawn, if they were."""
    credible.members.sample(0, seed, weighted=True)  # refuses a set not counted to its end
    if credible.count > most:
        drawn = credible.members.sample(most, seed, weighted=True).families
        rows, draws = np.unique(drawn, axis=0, return_counts=True)
        return rows, draws.astype(np.int64)
    return np.concatenate([batch.families for batch in credible.members.stream()]), None


def _check_names(data: BinaryDataset, names: tuple[str, ...]) -> None:
    if data.names != names:
        raise MismatchError(
            "the records and the network have different variables, or in another order: "
            f"{', '.join(data.names)} and {', '.join(names)}"
        )


def _provenance(data: BinaryDataset, prior: float, settings: Settings) -> Provenance:
    return Provenance(
        VERSION,
        data.fingerprint(),
        data.record_count,
        (*settings, ("prior", repr(float(prior)))),
    )
