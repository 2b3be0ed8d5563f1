"""Structures are fitted by maximum likelihood, and members share the fits of their families."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import noisyor
from noisyor.core import (
    AIC,
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    CredibleSet,
    Dataset,
    Family,
    MismatchError,
    NoisyOr,
    SettingsError,
    Structure,
)
from noisyor.core.credible_set import MemberBatch, Members
from noisyor.core.errors import UncountedError
from noisyor.core.version import VERSION
from noisyor.fitting import fit
from noisyor.networks import fit_members, fit_network

STATES = (("no", "yes"), ("no", "yes"), ("0", "1"))


def records(rows: dict[tuple[int, int, int], int]) -> Dataset:
    """Return a data set over a, b, c with the given number of records of each row."""
    counted = sorted((a | b << 1 | c << 2, count) for (a, b, c), count in rows.items())
    return Dataset.from_bits(
        ("a", "b", "c"),
        np.array([[row] for row, _ in counted], dtype=np.uint64),
        np.array([count for _, count in counted], dtype=np.int64),
        STATES,
    )


DATA = records({(0, 0, 0): 4, (1, 0, 0): 1, (1, 0, 1): 3, (0, 1, 0): 5, (0, 1, 1): 5, (1, 1, 1): 2})
LEARNED_FROM = noisyor.load_example("clinic")


@pytest.fixture(scope="module")
def credible() -> CredibleSet:
    return noisyor.learn(LEARNED_FROM, 20).credible


def structure(*families: Family) -> Structure:
    return Structure(("a", "b", "c"), families)


def test_tables_hold_frequencies_and_mark_what_no_record_had() -> None:
    data = records({(0, 0, 0): 3, (0, 0, 1): 1, (1, 0, 0): 2, (0, 1, 1): 5})
    network = fit_network(data, structure(Family(0, 0), Family(1, 0), Family(2, 0b011)))
    table = network.distributions[2]
    assert isinstance(table, Cpt)
    assert table.present.tolist() == [0.25, 0.0, 1.0, 0.5]
    assert table.unseen.tolist() == [False, False, False, True]
    assert network.distributions[0] == Cpt.binary([2 / 11])


def test_a_noisy_or_has_the_strengths_that_its_single_causes_show() -> None:
    # a alone: 3 of 4; b alone: 5 of 10; both: 2 of 2, which only strengthens both.
    network = fit_network(DATA, structure(Family(0, 0), Family(1, 0), Family(2, 0b011, NOISY_OR)))
    noisy_or = network.distributions[2]
    assert isinstance(noisy_or, NoisyOr)
    best = min(
        (-nll_of(q, r), q, r)
        for q, r in itertools.product(np.linspace(0.15, 0.35, 201), np.linspace(0.4, 0.6, 201))
    )
    assert noisy_or.q.tolist() == pytest.approx([best[1], best[2]], abs=2e-3)


def nll_of(q: float, r: float) -> float:
    """Return the log-likelihood of c in DATA, from the definition."""
    return (
        math.log(q)
        + 3 * math.log(1 - q)
        + 5 * math.log(r)
        + 5 * math.log(1 - r)
        + 2 * math.log(1 - q * r)
    )


def test_the_cost_is_the_sum_of_the_families_costs() -> None:
    families = (Family(0, 0), Family(1, 0b001), Family(2, 0b011, LEAKY_NOISY_OR))
    network = fit_network(DATA, structure(*families))
    assert network.cost == pytest.approx(sum(fit(DATA, family).cost for family in families))


def test_a_network_says_what_its_states_are_called_and_how_it_was_made() -> None:
    network = fit_network(
        DATA, structure(Family(0, 0), Family(1, 0), Family(2, 0)), settings=[("factor", "20")]
    )
    assert network.states == STATES
    assert network.provenance.version == VERSION
    assert network.provenance.data == DATA.fingerprint()
    assert network.provenance.records == 20
    assert network.provenance.setting("factor") == "20"
    assert network.provenance.setting("prior") == "0.0"


def test_a_prior_adds_records_to_tables_only() -> None:
    families = (Family(0, 0), Family(1, 0b001), Family(2, 0b011, NOISY_OR))
    plain = fit_network(DATA, structure(*families))
    smooth = fit_network(DATA, structure(*families), prior=0.5)
    # a is present in 6 of 20 records; b in 10 of 14 without a, in 2 of 6 with it.
    assert smooth.distributions[0] == Cpt.binary([6.5 / 21])
    assert smooth.distributions[1] == Cpt.binary([10.5 / 15, 2.5 / 7])
    assert smooth.distributions[2] == plain.distributions[2]
    assert smooth.cost is not None
    assert plain.cost is not None
    assert smooth.cost > plain.cost


@pytest.mark.parametrize("prior", [-1.0, math.nan, math.inf])
def test_a_prior_counts_records(prior: float) -> None:
    with pytest.raises(SettingsError, match="it must be a number of at least 0"):
        fit_network(DATA, structure(Family(0, 0), Family(1, 0), Family(2, 0)), prior=prior)


def test_records_of_other_variables_are_refused() -> None:
    other = Structure(("a", "c", "b"), (Family(0, 0), Family(1, 0), Family(2, 0)))
    with pytest.raises(MismatchError, match="a, b, c and a, c, b"):
        fit_network(DATA, other)


def test_all_members_of_a_small_set(credible: CredibleSet) -> None:
    networks = fit_members(LEARNED_FROM, credible)
    assert len(networks) == networks.count == credible.count
    assert networks.draws is None
    members = {member.structure: member.cost for member in credible.stream()}
    assert {network.structure for network in networks} == set(members)
    raw = {one: math.exp(credible.optimum - cost) for one, cost in members.items()}
    for row, weight in enumerate(networks.weights().tolist()):
        network = networks.network(row)
        assert weight == pytest.approx(raw[network.structure] / sum(raw.values()))
        assert network.cost == pytest.approx(members[network.structure], abs=1e-6)


def test_members_have_the_parameters_of_their_own_fit(credible: CredibleSet) -> None:
    networks = fit_members(LEARNED_FROM, credible)
    network = networks.network(0)
    alone = fit_network(LEARNED_FROM, network.structure)
    assert network.distributions == alone.distributions


def test_a_large_set_is_drawn_by_weight(credible: CredibleSet) -> None:
    networks = fit_members(LEARNED_FROM, credible, most=credible.count - 1, seed=5)
    assert networks.draws is not None
    assert int(networks.draws.sum()) == credible.count - 1
    assert len(networks) <= credible.count - 1
    assert networks.count == credible.count
    assert networks.weights().tolist() == pytest.approx(
        (networks.draws / (credible.count - 1)).tolist()
    )
    again = fit_members(LEARNED_FROM, credible, most=credible.count - 1, seed=5)
    assert again.members.tolist() == networks.members.tolist()


def test_a_prior_does_not_change_the_weights(credible: CredibleSet) -> None:
    plain = fit_members(LEARNED_FROM, credible)
    smooth = fit_members(LEARNED_FROM, credible, prior=1.0)
    assert smooth.weights().tolist() == plain.weights().tolist()
    roots = [
        place
        for place, one in enumerate(plain.families)
        if one.family.relation is CPT and not one.family.parents
    ]
    assert roots
    for place in roots:
        before, after = plain.families[place].distribution, smooth.families[place].distribution
        assert isinstance(before, Cpt)
        assert isinstance(after, Cpt)
        count = LEARNED_FROM.record_count
        expected = (before.present[0] * count + 1) / (count + 2)
        assert after.present[0] == pytest.approx(expected)


def test_a_set_of_other_records_is_refused(credible: CredibleSet) -> None:
    other = Dataset.from_bits(
        LEARNED_FROM.names, LEARNED_FROM.bits, LEARNED_FROM.weights + 1, LEARNED_FROM.states
    )
    with pytest.raises(MismatchError, match="which comes from other records"):
        fit_members(other, credible)


def test_at_least_one_network_is_taken(credible: CredibleSet) -> None:
    with pytest.raises(SettingsError, match="to take is 0; it must be at least 1"):
        fit_members(LEARNED_FROM, credible, most=0)


class UncountedMembers:
    """The members of a set that was not fully enumerated: none can be drawn."""

    def __init__(self, members: Members) -> None:
        self.stream = members.stream
        self.best = members.best
        self.costliest = members.costliest

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        raise UncountedError(f"{size} {seed} {weighted}")


def test_the_best_are_taken_of_a_set_that_was_not_fully_enumerated(
    credible: CredibleSet,
) -> None:
    cut_off = replace(
        credible, members=UncountedMembers(credible.members), shortfalls=("the time was up",)
    )
    several = fit_members(LEARNED_FROM, cut_off, most=4)
    assert several.draws is None
    assert several.costs().tolist() == pytest.approx(
        [member.cost for member in credible.best_members(4)]
    )
    assert several.shortfalls == (
        "the time was up",
        "only the 4 best of the networks that were found are included",
    )
    few = replace(cut_off, count=1)  # counted before the time was up; many more can be listed
    assert len(fit_members(LEARNED_FROM, few, most=100)) == credible.count


def test_the_cost_is_that_of_the_score(credible: CredibleSet) -> None:
    chain = structure(Family(0, 0), Family(1, 0b001), Family(2, 0b010))
    difference = fit_network(DATA, chain).cost, fit_network(DATA, chain, score=AIC).cost
    assert difference[0] is not None
    assert difference[1] is not None
    parameters = 1 + 2 + 2
    expected = parameters * (math.log(DATA.record_count) / 2 - 1)
    assert difference[0] - difference[1] == pytest.approx(expected)
    with pytest.raises(MismatchError, match="in the credible set, which comes from other records"):
        fit_members(LEARNED_FROM, credible, score=AIC)
