"""Where the command `noisyor` starts: Ctrl-C and SIGTERM end it in one word even while it loads.

This is no part of the package `noisyor`, because whoever imports one of its modules first loads
all of it, with the libraries that it is built on. That takes about a second, in which nothing has
been done that could be lost.
"""

import os
import signal
import sys
from types import FrameType

# What `noisyor.cli.terminal` says and returns, which is not loaded yet.
_SAID = "interrupted"
_INTERRUPTED = 1
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def main() -> None:
    """Run the command line of this process."""
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # it may be ignored
    if heeded:
        signal.signal(signal.SIGINT, _end_at_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_at_once)
    _fill_closed_streams()
    from noisyor.cli import main as command  # noqa: PLC0415  (what takes the time)

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is _end_at_once:
                signal.signal(number, signal.default_int_handler)
        command()
    except KeyboardInterrupt:  # before or after the commands, which see to it themselves
        sys.stderr.write(f"{_SAID}\n")
        sys.exit(_INTERRUPTED)


def _fill_closed_streams() -> None:
    """Put something in the place of standard streams that whoever started us has closed.

    The next file that is opened would get their place, and what is printed. Standard output
    becomes a pipe that nobody reads, and is treated as one; the others lead nowhere.
    """
    for descriptor in (_INPUT, _OUTPUT, _ERRORS):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = _unread_pipe() if descriptor == _OUTPUT else os.open(os.devnull, os.O_RDWR)
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
    if sys.stdin is None:
        sys.stdin = os.fdopen(_INPUT, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(_OUTPUT, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(_ERRORS, "w", encoding="utf-8", closefd=False)


def _unread_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """Say it and end, without an exception: libraries that are being loaded may swallow that."""
    del number, frame
    os.write(2, f"{_SAID}\n".encode())
    os._exit(_INTERRUPTED)
