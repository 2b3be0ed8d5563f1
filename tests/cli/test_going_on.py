"""After Ctrl-C or a limit, a command says where its result is, and how to go on."""

from dataclasses import replace
from pathlib import Path

import pytest

from noisyor.cli import learn_command
from noisyor.core.request import Request
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Learned
from noisyor.runs.plan import Plan
from tests.cli.test_cli import run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "my table.csv"
    path.write_text("a,b\n" + "0,0\n1,1\n0,1\n" * 20, encoding="utf-8")
    return path


def cut(request: Request, plan: Plan) -> Learned:
    """Learn as if Ctrl-C had ended it."""
    learned = learn_request(request, plan)
    credible = replace(learned.credible, shortfalls=("everything was left unproven",))
    return replace(learned, credible=credible, interrupted=True)


def test_a_result_in_a_folder_names_it_and_the_command(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_command, "learn_request", cut)
    folder = tmp_path / "run"
    result = run("learn", table, "-o", folder)
    assert result.exit_code == 0
    said = f"to go on from there: noisyor learn '{table}' -o {folder}\n"
    assert f"interrupted: the best network so far is in {folder}; {said}" in result.stderr


def test_a_result_without_a_folder_says_how_to_keep_the_next(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_command, "learn_request", cut)
    result = run("learn", table)
    assert result.exit_code == 0
    assert "interrupted: the best network so far is below, and nothing was saved" in result.stderr
    assert f"noisyor learn '{table}' -o DIR\n" in result.stderr


def test_an_interruption_before_a_result_names_the_command(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(learn_command, "learn_request", interrupted)
    folder = tmp_path / "run"
    result = run("learn", table, "-o", folder)
    assert result.exit_code not in {0, 2}
    said = f"what is done is kept in {folder}; to go on: noisyor learn '{table}' -o {folder}\n"
    assert said in result.stderr
    assert "nothing was kept; to keep what is done" in run("learn", table).stderr


def test_a_complete_result_says_nothing_of_it(table: Path) -> None:
    assert "go on" not in run("learn", table).stderr
