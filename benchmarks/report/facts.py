"""The five facts of the README: a short sentence each, from the stored results of one script.

A fact has at most MOST_WORDS words; the page that it links to has what was measured, and how.
Each function returns None where the results do not have its number yet.
"""

from collections.abc import Callable

from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.paper.table1.stored import MANY_TESTS, cells_of
from benchmarks.paper.table2.statistics import PAPER, Row, rows_of
from benchmarks.race.jobs import EXACT
from benchmarks.race.statistics import jobs_of, ratio
from benchmarks.study.plan import COMMON_SIZE
from benchmarks.study.statistics import Band, curve_outcomes, mean_band, outcomes_of, per_arc

MOST_WORDS = 15

Fact = Callable[[Results], str | None]


def finished(results: Results) -> str | None:
    """Return how many of the paper's data sets are learned completely."""
    complete = sum(row.complete for row in rows_of(results))
    if not complete:
        return None
    return (
        f"**{complete} of {len(PAPER)}** data sets of the paper: every credible network found, "
        "counted, proven."
    )


def largest_set(results: Results) -> str | None:
    """Return the largest credible set that was counted."""
    row = largest(results)
    if row is None or row.both is None:
        return None
    return (
        f"**{row.both['members']:,}** credible networks for {row.name}, a table of "
        f"{row.both['variables']} columns: counted, not estimated."
    )


def largest(results: Results) -> Row | None:
    """Return the data set with the most credible networks, among those that are complete."""
    rows = {
        row.both["members"]: row
        for row in rows_of(results)
        if row.both is not None and row.complete
    }
    return rows[max(rows)] if rows else None


def recovered(results: Results) -> str | None:
    """Return how well noisy-ORs are recovered, with the most parents and records."""
    cells = cells_of(results, MANY_TESTS)
    if not cells.stored:
        return None
    records, parents = max(cells.stored)
    error = cells.stored[records, parents]["measures"]["relative/newton"]["median"]
    return (
        f"**{error:.0%}** median relative error of a cause's failure chance, {parents} causes, "
        f"{records:,} records."
    )


def structure_gain(results: Results) -> str | None:
    """Return the effect of allowing noisy-ORs on the recovery of structures made of them."""
    bands = structure_bands(results)
    if bands is None:
        return None
    both, cpt = bands
    return (
        f"**{both.middle:.2f} instead of {cpt.middle:.2f}** wrong edges per true edge, where "
        "noisy-ORs are the truth."
    )


def structure_bands(results: Results) -> tuple[Band, Band] | None:
    """Return the distance of CPDAGs per true arc, with noisy-ORs and with full tables alone."""
    outcomes = [
        one
        for one in curve_outcomes(outcomes_of(results), str(Kind.NOISY_OR))
        if one.records == COMMON_SIZE
    ]
    both, cpt = (mean_band(outcomes, per_arc(name, "cpdag_shd")) for name in ("both", "cpt"))
    return None if both is None or cpt is None else (both, cpt)


def speed_ratio(results: Results) -> str | None:
    """Return how much longer than noisyor the fastest exact peer takes for the best network."""
    found = fastest_exact_peer(results)
    if found is None:
        return None
    factor, _, job = found
    return (
        f"The fastest other exact program measured takes **{factor:,.0f} times** as long "
        f"({job['variables']} columns)."
    )


def fastest_exact_peer(results: Results) -> tuple[float, str, Results] | None:
    """Return the ratio of times, the peer and the job.

    The table is the one with the most variables that an exact peer finished; the peer is the
    fastest of these. Best run is compared with best run, with full tables alone.
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
    _, factor, peer, job = max(found, key=lambda one: one[:2])
    return -factor, peer, job


FACTS: tuple[tuple[str, Fact], ...] = (
    ("table2", finished),
    ("table2", largest_set),
    ("table1", recovered),
    ("study", structure_gain),
    ("race", speed_ratio),
)
"""The script whose results each fact is from, and the fact."""
