"""Prices of families under weights on cuts, and the bounds that offers prove."""

from dataclasses import replace

import numpy as np
import pytest

from noisyor.core.family_source import Offer, RoundedCut
from noisyor.core.variable_sets import from_words, set_of, word_count
from noisyor.search.bounds.cut_system import WeightedSystem
from noisyor.search.bounds.duals import Cuts
from noisyor.search.preparation import Scale
from noisyor.search.pricing.prices import Front, prices_below, prices_within, proven
from noisyor.search.proof.branch import Branch
from tests.oracles import cuts as oracle
from tests.oracles.prices import price_of
from tests.search.bounds.test_cut_system import networks_of, random_system
from tests.search.bounds.test_root import families_of, random_choices
from tests.search.tables import random_case

TICK = 2.0**-10


def scale_of(variables: int) -> Scale:
    return Scale(np.arange(variables, dtype=np.float64), TICK, 1e6)


@pytest.mark.parametrize("variables", [6, 70])
def test_a_price_is_what_the_definitions_of_the_cuts_say(variables: int) -> None:
    rng = np.random.default_rng(variables)
    families = families_of(random_choices(variables, variables))
    system, clusters, halved = random_system(rng, variables, word_count(variables))
    weights = rng.integers(1, 900, size=len(system))
    root = Branch.root(variables, Cuts.none(word_count(variables)), WeightedSystem(system, weights))
    front = Front.of(root, families)
    front = replace(front, proof=WeightedSystem(system, weights).prove(families))
    scale, limit = scale_of(variables), front.lower_bound + 5000
    prices = prices_within([front], limit, scale)
    rounded = 0
    for child in range(variables):
        (own,) = prices[child]
        rounded += sum(isinstance(cut, RoundedCut) for cut in own.cuts)
        for _ in range(40):
            size = int(rng.integers(0, min(5, variables - 1)))
            others = [v for v in range(variables) if v != child]
            parents = set_of(rng.choice(others, size=size, replace=False).tolist())
            earned = weights @ oracle.halved_sums(clusters, halved, child, parents)
            room = front.proof.pi[child] + earned + 5000
            expected = scale.base[child] + float(room) * TICK
            assert own.of(parents) == pytest.approx(expected, abs=3 * TICK)
            assert own.of(parents) == pytest.approx(price_of([own], parents))
    assert rounded > variables


@pytest.mark.parametrize("finished", [True, False], ids=["finished", "unfinished"])
@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_for_families_that_are_not_known(seed: int, finished: bool) -> None:
    """Some families are known, others are offered; the bound holds for networks of all."""
    rng = np.random.default_rng(seed)
    table = random_case(seed, n=4, most_families=6, most_parents=3).table()
    scale = replace(scale_of(4), base=np.full(4, table.costs.min()))
    families = scale.families(table, np.arange(len(table)))
    known = rng.random(len(families)) < 0.5
    known[[place for place, parents in enumerate(from_words(families.parents)) if not parents]] = 1
    system, _, _ = random_system(rng, 4, 1)
    weights = rng.integers(0, 400, size=len(system))
    branch = Branch.root(4, Cuts.none(1), WeightedSystem(system, weights))
    front = Front.of(branch, families.select(known))
    asked = prices_below([front], 1, scale)
    within = np.array(
        [
            cost <= max(one.of(family.parents) for one in asked[family.child]) and finished
            for family, cost in table.families()
        ]
    )
    rows = np.flatnonzero(within)
    offer = Offer(table.select(rows), np.full(4, finished))
    (bounded,) = proven([front], offer, scale.families(offer.table, np.arange(len(rows))), 100, 1)
    least = min(int(families.ticks[network].sum()) for network in networks_of(families))
    assert bounded.lower_bound <= least
    assert bounded.lower_bound <= front.lower_bound
