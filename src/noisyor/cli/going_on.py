"""How to go on with a run that did not end: the very command, and where its parts are."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from noisyor.cli.terminal import note

_ARGUMENTS: ContextVar[tuple[str, ...]] = ContextVar("arguments", default=())


def keep_arguments(arguments: Sequence[str]) -> None:
    """Keep the command line, to say it again."""
    _ARGUMENTS.set(tuple(arguments))


def this_command(*more: str) -> str:
    """Return the command line, to be copied into a shell."""
    return shlex.join(["noisyor", *_ARGUMENTS.get(), *more])


@contextmanager
def saying_how_to_go_on(folder: Path | None) -> Iterator[None]:
    """Say after Ctrl-C what is kept, and the command that goes on."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None:
            note(f"nothing was kept; to keep what is done: {this_command('-o', 'DIR')}")
        else:
            note(f"what is done is kept in {folder}; to go on: {this_command()}")
        raise


def say_how_to_go_on(folder: Path | None, *, interrupted: bool) -> None:
    """Say of a result that is not complete where it is, and the command that goes on."""
    cause = "interrupted: the best network so far" if interrupted else "the best network so far"
    if folder is None:
        kept = this_command("-o", "DIR")
        note(f"{cause} is below, and nothing was saved; to save it, and go on later: {kept}")
    else:
        note(f"{cause} is in {folder}; to go on from there: {this_command()}")
