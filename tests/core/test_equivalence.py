"""Markov-equivalent networks of full tables form one class."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from math import exp

import numpy as np
import pytest

from noisyor.core import NOISY_OR, BayesFactor, CredibleSet, Family, SettingsError, Structure
from noisyor.core.credible_set import FamilyUse, Labels, MemberBatch
from noisyor.core.equivalence import Cpdag, cpdag, equivalence_classes
from tests.oracles.networks import bits, closes_cycle

Graph = tuple[int, ...]
"""The parents of each variable."""


def all_graphs(n: int) -> list[Graph]:
    sets = [[p for p in range(1 << n) if not p >> v & 1] for v in range(n)]
    return [
        graph
        for graph in product(*sets)
        if not closes_cycle([(v, parents, 0) for v, parents in enumerate(graph)])
    ]


def structure(graph: Graph) -> Structure:
    names = tuple("abcdef"[: len(graph)])
    return Structure(names, tuple(Family(v, parents) for v, parents in enumerate(graph)))


def skeleton(graph: Graph) -> frozenset[tuple[int, int]]:
    return frozenset((min(p, v), max(p, v)) for v, above in enumerate(graph) for p in bits(above))


def v_structures(graph: Graph) -> frozenset[tuple[int, int, int]]:
    return frozenset(
        (a, v, b)
        for v, above in enumerate(graph)
        for a, b in combinations(bits(above), 2)
        if (a, b) not in skeleton(graph)
    )


def naive_class(graphs: list[Graph]) -> Cpdag:
    """Return the edges that all graphs of a class agree on."""
    edges = [set(structure(graph).edges()) for graph in graphs]
    directed = frozenset.intersection(*map(frozenset, edges))
    undirected = {(min(edge), max(edge)) for edge in set.union(*edges) - directed}
    return Cpdag(structure(graphs[0]).names, frozenset(directed), frozenset(undirected))


@pytest.mark.parametrize(("n", "graphs", "classes"), [(2, 3, 2), (3, 25, 11), (4, 543, 185)])
def test_all_graphs_fall_into_the_known_numbers_of_classes(
    n: int, graphs: int, classes: int
) -> None:
    groups = defaultdict(list)
    for graph in all_graphs(n):
        groups[skeleton(graph), v_structures(graph)].append(graph)
    assert sum(map(len, groups.values())) == graphs
    assert len(groups) == classes
    for group in groups.values():
        expected = naive_class(group)
        assert {cpdag(structure(graph)) for graph in group} == {expected}


def test_edges_follow_from_v_structures() -> None:
    # By the first rule c -> d, as d is not adjacent to a; by the third d -> c in the kite.
    chain = cpdag(structure((0, 0, 0b0011, 0b0100)))
    assert chain.directed == {("a", "c"), ("b", "c"), ("c", "d")}
    kite = cpdag(structure((0b1000, 0b1000, 0b1011, 0)))
    assert kite.directed == {("a", "c"), ("b", "c"), ("d", "c")}
    assert kite.undirected == {("a", "d"), ("b", "d")}


def test_large_random_graphs_agree_with_turning_covered_edges_round() -> None:
    """An edge is undirected if some chain of covered reversals turns it (Chickering, 1995)."""
    rng = np.random.default_rng(5)
    for _ in range(30):
        order = rng.permutation(6)
        graph = [0] * 6
        for place, v in enumerate(order.tolist()):
            graph[v] = sum(1 << int(u) for u in order[:place] if rng.random() < 0.5)
        found = {tuple(graph)}
        waiting = [tuple(graph)]
        while waiting:
            for other in turned(waiting.pop()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        assert cpdag(structure(tuple(graph))) == naive_class(sorted(found))


def turned(graph: Graph) -> Iterator[Graph]:
    for v, above in enumerate(graph):
        for p in bits(above):
            if graph[p] == above & ~(1 << p):
                changed = list(graph)
                changed[v], changed[p] = above & ~(1 << p), graph[p] | 1 << v
                yield tuple(changed)


class Listed:
    """The given members, in batches."""

    def __init__(self, rows: list[list[int]], costs: list[float]) -> None:
        self._rows, self._costs = np.array(rows, dtype=np.uint32), np.array(costs)

    def stream(self) -> Iterator[MemberBatch]:
        for start in range(0, len(self._rows), 7):
            some = slice(start, start + 7)
            yield MemberBatch(self._rows[some], self._costs[some])

    def best(self, most: int) -> MemberBatch:
        raise NotImplementedError

    def costliest(self) -> MemberBatch:
        raise NotImplementedError

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        raise NotImplementedError


def all_of_three() -> CredibleSet:
    """Return the 25 graphs over three variables; an edge saves 1."""
    graphs = all_graphs(3)
    families = sorted({(v, parents) for graph in graphs for v, parents in enumerate(graph)})
    costs = [3.0 - len(skeleton(graph)) for graph in graphs]
    rows = [[families.index(family) for family in enumerate(graph)] for graph in graphs]
    uses = tuple(
        FamilyUse(Family(*family), 1.0 - family[1].bit_count(), 1, 0.1, 0.0) for family in families
    )
    best = costs.index(0.0)
    return CredibleSet(
        names=("a", "b", "c"),
        bayes_factor=BayesFactor(exp(3)),
        labels=Labels.BEST,
        best=structure(graphs[best]),
        optimum=0.0,
        lower_bound=0.0,
        count=25,
        families=uses,
        members=Listed(rows, costs),
    )


def test_members_are_grouped_with_their_counts_and_weights() -> None:
    found = equivalence_classes(all_of_three())
    assert found.complete
    assert found.networks == 25
    assert len(found.classes) == 11
    assert [one.best_cost for one in found.classes] == [0.0] + [1.0] * 6 + [2.0] * 3 + [3.0]
    assert sum(one.networks for one in found.classes) == 25
    assert found.classes[0].networks == 6
    total = 6 + 12 * exp(-1) + 6 * exp(-2) + exp(-3)
    assert found.classes[0].weight == pytest.approx(6 / total, rel=1e-12)
    assert sum(one.weight for one in found.classes) == pytest.approx(1, rel=1e-12)
    assert found.classes[-1].cpdag == Cpdag(("a", "b", "c"), frozenset(), frozenset())


def test_a_limit_that_was_hit_is_reported() -> None:
    found = equivalence_classes(all_of_three(), most=10)
    assert found.networks == 10
    assert sum(one.networks for one in found.classes) == 10
    assert found.shortfalls == ("10 of 25 networks were grouped: the limit asked for",)
    with pytest.raises(SettingsError, match="at most 0 networks to group"):
        equivalence_classes(all_of_three(), most=0)


def test_other_relations_are_refused() -> None:
    message = r"'b' is a noisy-or in some network; Markov equivalence holds among .* full tables"
    with pytest.raises(SettingsError, match=message):
        cpdag(Structure(("a", "b"), (Family(0, 0), Family(1, 1, NOISY_OR))))
    credible = all_of_three()
    changed = tuple(
        replace(use, family=replace(use.family, relation=NOISY_OR))
        if use.family == Family(1, 1)
        else use
        for use in credible.families
    )
    with pytest.raises(SettingsError, match=message):
        equivalence_classes(replace(credible, families=changed))
