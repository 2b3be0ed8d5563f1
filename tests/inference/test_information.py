"""The value of findings is the expected drop of entropy, by brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisyor
from noisyor.core import ImpossibleEvidenceError, Network, NetworkError, SettingsError
from noisyor.inference import Inference, value_of_information
from tests.inference.networks import any_network, network_of, noisy_or, root, table
from tests.oracles import advice as oracle
from tests.oracles.joint import joint
from tests.support.effort import scaled


def evidence_about(
    random: np.random.Generator, network: Network, variables: list[int]
) -> tuple[dict[int, int | list[float]], dict[str, str | dict[str, float]]]:
    """Return evidence about these variables, hard or soft, by number and by label."""
    numbers: dict[int, int | list[float]] = {}
    labels: dict[str, str | dict[str, float]] = {}
    for v in variables:
        states = network.states[v]
        if random.random() < 0.5:
            value = int(random.integers(len(states)))
            numbers[v], labels[network.names[v]] = value, states[value]
        else:
            likelihoods = (random.random(len(states)) + 0.01).tolist()
            numbers[v] = likelihoods
            labels[network.names[v]] = dict(zip(states, likelihoods, strict=True))
    return numbers, labels


@settings(max_examples=scaled(150))
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(0, 2), st.booleans())
def test_values_are_expected_drops_of_entropy(
    seed: int, variables: int, known: int, about_target: bool
) -> None:
    random = np.random.default_rng(seed)
    network = any_network(random, variables, most_parents=3)
    target, *others = random.permutation(variables).tolist()
    evidence, labels = evidence_about(random, network, others[:known])
    if about_target:
        own = (random.random(len(network.states[target])) + 0.01).tolist()
        evidence[target] = own
        labels[network.names[target]] = dict(zip(network.states[target], own, strict=True))
    everything = joint(network)
    if not oracle.restricted(everything, evidence).sum() > 0:
        with pytest.raises(ImpossibleEvidenceError):
            value_of_information(network, network.names[target], given=labels)
        return
    found = value_of_information(network, network.names[target], given=labels)
    assert {one.name for one in found.findings} == {
        network.names[v] for v in others if not isinstance(evidence.get(v), int)
    }
    chances = oracle.marginal(oracle.restricted(everything, evidence), target)
    assert list(found.chances.values()) == pytest.approx(chances.tolist(), abs=1e-12)
    assert found.entropy == pytest.approx(oracle.entropy(chances), abs=1e-12)
    for one in found.findings:
        drop = oracle.expected_drop(everything, target, network.index(one.name), evidence)
        assert one.drop == pytest.approx(drop, abs=1e-11)
        assert one.share * found.entropy == pytest.approx(drop, abs=1e-11)
        assert 0 <= one.drop <= found.entropy
    drops = [one.drop for one in found.findings]
    assert drops == sorted(drops, reverse=True)


CLINIC = noisyor.example_truth("clinic")


def test_a_finding_that_says_nothing_is_worth_exactly_nothing_visible() -> None:
    """Rounding would leave 1e-17; the terms are squares of differences of rounding."""
    found = value_of_information(CLINIC, "flu", ["allergy", "cough"])
    assert found["allergy"].drop < 1e-30
    assert found["cough"].drop > 0.01


def test_a_tiny_value_keeps_its_digits() -> None:
    """A finding that shifts the target by 1e-9 is worth 1e-18 nats, not the rounding of a sum."""
    network = network_of(root(0.5), table([0], 0.5, 0.5 + 1e-9))
    found = value_of_information(network, "v0")
    # With p = 1/2 and a shift of d/2 either way of 1/2, the information is d**2 / 2 for small d.
    assert found["v1"].drop == pytest.approx((1e-9) ** 2 / 2, rel=1e-6)


def test_costs_rank_what_each_finding_tells_for_its_price() -> None:
    free = value_of_information(CLINIC, "flu", given={"fever": "yes"})
    paid = value_of_information(CLINIC, "flu", given={"fever": "yes"}, costs={"headache": 50})
    assert free.findings[0].name == "headache"
    assert paid.findings[0].name != "headache"
    assert paid["headache"].drop == free["headache"].drop
    assert paid["headache"].per_cost == free["headache"].drop / 50
    assert paid["cough"].cost == 1
    assert free["cough"].cost is None
    ranked = [one.per_cost for one in paid.findings]
    assert ranked == sorted(ranked, reverse=True)
    with pytest.raises(KeyError):
        paid["fever"]


def test_a_credible_set_is_averaged_before_the_value_is_taken() -> None:
    data = noisyor.load_example("clinic")
    networks = noisyor.fit_members(data, noisyor.learn(data, relations="paper").credible, most=3)
    assert len(networks) > 1
    given = {"fever": "yes"}
    found = value_of_information(networks, "flu", ["cough"], given)
    mean = np.zeros((2, 2))
    for network, weight in zip(networks, networks.weights(), strict=True):
        known = oracle.restricted(joint(network), {network.index("fever"): 1})
        flu, cough = network.index("flu"), network.index("cough")
        axes = tuple(v for v in range(known.ndim) if v not in {flu, cough})
        pair = known.sum(axis=axes)
        mean += weight * (pair if flu < cough else pair.T) / pair.sum()
    drop = oracle.expected_drop(mean, 0, 1, {})
    assert found["cough"].drop == pytest.approx(drop, abs=1e-12)
    assert found.chances["yes"] == pytest.approx(mean.sum(axis=1)[1], abs=1e-12)


def test_an_inference_is_asked_with_its_own_limits() -> None:
    small = Inference(CLINIC, most_bytes=1)
    with pytest.raises(noisyor.TableSizeError):
        value_of_information(small, "fever")


def test_an_inference_answers_the_same() -> None:
    given = {"fever": "yes"}
    asked = Inference(CLINIC)
    assert asked.value_of_information("flu", ["cough"], given, {"cough": 2}) == (
        value_of_information(CLINIC, "flu", ["cough"], given, {"cough": 2})
    )
    assert asked.sensitivity("flu", "yes", given, most=2) == (
        noisyor.sensitivity(CLINIC, "flu", "yes", given, most=2)
    )


def test_a_certain_target_needs_no_finding() -> None:
    network = network_of(root(1.0), noisy_or([0], 0.5))
    found = value_of_information(network, "v0")
    assert (found.entropy, found["v1"].drop, found["v1"].share) == (0, 0, 0)


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(NetworkError, match="'flu' is the target, so it cannot be a finding"):
        value_of_information(CLINIC, "flu", ["flu"])
    with pytest.raises(NetworkError, match="'fever' was observed, so it cannot be asked for"):
        value_of_information(CLINIC, "flu", ["fever"], {"fever": "yes"})
    with pytest.raises(NetworkError, match="findings is the text 'cough'"):
        value_of_information(CLINIC, "flu", "cough")
    with pytest.raises(NetworkError, match="no variable 'flue'"):
        value_of_information(CLINIC, "flue")
    with pytest.raises(NetworkError, match="no variable 'coughs'"):
        value_of_information(CLINIC, "flu", ["coughs"])
    with pytest.raises(NetworkError, match="both a target and observed"):
        value_of_information(CLINIC, "flu", given={"flu": "yes"})
    for cost in (0, -1, float("inf"), float("nan")):
        with pytest.raises(
            SettingsError, match=r"the cost of 'cough' is .*; it must be a number above 0"
        ):
            value_of_information(CLINIC, "flu", costs={"cough": cost})
    with pytest.raises(NetworkError, match="a cost of 'x', but no such variable"):
        value_of_information(CLINIC, "flu", costs={"x": 1})


def test_evidence_that_is_impossible_in_every_network_is_refused() -> None:
    learned = noisyor.learn(noisyor.load_example("clinic"), relations="paper")
    healthy = dict.fromkeys(("flu", "cold", "pneumonia"), "no")
    with pytest.raises(ImpossibleEvidenceError, match="in each of the"):
        value_of_information(learned.networks(), "cough", given={**healthy, "fever": "yes"})
