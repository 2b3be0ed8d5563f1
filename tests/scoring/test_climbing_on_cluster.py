"""Local search on a real cluster of local processes."""

import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from noisyor.cluster import KILLED_WORKERS, LOST_CLUSTER, ClusterTasks
from noisyor.core import Knowledge
from noisyor.core.relations import RelationChoice
from noisyor.core.request import Request
from noisyor.learning import learn
from noisyor.runs.plan import MANY_VARIABLES
from noisyor.scoring import climbing_tasks
from noisyor.scoring.climbers import new_climber
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.climbing_tasks import Climbed, ClimbTask, Parents, climb_on, join_gains
from noisyor.scoring.structure_cost import score_structure
from tests.cli.test_cli import run
from tests.scoring.problems import random_dataset
from tests.scoring.test_climbing import QUICK_FITS, never, random_records, records
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

# Clusters leave it to the collector to close some of their sockets.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")

CLIMBERS = 2  # one for each worker of the tests' cluster
TURNS = 6  # of a climber in each round but the first; fewer than usual


@pytest.fixture(autouse=True)
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(climbing_tasks, "LEAST_TURNS", TURNS)


def request_of(
    variables: int = 20, relations: RelationChoice = "cpt", knowledge: Knowledge | None = None
) -> Request:
    data = random_records(150, variables, 3)
    return Request.of(data, 20.0, relations=relations, constraints=knowledge)


def climbed(request: Request, rounds: int, *, seed: int = 0) -> Climbing:
    climbing = Climbing(request, seed=seed)
    climbing.run(never, rounds=rounds)
    return climbing


@pytest.mark.usefixtures("on_cluster")
def test_the_same_seed_gives_the_same_network_and_its_cost_is_true() -> None:
    request = request_of(12, "default")
    first, again = climbed(request, 3, seed=1), climbed(request, 3, seed=1)
    assert first.work.turns == CLIMBERS * 2 * TURNS
    assert first.work == again.work
    assert first.cost == again.cost
    assert first.structure() == again.structure()
    table = first.families(within=8.0, most=40)
    assert table == again.families(within=8.0, most=40)
    known = dict(table.families())
    assert len(known) > 2 * request.data.variable_count  # those met by the workers
    own = math.fsum(known[family] for family in first.structure().families)
    scored = score_structure(request.data, first.structure())
    assert scored.total == pytest.approx(own)
    assert scored.total == pytest.approx(first.cost, abs=12 * QUICK_FITS)
    assert climbed(request, 3, seed=2).work != first.work


def test_gains_of_several_climbers_are_joined_unless_they_clash() -> None:
    rng = np.random.default_rng(1)
    pairs = np.repeat(rng.integers(0, 2, (200, 3)), 2, axis=1)  # v1 is a copy of v0, and so on
    best = new_climber(Request.of(records(pairs), 20.0, relations="cpt", jobs=1), 0)
    empty: Parents = ((),) * 6
    first: Parents = ((), (0,), (), (), (), ())
    reversed_and_more: Parents = ((1,), (), (), (2,), (), ())  # the first part would be a cycle
    costly_and_more: Parents = ((), (), (0, 4), (), (), (4,))
    join_gains(best, empty, [first, reversed_and_more, costly_and_more])
    assert best.parents == [[], [0], [], [2], [], [4]]
    cyclic: Parents = ((), (0,), (), (2,), (5,), ())  # a cycle with the parent of v5
    join_gains(best, first, [cyclic])
    assert best.parents == [[], [0], [], [2], [], [4]]


@pytest.mark.usefixtures("on_cluster")
def test_constraints_hold_there_and_a_better_network_is_adopted() -> None:
    knowledge = Knowledge(
        required=[("v3", "v1")], forbidden=[("v2", "v5"), ("v5", "v2")], roots=["v4"], max_parents=2
    )
    request = request_of(knowledge=knowledge)
    climbing = climbed(request, 2)
    structure = climbing.structure()
    edges = set(structure.edges())
    assert ("v3", "v1") in edges
    assert not edges & {("v2", "v5"), ("v5", "v2")}
    counts = [family.parents.bit_count() for family in structure.families]
    assert max(counts) == 2
    assert counts[4] == 0
    fresh = Climbing(request)
    empty = fresh.structure()
    fresh.adopt(structure)
    assert fresh.cost == pytest.approx(climbing.cost, abs=20 * QUICK_FITS)
    fresh.adopt(empty)
    assert fresh.structure() == structure


