"""The other programs of the race, each called as its documentation says. Run by `benchmarks.race`.

This runs in the environment of benchmarks/race/requirements.txt, which does not have noisyor. The
packages are loaded by name, because the project's environment need not have them.
"""

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import combinations
from math import log
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.race.timing import Call, Found, Options, Program, Table, do_task

PACKAGES = (
    "causal-learn",
    "networkx",
    "numba",
    "numpy",
    "pandas",
    "pgmpy",
    "pomegranate",
    "pyagrum",
    "pygobnilp",
    "scipy",
    "torch",
)
PSEUDOCOUNT = 1e-6
"""What pomegranate adds to each count. Without it, an empty cell makes the score not a number, and
its search treats that family as free."""


def frame_of(table: Table) -> pd.DataFrame:
    """Return a table as a frame of whole numbers, as read from a file of zeros and ones."""
    return pd.DataFrame(table.astype(np.int64), columns=names_of(table))


def names_of(table: Table) -> list[str]:
    """Return a name for each column."""
    return [f"X{place}" for place in range(table.shape[1])]


def pgmpy_hill_climbing(table: Table, _: Options) -> Call:
    """Climb from the empty graph, with pgmpy's own tabu list of 100 moves, by its BIC."""
    discovery = import_module("pgmpy.causal_discovery")
    scores = import_module("pgmpy.structure_score")
    frame = frame_of(table)

    def call() -> Found:
        search = discovery.HillClimbSearch(
            scoring_method=scores.BIC(frame), return_type="dag", show_progress=False
        )
        return _arcs(table, search.fit(frame).causal_graph_.edges())

    return call


def pgmpy_exhaustive(table: Table, _: Options) -> Call:
    """Score every acyclic graph by pgmpy's BIC."""
    estimators = import_module("pgmpy.estimators")
    frame = frame_of(table).astype("category")  # it takes numbers to be continuous

    def call() -> Found:
        search = estimators.ExhaustiveSearch(frame, scoring_method="bic-d")
        return _arcs(table, search.estimate().edges())

    return call


def pyagrum_learner(method: str) -> Program:
    """Return a program that learns a graph by one of pyAgrum's methods, its score BIC."""

    def program(table: Table, _: Options) -> Call:
        gum = import_module("pyagrum")
        frame = frame_of(table)

        def call() -> Found:
            learner = bic_learner(gum, frame)
            getattr(learner, method)()
            return {
                "arcs": sorted(
                    [int(parent), int(child)] for parent, child in learner.learnDAG().arcs()
                )
            }

        return call

    return program


def pomegranate_exact(pseudocount: float) -> Program:
    """Return a program that finds the optimum by pomegranate's dynamic programming.

    It fits the parameters as well: there is no public call for the graph alone.
    """

    def program(table: Table, _: Options) -> Call:
        networks = import_module("pomegranate.bayesian_network")
        records = table.astype(np.int64)

        def call() -> Found:
            network = networks.BayesianNetwork(algorithm="exact", pseudocount=pseudocount)
            structure = network.fit(records).structure
            return {
                "arcs": [[int(one), child] for child, some in enumerate(structure) for one in some]
            }

        return call

    return program


def causal_learn_exact(table: Table, _: Options) -> Call:
    """Find the optimum by A*, of a score for linear relations with Gaussian noise.

    Its regressions have no intercept, so the columns are centred.
    """
    exact = import_module("causallearn.search.ScoreBased.ExactSearch")
    records = table.astype(np.float64)

    def call() -> Found:
        graph, _ = exact.bic_exact_search(records - records.mean(axis=0))
        return {"arcs": np.argwhere(graph).tolist()}

    return call


def pgmpy_scores(table: Table, options: Options) -> Call:
    """Score families one by one with pgmpy."""
    scores = import_module("pgmpy.structure_score")
    frame, names = frame_of(table), names_of(table)
    families = [
        (names[child], tuple(names[one] for one in some)) for child, some in options["families"]
    ]

    def call() -> Found:
        bic = scores.BIC(frame)
        return {"costs": [-float(bic.local_score(child, above)) for child, above in families]}

    return call


