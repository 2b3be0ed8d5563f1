"""The race as a section of the results page."""

import json
from collections.abc import Callable

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.statistics import EMULATED
from benchmarks.race.cells import NOTHING, families_text, seconds_text, times
from benchmarks.race.gobnilp.page import gobnilp_section
from benchmarks.race.jobs import (
    BINNED_RECORDS,
    BINNED_VARIABLES,
    LEARN,
    MAX_PARENTS,
    OWN_LIMIT,
    PEER_LIMIT,
    RECORDS_VARIABLES,
    SCORED_FAMILIES,
    SUBSET_DATA,
    VARIABLES_RECORDS,
)
from benchmarks.race.published_scorer import published_scorer
from benchmarks.race.states_page import states_section
from benchmarks.race.statistics import (
    BASE,
    BUSY_KIND,
    best_seconds,
    counts,
    excess,
    jobs_of,
    least_ratio,
    microseconds_a_family,
    peer_versions,
    programs_of,
    ratio,
    reasons,
    standing,
)

FITTING = RESULTS_FOLDER / "fitting.json"
ALL_SETS = "noisyor, all sets"

INTRODUCTION = f"""\
## The race

`make race`, or `python -m benchmarks.race`; the figures are in `benchmarks/results/race.json`.
Every program was given the same table in memory, on the same machine. The time is that of its call,
from the table to the graph, without loading packages or anything else that is loaded on first use.
Each program had a separate process for each job, which was stopped while the others ran. A call
below 5 s was made three times, the programs taking turns, and the shortest counts. A peer is killed
after {PEER_LIMIT:g} s, noisyor after {OWN_LIMIT:g} s. Each used its default number of threads.
Ratios are to `noisyor, 1 thread`. A ratio of 10 means that the peer took ten times as long.

What differs between the jobs:

- noisyor finds the optimum of BIC over full tables, with a proof, and counts all networks that cost
  the same (Bayes factor 1).
- pgmpy and pyAgrum climb greedily by the same BIC, pyAgrum also with a tabu list. They promise no
  optimum. MIIC does not optimise BIC at all: it tests independences by corrected information.
- pgmpy's exhaustive search scores all acyclic graphs by the same BIC.
- pomegranate finds the optimum of the same BIC, in single precision, and then fits parameters. It
  is given a pseudocount of one millionth: without it, the score of a table with an empty cell is
  not a number, and its search treats that family as free. The rows `no pseudocount` show the
  effect.
- causal-learn finds the optimum of another score: linear regressions with Gaussian noise. Its exact
  search has no score for binary data. So its time can be compared, but its network is not expected
  to be the optimum of BIC.

All costs are BIC in nats by noisyor's scorer; lower is better."""


STANDINGS = """\
### All jobs together

Jobs that a program was not given, because it failed with fewer variables, are not counted. Ratios
are over the jobs that it finished, so those of a program that was stopped are too low. `cores busy`
is the median of processor time over elapsed time."""

SCORING = f"""\
### Scoring

Full tables, parent sets of at most {MAX_PARENTS}. The peers score one family per call, from a
sample of {SCORED_FAMILIES:,} that is the same for all, and so does `noisyor, a family a call`.
`noisyor, all sets` decides all sets in one call on one thread. It returns only those that an
optimal network may have, and stops counting any other once it is certain that none has it; the
peers score every family to its end. `pruned` may leave out such families altogether. The time
includes making the scorer from the table. Ratios compare the time per family with that of `noisyor,
all sets`. `difference` is the largest one between a peer's score and noisyor's, in nats. The other
peers have no scorer of single families for binary data."""

GROWTH = """\
### How the cost of learning grows

All credible networks with both relations, as `noisyor learn` finds them, on all cores. Where n or N
grows, the records are the first N of one random network, for its first n variables, parents first.
Where states grow, the records stay the same: numbers that depend on each other by weighted sums,
cut into more and more bins of equal shares; noisy-ORs are noisy-MAXes there, and the time is that
of the processor, all threads together, since other programs ran. `families` are those searched;
`nodes` are the sets of the search's lattice and the nodes of the enumeration together."""


