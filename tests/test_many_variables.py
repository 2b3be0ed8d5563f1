"""Up to 1,024 variables: learned where possible, refused with a clear message where not."""

import math
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.core import (
    DataError,
    Dataset,
    Knowledge,
    Network,
    Provenance,
    SettingsError,
    Variable,
)
from noisyor.formats import read_scores, write_scores
from noisyor.scoring import score
from tests.support.extreme_cases import dataset


def parities(n: int, bits: int) -> Dataset:
    """Return all settings of some bits, and as columns n parities of them.

    Any two different parities are independent and each is 1 in half of the records, exactly.
    """
    records = {}
    for setting in range(2**bits):
        row = sum(((setting & (v + 1)).bit_count() & 1) << v for v in range(n))
        records[row] = 1
    assert len(records) == 2**bits
    return dataset(records, n)


@pytest.mark.parametrize("method", ["table", "price"])
def test_two_dozen_independent_columns_have_every_single_edge(method: str) -> None:
    """An edge costs ln(32)/2 = 1.73 nats, and two are above ln(20) = 3.00: 1 + 24 x 23."""
    learned = noisyor.learn(
        parities(24, 5), method=method, constraints=Knowledge(max_parents=1), quiet=True
    )
    assert learned.complete
    assert learned.count == 553
    assert learned.optimum == pytest.approx(24 * (32 * math.log(2) + math.log(32) / 2), rel=1e-13)


@pytest.mark.parametrize(
    ("n", "bits", "method"),
    [
        (70, 7, "price"),
        (70, 7, "table"),
        pytest.param(100, 7, "price", marks=pytest.mark.slow),
        pytest.param(200, 8, "table", marks=pytest.mark.slow),
    ],
)
def test_hundreds_of_columns_are_learned_with_one_parent_each(
    n: int, bits: int, method: str
) -> None:
    """An edge costs ln(128)/2 = 2.43 nats, more than ln(10) = 2.30: only the empty network."""
    data = parities(n, bits)
    learned = noisyor.learn(
        data, 10, method=method, constraints=Knowledge(max_parents=1), quiet=True
    )
    assert learned.complete
    assert learned.count == 1
    size = 2**bits
    cost = n * (size * math.log(2) + math.log(size) / 2)
    assert learned.optimum == pytest.approx(cost, rel=1e-13)


def test_a_table_of_two_hundred_columns_without_a_limit_is_refused_before_the_work() -> None:
    random = np.random.default_rng(0)
    rows = {int.from_bytes(random.bytes(25), "little"): 1 for _ in range(2)}
    with pytest.raises(SettingsError, match=r"families takes at least .*max_parents") as refused:
        noisyor.learn(dataset(rows, 200), method="table", keep_constants=True, quiet=True)
    assert "the method 'price'" in str(refused.value)


def test_a_thousand_and_twenty_four_columns_are_scored_and_one_more_is_refused() -> None:
    data = dataset({0: 300, 2**1024 - 1: 200}, 1024)
    nothing = Knowledge(max_parents=0).constraints(data.names)
    table = score(data, 20, constraints=nothing, jobs=1).table
    cost = -300 * math.log(0.6) - 200 * math.log(0.4) + math.log(500) / 2
    assert len(table) == 1024
    assert table.costs == pytest.approx(np.full(1024, cost), rel=1e-13)
    with pytest.raises(DataError, match="1025 columns; at most 1024 are supported"):
        noisyor.read(np.array([[0] * 1025, [1] * 1025]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* neither is known to mean present")
def test_a_thousand_columns_from_file_to_file(tmp_path: Path) -> None:
    """Half of the columns are copies of others, some never change, and states differ.

    Of a column and its copies, in a tree, one has a parent elsewhere and the others are free.
    """
    rng = np.random.default_rng(1)
    own = [rng.integers(0, states, 500) for states in rng.integers(2, 6, 492)]
    columns = [*own, *[np.zeros(500, int)] * 20, *(own[v] for v in rng.integers(0, 492, 512))]
    table = np.array(["a", "b", "c", "d", "e"])[np.stack(columns, axis=1)]
    path = tmp_path / "wide.csv"
    names = ",".join(f"v{number}" for number in range(1024))
    path.write_text("\n".join([names, *map(",".join, table.tolist())]), encoding="utf-8")
    with pytest.warns(noisyor.DataWarning, match="20 of 1024 columns never change: .* 10 more"):
        data = noisyor.read(path)
    assert data.variable_count == 1024
    nothing = Knowledge(max_parents=0).constraints(data.names)
    alone = score(data, 20, constraints=nothing, jobs=2).table.costs
    scored = score(data, 1, constraints=Knowledge(max_parents=1).constraints(data.names), jobs=2)
    written = tmp_path / "scores.parquet"
    write_scores(scored.table, written)
    assert read_scores(written) == scored.table
    cheapest = np.minimum.reduceat(
        scored.table.costs, np.searchsorted(scored.table.children, np.arange(1024))
    )
    assert np.count_nonzero(cheapest < alone - 1) >= 512


@pytest.mark.parametrize("states", [2, 3])
def test_a_network_of_more_variables_is_fitted_but_not_learned(states: int, tmp_path: Path) -> None:
    """The learning kernels have sets of 1,024 variables; parameters are fitted family by family."""
    names = [f"v{number}" for number in range(1100)]
    labels = tuple(f"s{state}" for state in range(states))
    root = np.full(states, 1 / states)
    network = Network.from_tables(
        [Variable(name, labels) for name in names],
        [[], *([number] for number in range(1099))],
        [root, *[np.full((states, states), 1 / states)] * 1099],
        Provenance("test"),
    )
    data = noisyor.sample_dataset(network, 20, seed=1)
    assert data.variable_count == 1100
    codes = noisyor.sample_codes(network, 20, seed=1)
    assert data.record_count == 20
    path = tmp_path / "records.csv"
    rows = [",".join(labels[code] for code in row) for row in codes.tolist()]
    path.write_text("\n".join([",".join(names), *rows]), encoding="utf-8")
    fitted = noisyor.fit(network, path, prior_weight=5)
    assert fitted == noisyor.fit(network, data, prior_weight=5)
    last = [np.count_nonzero((codes[:, 1098] == 0) & (codes[:, 1099] == one)) for one in (0, 1)]
    seen = np.count_nonzero(codes[:, 1098] == 0)
    row = fitted.distributions[1099].expand().table[0]
    for place, count in enumerate(last):
        assert row[place] == pytest.approx((count + 5 / states**2) / (seen + 5 / states))
    assert noisyor.held_out(fitted, data).impossible == 0
    with pytest.raises(DataError, match="the table has 1100 columns; at most 1024 are supported"):
        noisyor.learn(data)
    with pytest.raises(DataError, match="the table has 1100 columns; at most 1024 are supported"):
        noisyor.read(path)
