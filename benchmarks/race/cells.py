"""Cells of the race's tables: times, factors, numbers of families."""

from benchmarks.harness.measuring import Results

NOTHING = "-"


def seconds_text(seconds: float) -> str:
    """Return seconds with three digits, or in milliseconds."""
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def times(factor: float) -> str:
    """Return a factor, with two digits below ten."""
    return f"{factor:,.0f}" if factor >= 10 else f"{factor:.2g}"


def families_text(one: Results) -> str:
    """Return how many families a program scored, of how many it decided."""
    counted = one.get("counted", one["families"])
    all_of_them = f"{one['families']:,}"
    return all_of_them if counted == one["families"] else f"{counted:,} of {all_of_them}"
