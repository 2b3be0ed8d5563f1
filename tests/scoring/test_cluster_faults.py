"""Scoring on a cluster with lost workers, time limits, or a lost scheduler."""

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from noisyor.core import ScoreTable
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Limits, Request
from noisyor.runs.checkpoint import Checkpoint
from noisyor.scoring import (
    ScoringInterrupted,
    ScoringStatistics,
    cluster_tasks,
    score,
    score_request,
)
from noisyor.scoring.child_search import SearchSettings
from noisyor.scoring.cluster_tasks import ChildTasks, PartResult, PartTask, Tasks, search_part
from noisyor.scoring.statistics import combine
from tests.scoring.problems import random_dataset
from tests.support.clusters import (
    SECONDS,
    Client,
    Cluster,
    dask,
    joblib,
    local_cluster,
    wait_until_idle,
    worker_pids,
)
from tests.support.effort import chosen

if TYPE_CHECKING:
    from noisyor.scoring.set_ranges import SetRange

# Clusters leave it to the collector to close some of their sockets.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_workers_that_are_killed_cost_nothing_but_time(cluster: Cluster) -> None:
    data = random_dataset(5, 16, 3000)
    here = score(data, 20, jobs=2)
    before = worker_pids(cluster)
    finished: list[int] = []

    def kill_all(table: ScoreTable, _: ScoringStatistics | None) -> None:
        # The first child has returned, so others are running. Both copies of the records are lost.
        if not finished:
            for pid in before:
                os.kill(pid, signal.SIGKILL)
        finished.append(int(table.children[0]))

    there = score(data, 20, keep=kill_all)
    assert there.table == here.table
    assert sorted(finished) == list(range(16))
    assert not set(before) & set(worker_pids(cluster))


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_a_hard_child_is_searched_in_parts_whatever_becomes_of_a_worker(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = random_dataset(3, 24, 600)  # its child 6 takes about a second
    relations = ("cpt", "noisy-or", "leaky-noisy-or")
    here = score(data, 1000, relations=relations, children=[6], jobs=1)
    killed = worker_pids(cluster)[0]
    rests: list[SetRange] = []

    def go_on(self: ChildTasks, tasks: Tasks, child: int, back: PartResult) -> None:
        rests.append(back.rest)
        as_ever(self, tasks, child, back)
        if len(rests) == 3:  # parts are running
            os.kill(killed, signal.SIGKILL)

    as_ever = ChildTasks._go_on
    monkeypatch.setattr(ChildTasks, "_go_on", go_on)
    monkeypatch.setattr(cluster_tasks, "PART_SECONDS", 0.01)
    there = score(data, 1000, relations=relations, children=[6])
    assert there.table == here.table
    assert len({rest.end for rest in rests}) > 1  # it was cut, not only stopped
    assert killed not in worker_pids(cluster)


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.parametrize("parts", [1, 3])
def test_a_child_that_was_begun_goes_on_where_it_ended(
    parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request.of(random_dataset(3, 24, 600), 1000)
    here = score_request(replace(request, limits=Limits(jobs=1)), children=[6])
    monkeypatch.setattr(cluster_tasks, "PART_SECONDS", 0.01)
    monkeypatch.setattr(cluster_tasks, "_LEAST_SEARCH", 0)
    as_ever = ChildTasks._go_on
    back: list[PartResult] = []

    def ended_after_some(self: ChildTasks, tasks: Tasks, child: int, result: PartResult) -> None:
        as_ever(self, tasks, child, result)
        back.append(result)
        if len(back) == parts:
            raise KeyboardInterrupt

    monkeypatch.setattr(ChildTasks, "_go_on", ended_after_some)
    with pytest.raises(ScoringInterrupted):
        score_request(request, children=[6], begun=Checkpoint(tmp_path))
    (begun,) = Checkpoint(tmp_path).open_children().values()
    assert begun.statistics == combine(one.statistics for one in back)
    assert begun.order == back[0].order
    visited = (1 << 23) - sum(one.end - one.first for one in begun.ranges)
    assert 0 < visited < 1 << 23

    monkeypatch.setattr(ChildTasks, "_go_on", as_ever)
    checkpoint = Checkpoint(tmp_path)
    there = score_request(request, children=[6], begun=checkpoint, keep=checkpoint.keep_child)
    assert there.table == here.table
    assert Checkpoint(tmp_path).open_children() == {}
    assert sorted(Checkpoint(tmp_path).finished()) == [6]


@pytest.mark.slow
def test_a_child_that_kills_every_worker_is_named_and_the_others_are_scored(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_tasks, "search_part", deadly_for_child_1)
    data = random_dataset(2, 4, 100)
    with joblib.parallel_config(backend="dask", client=client):
        scored = score(data)
    assert 1 not in scored.children
    reason = "the death of each worker that tried left"
    assert any(
        line.startswith(reason) and "v1" in line.split(": ")[1].split(", ")
        for line in scored.table.scope.shortfalls
    )
    assert score(data, finished=scored.children).table == score(data, jobs=1).table


def deadly_for_child_1(
    settings: SearchSettings,
    stop: Callable[[], bool],
    part: PartTask,
    found: FamilyColumns | None,
) -> object:
    if part.child == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return search_part(settings, stop, part, found)


@pytest.mark.usefixtures("on_cluster")
def test_when_the_time_is_up_workers_stop_too(client: Client) -> None:
    data = random_dataset(3, 60, 5000)
    limit = chosen(quick=0.5, full=2.0)
    scored = score(data, 1000, time_limit=limit)
    assert len(scored.children) < 60
    assert scored.table.scope.shortfalls[0].startswith("the time limit left")
    wait_until_idle(client)


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_stops_the_workers(client: Client) -> None:
    data = random_dataset(3, 60, 5000)
    timer = threading.Timer(2.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(ScoringInterrupted) as interruption:
        score(data, 1000)
    timer.join(SECONDS)
    scored = interruption.value.scored
    assert len(scored.children) < 60
    assert scored.table.scope.shortfalls[0].startswith("an interruption left")
    wait_until_idle(client)


@pytest.mark.slow
def test_a_cluster_that_is_lost_leaves_what_is_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random_dataset(3, 40, 5000)

    def go_on(self: ChildTasks, tasks: Tasks, child: int, back: PartResult) -> None:
        own.close()
        as_ever(self, tasks, child, back)

    as_ever = ChildTasks._go_on
    monkeypatch.setattr(ChildTasks, "_go_on", go_on)
    monkeypatch.setattr(cluster_tasks, "PART_SECONDS", 0.01)
    with (
        local_cluster(workers=1) as own,
        dask.Client(own, set_as_default=False) as connected,
        joblib.parallel_config(backend="dask", client=connected),
    ):
        scored = score(data, 1000, time_limit=SECONDS)
    assert len(scored.children) < 40
    assert any(
        line.startswith("the loss of the cluster left") for line in scored.table.scope.shortfalls
    )
