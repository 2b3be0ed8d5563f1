"""What learning finds by random choices: by EM, by climbing for some rounds, by drawing networks.

    python -m tests.support.other_results TABLE GAPS FOLDER JOBS

Each is written into the folder, to compare processes with other threads and hash seeds.
"""

import json
import sys
from pathlib import Path

import numpy as np

from noisyor import read
from noisyor.cli import app
from noisyor.core import BayesFactor, Dataset
from noisyor.core.request import Request
from noisyor.scoring import score
from noisyor.scoring.climbing import Climbing
from noisyor.search import search
from noisyor.search.sampling import SamplingEffort, sample_credible
from tests.support.effort import HANGS_AFTER

FACTOR = BayesFactor(20.0)
EFFORT = SamplingEffort(draws=200, seconds=HANGS_AFTER)


def main(table: str, gaps: str, folder: str, jobs: str) -> None:
    """Write all results."""
    few = ("--starts", "2", "--completions", "2")
    app(
        ["learn", gaps, "-o", f"{folder}/em", "--missing", "em", *few, "--jobs", jobs, "--quiet"],
        standalone_mode=False,
    )
    data = read(table)
    found = {"climbed": climbed(data, int(jobs)), "drawn": drawn(data, int(jobs))}
    Path(folder, "found.json").write_text(json.dumps(found), encoding="utf-8")


def climbed(data: Dataset, jobs: int) -> list[object]:
    """Return what two climbers find in three rounds: every bit of it."""
    climbing = Climbing(Request.of(data, FACTOR, jobs=jobs), climbers=2, seed=7)
    climbing.run(lambda: False, rounds=3)
    table = climbing.families(within=5.0, most=20)
    families = [[str(family), cost.hex()] for family, cost in table.families()]
    return [climbing.cost.hex(), [str(one) for one in climbing.structure().families], families]


def drawn(data: Dataset, jobs: int) -> list[object]:
    """Return a sampled set: families, and how often each network was drawn."""
    table = score(data, FACTOR, relations="cpt", jobs=jobs).table
    best = search(table, FACTOR, jobs=jobs).credible.best
    row = {family: at for at, (family, _) in enumerate(table.families())}
    found = sample_credible(
        table,
        FACTOR,
        best=np.array([row[family] for family in best.families]),
        seed=3,
        jobs=jobs,
        effort=EFFORT,
    )
    assert found.sampling is not None
    costs = [member.cost.hex() for member in found.stream()]
    return [[str(one) for one in found.families], found.sampling.times.tolist(), costs]


if __name__ == "__main__":
    main(*sys.argv[1:])
