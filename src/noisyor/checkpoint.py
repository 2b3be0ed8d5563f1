"""What a run has finished so far, in files, so that it may be killed at any point.

The folder `checkpoint` of a run holds a score table for each child that was finished
(`child-N.parquet`, and the work that it was in `child-N.json`) and, of a run by price, one for each
offer of further families (`offer-N.parquet`). Each appears whole or not at all and never changes,
so whatever is there can be used. That data and settings are the same is seen to by whoever opens
the folder.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import ScoreTable, SettingsError
from noisyor.core.family_source import Offer, Price
from noisyor.core.relation import relation_named
from noisyor.formats import read_scores, write_scores
from noisyor.formats.json_document import document_text
from noisyor.scoring import (
    ChildScores,
    FitCounts,
    PruningRule,
    RecordSource,
    RelationStatistics,
    ScoringStatistics,
    scores_in,
)
from noisyor.whole_files import write_whole

FOLDER = "checkpoint"


class Checkpoint:
    """The files of one run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error

    def finished(self) -> dict[int, ChildScores]:
        """Return the children that an earlier run has finished."""
        found: dict[int, ChildScores] = {}
        for path in sorted(self._folder.glob("child-*.parquet")):
            work = _read_work(path.with_suffix(".json"))
            for child, scores in scores_in(read_scores(path)).items():
                found[child] = replace(scores, statistics=work)
        return found

    def keep_child(self, table: ScoreTable, work: ScoringStatistics | None) -> None:
        """Keep a child that was finished; its families come last, and tell that all is there."""
        path = self._folder / f"child-{int(table.children[0])}.parquet"
        if work is not None:
            write_whole({path.with_suffix(".json"): document_text(_work_document(work)).encode()})
        write_scores(table, path)

    def offers(self) -> list[ScoreTable]:
        """Return the families that an earlier run was offered, pass by pass."""
        return [read_scores(path) for path in self._offer_files()]

    def keep_offer(self, table: ScoreTable) -> None:
        """Keep families that were offered."""
        number = len(self._offer_files())
        write_scores(table, self._folder / f"offer-{number:06d}.parquet")

    def _offer_files(self) -> list[Path]:
        return sorted(self._folder.glob("offer-*.parquet"))

    def remove(self) -> None:
        """Delete it all, once the result is written."""
        shutil.rmtree(self._folder, ignore_errors=True)


class KeptSource:
    """A source of families that keeps what it offers, and begins with what was kept before.

    Families are facts about the data: beginning with more of them changes no result, only how
    much is left to look for.
    """

    def __init__(self, source: RecordSource, checkpoint: Checkpoint) -> None:
        self._source = source
        self._checkpoint = checkpoint

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self._source.names

    def least_costs(self) -> npt.NDArray[np.float64]:
        """Return, for each child, a cost that none of its families goes below."""
        return self._source.least_costs()

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return the full tables, and whatever else was offered before."""
        offer = self._source.seed(stop)
        table = offer.table
        for kept in self._checkpoint.offers():
            self._source.remember(kept)
            table = table.joined(kept)
        return replace(offer, table=table)

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        hasty: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families within a price, and keep them."""
        offer = self._source.within(
            prices, most=most, undominated=undominated, hasty=hasty, stop=stop
        )
        if len(offer.table):
            self._checkpoint.keep_offer(offer.table)
        return offer


def _work_document(work: ScoringStatistics) -> dict[str, object]:
    return {
        "relations": {
            relation.name: {
                "considered": one.considered,
                "cut": {str(int(rule)): count for rule, count in one.cut.items()},
                "evaluated": one.evaluated,
                "bounds": one.bounds,
                "kept": one.kept,
            }
            for relation, one in work.relations.items()
        },
        "fits": asdict(work.fits),
    }


def _read_work(path: Path) -> ScoringStatistics | None:
    if not path.exists():
        return None
    document = json.loads(path.read_text(encoding="utf-8"))
    relations = {}
    for name, one in document["relations"].items():
        cut = {PruningRule(int(rule)): count for rule, count in one.pop("cut").items()}
        relations[relation_named(name)] = RelationStatistics(cut=cut, **one)
    return ScoringStatistics(relations, FitCounts(**document["fits"]))
