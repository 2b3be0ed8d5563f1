"""The finished parts of a run, in files, so that it may be killed at any point.

The folder `checkpoint` of a run holds a score table for each finished child (`child-N.parquet`,
with the statistics of its search in `child-N.json`). A run by price also has one for each answer
that the search got (`offer-N.parquet`, with the query in `offer-N.json`), and the families that
climbers have met (`climbed-N.parquet`, with the best network in `climbed-N.json`). A run in layers
has the best network of each layer that is proven (`layer-N.parquet`, with what is proven in
`layer-N.json`; N is its most parents). Each file appears whole or not at all and never changes, so
every file found can be used. Each holds a digest of itself: a file that the disk has damaged is
refused. The code that opens the folder checks that data and settings are the same.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError, MismatchError, NoisyorError, ScoreTable, SettingsError
from noisyor.core.family_source import Offer, Price
from noisyor.core.layers import Layer
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
from noisyor.formats.credible_json import layer_from_json
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
_CLIMBED = r"climbed-[0-9]{6,}"
_LAYER = r"layer-(?:0|[1-9][0-9]*)"
_CHILD_TABLE = re.compile(rf"{_CHILD}\.parquet")
_OFFER_TABLE = re.compile(rf"{_OFFER}\.parquet")
_CLIMBED_TABLE = re.compile(rf"{_CLIMBED}\.parquet")
_LAYER_TABLE = re.compile(rf"{_LAYER}\.parquet")
_ANY = rf"(?:{_CHILD}|{_OFFER}|{_CLIMBED}|{_LAYER})"
_TABLE = re.compile(rf"{_ANY}\.parquet")
_BESIDE_TABLE = re.compile(rf"{_ANY}\.json")
_SEAL = "sha256"


@dataclass(frozen=True, slots=True, eq=False)
class KeptLayer:
    """A proven layer, families of it, and the positions of those of its best network."""

    layer: Layer
    table: ScoreTable
    best: npt.NDArray[np.int64]


class Checkpoint:
    """The files of one run, which holds the folder lock."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER
        try:
            make_folder(self._folder)
            inside = list(self._folder.iterdir())
        except OSError as error:
            raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
        ours = (path for path in inside if _TABLE.fullmatch(path.name) or _precedes_table(path))
        refuse_links([self._folder, *ours])
        remove_files(path for path in inside if _is_partial(path))

    def finished(self) -> dict[int, ChildScores]:
        """Return the children that an earlier run has finished."""
        found: dict[int, ChildScores] = {}
        for path, table in self.child_tables().items():
            with advice_on_error(path):
                work = _read_work(path.with_suffix(".json"))
            ((child, scores),) = scores_in(table).items()
            found[child] = replace(scores, statistics=work)
        return found

    def child_tables(self) -> dict[Path, ScoreTable]:
        """Return the tables of those children by file: one child in each, all of one run."""
        tables = _tables(self._files(_CHILD_TABLE))
        for path, table in tables.items():
            with advice_on_error(path):
                children = {f"child-{child}" for child in table.children.tolist()}
                if children != {path.stem}:
                    held = ", ".join(sorted(children)) or "none"
                    raise FormatError(f"{path} holds the families of other children: {held}")
        return tables

    def keep_child(self, table: ScoreTable, work: ScoringStatistics | None) -> None:
        """Keep a finished child; its table is written last and marks it as complete."""
        path = self._folder / f"child-{int(table.children[0])}.parquet"
        if work is None:
            raise RuntimeError("a child that has just been finished must have statistics")
        write_whole({path.with_suffix(".json"): sealed(_work_document(work))})
        write_scores(table, path)

    def offers(self) -> dict[str, Offer]:
        """Return the offers of an earlier run by query."""
        found = {}
        for path, table in _tables(self._files(_OFFER_TABLE)).items():
            with advice_on_error(path):
                question, finished = _read_question(path.with_suffix(".json"), len(table.names))
            found[question] = Offer(table, finished)
        return found

    def climbed(self) -> tuple[ScoreTable, npt.NDArray[np.int64]] | None:
        """Return the families that climbers had met, and the positions of the best network's."""
        paths = self._files(_CLIMBED_TABLE)
        if not paths:
            return None
        ((path, table),) = _tables(paths[-1:]).items()
        with advice_on_error(path):
            return table, _read_network(path.with_suffix(".json"), table)

    def keep_climbed(self, table: ScoreTable, best: npt.NDArray[np.int64]) -> None:
        """Keep the climbers' families and their best network, instead of earlier ones."""
        earlier = self._files(_CLIMBED_TABLE)
        path = self._next("climbed", _CLIMBED_TABLE)
        write_whole({path.with_suffix(".json"): sealed({"best": best.tolist()})})
        write_scores(table, path)
        remove_files(earlier)
        remove_files(one.with_suffix(".json") for one in earlier)

    def layers(self) -> list[KeptLayer]:
        """Return the layers that an earlier run has proven, by their number of parents."""
        found = []
        for path, table in _tables(self._files(_LAYER_TABLE)).items():
            with advice_on_error(path):
                layer, best = _read_layer(path.with_suffix(".json"), table)
                if path.stem != f"layer-{layer.max_parents}":
                    raise FormatError(f"{path} holds the layer of {layer.max_parents} parents")
            found.append(KeptLayer(layer, table, best))
        return sorted(found, key=lambda one: one.layer.max_parents)

    def keep_layer(self, kept: KeptLayer) -> None:
        """Keep a layer that is proven; its table is written last and marks it as complete."""
        path = self._folder / f"layer-{kept.layer.max_parents}.parquet"
        document = {"layer": asdict(kept.layer), "best": kept.best.tolist()}
        write_whole({path.with_suffix(".json"): sealed(document)})
        write_scores(kept.table, path)

    def _next(self, stem: str, names: re.Pattern[str]) -> Path:
        """Return a path after all that are there.

        Its number is one past the largest, not the count: a file may have been removed in between.
        """
        numbers = [int(path.stem.removeprefix(f"{stem}-")) for path in self._files(names)]
        return self._folder / f"{stem}-{max(numbers, default=-1) + 1:06d}.parquet"

    def keep_offer(self, question: str, offer: Offer) -> None:
        """Keep an offer; its table is written last and marks it as complete."""
        path = self._next("offer", _OFFER_TABLE)
        asked = {"question": question, "finished": offer.finished.tolist()}
        write_whole({path.with_suffix(".json"): sealed(asked)})
        write_scores(offer.table, path)

    def _files(self, names: re.Pattern[str]) -> list[Path]:
        return sorted(path for path in self._folder.iterdir() if names.fullmatch(path.name))

    def remove(self) -> None:
        """Delete the checkpoint once the result is written; files that are not ours stay.

        The tables go first, because they mark what is complete: this may be killed, too.
        """
        if self._folder.is_symlink():
            return
        remove_files(self._files(_TABLE))
        _remove_tableless(self._folder)


