"""How fast the scorer of the paper's authors may be: its emulation as a stand-in."""

import json
from collections.abc import Mapping
from pathlib import Path

from benchmarks.harness.markdown import table
from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.emulation.departures import TOGETHER
from benchmarks.paper.table2.emulation.plan import DATASETS, Case

INTRODUCTION = """\
The authors' own scorer is not raced: it builds each derivative as a tree of Python objects and
evaluates it record kind by record kind, and none of its code is in this project. In its place is
our emulation of its descent (see [table 2](table2.md)), which does the same steps for hundreds of
families at once in numpy, and is therefore a **stand-in that flatters it**. `made` are the sets of
parents that it visits, `fitted` those whose descent ran; seconds are of one processor. The ratio is
to the certified fit of the table above, which reaches the optimum of every family."""


def published_scorer(emulated: Mapping[str, Results], fitting: Path) -> str:
    """Return fits a second of the emulation, where it makes any, beside the certified fit's."""
    runs = {name: emulated.get(Case(name, TOGETHER).key) for name in DATASETS}
    known = {name: one for name, one in runs.items() if one is not None and one["fitted"]}
    if not known or not fitting.exists():
        return ""
    own = json.loads(fitting.read_text())["fitters"]["newton"]["fits_per_second"]
    rows = []
    for name, one in known.items():
        speed = one["fitted"] / one["scoring_seconds"]
        rows.append(
            [
                name,
                f"{one['made']:,}",
                f"{one['fitted']:,}",
                f"{one['scoring_seconds']:,.1f}",
                f"{speed:,.0f}",
                f"{own / speed:,.0f}",
            ]
        )
    headings = ("data", "made", "fitted", "seconds", "fits/s", "certified is faster by")
    return f"{INTRODUCTION}\n\n{table(headings, rows)}"