def pyagrum_scores(table: Table, options: Options) -> Call:
    """Score families one by one with pyAgrum, whose scores are in bits."""
    gum = import_module("pyagrum")
    frame, names = frame_of(table), names_of(table)
    families = [(names[child], [names[one] for one in some]) for child, some in options["families"]]

    def call() -> Found:
        learner = bic_learner(gum, frame)
        return {"costs": [-log(2) * learner.score(child, above) for child, above in families]}

    return call


def gobnilp_all_scores(table: Table, options: Options) -> Call:
    """Score all sets of at most a number of parents with GOBNILP's scorer, in its own order.

    It caches the entropy of each set of variables, which serves several families; a sample of
    families would not benefit from that.
    """
    scoring = import_module("pygobnilp.scoring")
    names, wanted = names_of(table), wanted_families(table, options)

    def call() -> Found:
        bic = scoring.DiscreteBIC(scoring.DiscreteData(table, varnames=names))
        scores = {
            (child, above): bic.score(child, above)[0]
            for child, above in all_families(names, options["max_parents"])
        }
        return {"families": len(scores), "costs": [-float(scores[one]) for one in wanted]}

    return call


def pyagrum_all_scores(table: Table, options: Options) -> Call:
    """Score all sets of at most a number of parents with pyAgrum."""
    gum = import_module("pyagrum")
    frame, names, wanted = frame_of(table), names_of(table), wanted_families(table, options)

    def call() -> Found:
        learner = bic_learner(gum, frame)
        scores = {
            (child, above): learner.score(child, list(above))
            for child, above in all_families(names, options["max_parents"])
        }
        return {"families": len(scores), "costs": [-log(2) * scores[one] for one in wanted]}

    return call


def all_families(names: list[str], most: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each child with each set of at most so many parents."""
    for child in names:
        others = [name for name in names if name != child]
        for size in range(most + 1):
            for above in combinations(others, size):
                yield child, above


def wanted_families(table: Table, options: Options) -> list[tuple[str, tuple[str, ...]]]:
    """Return the families whose costs are compared, parents in the order of the columns."""
    names = names_of(table)
    return [
        (names[child], tuple(names[one] for one in sorted(some)))
        for child, some in options["families"]
    ]


def bic_learner(gum: ModuleType, frame: pd.DataFrame) -> Any:  # noqa: ANN401  (not typed there)
    """Return a learner of pyAgrum with plain BIC: no prior counts."""
    learner = gum.BNLearner(frame)
    learner.useScoreBIC()
    learner.useNoPrior()
    return learner


def _arcs(table: Table, edges: Iterable[tuple[str, str]]) -> Found:
    place = {name: number for number, name in enumerate(names_of(table))}
    return {"arcs": sorted([place[parent], place[child]] for parent, child in edges)}


PROGRAMS: dict[str, Program] = {
    "pgmpy hill climbing": pgmpy_hill_climbing,
    "pgmpy exhaustive": pgmpy_exhaustive,
    "pyAgrum hill climbing": pyagrum_learner("useGreedyHillClimbing"),
    "pyAgrum tabu": pyagrum_learner("useLocalSearchWithTabuList"),
    "pyAgrum MIIC": pyagrum_learner("useMIIC"),
    "pomegranate exact": pomegranate_exact(PSEUDOCOUNT),
    "pomegranate exact, no pseudocount": pomegranate_exact(0.0),
    "causal-learn exact": causal_learn_exact,
    "pgmpy scores": pgmpy_scores,
    "pyAgrum scores": pyagrum_scores,
    "pyAgrum, all sets": pyagrum_all_scores,
    "GOBNILP, all sets": gobnilp_all_scores,
}

if __name__ == "__main__":
    do_task(PROGRAMS, PACKAGES)