def remove_unfinished(folder: Path) -> bool:
    """Delete the checkpoint of a folder if it holds no table; return whether none is left."""
    kept = folder / FOLDER
    if not kept.is_symlink() and kept.is_dir() and all(map(_precedes_table, kept.iterdir())):
        _remove_tableless(kept)
    return not os.path.lexists(kept)


def _remove_tableless(folder: Path) -> None:
    """Delete the files that lack their table, then the folder if it is empty."""
    remove_files(path for path in list(folder.iterdir()) if _precedes_table(path))
    remove_if_empty(folder)


def _precedes_table(path: Path) -> bool:
    """Return whether a path has the name of a file that is written before its table."""
    return _BESIDE_TABLE.fullmatch(path.name) is not None or _is_partial(path)


def _is_partial(path: Path) -> bool:
    """Return whether a path has the name of a partly written file."""
    name = name_to_be(path) or ""
    return bool(_TABLE.fullmatch(name) or _BESIDE_TABLE.fullmatch(name))


class KeptSource:
    """A source of families that keeps its answers and repeats them for the same queries.

    The pricing loop depends on the answers alone. So a resumed run asks the same queries as the
    one before, gets the same answers at once, and takes the same path to the same result. A query
    that differs, because a step was ended by the clock, is answered anew.
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
        """Return a lower bound on the cost of any family, for each child."""
        return self._source.least_costs()

    def seed(self, stop: Callable[[], bool]) -> Offer:
        """Return the full tables, which the source itself keeps child by child."""
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
        """Return the families within a price, from the checkpoint or by a search."""
        asked = repr(([list(own) for own in prices], most, undominated, heuristic))
        question = hashlib.sha256(asked.encode()).hexdigest()
        kept = self._kept.get(question)
        if kept is not None:
            self._source.remember(kept.table)
            return kept
        offer = self._source.within(
            prices, most=most, undominated=undominated, heuristic=heuristic, stop=stop
        )
        # A stopped search has no complete answer: the next run must search again.
        if not stop():
            self._checkpoint.keep_offer(question, offer)
        return offer


def sealed(document: Mapping[str, object]) -> bytes:
    """Return the text of a document with a digest that reveals damage."""
    return document_text({**document, _SEAL: _digest(document)}).encode()


def _digest(document: Mapping[str, object]) -> str:
    return hashlib.sha256(document_text(dict(document)).encode()).hexdigest()


@contextmanager
def unsealed(path: Path, *keys: str) -> Iterator[dict[str, JsonPlace]]:
    """Yield the fields of a document made by `sealed`, and compare its digest at the end.

    The caller's errors about the fields come first: a document that is not ours has no digest to
    compare. No value leaves the context before the comparison.
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
def advice_on_error(path: Path) -> Iterator[None]:
    """Add to an error about a file how to go on without it."""
    try:
        yield
    except NoisyorError as error:
        raise type(error)(
            f"{error}. Remove {path} to repeat only that part, or remove the folder "
            f"{path.parent} to start anew"
        ) from error


