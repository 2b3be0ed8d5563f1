"""noisyor's contestants: local search over families. Run by `benchmarks.race.large`."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from benchmarks.race.large.cells import column_names
from benchmarks.race.large.contest import MARKS, Call, Learned, Program, Watch, contend
from benchmarks.race.timing import Table
from noisyor.core.relations import RelationChoice
from noisyor.core.request import Request
from noisyor.data import read
from noisyor.scoring.climbing import Climbing

BAYES_FACTOR = 20.0
FEWEST_SECONDS = 10.0
"""Before this, no run is given up."""
PATIENCE = 5.0
PACKAGES = ("noisyor", "numpy", "pandas")


@dataclass(slots=True)
class Progress:
    """When the network was first there, and when it was last improved, in processor seconds."""

    elapsed: Watch
    first: float | None = None
    last: float = 0.0

    def improved(self) -> None:
        """Note that the network is better."""
        self.last = self.elapsed()
        self.first = self.last if self.first is None else self.first

    def is_over(self, mark: float) -> bool:
        """Return whether the mark is reached, or nothing more is expected."""
        return self.elapsed() >= mark or self.is_idle()

    def is_idle(self) -> bool:
        """Return whether nothing has improved for half of the time, and for long enough."""
        now = self.elapsed()
        return now >= FEWEST_SECONDS and now - self.last >= max(PATIENCE, now / 2)


def climbing(relations: RelationChoice) -> Program:
    """Return a program that improves one network, on one thread, and is asked at each mark."""

    def program(table: Table, limit: float) -> Call:
        frame = pd.DataFrame(table.astype(np.int64), columns=list(column_names(table.shape[1])))

        def call(elapsed: Watch) -> Learned:
            data = read(frame, bins="none")
            read_seconds = elapsed()
            request = Request.of(data, BAYES_FACTOR, relations=relations, jobs=1)
            climbers, progress = Climbing(request), Progress(elapsed)
            networks = []
            for mark in [one for one in MARKS if one <= limit]:
                climbers.run(partial(progress.is_over, mark), improved=progress.improved)
                networks.append({"by": mark, "at": elapsed(), "arcs": arcs_of(climbers)})
                if progress.is_idle():
                    break
            return {
                "networks": networks,
                "read": read_seconds,
                "first": progress.first,
                "last": progress.last,
                "idle": progress.is_idle(),
                "evaluated": climbers.work.evaluated,
            }

        return call

    return program


def arcs_of(climbers: Climbing) -> list[list[int]]:
    """Return the arcs of the best network, by the numbers of the variables."""
    return [
        [parent, family.child]
        for family in climbers.structure().families
        for parent in family.parent_indices()
    ]


PROGRAMS: dict[str, Program] = {
    "noisyor": climbing(["cpt"]),
    "noisyor, causes": climbing("default"),
}

if __name__ == "__main__":
    contend(PROGRAMS, PACKAGES)
