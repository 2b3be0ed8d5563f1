"""Warnings: about losses in a conversion, and at the line of the user's that they are about."""

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_PACKAGE = __name__.partition(".")[0]


class ConversionWarning(UserWarning):
    """A file format or library cannot represent part of a network, such as a noisy-OR."""


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line that called the package, however deep inside of it the reason was found.

    That line is what the user can change, and what Python names and remembers, so that a warning
    is shown once for each such line.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  (there is no public way)
    depth = last = 1
    while frame is not None:
        if _is_ours(frame.f_globals.get("__name__", "")):
            last = depth
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, category, stacklevel=last + 2)  # 1 is this function


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE
