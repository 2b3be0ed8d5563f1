"""The answers of docs/results.md: what was measured, in plain words, with its limits.

Each function returns None where the results do not have its numbers yet.
"""

from collections.abc import Callable, Mapping

from benchmarks.harness.markdown import listed
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.heldout.plan import ALL, FOLDS, LEAKY, SAMPLED
from benchmarks.heldout.plan import PAPER as PAPERS_PAIR
from benchmarks.heldout.statistics import Gain, of_averaging, over_tables
from benchmarks.paper.table1.measures import PAPERS_TESTS
from benchmarks.paper.table1.stored import MANY_TESTS, RELATIVE, cells_of, text
from benchmarks.paper.table1.verdicts import verdict_counts
from benchmarks.paper.table2.statistics import PAPER, PAPER_LIMITS, rows_of
from benchmarks.race.cells import seconds_text
from benchmarks.race.gobnilp.page import taken_ratios
from benchmarks.race.jobs import GREEDY, PEER_LIMIT
from benchmarks.race.large.cells import all_cells
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.page import first_network_seconds, growth_cell
from benchmarks.race.large.running import PEERS
from benchmarks.race.large.statistics import contests, standing
from benchmarks.race.statistics import is_optimal, jobs_of
from benchmarks.race.statistics import standing as race_standing
from benchmarks.recovery.plan import LIMIT, RECORDS
from benchmarks.recovery.statistics import by_variables, mean_distance, proven_count
from benchmarks.relations.statistics import default_and_paper
from benchmarks.report.facts import fastest_exact_peer, largest
from benchmarks.study.plan import COMMON_SIZE
from benchmarks.study.statistics import Band, outcomes_of

GREEDY_PEER = GREEDY[2]  # the fastest that is given every job

Answer = Callable[[Results], str | None]


def credible_networks(results: Results) -> str | None:
    """Say how many data sets are complete, in what time, and how many networks are credible."""
    rows = rows_of(results)
    done = [(row, row.both) for row in rows if row.both is not None and row.complete]
    most = largest(results)
    if most is None or most.both is None:
        return None
    lacking = [row.name for row in rows if not row.complete]
    theirs = sum(row.published.shares is not None for row in rows)
    seconds = sum(run["seconds"]["total"] for _, run in done)
    fewest = min(run["members"] for _, run in done)
    return (
        f"A network is *credible* if the data favour the best one over it by a factor of at most "
        f"{BAYES_FACTOR}. For **{len(done)} of the {len(PAPER)}** data sets of the paper, noisyor "
        "finds, counts and proves all credible networks of full tables and noisy-ORs, with no "
        f"limit on parents, in {seconds:,.0f} s together"
        f"{f' (all but {listed(lacking)})' if lacking else ''}. The paper finishes {theirs}, with "
        f"{PAPER_LIMITS} for each. There are {fewest:,} to **{most.both['members']:,}** credible "
        f"networks in a data set, so a single network is one of many that the data support."
    )


def strengths(results: Results) -> str | None:
    """Say how well noisy-ORs are recovered, beside the paper."""
    found = cells_of(results, MANY_TESTS)
    if not found.stored:
        return None
    records, parents = max(found.stored)
    ours = found.stored[records, parents]["measures"]["relative/newton"]["median"]
    paper = results["paper"][f"{RELATIVE}/{parents}/{records}"]
    good, chance, worse = verdict_counts(found, "relative")
    return (
        "A noisy-OR has one number for each cause: q, the chance that the cause, when present, "
        f"fails to bring about the effect. With {parents} causes and {records:,} records, the "
        f"median error of q is **{text(ours)}** of its value; the paper has {paper['kl']:.2f}, and "
        f"{paper['em']:.2f} with EM, which its script fed with mixed-up records. Of "
        f"{len(found.stored)} combinations of causes and records, "
        f"the error is at most the paper's in {good}, above it but within the chance of "
        f"{PAPERS_TESTS} tests in {chance}, and clearly above it in {worse}."
    )


def real_data(results: Results) -> str | None:
    """Say on which real data sets relations predict held-out records better, or worse."""
    gains = {
        way: {name: gain for name, gain in over_tables(results, way).items() if name != SAMPLED}
        for way in (LEAKY, PAPERS_PAIR, ALL)
    }
    if not all(gains.values()):
        return None
    told = {way: _predicts(own) for way, own in gains.items()}
    averaged = of_averaging(results, LEAKY)
    up = sum(gain.mean > 0 for gain in averaged.values())
    return (
        "**Real data** have no known network, so what counts is how well records are predicted "
        f"that were not learned from ({FOLDS}-fold cross-validation). Against full tables alone, "
        f"leaky noisy-ORs (the default) are {told[LEAKY]}. The paper's noisy-ORs without leak are "
        f"{told[PAPERS_PAIR]}; all relations are {told[ALL]}. Averaging the credible networks "
        f"predicts better than the best one on {up} of {len(averaged)}, where it is known."
    )


def _predicts(gains: Mapping[str, Gain]) -> str:
    better = [name for name, gain in gains.items() if gain.clearly_better]
    worse = [name for name, gain in gains.items() if gain.clearly_worse]
    return (
        f"clearly better on **{len(better)} of {len(gains)}**{_in_brackets(better)} and clearly "
        f"worse on {len(worse)}{_in_brackets(worse)}"
    )


def _in_brackets(names: list[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def relations(results: Results) -> str | None:
    """Say where noisy-ORs help and where they do harm."""
    some = default_and_paper(outcomes_of(results))
    if not some:
        return None
    told = [f"{_change(leaky)} ({group})" for group, (leaky, _) in some.items()]
    return (
        f"**Known networks**: from samples of {COMMON_SIZE} records, allowing leaky noisy-ORs "
        f"changes the wrong edges per true edge by {listed(told)}. Below 0 is better, bold is "
        "clear; the ground-truth networks are read as full tables."
    )


def _change(band: Band) -> str:
    number = f"{band.middle:+.2f}"
    if float(number) == 0:
        number = "0.00"
    return f"**{number}**" if band.clearly_below(0) or band.clearly_above(0) else number


def speed(results: Results) -> str | None:
    """Say how long other programs take for the same job, and how good their networks are."""
    found = fastest_exact_peer(results)
    if found is None:
        return None
    factor, peer, largest_job = found
    kind = "the same" if is_optimal(largest_job, peer) else "a costlier"
    kinds = ("optimum", "subset", "variables")
    jobs = [job for name in kinds for job in jobs_of(results, name).values()]
    exact, greedy = race_standing(jobs, peer), race_standing(jobs, GREEDY_PEER)
    pace = (
        f"a median of {greedy.median_ratio:.2g} times"
        if greedy.median_ratio is not None
        else "an unknown part of"
    )
    return (
        f"With {largest_job['variables']} columns, the largest table that another exact program "
        f"finished, {peer} takes **{factor:,.0f} times** as long as noisyor on one thread to find "
        f"{kind} network; {exact.stopped} of its {exact.jobs} jobs did not end in "
        f"{PEER_LIMIT:g} s. Programs that climb greedily prove nothing: {GREEDY_PEER} takes "
        f"{pace} noisyor's time, and finds the optimum in {greedy.optimal} of "
        f"{greedy.jobs} jobs. Full tables alone compete here: the job that all programs can do."
        f"{_solver_words()}"
    )


def _solver_words() -> str:
    """Say how the paper's solver stands, by the figures taken once."""
    ratios = taken_ratios()
    if ratios is None:
        return ""
    return (
        f" GOBNILP, the paper's solver, takes {ratios[0]:.0f} to {ratios[1]:.0f} times as long to "
        "find all credible networks of the same score files, by figures taken once."
    )


def many_variables(results: Results) -> str | None:
    """Say how the local search stands against other programs."""
    done = contests(results)
    if not done:
        return None
    sizes = [one.cell.variables for one in done]
    mark = MARKS[1]
    now = standing(done, mark)
    seconds = first_network_seconds(done)
    size = growth_cell().variables
    first = f" ({seconds_text(seconds)} for {size} columns)" if seconds is not None else ""
    return (
        f"A proof then takes too long. So noisyor gives a good network at once{first}, improves it "
        "while there is time, and says how far from optimal it can be at most. "
        f"{len(done)} of {len(all_cells())} planned tables have been run, of {min(sizes)} to "
        f"{max(sizes):,} columns. After {mark:g} s on one core its network is better than the best "
        f"of {listed(PEERS)} in **{now.better} of {now.cells}**, equal in {now.tied}, and worse in "
        f"{len(now.lost)}; in {now.alone} more no other program had a network yet."
    )


def recovery(results: Results) -> str | None:
    """Say up to how many variables the best network is proven, and how much of it is true."""
    groups = by_variables(results)
    if not groups:
        return None
    counts = [
        f"{proven_count(some)} of {len(some)} with {variables} columns"
        for variables, some in groups.items()
    ]
    distances = [f"{mean_distance(some):.2f}" for some in groups.values()]
    return (
        f"**Where proofs stop**: from {RECORDS:,} records of networks of leaky noisy-ORs, in "
        f"{LIMIT:g} s of one core, the best network is proven in {listed(counts)}. It has "
        f"{listed(distances)} wrong edges per true edge."
    )
