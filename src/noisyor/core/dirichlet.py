"""Symmetric Dirichlet priors of the rows of full tables."""

from dataclasses import dataclass
from enum import Enum


class DividedBy(Enum):
    """How the size of a prior becomes the pseudo-count of each state in each row."""

    NOTHING = "nothing"  # each pseudo-count is the size
    CONFIGURATIONS = "configurations"  # divided among the states and all rows of the table
    OBSERVED = "observed"  # divided among the states and the rows that some record has


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """A symmetric Dirichlet prior: how many records of each state each row begins with."""

    size: float
    divided_by: DividedBy

    def pseudo_count(self, states: int, configurations: int, observed: int) -> float:
        """Return the pseudo-count of each state in each row.

        Parameters
        ----------
        states
            The states of the child.
        configurations
            The rows of the table: the configurations of the parents.
        observed
            How many of them some record has.
        """
        parts = {
            DividedBy.NOTHING: 1,
            DividedBy.CONFIGURATIONS: states * configurations,
            DividedBy.OBSERVED: states * observed,
        }
        return self.size / parts[self.divided_by]
