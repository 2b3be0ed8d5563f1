"""Prices of families from weighted cuts, and proven bounds from the families on offer.

Take a branch of the networks, weights on cuts, and the families known so far that fit the branch;
`duals` has pi, rc and the lower bound LB that follow for networks of known families. A family that
is not known may have a reduced cost below 0. If no reduced cost of a child v is below missing_v <=
0, then every network G of the branch, whatever its families, costs at least

    LB + the sum of missing_v,

since the identity of `duals` holds with these reduced costs too, and a network has one family per
child. So bounds are proven at any time, and sharp when nothing is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from noisyor.core.family_source import Offer, Price, PriceCut
from noisyor.core.variable_sets import WORD_BITS, from_words, variables_in
from noisyor.search.bounds.duals import Cuts, Duals, duals_of
from noisyor.search.bounds.linear_program import counts_in
from noisyor.search.families import Families, Ticks
from noisyor.search.preparation import Scale
from noisyor.search.proof.branch import Branch

_ROUNDING = 2  # ticks, that a cost in nats and the same in ticks may differ by


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """A branch with its duals over the known families, and its lower bound over all families."""

    branch: Branch
    duals: Duals
    lower_bound: int

    @classmethod
    def of(cls, branch: Branch, families: Families) -> "Front":
        """Return the front of a branch, assuming that there are no other families than these."""
        duals = duals_of(families.select(branch.fits(families)), branch.cuts)
        return cls(branch, duals, duals.lower_bound)

    def at_least(self, whole: "Front") -> "Front":
        """Return the branch with its own duals, or with those of all networks if these prove more.

        What holds for all networks holds for those of a branch.
        """
        if self.lower_bound >= whole.lower_bound:
            return self
        return Front(replace(self.branch, cuts=whole.duals.cuts), whole.duals, whole.lower_bound)


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
        cuts = _by_child(front.duals.cuts, scale)
        for child, (pi, base) in enumerate(
            zip(front.duals.pi.tolist(), scale.base.tolist(), strict=True)
        ):
            prices[child].append(
                Price(
                    base + (pi + room) * scale.tick,
                    tuple(cuts[child]),
                    front.branch.required[child],
                    front.branch.excluded[child],
                )
            )
    return prices


def _by_child(cuts: Cuts, scale: Scale) -> list[list[PriceCut]]:
    """Return, for each child, the cuts whose sets contain it."""
    found: list[list[PriceCut]] = [[] for _ in scale.base]
    for variables, need, weight in zip(
        from_words(cuts.variables), cuts.needs.tolist(), cuts.weights.tolist(), strict=True
    ):
        cut = PriceCut(variables, need, weight * scale.tick)
        for child in variables_in(variables):
            found[child].append(cut)
    return found


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
        families.ticks - _rewards(families, front.duals.cuts) - front.duals.pi[children]
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
        for child in np.flatnonzero(~offer.finished):
            missing[child] = -front.duals.pi[child] - _most_reward(front.duals.cuts, int(child))
        bound = front.duals.lower_bound + sum(missing.tolist())
        result.append(Front(front.branch, front.duals, bound))
    return result


def _rewards(families: Families, cuts: Cuts) -> Ticks:
    counts = counts_in(families.children(), families.parents, cuts.variables, cuts.needs)
    rewards: Ticks = cuts.weights @ counts.astype(np.int64)
    return rewards


def _most_reward(cuts: Cuts, child: int) -> int:
    """Return the total weight of the cuts with a child; ticks are not negative."""
    word, bit = divmod(child, WORD_BITS)
    inside = cuts.variables[:, word] >> np.uint64(bit) & np.uint64(1)
    return int(cuts.weights[inside == 1].sum())
