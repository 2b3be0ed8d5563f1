"""The race of many variables: its cells, its clock, and who is ahead."""

import itertools
import os
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.measuring import Results
from benchmarks.race.large import cells, contest, own, page, running, statistics
from benchmarks.race.large.figures import figures
from benchmarks.race.timing import warm_table
from noisyor.data import read

CELL = next(one for one in cells.all_cells() if one.key == "cpt-100-0/5000")
SMALL = next(one for one in cells.all_cells() if one.key == "cpt-50-0/500")


def network(by: float, cost: float) -> Results:
    return {"by": by, "cost": cost, "arcs": 3, "cpdag_shd": 2, "skeleton_f1": 0.5}


def ran(*networks: Results, **more: object) -> Results:
    usual = {"seconds": 60.0, "peak_mib": 90.0, "before_mib": 80.0, "versions": {"numpy": "2"}}
    return {"variables": 100, "networks": list(networks), **usual, **more}


def own_run(*costs: float) -> Results:
    marks = zip(contest.MARKS, costs, strict=False)
    return ran(*(network(mark, cost) for mark, cost in marks), first=0.5, read=0.1)


def results_of(cell: cells.Cell, **programs: Results) -> dict[str, Results]:
    names = {"own": running.OWN, "tabu": "pyAgrum tabu", "greedy": "pyAgrum hill climbing"}
    others = dict.fromkeys(running.contestants_of(cell), STOPPED)
    given = others | {names[name]: one for name, one in programs.items()}
    return {running.key_of(cell, name): one for name, one in given.items()}


STOPPED: Results = {"variables": 100, "nothing_because": "it took more", "limit": 60.0}


class TestCells:
    def test_names_are_unique_and_quick_ones_are_among_them(self) -> None:
        keys = [cell.key for cell in cells.all_cells()]
        assert len(set(keys)) == len(keys) == len(cells.by_key())
        assert {cell.key for cell in cells.quick_cells()} < set(keys)

    def test_records_are_the_same_again_and_every_column_varies(self) -> None:
        table, truth = cells.sampled(SMALL)
        again, _ = cells.sampled(SMALL)
        assert table.shape == (500, 50)
        assert (table == again).all()
        assert (np.ptp(table, axis=0) > 0).all()
        assert len(set(truth.edges())) == round(1.35 * 50)

    def test_the_truth_explains_the_records_better_than_no_arcs(self) -> None:
        table, truth = cells.sampled(SMALL)
        data = read(table, names=list(truth.names), bins="none")
        nothing = {"networks": [{"by": 1.0, "arcs": []}]}
        place = {name: number for number, name in enumerate(truth.names)}
        arcs = [[place[one], place[other]] for one, other in truth.edges()]
        everything = {"networks": [{"by": 1.0, "arcs": arcs}]}
        empty, true = (
            running.judged(one, running.OWN, data, truth)["networks"][0]
            for one in (nothing, everything)
        )
        assert true["cost"] < empty["cost"]
        assert (true["cpdag_shd"], true["skeleton_f1"]) == (0, 1.0)
        assert (empty["cpdag_shd"], empty["skeleton_f1"]) == (len(arcs), 0.0)


