"""Samples of example networks have the network's variables, and states without gaps."""

import numpy as np

from benchmarks.harness.example_networks import example_network, sampled_states

RARE = 5  # records: too few to see every state


def test_a_network_has_its_original_states() -> None:
    network = example_network("child")
    assert len(network.names) == 20
    assert max(variable.state_count for variable in network.variables) == 6


def test_states_are_numbered_without_gaps() -> None:
    network = example_network("child")
    table = sampled_states("child", RARE, seed=1)
    assert table.shape == (RARE, 20)
    seen = [np.unique(column).tolist() for column in table.T]
    assert seen == [list(range(len(states))) for states in seen]
    assert sum(map(len, seen)) < sum(variable.state_count for variable in network.variables)


def test_fewer_variables_are_the_first_of_all() -> None:
    everything = sampled_states("child", 100, seed=1)
    assert np.array_equal(sampled_states("child", 100, 1, variables=7), everything[:, :7])
