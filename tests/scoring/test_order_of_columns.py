"""What the climbers find in a given number of rounds does not depend on the order of a table."""

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from benchmarks.harness.random_networks import random_network
from noisyor import read
from noisyor.core import Dataset
from noisyor.core.request import Request
from noisyor.networks import sample_dataset
from noisyor.scoring.climbing import Climbing

ROUNDS = 4
VARIABLES = 24
RECORDS = 300


@pytest.fixture(scope="module")
def data() -> Dataset:
    return sample_dataset(random_network(f"mixed-{VARIABLES}-1"), RECORDS, seed=3)


def with_columns(data: Dataset, order: npt.NDArray[np.int64]) -> Dataset:
    """Return the table with its columns in another order."""
    codes = data.codes[:, order]
    rows = np.lexsort(codes.T)
    variables = tuple(data.variables[column] for column in order)
    return Dataset(variables, codes[rows], data.weights[rows])


def climbed(data: Dataset) -> tuple[float, set[frozenset[str]]]:
    """Return the cost and the arcs of the network after a fixed number of rounds."""
    climbing = Climbing(Request.of(data, jobs=1), climbers=2, seed=0)
    climbing.run(lambda: False, rounds=ROUNDS)
    return climbing.cost, {frozenset(arc) for arc in climbing.structure().edges()}


def test_columns_in_another_order_give_as_good_a_network(data: Dataset) -> None:
    usual, arcs = climbed(data)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(VARIABLES)
        cost, others = climbed(with_columns(data, order))
        assert cost == pytest.approx(usual, abs=0.01)  # of 3,819 nats
        assert others == arcs


def test_rows_in_another_order_are_the_same_table(data: Dataset) -> None:
    """So that whatever is done with it, for however long, is the same."""
    records = np.repeat(data.codes, data.weights, axis=0)
    frame = pl.DataFrame(records, list(data.names))
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=5)
    assert not frame.equals(shuffled)
    assert read(shuffled).fingerprint() == read(frame).fingerprint()
