"""Ctrl-C and SIGTERM: a clean end while Python can react, and a hard one if it does not in time.

SIGTERM, with which batch systems and shutdowns end programs, interrupts a command like Ctrl-C. Both
raise KeyboardInterrupt in the main thread as soon as that executes Python. While a library reads a
file or solves a linear program it may not do so for minutes. Then a watchdog in the kernels, which
needs no Python, ends the process. That is safe: files appear whole or not at all (`files.whole`),
the system releases locks, and what was finished in an output folder is kept.
"""

import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noisyor._kernels import kernels

GRACE = 1.5
"""Seconds after a signal in which a command can end by itself."""

RESULT_GRACE = 15.0
"""Seconds after Ctrl-C, if Python reacts to it, to put together and write what was found."""

LAST_GRACE = 0.5
"""Seconds after a second signal."""

_AGAIN = 0.01  # seconds until an interruption comes again that Python had to drop
_ERRORS = 2  # the descriptor of standard error
_BY_SIGNAL = 128  # plus the number of the signal: the exit status, as shells count


class Interruptions:
    """The signals that this process has got, and the watchdog."""

    def __init__(self) -> None:
        self._number: int = signal.SIGINT
        self._is_command = False
        self._is_loading = True
        self._watchdog: kernels.Watchdog | None = None

    @property
    def exit_status(self) -> int:
        """The exit status after an interruption: 130 after Ctrl-C, 143 after SIGTERM."""
        return _BY_SIGNAL + self._number

    def handle(self) -> None:
        """Let both signals interrupt this process, which runs a command.

        A signal that the parent process has set to be ignored stays so. While libraries load, which
        may swallow an exception, a signal ends the process at once: no work can be lost yet.
        """
        self._is_command = True
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._interrupt)
        sys.unraisablehook = self._dropped

    def begin(self) -> None:
        """Note that a command was loaded, and start the watchdog if that has loaded the kernels.

        Other commands do nothing that takes long, and are not to load them for this.
        """
        self._is_loading = False
        if not self._is_command or self._watchdog is not None:
            return
        if "noisyor._kernels" not in sys.modules:
            return
        from noisyor._kernels import kernels  # noqa: PLC0415  (loaded already)

        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        self._watchdog = kernels.Watchdog(reading, GRACE, LAST_GRACE)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        # A forked process has no watchdog, and must not wake that of its parent.
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))

    def said(self) -> None:
        """Note that the message was printed."""
        if self._watchdog is not None:
            self._watchdog.mute()

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        del frame
        self._number = number
        if self._is_loading:
            os.write(_ERRORS, b"interrupted\n")
            os._exit(self.exit_status)
        if number == signal.SIGINT and self._watchdog is not None:
            self._watchdog.extend(RESULT_GRACE)
        raise KeyboardInterrupt

    def _dropped(self, what: "sys.UnraisableHookArgs") -> None:
        """Interrupt once more if Python dropped the exception, as it must in a finalizer."""
        if what.exc_type is not KeyboardInterrupt:
            sys.__unraisablehook__(what)
            return
        main = threading.main_thread().ident
        again = threading.Timer(_AGAIN, signal.pthread_kill, (main, self._number))
        again.daemon = True
        again.start()


interruptions = Interruptions()
"""Those of this process: signals belong to a process, not to an object."""