def section(results: Results) -> str:
    """Return the race as Markdown."""
    parts = [INTRODUCTION, _versions(results), _standings(results)]
    for kind, title, first in (
        ("optimum", "Whole data sets", "data"),
        ("subset", f"Random columns of {SUBSET_DATA}", "columns"),
        ("variables", "More and more variables", "n"),
    ):
        jobs = jobs_of(results, kind)
        if jobs:
            parts.append(_optima(title, first, jobs))
    parts += [
        gobnilp_section(),
        _scoring(results),
        states_section(results),
        _fitters(),
        published_scorer(KeptResults(EMULATED).results(), FITTING),
        _growth(results),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def time_text(one: Results) -> str:
    """Return a time, or why there is none."""
    seconds = best_seconds(one)
    if seconds is not None:
        return seconds_text(seconds)
    if "limit" in one:
        return f"> {one['limit']:g} s"
    if "gave_up_at" in one:
        return "not tried"
    return "not installed" if "missing" in one else "failed"


def ratio_text(job: Results, program: str, base: str = BASE) -> str:
    """Return how many times as long as noisyor a program takes."""
    exact, least = ratio(job, program, base), least_ratio(job, program, base)
    return times(exact) if exact is not None else NOTHING if least is None else f"> {times(least)}"


def excess_text(job: Results, program: str) -> str:
    """Return by how much a network costs more than the optimum."""
    found = excess(job, program)
    return NOTHING if found is None else f"{found:.3f}".replace("-0.000", "0.000")


def _versions(results: Results) -> str:
    found = peer_versions(results)
    machines = dict.fromkeys(one["provenance"]["machine"] for one in results.values())
    commits = dict.fromkeys(one["provenance"]["commit"] for one in results.values())
    said = ", ".join(f"{name} {' and '.join(some)}" for name, some in found.items())
    return f"Machine: {'; '.join(machines)}. Versions: {said}. Commit: {', '.join(commits)}."


def _standings(results: Results) -> str:
    """Return how each program did over all jobs that ask for a network."""
    jobs = [
        job
        for kind in ("optimum", "subset", "variables")
        for job in jobs_of(results, kind).values()
    ]
    if not jobs:
        return ""
    rows = []
    for name in programs_of(jobs):
        if name == LEARN:
            continue
        one = standing(jobs, name)
        rows.append(
            (
                name,
                str(one.jobs),
                str(one.finished),
                str(one.stopped),
                str(one.optimal),
                NOTHING if one.largest_excess is None else f"{max(one.largest_excess, 0.0):.1f}",
                NOTHING if one.median_ratio is None else times(one.median_ratio),
                f"{times(one.ratios[0])} to {times(one.ratios[-1])}" if one.ratios else NOTHING,
                NOTHING if one.cores is None else f"{one.cores:.1f}",
            )
        )
    headings = (
        "program",
        "jobs",
        "finished",
        "stopped at the limit",
        "found the optimum",
        "largest excess, nats",
        "median ratio",
        "ratios",
        "cores busy",
    )
    return f"{STANDINGS}\n\n{table(headings, rows)}"


def _optima(title: str, first: str, jobs: dict[str, Results]) -> str:
    programs = [name for name in programs_of(jobs.values()) if name != LEARN]

    def grid(cell: Callable[[Results, str], str]) -> str:
        return table(
            [first, "n", "N", *programs],
            [
                [
                    key,
                    str(job["variables"]),
                    f"{job['records']:,}",
                    *(cell(job, name) if name in job["programs"] else "" for name in programs),
                ]
                for key, job in jobs.items()
            ],
        )

    texts = [
        f"### {title}",
        "Time:",
        grid(lambda job, name: time_text(job["programs"][name])),
        "Ratio to noisyor on one thread:",
        grid(ratio_text),
        "Cost of the network found above the optimum, in nats:",
        grid(excess_text),
        "Peak memory, in MiB, packages included:",
        grid(lambda job, name: _mib(job["programs"][name])),
    ]
    failed = [f"- {', '.join(where)}: {text}" for text, where in reasons(jobs).items()]
    return "\n\n".join([*texts, *(["\n".join(failed)] if failed else [])])


def _mib(one: Results) -> str:
    return f"{one['peak_mib']:.0f}" if "peak_mib" in one else NOTHING


def _scoring(results: Results) -> str:
    jobs = jobs_of(results, "scoring")
    if not jobs:
        return ""
    rows = []
    for key, job in jobs.items():
        base = microseconds_a_family(job["programs"][ALL_SETS])
        for name, one in job["programs"].items():
            each = microseconds_a_family(one)
            difference = one.get("largest_difference")
            rows.append(
                (
                    key,
                    f"{job['records']:,}",
                    name,
                    NOTHING if each is None else families_text(one),
                    time_text(one),
                    NOTHING if each is None else f"{each:,.2f}",
                    NOTHING if each is None or not base else times(each / base),
                    NOTHING if difference is None else f"{difference:.0e}",
                )
            )
    headings = ("data", "N", "program", "families", "time", "µs a family", "ratio", "difference")
    return f"{SCORING}\n\n{table(headings, rows)}"


def _fitters() -> str:
    """Return the race of noisyor's own fitters, as benchmarks.timings.fitting has stored it."""
    if not FITTING.exists():
        return ""
    report = json.loads(FITTING.read_text())
    rows = [
        (
            name,
            f"{one['fits_per_second']:,}",
            f"{one['newton_is_faster_by']:g}",
            f"{one['worst_excess']:.0e}",
            f"{one['converged']:.1%}",
        )
        for name, one in report["fitters"].items()
    ]
    few, many = report["parents"]
    headings = ("fitter", "fits/s", "Newton is faster by", "worst excess, nats", "converged")
    return (
        "### Fitting noisy-ORs\n\nThe paper's Algorithm 1 (`gradient`), "
        "expectation-maximisation and the certified Newton's method, on\n"
        f"the same {report['fitted']:,} families of {report['table']} with {few} to {many} "
        "parents, one core; from\n`python -m benchmarks.timings.fitting`, run separately.\n\n"
        + table(headings, rows)
    )


def _growth(results: Results) -> str:
    """Return how the cost of learning all credible networks grows."""
    texts = []
    for kind, heading, remark in (
        ("variables", "n", f"{VARIABLES_RECORDS:,} records, Bayes factor 20"),
        ("records", "N", f"{RECORDS_VARIABLES} variables, Bayes factor 20"),
        (
            "bins",
            "states",
            f"{BINNED_VARIABLES} variables, {BINNED_RECORDS:,} records, Bayes factor 20",
        ),
        ("factor", "data, Bayes factor", "real data sets"),
    ):
        jobs = jobs_of(results, kind)
        if jobs:
            is_busy = kind == BUSY_KIND
            rows = [_growth_row(key, job, is_busy=is_busy) for key, job in jobs.items()]
            time = "processor time" if is_busy else "time"
            headings = (heading, time, "peak MiB", "fits", "families", "nodes", "networks")
            texts += [f"By {heading} ({remark}):", table(headings, rows)]
            if is_busy:
                texts.append(_states_words(jobs))
    if not texts:
        return ""
    return "\n\n".join([GROWTH, *texts])


def _states_words(jobs: dict[str, Results]) -> str:
    """Say how the cost changes from the fewest states to the most."""
    states = sorted(int(key) for key in jobs)
    few, many = jobs[str(states[0])], jobs[str(states[-1])]
    told = []
    for program, name in ((LEARN, "with both relations"), (BASE, "of full tables alone")):
        less, more = few["programs"][program], many["programs"][program]
        told.append(
            f"{name} the processor time goes from {seconds_text(less['busy_seconds'])} to "
            f"{seconds_text(more['busy_seconds'])} and the memory from {_mib(less)} to "
            f"{_mib(more)} MiB"
        )
    return (
        f"From {states[0]} to {states[-1]} states, {' and '.join(told)}. The penalty of a family "
        "grows with its states, so that fewer are searched; a fit of a noisy-MAX has a level for "
        "each state of the child but the first, and a cause for each of a parent's."
    )


def _growth_row(key: str, job: Results, *, is_busy: bool) -> tuple[str, ...]:
    one, work = job["programs"][LEARN], counts(job, LEARN)
    label = key.replace("/", ", ") if "/" in key else f"{int(key):,}"
    if work is None:
        return (label, time_text(one), *[NOTHING] * 5)
    return (
        label,
        seconds_text(one["busy_seconds"]) if is_busy else time_text(one),
        _mib(one),
        *(f"{work[name]:,.0f}" for name in ("fits", "families", "nodes", "networks")),
    )
