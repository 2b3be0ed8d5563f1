"""Runs in separate processes, to be killed, started quickly by a fork server.

The server imports everything once, so that a run starts its work at once.
"""

import multiprocessing
import os
import re
import resource
import sys
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

import noisyor
from noisyor.cli import main
from noisyor.files import whole
from noisyor.files.whole import write_whole, written_whole

_LOADED = [
    *("__main__", "noisyor.cli", "noisyor.reporting.content", "noisyor.reporting.page", __name__),
    *("highspy", "jinja2", "networkx", "pydantic", "rich.progress"),
]
LEFTOVER = re.compile(r"\..+\.[0-9a-f]{16}|\.(.+\.)?lock")
"""Names of what only a run that was killed leaves."""


def started(target: object, *arguments: object) -> BaseProcess:
    """Start a function of this module, or of the package, in a separate process."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_LOADED)
    process = context.Process(target=target, args=arguments, daemon=True)  # type: ignore[arg-type]
    process.start()
    return process


def nothing() -> None:
    """Do nothing: the first process waits until the server is there."""


def learn(table: Path, folder: Path, method: str) -> None:
    """Learn in a folder; the method "em" stands for structural EM."""
    if method == "em":
        em = noisyor.Em(completions=3, starts=2, seed=1)
        noisyor.learn(table, missing="em", em=em, folder=folder, quiet=True)
    else:
        noisyor.learn(table, method=method, folder=folder, quiet=True)


def command(
    arguments: list[str],
    said: Path,
    most_file_bytes: int | None = None,
    files_in_memory: int | None = None,
) -> None:
    """Run the command line, with what it says in a file, where disk or memory may run out.

    The memory is enough for so many files; in the middle of the next one it runs out.
    """
    with said.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2)
    )
    sys.argv = ["noisyor", *arguments]
    if most_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_file_bytes, most_file_bytes))
    if files_in_memory is not None:
        _run_out_of_memory_after(files_in_memory)
    main()


def _run_out_of_memory_after(files: int) -> None:
    """Let this process run out of memory in the middle of a file, always of the same one.

    Under a limit of the system, how far a run comes is a matter of the machine and the libraries,
    some of which then abort.
    """
    write = whole._write_through
    turns = count()

    def write_or_fail(path: Path, content: bytes) -> None:
        if next(turns) < files:
            write(path, content)
        else:
            write(path, content[: len(content) // 2])
            raise MemoryError

    pytest.MonkeyPatch().setattr(whole, "_write_through", write_or_fail)


def write_on_and_on(folder: Path, size: int) -> None:
    """Write two files again and again, each time of another letter, until killed."""
    for turn in count():
        content = bytes([ord("a") + turn % 26]) * size
        write_whole({folder / "one": content})
        with written_whole(folder / "two") as file:
            for start in range(0, size, 10_000):
                file.write(content[start : start + 10_000])


def ended(process: BaseProcess, seconds: float = 300) -> int:
    """Wait for a process to end, and return its exit code."""
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join(seconds)
        raise AssertionError(f"a run did not end within {seconds} s")
    return process.exitcode


def leftovers(folder: Path) -> list[Path]:
    """Return the files that a killed run has left, at any depth."""
    return [path for path in folder.rglob(".*") if LEFTOVER.fullmatch(path.name)]
