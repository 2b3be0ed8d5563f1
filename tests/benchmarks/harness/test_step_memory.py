"""The peak of memory of each step."""

import pytest

from benchmarks.harness import step_memory
from noisyor.search.clock import Stopwatch


def test_memory_is_of_the_step_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks = iter([10.0, 30.0, 20.0, 15.0, 25.0])
    monkeypatch.setattr(step_memory, "peak_mib", lambda: next(peaks))
    memory = step_memory.StepMemory("load")
    memory._known = True
    monkeypatch.setattr(memory, "_set_back", lambda: None)
    memory.enter("scoring")  # load: 10
    watch = Stopwatch()
    with memory.followed():
        with watch.timed("bounds"):  # scoring: 30
            pass  # bounds: 20
        with watch.timed("bounds"):  # between: 15
            pass  # bounds: 25
    assert memory.peaks == {"load": 10.0, "scoring": 30.0, "bounds": 25.0, "between": 15.0}
    assert list(watch.seconds) == ["bounds"]


@pytest.mark.skipif(not step_memory._RESET.exists(), reason="only Linux sets a peak back")
def test_a_step_that_takes_memory_has_a_peak_of_its_own() -> None:
    memory = step_memory.StepMemory("small")
    memory.enter("large")
    taken = bytearray(b"x") * (64 << 20)
    assert len(taken) == 64 << 20
    del taken
    memory.enter("small again")
    memory.note()
    assert memory.peaks["large"] > memory.peaks["small"] + 60
    assert memory.peaks["large"] > memory.peaks["small again"] + 60
