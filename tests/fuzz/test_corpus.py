"""Every reader reads or refuses the whole corpus, and deterministic changes of it."""

import random
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from noisyor.core.warning import ConversionWarning
from noisyor.data.warning import DataWarning
from tests.fuzz.corpus import AS_WRITTEN, FOLDER, inputs_for
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import READERS, Reader, outcome

SECONDS_AN_INPUT = 300
CHANGES = 12
"""Tried on every reader; `make fuzz` tries as many as there is time for."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TimeoutError if a block takes longer; pytest's timeout would end all tests."""

    def too_slow(_: int, __: FrameType | None) -> None:
        raise TimeoutError(f"an input takes more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, too_slow)
    running = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *running)
        signal.signal(signal.SIGALRM, before)


def tried(name: str, content: bytes) -> str:
    with limited(SECONDS_AN_INPUT), warnings.catch_warnings():
        for allowed in (DataWarning, ConversionWarning):
            warnings.simplefilter("ignore", allowed)
        return outcome(READERS[name], content)


def test_every_reader_has_a_corpus_and_no_corpus_lacks_its_reader() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(READERS)


@pytest.mark.parametrize("name", READERS)
def test_what_noisyor_writes_is_read(name: str) -> None:
    assert tried(name, inputs_for(name)[AS_WRITTEN]) == "read"


@pytest.mark.parametrize("name", READERS)
def test_every_input_that_is_kept_is_read_or_refused(name: str) -> None:
    outcomes = {title: tried(name, content) for title, content in inputs_for(name).items()}
    assert set(outcomes.values()) <= {"read", "refused"}
    assert len(outcomes) > 1


@pytest.mark.parametrize("name", READERS)
def test_changed_inputs_are_read_or_refused(name: str) -> None:
    numbers = random.Random(name)  # noqa: S311  (to be repeated)
    seeds = list(inputs_for(name).values())
    outcomes = [tried(name, mutated(seeds, numbers)) for _ in range(CHANGES)]
    assert set(outcomes) <= {"read", "refused"}
    assert "refused" in outcomes


def test_an_error_that_is_not_ours_is_not_taken_for_a_refusal() -> None:
    def fails(path: Path) -> object:
        raise KeyError(path.name)

    with pytest.raises(KeyError, match=r"x\.csv"):
        outcome(Reader("failing", "x.csv", fails), b"")
