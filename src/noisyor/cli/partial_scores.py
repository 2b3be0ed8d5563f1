"""What a run of `noisyor score` has finished, for the next one to go on from."""

import time
from dataclasses import replace
from pathlib import Path

from noisyor.cli.terminal import note
from noisyor.core import (
    BayesFactor,
    BinaryDataset,
    Constraints,
    MismatchError,
    Relation,
    ScoreTable,
)
from noisyor.core.version import VERSION
from noisyor.formats import read_scores, write_scores
from noisyor.formats.score_files import sidecar_of
from noisyor.scoring import ChildScores, ScoringStatistics, scores_in
from noisyor.whole_files import remove_leftovers

PARTIAL_SUFFIX = ".partial.parquet"
"""Beside the output: what a run that was interrupted or killed had finished."""

_WRITING_SHARE = 0.05  # of the time of a run, which is not exceeded for long


class PartialScores:
    """A file beside the output of a run, which is the only one to use it.

    It is written again when a child is finished, unless that has taken too much of the time so
    far. So what a run that is killed may lose was found within 20 times the time of writing it.
    """

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(output.name + PARTIAL_SUFFIX)
        self._written: ScoreTable | None = None
        self._waiting: list[ScoreTable] = []
        self._began = time.monotonic()
        self._writing_seconds = 0.0
        remove_leftovers([output, sidecar_of(output), self.path])

    def read(
        self,
        data: BinaryDataset,
        factor: BayesFactor,
        relations: tuple[Relation, ...],
        constraints: Constraints,
    ) -> dict[int, ChildScores]:
        """Return what an earlier run with the same data and settings has left."""
        if not self.path.exists():
            return {}
        table = read_scores(self.path)
        scope = table.scope
        if (
            scope.provenance.data != data.fingerprint()
            or scope.provenance.version != VERSION
            or scope.bayes_factor != factor
            or scope.relations != relations
            or scope.constraints != constraints
        ):
            raise MismatchError(
                f"{self.path} is what an interrupted run left, but of other data, settings or "
                "version; remove it, or choose another output"
            )
        self._written = table
        finished = scores_in(table)
        done = f"{len(finished)} of {data.variable_count} children are done"
        note(f"going on from {self.path}: {done}")
        return finished

    def keep_child(self, table: ScoreTable, work: ScoringStatistics | None) -> None:
        """Take the table of a child that was finished, and write it now or with later ones."""
        del work  # the file has no place for it
        self._waiting.append(table)
        started = time.monotonic()
        if self._writing_seconds > _WRITING_SHARE * (started - self._began):
            return
        so_far = self._so_far()
        write_scores(so_far, self.path)
        self._written, self._waiting = so_far, []
        self._writing_seconds += time.monotonic() - started

    def _so_far(self) -> ScoreTable:
        """Return the children of an earlier run and those of this one, labelled as a part."""
        first, *others = self._waiting if self._written is None else [self._written, *self._waiting]
        for other in others:
            first = first.joined(other)
        done = len(set(first.children.tolist()))
        shortfall = f"a run was killed when {done} of {len(first.names)} children were scored"
        return replace(first, scope=replace(first.scope, shortfalls=(shortfall,)))

    def keep(self, table: ScoreTable) -> None:
        """Write what is finished in the end, and say where."""
        write_scores(table, self.path)
        say_shortfalls(table)
        note(f"what is finished is in {self.path}; the same command goes on from there")

    def remove(self) -> None:
        """Delete it, once the result is written."""
        self.path.unlink(missing_ok=True)


def say_shortfalls(table: ScoreTable) -> None:
    """Say on standard error what a table lacks."""
    for shortfall in table.scope.shortfalls:
        note(f"incomplete: {shortfall}")
