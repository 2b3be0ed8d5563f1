"""What is stored of a run of learning agrees with the run itself."""

import pytest

from benchmarks.harness import measured_learning
from noisyor.core import Dataset
from noisyor.data.examples import load_example
from noisyor.learning import learn
from noisyor.runs.learned import Learned


@pytest.fixture(scope="module")
def clinic() -> Dataset:
    return load_example("clinic")


@pytest.fixture(scope="module", params=["table", "price"])
def clinic_learned(request: pytest.FixtureRequest, clinic: Dataset) -> Learned:
    return learn(clinic, 20, relations="paper", method=request.param, jobs=1)


def test_shares_are_counted_over_all_members(clinic_learned: Learned) -> None:
    counts: dict[int, dict[str, int]] = {1: {}, 2: {}}
    members = list(clinic_learned.members())
    for member in members:
        for family in member.structure.families:
            for least, found in counts.items():
                if family.relation.name == "noisy-or" and family.parents.bit_count() >= least:
                    name = clinic_learned.credible.names[family.child]
                    found[name] = found.get(name, 0) + 1
    told = measured_learning.noisy_or_of(clinic_learned.credible)
    for least, kind in ((1, "any_parents"), (2, "several_parents")):
        expected = {name: 100 * one / len(members) for name, one in counts[least].items()}
        assert expected
        assert told[kind]["percent_by_node"] == pytest.approx(expected, abs=1e-4)
        assert told[kind]["nodes"] == len(expected)
        assert told[kind]["average_percent"] == pytest.approx(
            sum(expected.values()) / len(expected)
        )
        assert told[kind]["maximum_percent"] == pytest.approx(max(expected.values()))


def test_all_families_are_considered(clinic_learned: Learned) -> None:
    n = len(clinic_learned.credible.names)
    families = measured_learning.considered_families(clinic_learned)
    assert families is not None
    assert families["considered"] == 2 * n * 2 ** (n - 1) - n  # a noisy-OR needs a parent
    assert 0 < families["kept"] < families["considered"]
