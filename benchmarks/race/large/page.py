"""The race of many variables as a section of the results page."""

from collections.abc import Mapping, Sequence

from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.harness.random_networks import Kind
from benchmarks.race.cells import NOTHING, seconds_text
from benchmarks.race.large.cells import GROWTH_SIZE, RECORDS, Cell, all_cells
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.figures import BY_RECORDS, VARIABLES
from benchmarks.race.large.running import (
    CAUSES,
    LIMITS,
    MOST_VARIABLES,
    OWN,
    PGMPY,
)
from benchmarks.race.large.statistics import (
    GOAL_SHARE,
    GOAL_WORSE,
    Contest,
    Standing,
    contests,
    first_seconds,
    standing,
)
from benchmarks.race.statistics import peer_versions

KINDS = {
    Kind.TABLES: "full tables",
    Kind.LEAKY: "leaky noisy-ORs",
    Kind.MIXED: "noisy-ORs and full tables",
}

INTRODUCTION = f"""\
## The race of many variables

Made by `make large` (`python -m benchmarks.race.large`); the figures are in
`benchmarks/results/large.jsonl`. Every contestant was given the same table in memory and looked for
a network of full tables with a low BIC. None proves anything. Each had a process of its own, bound
to one core, and {MARKS[-1]:g} s of *processor* time: other programs used the machine meanwhile,
and by this clock they cost a contestant only what they took of shared caches. `{OWN}` is the local
search with which `noisyor learn` begins, on one thread; it was asked for its network after
{listed(f"{one:g}" for one in MARKS)} s. The peers return at their end, and count from then on. A
peer that has not ended at {MARKS[-1]:g} s gave nothing.

- `{OWN}` ends early when nothing has improved for half of its time, after 10 s at least; its last
  network then stands for the later marks, too.
- `{CAUSES}` also has leaky noisy-ORs to choose from, and {LIMITS[CAUSES]:g} s. Its costs are of
  these networks, so they may be below those of the best network of full tables.
- pgmpy takes part up to {MOST_VARIABLES[PGMPY]} variables: with 100 it does not end in time.
  causal-learn's GES does not end in time with 50 variables and 500 records, and is left out.
- All networks were scored by noisyor, in nats; lower is better.

Random networks are those of the study, with 1.35 arcs per variable and at most 4 parents; the
others are networks that pgmpy carries, in their original states. Columns are in random order;
those that never change are left out, and so are tables with more columns than noisyor can learn
from. One cell, full tables of 200 variables with 5,000 records, was looked at while the search was
made: it showed that no candidate parent may be left out."""

TABLE = """\
### All cells

`first` is the processor time until there was a first whole network. `excess` is how much more the
network costs than the best that any contestant found in the cell, in nats, after 1, 10 and 60 s.
`distance` is the structural Hamming distance of the last network's CPDAG from the true one, `F1`
compares the skeletons. `memory` is the peak of the process, and what its table and packages took
before."""

HEADINGS = (
    "network",
    "n",
    "N",
    "program",
    "first",
    *(f"excess, {mark:g} s" for mark in MARKS),
    "distance",
    "F1",
    "memory, MiB",
)


def section(results: Mapping[str, Results], images: str = IMAGES) -> str:
    """Return the race as Markdown, whose figures are in the folder `images`."""
    done = contests(results)
    rows = [row(one, program) for one in done for program in one.programs]
    parts = [
        INTRODUCTION,
        _versions(done),
        "### Who is ahead",
        "\n".join(f"- {line}" for line in verdicts(done)),
        f"![By variables]({images}/{VARIABLES})",
        f"![By records]({images}/{BY_RECORDS})",
        TABLE,
        table(HEADINGS, rows, left=1),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def verdicts(done: Sequence[Contest]) -> list[str]:
    """Return what the results say about the goals, a line each."""
    lines = [
        f"{len(done)} of {len(all_cells())} cells have been run; what follows is about these.",
        *(_verdict(standing(done, mark), mark) for mark in MARKS),
    ]
    first = _first_network(done)
    return [*lines, first] if first else lines


def _verdict(found: Standing, mark: float) -> str:
    goal = ""
    if mark == MARKS[1]:
        goal = _goal("at least as good", reached=found.at_least >= GOAL_SHARE * found.cells)
    if mark == MARKS[2]:
        reached = found.better >= GOAL_SHARE * found.cells and found.worst >= -GOAL_WORSE
        goal = _goal(f"better and none worse by more than {GOAL_WORSE:.1%}", reached=reached)
    worst = f"{found.worst:+.3%}" if found.cells else NOTHING
    lost = f" Behind in {listed(found.lost)}." if found.lost else ""
    return (
        f"After {mark:g} s: better than the best peer in {found.better} of {found.cells} cells, "
        f"equal in {found.tied}; the least lead is {worst} of the cost ({found.worst_cell}). In "
        f"{found.alone} more cells no peer had a network yet.{lost}{goal}"
    )


def _goal(what: str, *, reached: bool) -> str:
    return f" The goal, {GOAL_SHARE:.0%} {what}, is {'reached' if reached else 'not reached'}."


def _first_network(done: Sequence[Contest]) -> str | None:
    seconds, cell = first_network_seconds(done), growth_cell()
    if seconds is None:
        return None
    return (
        f"First network of {cell.variables} variables and {cell.records:,} records "
        f"({KINDS[Kind.TABLES]}): {seconds_text(seconds)} after the table was read. The "
        f"goal, 1 s, is {'reached' if seconds <= 1 else 'not reached'}."
    )


def first_network_seconds(done: Sequence[Contest]) -> float | None:
    """Return the seconds from the table to the first network, in the cell that the goal names."""
    for one in done:
        if one.cell == growth_cell():
            own = one.programs[OWN]
            return float(own["first"] - own["read"])
    return None


def growth_cell() -> Cell:
    """Return the cell whose first network the goal is about."""
    return next(
        cell
        for cell in all_cells()
        if (cell.kind, cell.variables, cell.records) == (Kind.TABLES, GROWTH_SIZE, RECORDS[-1])
    )


def row(one: Contest, program: str) -> list[str]:
    """Return a contestant's row in the table of all cells."""
    found, cell = one.programs[program], one.cell
    name = cell.network if cell.kind is None else KINDS[cell.kind]
    about = [name, str(found["variables"]), f"{cell.records:,}", program]
    seconds = first_seconds(found)
    if seconds is None:
        late = f"> {found['limit']:g} s" if "limit" in found else "failed"
        return [*about, late, *[NOTHING] * 6]
    last = found["networks"][-1]
    limit = LIMITS.get(program, MARKS[-1])
    costs = [one.cost_at(program, mark) if mark <= limit else None for mark in MARKS]
    return [
        *about,
        seconds_text(seconds),
        *(NOTHING if cost is None else f"{cost - one.best_cost:,.1f}" for cost in costs),
        str(last["cpdag_shd"]),
        f"{last['skeleton_f1']:.3f}",
        f"{found['peak_mib']:,.0f} ({found['before_mib']:,.0f})",
    ]


def _versions(done: Sequence[Contest]) -> str:
    found = peer_versions({one.cell.key: {"programs": one.programs} for one in done})
    return "Versions: " + "; ".join(f"{name} {', '.join(all_)}" for name, all_ in found.items())
