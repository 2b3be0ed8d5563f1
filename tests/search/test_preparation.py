"""Costs in ticks: what rounding may change, and what is refused."""

from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import numpy as np
import pytest

from noisyor.core import BayesFactor, ConstraintError, Knowledge, SettingsError
from noisyor.core.credible_set import CredibleSet, Labels
from noisyor.core.tolerance import tolerance_at
from noisyor.formats.member_files import read_members, write_members
from noisyor.search import search
from noisyor.search.preparation import prepare, scale_from
from tests.oracles.networks import Costs, Key, closes_cycle
from tests.search.agreement import network_of
from tests.search.tables import Case, random_case, table_from

FACTOR = 20.0
SLACK = log(FACTOR)


def copies(alone: list[float]) -> dict[Key, float]:
    """Return columns that cost nothing given any other, and their costs without parents."""
    n = len(alone)
    pairs = [(v, u) for v in range(n) for u in range(n) if u != v]
    return {(v, 0, 0): cost for v, cost in enumerate(alone)} | {
        (v, 1 << u, 0): 1.0 for v, u in pairs
    }


def check_as_readers_do(credible: CredibleSet, folder: Path) -> None:
    """Check that the readers of members and of many networks accept what was found."""
    path = folder / "members.parquet"
    write_members(credible, path, 10**6)
    assert len(read_members(path)) == credible.count
    for member in credible.stream():
        total = sum(
            use.cost for use in credible.families if use.family in member.structure.families
        )
        assert abs(total - credible.optimum - SLACK / 2) <= SLACK / 2 + tolerance_at(total)


@pytest.mark.parametrize("size", [1e3, 1e5, 3e7, 1e9, 1e11, 3e13, 1e16])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_copies_are_told_apart_at_the_slack_whatever_they_cost(
    n: int, size: float, tmp_path: Path
) -> None:
    """A network is a tree from any root, n^(n-2) of them; the first root is the best.

    The second is exactly at the slack, and in; the third is just more than a tolerance beyond, and
    out, like the last.
    """
    tolerance = tolerance_at(size + n)
    beyond = [0.0, SLACK, SLACK + 1.01 * tolerance, SLACK / 2, SLACK + 3 * tolerance][:n]
    table = table_from(copies([size + more for more in beyond]), tuple("abcde"[:n]), FACTOR)
    roots = {0, 1, 3} & set(range(n))
    for bounds in ("lp", "none"):
        credible = search(table, FACTOR, bounds=bounds).credible
        assert credible.count == len(roots) * n ** (n - 2)
        assert credible.optimum == pytest.approx(size + n - 1, rel=1e-15)
        families = [use.family for use in credible.families]
        assert {family.child for family in families if not family.parents} == roots
        check_as_readers_do(credible, tmp_path)
        assert credible.complete is (tolerance <= 0.1)


def networks_of(costs: Costs, n: int) -> dict[tuple[Key, ...], Fraction]:
    """Return all acyclic networks with their costs, exactly."""
    own = [[key for key in costs if key[0] == child] for child in range(n)]
    return {
        network: sum((Fraction(costs[key]) for key in network), Fraction(0))
        for network in product(*own)
        if not closes_cycle(network)
    }


@pytest.mark.parametrize("seed", range(40))
def test_tables_of_any_costs_give_what_exact_numbers_give(seed: int, tmp_path: Path) -> None:
    """Up to the slack all, beyond another tolerance none, and none of these tables is refused."""
    case = random_case(seed, n=3 + seed % 3, style="steep", most_families=6, relations=1)
    rng = np.random.default_rng(seed)
    largest = int(rng.integers(6, 17))
    unit = 10.0 ** rng.integers(0, largest, size=len(case.costs))
    costs = {key: abs(cost) * u for (key, cost), u in zip(case.costs.items(), unit, strict=True)}
    networks = networks_of(costs, case.n)
    best = min(networks.values())
    tolerance = Fraction(tolerance_at(float(best)))
    credible = search(table_from(costs, case.names, FACTOR), labels="all").credible
    found = {network_of(member) for member in credible.stream()}
    assert {one for one, cost in networks.items() if cost <= best + Fraction(SLACK)} <= found
    assert all(networks[one] <= best + Fraction(SLACK) + tolerance for one in found)
    assert abs(Fraction(credible.optimum) - best) <= tolerance
    check_as_readers_do(credible, tmp_path)


