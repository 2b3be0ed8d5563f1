"""A relation that only the tests have is learned, saved and asked like any other.

Nothing in the package knows of it: it is registered with its fit, and that is all.
"""

from collections.abc import Iterator
from math import inf, log
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.core import Dataset
from noisyor.core.relations import relation_named
from noisyor.core.variable_sets import from_words
from noisyor.fitting import fitted_by
from tests.oracles.networks import Costs, bits, credible_set
from tests.toy.shared_strength import SHARED, SharedNoisyOr, fit_shared

FACTOR = 20
RELATIONS = ("cpt", SHARED.name)
N = 5


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    with fitted_by(SHARED, fit_shared):
        yield


def records(seed: int, size: int = 120) -> Dataset:
    """Return records in which the last two variables are brought about by the first three."""
    random = np.random.default_rng(seed)
    causes = random.random((size, 3)) < 0.4
    effects = [random.random(size) < 1 - 0.5 ** causes.sum(axis=1) for _ in range(2)]
    return noisyor.read(np.column_stack([causes, *effects]).astype(np.int64))


def naive_costs(data: Dataset) -> Costs:
    """Return what every family costs, by definition; the strength by a fine grid."""
    codes = [1 if name == SHARED.name else 0 for name in RELATIONS]
    assert codes == [0, 1]
    price = log(data.record_count) / 2
    rows = list(zip(from_words(data.bits), data.weights.tolist(), strict=True))
    costs = {}
    for child in range(N):
        for parents in range(1 << N):
            if parents >> child & 1:
                continue
            cells: dict[int, list[int]] = {}
            by_causes: dict[int, list[int]] = {}
            for row, weight in rows:
                state = row >> child & 1
                cells.setdefault(row & parents, [0, 0])[state] += weight
                by_causes.setdefault((row & parents).bit_count(), [0, 0])[state] += weight
            loss = -sum(
                count * log(count / sum(cell)) for cell in cells.values() for count in cell if count
            )
            costs[child, parents, 0] = loss + 2 ** len(bits(parents)) * price
            if parents:
                shared = _least_shared_loss(by_causes)
                if shared < inf:
                    costs[child, parents, SHARED.code] = shared + price
    return costs


def _least_shared_loss(by_causes: dict[int, list[int]]) -> float:
    if by_causes.get(0, [0, 0])[1]:
        return inf

    def loss(q: float) -> float:
        total = 0.0
        for k, (absent, present) in by_causes.items():
            total -= absent * k * log(q) if absent else 0.0
            total -= present * log(1 - q**k) if present else 0.0
        return total

    low, high = 1e-9, 1 - 1e-9
    for _ in range(300):  # ternary search: the loss has one minimum
        third = (high - low) / 3
        if loss(low + third) < loss(high - third):
            high -= third
        else:
            low += third
    return loss((low + high) / 2)


@pytest.mark.parametrize("method", ["table", "price"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_is_learned_as_brute_force_does(seed: int, method: str) -> None:
    data = records(seed)
    expected = credible_set(naive_costs(data), N, log(FACTOR))
    assert expected is not None
    learned = noisyor.learn(
        data, FACTOR, relations=RELATIONS, labels="all", method=method, quiet=True
    )
    assert learned.complete
    assert learned.optimum == pytest.approx(expected.optimum, abs=1e-6)
    assert learned.count == len(expected.members)
    found = {
        tuple((f.child, f.parents, f.relation.code) for f in member.structure.families)
        for member in learned.members()
    }
    assert found == expected.networks
    assert any(code == SHARED.code for network in found for _, _, code in network)


def test_it_competes_with_the_other_relations() -> None:
    data = records(4)
    relations = ("cpt", "noisy-or", "leaky-noisy-or", SHARED.name)
    learned = noisyor.learn(data, FACTOR, relations=relations, quiet=True)
    without = noisyor.learn(data, FACTOR, relations=relations[:3], quiet=True)
    assert learned.complete
    assert learned.optimum <= without.optimum


def test_its_networks_are_saved_loaded_and_asked(tmp_path: Path) -> None:
    data = records(1)
    learned = noisyor.learn(data, FACTOR, relations=RELATIONS, folder=tmp_path / "run", quiet=True)
    again = noisyor.load(tmp_path / "run")
    assert again.best == learned.best
    shared = [one for one in learned.best.distributions if isinstance(one, SharedNoisyOr)]
    assert shared
    answer = learned.query(given={data.names[0]: "1"})
    assert np.isfinite(answer.present).all()
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert SHARED.name in page


def test_it_is_gone_when_its_context_ends() -> None:
    other = type(SHARED)("another", 201)
    with fitted_by(other, fit_shared):
        assert relation_named("another") is other
    with pytest.raises(noisyor.SettingsError, match="there is no relation 'another'"):
        relation_named("another")
