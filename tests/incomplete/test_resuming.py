"""Structural EM in a folder: killed at any step, it resumes with the same result."""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from noisyor import DataWarning, Em, FormatError, MismatchError, learn, load
from noisyor.core.progress import Progress
from noisyor.runs.folder import used_alone
from tests.incomplete.tables import chain, with_gaps

OPTIONS = Em(completions=5, starts=2, seed=3)
DATA = with_gaps(chain(4), 80, 0.3)


def _slow(step: int) -> object:
    return pytest.param(step, marks=pytest.mark.slow)


class KilledError(Exception):
    """Stands for the end of the process."""


def killed_at(step: int) -> object:
    """Return a progress function that ends the run as it begins its step of this number."""
    seen = 0

    def show(now: Progress) -> None:
        nonlocal seen
        if now.step == "EM":
            seen += 1
            if seen == step:
                raise KilledError

    return show


def same(folder: Path, other: Path) -> None:
    """Check that two folders hold the same result."""
    for name in ("best.json", "credible.json", "arcs.csv"):
        assert (folder / name).read_text() == (other / name).read_text()
    steps = [
        [[step["observed_cost"] for step in start["steps"]] for start in said["starts"]]
        for said in (json.loads((one / "em.json").read_text()) for one in (folder, other))
    ]
    assert steps[0] == steps[1]


@pytest.mark.parametrize("step", [_slow(1), 2, _slow(4)])
def test_a_killed_run_resumes_with_the_same_result(step: int, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    learn(DATA, missing="em", em=OPTIONS, folder=whole, quiet=True)
    with pytest.raises(KilledError):
        learn(DATA, missing="em", em=OPTIONS, folder=parts, progress=killed_at(step))  # type: ignore[arg-type]
    assert (parts / "em.json").exists() == (step > 1)
    learn(DATA, missing="em", em=OPTIONS, folder=parts, quiet=True)
    same(whole, parts)


def test_a_finished_run_is_loaded_with_its_label(tmp_path: Path) -> None:
    first = learn(DATA, missing="em", em=OPTIONS, folder=tmp_path / "run", quiet=True)
    before = (tmp_path / "run" / "summary.json").stat().st_mtime_ns
    again = learn(DATA, missing="em", em=OPTIONS, folder=tmp_path / "run", quiet=True)
    assert (tmp_path / "run" / "summary.json").stat().st_mtime_ns == before
    loaded = load(tmp_path / "run")
    assert first.approximate == again.approximate == loaded.approximate
    assert first.missing is not None
    assert first.missing == again.missing == loaded.missing
    said = loaded.summary()["missing"]
    assert isinstance(said, dict)
    assert said["label"] == "approximate: completed by EM"
    page = (tmp_path / "run" / "report.html").read_text()
    assert "approximate: completed by EM" in page
    best = json.loads((tmp_path / "run" / "best.json").read_text())
    assert "em" in json.dumps(best["provenance"])


def test_a_run_holds_its_folder_from_its_first_step_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Path] = []

    @contextmanager
    def counted(folder: Path) -> Iterator[None]:
        taken.append(folder)
        with used_alone(folder):
            yield

    monkeypatch.setattr("noisyor.incomplete.learning.used_alone", counted)
    monkeypatch.setattr("noisyor.pipeline.used_alone", counted)
    learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
    assert taken == [tmp_path]


def test_a_damaged_summary_is_refused(tmp_path: Path) -> None:
    learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
    path = tmp_path / "summary.json"
    said = json.loads(path.read_text())
    said["missing"]["best_start"] = 9
    path.write_text(json.dumps(said))
    with pytest.raises(FormatError, match=r"summary\.json: missing\.best_start is 9"):
        load(tmp_path)


@pytest.mark.parametrize("policy", ["drop", "state"])
def test_other_policies_are_loaded_too(policy: str, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        first = learn(DATA, missing=policy, folder=tmp_path, quiet=True)
    assert first.missing is not None
    assert load(tmp_path).missing == first.missing


def test_other_options_are_another_run(tmp_path: Path) -> None:
    learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
    with pytest.raises(MismatchError, match="differs in: missing"):
        learn(DATA, missing="em", em=Em(completions=6), folder=tmp_path, quiet=True)


def test_a_damaged_trace_is_refused(tmp_path: Path) -> None:
    learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
    path = tmp_path / "em.json"
    text = path.read_text()

    def changed(change: Callable[[dict[str, Any]], object]) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document)

    first = changed(lambda all_: all_["starts"][0].update(steps=[], tables=[], ended="settled"))
    for damaged, complaint in (
        ("{", "it is not JSON"),
        ('{"format": "noisyor em"}', "lacks 'version'"),
        (text.replace('"steps"', '"stops"', 1), "lacks 'steps'"),
        (changed(lambda all_: all_.update(format="other", version=99)), "it holds a 'other'"),
        (changed(lambda all_: all_.update(version=99)), "it is in version 99"),
        (
            changed(lambda all_: all_["starts"][0]["steps"][0].update(observed_cost="x")),
            r"starts\[0\]\.steps\[0\]\.observed_cost is 'x'; expected: a number",
        ),
        (first, r"starts\[0\]\.steps is empty"),
        (changed(lambda all_: all_["starts"][0]["tables"].pop()), "as many steps as tables"),
        (changed(lambda all_: all_["starts"][0].update(begins_with="x")), "begins_with"),
        (
            changed(lambda all_: all_["starts"].extend(all_["starts"])),
            "are not the starts of this run",
        ),
        (text.replace("v1", "w1"), "has other variables than the table"),
    ):
        assert damaged != text
        path.write_text(damaged)
        with pytest.raises(FormatError, match=complaint) as refused:
            learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
        assert str(refused.value).startswith(str(path))


def test_ctrl_c_ends_em_with_the_best_so_far(tmp_path: Path) -> None:
    seen = 0

    def show(now: Progress) -> None:
        nonlocal seen
        seen += now.step == "EM"
        if now.step == "EM" and seen == 3:
            raise KeyboardInterrupt

    learned = learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, progress=show)
    assert learned.approximate is not None
    assert "interrupted" in learned.approximate
    assert learned.interrupted
    assert not learned.complete
    assert any(one.startswith("EM was interrupted: of") for one in learned.shortfalls)
    assert not load(tmp_path).complete
    resumed = learn(DATA, missing="em", em=OPTIONS, folder=tmp_path, quiet=True)
    whole = learn(DATA, missing="em", em=OPTIONS, quiet=True)
    assert resumed.approximate == whole.approximate
    assert resumed.complete
    assert not resumed.interrupted
    assert resumed.optimum == whole.optimum
