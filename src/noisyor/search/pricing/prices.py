"""Prices of families from weighted cuts, and proven bounds from the families on offer.

Take a branch of the networks, weights on cuts of any kind, and the families known so far that fit
the branch; their proof has pi, rc and the lower bound LB that follow for networks of known
families. A family that is not known may have a reduced cost below 0. If no reduced cost of a child
v is below missing_v <= 0, then every network G of the branch, whatever its families, costs at least

    LB + the sum of missing_v,

since the identity of `duals` holds with these reduced costs too, and a network has one family per
child. So bounds are proven at any time, and sharp when nothing is missing.

Cuts are definitions, so a family that is not known has its coefficients too. In a price they are
those of one child: clusters with the child, and sums of these. A larger set of parents never has a
larger coefficient, so the empty set has the largest, and a cut in which it has none is left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from noisyor.core.family_source import Offer, Price, PriceCut, RoundedCut
from noisyor.core.variable_sets import from_words
from noisyor.search.bounds.cut_system import CutSystem, Proof
from noisyor.search.families import Families, Ticks
from noisyor.search.preparation import Scale
from noisyor.search.proof.branch import Branch

_ROUNDING = 2  # ticks, that a cost in nats and the same in ticks may differ by


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """A branch with its proof over the known families, and its lower bound over all families."""

    branch: Branch
    proof: Proof
    lower_bound: int

    @classmethod
    def of(cls, branch: Branch, families: Families) -> "Front":
        """Return the front of a branch, assuming that there are no other families than these."""
        proof = branch.prove(families.select(branch.fits(families)))
        return cls(branch, proof, proof.lower_bound)

    def at_least(self, whole: "Front") -> "Front":
        """Return the branch with its own proof, or with that of a larger one if this proves more.

        What holds for the networks of the whole holds for those of a part.
        """
        if self.lower_bound >= whole.lower_bound:
            return self
        branch = replace(self.branch, cuts=whole.branch.cuts, rounded=whole.branch.rounded)
        return Front(branch, whole.proof, whole.lower_bound)

    def holder_among(self, fronts: "Sequence[Front]") -> "Front":
        """Return the one of these branches that contains all networks of this branch."""
        return next(front for front in fronts if self.branch.is_part_of(front.branch))


def prices_below(fronts: Sequence[Front], margin: int, scale: Scale) -> list[list[Price]]:
    """Return prices, by child, for families with a reduced cost of at most -margin."""
    return _prices([(front, -margin) for front in fronts], scale)


def prices_within(fronts: Sequence[Front], limit: int, scale: Scale) -> list[list[Price]]:
    """Return prices, by child, that hold for every family of a network of at most `limit` ticks.

    The network exceeds the bound of its branch by at least the family's reduced cost.
    """
    return _prices([(front, limit - front.lower_bound + _ROUNDING) for front in fronts], scale)


def _prices(fronts: list[tuple[Front, int]], scale: Scale) -> list[list[Price]]:
    prices: list[list[Price]] = [[] for _ in scale.base]
    for front, room in fronts:
        cuts = _by_child(front.proof, scale)
        for child, (pi, base) in enumerate(
            zip(front.proof.pi.tolist(), scale.base.tolist(), strict=True)
        ):
            prices[child].append(
                Price(
                    base + (pi + room) * scale.tick,
                    tuple(cuts[child]),
                    front.branch.required[child],
                    front.branch.excluded[child],
                    front.branch.least[child],
                    front.branch.most[child],
                )
            )
    return prices


def _by_child(proof: Proof, scale: Scale) -> list[list[PriceCut | RoundedCut]]:
    """Return, for each child, the cuts in which its families may have a coefficient."""
    system, n = proof.system, len(scale.base)
    found: list[list[PriceCut | RoundedCut]] = [[] for _ in range(n)]
    earns = _largest(system, n) > 0  # shape (cuts, n)
    place = np.cumsum(earns, axis=0) - 1  # of each cut among those of each child
    sets, all_classes = from_words(system.sets), from_words(system.classes)
    weights = (proof.weights * scale.tick).tolist()
    for cut, (members, need) in enumerate(zip(sets, system.needs.tolist(), strict=True)):
        parts = system.parts[system.first_part[cut] : system.first_part[cut + 1]]
        classes = tuple(all_classes[system.first_class[cut] : system.first_class[cut + 1]])
        cluster = PriceCut(members, max(1, need), weights[cut], classes=classes)
        for child in np.flatnonzero(earns[cut]).tolist():
            if len(parts):
                own = place[parts[earns[parts, child]], child]
                up = not members >> child & 1
                found[child].append(RoundedCut(tuple(own.tolist()), up, weights[cut]))
            else:
                own_class = next((one for one in classes if one >> child & 1), 0)
                own = own_class & ~(1 << child)
                found[child].append(replace(cluster, own=own) if own else cluster)
    return found


def _largest(system: CutSystem, variables: int) -> npt.NDArray[np.int32]:
    """Return the largest coefficients of each child in each cut: those of the empty set."""
    children = np.arange(variables, dtype=np.int32)
    empty = np.zeros((variables, system.sets.shape[1]), dtype=np.uint64)
    return system.coefficients(np.arange(len(system)), children, empty)


def proven(
    fronts: Sequence[Front], offer: Offer, families: Families, most: int, margin: int
) -> list[Front]:
    """Return the fronts with lower bounds over all families, given the offer for `prices_below`.

    The margin is that of the request. `families` are those of the offer, at most `most` per child.
    If there are that many, the others are no further below their highest price than the last.
    """
    children = families.children()
    counts = np.diff(families.first)
    net = [
        families.ticks - _rewards(families, front.proof) - front.proof.pi[children]
        for front in fronts
    ]
    fits = [front.branch.fits(families) for front in fronts]
    lowest = np.full(len(families), np.iinfo(np.int64).max)
    for own, fit in zip(net, fits, strict=True):
        lowest[fit] = np.minimum(lowest[fit], own[fit])
    result: list[Front] = []
    for front, own, fit in zip(fronts, net, fits, strict=True):
        missing = np.full(families.variable_count, -margin - _ROUNDING)
        np.minimum.at(missing, children[fit], own[fit])
        for child in np.flatnonzero(counts >= most):
            last = int(lowest[children == child].max())
            missing[child] = min(missing[child], last - _ROUNDING)
        if not offer.finished.all():  # ticks are not negative
            reward = front.proof.weights @ _largest(front.proof.system, len(missing)).astype(
                np.int64
            )
            missing = np.where(offer.finished, missing, -front.proof.pi - reward)
        bound = front.proof.lower_bound + sum(missing.tolist())
        result.append(Front(front.branch, front.proof, bound))
    return result


def _rewards(families: Families, proof: Proof) -> Ticks:
    system = proof.system
    values = system.coefficients(np.arange(len(system)), families.children(), families.parents)
    rewards: Ticks = proof.weights @ values.astype(np.int64)
    return rewards
