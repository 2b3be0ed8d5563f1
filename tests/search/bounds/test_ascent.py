"""The first bound: at most the optimum, and at least a network's costliest step."""

import numpy as np
import pytest

from noisyor.core.variable_sets import to_words, word_count
from noisyor.search.bounds.ascent import least_ticks
from noisyor.search.families import Families
from tests.oracles.lattice import Options, optimum

H, SMALLER = 7_000_000, 5_000_000


def families_of(options: Options) -> Families:
    """Return each child's families (parents, ticks), cheapest first."""
    rows = [family for own in options for family in sorted(own, key=lambda family: family[1])]
    return Families(
        first=np.cumsum([0, *map(len, options)]).astype(np.int64),
        parents=to_words([parents for parents, _ in rows], word_count(len(options))),
        ticks=np.array([ticks for _, ticks in rows], dtype=np.int64),
        rows=np.arange(len(rows)),
    )


def copies(*classes: tuple[int, int]) -> list[list[tuple[int, int]]]:
    """Return columns that cost nothing given another of their class: its size, and one's cost."""
    options: list[list[tuple[int, int]]] = []
    for size, ticks in classes:
        start = len(options)
        options += [
            [(0, ticks), *((1 << start + other, 0) for other in range(size) if other != own)]
            for own in range(size)
        ]
    return options


@pytest.mark.parametrize(
    ("classes", "least"),
    [
        ([(1, 0)], 0),
        ([(2, H)], H),
        ([(5, H)], H),
        ([(3, H), (2, SMALLER)], H + SMALLER),
        ([(2, H)] * 30, 30 * H),
        ([(100, H), (100, SMALLER)], H + SMALLER),  # sets of several words
    ],
)
def test_every_class_of_copies_costs_one_of_them(
    classes: list[tuple[int, int]], least: int
) -> None:
    assert least_ticks(families_of(copies(*classes))) == least


def test_clusters_that_join_are_paid_for_once_more() -> None:
    """Two pairs of copies: the first variable costs 7, the first of the other pair 2.

    The weights are 2 on each pair, then 5 on all four.
    """
    options = [
        [(0b0010, 0), (0b0100, 2), (0, 7)],
        [(0b0001, 0), (0b0100, 2), (0, 7)],
        [(0b1000, 0), (0b0001, 2), (0, 7)],
        [(0b0100, 0), (0b0001, 2), (0, 7)],
    ]
    assert optimum(options) == 9
    assert least_ticks(families_of(options)) == 9


def test_a_child_without_a_free_family_costs_its_cheapest() -> None:
    options = [[(0b10, 3), (0, 4)], [(0b01, 0)]]  # the second needs the first
    assert optimum(options) == 4
    assert least_ticks(families_of(options)) == 4


def random_options(rng: np.random.Generator, n: int, largest: int) -> list[list[tuple[int, int]]]:
    order = rng.permutation(n).tolist()
    options: list[list[tuple[int, int]]] = []
    for child in range(n):
        before = sum(1 << v for v in order[: order.index(child)])
        sets = {int(rng.integers(2**n)) & before}  # along the order there is a network
        sets |= {int(rng.integers(2**n)) & ~(1 << child) for _ in range(6)}
        options.append([(one, int(rng.integers(largest))) for one in sorted(sets)])
        least = min(ticks for _, ticks in options[-1])
        options[-1] = [(one, ticks - least) for one, ticks in options[-1]]
    return options


def costliest_step(options: Options) -> int:
    """Return the largest step if each step places the variable that costs least."""
    placed, largest = 0, 0
    for _ in options:
        ticks, child = min(
            (ticks, child)
            for child, own in enumerate(options)
            if not placed >> child & 1
            for parents, ticks in own
            if not parents & ~placed
        )
        placed |= 1 << child
        largest = max(largest, ticks)
    return largest


def test_it_is_between_the_costliest_step_and_the_optimum() -> None:
    sharp = 0
    rng = np.random.default_rng(5)
    for largest in (3, 2**51):  # many ties, and none
        for n in (2, 3, 4, 5, 6) * 30:
            options = random_options(rng, n, largest)
            bound, best = least_ticks(families_of(options)), optimum(options)
            assert best is not None
            assert costliest_step(options) <= bound <= best
            sharp += bound == best > 0
    assert sharp >= 50  # the bound is often good enough to be useful
