"""The page on recovery with many variables: distances from the truth, and what was proven."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.harness.markdown import listed, table, wrapped
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.harness.random_networks import ARCS_PER_VARIABLE, FAILURES, LEAKS, MOST_PARENTS
from benchmarks.recovery.figure import FIGURE
from benchmarks.recovery.plan import LIMIT, NETWORKS, RECORDS, jobs
from benchmarks.recovery.statistics import by_variables, mean_distance, proven_count

_INTRODUCTION = """\
## Recovery of 20 to 200 variables, and where proofs stop

Made by `make recovery` (`python -m benchmarks.recovery`). Random networks have {arcs:g} arcs per
variable and at most {parents} parents; a family with two or more parents is a noisy-OR with a leak
of {leaks[0]:g} to {leaks[1]:g} and causes that fail with q from {failures[0]:g} to {failures[1]:g}.
There are {networks} networks of each size, with one sample of {records:,} records each: too few for
intervals. From each, the best network is learned on one thread within {limit:g} s of processor
time; full tables and leaky noisy-ORs compete, which is the default. {coverage} The
[race of many variables](large.md) compares full tables alone, leaky noisy-ORs and other programs.

The distance counts the pairs of variables that are joined in one of the two networks only: missing
edges and extra ones, without their directions. CPDAG SHD also counts directions."""

_PROVEN = """\
`all networks` counts the samples whose best network is proven to be the best of all. Where the
proof went by numbers of parents, `at most k parents` has, for each sample, the largest k for which
the best network with at most k parents at each node is proven (0: none). `gap` is how far below the
network found an unknown one may lie at most, in nats, for each sample; a dash means that no useful
bound is known."""


def section(results: Mapping[str, Results]) -> str:
    """Return the page as a section."""
    groups = by_variables(results)
    parts = [
        _introduction(results),
        f"![Distance from the true network]({IMAGES}/{FIGURE})",
        stops(groups),
        result_table(groups),
        _PROVEN,
    ]
    return wrapped("\n\n".join(parts)) + "\n"


def _introduction(results: Mapping[str, Results]) -> str:
    return _INTRODUCTION.format(
        arcs=ARCS_PER_VARIABLE,
        parents=MOST_PARENTS,
        leaks=LEAKS,
        failures=FAILURES,
        networks=NETWORKS,
        records=RECORDS,
        limit=LIMIT,
        coverage=f"Of {len(jobs())} planned samples, {len(results)} have a result.",
    )


def stops(groups: Mapping[int, Sequence[Results]]) -> str:
    """Say up to how many variables the best network is proven, and what is known beyond."""
    whole = [n for n, some in groups.items() if proven_count(some) == len(some)]
    none = [n for n, some in groups.items() if proven_count(some) == 0]
    partly = [n for n in groups if n not in (*whole, *none)]
    said = [
        f"{words} {listed(some)} variables"
        for words, some in (
            ("in every sample of", whole),
            ("in some of", partly),
            ("in none of", none),
        )
        if some
    ]
    layers = [
        one["learned"]["layers"]
        for some in groups.values()
        for one in some
        if one["learned"]["method"] == "layers"
    ]
    text = f"**Where exactness stops**: the best network of all is proven {', '.join(said)}."
    if layers:
        text += (
            " Where the proof goes by numbers of parents, it reaches "
            f"{min(layers)} to {max(layers)} parents at each node."
        )
    return text


def result_table(groups: Mapping[int, Sequence[Results]]) -> str:
    """Return means over the samples of each number of variables, and what was proven of each."""
    rows = []
    for variables, some in groups.items():
        runs = [one["learned"] for one in some]
        arcs = [one["truth"]["arcs"] for one in some]
        classes = [run["cpdag_shd"] / true for run, true in zip(runs, arcs, strict=True)]
        rows.append(
            [
                str(variables),
                str(len(some)),
                f"{fmean(arcs):.0f}",
                *(f"{fmean(run[what] for run in runs):.1f}" for what in ("missing", "extra")),
                f"{mean_distance(some):.2f}",
                f"{fmean(classes):.2f}",
                f"{proven_count(some)} of {len(some)}",
                "; ".join(_layers(run) for run in runs),
                "; ".join(_gap(run) for run in runs),
                "; ".join(f"{run['seconds']:.0f}" for run in runs),
            ]
        )
    headings = (
        "n",
        "samples",
        "true arcs",
        "missing",
        "extra",
        "distance per true arc",
        "CPDAG SHD per true arc",
        "proven: all networks",
        "at most k parents",
        "gap, nats",
        "processor, s",
    )
    return table(headings, rows)


def _layers(run: Results) -> str:
    return str(run["layers"]) if run["method"] == "layers" else "-"


def _gap(run: Results) -> str:
    bound = run["lower_bound"]
    return "-" if bound is None else f"{run['optimum'] - bound:.1f}"
