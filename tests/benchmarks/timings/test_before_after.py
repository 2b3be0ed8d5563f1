"""Results before and after a change: what counts as equal, and how the work is reported."""

from pathlib import Path

import pytest

from benchmarks.timings.before_after import Entry, compare, digest, measure
from noisyor import Learned, learn
from noisyor.data.examples import example_csv


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "clinic.csv"
    path.write_bytes(example_csv("clinic"))
    return path


@pytest.fixture(scope="module")
def entry(clinic: Path) -> Entry:
    return measure(clinic, 1, 60.0)


@pytest.fixture(scope="module")
def learned(clinic: Path) -> Learned:
    return learn(clinic, 20, relations="paper", jobs=1, quiet=True)


def test_an_entry_says_what_was_found(entry: Entry, learned: Learned) -> None:
    assert entry["complete"]
    assert float(entry["optimum"]) == learned.optimum
    assert entry["networks"] == learned.count
    assert entry["exact"] == digest(learned, None)
    assert entry["rounded"] != entry["exact"]
    assert entry["fits"] > 0
    assert entry["nodes"] > 0


def test_the_digest_depends_on_the_credible_set(clinic: Path, learned: Learned) -> None:
    smaller = learn(clinic, 2, relations="paper", jobs=1, quiet=True)
    assert digest(smaller, None) != digest(learned, None)
    assert digest(smaller, 9) != digest(learned, 9)


def test_what_stays_is_called_identical_and_work_is_shown_before_and_after(entry: Entry) -> None:
    text, different = compare({"clinic": entry}, {"clinic": entry | {"fits": 5, "peak_mib": 7.5}})
    assert different == []
    assert "| identical |" in text
    assert f"| {entry['fits']:,} -> 5 |" in text
    assert f"| {entry['families']:,} |" in text
    assert "No result differs." in text


def test_a_difference_in_the_last_bits_is_told_apart_from_another_result(entry: Entry) -> None:
    near = entry | {"optimum": repr(float(entry["optimum"]) + 1e-11), "exact": "other"}
    text, different = compare({"clinic": entry}, {"clinic": near})
    assert "| equal to 9 digits |" in text
    assert different == []


@pytest.mark.parametrize(
    "change",
    [
        {"networks": 1},
        {"rounded": "other", "exact": "other"},
        {"optimum": "1.5"},
        {"complete": False},
    ],
)
def test_every_part_of_the_result_is_compared(entry: Entry, change: Entry) -> None:
    text, different = compare({"clinic": entry}, {"clinic": entry | change})
    assert "**different**" in text
    assert "Different: clinic." in text
    assert different == ["clinic"]


def test_a_data_set_of_one_file_alone_is_named(entry: Entry) -> None:
    text, _ = compare({"clinic": entry, "zoo": entry}, {"clinic": entry})
    assert "In one file only: zoo." in text
