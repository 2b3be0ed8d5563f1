"""Commands that are cancelled end well, and what does not end well is seen."""

import json
import random
from pathlib import Path

import pytest

from tests.cancelling import __main__ as cancelling
from tests.cancelling import trying
from tests.cancelling.commands import JOBS, Job, write_inputs
from tests.cancelling.trying import Tries

EXAMPLES = next(job for job in JOBS if job.name == "examples")  # it needs no input

# It writes the first half of its file, and takes a signal badly.
BADLY = """
import os, sys, time
channel, *arguments = sys.argv[1:]
ends = os.path.exists("second")
open("second", "w").close()
with open("out.json", "w") as file:
    file.write("{}" if not ends else '{"a": [')
try:
    os.write(int(channel), b"!")
    time.sleep(1000 if ends else 0)
except KeyboardInterrupt:
    raise ValueError("nanobind: leaked 3 instances!")
"""

# Ctrl-C leaves it with one of two resamples, and it says so, or not.
RESAMPLING = """
import os, sys, time
channel, said = sys.argv[1:3]
ends = os.path.exists("second")
open("second", "w").close()
os.makedirs("run/bootstrap", exist_ok=True)
for name in ["best", "bootstrap/0-0", *([] if ends else ["bootstrap/0-1"])]:
    with open(f"run/{name}.json", "w") as file:
        file.write("{}")
try:
    os.write(int(channel), b"!")
    time.sleep(1000 if ends else 0)
except KeyboardInterrupt:
    sys.stderr.write(said)
"""


def test_a_cancelled_command_ends_well(tmp_path: Path) -> None:
    tries = Tries(EXAMPLES, tmp_path, random.Random(1))  # noqa: S311
    ended = [tries.cancel() for _ in range(2)]
    assert [one.wrong for one in ended] == [[], []]
    assert {one.status for one in ended} <= {0, 130, 143, -2, -15}


def test_a_command_that_takes_it_badly_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trying, "SCRIPT", BADLY)
    monkeypatch.setattr(trying, "SIGNALS", trying.SIGNALS[:1])
    tries = Tries(Job("bad", ("learn",), "out.json"), tmp_path, random.Random(1))  # noqa: S311
    status, said, whole, *others = tries.cancel().wrong
    assert status.startswith("exit status 1: ")
    assert said.startswith("said ")
    assert "nanobind: leaked 3 instances!" in said
    assert whole.startswith("out.json is not whole: ")
    assert others == []


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("incomplete: 1 of 2 bootstrap resamples were done in time", []),
        ("incomplete: 0 of 2 bootstrap resamples were done in time", ["run/bootstrap/0-1.json"]),
        ("", ["run/bootstrap/0-1.json"]),
    ],
)
def test_a_bootstrap_must_say_which_resamples_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, wrong: list[str]
) -> None:
    monkeypatch.setattr(trying, "SCRIPT", RESAMPLING)
    monkeypatch.setattr(trying, "SIGNALS", trying.SIGNALS[:1])
    tries = Tries(Job("resamples", (said,), "run"), tmp_path, random.Random(1))  # noqa: S311
    assert tries.cancel().wrong == [f"ended without {wrong}" for _ in wrong]


def test_a_stopped_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cancelling, "write_inputs", lambda _: None)
    output = tmp_path / "figures.json"
    asked = ["--only", "examples", "-o", str(output)]
    assert cancelling.main([*asked, "--times", "1"]) == 0
    first = json.loads(output.read_text())["examples"]
    assert cancelling.main([*asked, "--times", "2"]) == 0
    second = json.loads(output.read_text())["examples"]
    assert (first["tries"], second["tries"]) == (1, 2)
    assert second["each"][:1] == first["each"]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inputs")
    write_inputs(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_every_command_ends_well(inputs: Path, job: Job) -> None:
    ended = Tries(job, inputs, random.Random(3)).cancel()  # noqa: S311
    assert ended.wrong == []
