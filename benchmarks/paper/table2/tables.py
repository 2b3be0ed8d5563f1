"""The tables of table 2, in Markdown."""

from collections.abc import Callable

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.statistics import Pruned, Row, Shares, percent_text, step_value
from benchmarks.timings.learn import STEPS

ABSENT = "-"


SHARES_HEADINGS = (
    "data",
    "n",
    "N",
    "nodes",
    "average, %",
    "maximum, %",
    "nodes, several parents",
    "average, %",
)


def shares_table(rows: list[Row]) -> str:
    """Return where noisy-ORs are selected, here and in the paper."""
    return table(SHARES_HEADINGS, map(_shares_cells, rows))


def _shares_cells(row: Row) -> list[str]:
    published, run = row.published, row.both
    several = row.shares("several_parents")
    return [
        row.name,
        ABSENT if run is None else _size(run["variables"], published.variables),
        ABSENT if run is None else _size(run["records"], published.records),
        *_beside(row.shares(), published.shares),
        ABSENT if several is None else str(several.nodes),
        ABSENT if several is None else f"{several.average:.1f}",
    ]


def _size(ours: int, theirs: int) -> str:
    return f"{ours:,}" if ours == theirs else f"{ours:,} ({theirs:,})"


def _beside(ours: Shares | None, theirs: Shares | None) -> list[str]:
    """Return nodes, average and maximum, each with the paper's."""
    left = _share_texts(ours, ABSENT)
    right = _share_texts(theirs, "OT")
    return [f"{one} ({other})" for one, other in zip(left, right, strict=True)]


def _share_texts(shares: Shares | None, absent: str) -> list[str]:
    if shares is None:
        return [absent] * 3
    return [str(shares.nodes), f"{shares.average:.1f}", f"{shares.maximum:.1f}"]


OPTIMUM_HEADINGS = (
    "data",
    "optimum, nats",
    "full tables only",
    "gain, nats",
    "noisy-ORs in the best",
    "credible networks",
    "full tables only",
)


def optimum_table(rows: list[Row]) -> str:
    """Return the optima and the numbers of credible networks."""
    return table(OPTIMUM_HEADINGS, map(_optimum_cells, rows))


def _optimum_cells(row: Row) -> list[str]:
    both, cpt = row.both, row.cpt
    return [
        row.name,
        _cost(both),
        _cost(cpt),
        _gain(row),
        ABSENT if both is None else str(both["noisy_or"]["in_best"]),
        _networks(both),
        _networks(cpt),
    ]


def _cost(run: Results | None) -> str:
    return ABSENT if run is None else f"{'' if run['proven'] else '<= '}{run['optimum']:.4f}"


def _gain(row: Row) -> str:
    gain = row.gain()
    if gain is None:
        return ABSENT
    least, most = (f"{0.0 if row.gains_nothing else one:.2f}" for one in gain)
    return least if least == most else f"{least} to {most}"


def _networks(run: Results | None) -> str:
    return ABSENT if run is None else f"{'' if run['complete'] else '>= '}{run['members']:,}"


FAMILIES_HEADINGS = (
    "data",
    "families",
    "method",
    "evaluated",
    "kept by the rules",
    "of them noisy-ORs",
    "pruned, %",
    "kept by price",
    "pruned, %",
)


def families_table(rows: list[Row]) -> str:
    """Return the numbers of all families, of those evaluated and of those kept."""
    return table(FAMILIES_HEADINGS, map(_families_cells, rows))


def _families_cells(row: Row) -> list[str]:
    families = None if row.both is None else row.both["families"]
    rules, price = row.pruned_by_rules(), row.pruned_by_price()
    return [
        row.name,
        ABSENT if families is None else _large(families["considered"]),
        ABSENT if row.both is None else row.both["method"],
        ABSENT if families is None else f"{families['fitted']:,}",
        *_pruned_texts(rules),
        *(_pruned_texts(price)[::2]),
    ]


def _large(count: int) -> str:
    return f"{count:,}" if count < 10**9 else f"{count:.3g}"


def _pruned_texts(pruned: Pruned | None) -> list[str]:
    if pruned is None:
        return [ABSENT] * 3
    return [f"{pruned.kept:,}", f"{pruned.kept_noisy_or:,}", percent_text(pruned.percent)]


def seconds_table(rows: list[Row]) -> str:
    """Return the seconds of each step."""
    return table(
        ["data, s", *STEPS, "in all", "full tables"],
        (_step_cells(row, "seconds", _total_seconds, 2) for row in rows),
    )


def memory_table(rows: list[Row]) -> str:
    """Return the peak of resident memory in each step, in MiB."""
    return table(
        ["data, MiB", *STEPS, "in all", "full tables"],
        (_step_cells(row, "memory_mib", _peak, 0) for row in rows),
    )


def _step_cells(row: Row, what: str, whole: Callable[[Results], float], digits: int) -> list[str]:
    if row.both is None:
        return [row.name] + [ABSENT] * (len(STEPS) + 2)
    values = [
        *(step_value(row.both[what], step, add=what == "seconds") for step in STEPS),
        whole(row.both),
        None if row.cpt is None else whole(row.cpt),
    ]
    return [row.name, *(ABSENT if one is None else f"{one:.{digits}f}" for one in values)]


def _total_seconds(run: Results) -> float:
    return float(run["seconds"]["total"])


def _peak(run: Results) -> float:
    return float(run["peak_mib"])
