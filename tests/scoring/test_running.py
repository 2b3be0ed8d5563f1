"""Limits and interruptions."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

import noisyor
from noisyor._kernels import available_builds, kernels, load_build
from noisyor.core import CPT, NOISY_OR, Dataset, ScoreTable, SettingsError
from noisyor.core.request import Request
from noisyor.core.threads import wait_for
from noisyor.scoring import ScoringInterrupted, score, scores_in
from noisyor.scoring.board import Board, board_for, run, unfinished
from noisyor.scoring.child_search import ChildSearch, settings_for
from tests.scoring.problems import random_dataset, same_bits
from tests.support.effort import HANGS_AFTER

if TYPE_CHECKING:
    from noisyor.core.progress import Progress

BOTH = (CPT, NOISY_OR)


def hard_dataset() -> Dataset:
    """Return data whose scoring takes far longer than any test waits."""
    rng = np.random.default_rng(1)
    columns = rng.random((60, 400)) < 0.8
    rows, weights = kernels.count_records(list(columns.astype(np.uint8)), 1)
    return Dataset.from_bits(tuple(f"v{i}" for i in range(60)), rows, weights)


def test_a_time_limit_is_kept_and_labelled() -> None:
    scored = score(hard_dataset(), 1000, time_limit=0.5)
    assert scored.seconds < HANGS_AFTER
    assert not scored.table.scope.complete
    (shortfall,) = scored.table.scope.shortfalls
    assert "the time limit left" in shortfall
    assert f"{60 - len(scored.children)} of 60 children unscored" in shortfall


def test_when_the_time_is_up_already_no_search_is_made() -> None:
    """With 200 variables, one child alone takes a second, and more for each thread."""

    def make() -> ChildSearch:
        raise AssertionError("a search was made")

    board = Board({0: make, 1: make})
    run(board, 2, lambda: True, 0.01)
    assert board.done == {}


def test_a_long_list_of_children_is_cut() -> None:
    (line,) = unfinished([f"v{i}" for i in range(250)], [0], "the end")
    assert line == (
        "the end left 249 of 250 children unscored: v1, v2, v3, v4, v5, v6, v7, v8, v9, v10 and "
        "239 more"
    )


@contextmanager
def ctrl_c_after(seconds: float) -> Iterator[None]:
    """Send this process the signal of Ctrl-C."""
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    timer = threading.Timer(seconds, signal.pthread_kill, (main_thread, signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def test_ctrl_c_ends_the_work_and_keeps_what_is_finished() -> None:
    with ctrl_c_after(0.5), pytest.raises(ScoringInterrupted) as caught:
        score(hard_dataset(), 1000)
    (shortfall,) = caught.value.scored.table.scope.shortfalls
    assert shortfall.startswith("an interruption left")


def test_a_second_ctrl_c_does_not_lose_what_the_first_one_keeps() -> None:
    ended = []

    def end_slowly() -> None:
        time.sleep(0.6)
        ended.append(True)

    thread = threading.Thread(target=end_slowly, daemon=True)
    thread.start()
    with ctrl_c_after(0.1), pytest.raises(KeyboardInterrupt):
        thread.join()  # which, before Python 3.13, now takes the thread for ended
    with ctrl_c_after(0.1):
        wait_for([thread])
    assert ended


def test_resuming_from_finished_children_gives_the_same_table() -> None:
    data = random_dataset(4, variables=9, records=150)
    whole = score(data, 20)
    first_half = {child: whole.children[child] for child in range(5)}
    resumed = score(data, 20, finished=first_half)
    assert same_bits(whole.table, resumed.table)
    from_table = score(data, 20, finished=scores_in(whole.table))
    assert same_bits(whole.table, from_table.table)
    assert from_table.statistics.considered == 0  # nothing was scored again


def test_progress_is_reported_and_ends_at_all_children() -> None:
    seen: list[Progress] = []
    score(random_dataset(4, variables=12, records=400), 150, progress=seen.append)
    assert {now.step for now in seen} == {"scoring"}
    assert seen[-1].detail == "12 of 12 children"
    assert seen[-1].share == 1
    decided = [now.decided for now in seen if now.decided is not None]
    assert len(decided) == len(seen)
    assert decided == sorted(decided)


@pytest.mark.parametrize("seed", range(3))
def test_every_build_of_the_kernels_gives_the_same_bits(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_dataset(seed, variables=10, records=100 if seed else 3000)
    tables = []
    for build in available_builds():
        monkeypatch.setattr("noisyor.scoring.child_search.kernels", load_build(build))
        monkeypatch.setattr("noisyor.scoring.board.kernels", load_build(build))
        tables.append(score(data, 20).table)
    assert all(same_bits(tables[0], table) for table in tables)


def test_a_child_that_is_being_kept_is_not_lost_from_the_progress() -> None:
    data = random_dataset(4, variables=5, records=100)
    seen: list[tuple[int, float, int]] = []
    settings = settings_for(Request.of(data, 20))
    board = board_for(settings, [3], lambda _: seen.append(board.progress()))
    assert board.progress() == (0, 0, 0)
    run(board, 1, lambda: False, every=0.01)
    done, partly, decided = board.progress()
    assert (done, partly) == (1, 0)
    assert decided > 0
    assert seen == [(0, 1, decided)]


def test_the_threads_that_finish_children_keep_them() -> None:
    """One thread that kept what all others finish would lag behind, and the time limit with it."""
    main, by = threading.get_ident(), []

    def keep(table: ScoreTable, statistics: object) -> None:
        assert statistics is not None
        by.append((int(table.children[0]), threading.get_ident()))

    scored = score(noisyor.load_example("pump"), 20, keep=keep, jobs=2)
    assert sorted(child for child, _ in by) == sorted(scored.children) == list(range(10))
    assert main not in {thread for _, thread in by}


def test_a_child_that_cannot_be_kept_ends_the_scoring() -> None:
    def keep(table: ScoreTable, statistics: object) -> None:
        del statistics
        if table.children[0] == 3:
            raise SettingsError("the disk is full")

    with pytest.raises(SettingsError, match="the disk is full"):
        score(noisyor.load_example("pump"), 20, keep=keep, jobs=2)
