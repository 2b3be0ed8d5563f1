"""Priors: what arcs and relations cost, and what is refused."""

import math
import pickle

import pytest

from noisyor.core import CPT, LEAKY_NOISY_OR, FormatError, Prior, SettingsError
from noisyor.core.penalty import FamilyPenalty
from noisyor.core.score import BIC, ebic
from noisyor.core.variable import Variable

NAMES = ("a", "b", "c")


def test_an_arc_costs_its_odds_against() -> None:
    prior = Prior({("a", "c"): 0.9}, arc=0.1)
    assert prior.weight("a", "c") == pytest.approx(-math.log(9))
    assert prior.weight("c", "a") == pytest.approx(math.log(9))
    assert prior.weights(NAMES, 2) == pytest.approx([-math.log(9), math.log(9), math.log(9)])
    assert Prior({("a", "c"): 0.9}).weights(NAMES, 1) == ()


def test_a_prior_that_prefers_nothing_is_none() -> None:
    assert Prior.none().is_none
    assert Prior({("a", "b"): 0.5}, 0.5, {"noisy-or": 1}).is_none
    assert not Prior(arc=0.4).is_none
    assert str(Prior.none()) == Prior.none().words() == "none"


@pytest.mark.parametrize(
    "prior",
    [
        Prior.none(),
        Prior(arc=0.2),
        Prior([("b", "a", 0.7), ("a", 'c "x"', 0.1)], 0.3, {"noisy-or": 0.5, "cpt": 2}),
    ],
    ids=Prior.words,
)
def test_the_text_of_a_prior_and_its_pickle_give_it_back(prior: Prior) -> None:
    assert Prior.parse(str(prior)) == prior
    assert pickle.loads(pickle.dumps(prior)) == prior  # noqa: S301  (our own bytes)
    assert hash(Prior.parse(str(prior))) == hash(prior)
    assert "\n" not in str(prior)


def test_mappings_and_triples_are_the_same_prior() -> None:
    assert Prior({("a", "b"): 0.2}) == Prior([("a", "b", 0.2)])


def test_a_prior_is_told_in_a_few_words() -> None:
    prior = Prior({("a", "b"): 0.9}, 0.1, {"leaky-noisy-or": 0.5})
    assert prior.words() == (
        "probabilities of 1 arc, 0.1 for any other arc, weight 0.5 for leaky-noisy-or"
    )
    assert Prior(arc=0.1).words() == "0.1 for every arc"


@pytest.mark.parametrize(
    ("probability", "message"),
    [
        (0, "is 0; it must lie between 0 and 1. An arc that is certain is forbidden knowledge"),
        (1, "is 1; it must lie between 0 and 1. An arc that is certain is required knowledge"),
        (1.5, "the probability of the arc 'a' -> 'b' is 1.5; it must lie between 0 and 1"),
        (math.nan, "is nan; it must lie"),
    ],
)
def test_what_is_no_probability_is_refused(probability: float, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Prior({("a", "b"): probability})


def test_other_numbers_and_names_are_refused() -> None:
    with pytest.raises(SettingsError, match="the probability of every other arc is 0"):
        Prior(arc=0)
    with pytest.raises(SettingsError, match="'a' -> 'b' has 2 probabilities"):
        Prior([("a", "b", 0.2), ("a", "b", 0.3)])
    with pytest.raises(SettingsError, match="the weight of noisy-or is 0; it must be"):
        Prior(relations={"noisy-or": 0})
    with pytest.raises(SettingsError, match="noisy-xor"):
        Prior(relations={"noisy-xor": 1})
    with pytest.raises(SettingsError, match="there is no variable 'd'"):
        Prior({("a", "d"): 0.2}).check_names(NAMES)
    with pytest.raises(FormatError, match="which is no prior"):
        Prior.parse('{"arc": "often"}')


def test_a_family_without_parents_costs_nothing_more() -> None:
    variables = tuple(Variable(name, ("0", "1")) for name in NAMES)
    prior = Prior({("a", "c"): 0.8}, 0.25, {"leaky-noisy-or": 0.5, "cpt": 4})
    table = FamilyPenalty(ebic(2), prior, CPT, 2, variables, 100)
    assert table.of_prior(0) == 0
    assert table.of(0) == BIC.penalty(CPT, 2, (), 100)
    leaky = FamilyPenalty(ebic(2), prior, LEAKY_NOISY_OR, 2, variables, 100)
    assert leaky.of_prior(0b11) == pytest.approx(-math.log(4) + math.log(3) + math.log(2))
    assert leaky.of_score(0b11) == pytest.approx(3 * math.log(100) / 2 + 2 * math.log(1))
    assert leaky.of(0b11) == leaky.of_prior(0b11) + leaky.of_score(0b11)
    assert table.of_prior(0b10) == pytest.approx(math.log(3) - math.log(4))


def test_what_says_nothing_is_no_part_of_a_prior() -> None:
    assert Prior({("a", "b"): 0.5}, relations={"cpt": 1}) == Prior.none()
    assert Prior({("a", "b"): 0.1, ("b", "a"): 0.2}, arc=0.1) == Prior({("b", "a"): 0.2}, arc=0.1)


@pytest.mark.parametrize("probability", [5e-324, 1e-309, 1 - 2**-53])
def test_extreme_probabilities_have_finite_weights(probability: float) -> None:
    assert math.isfinite(Prior({("a", "b"): probability}).weight("a", "b"))


def test_an_arc_to_itself_is_refused() -> None:
    with pytest.raises(SettingsError, match="from 'a' to itself"):
        Prior({("a", "a"): 0.2})
