"""Crossed states in table 3: by hand, and on the page beside the paper's figures."""

import pytest

from benchmarks.harness.learning_jobs import Job
from benchmarks.harness.measuring import Results
from benchmarks.paper.table3.crossed import crossed_error, crossed_of, measure_crossed, truth_key
from benchmarks.paper.table3.crossed_page import crossed_section
from noisyor import Network
from tests.inference.networks import network_of, root


def coins(*present: float) -> Network:
    """Return independent variables with these chances of being present."""
    return network_of(*map(root, present))


def test_a_network_against_itself_is_wrong_by_how_uneven_its_states_are() -> None:
    # |0.8 - 0.2| / 0.8 and |0.2 - 0.8| / 0.2, of both variables alike.
    assert crossed_error(coins(0.2, 0.2), coins(0.2, 0.2), 50, 1) == pytest.approx((0.75 + 3.0) / 2)
    assert crossed_error(coins(0.5, 0.5), coins(0.5, 0.5), 50, 1) == 0


def test_a_true_chance_of_zero_counts_as_one() -> None:
    # Absent for certain: |1 - 0| / 1 for the absence, |1 - 1| / 1 for the presence.
    assert crossed_error(coins(0.0, 0.0), coins(0.0, 0.0), 50, 1) == pytest.approx(0.5)


def test_networks_with_other_states_are_refused() -> None:
    with pytest.raises(ValueError, match="same variables and states"):
        crossed_error(coins(0.5, 0.5), coins(0.5, 0.5, 0.5), 10, 1)


def test_a_sample_has_the_three_networks() -> None:
    found = measure_crossed(Job("coins", 100, 0), coins(0.2, 0.3, 0.4), 60.0)
    assert set(found) == {"best", "cpt", "costliest", "limit"}
    assert all(found[name] > 0.2 for name in ("best", "cpt", "costliest"))


def sample(best: float, costliest: float, tables: float) -> Results:
    return {
        "both": {
            "proven": True,
            "error_best": {"relative": best},
            "error_costliest": {"relative": costliest},
        },
        "cpt": {"proven": True, "error_best": {"relative": tables}},
    }


def test_the_page_has_paper_crossed_and_exact_side_by_side() -> None:
    results = {"asia/100/0": sample(0.05, 0.06, 0.07)}
    crossed: dict[str, Results] = {
        "asia/100/0": {"best": 0.9, "costliest": None, "cpt": 0.8},
        "asia/100/1": {"best": 0.7, "costliest": 0.95, "cpt": 0.8},
        truth_key("asia"): {"truth": 0.94},
    }
    page = crossed_section(results, crossed)
    assert (
        "| asia | 100 | 2 | 0.04 | 0.80 | 0.05 | 0.13 | 0.95 | 0.06 | 0.92 | 0.80 | 0.07 |" in page
    )
    assert "a median error of 0.94 (asia), over" in page
    assert "- best: 0 of 1 to the crossed ones" in page
    assert "- best of full tables: 1 of 1 to the crossed ones (asia)" in page
    assert crossed_section(results, {}) == ""


def test_crossed_samples_are_told_from_the_others() -> None:
    assert crossed_of({"asia/100/0": {}, "crossed/asia/100/0": {"best": 1.0}}) == {
        "asia/100/0": {"best": 1.0}
    }
