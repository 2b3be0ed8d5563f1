"""The same input gives the same bytes, for any number of threads and in any process.

Only seconds, memory and counts of work in summaries and reports are left out.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import noisyor
from noisyor.data.examples import example_csv
from noisyor.reporting.page import report_html
from noisyor.runs.folder import read_report
from noisyor.runs.learned import Learned
from noisyor.scoring import score
from tests.runs.test_checkpoint import records
from tests.support.effort import HANGS_AFTER, chosen
from tests.support.extreme_cases import CASES, dataset
from tests.support.run_results import results_in

NOISY = "cpt,noisy-or"
LEAKY = "cpt,noisy-or,leaky-noisy-or"
RUNS = [
    (method, relations)
    for method in ("table", "price")
    for relations in chosen(quick=[LEAKY], full=[NOISY, LEAKY])
]
OTHERS = chosen(
    quick={"three threads": (3, "4294967295")},
    full={"two threads": (2, "1"), "three threads": (3, "4294967295")},
)
PLACES = {"one thread": (1, "0"), **OTHERS}
"""A process each: its threads, and the seed by which Python orders sets of strings."""

LEARN_ALL = """
import sys
from noisyor.cli import app
table, folder, jobs, *runs = sys.argv[1:]
for run in runs:
    method, relations = run.split(":")
    app(["learn", table, "-o", f"{folder}/{method}-{relations.count(',')}", "--method", method,
         "--relations", relations, "--jobs", jobs, "--quiet"], standalone_mode=False)
"""


def run_in_places(root: Path, command: Callable[[Path, str], list[str]]) -> None:
    """Run Python in each place, in a folder of its own."""
    started = []
    for place, (jobs, seed) in PLACES.items():
        (root / place).mkdir()
        started.append(
            subprocess.Popen(
                [sys.executable, *command(root / place, str(jobs))],
                cwd=Path(__file__).parents[1],
                env={**os.environ, "PYTHONHASHSEED": seed},
                stdout=subprocess.DEVNULL,
            )
        )
    try:
        assert [process.wait(timeout=HANGS_AFTER) for process in started] == [0] * len(started)
    finally:
        for process in started:
            process.kill()
            process.wait(timeout=HANGS_AFTER)


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the output of each process."""
    root = tmp_path_factory.mktemp("places")
    table = root / "pump.csv"
    table.write_bytes(example_csv("pump"))
    runs = [":".join(run) for run in RUNS]
    run_in_places(root, lambda own, jobs: ["-c", LEARN_ALL, str(table), str(own), jobs, *runs])
    return root


@pytest.fixture(scope="module")
def other_places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what each process finds by random choices."""
    root = tmp_path_factory.mktemp("others")
    table, gaps = root / "pump.csv", root / "gaps.csv"
    table.write_bytes(example_csv("pump"))
    some = pl.read_csv(table)[:80, :6]
    lacking = np.random.default_rng(1).random(some.shape) < 0.2
    some.with_columns(
        pl.when(~pl.lit(pl.Series(lacking[:, place]))).then(pl.col(name)).alias(name)
        for place, name in enumerate(some.columns)
    ).write_csv(gaps)
    module = "tests.support.other_results"
    run_in_places(root, lambda own, jobs: ["-m", module, str(table), str(gaps), str(own), jobs])
    return root


@pytest.mark.parametrize("place", OTHERS)
def test_random_choices_are_the_same_in_any_process(other_places: Path, place: str) -> None:
    """EM in its files; some rounds of climbing, and a sampled set, to the last bit."""
    expected = results_in(other_places / "one thread")
    found = results_in(other_places / place)
    assert {"em/em.json", "em/members.parquet", "found.json"} < expected.keys()
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


@pytest.mark.parametrize("place", OTHERS)
@pytest.mark.parametrize("run", [f"{method}-{relations.count(',')}" for method, relations in RUNS])
def test_threads_and_hash_seeds_change_no_byte_of_a_folder(
    places: Path, place: str, run: str
) -> None:
    expected = results_in(places / "one thread" / run)
    found = results_in(places / place / run)
    assert len(expected) >= 10
    assert "members.parquet" in expected
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []


@pytest.mark.parametrize("place", PLACES)
def test_the_page_follows_from_its_content_in_any_process(places: Path, place: str) -> None:
    """It is made again here, under another hash seed; the times are part of the content."""
    for method in ("table", "price"):
        folder = places / place / f"{method}-2"
        made = (folder / "report.html").read_bytes()
        assert report_html(read_report(folder)).encode() == made


def said_by(learned: Learned) -> tuple[object, ...]:
    """Return everything in a result, to the last bit."""
    table, credible = learned.table, learned.credible
    assert table is not None
    return (
        table.costs.tobytes(),
        table.gaps.tobytes(),
        table.children.tobytes(),
        table.parents.tobytes(),
        [table.parameters_of(row).tobytes() for row in range(len(table))],
        learned.optimum.hex(),
        learned.lower_bound.hex(),
        learned.count,
        credible.families,
        [(member.structure, member.cost.hex()) for member in credible.best_members(50)],
    )


@pytest.mark.parametrize("method", ["table", "price"])
@pytest.mark.parametrize("relations", [NOISY, LEAKY])
def test_repeated_runs_agree_to_the_last_bit(method: str, relations: str) -> None:
    """Fourteen variables: threads share the subtrees of a child, and their fits."""
    data = records(14)

    def learn(jobs: int) -> tuple[object, ...]:
        return said_by(
            noisyor.learn(
                data, method=method, relations=relations.split(","), jobs=jobs, quiet=True
            )
        )

    expected = learn(1)
    for jobs in chosen(quick=(3,), full=(2, 3, 3, 1)):
        assert learn(jobs) == expected


@pytest.mark.parametrize("name", ["skewed", "almost independent, four", "a noisy-OR of 10^10"])
def test_costs_near_rounding_are_the_same_for_any_threads(name: str) -> None:
    """Fits that stop at their relative gap, where another starting point would show."""
    data = dataset(CASES[name].records, CASES[name].n)
    expected = score(data, 1e6, relations=LEAKY.split(","), jobs=1).table
    for jobs in chosen(quick=(3,), full=(2, 3, 2, 3)):
        found = score(data, 1e6, relations=LEAKY.split(","), jobs=jobs).table
        assert found == expected
        assert found.costs.tobytes() == expected.costs.tobytes()
        assert found.gaps.tobytes() == expected.gaps.tobytes()
