"""Shared by all plots for papers: sizes, colours, names as text, and loading matplotlib."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

from noisyor.core import SettingsError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN_WIDTH = 3.5
"""In inches: one of two columns on a page, as in most journals."""

FONT_SIZE = 8.0
"""In points: what journals require of the text in a figure at its final size."""

NAME_LENGTH = 24
"""The most letters of a name that are shown; a longer one loses its middle."""

PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}
"""For text that holds a name: without it, matplotlib would read `$` and TeX in it."""


GREY = "#555555"


def new_figure(
    width: float, height: float, *, layout: Literal["constrained"] | None = "constrained"
) -> "Figure":
    """Return an empty figure of this size in inches, unknown to pyplot and its windows."""
    if not (isfinite(width) and width > 0):
        raise SettingsError(f"the width is {width}; it must be a positive number of inches")
    load_matplotlib()
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=(width, height), layout=layout)


def load_matplotlib() -> None:
    """Import matplotlib, which is an extra; it takes a while the first time."""
    try:
        import matplotlib as mpl  # noqa: F401, PLC0415
    except ModuleNotFoundError as error:
        raise SettingsError(
            f"matplotlib cannot be imported ({error}); `pip install noisyor[plots]` installs it"
        ) from error


def text_width(text: str) -> float:
    """Return the width of a line, in units of the font size."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415
    from matplotlib.textpath import text_to_path  # noqa: PLC0415

    measured = text_to_path.get_text_width_height_descent(text, FontProperties(size=100), False)
    return float(measured[0]) / 100


def short_names(names: Sequence[str], longest: int = NAME_LENGTH) -> tuple[str, ...]:
    """Return names that fit, in one line each: a long one loses its middle.

    Those that would look the same get the number of their variable, counted from 1.
    """
    shown = [_cut(_printable(name), longest) for name in names]
    return tuple(
        one if shown.count(one) == 1 else f"{one} ({place})"
        for place, one in enumerate(shown, start=1)
    )


def _printable(name: str) -> str:
    r"""Return a name with escapes (`\n`) for invisible characters."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in name
    )


def _cut(name: str, longest: int) -> str:
    if len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"
