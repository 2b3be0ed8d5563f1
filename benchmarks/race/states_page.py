"""Scoring of tables with more than two states, as a part of the race's section."""

from statistics import mean

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.race.cells import NOTHING, families_text, seconds_text, times
from benchmarks.race.jobs import (
    ALL_COSTS,
    MAX_PARENTS,
    ONE_BY_ONE,
    PRUNED,
    SCORED_FAMILIES,
    STATES_LIMIT,
)
from benchmarks.race.statistics import busy_microseconds_a_family, jobs_of

STATES = f"""\
### Scoring of tables with more states

Full tables, parent sets of at most {MAX_PARENTS}, of samples of networks that pgmpy carries, in
their original states; `states` is the mean number. All scores are BIC. `{ALL_COSTS}` scores all
sets in one call on one thread, without pruning, and returns their costs. It does not return those
that are more than 690 nats above the cost of a subset, and stops counting such a family once that
is certain. `pruned` returns only the families that an optimal network may have, which is all that
learning needs, and stops counting any other family early: it does less work than the peers, for
another result. So the ratio to all costs compares scorers, the ratio to pruned what learning waits
for. pyAgrum and GOBNILP's own scorer are asked for all sets as well, one by one. pgmpy and
`{ONE_BY_ONE}` are given {SCORED_FAMILIES:,} of these families, drawn at random; their times per
family are those of the sample.

Times are processor times of all threads, since other programs ran on the machine; they include
making the scorer from the table. Ratios compare the time per family with that of `{ALL_COSTS}`,
and with that of `{PRUNED}`; the project's target is 10. `difference` is the
largest one to noisyor's cost of a family fitted alone, over the sample, in nats. A peer is killed
after {STATES_LIMIT:g} s. GOBNILP's scorer is that of pygobnilp, which caches entropies for the next
families; its solver, which needs Gurobi, is not used."""

OWN_SCORERS = (ALL_COSTS, PRUNED, ONE_BY_ONE)
HEADINGS = (
    "data",
    "n",
    "states",
    "N",
    "program",
    "scored",
    "returned",
    "time",
    "µs a family",
    "ratio to all costs",
    "ratio to pruned",
    "difference",
)


def states_section(results: Results) -> str:
    """Return the table of programs that scored tables with more than two states."""
    jobs = jobs_of(results, "states")
    if not jobs:
        return ""
    rows = [_row(name, job, program) for name, job in jobs.items() for program in job["programs"]]
    return "\n\n".join([STATES, table(HEADINGS, rows), *_least_ratios(jobs)])


def _least_ratios(jobs: dict[str, Results]) -> list[str]:
    """Return a sentence for each way of noisyor: the peer that comes closest to it."""
    found = []
    for own in (ALL_COSTS, PRUNED):
        ratios = [
            (each / base, program, name)
            for name, job in jobs.items()
            for program, one in job["programs"].items()
            if program not in OWN_SCORERS
            and (each := busy_microseconds_a_family(one)) is not None
            and (base := busy_microseconds_a_family(job["programs"][own])) is not None
        ]
        if ratios:
            least, program, name = min(ratios)
            found.append(f"Closest to `{own}`: {program}, {times(least)} times as long, on {name}.")
    return found


def _row(name: str, job: Results, program: str) -> list[str]:
    one = job["programs"][program]
    bases = [busy_microseconds_a_family(job["programs"][own]) for own in (ALL_COSTS, PRUNED)]
    each = busy_microseconds_a_family(one)
    difference = one.get("largest_difference")
    about = [
        name,
        str(job["variables"]),
        f"{mean(job['states']):.1f}",
        f"{job['records']:,}",
        program,
    ]
    if each is None:
        limit = f"> {one['limit']:g} s" if "limit" in one else "failed"
        return [*about, NOTHING, NOTHING, limit, *[NOTHING] * 4]
    return [
        *about,
        families_text(one),
        f"{one.get('returned', one['families']):,}",
        seconds_text(one["busy_seconds"]),
        f"{each:,.2f}",
        *(NOTHING if base is None else times(each / base) for base in bases),
        NOTHING if difference is None else f"{difference:.0e}",
    ]
