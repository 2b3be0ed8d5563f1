"""A first lower bound on all networks, by dual ascent on the weights of cuts.

It uses the cuts of `duals` with k = 1: some family of an acyclic network has its child in the set C
and no parent in it. If columns cost nothing given each other, as copies do, the sum of the cheapest
families is a useless bound of 0, and this one is nearly sharp.

Start without weights. A family is *tight* if its ticks are no more than the weights of the cuts it
counts in. As long as the tight families make no network, place every variable with a tight family
whose parents are all placed, until no more can be placed. Draw an edge to each unplaced variable
from every unplaced parent in its tight families; each of these has one. A strongly connected
component C that no edge enters has no tight family without a parent in C. So the weight of C can
be raised until the first family that counts in C becomes tight.

The weights of the cuts that a family counts in never exceed its ticks, so pi is never below 0, and
the bound of `duals` is at least the sum of all weights. Tight families remain tight, as they do not
count in the raised cuts, and each raise adds one; so the ascent terminates.

The bound is at least 1/n of the ticks of `some_network` in `preparation`, which places variables
one by one, each time the one that costs least. For let U be the unplaced variables before its
costliest step. In the end the tight families make a network, and the first variable of U in it has
a family without parents in U. That family has no fewer ticks than the step, and it is tight, so the
sum of all weights is at least its ticks.
"""

from functools import reduce
from itertools import pairwise
from operator import or_

import numpy as np

from noisyor.core.variable_sets import from_words, set_of, to_words, variables_in
from noisyor.search.components import ancestors
from noisyor.search.families import Families, Ticks


def least_ticks(families: Families) -> int:
    """Return a lower bound on the ticks of an acyclic network of these families.

    Such a network must exist, and ticks must not be negative.
    """
    unpaid = families.ticks.copy()
    bound = 0
    while clusters := _stuck_clusters(families, unpaid):
        bound += sum(_pay(families, cluster, unpaid) for cluster in clusters)
    return bound


def _stuck_clusters(families: Families, unpaid: Ticks) -> set[int]:
    """Return disjoint sets in which every tight family of a variable has a parent in the set."""
    first = families.first.tolist()
    tight = [
        from_words(families.parents[begin:end][unpaid[begin:end] == 0])
        for begin, end in pairwise(first)
    ]
    left = set(range(families.variable_count))
    placed = 0
    while ready := {v for v in left if any(not parents & ~placed for parents in tight[v])}:
        left -= ready
        placed |= set_of(ready)
    wanted = [reduce(or_, own, 0) & ~placed if v in left else 0 for v, own in enumerate(tight)]
    above = ancestors(wanted)
    return {
        above[v] or 1 << v
        for v in left
        if all(above[u] == above[v] for u in variables_in(above[v]))
    }


def _pay(families: Families, cluster: int, unpaid: Ticks) -> int:
    """Raise the weight of a set's cut as far as its families allow; return by how much."""
    inside = to_words([cluster], families.parents.shape[1])[0]
    own = np.concatenate(
        [np.arange(families.first[v], families.first[v + 1]) for v in variables_in(cluster)]
    )
    counting = own[~(families.parents[own] & inside).any(axis=1)]
    raised = int(unpaid[counting].min())
    unpaid[counting] -= raised
    return raised
