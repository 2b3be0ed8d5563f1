"""A cluster of several machines, with a slow and lossy network, which fail one after the other.

Scheduler, workers and client each have a network of their own (see `tests/support/machines.py`).
Whatever happens, the score table is the one that a single machine makes, byte for byte, or the
command ends, says what it lacks, and goes on later from what is done.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from noisyor.formats import write_scores
from noisyor.scoring import score
from tests.runs.test_checkpoint import frame_of
from tests.scoring.problems import random_dataset
from tests.support import machines
from tests.support.machines import Machine, Switch

LACKING = machines.lacking()
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(LACKING is not None, reason=str(LACKING)),
]

SECONDS = 240.0
"""After which something waits for ever."""

PORT = 8786
# A worker that says nothing counts as lost soon, instead of after minutes.
HASTE = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "5 seconds",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "12 seconds",
    "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5 seconds",
}
# Parts return after a tenth of a second, so that there are many.
BRIEF_PARTS = (
    "import sys; "
    "from noisyor.scoring import cluster_tasks; "
    "cluster_tasks.PART_SECONDS = 0.1; cluster_tasks._LEAST_SEARCH = 0; "
    "from noisyor_command import main; sys.exit(main())"
)
DATA = random_dataset(3, 22, 600)  # most of its children take half a second


@dataclass
class Site:
    """Four machines: one for the user, one for the scheduler, and two for workers."""

    switch: Switch
    folder: Path
    scheduler: subprocess.Popen[bytes] = field(init=False)
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def user(self) -> Machine:
        return self.switch.machines[0]

    @property
    def address(self) -> str:
        return f"tcp://{self.switch.machines[1].address}:{PORT}"

    @property
    def output(self) -> Path:
        return self.folder / "scores.parquet"

    def start_scheduler(self) -> None:
        machine = self.switch.machines[1]
        where = ["--host", machine.address, "--port", str(PORT), "--no-dashboard"]
        self.scheduler = self._start_dask(machine, "scheduler", where)

    def start_worker(self, number: int) -> None:
        machine = self.switch.machines[2 + number]
        how = ["--host", machine.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        how += ["--local-directory", str(self.folder / f"worker-{number}"), "--memory-limit", "0"]
        self.workers.append(self._start_dask(machine, "worker", [self.address, *how]))

    def _start_dask(self, machine: Machine, what: str, how: list[str]) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *how]
        return machine.start(command, self.folder / f"{what}.log", HASTE)

    def start_scoring(self) -> subprocess.Popen[bytes]:
        """Start the command whose result all tests look at."""
        table = self.folder / "records.parquet"
        options = ["--bayes-factor", "1000", "--quiet", "--cluster", self.address]
        command = ["score", str(table), "-o", str(self.output), *options]
        return self.user.start(
            [sys.executable, "-c", BRIEF_PARTS, *command], self.folder / "user.log", HASTE
        )

    def said(self) -> str:
        return (self.folder / "user.log").read_text(encoding="utf-8")

    def kept(self, pattern: str) -> list[Path]:
        return sorted(self.folder.glob(f"scores.parquet.partial/checkpoint/{pattern}"))

    def has_kept(self, pattern: str) -> Callable[[], bool]:
        return lambda: bool(self.kept(pattern))


def wait_for(happened: Callable[[], bool], running: subprocess.Popen[bytes]) -> None:
    """Wait for something to happen while a process runs."""
    until = time.monotonic() + SECONDS
    while not happened():
        assert running.poll() is None, "it ended too soon"
        assert time.monotonic() < until, "it waits for ever"
        time.sleep(0.01)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    frame_of(DATA).write_parquet(tmp_path / "records.parquet")
    with machines.machines(4) as switch:
        made = Site(switch, tmp_path)
        made.start_scheduler()
        made.start_worker(0)
        made.start_worker(1)
        yield made


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the table that this machine makes alone."""
    path = tmp_path_factory.mktemp("alone") / "scores.parquet"
    write_scores(score(DATA, 1000, jobs=2).table, path)
    return path.read_bytes()


def check_result(site: Site, scoring: subprocess.Popen[bytes], expected: bytes) -> None:
    assert scoring.wait(SECONDS) == 0, site.said()
    assert site.output.read_bytes() == expected
    assert not site.kept("*")


def test_a_slow_network_that_loses_frames_costs_nothing_but_time(
    site: Site, expected: bytes
) -> None:
    site.switch.delay = 0.01
    site.switch.loss = 0.02
    check_result(site, site.start_scoring(), expected)
    assert site.switch.lost > 10
    assert site.switch.carried > 500


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_worker_that_fails_is_replaced_by_the_other(
    site: Site, expected: bytes, sent: signal.Signals
) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    site.workers[0].send_signal(sent)
    check_result(site, scoring, expected)


def test_a_worker_that_nobody_can_reach_is_replaced_by_the_other(
    site: Site, expected: bytes
) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    site.switch.cut.add(site.switch.machines[2].address)
    check_result(site, scoring, expected)


def test_a_worker_that_wakes_up_again_does_no_harm(site: Site, expected: bytes) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    os.kill(site.workers[0].pid, signal.SIGSTOP)
    done = len(site.kept("child-*.parquet"))
    wait_for(lambda: len(site.kept("child-*.parquet")) > done, scoring)
    os.kill(site.workers[0].pid, signal.SIGCONT)
    check_result(site, scoring, expected)


def test_all_workers_are_lost_and_others_come(site: Site, expected: bytes) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    for worker in site.workers:
        worker.kill()
    time.sleep(1.0)
    site.start_worker(1)
    check_result(site, scoring, expected)


@pytest.mark.parametrize("cut", [False, True], ids=["killed", "out of reach"])
def test_a_scheduler_that_is_lost_ends_the_run_and_a_new_one_goes_on(
    site: Site, expected: bytes, cut: bool
) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    if cut:
        site.switch.cut.add(site.switch.machines[1].address)
    else:
        site.scheduler.kill()
    assert scoring.wait(SECONDS) == 1
    assert "the loss of the cluster left" in site.said()
    assert site.kept("*")
    assert not site.output.exists()
    site.scheduler.kill()
    for worker in site.workers:
        worker.kill()
    site.switch.cut.clear()
    site.start_scheduler()
    site.start_worker(0)
    check_result(site, site.start_scoring(), expected)


def test_a_client_that_is_killed_goes_on_from_parts_of_children(
    site: Site, expected: bytes
) -> None:
    scoring = site.start_scoring()
    wait_for(site.has_kept("begun-*.json"), scoring)
    scoring.kill()
    scoring.wait(SECONDS)
    assert site.kept("begun-*.json")
    check_result(site, site.start_scoring(), expected)
    assert "and a cluster has begun" in site.said()
