"""Members counted on a real cluster of local processes."""

import json
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from noisyor.cluster import ClusterTasks
from noisyor.core import ScoreTable
from noisyor.core.credible_set import CredibleSet
from noisyor.formats import write_scores
from noisyor.learning import learn
from noisyor.search import branch_counting, search
from noisyor.search.members import counting
from noisyor.search.members.counting import WalkToCount
from tests.cli.test_cli import run
from tests.scoring.problems import random_dataset
from tests.search.tables import random_case
from tests.support.clusters import SECONDS, Client, Cluster, joblib, wait_until_idle, worker_pids

# Clusters leave it to the collector to close some of their sockets.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

FACTOR = 300.0


@pytest.fixture(autouse=True)
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Send every count to the cluster, and record the number of subtrees."""
    numbers: list[int] = []
    submit = ClusterTasks.submit

    def noted(tasks: "ClusterTasks[int, object]", key: int, *arguments: object) -> None:
        numbers.append(key)
        submit(tasks, key, *arguments)

    monkeypatch.setattr(branch_counting, "_TURNS", ())
    monkeypatch.setattr(counting, "_SECONDS_HERE", 0.0)
    monkeypatch.setattr(ClusterTasks, "submit", noted)
    return numbers


def table() -> ScoreTable:
    """Return a table whose credible networks take about a second to count."""
    return replace(random_case(1, n=9, most_families=30), factor=FACTOR).table()


def check_same(there: CredibleSet, here: CredibleSet) -> None:
    assert there.complete
    assert (there.count, there.optimum) == (here.count, here.optimum)
    assert there.families == here.families
    assert there.costliest() == here.costliest()
    assert there.sample(20, seed=1) == here.sample(20, seed=1)
    assert there.sample(20, seed=1, weighted=True) == here.sample(20, seed=1, weighted=True)


@pytest.mark.usefixtures("on_cluster")
def test_the_set_is_the_same_as_here_to_the_last_bit(sent: list[int]) -> None:
    there = search(table(), FACTOR).credible
    assert len(sent) > 100
    assert sent == list(range(len(sent)))
    here = search(table(), FACTOR, jobs=2).credible
    assert here.count > 10**4
    check_same(there, here)


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_workers_that_are_killed_cost_nothing_but_time(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = worker_pids(cluster)
    together = counting._together
    back: list[int] = []

    def kill_all(apart: counting.Apart) -> object:
        if not back:
            for pid in before:
                os.kill(pid, signal.SIGKILL)
        back.append(1)
        return together(apart)

    monkeypatch.setattr(counting, "_together", kill_all)
    there = search(table(), FACTOR).credible
    assert not set(before) & set(worker_pids(cluster))
    monkeypatch.undo()
    check_same(there, search(table(), FACTOR, jobs=2).credible)


@pytest.mark.slow
def test_a_part_that_kills_every_worker_leaves_a_labelled_count(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "count_subtree", deadly_for_the_first)
    with joblib.parallel_config(backend="dask", client=client):
        there = search(table(), FACTOR).credible
    monkeypatch.undo()
    here = search(table(), FACTOR, jobs=2).credible
    assert not there.complete
    assert there.optimum == here.optimum
    assert 1 <= there.count < here.count
    assert any(
        line.startswith("the death of each worker that tried left")
        and line.endswith("parts of the members uncounted")
        for line in there.shortfalls
    )


def deadly_for_the_first(
    walk: WalkToCount, stop: Callable[[], bool], number: int
) -> counting.Apart:
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return counting.count_subtree(walk, stop, number)


@pytest.mark.slow
def test_a_time_limit_and_ctrl_c_stop_the_workers(client: Client) -> None:
    slow = replace(random_case(1, n=12, most_families=40), factor=1e4).table()
    with joblib.parallel_config(backend="dask", client=client):
        credible = search(slow, 1e4, time_limit=3.0).credible
        assert not credible.complete
        assert counting.TIME_IS_UP in credible.shortfalls
        wait_until_idle(client)
        timer = threading.Timer(3.0, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            search(slow, 1e4)
        timer.join(SECONDS)
        wait_until_idle(client)


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_learning_by_price_counts_there_too(sent: list[int]) -> None:
    data = random_dataset(3, 9, 60)
    there = learn(data, 1000, method="price", quiet=True).credible
    assert sent
    check_same(there, learn(data, 1000, method="price", quiet=True, jobs=2).credible)


@pytest.mark.slow
def test_the_command_takes_an_address(cluster: Cluster, tmp_path: Path, sent: list[int]) -> None:
    scores = tmp_path / "scores.parquet"
    write_scores(table(), scores)
    result = run("search", scores, "--json", "--cluster", cluster.scheduler_address)
    assert result.exit_code == 0, result.stderr
    assert sent
    sent.clear()
    here = run("search", scores, "--json")
    assert not sent
    there, these = (json.loads(one.stdout) for one in (result, here))
    assert there.pop("seconds")
    assert these.pop("seconds")
    assert there == these
