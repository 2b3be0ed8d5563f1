"""Very few and very many records, one variable, columns that are constant or equal.

Where all networks can be listed, costs and credible sets are compared with 60 digits.
"""

import math

import pytest
from mpmath import mpf  # type: ignore[import-untyped]

import noisyor
from noisyor.core import DataError
from noisyor.runs.learned import Learned
from noisyor.scoring import score
from tests.oracles import precise
from tests.oracles.networks import Key
from tests.support.extreme_cases import CASES, Case, dataset

BOTH = ("cpt", "noisy-or", "leaky-noisy-or")
METHODS = ("table", "price")
MILD = {"a noisy-OR", "a negation, many", "copies but for a few records", "almost independent"}
"""Cases that take long with 60 digits, and of which others are more extreme."""
NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in MILD else name for name in CASES]


PRECISE: dict[tuple[str, tuple[str, ...]], dict[Key, mpf]] = {}


def precise_costs(name: str, relations: tuple[str, ...]) -> dict[Key, mpf]:
    """Return the costs of a case with 60 digits, worked out once."""
    if (name, relations) not in PRECISE:
        case = CASES[name]
        codes = range(len(relations))
        PRECISE[name, relations] = precise.all_costs(list(case.records.items()), case.n, codes)
    return PRECISE[name, relations]


def keys_of(structure: noisyor.Structure) -> tuple[Key, ...]:
    return tuple((f.child, f.parents, f.relation.code) for f in structure.families)


def learn(case: Case, method: str, relations: tuple[str, ...]) -> Learned:
    return noisyor.learn(
        dataset(case.records, case.n),
        case.bayes_factor,
        method=method,
        relations=relations,
        keep_constants=True,
        jobs=2,
        quiet=True,
    )


def relations_of(name: str) -> tuple[str, ...]:
    """With four variables the precise leaky fits would take too long."""
    return BOTH if CASES[name].n < 4 else BOTH[:2]


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_sixty_digits(name: str) -> None:
    """Up to the certified gap, which is 1e-8 nats or 1e-13 of the cost.

    No family is lost that is within the slack, 690 nats, of a better one with fewer parents.
    """
    case, relations = CASES[name], relations_of(name)
    expected = precise_costs(name, relations)
    table = score(dataset(case.records, case.n), 1e300, relations=relations, jobs=1).table
    found = {(f.child, f.parents, f.relation.code): cost for f, cost in table.families()}
    assert found.keys() <= expected.keys()
    for key, cost in found.items():
        assert abs(float(expected[key] - cost)) <= max(1e-8, 1e-13 * cost), key
    for child, parents, code in expected.keys() - found.keys():
        rivals = [
            cost for key, cost in expected.items() if key[0] == child and not key[1] & ~parents
        ]
        assert expected[child, parents, code] > min(rivals) + math.log(1e300)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NAMES)
def test_the_credible_set_is_that_of_sixty_digits(name: str, method: str) -> None:
    case, relations = CASES[name], relations_of(name)
    every = precise.networks(precise_costs(name, relations), case.n)
    optimum = every[0][0]
    tolerance = precise.tolerance_at(optimum)
    limit = optimum + math.log(case.bayes_factor)
    expected = {network: cost for cost, network in every if cost <= limit}
    # Without this the comparison would require more than is promised.
    assert not [cost for cost, _ in every if limit - tolerance < cost <= limit + 3 * tolerance]

    learned = learn(case, method, relations)
    assert learned.complete
    assert abs(float(optimum - learned.optimum)) <= tolerance
    found = {keys_of(member.structure): member.cost for member in learned.members()}
    assert found.keys() == expected.keys()
    assert learned.count == len(expected)
    for network, cost in found.items():
        assert abs(float(expected[network] - cost)) <= tolerance
    assert keys_of(learned.best.structure) in expected
    assert float(expected[keys_of(learned.best.structure)] - optimum) <= tolerance


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("factor", "count"), [(1e4, 7), (9990.0, 1)])
def test_the_boundary_is_exact_at_a_hundred_million_records(
    method: str, factor: float, count: int
) -> None:
    """An edge between independent columns costs ln(10^8)/2 = ln(10^4), the slack to the bit.

    Beside the empty network there are 6 with one edge. Costs are 2e8 nats, hence the tolerance
    2e-4 nats; 9990 is 1e-3 nats below 10^4.
    """
    case = Case(3, dict.fromkeys(range(8), 12_500_000), factor)
    learned = learn(case, method, BOTH)
    assert learned.complete
    assert learned.count == count
    assert learned.optimum == pytest.approx(3 * (1e8 * math.log(2) + math.log(1e8) / 2), rel=1e-15)
    assert not any(family.parents for family in learned.best.structure.families)


