"""What a run has finished so far, in files, so that it may be killed at any point.

The folder `checkpoint` of a run holds a score table for each child that was finished
(`child-N.parquet`, and the work that it was in `child-N.json`) and, of a run by price, one for
each answer that the search got (`offer-N.parquet`, and to which question in `offer-N.json`). Each
appears whole or not at all and never changes, so whatever is there can be used. Each holds a digest
of itself: a disk may still damage it, and then it is refused. That data and settings are the same
is seen to by whoever opens the folder.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError, MismatchError, NoisyorError, ScoreTable, SettingsError
from noisyor.core.family_source import Offer, Price
from noisyor.core.pruning_rules import CUTTING_RULES, PruningRule
from noisyor.core.relations import relation_named
from noisyor.files.whole import (
    make_folder,
    name_to_be,
    refuse_links,
    remove_files,
    remove_if_empty,
    write_whole,
)
from noisyor.formats import read_scores, write_scores
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.scoring import (
    ChildScores,
    FitCounts,
    RecordSource,
    RelationStatistics,
    ScoringStatistics,
    scores_in,
)

FOLDER = "checkpoint"
_CHILD = r"child-(?:0|[1-9][0-9]*)"
_OFFER = r"offer-[0-9]{6,}"
_CHILD_TABLE = re.compile(rf"{_CHILD}\.parquet")
_OFFER_TABLE = re.compile(rf"{_OFFER}\.parquet")
_TABLE = re.compile(rf"({_CHILD}|{_OFFER})\.parquet")
_BESIDE_TABLE = re.compile(rf"({_CHILD}|{_OFFER})\.json")
_SEAL = "sha256"


class Checkpoint:
    """The files of one run, which uses their folder alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            make_folder(self._folder)
            inside = list(self._folder.iterdir())
        except OSError as error:
            raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
        ours = (path for path in inside if _TABLE.fullmatch(path.name) or _is_rest(path))
        refuse_links([self._folder, *ours])
        remove_files(path for path in inside if _is_half(path))

    def finished(self) -> dict[int, ChildScores]:
        """Return the children that an earlier run has finished."""
        found: dict[int, ChildScores] = {}
        for path, table in self.child_tables().items():
            with _way_out(path):
                work = _read_work(path.with_suffix(".json"))
            ((child, scores),) = scores_in(table).items()
            found[child] = replace(scores, statistics=work)
        return found

    def child_tables(self) -> dict[Path, ScoreTable]:
        """Return the tables of those children, by file: one child in each, all of one run."""
        tables = _tables(self._files(_CHILD_TABLE))
        for path, table in tables.items():
            with _way_out(path):
                children = {f"child-{child}" for child in table.children.tolist()}
                if children != {path.stem}:
                    held = ", ".join(sorted(children)) or "none"
                    raise FormatError(f"{path} holds the families of other children: {held}")
        return tables

    def keep_child(self, table: ScoreTable, work: ScoringStatistics | None) -> None:
        """Keep a child that was finished; its families come last, and tell that all is there."""
        path = self._folder / f"child-{int(table.children[0])}.parquet"
        if work is None:
            raise RuntimeError("a child that was just finished comes with the work that it was")
        write_whole({path.with_suffix(".json"): sealed(_work_document(work))})
        write_scores(table, path)

    def offers(self) -> dict[str, Offer]:
        """Return what an earlier run was offered, by question."""
        found = {}
        for path, table in _tables(self._files(_OFFER_TABLE)).items():
            with _way_out(path):
                question, finished = _read_question(path.with_suffix(".json"), len(table.names))
            found[question] = Offer(table, finished)
        return found

    def keep_offer(self, question: str, offer: Offer) -> None:
        """Keep what was offered; the families come last, and tell that all is there."""
        # Not their count: one of them may have been removed, and no other may be overwritten.
        numbers = [int(path.stem.removeprefix("offer-")) for path in self._files(_OFFER_TABLE)]
        last = max(numbers, default=-1)
        path = self._folder / f"offer-{last + 1:06d}.parquet"
        asked = {"question": question, "finished": offer.finished.tolist()}
        write_whole({path.with_suffix(".json"): sealed(asked)})
        write_scores(offer.table, path)

    def _files(self, names: re.Pattern[str]) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if names.fullmatch(path.name))

    def remove(self) -> None:
        """Delete what runs have kept, once the result is written; what is not ours stays.

        First what tells that the rest is there: this may be killed, too.
        """
        if self._folder.is_symlink():
            return
        remove_files(self._files(_TABLE))
        _remove_rest(self._folder)


def remove_unfinished(folder: Path) -> bool:
    """Delete the checkpoint of a folder if it holds no table; return whether it is gone."""
    kept = folder / FOLDER
    if not kept.is_symlink() and kept.is_dir() and all(map(_is_rest, kept.iterdir())):
        _remove_rest(kept)
    return not os.path.lexists(kept)


