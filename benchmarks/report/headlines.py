"""The five numbers of the README: a sentence each, from the stored results of one script.

Each function returns None where the results do not have its number yet.
"""

from collections.abc import Callable

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.paper.table1.measures import PAPERS_TESTS
from benchmarks.paper.table1.page import verdict_counts
from benchmarks.paper.table1.stored import MANY_TESTS, RELATIVE, cells_of, text
from benchmarks.paper.table2.statistics import PAPER, rows_of
from benchmarks.race.jobs import EXACT
from benchmarks.race.statistics import is_optimal, jobs_of, ratio
from benchmarks.study.answers import truth_cells
from benchmarks.study.plan import COMMON_SIZE
from benchmarks.study.statistics import curve_outcomes, mean_band, outcomes_of, per_arc
from benchmarks.study.tables import CPDAG_SHD

Headline = Callable[[Results], str | None]


def finished(results: Results) -> str | None:
    """Return how many of the paper's data sets are learned completely."""
    rows = rows_of(results)
    complete = sum(row.complete for row in rows)
    theirs = sum(row.published.shares is not None for row in rows)
    if not complete:
        return None
    lacking = ", ".join(row.name for row in rows if not row.complete)
    return (
        f"**{complete} of {len(PAPER)}** data sets of the paper have all their credible networks "
        "found, counted and proven, both relations, no limit on parents"
        f"{f' (not: {lacking})' if lacking else ''}; the paper finishes {theirs}"
    )


def largest_set(results: Results) -> str | None:
    """Return the largest credible set that was counted."""
    rows = [row for row in rows_of(results) if row.both is not None and row.complete]
    counts = {row.name: row.both["members"] for row in rows if row.both is not None}
    if not counts:
        return None
    name = max(counts, key=counts.__getitem__)
    return f"**{counts[name]:,}** networks are credible for {name}, the largest set counted"


def recovered(results: Results) -> str | None:
    """Return how well noisy-ORs are recovered, with the most parents and records."""
    cells = cells_of(results, MANY_TESTS)
    if not cells.stored:
        return None
    records, parents = max(cells.stored)
    ours = cells.stored[records, parents]["measures"]["relative/newton"]["median"]
    paper = results["paper"][f"{RELATIVE}/{parents}/{records}"]
    good, chance, _ = verdict_counts(cells, "relative")
    return (
        f"**{text(ours)}** is the median relative error of q of a noisy-OR with {parents} parents, "
        f"from {records:,} records, by the certified fit (the paper: {paper['kl']:.2f}, its EM "
        f"{paper['em']:.2f}); of {len(cells.stored)} sizes it is at most the paper's in {good}, "
        f"and in {chance} more within the chance of {PAPERS_TESTS} tests"
    )


def structure_gain(results: Results) -> str | None:
    """Return the effect of allowing noisy-ORs on the recovery of structures."""
    everything = outcomes_of(results)
    outcomes = [
        one for one in curve_outcomes(everything, str(Kind.NOISY_OR)) if one.records == COMMON_SIZE
    ]
    both, cpt = (mean_band(outcomes, per_arc(name, "cpdag_shd")) for name in ("both", "cpt"))
    if both is None or cpt is None:
        return None
    cells, better, worse = truth_cells(everything, CPDAG_SHD, better_below=True)
    return (
        f"**{both.middle:.2f} instead of {cpt.middle:.2f}** edges per true arc are wrong (distance "
        f"of CPDAGs, {both.clusters} random networks of noisy-ORs, {COMMON_SIZE} records) when "
        "noisy-ORs are allowed besides full tables; on the ground-truth networks, which are made "
        f"of full tables, that is clearly better in {len(better)} and clearly worse in "
        f"{len(worse)} of {cells} cases"
    )


def speed_ratio(results: Results) -> str | None:
    """Return how much longer than noisyor an exact peer takes for the best network.

    The table is the one with the most variables that an exact peer finished; the peer is the
    fastest of these. Best run is compared with best run, with full tables alone. The sentence says
    whether the peer's network is optimal, since the peers' scores are not exactly BIC.
    """
    found = [
        (job["variables"], -factor, peer, job)
        for kind in ("optimum", "subset", "variables")
        for job in jobs_of(results, kind).values()
        for peer in EXACT
        if peer in job["programs"] and (factor := ratio(job, peer)) is not None
    ]
    if not found:
        return None
    variables, factor, peer, job = max(found, key=lambda one: one[:2])
    kind = "the same" if is_optimal(job, peer) else "a costlier"
    return (
        f"{peer} takes **{-factor:,.0f} times** as long as noisyor on one thread to find {kind} "
        "network; it is the fastest exact peer on the largest table that any of them finished "
        f"({variables} variables, full tables)"
    )


HEADLINES: tuple[tuple[str, Headline], ...] = (
    ("table2", finished),
    ("table2", largest_set),
    ("table1", recovered),
    ("study", structure_gain),
    ("race", speed_ratio),
)
"""The script whose results each number is from, and the number."""
