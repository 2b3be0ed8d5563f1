"""The classical dynamic programme over all subsets: a slow twin of the lattice search."""

from collections.abc import Sequence
from itertools import combinations

from tests.oracles.cuts import OracleCut, reward

Options = Sequence[Sequence[tuple[int, int]]]
"""For each child its families as (parents, ticks), parents as an int."""


def optimum(options: Options) -> int | None:
    """Return the ticks of the best acyclic network, or None if there is none."""
    n = len(options)
    best: dict[int, int] = {0: 0}
    for size in range(1, n + 1):
        for chosen in combinations(range(n), size):
            subset = sum(1 << v for v in chosen)
            totals = [
                best[subset - (1 << v)] + ticks
                for v in chosen
                if subset - (1 << v) in best
                for parents, ticks in options[v]
                if parents | subset - (1 << v) == subset - (1 << v)
            ]
            if totals:
                best[subset] = min(totals)
    return best.get((1 << n) - 1)


def best_with(options: Options) -> list[list[int | None]]:
    """Return the ticks of the best network with each family, by leaving its child no other."""
    return [
        [optimum([*options[:child], [family], *options[child + 1 :]]) for family in families]
        for child, families in enumerate(options)
    ]


def reduced_costs(
    options: Options, cuts: Sequence[OracleCut]
) -> tuple[list[int], list[list[int]], int]:
    """Return pi, rc and the lower bound of cuts, by definition."""
    net = [
        [ticks - reward(child, parents, cuts) for parents, ticks in families]
        for child, families in enumerate(options)
    ]
    pi = [min(values) for values in net]
    rc = [[value - least for value in values] for values, least in zip(net, pi, strict=True)]
    return pi, rc, sum(pi) + sum(cut.need * cut.weight for cut in cuts)
