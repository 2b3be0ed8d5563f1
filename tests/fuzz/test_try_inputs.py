"""The program that tries inputs finds what it should find."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import try_inputs
from tests.fuzz.corpus import inputs_for


def started(source: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", source],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("input(); print('refused')", "refused"),
        ("import os; input(); os.kill(os.getpid(), 11)", "died with -11"),
        ("import sys; input(); sys.exit(3)", "died with 3"),
    ],
)
def test_an_answer_or_a_death_is_seen(source: str, said: str) -> None:
    with started(source) as child:
        assert try_inputs._answer(child, "x\n", 30) == said


def test_an_input_without_end_is_seen() -> None:
    with started("import time; input(); time.sleep(60)") as child:
        assert try_inputs._answer(child, "x\n", 0.2) == "too slow"
        child.kill()


def test_a_reader_is_tried_with_its_whole_corpus(tmp_path: Path) -> None:
    counts = try_inputs._try_reader("mapping", 0, 1, tmp_path)
    assert counts.total() == len(inputs_for("mapping")) > 5
    assert set(counts) == {"read", "refused"}
    assert list(tmp_path.iterdir()) == []
