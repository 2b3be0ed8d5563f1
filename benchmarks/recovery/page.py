"""The page on recovery with many variables: distances from the truth, and what was proven."""

from collections.abc import Mapping, Sequence
from statistics import fmean

from benchmarks.harness.markdown import listed, table, wrapped
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.harness.random_networks import ARCS_PER_VARIABLE, FAILURES, LEAKS, MOST_PARENTS
from benchmarks.recovery.figure import FIGURE
from benchmarks.recovery.plan import LEAKY, LIMIT, NETWORKS, RECORDS, SETS, TABLES, TITLES, jobs
from benchmarks.recovery.statistics import by_variables, mean_distance

_INTRODUCTION = """\
## Recovery of 30 to 200 variables, and where proofs stop

Made by `make recovery` (`python -m benchmarks.recovery`). Random networks have {arcs:g} arcs per
variable and at most {parents} parents; a family with two or more parents is a noisy-OR with a leak
of {leaks[0]:g} to {leaks[1]:g} and causes that fail with q from {failures[0]:g} to {failures[1]:g}.
There are {networks} networks of each size, with one sample of {records:,} records each: too few for
intervals. From each, the best network is learned on one thread within {limit:g} s of
processor time, with full tables alone and with leaky noisy-ORs besides (the default). {coverage}

The distance counts the pairs of variables that are joined in one of the two networks only:
missing edges and extra ones, without their directions. CPDAG SHD also counts directions."""

_PROVEN = """\
### What was proven

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
        distance_table(groups),
        _PROVEN,
        proof_table(groups),
    ]
    return wrapped("\n\n".join(part for part in parts if part)) + "\n"


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
    lines = []
    for name in SETS:
        whole = [n for n, some in groups.items() if all(one[name]["proven"] for one in some)]
        partly = [n for n, some in groups.items() if any(one[name]["proven"] for one in some)]
        rest = [n for n in groups if n not in partly]
        said = [f"proven best in every sample of {listed(whole)} variables"] if whole else []
        if some := [n for n in partly if n not in whole]:
            said.append(f"in some of {listed(some)}")
        if rest:
            said.append(f"in none of {listed(rest)}")
        lines.append(f"- **{TITLES[name][0].upper()}{TITLES[name][1:]}**: {', '.join(said)}.")
    nearer = [
        n for n, some in groups.items() if mean_distance(some, LEAKY) < mean_distance(some, TABLES)
    ]
    lines.append(
        "- With leaky noisy-ORs, which are the truth here, the mean distance is below that of full "
        f"tables alone with {listed(nearer) if nearer else 'no number of'} variables, of "
        f"{listed(groups)}."
    )
    return "\n".join(lines)


def distance_table(groups: Mapping[int, Sequence[Results]]) -> str:
    """Return the means over the samples of each number of variables."""
    rows = []
    for variables, some in groups.items():
        for name in SETS:
            means = {
                what: fmean(one[name][what] for one in some)
                for what in ("arcs", "missing", "extra", "cpdag_shd")
            }
            rows.append(
                [
                    str(variables),
                    TITLES[name],
                    f"{fmean(one['truth']['arcs'] for one in some):.0f}",
                    f"{means['arcs']:.1f}",
                    f"{means['missing']:.1f}",
                    f"{means['extra']:.1f}",
                    f"{mean_distance(some, name):.2f}",
                    f"{fmean(one[name]['cpdag_shd'] / one['truth']['arcs'] for one in some):.2f}",
                ]
            )
    headings = ("n", "relations", "true arcs", "arcs", "missing", "extra")
    return table((*headings, "distance per true arc", "CPDAG SHD per true arc"), rows, left=2)


def proof_table(groups: Mapping[int, Sequence[Results]]) -> str:
    """Return what was proven of each sample."""
    rows = []
    for variables, some in groups.items():
        for name in SETS:
            runs = [one[name] for one in some]
            rows.append(
                [
                    str(variables),
                    TITLES[name],
                    f"{sum(one['proven'] for one in runs)} of {len(runs)}",
                    "; ".join(_layers(one) for one in runs),
                    "; ".join(_gap(one) for one in runs),
                    "; ".join(f"{one['seconds']:.0f}" for one in runs),
                ]
            )
    headings = ("n", "relations", "all networks", "at most k parents", "gap, nats")
    return table((*headings, "processor, s"), rows, left=2)


def _layers(run: Results) -> str:
    return str(run["layers"]) if run["method"] == "layers" else "-"


def _gap(run: Results) -> str:
    bound = run["lower_bound"]
    return "-" if bound is None else f"{run['optimum'] - bound:.1f}"
