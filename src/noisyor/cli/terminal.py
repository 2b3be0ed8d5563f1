"""Where the commands speak: results on standard output, everything else on standard error."""

import errno
import os
import resource
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import typer
from rich.console import Console
from typer.core import TyperGroup

from noisyor.core.errors import NoisyorError

EXIT_INTERRUPTED = 1
EXIT_ERROR = 2

_NO_THREAD = "can't start new thread"  # what Python says if there is no memory for its stack
_LITTLE_MEMORY = 2**30  # bytes to spare; with 400 MiB, on two cores, libraries still aborted
_PIPE_WIDTH = 10_000  # a table that is piped on is not cut to the width of some terminal


class CommandGroup(TyperGroup):
    """Commands whose errors are messages: no traceback for what a person can mend."""

    def make_context(self, *given: Any, **named: Any) -> Any:  # noqa: ANN401  (typer types neither)
        """Read the command line; an interruption by then ends like one of the work."""
        try:
            return super().make_context(*given, **named)
        except KeyboardInterrupt as error:
            raise _interrupted() from error

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401  (typer types neither)
        """Run a command; turn errors, interruptions and closed pipes into exit codes."""
        try:
            with _one_line_warnings():
                result = super().invoke(ctx)
                sys.stdout.flush()
        except NoisyorError as error:
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(EXIT_ERROR) from error
        except KeyboardInterrupt as error:
            raise _interrupted() from error
        except MemoryError as error:
            raise _out_of_memory() from error
        except RuntimeError as error:
            if str(error) != _NO_THREAD:
                raise
            raise _out_of_memory() from error
        except BrokenPipeError as error:
            # The reader has gone. What is still buffered must not complain at exit either.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(EXIT_INTERRUPTED) from error
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            typer.echo(f"error: cannot write the result: {error.strerror}", err=True)
            raise typer.Exit(EXIT_ERROR) from error
        return result


def treat_termination_as_ctrl_c() -> None:
    """Let SIGTERM, with which batch systems and shutdowns end programs, do what Ctrl-C does.

    Unless whoever started the program has chosen to ignore it.
    """
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def warn_of_little_memory() -> None:
    """Say so if a limit of the system (ulimit -v) leaves the libraries hardly room to start.

    Without memory for their threads they abort, or wait for ever, before they could be asked.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = Path("/proc/self/statm")
    if limit == resource.RLIM_INFINITY or not pages.exists():
        return
    used = int(pages.read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    if limit - used < _LITTLE_MEMORY:
        note(
            f"warning: the limit on memory (ulimit -v) is {limit >> 20} MiB, of which "
            f"{used >> 20} are taken by the program itself; with less than "
            f"{_LITTLE_MEMORY >> 20} MiB left, it may abort or hang"
        )


def _interrupted() -> typer.Exit:
    typer.echo("interrupted", err=True)
    return typer.Exit(EXIT_INTERRUPTED)


def _out_of_memory() -> typer.Exit:
    typer.echo(
        "error: out of memory. What was finished in an output folder is kept; a limit that is set "
        "for the program (ulimit -v) may be too low, or fewer --jobs may do",
        err=True,
    )
    return typer.Exit(EXIT_INTERRUPTED)


def results() -> Console:
    """Return the console of standard output."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    return console


def note(text: str) -> None:
    """Say on standard error what was done."""
    typer.echo(text, err=True)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Print warnings as one line each, without the line of code that raised them."""

    def show(  # noqa: PLR0917  (the signature of warnings.showwarning)
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        del category, filename, lineno, file, line
        note(f"warning: {message}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
