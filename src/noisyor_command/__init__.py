"""The entry point of the command `noisyor`: Ctrl-C and SIGTERM end it cleanly even while it loads.

This is not part of the package `noisyor`, whose command line loads numpy and others. That takes a
moment, during which no work can be lost.
"""

import ctypes
import os
import resource
import signal
import sys
from types import FrameType

# The message and exit status of `noisyor.cli`, which is not loaded yet.
_MESSAGE = "interrupted"
_BY_SIGNAL = 128  # plus the number of the signal
_INPUT, _OUTPUT, _ERRORS = 0, 1, 2

# Under a limit of the address space (ulimit -v), libraries must not reserve much more of it than
# they use: by default 1.4 GiB on two cores, frugally 0.4 GiB. One that cannot start its threads
# aborts, or prints without end.
_PROGRAM = 448 << 20  # bytes of address space, on one thread
_EACH_THREAD = 128 << 20
_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)


def main() -> None:
    """Run the command line of this process."""
    # A parent process may have set these signals to be ignored; then they stay ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end_at_once)
    _fill_closed_streams()
    _save_address_space()
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


def _save_address_space() -> None:
    """Let libraries that will be loaded keep to a limit of the address space, if there is one.

    What the user has set stays as it is.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    threads = max(1, min(os.cpu_count() or 1, (limit - _PROGRAM) // _EACH_THREAD))
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("_RJEM_MALLOC_CONF", "background_thread:false")  # the allocator of polars
    allocator = ctypes.CDLL(None)
    if hasattr(allocator, "mallopt"):  # only of glibc
        allocator.mallopt(_ARENA_MAX, threads)


def _unread_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def _end_at_once(number: int, frame: FrameType | None) -> None:
    """Print the message and exit, without an exception: libraries that load may swallow one."""
    del frame
    os.write(_ERRORS, f"{_MESSAGE}\n".encode())
    os._exit(_BY_SIGNAL + number)
