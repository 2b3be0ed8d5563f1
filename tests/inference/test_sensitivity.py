"""A posterior as a function of each parameter, against networks in which it was changed."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisyor
from noisyor.core import (
    Cpt,
    Distribution,
    ImpossibleEvidenceError,
    Network,
    NetworkError,
    NumericalError,
    SettingsError,
)
from noisyor.core.relations import CauseDistribution
from noisyor.inference import ParameterSensitivity, sensitivity
from tests.inference.networks import any_network, network_of, noisy_or, root, table
from tests.inference.test_information import evidence_about
from tests.oracles import advice as oracle
from tests.oracles.joint import joint
from tests.support.effort import scaled

CLINIC = noisyor.example_truth("clinic")

Key = tuple[str, tuple[tuple[str, str], ...], str]
"""A node, the states of its parents that a parameter is about, and its state."""


def changed(network: Network, node: int, other: Distribution) -> Network:
    distributions = list(network.distributions)
    distributions[node] = other
    return replace(network, distributions=tuple(distributions))


def every_parameter(network: Network) -> Iterator[tuple[Key, float, list[Network]]]:
    """Yield each parameter, its value, and the networks in which it is 0, 0.3 and 1."""
    for node, own in enumerate(network.distributions):
        parents = [
            v
            for v in range(len(network.names))
            if network.structure.families[node].parents >> v & 1
        ]
        name, states = network.names[node], network.states[node]
        if isinstance(own, Cpt):
            for row in range(len(own.table)):
                where, number = [], row
                for parent in parents:
                    number, code = divmod(number, len(network.states[parent]))
                    where.append((network.names[parent], network.states[parent][code]))
                for state in range(int(len(states) <= 2), len(states)):
                    yield (
                        (name, tuple(where), states[state]),
                        float(own.table[row, state]),
                        [
                            changed(network, node, oracle.table_with(own, row, state, value))
                            for value in (0.0, 0.3, 1.0)
                        ],
                    )
            continue
        assert isinstance(own, CauseDistribution)
        downwards = own.relation.name.endswith("and")
        for number, cause in enumerate(own.causes()):
            where = []
            if cause.parent is not None:
                parent = parents[cause.parent]
                where = [(network.names[parent], network.states[parent][cause.state])]
            at_most = [float(np.prod(own.levels[number, t:])) for t in range(len(states) + 1)]
            for level in range(int(len(states) == 2), len(states)):
                yield (
                    (name, tuple(where), states[len(states) - 1 - level if downwards else level]),
                    at_most[level] - (at_most[level - 1] if level else 0),
                    [
                        changed(network, node, oracle.causes_with(own, number, level, value))
                        for value in (0.0, 0.3, 1.0)
                    ],
                )


def check(
    network: Network,
    target: int,
    state: int,
    evidence: dict[int, int | list[float]],
    labels: dict[str, str | dict[str, float]],
) -> None:
    """Compare all parameters with networks in which they were changed."""

    def posterior(one: Network) -> float | None:
        known = oracle.restricted(joint(one), evidence)
        return float(oracle.marginal(known, target)[state]) if known.sum() > 1e-14 else None

    name, label = network.names[target], network.states[target][state]
    before = posterior(network)
    if before is None:
        with pytest.raises(ImpossibleEvidenceError):
            sensitivity(network, name, label, labels)
        return
    found = sensitivity(network, name, label, labels)
    assert found.posterior == pytest.approx(before, abs=1e-10)
    by_key = {(one.node, one.parents, one.state): one for one in found.parameters}
    assert len(by_key) == len(found.parameters)
    for key, value, others in every_parameter(network):
        one = by_key.pop(key, None)
        expected = [posterior(other) for other in others]
        if one is None:
            assert all(
                other == pytest.approx(before, abs=1e-9) for other in expected if other is not None
            )
            continue
        assert one.value == pytest.approx(value)
        assert one.posterior_at(value) == pytest.approx(before, abs=1e-9)
        for at, other in zip((0.0, 0.3, 1.0), expected, strict=True):
            if other is not None:
                assert one.posterior_at(at) == pytest.approx(other, abs=1e-8)
        a, b, c, d = one.coefficients
        assert one.derivative == pytest.approx(
            (a * d - b * c) / (c * value + d) ** 2, rel=1e-6, abs=1e-9
        )
        assert c * value + d == pytest.approx(1, abs=1e-9)
    assert not by_key
    slopes = [abs(one.derivative) for one in found.parameters]
    assert slopes == sorted(slopes, reverse=True)


@settings(max_examples=scaled(100))
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 4))
def test_posteriors_are_those_of_changed_networks(seed: int, variables: int, known: int) -> None:
    """Of any states and relations, with observed states and soft evidence, also on the target."""
    random = np.random.default_rng(seed)
    network = any_network(random, variables, most_parents=3)
    target, *others = random.permutation(variables).tolist()
    evidence, labels = evidence_about(random, network, others[:known])
    if known > variables:
        own = (random.random(len(network.states[target])) + 0.01).tolist()
        evidence[target] = own
        labels[network.names[target]] = dict(zip(network.states[target], own, strict=True))
    check(network, target, int(random.integers(len(network.states[target]))), evidence, labels)


def test_a_slope_is_that_of_a_small_change() -> None:
    found = sensitivity(CLINIC, "flu", "yes", {"fever": "yes", "cough": "no"})
    for one in found.parameters:
        low, high = (one.posterior_at(one.value + step) for step in (-1e-6, 1e-6))
        assert low is not None
        assert high is not None
        assert one.derivative == pytest.approx((high - low) / 2e-6, rel=1e-4, abs=1e-8)


def test_parameters_that_cannot_matter_are_left_out() -> None:
    found = sensitivity(CLINIC, "flu", True)
    assert [(one.node, one.parents) for one in found.parameters] == [("flu", ())]
    assert found.parameters[0].derivative == pytest.approx(1)
    assert found.parameters[0].coefficients == pytest.approx((1, 0, 0, 1))
    with_fever = sensitivity(CLINIC, "flu", "yes", {"fever": "yes"})
    assert {one.node for one in with_fever.parameters} == {"flu", "cold", "pneumonia", "fever"}


def test_the_steepest_come_first_and_no_more_than_asked_for() -> None:
    everything = sensitivity(CLINIC, "flu", "yes", {"fever": "yes"})
    assert (
        sensitivity(CLINIC, "flu", "yes", {"fever": "yes"}, most=3).parameters
        == (everything.parameters[:3])
    )
    with pytest.raises(SettingsError, match="the most parameters to return is 0"):
        sensitivity(CLINIC, "flu", "yes", most=0)


def test_evidence_may_become_impossible_at_the_end_of_a_parameter() -> None:
    network = network_of(root(0.2), noisy_or([0], 0.5))
    found = sensitivity(network, "v0", "yes", {"v1": "yes"})
    assert found.posterior == 1
    assert found.parameters == ()  # it is certain whatever the numbers
    network = network_of(root(0.2), root(0.5), noisy_or([0, 1], 0.5, 1.0))
    found = sensitivity(network, "v1", "yes", {"v2": "yes"})
    strength = next(one for one in found.parameters if one.parents == (("v1", "yes"),))
    assert strength.posterior_at(0.0) == pytest.approx(0.5)
    network = network_of(root(0.2), table([0], 0.0, 0.5), table([0], 0.5, 0.5))
    found = sensitivity(network, "v2", "yes", {"v1": "yes", "v0": "yes"})
    row = next(one for one in found.parameters if one.node == "v2")
    assert row.posterior_at(0.25) == pytest.approx(0.25)
    found = sensitivity(network, "v0", "yes", {"v1": "yes"})
    entry = next(one for one in found.parameters if one.parents == (("v0", "no"),))
    assert entry.derivative < 0
    assert sensitivity(network, "v0", "no", {"v1": "yes"}).posterior == 0


def test_a_parameter_at_which_the_evidence_is_impossible_has_no_posterior() -> None:
    """Such a parameter has no slope: elsewhere the posterior is the same, whatever its value."""
    one = ParameterSensitivity("a", (), "yes", 0.5, (0.0, 1.0), (0.0, 2.0))
    assert one.posterior_at(0.0) is None
    assert one.posterior_at(0.25) == one.posterior_at(1.0) == 0.5
    assert one.derivative == 0


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(NetworkError, match="'flu' is both a target and observed"):
        sensitivity(CLINIC, "flu", "yes", {"flu": "no"})
    with pytest.raises(NetworkError, match="'flu' has no state 'perhaps'"):
        sensitivity(CLINIC, "flu", "perhaps")


def test_a_slope_too_large_for_a_number_is_refused() -> None:
    """Where the cause is impossible, each of five effects has the probability 1e-100."""
    effects = [table([0], 1e-100, 0.5)] * 5
    network = network_of(root(0.0), *effects)
    observed = {f"v{v}": "yes" for v in range(1, 6)}
    message = r"^with other numbers of 'v0' the evidence would be 10\^498 times as likely"
    with pytest.raises(NumericalError, match=message):
        sensitivity(network, "v0", "yes", observed)
    del observed["v5"], observed["v4"]
    steepest = sensitivity(network, "v0", "yes", observed).parameters[0]
    assert steepest.derivative == pytest.approx(0.125e300)