def _tables(paths: Iterable[Path]) -> dict[Path, ScoreTable]:
    """Return tables by file, which must have the same variables and data."""
    tables: dict[Path, ScoreTable] = {}
    for path in paths:
        with advice_on_error(path):
            tables[path] = table = read_scores(path)
            first_path, first = next(iter(tables.items()))
            same_data = table.scope.provenance.data == first.scope.provenance.data
            if table.names != first.names or not same_data:
                raise MismatchError(f"{path} and {first_path} come from different data")
    return tables


def _read_question(path: Path, variables: int) -> tuple[str, npt.NDArray[np.bool_]]:
    """Return the query, and for which children the answer is complete."""
    with unsealed(path, "question", "finished") as places:
        question = places["question"].text()
        listed = [one.value for one in places["finished"].entries()]
        if len(listed) != variables or not set(map(type, listed)) <= {bool}:
            raise places["finished"].wrong(f"must be a list of {variables} values, true or false")
    return question, np.array(listed, dtype=np.bool_)


def _read_network(path: Path, table: ScoreTable) -> npt.NDArray[np.int64]:
    """Return the positions of a network's families in its table."""
    with unsealed(path, "best") as places:
        return _network_at(places["best"], table)


def _read_layer(path: Path, table: ScoreTable) -> tuple[Layer, npt.NDArray[np.int64]]:
    """Return a layer, and the positions of its best network's families in their table."""
    with unsealed(path, "layer", "best") as places:
        layer = layer_from_json(places["layer"])
        if not layer.proven:
            raise places["layer"].wrong("must be proven")
        best = _network_at(places["best"], table)
    return layer, best


def _network_at(place: JsonPlace, table: ScoreTable) -> npt.NDArray[np.int64]:
    """Return the positions of a network's families in a table: one of each child."""
    rows = np.array(place.whole_numbers(0, len(table) - 1), dtype=np.int64)
    if not np.array_equal(table.children[rows], np.arange(len(table.names))):
        raise place.wrong("must have one family of each child, in their order")
    return rows


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
    with unsealed(path, "relations", "fits") as places:
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
