"""What is emulated: on which data sets, with which departures."""

from dataclasses import dataclass

from benchmarks.paper.table2.emulation.departures import NONE, TOGETHER, Departure
from benchmarks.paper.table2.emulation.running import TableOrder

QUICK = ("zoo", "hepatitis", "parkinsons", "adult", "nltcs", "msnbc")
"""Where it takes seconds, so that the other order of the merge is tried, too."""

DATASETS = (*QUICK, "autos", "flag", "horse", "alarm")
"""Where the published scorer makes few enough sets for some minutes and gigabytes."""

TAKEN_APART = ("zoo", "hepatitis", "parkinsons")
"""Where each departure is also tried alone, and left out alone."""


@dataclass(frozen=True, slots=True)
class Case:
    """A data set, the departures, and the order in which the merge takes full tables."""

    data: str
    departures: Departure
    order: TableOrder = TableOrder.COST

    @property
    def key(self) -> str:
        """The key of the result."""
        names = [str(one.name).lower() for one in self.departures]
        return f"{self.data}/{'+'.join(names) or 'none'}/{self.order.name.lower()}"


def all_cases() -> list[Case]:
    """Return all cases, those of the table first."""
    return [
        *(Case(name, TOGETHER) for name in DATASETS),
        *(case for name in TAKEN_APART for case in cases_apart(name)),
        *(Case(name, TOGETHER, TableOrder.SIZE) for name in QUICK),
    ]


def cases_apart(data: str) -> list[Case]:
    """Return the cases that show what each departure does."""
    return [
        Case(data, NONE),
        *(Case(data, one) for one in TOGETHER),
        *(Case(data, TOGETHER & ~one) for one in TOGETHER),
        Case(data, TOGETHER | Departure.EXCLUSIVE),
    ]
