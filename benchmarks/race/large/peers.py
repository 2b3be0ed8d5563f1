"""The other contestants, each called as its documentation says. Run by `benchmarks.race.large`.

This runs in the environment of benchmarks/race/requirements.txt, which does not have noisyor. All
maximise BIC of full tables.
"""

from importlib import import_module

from benchmarks.race.large.contest import Call, Learned, Program, Watch, contend
from benchmarks.race.peers import bic_learner, frame_of, names_of, pgmpy_hill_climbing
from benchmarks.race.timing import Table

PACKAGES = ("numpy", "pandas", "pgmpy", "pyagrum", "pyarrow", "pybnesian")


def pyagrum(method: str) -> Program:
    """Return a program that learns a graph by one of pyAgrum's methods, on one thread."""

    def program(table: Table, _: float) -> Call:
        gum = import_module("pyagrum")
        frame = frame_of(table)

        def call(_: Watch) -> Learned:
            learner = bic_learner(gum, frame)
            learner.setNumberOfThreads(1)
            getattr(learner, method)()
            return {"arcs": [[int(one), int(other)] for one, other in learner.learnDAG().arcs()]}

        return call

    return program


def pybnesian(table: Table, _: float) -> Call:
    """Climb by PyBNesian. Its patience is for validated scores: it makes no difference to BIC."""
    library = import_module("pybnesian")
    names = names_of(table)
    frame = frame_of(table).astype(str).astype("category")

    def call(_: Watch) -> Learned:
        found = library.GreedyHillClimbing().estimate(
            library.OperatorPool([library.ArcOperatorSet()]),
            library.BIC(frame),
            library.DiscreteBN(names),
        )
        place = {name: number for number, name in enumerate(names)}
        return {"arcs": [[place[one], place[other]] for one, other in found.arcs()]}

    return call


def pgmpy(table: Table, _: float) -> Call:
    """Climb with pgmpy's own tabu list."""
    call = pgmpy_hill_climbing(table, {})
    return lambda _: call()


PROGRAMS: dict[str, Program] = {
    "pyAgrum hill climbing": pyagrum("useGreedyHillClimbing"),
    "pyAgrum tabu": pyagrum("useLocalSearchWithTabuList"),
    "PyBNesian hill climbing": pybnesian,
    "pgmpy hill climbing": pgmpy,
}

if __name__ == "__main__":
    contend(PROGRAMS, PACKAGES)
