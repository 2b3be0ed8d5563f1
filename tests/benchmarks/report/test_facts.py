"""The five facts of the README and the longer answers, from stored results."""

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.paper.table2.statistics import PAPER
from benchmarks.race.jobs import EXACT, OWN
from benchmarks.race.large.cells import all_cells
from benchmarks.race.large.running import OWN as OWN_CLIMB
from benchmarks.race.large.running import PEERS as LARGE_PEERS
from benchmarks.race.large.running import contestants_of, key_of
from benchmarks.relations.plan import LEAKY, TABLES
from benchmarks.relations.plan import PAPER as PAPERS_PAIR
from benchmarks.report.answers import (
    credible_networks,
    many_variables,
    recovery,
    relations,
    speed,
    strengths,
)
from benchmarks.report.facts import (
    finished,
    largest_set,
    recovered,
    speed_ratio,
    structure_gain,
)


def learned(members: int, *, complete: bool) -> Results:
    return {
        "noisy_or": {},
        "complete": complete,
        "members": members,
        "variables": 17,
        "seconds": {"total": 2.5},
    }


def test_data_sets_are_finished_only_if_complete() -> None:
    results = {
        "learned": {
            "zoo/auto": learned(7, complete=True),
            "letter/auto": learned(1_000_000, complete=True),
            "bands/auto": learned(5_000_000, complete=False),
        },
        "scored": {},
    }
    assert finished(results) == (
        f"**2 of {len(PAPER)}** data sets of the paper: every credible network found, counted, "
        "proven."
    )
    assert largest_set(results) == (
        "**1,000,000** credible networks for letter, a table of 17 columns: counted, not estimated."
    )
    answer = credible_networks(results)
    assert answer is not None
    assert f"**2 of the {len(PAPER)}** data sets" in answer
    assert "in 5 s together (all but adult, nltcs, msnbc, hepatitis, " in answer
    assert "The paper finishes 13," in answer
    assert "There are 7 to **1,000,000** credible networks" in answer
    nothing: Results = {"learned": {}, "scored": {}}
    assert finished(nothing) is None
    assert largest_set(nothing) is None
    assert credible_networks(nothing) is None


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
    assert recovered(results) == (
        "**12%** median relative error of a cause's failure chance, 7 causes, 1,000 records."
    )
    answer = strengths(results)
    assert answer is not None
    assert "is **0.12** of its value; the paper has 0.16, and 1.99 with EM, which its" in answer
    assert answer.endswith(
        "Of 3 combinations of causes and records, the error is at most the paper's in 1, above it "
        "but within the chance of 30 tests in 1, and clearly above it in 1."
    )
    assert strengths({"paper": results["paper"]}) is None
    assert recovered({"paper": results["paper"]}) is None


def a_run(seconds: float, cost: float) -> Results:
    times = [2 * seconds, seconds]
    return {"seconds": times, "busy_seconds": seconds, "cost": cost, "complete": True}


def raced(variables: int, **seconds_and_costs: tuple[float, float]) -> Results:
    names = {"own": OWN[0], "first": EXACT[0], "second": EXACT[1]}
    programs = {
        names[name]: a_run(seconds, cost) for name, (seconds, cost) in seconds_and_costs.items()
    }
    return {"variables": variables, "programs": programs}


def test_the_race_is_with_the_fastest_exact_peer_on_the_largest_table() -> None:
    results = {
        "optimum/small": raced(10, own=(0.1, 50), first=(0.2, 50)),
        "subset/16": raced(16, own=(0.5, 90), first=(60, 90), second=(50, 90)),
        "variables/30": raced(30, own=(1, 1)),
    }
    results["optimum/small"]["programs"]["pyAgrum tabu"] = a_run(0.03, cost=60)
    results["variables/30"]["programs"][EXACT[0]] = {"nothing_because": "it took more than 60 s"}
    assert speed_ratio(results) == (
        "The fastest other exact program measured takes **100 times** as long (16 columns)."
    )
    answer = speed(results)
    assert answer is not None
    assert answer.startswith("With 16 columns, the largest table that another exact program")
    assert f"{EXACT[1]} takes **100 times** as long as noisyor on one thread" in answer
    assert "to find the same network; 0 of its 1 jobs did not end in 30 s." in answer
    assert (
        "pyAgrum tabu takes a median of 0.3 times noisyor's time, and finds the optimum in 0 of 1 "
        in answer
    )
    results["subset/16"]["programs"][EXACT[1]]["cost"] = 91
    worse = speed(results)
    assert worse is not None
    assert "to find a costlier network;" in worse
    assert speed_ratio({"optimum/alone": raced(10, own=(0.1, 50))}) is None
    assert speed_ratio({}) is None
    assert speed({}) is None


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
    assert structure_gain(results) == (
        "**0.30 instead of 0.70** wrong edges per true edge, where noisy-ORs are the truth."
    )
    assert structure_gain({}) is None


def relation_job(both: int) -> Results:
    sets = {"cpt": 6, "leaky": both, "paper": 8}
    assert set(sets) == {TABLES, LEAKY, PAPERS_PAIR}
    return {
        "variables": 8,
        "truth": {"arcs": 10},
        **{name: {"proven": True, "cpdag_shd": distance} for name, distance in sets.items()},
    }


def test_the_answer_on_relations_says_where_they_help_and_where_they_do_harm() -> None:
    results = {
        **{f"noisy-or-8-{one}/500/0": relation_job(2 + one % 2) for one in range(8)},
        **{f"{Kind.TABLES}-8-{one}/500/0": relation_job(8 + one % 2) for one in range(8)},
    }
    answer = relations(results)
    assert answer is not None
    assert "by **-0.35** (noisy-ORs without leak) and **+0.25** (full tables)" in answer
    assert "bold is clear" in answer
    unclear = {f"noisy-or-8-{one}/500/0": relation_job(5 + 2 * (one % 2)) for one in range(8)}
    answer = relations(unclear)
    assert answer is not None
    assert "by 0.00 (noisy-ORs without leak)" in answer
    assert relations({}) is None


def recovered_sample(variables: int, *, proven: bool) -> Results:
    return {
        "variables": variables,
        "truth": {"arcs": 10},
        "learned": {"proven": proven, "missing": 2, "extra": 1},
    }


def test_the_answer_on_recovery_says_where_proofs_stop() -> None:
    results = {
        "leaky-noisy-or-30-0/1000/0": recovered_sample(30, proven=True),
        "leaky-noisy-or-30-1/1000/0": recovered_sample(30, proven=True),
        "leaky-noisy-or-50-0/1000/0": recovered_sample(50, proven=False),
    }
    answer = recovery(results)
    assert answer is not None
    assert "is proven in 2 of 2 with 30 columns and 0 of 1 with 50 columns. It has 0.30 and" in (
        answer
    )
    assert recovery({}) is None


def test_the_answer_on_many_variables_counts_the_tables_that_were_run() -> None:
    cell = next(one for one in all_cells() if one.variables == 100)
    costs = {OWN_CLIMB: 90.0} | {
        peer: 100.0 for peer in contestants_of(cell) if peer in LARGE_PEERS
    }
    results = {
        key_of(cell, program): {
            "variables": 100,
            "seconds": 2.0,
            "first": 0.5,
            "read": 0.25,
            "networks": [{"by": 2.0, "cost": cost}],
        }
        for program, cost in costs.items()
    }
    answer = many_variables(results)
    assert answer is not None
    assert f"1 of {len(all_cells())} planned tables have been run, of 100 to 100 columns" in answer
    assert "in **1 of 1**, equal in 0, and worse in 0; in 0 more no other" in answer
    assert many_variables({}) is None
