"""The page on records with gaps: tables of differences, and the table for readers."""

from collections.abc import Iterable, Mapping

from benchmarks.gaps.plan import (
    HELD_OUT_RECORDS,
    NETWORKS,
    RECORDS,
    REPEATS,
    SHARES,
    Mechanism,
    Way,
)
from benchmarks.gaps.statistics import Reading, cell, excess_edges, excess_nats, of_kind
from benchmarks.harness.folders import ROOT
from benchmarks.harness.markdown import listed, table
from benchmarks.harness.measuring import Results
from benchmarks.harness.pages import IMAGES
from benchmarks.study.tables import interval_text

GUIDE = ROOT / "docs" / "missing-data.md"
FIGURE = "gaps-excess.svg"

TITLES = {Way.EM: "EM", Way.DROP: "records left out", Way.MODE: "most frequent value"}

_INTRODUCTION = """\
## Records with gaps

Made by `make gaps` (`python -m benchmarks.gaps`). {records} records are drawn {repeats} times from
each of the networks {networks}.
A share of cells is removed: at random, or by value, where a variable's last state is removed three
times as often as the others. From what is left, the best network is
learned by structural EM (the defaults: 10 completions, 5 starts), from the complete records alone,
and with each gap filled by its column's most frequent value. A cell is the mean difference to
learning from the records before anything was removed, with its 95 % interval over the networks;
lower is better.{coverage}

No other program of the race learns structures from records with gaps: pyAgrum refuses them, and
the EM of pyAgrum and pgmpy is for the parameters of a given network. bnlearn, for R, has a
structural EM; it was not run.

![Excess over learning from whole records]({images}/{figure})"""


def section(results: Mapping[str, Results], images: str = IMAGES) -> str:
    """Return the comparison as a section of a page, whose figures are in the folder `images`."""
    parts = [
        _introduction(results, images),
        f"### Held-out nats per record ({HELD_OUT_RECORDS:,} fresh, complete ones)",
        _table(results, excess_nats, 3),
        "### Wrong edges per true arc (distance of CPDAGs)",
        _table(results, excess_edges, 2),
        "### The work of EM",
        _work(results),
    ]
    return "\n\n".join(parts) + "\n"


def readers_block(results: Mapping[str, Results]) -> str:
    """Return the table for docs/missing-data.md."""
    rows = []
    for mechanism in Mechanism:
        for share in SHARES:
            texts = []
            for way in TITLES:
                bands = [
                    cell(results, mechanism, share, way, reading)
                    for reading in (excess_nats, excess_edges)
                ]
                left = [
                    "-" if band is None else f"{band.middle:+.2f}".replace("-0.00", "+0.00")
                    for band in bands
                ]
                texts.append(" / ".join(left))
            rows.append((f"{share:.0%} {mechanism}", *texts))
    heading = table(("cells removed", *TITLES.values()), rows)
    return (
        "Nats per new record, and wrong edges per true arc, more than from whole records; lower "
        f"is better.\n\n{heading}"
    )


def _introduction(results: Mapping[str, Results], images: str) -> str:
    wanted = len(NETWORKS) * REPEATS * len(SHARES) * len(Mechanism)
    coverage = "" if len(results) >= wanted else f" {len(results)} of {wanted} jobs are stored."
    return _INTRODUCTION.format(
        records=RECORDS,
        networks=listed(NETWORKS),
        repeats=REPEATS,
        coverage=coverage,
        figure=FIGURE,
        images=images,
    ).strip()


def _table(results: Mapping[str, Results], reading: Reading, digits: int) -> str:
    rows = [
        (
            f"{share:.0%} {mechanism}",
            *(
                "-" if band is None else interval_text(band, digits)
                for band in (cell(results, mechanism, share, way, reading) for way in TITLES)
            ),
        )
        for mechanism in Mechanism
        for share in SHARES
    ]
    return table(("cells removed", *TITLES.values()), rows)


def _work(results: Mapping[str, Results]) -> str:
    rows = []
    for mechanism in Mechanism:
        for share in SHARES:
            here = [results[job.key] for job in of_kind(mechanism, share) if job.key in results]
            found = [one[Way.EM] for one in here if one[Way.EM] is not None]
            if not found:
                continue
            lost = sum(one[Way.DROP] is None for one in here)
            rows.append(
                (
                    f"{share:.0%} {mechanism}",
                    f"{_mean(one['seconds'] for one in found):.1f}",
                    f"{_mean(one['steps'] for one in found):.0f}",
                    f"{sum(one['settled'] for one in found)} of {len(found)}",
                    f"{_mean(one['spread'] for one in found):.1f}",
                    f"{lost} of {len(here)}",
                )
            )
    headings = (
        "cells removed",
        "processor seconds",
        "steps of the best start",
        "settled",
        "starts differ by, nats",
        "no complete record left",
    )
    return table(headings, rows)


def _mean(values: Iterable[float]) -> float:
    listed_values = list(values)
    return sum(listed_values) / len(listed_values)
