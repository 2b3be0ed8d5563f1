"""The output of the commands: results on standard output, all else on standard error."""

import errno
import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.text import Text

from noisyor.cli.flags import in_flags
from noisyor.cli.interruptions import interruptions
from noisyor.core.errors import NoisyorError, SettingsError
from noisyor.core.machine import address_space
from noisyor.core.visible import visible, visible_json, visible_lines

EXIT_UNFINISHED = 1
EXIT_ERROR = 2

LEAST_ADDRESS_SPACE = 448 << 20
"""Bytes that the libraries need to start, on one thread; measured: 392 MiB."""

_NO_THREAD = "can't start new thread"  # Python's message if there is no memory for the stack
_OF_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_UsageError: Any = typer.BadParameter.__mro__[1]  # typer does not export it
_PIPE_WIDTH = 10_000  # a table in a pipe is not cut to the width of a terminal


@contextmanager
def errors_as_exit_codes() -> Iterator[None]:
    """Print an error in one line on standard error, and exit with its code."""
    try:
        with _flushed_output():
            yield
    except NoisyorError as error:
        raise _refused(str(error)) from error
    except _UsageError as error:
        raise _refused(_usage(error)) from error
    except KeyboardInterrupt as error:
        raise _interrupted() from error
    except MemoryError as error:
        raise _out_of_memory() from error
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        raise _out_of_memory() from error
    except BrokenPipeError as error:  # the reader has gone
        _drop_output()
        raise typer.Exit(EXIT_UNFINISHED) from error
    except OSError as error:
        _drop_output()
        raise _refused(_system_error(error)) from error
    except UnicodeEncodeError as error:
        letters = error.object[error.start : error.end]
        raise _refused(
            f"standard output cannot show {letters!r}: its encoding is {error.encoding}; set "
            "PYTHONIOENCODING=utf-8"
        ) from error


@contextmanager
def _flushed_output() -> Iterator[None]:
    """Flush standard output while an error can still be reported."""
    try:
        yield
    except typer.Exit:  # of --help and --version
        sys.stdout.flush()
        raise
    sys.stdout.flush()


def _drop_output() -> None:
    """Discard what standard output does not accept, so that it does not fail again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _refused(message: str) -> typer.Exit:
    note(f"error: {in_flags(message)}")
    return typer.Exit(EXIT_ERROR)


def _usage(error: Any) -> str:  # noqa: ANN401  (typer does not export its type)
    """Return what is wrong with a command line, and where to find help."""
    said = str(error.format_message()).rstrip(".")
    return f"{said}. See '{error.ctx.command_path} --help'" if error.ctx is not None else said


def _system_error(error: OSError) -> str:
    """Return what the system refused to do, and to which file."""
    said = error.strerror or str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {said}"
    return f"cannot write the result: {said}" if error.errno in _OF_OUTPUT else said


def refuse_little_memory() -> None:
    """Refuse to run where a limit (ulimit -v) leaves the libraries no room to start.

    Without memory for their threads, they would abort, or hang and print without end.
    """
    limit = address_space()
    if limit is not None and limit < LEAST_ADDRESS_SPACE:
        raise SettingsError(
            f"the limit on memory (ulimit -v) is {limit >> 20} MiB; noisyor needs at least "
            f"{LEAST_ADDRESS_SPACE >> 20} MiB of address space, most of which it never uses"
        )


def _interrupted() -> typer.Exit:
    note("interrupted")
    interruptions.said()
    return typer.Exit(interruptions.exit_status)


def _out_of_memory() -> typer.Exit:
    note(
        "error: out of memory. What was finished in an output folder is kept; a limit for the "
        "program (ulimit -v) may be too low, or fewer --jobs may suffice"
    )
    return typer.Exit(EXIT_UNFINISHED)


class _PlainConsole(Console):
    """A console that shows names as they are: no markup, and control characters escaped.

    Every text that is printed, alone or in a table, goes through `render_str`.
    """

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401  (rich's many)
        """Return a text as it is to be shown."""
        return super().render_str(visible(text), **options)


def results() -> Console:
    """Return the console of standard output."""
    console = _PlainConsole(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    return console


def note(text: str) -> None:
    """Print one line on standard error."""
    typer.echo(visible(text), err=True)


def print_json(said: object) -> None:
    """Print a result as JSON."""
    print_document(json.dumps(said, indent=2, ensure_ascii=False))


def print_document(text: str) -> None:
    """Print a text that is already JSON."""
    typer.echo(visible_json(text))


def print_records(text: str) -> None:
    """Print a table of records: escaped for a terminal, else byte for byte.

    `typer.echo` would remove escape sequences if there is no terminal.
    """
    sys.stdout.write(visible_lines(text) if sys.stdout.isatty() else text)


@contextmanager
def one_line_warnings() -> Iterator[None]:
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
        note(f"warning: {in_flags(str(message))}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
