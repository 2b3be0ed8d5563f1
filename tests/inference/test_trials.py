"""The paper's protocol: evidence from the true distribution, errors as in brute force."""

from dataclasses import replace
from itertools import product
from math import inf

import numpy as np
import numpy.typing as npt
import pytest

from noisyor.core import MismatchError, Network, NetworkError, SettingsError
from noisyor.core.variable import variables_of
from noisyor.inference import Inference
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.trials import draw_evidence, evidence_size, inference_error
from tests.inference.networks import network_of, noisy_or, random_network, root, table
from tests.oracles import inference_error as oracle
from tests.oracles.joint import joint


def drawn(truth: Network, size: int, trials: int, seed: int) -> npt.NDArray[np.uint8]:
    return draw_evidence(Inference(truth), size, trials, np.random.default_rng(seed))


def by_label(truth: Network, observed: npt.NDArray[np.uint8]) -> list[oracle.Evidence]:
    return [
        {truth.names[v]: truth.states[v][state] for v, state in enumerate(row) if state < 2}
        for row in observed.tolist()
    ]


def reordered(network: Network, order: list[int], swapped: set[int]) -> Network:
    """Return the same network with its variables in another order, and some states swapped."""
    whole = joint(network)
    place = {v: t for t, v in enumerate(order)}
    nodes = []
    for v in order:
        parents = [u for u in order if network.structure.families[v].parents >> u & 1]
        present = []
        for states in product((0, 1), repeat=len(parents)):
            index: list[int | slice] = [slice(None)] * whole.ndim
            for parent, state in zip(reversed(parents), states, strict=True):
                index[parent] = 1 - state if parent in swapped else state
            both = []
            for state in (0, 1):
                index[v] = 1 - state if v in swapped else state
                both.append(whole[tuple(index)].sum())
            present.append(both[1] / sum(both))
        nodes.append(table([place[u] for u in parents], *present))
    result = network_of(*nodes, names=[network.names[v] for v in order])
    labels = [network.states[v][::-1] if v in swapped else network.states[v] for v in order]
    return replace(result, variables=variables_of(result.names, labels))


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_has_no_error_against_itself(seed: int) -> None:
    truth = random_network(np.random.default_rng(seed), 12)
    found = inference_error(truth, truth, trials=300, seed=seed)
    assert (found.relative, found.absolute) == (0, 0)
    assert found.trial_means.tolist() == [0] * 300
    assert found.finite_mean == 0
    assert (found.impossible_trials, found.infinite_entries) == (0, 0)
    assert (found.trials, found.evidence_size) == (300, 1)
    assert found.entries == 300 * 11 * 2


def test_order_and_states_are_matched_by_name() -> None:
    truth = random_network(np.random.default_rng(5), 6, 3, certain=0)
    other = reordered(truth, [3, 0, 5, 1, 4, 2], {0, 4})
    assert other.names != truth.names
    found = inference_error(truth, other, trials=200, evidence_share=0.4)
    assert found.trial_means.max() < 1e-11
    back = inference_error(other, truth, trials=200, evidence_share=0.4)
    assert back.trial_means.max() < 1e-11


TRUTH = network_of(root(0.5), table([0], 0.25, 0.75), names=("flu", "cough"))
LEARNED = network_of(root(0.5), root(0.5), names=("flu", "cough"))


def test_two_variables_have_the_errors_worked_by_hand() -> None:
    """One is observed; the other is 3/4 or 1/4 in truth, and 1/2 as learned."""
    found = inference_error(TRUTH, LEARNED, trials=100)
    # Each trial has the entries |1/2 - 3/4| / (3/4) = 1/3 and |1/2 - 1/4| / (1/4) = 1.
    assert found.relative == pytest.approx(2 / 3)
    assert found.absolute == pytest.approx(1 / 4)
    assert found.trial_means == pytest.approx(np.full(100, 2 / 3))
    assert found.finite_mean == pytest.approx(2 / 3)
    assert (found.entries, found.zero_entries, found.infinite_entries) == (200, 0, 0)


