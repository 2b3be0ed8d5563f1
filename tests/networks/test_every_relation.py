"""Networks of every relation are sampled, scored and queried as their definition says."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from noisyor.core import Cpt, Dataset, Family, Network, Provenance, Structure, Variable
from noisyor.core.relations import CAUSE_RELATIONS, CauseRelation
from noisyor.inference import Inference
from noisyor.networks.likelihood import row_log_likelihoods
from noisyor.networks.sampling import sample_codes
from tests.formats.networks import discrete_networks, networks
from tests.oracles.joint import joint, marginals
from tests.support.effort import scaled

PLAIN_NAMES = st.sampled_from(["a", "b", "c", "d", "e"])


@settings(max_examples=scaled(60))
@given(network=networks(max_variables=5, names=PLAIN_NAMES), state=st.integers(0, 1))
def test_posteriors_of_any_relations_are_those_of_the_joint_distribution(
    network: Network, state: int
) -> None:
    last = len(network.names) - 1
    evidence = joint(network)[..., state].sum()
    assume(evidence > 1e-6)
    given_last = {network.names[last]: network.states[last][state]}
    expected = marginals(network, {last: state})
    for given_state, wanted in ((None, marginals(network)), (given_last, expected)):
        posteriors = Inference(network).posteriors(given=given_state)
        for name, states, chance in zip(network.names, network.states, wanted, strict=True):
            if given_state is None or name not in given_state:
                assert posteriors[name][states[1]] == pytest.approx(chance, abs=1e-9)


@settings(max_examples=scaled(60))
@given(network=discrete_networks(max_variables=3))
def test_records_are_as_likely_as_in_the_joint_distribution(network: Network) -> None:
    sizes = [variable.state_count for variable in network.variables]
    ascending = [row[::-1] for row in product(*map(range, reversed(sizes)))]
    codes = np.array(ascending, dtype=np.uint8)
    data = Dataset(network.variables, codes, np.ones(len(codes), dtype=np.int64))
    expected = [joint(network)[tuple(row)] for row in data.codes.tolist()]
    assert np.exp(row_log_likelihoods(network, data)) == pytest.approx(expected, abs=1e-12)
    smooth = row_log_likelihoods(network, data, smoothing=0.1)
    assert np.exp(smooth).sum() == pytest.approx(1)
    assert np.exp(smooth).min() > 0


@pytest.mark.parametrize("relation", CAUSE_RELATIONS, ids=str)
def test_samples_have_the_frequencies_of_the_joint_distribution(relation: CauseRelation) -> None:
    variables = (
        Variable("a", ("x", "y", "z")),
        Variable("b"),
        Variable("c", ("low", "mid", "high"), ordered=True),
    )
    rows = len(relation.columns((3, 2))) + relation.model.leak
    q = np.random.default_rng(5).random((rows, 2))
    network = Network(
        Structure(("a", "b", "c"), (Family(0, 0), Family(1, 0), Family(2, 0b011, relation))),
        variables,
        (Cpt.from_axes([0.5, 0.25, 0.25]), Cpt.binary([0.4]), relation.distribution(q, 3, (3, 2))),
        None,
        Provenance("test"),
    )
    count = 20_000
    codes = sample_codes(network, count, seed=3)
    found = np.zeros((3, 2, 3))
    np.add.at(found, tuple(codes.T.astype(np.intp)), 1 / count)
    assert np.abs(found - joint(network)).max() < 0.02  # more than five standard errors
