"""The page on sets of relations: tables of paired differences, and the table for readers."""

from collections.abc import Mapping, Sequence

from benchmarks.harness.learning_jobs import HELD_OUT_RECORDS, learned_kinds
from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.harness.random_networks import LEAKS
from benchmarks.relations.figure import FIGURE
from benchmarks.relations.plan import (
    ALL,
    BOTH,
    LARGE,
    LEAKY,
    LEAKY_EBIC,
    PAPER,
    RANDOM,
    SIGNED,
    SIZES,
    SMALL,
    TABLES,
    choices,
    jobs,
)
from benchmarks.relations.statistics import (
    Measure,
    cells,
    difference,
    is_proven,
    prediction,
    structure,
)
from benchmarks.study.plan import COMMON_SIZE
from benchmarks.study.statistics import CONFIDENCE, Band, Outcome, outcomes_of
from benchmarks.study.tables import band_text

TITLES = {
    PAPER: "+ noisy-OR (the paper)",
    LEAKY: "+ leaky noisy-OR",
    BOTH: "+ noisy-OR, leaky noisy-OR",
    ALL: "all relations",
    SIGNED: "+ signed relations",
    LEAKY_EBIC: "+ leaky noisy-OR, EBIC",
}
"""The sets that are compared with full tables alone."""

FOR_READERS = (PAPER, LEAKY, BOTH, ALL)
"""The sets in the table of docs/believing-noisy-or.md."""

PLAIN_NAMES = {
    TABLES: "full tables alone",
    PAPER: "the paper's pair",
    LEAKY: "leaky noisy-ORs",
    BOTH: "both",
    ALL: "all relations",
    SIGNED: "signed relations",
    LEAKY_EBIC: "leaky noisy-ORs and EBIC",
}

MEASURES: dict[str, tuple[Measure, int]] = {
    "CPDAG distance per true arc": (structure, 2),
    "held-out nats per record": (prediction, 3),
}
"""What is compared, and with how many digits; below 0 is better."""

FEWEST = min(SIZES)

_INTRODUCTION = """\
## Which relations should compete?

Made by `make relations` (`python -m benchmarks.relations`). From each sample of a known network the
best network is learned with full tables alone and with each of these sets besides: noisy-ORs
without a leak (the paper's pair); leaky noisy-ORs (the default); both; all relations, that is
noisy-OR and noisy-AND, each plain, leaky and signed; and the two signed ones alone. The score is
BIC; leaky noisy-ORs also compete with EBIC, which makes all parent sets of a size together as
likely as those of any other size. Parents are not limited.

Random networks are those of the study, except for their relations: families with two or more
parents are noisy-ORs without a leak, noisy-ORs whose leak acts with chance {low:g} to {high:g}, or
full tables. Of each kind there are {random} variables, with one sample of each size.

The ground-truth networks are read as full tables. Of each size there are {small} samples of
{small_names}, and {large} of {large_names}.
With all relations, and with signed ones, the latter take too long.

Distances and excesses on held-out records ({held_out:,} of them) are measured as in the study. A
cell is the mean over samples of the difference to full tables alone, on the same sample, with its
{confidence:.0%} interval. Below 0 is better. {coverage}"""

_FIGURE = """\
The figure has the first of these measures with N = {records}: the change of the wrong edges, as a
distance between CPDAGs, when noisy-ORs are allowed besides full tables."""

_DECISION = """\
### Leaky noisy-ORs instead of the paper's

The difference between full tables with leaky noisy-ORs and full tables with the paper's noisy-ORs,
on the same sample. Below 0 the leaky ones are better."""

_SCORES = """\
### EBIC instead of BIC

The difference between leaky noisy-ORs with EBIC and with BIC, on the same sample. Below 0 EBIC is
better."""

_NETWORKS = """\
### Each ground-truth network

Both differences to full tables alone with N = {records}: of distances, then of nats. A star marks
what is clearly better, bold type what is clearly worse: the interval does not contain 0."""

_RELATIONS = """\
### Which relations the best networks have

Nodes per network that are not full tables. Where the truth has full tables alone, there should be
none."""


_READERS = """\
A cell is the difference to full tables alone: in wrong edges per true arc (distance of CPDAGs),
then in nats per new record. Below 0 is better. A star marks what is clearly better, bold type what
is clearly worse: the {confidence:.0%} interval does not contain 0. Made by `make relations`;
[the results](results/relations.md) have the intervals and the samples."""


