"""The stored results of Table 1, in the form that its page and figure need."""

from dataclasses import dataclass
from math import inf

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import Results

RESULTS = RESULTS_FOLDER / "table1.jsonl"
MANY_TESTS = 1000
RELATIVE, DIVERGENCE = "relative_error", "conditional_kl"
OUR_NAMES = {RELATIVE: "relative", DIVERGENCE: "kl_published"}
"""The paper's two measures, as its scripts compute them."""

EMULATED = {
    (RELATIVE, "kl"): "descended",
    (DIVERGENCE, "kl"): "descended",
    (RELATIVE, "em"): "misread",
    (DIVERGENCE, "em"): "table",
}
"""The emulation of each of the paper's columns; see `published`."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The stored results of each size with one number of tests, and the paper's figures."""

    stored: dict[tuple[int, int], Results]
    paper: Results

    def measure(self, name: str) -> list[Results]:
        """Return the summaries of one measure, one for each size."""
        if name.startswith("kl_weighted/"):
            plain = name.replace("kl_weighted", "kl_finite")
            return [
                {
                    part: _divided(value, 2**parents)
                    for part, value in one["measures"][plain].items()
                }
                for (_, parents), one in self.stored.items()
            ]
        return [one["measures"][name] for one in self.stored.values()]

    def printed(self, measure: str, column: str) -> list[float]:
        """Return a column of the paper, one figure for each size."""
        return [self.paper[f"{measure}/{k}/{n}"][column] for n, k in self.stored]


def _divided(value: float | None, by: int) -> float | None:
    return None if value is None else value / by


def cells_of(results: Results, tests: int) -> Cells:
    """Return the results with this number of tests, by the number of records, then of parents."""
    found = {
        (one["records"], one["parents"]): one
        for key, one in results.items()
        if key != "paper" and one["tests"] == tests
    }
    return Cells(dict(sorted(found.items())), results["paper"])


def text(stored: float | None) -> str:
    """Return a figure with the paper's two decimals, or more where it is small."""
    if stored is None:
        return "infinite"
    return f"{stored:.2f}" if stored >= 0.0995 or stored == 0 else f"{stored:#.2g}"


def interval(one: Results) -> str:
    """Return a median with the range in which medians of thirty tests lie."""
    return f"{text(one['median'])} ({text(one['low'])} to {text(one['high'])})"


def likeness_cells(like: Results) -> list[str]:
    """Return the factors and the count of a likeness as cells of a table."""
    factors = [factor_text(like[name]) for name in ("factor", "worst")]
    return [*factors, f"{like['covered']} of {like['cells']}"]


def factor_text(factor: float | None) -> str:
    """Return a factor between two medians, if it is known."""
    if factor is None:
        return "-"
    return "infinite" if factor == inf else f"{factor:.2f}"
