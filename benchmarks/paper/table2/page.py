"""Table 2 in words and tables: every figure is taken from the results."""

from collections.abc import Iterable

from benchmarks.harness.markdown import listed
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.harness.pages import IMAGES
from benchmarks.paper.table2.emulation.page import emulation_section
from benchmarks.paper.table2.statistics import (
    PAPER_LIMITS,
    PAPER_PRUNED,
    Row,
    compared,
    node_difference,
    percent_text,
    rows_of,
)
from benchmarks.paper.table2.tables import (
    families_table,
    memory_table,
    optimum_table,
    seconds_table,
    shares_table,
)
from noisyor.core import BayesFactor

SIZES_FIGURE = "table2-sizes.svg"
SHARES_FIGURE = "table2-shares.svg"
INTRODUCTION = """\
## Table 2: all sixteen data sets

`make table2`, which is `python -m benchmarks.paper.table2`, learns all credible networks of each
data set twice, with full tables and noisy-ORs and with full tables only, each in a separate process
(`noisyor learn --paper`: Bayes factor 20, no limit on parents, no leak, the better of two
relations over the same parents). The results are in `benchmarks/results/learn.json`, with their
provenance. The paper's figures are those of its table 2 and its text (Sharma, Liao, Cussens and van
Beek, 2020)."""
DEFINITIONS = """\
`nodes` are the nodes that are a noisy-OR in some credible network. `average` and `maximum` are over
these nodes, of the percentage of credible networks in which the node is a noisy-OR. The paper's
figures are in parentheses after ours, OT where it ran out of time ({limits}); a size in
parentheses is what the paper's table says, where its files have another. The last two columns leave
out noisy-ORs of a single parent. A dash means unknown; see the remarks below."""
FAMILIES = """\
A family is a child, a set of parents and a relation, so there are n 2^(n-1) full tables and n fewer
noisy-ORs, which need a parent. `evaluated` are the families that were counted or fitted; a run by
price may evaluate one in several rounds, and with several threads a few count twice. `kept by the
rules` is what scoring leaves for a search, the counterpart of the paper's steps 2 and 3; for a run
by price, it comes from scoring a whole table separately (`benchmarks.timings.scoring`). `kept by
price` is what a run by price collected, which is less, since it knows more about the optimum."""
STEPS_TEXT = """\
Both relations, from opening the file to the result. `scoring` covers the whole table or, by price,
full tables only; `pricing` covers noisy-ORs. The total includes the time between the steps.
Memory is the peak resident size during the step, with Python and its libraries. `full tables` are
the runs without noisy-ORs."""


