"""What commands show does nothing to a terminal, whatever names the files have."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

import noisyor.cli.terminal
import noisyor.runs.progress
from noisyor.cli.terminal import print_records, results
from noisyor.core.progress import Progress
from noisyor.interop.network_files import write_network, write_networks
from noisyor.runs.progress import shown_progress
from tests.cli.test_cli import run
from tests.core.test_visible import controls

NAMES = (
    "\x1b[31mred",
    "\x1b]0;title\x07",
    "\x9b2J",
    "\u202edesrever\u2066",
    "[red]marked[/red]",
    ":red_heart:",
)
SHOWN = (
    r"\x1b[31mred",
    r"\x1b]0;title\x07",
    r"\x9b2J",
    r"\u202edesrever\u2066",
    "[red]marked[/red]",
    ":red_heart:",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with such names, what is learned from it, and parts of its scores."""
    where = tmp_path_factory.mktemp("named")
    rows = ["".join(f"{bits >> v & 1}," for v in range(6))[:-1] for bits in range(64)]
    copied = [row[:-1] + row[0] for row in rows]  # the last column follows the first
    text = "\n".join([",".join(NAMES), *rows, *copied * 3])
    (where / "data.csv").write_text(text + "\n", encoding="utf-8")
    learned = noisyor.learn(where / "data.csv", quiet=True)
    learned.save(where / "run")
    write_network(learned.best, where / "best.json")
    write_networks(learned.networks(), where / "networks.json")
    assert learned.table is not None
    noisyor.formats.write_scores(learned.table, where / "scores.jkl")
    assert (
        run("score", where / "data.csv", "--children", "1-2", "-o", where / "part").exit_code == 0
    )
    return where


COMMANDS: dict[str, tuple[str, ...]] = {
    "describe": ("describe", "data.csv"),
    "estimate": ("estimate", "data.csv"),
    "learn": ("learn", "data.csv"),
    "score": ("score", "data.csv", "-o", "scores.pss"),
    "search": ("search", "scores.jkl"),
    "show": ("show", "best.json"),
    "show a set": ("show", "networks.json"),
    "show a node": ("show", "best.json", "--node", NAMES[0]),
    "explain a node": ("show", "best.json", "--node", NAMES[5], "--data", "data.csv"),
    "compare": ("compare", "best.json", "best.json"),
    "query": ("query", "best.json"),
    "query with evidence": ("query", "best.json", "--given", f"{NAMES[1]}=1"),
    "query a set": ("query", "networks.json", "--given", f"{NAMES[1]}=1"),
    "most probable": ("query", "best.json", "--most-probable", "--given", f"{NAMES[1]}=1"),
}
REFUSED: dict[str, tuple[str, ...]] = {
    "no such node": ("show", "best.json", "--node", "\x1b[0m"),
    "no such variable": ("query", "best.json", NAMES[0] + "s"),
    "no such edge": ("learn", "data.csv", "--forbid", f"{NAMES[0]}->{NAMES[1]}s"),
    "no such child": ("score", "data.csv", "--children", "\x1b", "-o", "part2"),
    "no such file": ("describe", "\x1b[31m.csv"),
    "no such format": ("describe", "data.csv", "--format", "\x9b"),
    "no such option": ("describe", "data.csv", "--\x1b[31m"),
    "no such command": ("\x1b[31m",),
    "no such choice": ("learn", "data.csv", "--method", "\u202e"),
    "missing children": ("merge", "part", "-o", "merged.jkl"),
    "values alike": ("describe", "odd.csv"),
    "a name that is no text": ("describe", "\udcff.csv"),
}


def plain(text: str) -> bool:
    return not any(controls(letter) for letter in text if letter != "\n")


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    (folder / "odd.csv").write_text("\x1b[31m,b\na\x9b,0\nA\x9b,1\n2,0\n", encoding="utf-8")
    (folder / "constant.csv").write_text("\x1b[31m,b\n0,0\n0,1\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("inside")
def test_names_are_shown_and_do_nothing(name: str) -> None:
    result = run(*COMMANDS[name])
    assert result.exit_code == 0, result.stderr
    assert plain(result.stdout)
    assert plain(result.stderr)
    if name not in {"estimate", "score", "compare", "show a node", "explain a node"}:
        assert [one for one in SHOWN if one not in result.stdout] == []


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("inside")
def test_json_has_the_names_and_does_nothing(name: str) -> None:
    result = run(*COMMANDS[name], "--json")
    assert result.exit_code == 0, result.stderr
    assert plain(result.stdout)
    said = json.loads(result.stdout)
    if name not in {"estimate", "score", "compare", "query a set"}:
        assert NAMES[0] in set(texts_in(said))


def texts_in(said: object) -> Iterator[str]:
    """Yield every text in a document."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict):
        for key, value in said.items():
            yield key
            yield from texts_in(value)
    elif isinstance(said, list):
        for value in said:
            yield from texts_in(value)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("inside")
def test_errors_show_what_was_given_and_do_nothing(name: str) -> None:
    result = run(*REFUSED[name])
    assert (result.exit_code, result.stdout) == (2, "")
    assert plain(result.stderr)
    assert result.stderr.count("\n") == 1
    assert any(one in result.stderr for one in (r"\x1b", r"\x9b", r"\u202e", r"\udcff"))


@pytest.mark.usefixtures("inside")
def test_notes_and_warnings_show_names_and_do_nothing() -> None:
    said = run("describe", "constant.csv").stderr
    assert r"\x1b[31m" in said
    assert plain(said)
    assert run("binarize", "data.csv", "-o", "\x1b[31m.csv").stderr.startswith(
        r"wrote \x1b[31m.csv"
    )
    unread = run("binarize", "constant.csv", "-o", "b.csv", "--apply", "\x1b[31m.binarize.json")
    assert unread.exit_code == 2
    assert plain(unread.stderr)


@pytest.mark.usefixtures("inside")
def test_drawn_records_have_the_names_to_the_byte_unless_they_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = run("sample", "best.json", "-n", 2)
    assert result.stdout.startswith(",".join(NAMES))
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdout", screen)
    print_records("\x1b[31m,b\n0,1\n")
    assert screen.getvalue() == "\\x1b[31m,b\n0,1\n"


def test_a_terminal_gets_its_own_styles_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stdout", screen)
    console = results()
    assert console.is_terminal
    console.print("\x1b[31m[red]x[/red] :red_heart:")
    assert screen.getvalue() == "\\x1b[31m[red]x[/red] :red_heart:\n"


def test_the_progress_line_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        noisyor.runs.progress,
        "Console",
        lambda **_: Console(file=screen, force_terminal=True, width=80),
    )
    with shown_progress() as show:
        assert show is not None
        show(Progress("score", "\x1b]0;title\x07[red]", 1.0))
    assert "\x1b]0;" not in screen.getvalue()
    assert r"\x1b]0;title\x07[red]" in screen.getvalue()