def test_costs_that_cancel_are_refused() -> None:
    """Networks cost 0, where costs are told apart by 1e-7, and families 1e16 and -1e16."""
    large = 1e16
    for n in (2, 4):
        costs = {
            **{(v, 0, 0): (n - 1) * large for v in range(n)},
            **{(v, 1 << u, 0): -large for v in range(n) for u in range(n) if u != v},
        }
        with pytest.raises(SettingsError, match=r"too much beside networks that may cost"):
            search(table_from(costs, tuple("abcd"[:n]), None))


def test_a_bound_too_far_below_the_networks_is_refused() -> None:
    """Each of 40 columns costs nothing given all the others only, so 39 do cost something.

    The first bound counts only one of them, and ticks are too coarse for the tolerance there. With
    30 columns they are fine enough.
    """
    for n, learned in ((40, False), (30, True)):
        everyone = (1 << n) - 1
        costs = {(v, 0, 0): 1e9 for v in range(n)}
        costs |= {(v, everyone - (1 << v), 0): 0.0 for v in range(n)}
        table = table_from(costs, tuple(f"v{v}" for v in range(n)), FACTOR)
        if learned:
            problem = prepare(table, BayesFactor(FACTOR), Labels.BEST, None)
            assert problem.slack * problem.tick == pytest.approx(SLACK, abs=tolerance_at(1e9))
        else:
            with pytest.raises(SettingsError, match="too much beside networks that may cost 1e"):
                prepare(table, BayesFactor(FACTOR), Labels.BEST, None)


def test_ordinary_costs_have_the_finest_ticks_and_nearly_all_of_the_tolerance() -> None:
    case = Case(2, {(0, 0, 0): 100.0, (0, 2, 0): 0.0, (1, 0, 0): 1e5, (1, 1, 0): 0.0}, exp(1))
    problem = prepare(case.table(), BayesFactor(exp(1)), Labels.BEST, None)
    assert problem.tick == 2.0**-34
    assert problem.slack * problem.tick == pytest.approx(1 + 1e-7, abs=1e-8)
    assert 1 < problem.slack * problem.tick < 1 + 1e-7


def test_families_beyond_every_network_have_ticks_that_add_up() -> None:
    """In a search by price they stay in the table; 1,024 of them must not overflow."""
    costs = {(0, 0, 0): 3.0, (1, 1, 0): 2.0, (1, 0, 0): 1e300}
    table = table_from(costs, ("a", "b"), None)
    scale = scale_from(np.array([3.0, 2.0]), 0.0, BayesFactor(FACTOR))
    assert scale.families(table, np.arange(3)).ticks.tolist() == [0, 0, 2**52 + 1]


@pytest.mark.parametrize("large", [1e6, 1e8, 1e10, 1e16])
def test_costs_that_cancel_between_children_are_refused_or_can_be_read(
    large: float, tmp_path: Path
) -> None:
    costs = {
        (0, 0b000, 0): large + 0.1,
        (0, 0b010, 0): large,
        (1, 0b000, 0): 5.1,
        (1, 0b001, 0): 5.3,
        (2, 0b000, 0): -large,
        (2, 0b010, 0): -large + 0.3,
    }
    table = table_from(costs, ("a", "b", "c"), 20.0)
    if large > 1e7:  # of 1e8, three doubles may be off by 7e-8, and their sum of 5 tolerates 1e-7
        with pytest.raises(SettingsError, match=r"cancel .* to tell these apart"):
            search(table, labels="all")
        return
    credible = search(table, labels="all").credible
    assert credible.complete
    check_as_readers_do(credible, tmp_path)


@pytest.mark.parametrize("child", [0, 1, 2])
def test_a_child_that_knowledge_leaves_no_family_is_named(child: int) -> None:
    """Also if it is the last one, after which the table has no rows."""
    names = ("a", "b", "c")
    parent = (child + 1) % 3
    costs = {(one, 0, 0): 1.0 for one in range(3) if one != child} | {(child, 1 << parent, 0): 1.0}
    constraints = Knowledge(forbidden=[(names[parent], names[child])]).constraints(names)
    with pytest.raises(ConstraintError, match=repr(names[child])):
        search(table_from(costs, names, None), 20, constraints=constraints)