def _remove_rest(folder: Path) -> None:
    """Delete what belongs to tables that are not there (any more), then the folder if empty."""
    remove_files(path for path in list(folder.iterdir()) if _is_rest(path))
    remove_if_empty(folder)


def _is_rest(path: Path) -> bool:
    """Return whether a path has the name of something that comes before a table."""
    return _BESIDE_TABLE.fullmatch(path.name) is not None or _is_half(path)


def _is_half(path: Path) -> bool:
    """Return whether a path has the name of a file that was not written to its end."""
    name = name_to_be(path) or ""
    return bool(_TABLE.fullmatch(name) or _BESIDE_TABLE.fullmatch(name))


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
        heuristic: bool = False,
        stop: Callable[[], bool],
    ) -> Offer:
        """Return the families within a price, as they were or as they are found."""
        asked = repr(([list(own) for own in prices], most, undominated, heuristic))
        question = hashlib.sha256(asked.encode()).hexdigest()
        kept = self._kept.get(question)
        if kept is not None:
            self._source.remember(kept.table)
            return kept
        offer = self._source.within(
            prices, most=most, undominated=undominated, heuristic=heuristic, stop=stop
        )
        # What was stopped is not the answer, and the next run shall find that.
        if not stop():
            self._checkpoint.keep_offer(question, offer)
        return offer


def sealed(document: Mapping[str, object]) -> bytes:
    """Return the text of a document, with a digest by which damage to it is seen."""
    return document_text({**document, _SEAL: _digest(document)}).encode()


def _digest(document: Mapping[str, object]) -> str:
    return hashlib.sha256(document_text(dict(document)).encode()).hexdigest()


@contextmanager
def _unsealed(path: Path, *keys: str) -> Iterator[dict[str, JsonPlace]]:
    """Give the fields of a document that `sealed` has made, and compare its digest at the end.

    At the end, because what is no JSON of ours at all has no digest; nobody gets to use the
    values before that.
    """
    try:
        document = read_document(path.read_text(encoding="utf-8"))
        places = document.fields(*keys, _SEAL)
        yield places
        if _digest({key: places[key].value for key in keys}) != places[_SEAL].text():
            raise FormatError(f"it does not match its digest ({_SEAL})")
    except (OSError, UnicodeDecodeError, NoisyorError) as error:
        raise FormatError(f"{path} is damaged: {error}") from error


@contextmanager
def _way_out(path: Path) -> Iterator[None]:
    """Say of what cannot be used how to go on without it."""
    try:
        yield
    except NoisyorError as error:
        raise type(error)(
            f"{error}. Remove {path}, and what it held is done again; or remove the folder "
            f"{path.parent} to start anew"
        ) from error


def _tables(paths: Iterable[Path]) -> dict[Path, ScoreTable]:
    """Return tables by file, which must be of the same variables and data."""
    tables: dict[Path, ScoreTable] = {}
    for path in paths:
        with _way_out(path):
            tables[path] = table = read_scores(path)
            first_path, first = next(iter(tables.items()))
            same_data = table.scope.provenance.data == first.scope.provenance.data
            if table.names != first.names or not same_data:
                raise MismatchError(f"{path} and {first_path} are of different data")
    return tables


def _read_question(path: Path, variables: int) -> tuple[str, npt.NDArray[np.bool_]]:
    """Return what was asked, and for which children the answer is whole."""
    with _unsealed(path, "question", "finished") as places:
        question = places["question"].text()
        listed = [one.value for one in places["finished"].entries()]
        if len(listed) != variables or not set(map(type, listed)) <= {bool}:
            raise places["finished"].wrong(f"must be {variables} times true or false")
    return question, np.array(listed, dtype=np.bool_)


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


def _read_work(path: Path) -> ScoringStatistics:
    with _unsealed(path, "relations", "fits") as places:
        relations = {}
        for name, place in places["relations"].by_name().items():
            with complaints_at(place):
                relation = relation_named(name)
            counted = place.fields(*(one.name for one in fields(RelationStatistics)))
            by_rule = counted.pop("cut").fields(*(str(int(rule)) for rule in CUTTING_RULES))
            relations[relation] = RelationStatistics(
                cut={PruningRule(int(rule)): count for rule, count in _counts(by_rule).items()},
                **_counts(counted),
            )
        fits = places["fits"].fields(*(one.name for one in fields(FitCounts)))
        return ScoringStatistics(relations, FitCounts(**_counts(fits)))


def _counts(places: Mapping[str, JsonPlace]) -> dict[str, int]:
    return {key: place.whole_number(0) for key, place in places.items()}