def copies(n: int, records: int) -> tuple[Case, float]:
    """Return n copies of a column, and its entropy in nats, over all records."""
    absent = 2 * records // 5 + 1
    entropy = -sum(w * math.log(w / records) for w in (absent, records - absent))
    return Case(n, {0: absent, 2**n - 1: records - absent}), entropy


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("records", [10**4, 10**6, 10**8])
@pytest.mark.parametrize("n", [2, 6])
def test_copies_of_one_column_are_every_tree(n: int, records: int, method: str) -> None:
    """One copy costs its entropy, the others, as noisy-ORs of any one parent, a parameter each.

    Another parent costs one more, ln(records)/2 > ln 20; so there are the n^(n-1) rooted trees.
    """
    case, entropy = copies(n, records)
    learned = learn(case, method, BOTH)
    assert learned.complete
    assert learned.count == n ** (n - 1)
    assert learned.optimum == pytest.approx(entropy + n * math.log(records) / 2, rel=1e-14)
    for structure in (member.structure for member in learned.members()):
        assert sorted(f.parents.bit_count() for f in structure.families) == [0] + [1] * (n - 1)


@pytest.mark.parametrize("method", METHODS)
def test_twelve_columns_of_four_independent_ones(method: str) -> None:
    """Three copies each: 9 rooted trees four times."""
    triples = [sum(0b111 << 3 * v for v in range(4) if row >> v & 1) for row in range(16)]
    learned = learn(Case(12, dict.fromkeys(triples, 6_250_000)), method, BOTH)
    assert learned.complete
    assert learned.count == 9**4
    expected = 4 * 1e8 * math.log(2) + 12 * math.log(1e8) / 2
    assert learned.optimum == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("records", [10**8, 10**10])
def test_copies_in_a_known_order_are_free_given_any_earlier_one(records: int, method: str) -> None:
    """Eleven choose among those before them; alone, each would cost far more than any network."""
    case, entropy = copies(12, records)
    order = noisyor.Knowledge(tiers=[[f"x{v}"] for v in range(12)])
    learned = noisyor.learn(
        dataset(case.records, 12),
        relations="paper",
        method=method,
        constraints=order,
        jobs=2,
        quiet=True,
    )
    assert learned.complete
    assert learned.count == math.factorial(11)
    assert learned.optimum == pytest.approx(entropy + 12 * math.log(records) / 2, rel=1e-14)


@pytest.mark.parametrize("method", METHODS)
def test_fits_that_doubles_cannot_close_are_said_to_be_open(method: str) -> None:
    """With 2^52 records and more, rounding exceeds every gap that could be asked for."""
    records = {0: 2**52, 7: 2**50, 5: 2**50, 4: 11, 3: 5}
    learned = learn(Case(3, records), method, BOTH[:2])
    assert not learned.complete
    assert any("did not close their gap" in line for line in learned.shortfalls)
    expected = precise.networks(precise.all_costs(list(records.items()), 3, (0, 1)), 3)[0][0]
    assert abs(float(expected - learned.optimum)) <= precise.tolerance_at(expected)


def test_more_records_than_doubles_count_are_refused() -> None:
    with pytest.raises(DataError, match=r"together at most 2\*\*53"):
        dataset({0: 2**53, 1: 1}, 1)


def test_a_single_record_is_refused_and_two_are_not() -> None:
    with pytest.raises(DataError, match="At least 2 records are needed to learn"):
        noisyor.learn(dataset({1: 1}, 2), quiet=True)
    with pytest.warns(noisyor.DataWarning, match="no column changes"):
        assert noisyor.learn(dataset({1: 2}, 2), quiet=True).complete


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("each", "labelled"), [(10**9, False), (10**13, True)])
def test_more_records_than_rounding_allows_are_labelled(
    method: str, each: int, labelled: bool
) -> None:
    data = dataset(dict.fromkeys(range(8), each), 3)  # independent: 3 ln 2 nats a record
    learned = noisyor.learn(data, relations=["cpt"], method=method, quiet=True)
    assert learned.complete is not labelled
    assert any("are known within" in line for line in learned.shortfalls) is labelled
