"""The figures of table 2: the paper's, ours, and how the two compare."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import BAYES_FACTOR, Results, stored_results
from benchmarks.timings import learn, scoring
from benchmarks.timings.learn import STEPS, key
from noisyor.core import BayesFactor
from noisyor.core.tolerance import is_tie, is_within


@dataclass(frozen=True, slots=True)
class Shares:
    """The number of nodes that are a noisy-OR, and the mean and largest share of networks in %.

    Where no node is a noisy-OR, the paper writes zeros, and so does this.
    """

    nodes: int
    average: float
    maximum: float


@dataclass(frozen=True, slots=True)
class Published:
    """A line of the paper's table 2; without shares if it ran out of time (OT)."""

    variables: int
    records: int
    shares: Shares | None


NONE = Shares(0, 0.0, 0.0)
PAPER = {
    # Sharma, Liao, Cussens, van Beek (2020), table 2, in its order.
    "adult": Published(14, 32561, NONE),
    "nltcs": Published(16, 3236, NONE),
    "msnbc": Published(17, 58265, NONE),
    "zoo": Published(17, 101, Shares(7, 41.9, 99.4)),
    "letter": Published(17, 20000, None),
    "hepatitis": Published(20, 155, Shares(10, 76.9, 100.0)),
    "parkinsons": Published(23, 195, Shares(11, 51.2, 100.0)),
    "sensors": Published(25, 5456, None),
    "autos": Published(26, 159, Shares(13, 76.0, 100.0)),
    "horse": Published(28, 300, Shares(3, 97.4, 100.0)),
    "flag": Published(29, 194, Shares(10, 77.6, 100.0)),
    "wdbc": Published(31, 569, None),
    "soybean": Published(36, 266, Shares(9, 86.1, 100.0)),
    "alarm": Published(37, 1000, Shares(2, 28.8, 56.4)),
    "bands": Published(37, 277, Shares(8, 63.4, 100.0)),
    "spectf": Published(45, 267, NONE),
}
EMULATED = RESULTS_FOLDER / "emulation.jsonl"
PAPER_PRUNED = (89.17, 99.99)  # percent of the candidate parent sets, least and most; its text
PAPER_LIMITS = "24 hours of processor time and 64 GB"  # of each experiment; its text


@dataclass(frozen=True, slots=True)
class Pruned:
    """The numbers of all families, of those `looked_at` and of those kept."""

    considered: int
    looked_at: int
    kept: int
    kept_noisy_or: int

    @property
    def percent(self) -> float:
        """The share of families left out."""
        return 100 * (1 - self.kept / self.considered)


@dataclass(frozen=True, slots=True)
class Row:
    """The runs on a data set with both relations and with full tables only, and its score table.

    A run is None where none is stored or it failed; `failures` say why. `scored` is the result of
    scoring a whole table, where one is stored and complete.
    """

    name: str
    published: Published
    both: Results | None
    cpt: Results | None
    scored: Results | None = None
    failures: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all credible networks of both relations are known."""
        return self.both is not None and bool(self.both["complete"])

    @property
    def has_published_size(self) -> bool:
        """Whether the data have as many variables and records as the paper's table says."""
        theirs = (self.published.variables, self.published.records)
        return self.both is not None and theirs == (self.both["variables"], self.both["records"])

    def shares(self, kind: str = "any_parents") -> Shares | None:
        """Return our shares, if all credible networks are known."""
        if self.both is None or not self.complete:
            return None
        one = self.both["noisy_or"][kind]
        return Shares(one["nodes"], one["average_percent"] or 0.0, one["maximum_percent"] or 0.0)

    def gain(self) -> tuple[float, float] | None:
        """Return by how much noisy-ORs lower the optimum, in nats: at least, and at most.

        An optimum lies between its lower bound and the best cost found. So the difference of two
        optima lies between the differences of these; both are equal where both optima are proven.
        """
        if self.both is None or self.cpt is None:
            return None
        least = self.cpt["lower_bound"] - self.both["optimum"]
        most = self.cpt["optimum"] - self.both["lower_bound"]
        return least, most

    @property
    def gains_nothing(self) -> bool:
        """Whether the optimum is that of full tables alone."""
        if self.both is None or self.cpt is None:
            return False
        proven = self.both["proven"] and self.cpt["proven"]
        return bool(proven and is_tie(self.both["optimum"], self.cpt["optimum"]))

    @property
    def needs_noisy_or(self) -> bool:
        """Whether no network of full tables alone is credible, for certain.

        None of them costs less than their bound, and a credible one costs no more than the best
        network found plus the slack, whether or not that network is optimal.
        """
        if self.both is None or self.cpt is None:
            return False
        limit = self.both["optimum"] + BayesFactor(BAYES_FACTOR).slack
        return not is_within(self.cpt["lower_bound"], limit)

    def pruned_by_rules(self) -> Pruned | None:
        """Return the families that the pruning rules of scoring keep, without prices."""
        if self.both is not None and self.both["method"] == "table":
            return _pruned(self.both["families"]) if self.complete else None
        if self.scored is None:
            return None
        by_relation = self.scored["families"]
        parts = by_relation.values()
        considered, fitted, kept = (
            sum(one[what] for one in parts) for what in ("considered", "fitted", "kept")
        )
        return Pruned(considered, fitted, kept, by_relation["noisy-or"]["kept"])

    def pruned_by_price(self) -> Pruned | None:
        """Return the families that a run by price keeps."""
        if self.both is None or self.both["method"] != "price" or not self.complete:
            return None
        return _pruned(self.both["families"])


