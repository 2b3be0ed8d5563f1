"""What messages advise about a column, in the words of whoever reads the table."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Advice:
    """What the user can do about a column.

    Parameters
    ----------
    bins
        How numbers are put into bins.
    has_drop
        Whether columns are left out with `drop=[...]`. An estimator learns from all of X.
    """

    bins: str = "Put the numbers into bins, bins=3"
    has_drop: bool = True

    def how_to_drop(self, name: str, sign: str = ":") -> str:
        """Return how a column is left out, after these words and a sign."""
        return f"{sign} drop={[name]!r}" if self.has_drop else " of X"


USUAL_ADVICE = Advice()
"""What is advised where a table is read by `read` and `learn`."""