def test_a_true_zero_is_met_or_missed() -> None:
    """In truth and in one learned network a cough implies flu; the other one is less certain."""
    sure = network_of(root(0.5), table([0], 0, 1), names=("flu", "cough"))
    met = inference_error(sure, sure, trials=50)
    assert (met.zero_entries, met.infinite_entries, met.relative) == (50, 0, 0)
    missed = inference_error(sure, TRUTH, trials=50)
    # Each trial has one entry 1 in truth, 3/4 as learned, and one that is 0 and 1/4.
    assert (missed.zero_entries, missed.infinite_entries) == (0, 50)
    assert (missed.relative, missed.absolute) == (inf, 0.25)
    assert missed.trial_means.tolist() == [inf] * 50
    assert missed.finite_mean is None


def test_evidence_that_is_impossible_in_the_learned_network_is_infinitely_wrong() -> None:
    never = network_of(root(0.5), root(0), names=("flu", "cough"))
    found = inference_error(TRUTH, never, trials=400, seed=3)
    coughs = int((drawn(TRUTH, 1, 400, 3)[:, 1] == 1).sum())
    assert 50 < coughs < 150  # a quarter of the trials
    assert found.impossible_trials == coughs
    assert np.isinf(found.trial_means).sum() == coughs
    assert found.infinite_entries == 0
    # Cough observed absent: flu is 1/4, here 1/2: errors of 1 and 1/3. Flu observed: a cough is
    # certainly absent here, in truth with 3/4 or 1/4: errors of 1 and 1/3, or of 1 and 3.
    assert set(found.trial_means.round(12)) == {round(2 / 3, 12), 2.0, inf}
    assert found.relative == 1


@pytest.mark.parametrize("seed", range(6))
def test_errors_are_those_of_brute_force(seed: int) -> None:
    random = np.random.default_rng(seed)
    variables = int(random.integers(2, 9))
    certain = float(random.choice([0, 0.15]))
    truth = random_network(random, variables, 4, certain)
    learned = random_network(random, variables, 4, certain)
    found = inference_error(truth, learned, trials=60, evidence_share=0.4, seed=seed)
    size = evidence_size(variables, 0.4)
    wanted = oracle.errors(truth, learned, by_label(truth, drawn(truth, size, 60, seed)))
    assert (found.relative, found.absolute) == pytest.approx(wanted.medians, rel=1e-9, abs=1e-12)
    assert found.entries == sum(len(trial) for trial in wanted.relative)
    assert found.zero_entries == wanted.zeros
    assert found.infinite_entries == wanted.infinite
    assert found.impossible_trials == wanted.impossible
    means = [sum(trial) / len(trial) for trial in wanted.relative]
    assert found.trial_means == pytest.approx(means, rel=1e-9, abs=1e-12)


def test_zeros_and_impossible_evidence_are_counted_as_brute_force_does() -> None:
    truth = network_of(root(0.5), table([0], 0, 0.5), root(0.3), noisy_or([1, 2], 0.2, 0.4))
    learned = network_of(root(0.5), root(0.5), table([0], 0, 0.5), noisy_or([1, 2], 0.2, 0.4))
    found = inference_error(truth, learned, trials=400, evidence_share=0.5)
    wanted = oracle.errors(truth, learned, by_label(truth, drawn(truth, 2, 400, 0)))
    kinds = (found.zero_entries, found.infinite_entries, found.impossible_trials)
    assert kinds == (wanted.zeros, wanted.infinite, wanted.impossible)
    assert min(kinds) > 0
    assert (found.relative, found.absolute) == pytest.approx(wanted.medians)


