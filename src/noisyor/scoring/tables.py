"""Children's families put together into a score table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import numpy as np

from noisyor.core import BinaryDataset, Provenance, ScoreTable, TableScope
from noisyor.core.variable_sets import word_count
from noisyor.core.version import VERSION
from noisyor.scoring.child_search import ChildScores, SearchSettings
from noisyor.scoring.statistics import FitCounts, ScoringStatistics


def open_gaps(fits: FitCounts) -> list[str]:
    """Return, if some final fits did not close their gap, a line that says how many."""
    if not fits.unconverged:
        return []
    count = f"{fits.unconverged} of {fits.final} final fits"
    return [f"{count} did not close their gap; the table states the gap of each family"]


def table_of(
    data: BinaryDataset,
    settings: SearchSettings,
    done: Mapping[int, ChildScores],
    shortfalls: Sequence[str],
) -> ScoreTable:
    """Return the table of these children's families."""
    scope = TableScope(
        settings.constraints,
        settings.bayes_factor,
        settings.relations,
        Provenance(
            version=VERSION,
            data=data.fingerprint(),
            records=data.record_count,
            settings=(
                ("bayes_factor", repr(settings.bayes_factor.value)),
                ("relations", ",".join(relation.name for relation in settings.relations)),
            ),
        ),
        tuple(shortfalls),
    )
    return stacked(data.names, scope, done)


def stacked(
    names: tuple[str, ...], scope: TableScope, done: Mapping[int, ChildScores]
) -> ScoreTable:
    """Put the children's families one below the other, in a table of that scope."""
    parts = [done[child] for child in sorted(done)]
    sizes = [len(part.costs) for part in parts]
    starts = np.cumsum([0, *(len(part.parameters) for part in parts)])
    no_words = np.empty((0, word_count(len(names))), dtype=np.uint64)
    return ScoreTable(
        names=names,
        children=np.repeat([part.child for part in parts], sizes).astype(np.int32),
        parents=np.concatenate([no_words, *(part.parents for part in parts)]),
        relations=np.concatenate([np.empty(0, np.uint8), *(part.relations for part in parts)]),
        costs=np.concatenate([np.empty(0), *(part.costs for part in parts)]),
        gaps=np.concatenate([np.empty(0), *(part.gaps for part in parts)]),
        offsets=np.concatenate(
            [
                *(
                    part.offsets[:-1] + start
                    for part, start in zip(parts, starts[:-1], strict=True)
                ),
                starts[-1:],
            ]
        ),
        parameters=np.concatenate([np.empty(0), *(part.parameters for part in parts)]),
        scope=scope,
    )


KeepChild = Callable[[ScoreTable, ScoringStatistics | None], None]
"""What takes a finished child: a table of its own, and the work that it was."""


class Finishing(Protocol):
    """Where children are being finished: a board of threads, or the tasks of a cluster."""

    @property
    def done(self) -> Mapping[int, ChildScores]:
        """The children that are."""


class Keeper:
    """Hands each finished child on, once."""

    def __init__(
        self,
        data: BinaryDataset,
        settings: SearchSettings,
        work: Finishing,
        keep: KeepChild | None,
    ) -> None:
        self._data = data
        self._settings = settings
        self._work = work
        self._keep = keep
        self._kept: set[int] = set()

    def look(self) -> None:
        """Hand on what was finished since the last time."""
        if self._keep is None:
            return
        for child, scores in list(self._work.done.items()):
            if child not in self._kept:
                self._kept.add(child)
                table = table_of(self._data, self._settings, {child: scores}, ())
                self._keep(table, scores.statistics)
