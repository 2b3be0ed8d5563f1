"""Score tables from the families of the children."""

from collections.abc import Callable, Mapping, Sequence

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
"""Called with each finished child: its table and its statistics; threads may call it at once."""


def keeping(request: Request, keep: KeepChild | None) -> Callable[[ChildScores], None] | None:
    """Return what passes a child's families to `keep` as a table; None if nothing is kept."""
    if keep is None:
        return None

    def keep_scores(scores: ChildScores) -> None:
        keep(table_of(request, {scores.child: scores}, ()), scores.statistics)

    return keep_scores
