"""The entry point of the command `noisyor`: Ctrl-C and SIGTERM end it cleanly even while it loads.

This is not part of the package `noisyor`, whose command line loads numpy and others. That takes a
moment, during which no work can be lost.
"""

import os
import signal
import sys
from types import FrameType

# The message and exit status of `noisyor.cli`, which is not loaded yet.
_MESSAGE = "interrupted"
_BY_SIGNAL = 128  # plus the number of the signal
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def main() -> None:
    """Run the command line of this process."""
    # A parent process may have set these signals to be ignored; then they stay ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_at_once)
    _fill_closed_streams()
    from noisyor.cli import main as command  # noqa: PLC0415  (the slow import)
    from noisyor.cli.interruptions import interruptions  # noqa: PLC0415

    try:
        command()
    except KeyboardInterrupt:  # before or after the commands, which handle it themselves
        sys.stderr.write(f"{_MESSAGE}\n")
        interruptions.said()
        sys.exit(interruptions.exit_status)


def _fill_closed_streams() -> None:
    """Open the standard streams that the parent process has closed.

    Otherwise the next opened file would get such a descriptor, and receive what is printed.
    Standard output becomes a pipe without a reader; the others become the null device.
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
    """Print the message and exit, without an exception: libraries that load may swallow one."""
    del frame
    os.write(_ERRORS, f"{_MESSAGE}\n".encode())
    os._exit(_BY_SIGNAL + number)
