"""The five numbers of the README, from stored results."""

from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.statistics import PAPER
from benchmarks.race.jobs import EXACT, OWN
from benchmarks.report.headlines import (
    finished,
    largest_set,
    recovered,
    speed_ratio,
    structure_gain,
)


def learned(members: int, *, complete: bool) -> Results:
    return {"noisy_or": {}, "complete": complete, "members": members}


def test_data_sets_are_finished_only_if_complete() -> None:
    results = {
        "learned": {
            "zoo/auto": learned(7, complete=True),
            "letter/auto": learned(1_000_000, complete=True),
            "bands/auto": learned(5_000_000, complete=False),
        },
        "scored": {},
    }
    said = finished(results)
    assert said is not None
    assert said.startswith(f"**2 of {len(PAPER)}** data sets")
    assert said.endswith("the paper finishes 13")
    assert largest_set(results) == (
        "**1,000,000** networks are credible for letter, the largest set counted"
    )
    nothing: Results = {"learned": {}, "scored": {}}
    assert finished(nothing) is None
    assert largest_set(nothing) is None


def test_recovery_is_of_most_records_and_parents() -> None:
    def cell(records: int, parents: int, error: float) -> Results:
        spread = {"median": error, "low": error / 2, "high": 2 * error}
        return {
            "records": records,
            "parents": parents,
            "tests": 1000,
            "measures": {"relative/newton": spread},
        }

    results = {
        "paper": {
            "relative_error/7/500": {"kl": 0.15, "em": 2.0},
            "relative_error/2/1000": {"kl": 0.05, "em": 1.0},
            "relative_error/7/1000": {"kl": 0.16, "em": 1.99},
        },
        "7/500/1000": cell(500, 7, 0.2),
        "2/1000/1000": cell(1000, 2, 0.2),
        "7/1000/1000": cell(1000, 7, 0.125),
    }
    said = recovered(results)
    assert said is not None
    assert said.startswith("**0.12** is the median relative error of q of a noisy-OR with 7")
    assert "(the paper: 0.16, its EM 1.99)" in said
    assert said.endswith(
        "of 3 sizes it is at most the paper's in 1, and in 1 more within the chance of 30 tests"
    )
    assert recovered({"paper": results["paper"]}) is None


def raced(variables: int, **seconds_and_costs: tuple[float, float]) -> Results:
    names = {"own": OWN[0], "first": EXACT[0], "second": EXACT[1]}
    programs = {
        names[name]: {"seconds": [2 * seconds, seconds], "cost": cost}
        for name, (seconds, cost) in seconds_and_costs.items()
    }
    return {"variables": variables, "programs": programs}


def test_the_race_is_with_the_fastest_exact_peer_on_the_largest_table() -> None:
    results = {
        "optimum/small": raced(10, own=(0.1, 50), first=(0.2, 50)),
        "subset/16": raced(16, own=(0.5, 90), first=(60, 90), second=(50, 90)),
        "variables/30": raced(30, own=(1, 1)),
    }
    results["variables/30"]["programs"][EXACT[0]] = {"nothing_because": "it took more than 60 s"}
    said = speed_ratio(results)
    assert said is not None
    assert said.startswith(f"{EXACT[1]} takes **100 times** as long as noisyor on one thread")
    assert "to find the same network;" in said
    assert said.endswith("(16 variables, full tables)")
    results["subset/16"]["programs"][EXACT[1]]["cost"] = 91
    worse = speed_ratio(results)
    assert worse is not None
    assert "to find a costlier network;" in worse
    assert speed_ratio({"optimum/alone": raced(10, own=(0.1, 50))}) is None
    assert speed_ratio({}) is None


def study_job(both: int, cpt: int) -> Results:
    return {
        "variables": 8,
        "truth": {"arcs": 10},
        "both": {"proven": True, "cpdag_shd": both},
        "cpt": {"proven": True, "cpdag_shd": cpt},
    }


def test_the_gain_of_the_study_is_a_mean_over_networks() -> None:
    results = {
        "noisy-or-8-0/500/0": study_job(2, 6),
        "noisy-or-8-1/500/0": study_job(4, 8),
        "noisy-or-8-1/1000/0": study_job(0, 0),
        "mixed-8-1/500/0": study_job(9, 9),
    }
    said = structure_gain(results)
    assert said is not None
    assert said.startswith("**0.30 instead of 0.70** edges per true arc are wrong")
    assert "2 random networks of noisy-ORs, 500 records" in said
    assert structure_gain({}) is None