def test_the_result_does_not_depend_on_how_many_trials_go_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = np.random.default_rng(1)
    truth, learned = random_network(random, 10), random_network(random, 10)
    once = inference_error(truth, learned, trials=100, evidence_share=0.3, seed=4)
    for size in (1, 7, 1000):
        monkeypatch.setattr("noisyor.inference.trials._TRIALS_AT_ONCE", size)
        again = inference_error(truth, learned, trials=100, evidence_share=0.3, seed=4)
        assert again.trial_means.tobytes() == once.trial_means.tobytes()
        assert (again.relative, again.absolute) == (once.relative, once.absolute)
    other = inference_error(truth, learned, trials=100, evidence_share=0.3, seed=5)
    assert other.trial_means.tobytes() != once.trial_means.tobytes()


def test_evidence_follows_the_joint_distribution() -> None:
    """Pearson's chi-square over the variables that are observed and their states."""
    truth = network_of(root(0.3), table([0], 0.2, 0.9), noisy_or([0, 1], 0.4, 0.5, leak_q=0.8))
    whole = joint(truth)
    trials = 20_000
    observed = drawn(truth, 2, trials, 7)
    observed[observed == UNKNOWN] = 2
    assert ((observed < 2).sum(axis=1) == 2).all()
    statistic = 0.0
    for left in range(3):
        rows = np.delete(observed[observed[:, left] == 2], left, axis=1)
        expected = trials / 3 * whole.sum(axis=left)
        for states in product((0, 1), repeat=2):
            count = int((rows == states).all(axis=1).sum())
            statistic += (count - expected[states]) ** 2 / expected[states]
    # Twelve cells, eleven degrees of freedom: above 31.3 in one of 1,000 seeds.
    assert statistic < 31.3


def test_evidence_is_never_impossible_in_the_true_network() -> None:
    truth = random_network(np.random.default_rng(2), 10, certain=0.5)
    observed = drawn(truth, 5, 500, 1)
    nothing = np.zeros(10, dtype=np.uint8)
    assert np.isfinite(Inference(truth).marginals(observed, nothing)[1]).all()
    assert ((observed < 2).sum(axis=1) == 5).all()


@pytest.mark.parametrize(
    ("variables", "share", "size"),
    [
        (2, 0.1, 1),
        (8, 0.1, 1),
        (14, 0.1, 1),
        (15, 0.1, 2),
        (25, 0.1, 3),
        (37, 0.1, 4),
        (5, 0.95, 4),
    ],
)
def test_the_nearest_number_of_variables_is_observed(
    variables: int, share: float, size: int
) -> None:
    assert evidence_size(variables, share) == size


def test_networks_over_other_variables_or_states_are_refused() -> None:
    other = network_of(root(0.5), root(0.5), names=("flu", "fever"))
    message = "only in the true one: cough; only in the learned one: fever"
    with pytest.raises(MismatchError, match=message):
        inference_error(TRUTH, other)
    less = network_of(root(0.5), names=("flu",))
    with pytest.raises(MismatchError, match=r"true one: cough; .* learned one: none"):
        inference_error(TRUTH, less)
    numbers = replace(LEARNED, variables=variables_of(LEARNED.names, (("no", "yes"), ("0", "1"))))
    message = "states of 'cough' are no and yes in the true network, and 0 and 1 in the learned one"
    with pytest.raises(MismatchError, match=message):
        inference_error(TRUTH, numbers)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(SettingsError, match="number of trials is 0; it must be at least 1"):
        inference_error(TRUTH, LEARNED, trials=0)
    for share in (0, 1, float("nan")):
        with pytest.raises(SettingsError, match=f"evidence is {share}; allowed: above 0, below 1"):
            inference_error(TRUTH, LEARNED, evidence_share=share)
    alone = network_of(root(0.5))
    with pytest.raises(NetworkError, match="only the variable 'v0'"):
        inference_error(alone, alone)
    with pytest.raises(ValueError, match="one mean per trial"):
        replace(inference_error(TRUTH, LEARNED, trials=5), trials=6)
