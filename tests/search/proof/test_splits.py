"""Splits partition the networks of a branch, and say which families fit on which side."""

import numpy as np
import pytest

from noisyor.core.variable_sets import from_words, to_words
from noisyor.search.bounds.duals import Cuts
from noisyor.search.bounds.separation import Point
from noisyor.search.families import Families
from noisyor.search.proof.branch import Branch
from noisyor.search.proof.splits import KINDS, CountSplit, EdgeSplit, Split

VARIABLES = 4


def all_families() -> Families:
    """Return all families of four variables, at any ticks."""
    sets = [
        [parents for parents in range(1 << VARIABLES) if not parents >> child & 1]
        for child in range(VARIABLES)
    ]
    first = np.cumsum([0, *(len(own) for own in sets)])
    parents = to_words([one for own in sets for one in own], 1)
    ticks = np.zeros(len(parents), dtype=np.int64)
    return Families(first, parents, ticks, np.arange(len(parents)))


SPLITS: list[Split] = [
    *(EdgeSplit(u, v) for u in range(VARIABLES) for v in range(VARIABLES) if u != v),
    *(CountSplit(v, most) for v in range(VARIABLES) for most in range(VARIABLES - 1)),
]


@pytest.mark.parametrize("split", SPLITS)
def test_the_families_of_a_side_are_those_that_are_not_removed(split: Split) -> None:
    families = all_families()
    root = Branch.root(VARIABLES, Cuts.none(1))
    removed = [
        remove(families.children(), families.parents) for remove in (split.without, split.having)
    ]
    for side, mask in zip(split.sides(root), removed, strict=True):
        assert side.fits(families).tolist() == (~mask).tolist()
        assert side.is_part_of(root)
        assert not root.is_part_of(side)


def test_a_count_is_that_of_the_definition() -> None:
    families = all_families()
    few, many = CountSplit(2, 1).sides(Branch.root(VARIABLES, Cuts.none(1)))
    pairs = zip(families.children().tolist(), from_words(families.parents), strict=True)
    sizes = [(child, parents.bit_count()) for child, parents in pairs]
    assert few.fits(families).tolist() == [child != 2 or size <= 1 for child, size in sizes]
    assert many.fits(families).tolist() == [child != 2 or size >= 2 for child, size in sizes]


def test_a_range_only_narrows() -> None:
    branch = Branch.root(VARIABLES, Cuts.none(1)).with_parents(1, least=2)
    assert (branch.least, branch.most) == ((0, 2, 0, 0), (3, 3, 3, 3))
    assert branch.with_parents(1, least=1).least == branch.least
    narrow = branch.with_parents(1, most=2)
    assert narrow.with_parents(1, most=3).most == (3, 2, 3, 3)
    assert narrow.is_part_of(branch)
    assert not branch.is_part_of(narrow)


def test_a_branch_that_demands_parents_says_so() -> None:
    root = Branch.root(VARIABLES, Cuts.none(1))
    assert not root.demands_parents
    assert not root.with_parents(0, most=1).without_edge(0, 1).demands_parents
    assert root.with_parents(0, least=1).demands_parents
    assert root.with_edge(0, 1).demands_parents


def test_the_value_of_a_split_is_what_a_solution_has_on_its_second_side() -> None:
    rng = np.random.default_rng(0)
    families = all_families()
    for _ in range(20):
        chosen = rng.choice(len(families), size=12, replace=False)
        children, parents = families.children()[chosen], families.parents[chosen]
        values = rng.random(12)
        point = Point(VARIABLES, children, parents, values)
        found = {split: value for kind in KINDS for split, value in kind(point).items()}
        assert {type(split) for split in found} == {EdgeSplit, CountSplit}
        for split, value in found.items():
            assert value == pytest.approx(values[split.without(children, parents)].sum())
