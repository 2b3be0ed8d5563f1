"""Recovery with many variables: what a run measures, and what its page and figure say."""

import time
from pathlib import Path

import pytest

from benchmarks.harness.learning_jobs import Job
from benchmarks.harness.measuring import Results
from benchmarks.harness.processor_clock import processor_clock
from benchmarks.harness.random_networks import random_network
from benchmarks.recovery import page as recovery_page
from benchmarks.recovery.figure import FIGURE, figures
from benchmarks.recovery.measuring import measure, skeleton_measures
from benchmarks.recovery.plan import NETWORKS, VARIABLES, jobs
from benchmarks.recovery.statistics import by_variables
from noisyor import Structure


def run_of(*, proven: bool, layers: int, missing: int, bound: float | None) -> Results:
    return {
        "complete": proven,
        "proven": proven,
        "count": 1,
        "method": "layers" if layers else "price",
        "optimum": 100.0,
        "lower_bound": 100.0 if proven else bound,
        "layers": layers,
        "seconds": 30.0,
        "missing": missing,
        "extra": 1,
        "arcs": 9,
        "cpdag_shd": 5,
    }


def result_of(variables: int, learned: Results) -> Results:
    return {"variables": variables, "limit": 60.0, "truth": {"arcs": 10}, "learned": learned}


RESULTS = {
    "leaky-noisy-or-30-0/1000/0": result_of(
        30, run_of(proven=True, layers=0, missing=3, bound=None)
    ),
    "leaky-noisy-or-50-0/1000/0": {"nothing_because": "it was killed", "limit": 60.0},
    "leaky-noisy-or-100-0/1000/0": result_of(
        100, run_of(proven=False, layers=3, missing=2, bound=None)
    ),
    "leaky-noisy-or-100-1/1000/0": result_of(
        100, run_of(proven=True, layers=4, missing=2, bound=None)
    ),
    "leaky-noisy-or-200-0/1000/0": result_of(
        200, run_of(proven=False, layers=2, missing=2, bound=90.5)
    ),
}


@pytest.fixture
def page() -> str:
    return recovery_page.section(RESULTS)


class TestPage:
    def test_it_says_where_proofs_stop(self, page: str) -> None:
        text = " ".join(page.split())
        assert (
            "proven in every sample of 30 variables, in some of 100 variables, in none of 200 "
            "variables. Where the proof goes by numbers of parents, it reaches 2 to 4 parents at "
            "each node."
        ) in text

    def test_a_row_has_means_and_what_was_proven_of_each_sample(self, page: str) -> None:
        assert "| 30 | 1 | 10 | 3.0 | 1.0 | 0.40 | 0.50 | 1 of 1 | - | 0.0 | 30 |" in page
        assert (
            "| 100 | 2 | 10 | 2.0 | 1.0 | 0.30 | 0.50 | 1 of 2 | 3; 4 | -; 0.0 | 30; 30 |" in page
        )
        assert "| 200 | 1 | 10 | 2.0 | 1.0 | 0.30 | 0.50 | 0 of 1 | 2 | 9.5 | 30 |" in page

    def test_a_sample_without_a_network_is_left_out(self) -> None:
        assert list(by_variables(RESULTS)) == [30, 100, 200]


def test_the_figure_is_small_and_missing_without_results(tmp_path: Path) -> None:
    assert figures({}, tmp_path) == []
    assert [path.name for path in figures(RESULTS, tmp_path)] == [FIGURE]
    assert (tmp_path / FIGURE).stat().st_size < 50_000


def test_there_are_as_many_networks_of_each_size() -> None:
    assert len(jobs()) == NETWORKS * len(VARIABLES)
    assert len(jobs([VARIABLES[0]])) == NETWORKS


def test_a_skeleton_has_no_directions() -> None:
    names = ("a", "b", "c")
    truth = Structure.from_edges(names, [("a", "b"), ("b", "c")])
    learned = Structure.from_edges(names, [("b", "a"), ("a", "c")])
    assert skeleton_measures(truth, learned) == {"missing": 1, "extra": 1}


def test_a_small_network_is_learned_to_the_end() -> None:
    name = "leaky-noisy-or-6-0"
    result = measure(Job(name, 200, 0), random_network(name), limit=60.0)
    assert result["variables"] == 6
    assert result["learned"]["proven"]
    assert result["learned"]["optimum"] == result["learned"]["lower_bound"]


def test_the_processor_clock_stands_still_while_nothing_is_computed() -> None:
    with processor_clock():
        began = time.monotonic()
        time.sleep(0.2)
        assert time.monotonic() - began < 0.1
    began = time.monotonic()
    time.sleep(0.2)
    assert time.monotonic() - began >= 0.2