@pytest.mark.usefixtures("on_cluster")
def test_a_climb_that_is_stopped_stops_the_workers_and_goes_on_later(client: Client) -> None:
    climbing = Climbing(request_of(60))
    alone = climbing.cost
    climbing.run(lambda: climbing.cost < alone)  # in the second round
    wait_until_idle(client)
    found = climbing.cost
    assert found < alone
    assert climbing.lost is None
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        climbing.run(never)
    timer.join(SECONDS)
    wait_until_idle(client)
    before = climbing.rounds
    climbing.run(never, pause=lambda: True)
    assert climbing.rounds == before + 1
    assert climbing.lost is None
    assert climbing.cost <= found


@pytest.mark.usefixtures("on_cluster")
def test_threads_of_this_machine_climb_if_a_number_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ClusterTasks, "submit", None)
    data = random_records(50, 5, 3)
    assert climbed(Request.of(data, 20.0, jobs=1), 2).rounds == 2
    climbing = Climbing(Request.of(data, 20.0), climbers=3)  # as many anywhere: see `Anytime`
    climbing.run(never, rounds=2)
    assert climbing.rounds == 2


def test_many_columns_are_climbed_there_by_the_command(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    submit = ClusterTasks.submit

    def noted(tasks: "ClusterTasks[int, object]", key: int, *arguments: object) -> None:
        sent.extend(arguments)
        submit(tasks, key, *arguments)

    monkeypatch.setattr(ClusterTasks, "submit", noted)
    data = random_dataset(3, MANY_VARIABLES + 1, 60)
    table = tmp_path / "many.csv"
    rows = [",".join(data.names), *(",".join(map(str, row)) for row in data.codes.tolist())]
    table.write_text("\n".join(rows) + "\n")
    options = ("--json", "--quiet", "--time-limit", 1, "--relations", "cpt")
    result = run("learn", table, *options, "--cluster", cluster.scheduler_address)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["method"] == "layers"
    assert len(sent) >= CLIMBERS
    assert all(isinstance(task, ClimbTask) for task in sent)


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.slow
def test_a_worker_that_is_killed_costs_nothing_but_time(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(climbing_tasks, "LEAST_TURNS", 60)  # so that the second round takes a while
    request = request_of(40)
    calm = climbed(request, 3)
    # Only one: this cluster gives up a task at its second death, and both might hit the same one.
    one = worker_pids(cluster)[0]
    climbing = Climbing(request)
    killed: list[int] = []

    def kill_one() -> None:
        if not killed:  # after the first round: the second one runs
            time.sleep(0.2)
            os.kill(one, signal.SIGKILL)
            killed.append(one)

    climbing.run(never, rounds=3, improved=kill_one)
    assert killed
    assert climbing.lost is None
    assert one not in worker_pids(cluster)
    assert climbing.structure() == calm.structure()
    assert climbing.work == calm.work


@pytest.mark.slow
def test_a_climber_that_kills_every_worker_ends_the_climb(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(climbing_tasks, "climb_on", deadly_after_the_first_round)
    with joblib.parallel_config(backend="dask", client=client):
        climbing = Climbing(request_of())
        alone = climbing.cost
        climbing.run(never)
    assert climbing.lost == KILLED_WORKERS
    assert climbing.rounds == 2
    assert climbing.cost < alone


def deadly_after_the_first_round(
    request: Request, stop: Callable[[], bool], task: ClimbTask
) -> Climbed | None:
    if task.turns:
        os.kill(os.getpid(), signal.SIGKILL)
    return climb_on(request, stop, task)


@pytest.mark.slow
def test_a_cluster_that_is_lost_leaves_a_network_and_a_shortfall() -> None:
    data = random_dataset(3, 50, 60)
    with (
        local_cluster(workers=1) as own,
        dask.Client(own, set_as_default=False) as connected,
        joblib.parallel_config(backend="dask", client=connected),
    ):
        climbing = Climbing(Request.of(data, 20.0))
        climbing.run(never, rounds=1)
        known = climbing.cost
        own.close()
        climbing.run(never)
        assert climbing.lost == LOST_CLUSTER
        assert climbing.cost == known
        learned = learn(data, method="layers", relations="cpt", time_limit=5.0, quiet=True)
    assert f"{LOST_CLUSTER} ended the local search early" in learned.credible.shortfalls