class TestOwn:
    def test_a_network_is_told_at_each_mark(self) -> None:
        seconds = itertools.count()
        call = own.climbing(["cpt"])(warm_table(), 60.0)
        told = call(lambda: next(seconds))
        assert [one["by"] for one in told["networks"]] == list(contest.MARKS)[
            : len(told["networks"])
        ]
        assert told["idle"] or len(told["networks"]) == len(contest.MARKS)

    def test_it_is_idle_only_after_long_without_progress(self) -> None:
        now = 3.0
        progress = own.Progress(lambda: now)
        progress.improved()
        assert (progress.first, progress.last) == (3.0, 3.0)
        now = 9.0
        assert not progress.is_idle()
        now = 10.0
        assert progress.is_idle()
        progress.improved()
        assert progress.first == 3.0
        now = 19.0
        assert not progress.is_over(60.0)
        now = 20.0
        assert progress.is_over(60.0)

    def test_a_process_reports_its_networks(self, tmp_path: Path) -> None:
        table = tmp_path / "table.npy"
        np.save(table, warm_table())
        python = Path(sys.executable)
        told = running.run_program(running.OWN, table, python, _core(), limit=contest.MARKS[0])
        assert [one["by"] for one in told["networks"]] == [contest.MARKS[0]]
        assert told["seconds"] >= contest.MARKS[0]

    def test_a_process_that_fails_says_why(self, tmp_path: Path) -> None:
        table, python = tmp_path / "none.npy", Path(sys.executable)
        told = running.run_program(running.OWN, table, python, _core(), limit=contest.MARKS[0])
        assert "none.npy" in told["nothing_because"]


def _core() -> int:
    return min(os.sched_getaffinity(0))


class TestStatistics:
    def test_the_last_network_stands_for_later_marks(self) -> None:
        one = own_run(10.0, 9.0)
        assert [statistics.cost_at(one, mark) for mark in contest.MARKS] == [10.0, 9.0, 9.0]
        assert statistics.cost_at(STOPPED, 60.0) is None

    def test_a_peer_counts_from_its_end_on(self) -> None:
        results = results_of(
            CELL, own=own_run(100.0, 99.0, 98.0), tabu=ran(network(5.0, 99.0)), greedy=STOPPED
        )
        (found,) = statistics.contests(results)
        assert found.lead_at(1.0) is None
        assert found.lead_at(10.0) == 0
        assert found.lead_at(60.0) == pytest.approx(1 / 99)
        assert found.best_cost == 98.0
        early, middle, late = (statistics.standing([found], mark) for mark in contest.MARKS)
        assert (early.cells, early.alone) == (0, 1)
        assert (middle.better, middle.tied, middle.lost) == (0, 1, ())
        assert (late.better, late.worst_cell) == (1, CELL.key)

    def test_a_cell_counts_when_all_contestants_have_run(self) -> None:
        results = results_of(CELL, own=own_run(1.0))
        assert len(statistics.contests(results)) == 1
        del results[running.key_of(CELL, running.CAUSES)]
        assert len(statistics.contests(results)) == 1
        del results[running.key_of(CELL, "pyAgrum tabu")]
        assert statistics.contests(results) == []

    def test_an_own_failure_is_no_result(self) -> None:
        with pytest.raises(ValueError, match="cpt-100-0/5000: it took more"):
            statistics.contests(results_of(CELL))

    def test_a_worse_network_is_named(self) -> None:
        results = results_of(CELL, own=own_run(100.0), tabu=ran(network(0.5, 99.0)))
        found = statistics.standing(statistics.contests(results), 60.0)
        assert found.lost == (CELL.key,)
        assert found.worst == pytest.approx(-1 / 99)


class TestPage:
    def test_it_says_whether_the_goals_are_reached(self, tmp_path: Path) -> None:
        results = results_of(
            CELL, own=own_run(100.0, 99.0, 98.0), tabu=ran(network(5.0, 99.0)), greedy=STOPPED
        )
        text = page.section(results)
        assert "0.4 s" in text or "400 ms" in text
        assert text.count("is reached") == 3
        assert "| > 60 s | - |" in text
        assert all(path.exists() for path in figures(results, tmp_path))

    def test_a_loss_misses_the_goal(self) -> None:
        results = results_of(CELL, own=own_run(100.0), tabu=ran(network(0.5, 99.0)))
        lines = page.verdicts(statistics.contests(results))
        assert sum("not reached" in line for line in lines) == 2
        assert all(f"Behind in {CELL.key}" in line for line in lines[1:4])

    def test_no_results_make_a_page(self) -> None:
        assert "0 of" in page.section({})
