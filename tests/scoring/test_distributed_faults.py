"""Scoring on a cluster that loses workers, time or itself."""

import os
import signal
import threading
from collections.abc import Callable

import pytest

from noisyor.core import BinaryDataset, ScoreTable
from noisyor.scoring import ScoringInterrupted, ScoringStatistics, distributed, score
from noisyor.scoring.search import SearchSettings
from tests.clusters import (
    SECONDS,
    Client,
    Cluster,
    dask,
    joblib,
    local_cluster,
    wait_until_idle,
    worker_pids,
)
from tests.scoring.problems import random_dataset

# Clusters leave it to the collector to close some of their sockets.
pytestmark = [
    pytest.mark.timeout(100),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.xdist_group("scoring on a cluster, with faults"),
]


@pytest.mark.usefixtures("on_cluster")
def test_workers_that_are_killed_cost_nothing_but_time(cluster: Cluster) -> None:
    data = random_dataset(5, 16, 3000)
    here = score(data, 20, jobs=2)
    before = worker_pids(cluster)
    finished: list[int] = []

    def kill_all(table: ScoreTable, _: ScoringStatistics | None) -> None:
        # The first child is back, so others are under way, and both copies of the records go.
        if not finished:
            for pid in before:
                os.kill(pid, signal.SIGKILL)
        finished.append(int(table.children[0]))

    there = score(data, 20, keep=kill_all)
    assert there.table == here.table
    assert sorted(finished) == list(range(16))
    assert not set(before) & set(worker_pids(cluster))


def test_a_child_that_kills_every_worker_is_named_and_the_others_are_scored(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distributed, "score_child", deadly_for_child_1)
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
    data: BinaryDataset, stop: Callable[[], bool], settings: SearchSettings, child: int
) -> object:
    if child == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return distributed.score_child(data, stop, settings, child)


@pytest.mark.usefixtures("on_cluster")
def test_when_the_time_is_up_workers_stop_too(client: Client) -> None:
    data = random_dataset(3, 60, 5000)
    scored = score(data, 1000, time_limit=2.0)
    assert len(scored.children) < 60
    assert scored.table.scope.shortfalls[0].startswith("the time limit of 2 s left")
    wait_until_idle(client)


@pytest.mark.usefixtures("on_cluster")
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


def test_a_cluster_that_is_lost_leaves_what_is_finished() -> None:
    data = random_dataset(3, 40, 5000)
    with (
        local_cluster(workers=1) as own,
        dask.Client(own, set_as_default=False) as connected,
        joblib.parallel_config(backend="dask", client=connected),
    ):
        gone = threading.Timer(2.0, own.close)
        gone.start()
        scored = score(data, 1000, time_limit=SECONDS)
        gone.join(SECONDS)
    assert len(scored.children) < 40
    assert any(
        line.startswith("the loss of the cluster left") for line in scored.table.scope.shortfalls
    )