def _pruned(families: Results) -> Pruned:
    noisy_or = families["by_relation"]["noisy-or"]
    return Pruned(families["considered"], families["fitted"], families["kept"], noisy_or["kept"])


def stored() -> Results:
    """Return the results that the table is made from.

    These are of learning, of scoring whole tables, and of the emulation of the paper's code.
    """
    return {
        "learned": stored_results(learn.RESULTS),
        "scored": stored_results(scoring.RESULTS),
        "emulated": KeptResults(EMULATED).results(),
    }


def usable(results: Results) -> Results:
    """Return the results if any has what the table needs, unlike those of older versions."""
    return results if any(map(is_usable, results["learned"].values())) else {}


def rows_of(results: Results) -> list[Row]:
    """Return the data sets in the paper's order."""
    return [_row(name, results["learned"], results["scored"]) for name in PAPER]


def _row(name: str, learned: Results, scored: Results) -> Row:
    runs = [learned.get(key(name, relations=relations)) for relations in ("both", "cpt")]
    both, cpt = map(_run, runs)
    failures = [run["nothing_because"] for run in runs if run and "nothing_because" in run]
    whole = _finished(scored.get(f"{name}/both"))
    return Row(name, PAPER[name], both, cpt, whole, tuple(failures))


def _run(result: Results | None) -> Results | None:
    return result if is_usable(result) else None


def is_usable(result: Results | None) -> bool:
    """Return whether a run has what the table needs, unlike those of older versions."""
    return result is not None and "noisy_or" in result


def _finished(scored: Results | None) -> Results | None:
    return scored if scored is not None and scored["complete"] else None


def compared(rows: Iterable[Row]) -> list[Row]:
    """Return the data sets that have both our shares and the paper's."""
    return [row for row in rows if row.published.shares is not None and row.shares() is not None]


def node_difference(row: Row, kind: str = "any_parents") -> int:
    """Return how many more nodes are a noisy-OR here than in the paper."""
    ours, theirs = row.shares(kind), row.published.shares
    if ours is None or theirs is None:
        raise ValueError(f"{row.name} has no shares to compare")
    return ours.nodes - theirs.nodes


def percent_text(percent: float) -> str:
    """Return a percentage below 100 with enough digits to differ from 100."""
    rest = 100 - percent
    if rest <= 0:
        return "100"
    digits = max(2, 1 - math.floor(math.log10(rest)))
    return f"{percent:.{digits}f}"


def step_value(values: Results, step: str, *, add: bool) -> float | None:
    """Return the seconds (which add up) or the memory (which does not) of a step of the table."""
    known = [values[part] for part in STEPS[step] if part in values]
    if not known:
        return None
    return float(math.fsum(known) if add else max(known))
