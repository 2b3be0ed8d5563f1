"""Run the contestants of a cell, each in a separate process on one core, and score their networks.

All networks are scored here, by noisyor: so their costs are comparable whatever a contestant says.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from signal import SIGPROF

import numpy as np

from benchmarks.harness.against_truth import structure_measures
from benchmarks.harness.folders import ROOT
from benchmarks.harness.measuring import Results
from benchmarks.race.large.cells import Cell, sampled
from benchmarks.race.large.contest import MARKS
from benchmarks.race.running import failure
from noisyor.core import Dataset, Structure
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.data import read
from noisyor.scoring.structure_cost import score_structure

OWN, CAUSES = "noisyor", "noisyor, causes"
RELATIONS = {OWN: ("cpt",), CAUSES: "default"}
"""Of noisyor's contestants. The networks of all others are made of full tables."""
PGMPY = "pgmpy hill climbing"
PEERS = (
    "pyAgrum hill climbing",
    "pyAgrum tabu",
    "PyBNesian hill climbing",
    PGMPY,
)
CONTESTANTS = (*PEERS, OWN, CAUSES)
LIMITS = {CAUSES: MARKS[1]}  # processor seconds; others have the last mark
MOST_VARIABLES = {PGMPY: 50}  # with more it does not end in time
HANG_SECONDS = 1800.0  # of waiting, on however busy a machine


def contestants_of(cell: Cell) -> tuple[str, ...]:
    """Return who takes part in a cell."""
    return tuple(one for one in CONTESTANTS if cell.variables <= MOST_VARIABLES.get(one, 10**9))


def key_of(cell: Cell, program: str) -> str:
    """Return the name of a contestant's result."""
    return f"{cell.key}/{program}"


def run_cell(
    cell: Cell, programs: Sequence[str], peers: Path, core: int
) -> Iterator[tuple[str, Results]]:
    """Yield the name and the result of each contestant; none if noisyor cannot read the table."""
    table, truth = sampled(cell)
    if table.shape[1] > MAX_VARIABLES:
        return
    data = read(table, names=list(truth.names), bins="none")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.npy")
        np.save(file, table)
        for program in programs:
            limit = LIMITS.get(program, MARKS[-1])
            found = run_program(program, file, peers, core, limit=limit)
            result = judged(found, program, data, truth)
            yield key_of(cell, program), {"variables": table.shape[1]} | result


def run_program(program: str, table: Path, peers: Path, core: int, *, limit: float) -> Results:
    """Return what a contestant found, or why there is nothing."""
    is_own = program in RELATIONS
    module = f"benchmarks.race.large.{'own' if is_own else 'peers'}"
    task = table.with_name("task.json")
    what = {"program": program, "table": str(table), "limit": limit, "core": core}
    task.write_text(json.dumps(what))
    run = subprocess.run(
        [sys.executable if is_own else peers, "-m", module, task],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    if run.returncode == -SIGPROF:
        return {"nothing_because": f"it took more than {limit:g} s", "limit": limit}
    if run.returncode != 0:
        return {"nothing_because": failure(run.returncode, run.stderr)}
    found: Results = json.loads(run.stdout)
    return found


def judged(found: Results, program: str, data: Dataset, truth: Structure) -> Results:
    """Return a result whose networks have costs and distances from the truth instead of arcs."""
    if "networks" not in found:
        return found
    networks = []
    for one in found["networks"]:
        edges = [(data.names[parent], data.names[child]) for parent, child in one["arcs"]]
        relations = RELATIONS.get(program, RELATIONS[OWN])
        scored = score_structure(data, edges, relations=relations)
        near = structure_measures(truth, scored.structure)
        networks.append(one | {"cost": scored.total, "arcs": len(edges), **_kept(near)})
    return found | {"networks": networks}


def _kept(near: Results) -> Results:
    precision, recall = near["skeleton_precision"] or 0.0, near["skeleton_recall"] or 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"cpdag_shd": near["cpdag_shd"], "skeleton_f1": round(f1, 4)}
