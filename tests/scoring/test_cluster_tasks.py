"""Scoring on a real cluster of local processes."""

import sys
from pathlib import Path

import numpy as np
import pytest

from noisyor import cluster as clusters
from noisyor.cluster import chosen_cluster, cluster_at
from noisyor.core import MismatchError, SettingsError
from noisyor.data.examples import example_csv, load_example
from noisyor.formats import read_scores, write_scores
from noisyor.learning import learn
from noisyor.scoring import score
from tests.cli.test_cli import refused, run
from tests.scoring.problems import random_dataset
from tests.support.clusters import Client, Cluster, joblib

# Clusters leave it to the collector to close some of their sockets.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.mark.usefixtures("on_cluster")
def test_the_table_is_the_same_as_here_to_the_last_byte(tmp_path: Path) -> None:
    data = load_example("clinic")
    there = score(data, 20, relations=("cpt", "noisy-or", "leaky-noisy-or"))
    here = score(data, 20, relations=("cpt", "noisy-or", "leaky-noisy-or"), jobs=1)
    assert there.table == here.table
    assert there.statistics == here.statistics
    for scored, name in ((there, "there"), (here, "here")):
        write_scores(scored.table, tmp_path / f"{name}.parquet")
    assert (tmp_path / "there.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()


@pytest.mark.usefixtures("on_cluster")
def test_what_is_finished_is_not_sent_and_each_child_is_handed_on_once() -> None:
    data = random_dataset(2, 6, 200)
    whole = score(data, jobs=1)
    kept: list[int] = []
    seen: list[float | None] = []
    scored = score(
        data,
        children=[0, 2, 5],
        finished={2: whole.children[2]},
        keep=lambda table, _: kept.append(int(table.children[0])),
        progress=lambda now: seen.append(now.share),
    )
    assert sorted(kept) == [0, 5]
    assert seen[-1] == 1.0
    assert sorted(scored.children) == [0, 2, 5]
    rows = np.flatnonzero(np.isin(whole.table.children, [0, 2, 5]))
    assert np.array_equal(scored.table.costs, whole.table.costs[rows])
    assert scored.table.scope.shortfalls == (
        "the choice of children left 3 of 6 children unscored: v1, v3, v4",
    )


def test_the_search_of_learn_gets_the_table_of_the_cluster(cluster: Cluster) -> None:
    data = load_example("clinic")
    with cluster_at(cluster.scheduler_address):
        there = learn(data, 20, quiet=True)
    here = learn(data, 20, quiet=True)
    assert there.table == here.table
    assert there.count == here.count


def test_the_commands_take_an_address(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_bytes(example_csv("clinic"))
    table = tmp_path / "clinic.csv"
    address = cluster.scheduler_address
    result = run("score", table, "-o", tmp_path / "there.parquet", "--cluster", address)
    assert result.exit_code == 0, result.stderr
    here = score(load_example("clinic"), 20).table
    assert read_scores(tmp_path / "there.parquet") == here
    result = run("learn", table, "-o", tmp_path / "run", "--cluster", address, "--quiet")
    assert result.exit_code == 0, result.stderr
    assert read_scores(tmp_path / "run" / "scores.parquet") == here


def test_without_a_cluster_of_joblib_the_threads_here_score() -> None:
    assert chosen_cluster() is None
    with joblib.parallel_config(backend="threading"):
        assert chosen_cluster() is None


def test_an_address_where_nobody_listens_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_CONNECT_SECONDS", 1.0)
    (tmp_path / "clinic.csv").write_bytes(example_csv("clinic"))
    for address in ("tcp://127.0.0.1:1", "nonsense://x:1", "foo", "", "tcp://", "tcp://h"):
        command = ("score", tmp_path / "clinic.csv", "-o", tmp_path / "scores.jkl")
        refused(run(*command, "--cluster", address), f"no Dask scheduler at '{address}'")


def test_options_that_contradict_a_cluster_are_refused(tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_bytes(example_csv("clinic"))
    table, address = tmp_path / "clinic.csv", "tcp://127.0.0.1:1"
    output = tmp_path / "scores.jkl"
    refused(
        run("score", table, "-o", output, "--cluster", address, "--jobs", 2),
        "give only one of them",
    )


def test_workers_of_another_version_are_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "VERSION", "0.0.0")
    with (
        joblib.parallel_config(backend="dask", client=client),
        pytest.raises(MismatchError, match=r"this process 0\.0\.0; the versions must be the same"),
    ):
        score(random_dataset(2, 3, 50))


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(SettingsError, match=r"pip install noisyor\[cluster\]"),
        cluster_at("tcp://127.0.0.1:1"),
    ):
        pass
