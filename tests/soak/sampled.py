"""Sampled sets against the enumerated set of the same table."""

import time
from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

import numpy as np

from noisyor.core import ScoreTable
from noisyor.core.credible_set import CredibleSet, Use
from noisyor.search import search
from noisyor.search.sampling import SamplingEffort, is_reliable, sample_credible
from tests.oracles.precise import tolerance_at
from tests.search.agreement import network_of
from tests.soak.pieces import is_in_one_piece
from tests.soak.problems import Settings
from tests.soak.seen import MOST_LISTED

Subject = TypeVar("Subject", bound=Hashable)
EFFORT = SamplingEffort(draws=500, seconds=5.0)
MOST_NETWORKS = 100_000
"""Larger sets are not enumerated for the comparison."""

FAR = 8.0
"""Standard errors that no share is off by, of the hundreds of thousands that are compared."""

SURE = 25.0
"""Of so many expected draws, at least one is seen."""


def compare_sampled(
    table: ScoreTable, settings: Settings, seed: int
) -> tuple[list[str], bool] | None:
    """Return how a sample differs from the enumerated set, and whether its shares were compared.

    None if there is nothing to compare. Shares are compared if the chains agree and can reach every
    network: if each child has a family whose parents are among those of its other families, and the
    set is in one piece. Else docs/sampling.md promises no more than that chains may miss networks.
    """
    exact = search(table, settings.factor, labels=settings.labels, bounds="none", jobs=1).credible
    if not exact.complete or not 2 <= exact.count <= MOST_NETWORKS:
        return None
    row = {family: at for at, (family, _) in enumerate(table.families())}
    best = np.array([row[family] for family in exact.best.families])

    def drawn(jobs: int) -> tuple[CredibleSet, bool]:
        """Return a sample, and whether it ended by itself: else it is not the same again."""
        began = time.monotonic()
        found = sample_credible(
            table,
            exact.bayes_factor,
            best=best,
            labels=exact.labels,
            seed=seed,
            jobs=jobs,
            effort=EFFORT,
        )
        return found, time.monotonic() - began < EFFORT.seconds

    one, in_time = drawn(1)
    found = _within(one, exact)
    if in_time:
        other, in_time = drawn(settings.jobs[1])
        found += _same_draws(one, other) if in_time else []
    reliable = one.sampling is not None and is_reliable(one.sampling)
    shares = reliable and _leads_everywhere(table) and is_in_one_piece(exact)
    if shares:
        found += _shares(one, exact)
    return found, shares


def _leads_everywhere(table: ScoreTable) -> bool:
    common: dict[int, int] = {}
    own: dict[int, set[int]] = {}
    for family, _ in table.families():
        common[family.child] = common.get(family.child, family.parents) & family.parents
        own.setdefault(family.child, set()).add(family.parents)
    return all(common[child] in own[child] for child in common)


def _within(one: CredibleSet, exact: CredibleSet) -> list[str]:
    """Return what a sample has that the set has not; weights need not be near for this."""
    tolerance = tolerance_at(exact.optimum)
    found = []
    if abs(one.optimum - exact.optimum) > tolerance:
        found.append(f"optimum {one.optimum!r}, expected {exact.optimum!r}")
    if one.complete:
        found.append("a sample is called complete")
    if exact.count > MOST_LISTED:
        return found
    members = {network_of(member): member.cost for member in exact.stream()}
    limit = exact.costliest().cost
    for member in one.stream():
        network = network_of(member)
        if network not in members:
            if member.cost <= limit - tolerance:  # one at the slack may be in or out
                found.append(f"has {network}, which costs {member.cost!r}")
        elif abs(members[network] - member.cost) > tolerance:
            found.append(f"{network} costs {member.cost!r}, expected {members[network]!r}")
    return found


def _same_draws(one: CredibleSet, other: CredibleSet) -> list[str]:
    if one.sampling is None or other.sampling is None:
        return ["another number of threads draws nothing"]
    same = one.families == other.families and np.array_equal(
        one.sampling.times, other.sampling.times
    )
    return [] if same else ["another number of threads draws other networks"]


def _shares(one: CredibleSet, exact: CredibleSet) -> list[str]:
    assert one.sampling is not None
    effective = one.sampling.effective
    found = [
        *_off("edge", one.edges(), exact.edges(), effective),
        *_off("parent set", one.parent_sets(), exact.parent_sets(), effective),
        *_off("relation", one.relations(), exact.relations(), effective),
    ]
    return sorted(found)[:3]


def _off(
    kind: str, drawn: Mapping[Subject, Use], exact: Mapping[Subject, Use], effective: float
) -> Iterator[str]:
    for key in drawn.keys() | exact.keys():
        wanted = exact[key].weight if key in exact else 0.0
        if key not in drawn:
            if wanted * effective > SURE:
                yield f"{kind} {key} was never drawn, expected {wanted:.4g} of all draws"
            continue
        error = drawn[key].standard_error
        if error is None or abs(drawn[key].weight - wanted) > FAR * error:
            yield f"{kind} {key}: {drawn[key].weight:.4g} ± {error}, expected {wanted:.4g}"
