"""Runs passes of one child's search, and compares their results."""

import threading

import numpy as np
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core.family_source import Price, PriceCut, RoundedCut
from noisyor.core.relations import relation_of
from noisyor.core.variable_sets import from_words
from noisyor.scoring.child_search import ChildScores, ChildSearch, SearchPass
from tests.scoring.problems import same_columns
from tests.search.cuts import classed_price_cut

Kind = tuple[int, str]


def run_pass(search: ChildSearch, wanted: SearchPass, threads: int = 1) -> ChildScores:
    """Return what a pass finds."""
    search.begin(wanted)
    cancellation = kernels.Cancellation()
    while not search.finished:
        workers = [
            threading.Thread(target=search.work, args=(cancellation,)) for _ in range(threads)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return search.result()


def kinds(scores: ChildScores) -> dict[Kind, float]:
    """Return the families as a mapping."""
    names = [relation_of(code).name for code in scores.columns.relations.tolist()]
    keys = zip(from_words(scores.columns.parents), names, strict=True)
    return dict(zip(keys, scores.columns.costs.tolist(), strict=True))


def same_scores(a: ChildScores, b: ChildScores) -> bool:
    """Return whether two results agree to the last bit."""
    return same_columns(a.columns, b.columns)


@st.composite
def price_lists(
    draw: st.DrawFn, child: int, variables: int, typical: float, *, branches: int = 3
) -> list[Price]:
    """Draw prices by branches, around the typical cost."""
    others = ((1 << variables) - 1) & ~(1 << child)
    sets = st.integers(0, (1 << variables) - 1)
    weights = st.floats(0, typical / 4, allow_nan=False)
    prices = []
    for _ in range(draw(st.integers(1, branches))):
        clusters = draw(st.lists(st.tuples(sets, st.integers(1, 2), weights), max_size=4))
        cuts: list[PriceCut | RoundedCut] = [PriceCut(*one) for one in clusters]
        for members, seed, weight in draw(
            st.lists(st.tuples(sets, st.integers(0, 2**16), weights), max_size=4)
        ):
            cuts.append(classed_price_cut(np.random.default_rng(seed), child, members, weight))
        for _ in range(draw(st.integers(0, 3)) if cuts else 0):
            places = st.integers(0, len(cuts) - 1)
            parts = draw(st.lists(places, min_size=1, max_size=4, unique=True))
            cuts.append(RoundedCut(tuple(parts), draw(st.booleans()), draw(weights)))
        base = draw(st.floats(typical / 3, 1.2 * typical, allow_nan=False))
        required = draw(st.one_of(st.just(0), sets)) & others
        if required.bit_count() > 2:
            required &= required - 1
            required &= -required
        excluded = draw(st.one_of(st.just(0), sets)) & others & ~required
        least = draw(st.sampled_from([0, 0, 1, 2]))
        most = draw(st.one_of(st.none(), st.integers(least, max(least, variables))))
        prices.append(Price(base, tuple(cuts), required, excluded, least, most))
    return prices


def random_prices(seed: int, child: int, variables: int, typical: float) -> list[Price]:
    """Return prices for one or several branches."""
    rng = np.random.default_rng(seed)
    others = ((1 << variables) - 1) & ~(1 << child)
    prices = []
    for branch in range(int(rng.integers(1, 4))):
        cuts: list[PriceCut | RoundedCut] = []
        for _ in range(6):
            chosen = int(rng.integers(1, 1 << min(variables, 40))) & int(rng.integers(1, 1 << 40))
            need, weight = int(rng.integers(1, 3)), float(rng.uniform(0, 3))
            plain = PriceCut(chosen | 1 << child, need, weight)
            is_plain = rng.random() < 0.5
            cuts.append(plain if is_plain else classed_price_cut(rng, child, chosen, weight))
        for number in range(6, 11):
            parts = rng.choice(number, size=int(rng.integers(2, 5)), replace=False)
            weight = float(rng.uniform(0, 2))
            cuts.append(RoundedCut(tuple(parts.tolist()), bool(rng.integers(2)), weight))
        free = [v for v in range(variables) if others >> v & 1]
        required = 1 << free[int(rng.integers(len(free)))] if branch else 0
        excluded = 1 << free[int(rng.integers(len(free)))] & ~required
        base = typical + float(rng.uniform(-6, 0))
        least, most = [(0, None), (0, 2), (2, None), (1, 3)][int(rng.integers(4))]
        prices.append(Price(base, tuple(cuts), required, excluded, least, most))
    return prices
