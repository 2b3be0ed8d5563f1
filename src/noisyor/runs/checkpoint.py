"""The finished parts of a run, in files, so that it may be killed at any point.

The folder `checkpoint` of a run holds a score table for each finished child (`child-N.parquet`,
with the statistics of its search in `child-N.json`), and what the parts of a child on a cluster
have found so far (`begun-N-M.json`; the largest M counts). A run by price also has one for each
answer that the search got (`offer-N.parquet`, with the query in `offer-N.json`), and the families
that climbers have met (`climbed-N.parquet`, with the best network in `climbed-N.json`). A run in
layers has the best network of each layer that is proven (`layer-N.parquet`, with what is proven in
`layer-N.json`; N is its most parents). Each file appears whole or not at all and never changes, so
every file found can be used. Each holds a digest of itself: a file that the disk has damaged is
refused. The code that opens the folder checks that data and settings are the same.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError, MismatchError, NoisyorError, ScoreTable, SettingsError
from noisyor.core.family_source import Offer, Price
from noisyor.core.layers import Layer
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
from noisyor.formats.json_place import JsonPlace
from noisyor.runs.open_children import open_child_document, read_open_child
from noisyor.runs.sealed import sealed, unsealed
from noisyor.runs.work_documents import WORK_KEYS, work_document, work_in
from noisyor.scoring import (
    ChildScores,
    RecordSource,
    ScoringStatistics,
    scores_in,
)
from noisyor.scoring.cluster_tasks import OpenChild

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
_BEGUN = re.compile(r"begun-(?:0|[1-9][0-9]*)-[0-9]{6,}\.json")


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
        ours = (path for path in inside if _is_whole(path) or _precedes_table(path))
        refuse_links([self._folder, *ours])
        remove_files(path for path in inside if _is_partial(path))

    def finished(self) -> dict[int, ChildScores]:
        """Return the children that an earlier run has finished."""
        found: dict[int, ChildScores] = {}
        for path, table in self.child_tables().items():
            beside = path.with_suffix(".json")
            with advice_on_error(path), unsealed(beside, *WORK_KEYS) as places:
                work = work_in(places)
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
        write_whole({path.with_suffix(".json"): sealed(work_document(work))})
        write_scores(table, path)
        remove_files(self._begun().get(int(table.children[0]), ()))

    def open_children(self) -> dict[int, OpenChild]:
        """Return the children that an earlier run on a cluster has begun, but not finished."""
        found: dict[int, OpenChild] = {}
        for child, paths in self._begun().items():
            with advice_on_error(paths[-1]):
                found[child] = read_open_child(paths[-1])
                if found[child].child != child:
                    raise FormatError(f"{paths[-1]} is of child {found[child].child}")
        return found

    def keep_open_child(self, begun: OpenChild) -> None:
        """Keep what is known of a child, instead of what was known before."""
        earlier = self._begun().get(begun.child, [])
        numbers = [int(path.stem.rpartition("-")[2]) for path in earlier]
        name = f"begun-{begun.child}-{max(numbers, default=-1) + 1:06d}.json"
        write_whole({self._folder / name: open_child_document(begun)})
        remove_files(earlier)

    def _begun(self) -> dict[int, list[Path]]:
        """Return the files of each child that was begun, the latest last."""
        found: dict[int, list[Path]] = {}
        for path in sorted(self._files(_BEGUN), key=lambda path: (len(path.name), path.name)):
            found.setdefault(int(path.name.split("-")[1]), []).append(path)
        return found

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
        remove_files([*self._files(_TABLE), *self._files(_BEGUN)])
        _remove_tableless(self._folder)


def remove_unfinished(folder: Path) -> bool:
    """Delete the checkpoint of a folder if it holds nothing whole; return whether none is left."""
    kept = folder / FOLDER
    if not kept.is_symlink() and kept.is_dir() and all(map(_precedes_table, kept.iterdir())):
        _remove_tableless(kept)
    return not os.path.lexists(kept)


def _remove_tableless(folder: Path) -> None:
    """Delete the files that lack their table, then the folder if it is empty."""
    remove_files(path for path in list(folder.iterdir()) if _precedes_table(path))
    remove_if_empty(folder)


def _is_whole(path: Path) -> bool:
    """Return whether a path has the name of a file that can be used by itself."""
    return _TABLE.fullmatch(path.name) is not None or _BEGUN.fullmatch(path.name) is not None


def _precedes_table(path: Path) -> bool:
    """Return whether a path has the name of a file that is written before its table."""
    return _BESIDE_TABLE.fullmatch(path.name) is not None or _is_partial(path)


def _is_partial(path: Path) -> bool:
    """Return whether a path has the name of a partly written file."""
    name = name_to_be(path) or ""
    return _is_whole(Path(name)) or _BESIDE_TABLE.fullmatch(name) is not None


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

    def least_costs(self, stop: Callable[[], bool]) -> npt.NDArray[np.float64]:
        """Return a lower bound on the cost of any family, for each child."""
        return self._source.least_costs(stop)

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
