"""Score tables from the families of the children."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from noisyor.core import Provenance, ScoreTable, TableScope
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.request import Request
from noisyor.core.variable_sets import word_count
from noisyor.core.version import VERSION
from noisyor.scoring.child_search import ChildScores
from noisyor.scoring.statistics import FitCounts, ScoringStatistics


def open_gaps(fits: FitCounts) -> list[str]:
    """Return a line that counts the final fits with an open gap, if there are any."""
    if not fits.unconverged:
        return []
    count = f"{fits.unconverged} of {fits.final} final fits"
    return [f"{count} did not close their gap; the table states the gap of each family"]


def table_of(
    request: Request, done: Mapping[int, ChildScores], shortfalls: Sequence[str]
) -> ScoreTable:
    """Return the table of these children's families."""
    scope = TableScope(
        request.constraints,
        request.factor.untempered,
        request.score,
        request.relations,
        Provenance(
            version=VERSION,
            data=request.data.fingerprint(),
            records=request.data.record_count,
            settings=(
                ("bayes_factor", repr(request.factor.untempered.value)),
                ("score", str(request.score)),
                ("relations", ",".join(relation.name for relation in request.relations)),
                ("structure_prior", str(request.prior)),
            ),
        ),
        tuple(shortfalls),
        request.data.variables,
        request.prior,
    )
    return stacked(request.data.names, scope, done)


def stacked(
    names: tuple[str, ...], scope: TableScope, done: Mapping[int, ChildScores]
) -> ScoreTable:
    """Return a table of this scope with the families of all children, one after the other."""
    parts = [done[child].columns for child in sorted(done)]
    return ScoreTable(names, FamilyColumns.concatenated(parts, word_count(len(names))), scope)


KeepChild = Callable[[ScoreTable, ScoringStatistics | None], None]
"""Called with each finished child: its table and its statistics."""


class Finishing(Protocol):
    """Searches several children: a board of threads, or the tasks of a cluster."""

    @property
    def done(self) -> Mapping[int, ChildScores]:
        """The finished children."""


class Keeper:
    """Passes each finished child to `keep`, once."""

    def __init__(
        self,
        request: Request,
        work: Finishing,
        keep: KeepChild | None,
    ) -> None:
        self._request = request
        self._work = work
        self._keep = keep
        self._kept: set[int] = set()

    def look(self) -> None:
        """Pass on the children that finished since the last call."""
        if self._keep is None:
            return
        for child, scores in list(self._work.done.items()):
            if child not in self._kept:
                self._kept.add(child)
                table = table_of(self._request, {child: scores}, ())
                self._keep(table, scores.statistics)
