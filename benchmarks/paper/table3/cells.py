"""The cells of the paper's table 3: its own figures, and ours over many samples."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.harness.measuring import Results
from benchmarks.harness.quantile import quantile

SIZES = (100, 500, 1000)
COLUMNS = {
    "best": "best",
    "costliest": "costliest",
    "cpt": "best of full tables",
}
REPEATS = {
    "earthquake": 50,
    "survey": 50,
    "asia": 50,
    "sachs": 50,
    "child": 30,
    "insurance": 10,
    "alarm": 3,
}
# Sharma, Liao, Cussens and van Beek (2020), table 3: best, worst and full CPT, for N = 100, 500
# and 1000. None is the paper's OT: out of time.
_PAPER: dict[str, tuple[tuple[float, float | None, float], ...]] = {
    "earthquake": ((0.03, 0.91, 0.00), (0.02, 0.98, 0.00), (0.26, 0.53, 1.00)),
    "survey": ((0.05, 0.69, 0.00), (0.02, 0.74, 0.00), (0.01, 0.75, 0.00)),
    "asia": ((0.04, 0.13, 0.92), (0.04, 0.92, 0.02), (0.02, 0.90, 0.08)),
    "sachs": ((0.43, 0.68, 0.18), (0.70, 0.60, 0.21), (0.68, 0.62, 0.01)),
    "child": ((0.05, 0.91, 0.01), (0.05, 0.88, 0.07), (0.05, 0.85, 0.04)),
    "insurance": ((0.67, 0.72, 0.70), (0.65, 0.71, 0.68), (0.65, 0.68, 0.68)),
    "alarm": ((0.04, 0.99, 0.01), (0.08, 0.99, 0.05), (0.05, None, 0.06)),
}
PAPER: dict[tuple[str, int, str], float | None] = {
    (network, size, column): figure
    for network, rows in _PAPER.items()
    for size, row in zip(SIZES, rows, strict=True)
    for column, figure in zip(COLUMNS, row, strict=True)
}
_HALF_A_DIGIT = 0.005  # the paper gives two decimals


@dataclass(frozen=True, slots=True)
class Cell:
    """Errors of one network, number of records and column, one per repeat, in ascending order.

    `repeats` were run, of which `missing` have no error. An error is the median over a repeat's
    trials and may be infinite.
    """

    errors: tuple[float, ...]
    repeats: int

    @property
    def missing(self) -> int:
        """The number of repeats without an error."""
        return self.repeats - len(self.errors)

    def quantile(self, share: float) -> float:
        """Return the error below which this share of the repeats lies."""
        return quantile(self.errors, share)

    def has(self, paper: float, lowest: float = 0.0, highest: float = 1.0) -> bool:
        """Return whether a figure of the paper, as rounded there, lies between two quantiles."""
        return (
            self.quantile(lowest) - _HALF_A_DIGIT <= paper <= self.quantile(highest) + _HALF_A_DIGIT
        )


def repeats_of(results: Mapping[str, Results], network: str, size: int) -> list[Results]:
    """Return the results of all repeats of a network and a number of records."""
    start = f"{network}/{size}/"
    return [result for key, result in results.items() if key.startswith(start)]


def not_proven(results: Mapping[str, Results], network: str, size: int, kind: str) -> int:
    """Return in how many repeats the best network is only the best that was found."""
    repeats = repeats_of(results, network, size)
    return sum(kind in one and not one[kind]["proven"] for one in repeats)


def cell(results: Mapping[str, Results], network: str, size: int, column: str) -> Cell | None:
    """Return a cell of the table, None if there are no repeats of it."""
    repeats = repeats_of(results, network, size)
    if not repeats:
        return None
    errors = [error_of(one, column) for one in repeats]
    return Cell(tuple(sorted(error for error in errors if error is not None)), len(repeats))


def error_of(result: Results, column: str) -> float | None:
    """Return the median relative error of a repeat, None where there is no network to query."""
    found = questions_of(result, column)
    return None if found is None else float(found["relative"])


def questions_of(result: Results, column: str) -> Results | None:
    """Return all inference errors of a repeat, None where there is no network to query."""
    if "nothing_because" in result:
        return None
    kind, name = {
        "best": ("both", "error_best"),
        "costliest": ("both", "error_costliest"),
        "cpt": ("cpt", "error_best"),
    }[column]
    found: Results | None = result[kind][name]
    return found


@dataclass(frozen=True, slots=True)
class Contest:
    """In how many repeats the first network had the smaller error, the larger, or the same."""

    smaller: int
    larger: int
    same: int

    @classmethod
    def between(cls, repeats: Iterable[Results], first: str, second: str) -> "Contest":
        """Compare two columns, repeat by repeat, where both have an error."""
        pairs = [(error_of(one, first), error_of(one, second)) for one in repeats]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        smaller, larger = sum(a < b for a, b in both), sum(a > b for a, b in both)
        return cls(smaller, larger, len(both) - smaller - larger)

    @property
    def count(self) -> int:
        """The number of repeats compared."""
        return self.smaller + self.larger + self.same