def section(results: Mapping[str, Results]) -> str:
    """Return the comparison as a section of a page."""
    outcomes = outcomes_of(results)
    parts = [_introduction(outcomes)]
    for name, (measure, digits) in MEASURES.items():
        parts += [f"### {name[0].upper()}{name[1:]}", _set_table(outcomes, measure, digits)]
    parts += [
        _FIGURE.format(records=COMMON_SIZE),
        f"![Change of the wrong edges when noisy-ORs are allowed]({IMAGES}/{FIGURE})",
        _DECISION,
        _pair_table(outcomes, LEAKY, PAPER),
        _SCORES,
        _pair_table(outcomes, LEAKY_EBIC, LEAKY),
        _NETWORKS.format(records=FEWEST),
        _network_table(outcomes),
        _RELATIONS,
        _relation_table(outcomes),
    ]
    return "\n\n".join(parts) + "\n"


def readers_block(results: Mapping[str, Results]) -> str:
    """Return the table of docs/believing-noisy-or.md, both measures in a cell, and what it is."""
    return f"{readers_table(results)}\n\n{_READERS.format(confidence=CONFIDENCE)}"


def readers_table(results: Mapping[str, Results]) -> str:
    """Return both differences of each set to full tables alone, marked where they are clear."""
    return table(
        ("the truth", "N", *(TITLES[name] for name in FOR_READERS)),
        [
            [group, f"{records:,}", *(_both_measures(some, name) for name in FOR_READERS)]
            for (group, records), some in cells(outcomes_of(results)).items()
        ],
    )


def _both_measures(some: Sequence[Outcome], name: str) -> str:
    bands = [
        (difference(some, measure, name, TABLES), digits) for measure, digits in MEASURES.values()
    ]
    return " / ".join(starred(band, digits) for band, digits in bands if band) or "-"


def starred(band: Band, digits: int) -> str:
    """Return the middle of a band, in bold if it is clearly worse, with a star if better."""
    number = f"{band.middle:+.{digits}f}"
    if float(number) == 0:
        number = number[1:]
    if band.clearly_above(0):
        return f"**{number}**"
    return f"{number}\\*" if band.clearly_below(0) else number


def _introduction(outcomes: list[Outcome]) -> str:
    sizes = [f"{share.repeats} with {n}" for n, share in RANDOM.items()]
    return _INTRODUCTION.format(
        low=LEAKS[0],
        high=LEAKS[1],
        random=listed(sizes),
        small=listed({share.repeats for share in SMALL.values()}),
        small_names=listed(SMALL),
        large=listed({share.repeats for share in LARGE.values()}),
        large_names=listed(LARGE),
        held_out=HELD_OUT_RECORDS,
        confidence=CONFIDENCE,
        coverage=coverage(outcomes),
    )


def coverage(outcomes: list[Outcome]) -> str:
    """Say how many samples there are, and which sets lack a proven optimum."""
    text = f"Of {len(jobs(choices())):,} planned samples, {len(outcomes):,} have a result."
    lacking = []
    for name in (TABLES, *TITLES):
        known = [one for one in outcomes if name in learned_kinds(one.result)]
        left_out = sum(not is_proven(one.result, name) for one in known)
        if left_out:
            lacking.append(f"{left_out:,} with {PLAIN_NAMES[name]}")
    if lacking:
        text += f" Left out, because no optimum was proven in time: {listed(lacking)}."
    return text


def _set_table(outcomes: list[Outcome], measure: Measure, digits: int) -> str:
    return table(
        ("the truth", "N", *TITLES.values()),
        [
            [
                group,
                f"{records:,}",
                *(band_text(difference(some, measure, name, TABLES), digits) for name in TITLES),
            ]
            for (group, records), some in cells(outcomes).items()
        ],
    )


def _pair_table(outcomes: list[Outcome], one: str, other: str) -> str:
    """Return the differences between two sets."""
    return table(
        ("the truth", "N", *MEASURES),
        [
            [
                group,
                f"{records:,}",
                *(
                    band_text(difference(some, measure, one, other), digits)
                    for measure, digits in MEASURES.values()
                ),
            ]
            for (group, records), some in cells(outcomes).items()
        ],
    )


def _network_table(outcomes: list[Outcome]) -> str:
    rows = []
    for network in (*SMALL, *LARGE):
        some = [one for one in outcomes if one.group == network and one.records == FEWEST]
        rows.append([network, *(_both_measures(some, name) for name in TITLES)])
    return table(("network", *TITLES.values()), rows)


def _relation_table(outcomes: list[Outcome]) -> str:
    return table(
        ("the truth", "N", *TITLES.values()),
        [
            [group, f"{records:,}", *(_other_nodes(some, name) for name in TITLES)]
            for (group, records), some in cells(outcomes).items()
        ],
    )


def _other_nodes(some: Sequence[Outcome], name: str) -> str:
    counts = [
        sum(one.result[name]["relations"].values()) for one in some if is_proven(one.result, name)
    ]
    return f"{sum(counts) / len(counts):.1f}" if counts else "-"
