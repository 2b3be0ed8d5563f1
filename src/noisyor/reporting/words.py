"""Numbers in words and digits for readers of the report."""

from collections.abc import Mapping
from typing import Any

MOST_LISTED = 20
"""The most values of a list that are written out."""

_LARGE = 10**15  # larger counts are written as a power of ten
_MANY = 1000.0  # four digits before the point: one after it is enough


def share_words(share: float) -> str:
    """Return a share in percent; only an exact 1 or 0 is called 100% or 0%."""
    percent = 100 * share
    if 0 < percent < 1:
        return "< 1%"
    if 99 < percent < 100:  # noqa: PLR2004  (percent)
        return "> 99%"
    return f"{percent:.0f}%"


def error_words(error: float | None) -> str:
    """Return a standard error in percent, as it is written after a share; nothing if it is None."""
    if error is None:
        return ""
    percent = 100 * error
    return " ± < 0.1%" if percent < 0.05 else f" ± {percent:.1f}%"  # noqa: PLR2004  (rounds to 0)


def sample_words(sampling: Mapping[str, Any] | None) -> str:
    """Return from how many draws shares are estimated, as the end of a sentence; else nothing."""
    if sampling is None:
        return ""
    draws = counted(sampling["draws"], "network")
    return f", estimated from a sample of {draws}"


def count_words(count: int) -> str:
    """Return a number of things, however large."""
    if count < _LARGE:
        return f"{count:,}"
    digits = str(count)
    return f"{digits[0]}.{digits[1:3]} \N{MULTIPLICATION SIGN} 10^{len(digits) - 1}"


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number with what it counts."""
    return f"{count_words(count)} {one if count == 1 else several or one + 's'}"


def value_words(value: object) -> str:
    """Return a JSON value as text."""
    if value is None:
        return "not known"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count_words(value) if value >= 0 else str(value)
    if isinstance(value, float):
        return _float_words(value)
    if isinstance(value, list):
        words = [value_words(one) for one in value[:MOST_LISTED]]
        if len(value) > MOST_LISTED:
            words.append(f"and {count_words(len(value) - MOST_LISTED)} more")
        return ", ".join(words) or "none"
    return str(value)


def _float_words(value: float) -> str:
    if value.is_integer() and abs(value) < _LARGE:
        return f"{value:,.0f}"
    return f"{value:,.1f}" if _MANY <= abs(value) < _LARGE else f"{value:,.4g}"
