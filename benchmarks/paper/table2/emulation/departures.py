"""Where the published code departs from the method of the paper, as read in its sources."""

from enum import Flag, auto


class Departure(Flag):
    """A departure of the published code; a combination of them is a program to emulate.

    DOUBLING    candidate sets of k parents are scored and pruned with a penalty of 2^k parameters;
                only the merge charges k
    DESCENT     noisy-ORs are fitted by the published descent (see `descent`), not to the optimum
    STRICT      the merge drops a noisy-OR that costs as much as a full table over some of its
                parents; to be safe it must cost more by the slack
    SKIPPING    the merge removes entries from the list that it walks, so it passes over the one
                that follows each removed entry
    SEVERAL     the merge leaves out noisy-ORs of a single parent
    EXCLUSIVE   the merge writes 2^k for 2**k, which is an exclusive or in Python
    """

    DOUBLING = auto()
    DESCENT = auto()
    STRICT = auto()
    SKIPPING = auto()
    SEVERAL = auto()
    EXCLUSIVE = auto()


NONE = Departure(0)
TOGETHER = (
    Departure.DOUBLING
    | Departure.DESCENT
    | Departure.STRICT
    | Departure.SKIPPING
    | Departure.SEVERAL
)
"""The program that is supposed to have made table 2: all of them, with 2^k as it was meant."""
