"""Describes how two sets of networks differ; an empty description means that they agree."""

from collections.abc import Hashable, Iterator, Mapping
from math import inf, isclose

from tests.oracles.networks import NaiveSet
from tests.oracles.precise import tolerance_at
from tests.soak.seen import Seen, Told, seen_by_brute_force

MOST_NAMED = 3
"""Differences of one kind that are told; the others are counted."""

_NOTHING = Told(0, 0.0, inf, None)


def same(one: Seen, other: Seen) -> list[str]:
    """Return how two sets from one table differ, apart from the last bits of weights."""
    found = [
        f"{name}: {a!r} and {b!r}"
        for name, a, b in (
            ("optimum", one.optimum, other.optimum),
            ("count", one.count, other.count),
            ("costliest", one.costliest, other.costliest),
            ("members", one.members, other.members),
            ("shortfalls", one.shortfalls, other.shortfalls),
        )
        if a != b
    ]
    for kind, of_one in one.has.items():
        of_other = other.has[kind]
        found += _few(_different(kind, of_one, of_other))
    return [line[:400] for line in found]


def _different(
    kind: str, one: Mapping[Hashable, Told], other: Mapping[Hashable, Told]
) -> Iterator[str]:
    for key in one.keys() | other.keys():
        a, b = one.get(key, _NOTHING), other.get(key, _NOTHING)
        alike = (a.networks, a.best_with, a.best_without) == (
            b.networks,
            b.best_with,
            b.best_without,
        )
        if not alike or not isclose(a.weight, b.weight, rel_tol=1e-9):
            yield f"{kind} {key}: {a} and {b}"


def between(certain: Seen, got: Seen, possible: Seen) -> list[str]:
    """Return where a set lacks a certain network or has an impossible one.

    Certain are the networks up to optimum + slack, possible those up to a tolerance more: that is
    what docs/search.md promises. Where both are the same, so must be everything else, weights too.
    """
    tolerance = tolerance_at(got.optimum)
    found = [f"not complete: {line}" for line in got.shortfalls]
    if abs(got.optimum - certain.optimum) > tolerance:
        found.append(f"optimum {got.optimum!r}, expected {certain.optimum!r}")
    if not certain.count <= got.count <= possible.count:
        found.append(f"count {got.count}, expected {certain.count} to {possible.count}")
    if not certain.costliest - tolerance <= got.costliest <= possible.costliest + tolerance:
        found.append(
            f"the costliest costs {got.costliest!r}, expected {certain.costliest!r} to "
            f"{possible.costliest!r}"
        )
    exact = certain.count == possible.count
    for kind, had in got.has.items():
        low, high = certain.has[kind], possible.has[kind]
        found += _few(_outside(kind, low, had, high))
        found += _few(_elsewhere(kind, low, had, tolerance, exact=exact))
    return found + _few(_wrong_members(certain, got, possible, tolerance))


def _outside(
    kind: str,
    low: Mapping[Hashable, Told],
    had: Mapping[Hashable, Told],
    high: Mapping[Hashable, Told],
) -> Iterator[str]:
    """Yield the features that too few or too many networks have."""
    for key in low.keys() | had.keys() | high.keys():
        least, most = low.get(key, _NOTHING).networks, high.get(key, _NOTHING).networks
        networks = had.get(key, _NOTHING).networks
        if not least <= networks <= most:
            yield f"{kind} {key} is in {networks} networks, expected {least} to {most}"


def _elsewhere(
    kind: str,
    low: Mapping[Hashable, Told],
    had: Mapping[Hashable, Told],
    tolerance: float,
    *,
    exact: bool,
) -> Iterator[str]:
    """Yield the features whose best network or, if the sets are the same, weight differs."""
    for key in low.keys() & had.keys():
        a, b = low[key], had[key]
        if abs(a.best_with - b.best_with) > tolerance:
            yield f"the best with {kind} {key} costs {b.best_with!r}, expected {a.best_with!r}"
        if exact and not isclose(a.weight, b.weight, rel_tol=1e-6 + 4 * tolerance):
            yield f"{kind} {key} has the weight {b.weight!r}, expected {a.weight!r}"
        if exact and not _close(a.best_without, b.best_without, tolerance):
            yield (
                f"the best without {kind} {key} costs {b.best_without!r}, "
                f"expected {a.best_without!r}"
            )


def _close(one: float | None, other: float | None, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= tolerance


def _wrong_members(certain: Seen, got: Seen, possible: Seen, tolerance: float) -> Iterator[str]:
    if certain.members is None or got.members is None or possible.members is None:
        return
    for network in certain.members.keys() - got.members.keys():
        yield f"lacks {network}, which costs {certain.members[network]!r}"
    for network in got.members.keys() - possible.members.keys():
        yield f"has {network}, which costs {got.members[network]!r}"
    for network in got.members.keys() & possible.members.keys():
        if abs(got.members[network] - possible.members[network]) > tolerance:
            yield (
                f"{network} costs {got.members[network]!r}, expected {possible.members[network]!r}"
            )


def within_itself(got: Seen, n: int) -> list[str]:
    """Return where a set contradicts itself: each child has one family, and so has each member."""
    found = []
    for child in range(n):
        own = [
            told
            for key, told in got.has["family"].items()
            if isinstance(key, tuple) and key[0] == child
        ]
        networks, weight = sum(told.networks for told in own), sum(told.weight for told in own)
        if networks != got.count:
            found.append(f"families of {child} are in {networks} networks of {got.count}")
        if not isclose(weight, 1, rel_tol=1e-9):
            found.append(f"families of {child} have the weight {weight!r}")
    if got.members is not None:
        if len(got.members) != got.count:
            found.append(f"{len(got.members)} members were streamed of {got.count}")
        if got.best is not None:
            cost = got.members.get(got.best, inf)
            if abs(cost - got.optimum) > tolerance_at(got.optimum):
                found.append(f"the best, {got.best}, costs {cost!r} among the members")
        listed = seen_by_brute_force(
            NaiveSet(tuple(sorted((cost, network) for network, cost in got.members.items())))
        )
        found += [f"by its members: {line}" for line in between(listed, got, listed)]
    return found


def _few(lines: Iterator[str]) -> list[str]:
    every = sorted(lines)
    more = len(every) - MOST_NAMED
    return every[:MOST_NAMED] + ([f"and {more} more of this kind"] if more > 0 else [])