def section(results: Results, images: str = IMAGES) -> str:
    """Return the section of the results page, with figures from a folder of images."""
    rows = rows_of(results)
    parts = [
        INTRODUCTION,
        _origin(rows),
        "### Where noisy-ORs are selected",
        DEFINITIONS.format(limits=PAPER_LIMITS),
        shares_table(rows),
        _remarks(rows),
        f"![Nodes with a noisy-OR, and how often, here and in the paper]({images}/{SHARES_FIGURE})",
        _comparison(rows),
        _contradictions(rows),
        emulation_section(rows, results["emulated"]),
        "### The optimum, and how many networks are credible",
        optimum_table(rows),
        _gains(rows),
        f"![Credible networks and seconds of each data set]({images}/{SIZES_FIGURE})",
        "### Families pruned",
        FAMILIES,
        families_table(rows),
        _pruning(rows),
        "### Time and memory of each step",
        STEPS_TEXT,
        seconds_table(rows),
        memory_table(rows),
        _finished(rows),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _origin(rows: list[Row]) -> str:
    runs = [run for row in rows for run in (row.both, row.cpt) if run is not None]
    known = dict.fromkeys(
        ", ".join(f"{what} {value}" for what, value in run.get("provenance", {}).items())
        + f"; {run['jobs']} threads"
        for run in runs
    )
    return "\n".join(["Made with:", "", *(f"- {text}" for text in known)]) if known else ""


def _remarks(rows: list[Row]) -> str:
    """Return the remarks on incomplete runs, with either choice of relations."""
    texts = [
        f"- {row.name}, {what}: {_known(run)}"
        for row in rows
        for run, what in ((row.both, "both relations"), (row.cpt, "full tables only"))
        if run is not None and not run["complete"]
    ]
    texts += [f"- {row.name}: {text}" for row in rows for text in row.failures]
    return "\n".join(texts)


def _known(run: Results) -> str:
    why = "; ".join(run["shortfalls"])
    text = f"not finished within {run['limit']:g} s ({why}). "
    if run["proven"]:
        return f"{text}The optimum, {run['optimum']:.4f}, is proven."
    return (
        f"{text}The best network found costs {run['optimum']:.4f}, and none costs less than "
        f"{run['lower_bound']:.4f}: a gap of {run['optimum'] - run['lower_bound']:.2f} nats. "
        f"It has {run['noisy_or']['in_best']} noisy-ORs."
    )


def _comparison(rows: list[Row]) -> str:
    both = compared(rows)
    if not both:
        return ""
    more = [row for row in both if node_difference(row) > 0]
    fewer = [row for row in both if node_difference(row) < 0]
    apart, apart_several = (
        sum(abs(node_difference(row, kind)) for row in both)
        for kind in ("any_parents", "several_parents")
    )
    other_size = [row for row in both if not row.has_published_size]
    return (
        f"Of the {len(both)} data sets finished here and in the paper, {_count(more)} more nodes "
        f"with a noisy-OR here, {_count(fewer)} fewer, and {len(both) - len(more) - len(fewer)} as "
        f"many. The numbers of nodes differ by {apart} in total, by {apart_several} if noisy-ORs "
        "of a single parent are left out here. The paper's table and its files differ in size for "
        f"{_names(other_size)}."
    )


def _contradictions(rows: list[Row]) -> str:
    """Return where the paper has no noisy-OR though every credible network has one."""
    certain = [
        row
        for row in rows
        if row.needs_noisy_or
        and row.published.shares is not None
        and not row.published.shares.nodes
    ]
    if not certain:
        return ""
    return (
        f"The paper has no noisy-OR for {_names(certain)}. With its own files that is impossible, "
        "as follows without counting networks: the best network found is better than every network "
        "of full tables alone by more than the slack, so each credible network has a noisy-OR."
    )


def _count(rows: list[Row]) -> str:
    return f"{len(rows)} {'has' if len(rows) == 1 else 'have'}"


def _names(rows: Iterable[Row]) -> str:
    return listed(row.name for row in rows) or "none"


def _gains(rows: list[Row]) -> str:
    known = [(row, gain) for row in rows if (gain := row.gain()) is not None]
    if not known:
        return ""
    same = [row for row, _ in known if row.gains_nothing]
    lower = [
        (least, row.name if least == most else f"{row.name}, at least")
        for row, (least, most) in known
        if least > 0 and not row.gains_nothing
    ]
    needing = [row for row, _ in known if row.needs_noisy_or]
    text = (
        "`<=` is the best network found, not proven to be optimal, and `>=` the networks known. "
        "`gain` is by how much noisy-ORs lower the optimum, a range where one of the two is not "
        f"proven. They lower it in {len(lower)} of {len(known)} data sets"
    )
    if lower:
        (least, least_name), (most, most_name) = min(lower), max(lower)
        text += f", by {least:.2f} ({least_name}) to {most:.2f} nats ({most_name})"
    slack = BayesFactor(BAYES_FACTOR).slack
    return (
        f"{text}; the optimum is the same for {_names(same)}. The paper says that optimal "
        f"networks with noisy-ORs were consistently better. In {len(needing)} data sets the gain "
        f"is above the slack (ln {BAYES_FACTOR} = {slack:.2f}): no network of full tables alone is "
        "credible there."
    )


def _pruning(rows: list[Row]) -> str:
    found = [(one.percent, row.name) for row in rows if (one := row.pruned_by_rules()) is not None]
    if not found:
        return ""
    least, most = min(found), max(found)
    return (
        f"The rules leave out {percent_text(least[0])} % ({least[1]}) to {percent_text(most[0])} % "
        f"({most[1]}) of all families; the paper says {PAPER_PRUNED[0]} % to {PAPER_PRUNED[1]} % "
        "of the candidate parent sets, and does not say for which data sets."
    )


def _finished(rows: list[Row]) -> str:
    runs = [(row, row.both) for row in rows if row.both is not None and row.complete]
    text = (
        f"{len(runs)} of {len(rows)} data sets are complete, in "
        f"{sum(run['seconds']['total'] for _, run in runs):.0f} s together."
    )
    late = [(row.name, run) for row, run in runs if row.published.shares is None]
    if late:
        told = ", ".join(
            f"{name} takes {run['seconds']['total']:.1f} s and {run['peak_mib']:,.0f} MiB"
            for name, run in late
        )
        text += f" Of those that the paper could not finish in {PAPER_LIMITS}, {told}."
    return text
