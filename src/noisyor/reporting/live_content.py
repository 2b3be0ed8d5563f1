"""The networks that a page can be asked: parameters in full precision, and weights.

The page's script answers from them as `noisyor.average` does. A page holds all networks of a small
credible set. Of a larger one it holds the best, and says which share of the weight they have; of
networks that were drawn it holds some of the draws, which are a smaller sample.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Network, NetworkSet
from noisyor.core.network_set import FamilyParameters
from noisyor.inference.flat_network import ParameterKind, flat_parameters
from noisyor.reporting.content_shape import Live, LiveFamily, LiveNetwork
from noisyor.reporting.family_content import rounded_share

MOST_NETWORKS = 100
"""The most networks that a page asks: so many answer within a fraction of a second."""

MOST_NUMBERS = 12_000
"""The most parameters of several networks together; each is about 20 bytes of the page."""

MOST_NUMBERS_OF_ONE = 100_000
"""The most parameters of a single network; a larger one is left out."""

_EFFECTS = {
    ParameterKind.TABLE: "table",
    ParameterKind.MAXIMUM: "max",
    ParameterKind.MINIMUM: "min",
}


def live_set(networks: NetworkSet) -> Live:
    """Return the networks of a credible set, or some of them, in order of cost."""
    order = np.argsort(networks.costs(), kind="stable")
    sizes = [_numbers(one) for one in networks.families]
    share, draws = 1.0, None
    if networks.draws is None:
        rows = _affordable(order, networks.members, sizes)
        raw = networks.weights()[rows]
        share = float(raw.sum()) if len(rows) < len(order) else 1.0
    else:
        kept, rows = _fewer_draws(networks.draws, order, networks.members, sizes)
        draws = int(kept[rows].sum())
        raw = kept[rows].astype(np.float64)
    weights = raw / raw.sum()
    used = np.unique(networks.members[rows])
    place_of = {int(place): at for at, place in enumerate(used)}
    return {
        "families": [_family(networks.families[place]) for place in used.tolist()],
        "networks": [
            _network(weight, [place_of[place] for place in row])
            for weight, row in zip(weights.tolist(), networks.members[rows].tolist(), strict=True)
        ],
        "numbers": int(sum(sizes[place] for place in networks.members[order[0]])),
        "count": networks.count,
        "share": rounded_share(share),
        "draws": draws,
    }


def live_network(network: Network) -> Live:
    """Return a single network."""
    families = [
        FamilyParameters(family, distribution, 0.0)
        for family, distribution in zip(
            network.structure.families, network.distributions, strict=True
        )
    ]
    numbers = sum(map(_numbers, families))
    fits = numbers <= MOST_NUMBERS_OF_ONE
    return {
        "families": [_family(one) for one in families] if fits else [],
        "networks": [_network(1.0, list(range(len(families))))] if fits else [],
        "numbers": numbers,
        "count": 1,
        "share": 1.0,
        "draws": None,
    }


def _affordable(
    order: npt.NDArray[np.intp], members: npt.NDArray[np.uint32], sizes: Sequence[int]
) -> npt.NDArray[np.intp]:
    """Return the first rows in this order whose families have not too many parameters."""
    return order[: sum(1 for _ in _growing(members[order[:MOST_NETWORKS]], sizes))]


def _growing(rows: npt.NDArray[np.uint32], sizes: Sequence[int]) -> Iterator[int]:
    """Yield the parameters of the first network, the first two, ... while they are not too many."""
    used: set[int] = set()
    for count, row in enumerate(rows.tolist()):
        used.update(row)
        numbers = sum(sizes[place] for place in used)
        if numbers > (MOST_NUMBERS if count else MOST_NUMBERS_OF_ONE):
            return
        yield numbers


def _fewer_draws(
    draws: npt.NDArray[np.int64],
    order: npt.NDArray[np.intp],
    members: npt.NDArray[np.uint32],
    sizes: Sequence[int],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.intp]]:
    """Return as many of the draws as a page can hold, chosen at random, and their networks.

    Draws chosen from independent draws are independent draws. A fifth of them is given up until all
    of their networks are affordable, so no network is left out because it is large.
    """
    random = np.random.default_rng(0)
    kept = draws
    while True:
        rows = order[kept[order] > 0]
        fitting = _affordable(rows, members, sizes)
        if len(fitting) == len(rows) or int(kept.sum()) == 1:
            return kept, fitting
        kept = random.multivariate_hypergeometric(kept, max(1, 4 * int(kept.sum()) // 5))


def _numbers(one: FamilyParameters) -> int:
    """Return how many numbers the parameters of a family are on the page."""
    distribution = one.distribution
    if distribution.relation.causes is not None:
        return (sum(distribution.parent_states) + 1) * (distribution.child_states - 1)
    return int(np.prod([float(distribution.child_states), *distribution.parent_states]))


def _family(one: FamilyParameters) -> LiveFamily:
    kind, values = flat_parameters(one.distribution)
    return {
        "child": one.family.child,
        "parents": list(one.family.parent_indices()),
        "effect": _EFFECTS[kind],
        "values": values.tolist(),
    }


def _network(weight: float, families: list[int]) -> LiveNetwork:
    return {"weight": weight, "families": families}
