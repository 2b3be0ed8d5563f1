"""What a run has finished so far, in files, so that it may be killed at any point.

The folder `checkpoint` of a run holds a score table for each child that was finished
(`child-N.parquet`, and the work that it was in `child-N.json`) and, of a run by price, one for
each answer that the search got (`offer-N.parquet`, and to which question in `offer-N.json`). Each
appears whole or not at all and never changes, so whatever is there can be used. That data and
settings are the same is seen to by whoever opens the folder.
"""

import hashlib
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
from noisyor.whole_files import remove_leftovers_in, write_whole

FOLDER = "checkpoint"


class Checkpoint:
    """The files of one run, which uses their folder alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
        remove_leftovers_in(self._folder)

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

    def offers(self) -> dict[str, Offer]:
        """Return what an earlier run was offered, by question."""
        found = {}
        for path in self._offer_files():
            asked = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
            finished = np.array(asked["finished"], dtype=np.bool_)
            found[asked["question"]] = Offer(read_scores(path), finished)
        return found

    def keep_offer(self, question: str, offer: Offer) -> None:
        """Keep what was offered; the families come last, and tell that all is there."""
        path = self._folder / f"offer-{len(self._offer_files()):06d}.parquet"
        asked = {"question": question, "finished": offer.finished.tolist()}
        write_whole({path.with_suffix(".json"): document_text(asked).encode()})
        write_scores(offer.table, path)

    def _offer_files(self) -> list[Path]:
        return sorted(self._folder.glob("offer-*.parquet"))

    def remove(self) -> None:
        """Delete it all, once the result is written.

        First what tells that the rest is there: this may be killed, too.
        """
        for path in self._folder.glob("*.parquet"):
            path.unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)


class KeptSource:
    """A source of families that keeps its answers, and gives them again to the same questions.

    The loop of prices decides by the answers alone. So a run that goes on asks the questions of
    the one before, gets the same answers at once, and takes the same way to the same end. Where a
    question is another one, because a step ended by the clock, it is answered anew.
    """

    def __init__(self, source: RecordSource, checkpoint: Checkpoint) -> None:
        self._source = source
        self._checkpoint = checkpoint
        self._kept = checkpoint.offers()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return self._source.names

    def least_costs(self) -> npt.NDArray[np.float64]:
        """Return, for each child, a cost that none of its families goes below."""
        return self._source.least_costs()

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return the full tables, which the source keeps by itself, child by child."""
        return self._source.seed(stop)

    def within(
        self,
        prices: Sequence[Sequence[Price]],
        *,
        most: int | None = None,
        undominated: bool = False,
        hasty: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families within a price, as they were or as they are found."""
        asked = repr(([list(own) for own in prices], most, undominated, hasty))
        question = hashlib.sha256(asked.encode()).hexdigest()
        kept = self._kept.get(question)
        if kept is not None:
            self._source.remember(kept.table)
            return kept
        offer = self._source.within(
            prices, most=most, undominated=undominated, hasty=hasty, stop=stop
        )
        # What was stopped is not the answer, and the next run shall find that.
        if not stop():
            self._checkpoint.keep_offer(question, offer)
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
