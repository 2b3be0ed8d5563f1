"""noisyor's side of the race: the same jobs as the peers', and more. Run by `benchmarks.race`."""

from functools import partial
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.harness.measured_learning import fits_of
from benchmarks.race.timing import Call, Found, Options, Program, Table, do_task
from noisyor.core import CPT, Dataset, Family, Knowledge, ScoreTable
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.variable_sets import set_of, to_words
from noisyor.data import read
from noisyor.fitting import fit
from noisyor.learning import learn
from noisyor.runs.learned import Learned
from noisyor.scoring import score

KEEP_ALL = 1e300  # a Bayes factor: families within 690 nats of the best are kept
PACKAGES = ("highspy", "noisyor", "numpy", "pandas")


def optimum(jobs: int | None) -> Program:
    """Return a program that finds the best network of full tables: Bayes factor 1.

    At that factor the search also counts the networks that cost the same, such as the equivalent
    ones, which no peer does.
    """

    def program(table: Table, _: Options) -> Call:
        frame = frame_of(table)

        def call() -> Found:
            learned = learn(frame, 1, relations=(CPT,), jobs=jobs, time_limit=inf, quiet=True)
            return {"arcs": arcs_of(learned), "complete": learned.complete}

        return call

    return program


def credible(table: Table, options: Options) -> Call:
    """Find all credible networks with both relations, as `noisyor learn --paper` does."""
    frame = frame_of(table)

    def call() -> Found:
        learned = learn(
            frame, options.get("bayes_factor", 20), relations="paper", time_limit=inf, quiet=True
        )
        return {"counts": counts_of(learned), "complete": learned.complete}

    return call


def family_scores(table: Table, options: Options) -> Call:
    """Score families one by one, a call each, as the peers do."""
    frame = frame_of(table)
    families = [Family(child, set_of(some), CPT) for child, some in options["families"]]

    def call() -> Found:
        data = read(frame)
        return {"costs": [fit(data, family).cost for family in families]}

    return call


def all_scores(rules: PruningRule) -> Program:
    """Return a program that scores all sets of at most a number of parents, on one thread."""

    def program(table: Table, options: Options) -> Call:
        frame = frame_of(table)

        def call() -> Found:
            data = read(frame)
            limits = Knowledge(max_parents=options["max_parents"]).constraints(data.names)
            scored = score(data, 1, relations=(CPT,), constraints=limits, rules=rules, jobs=1)
            work = scored.statistics.relations[CPT]
            return {
                "families": work.considered,
                "counted": work.evaluated,
                "returned": len(scored.table),
            }

        return call

    return program


def all_costs(table: Table, options: Options) -> Call:
    """Return the costs of all sets of at most a number of parents, on one thread.

    The Bayes factor is so large that hardly any family is left out of the score table.
    """
    frame = frame_of(table)
    families = [(child, set_of(some)) for child, some in options["families"]]

    def call() -> Found:
        data = read(frame)
        limits = Knowledge(max_parents=options["max_parents"]).constraints(data.names)
        scored = score(
            data, KEEP_ALL, relations=(CPT,), constraints=limits, rules=PruningRule(0), jobs=1
        )
        return {
            "families": scored.statistics.relations[CPT].evaluated,
            "returned": len(scored.table),
            "costs": partial(costs_in, scored.table, families),
        }

    return call


def costs_in(table: ScoreTable, families: list[tuple[int, int]]) -> list[float | None]:
    """Return the costs of families in a table."""
    return [cost_in(table, child, above) for child, above in families]


def cost_in(table: ScoreTable, child: int, parents: int) -> float | None:
    """Return the cost of a family of full tables, None if the table does not have it."""
    rows = table.families_of(child)
    own = to_words([parents], table.parents.shape[1])[0]
    found = np.flatnonzero((table.parents[rows] == own).all(axis=1))
    return float(table.costs[rows][found[0]]) if len(found) else None


def frame_of(table: Table) -> pd.DataFrame:
    """Return the same frame as the peers are given."""
    names = [f"X{place}" for place in range(table.shape[1])]
    return pd.DataFrame(table.astype(np.int64), columns=names)


def arcs_of(learned: Learned) -> list[list[int]]:
    """Return the arcs of the best network, by the numbers of the variables."""
    return [
        [parent, family.child]
        for family in learned.credible.best.families
        for parent in family.parent_indices()
    ]


def counts_of(learned: Learned) -> dict[str, Any]:
    """Return the counts of the work and of the networks."""
    search = None if learned.work is None else learned.work.search
    return {
        "method": str(learned.method),
        "fits": fits_of(learned)["made"],
        "families": 0 if learned.table is None else len(learned.table),
        "nodes": 0 if search is None else search.subsets + search.nodes,
        "networks": float(learned.count),
    }


def cost_of(data: Dataset, arcs: list[list[int]]) -> float:
    """Return the BIC of a graph of full tables, in nats."""
    above: list[list[int]] = [[] for _ in data.names]
    for parent, child in arcs:
        above[child].append(parent)
    return sum(fit(data, Family(child, set_of(some), CPT)).cost for child, some in enumerate(above))


PROGRAMS: dict[str, Program] = {
    "noisyor, 1 thread": optimum(1),
    "noisyor, all cores": optimum(None),
    "noisyor learn": credible,
    "noisyor, a family a call": family_scores,
    "noisyor, all costs": all_costs,
    "noisyor, all sets": all_scores(PruningRule(0)),
    "noisyor, all sets, pruned": all_scores(ALL_RULES),
}

if __name__ == "__main__":
    do_task(PROGRAMS, PACKAGES)
