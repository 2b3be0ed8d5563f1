"""Members of a credible set as Parquet, one row per network.

Columns: `cost` in nats, and `families`, which has for each variable, in order, the index of its
family in the file's list. The metadata hold, under `noisyor_members`, a JSON object with the
version of the format, the names, the Bayes factor, the facts about the credible set, and the
families. Rows are written as the search yields them, in no particular order and in constant memory.
"""

import io
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from polars.io.plugins import register_io_source

from noisyor.core import (
    BayesFactor,
    CredibleSet,
    Family,
    FormatError,
    NoisyorError,
    SettingsError,
    Structure,
)
from noisyor.core.arrays import hand_over, read_only
from noisyor.core.credible_set import Labels
from noisyor.core.relations import relation_named
from noisyor.core.tolerance import tolerances_at
from noisyor.core.variable_sets import MAX_VARIABLES, set_of, to_words, word_count
from noisyor.files.batches import FAILURES, batches_of
from noisyor.files.unpacked_size.parquet import row_count_of_bounded
from noisyor.files.whole import written_whole
from noisyor.formats.acyclic_members import first_cyclic
from noisyor.formats.parquet_metadata import document_in
from noisyor.formats.scope_json import field, texts

VERSION = 1
METADATA_KEY = "noisyor_members"
SUFFIX = ".parquet"
_ROWS_A_GROUP = 2**16  # held in memory at a time while writing
_ROWS_CHECKED_AT_ONCE = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class StoredMembers:
    """Networks from a file, and facts about the credible set that they belong to.

    `members` (rows, n) holds indices into `families`, whose costs are `family_costs`; `costs`
    (rows,) are those of the networks. `count` is the size of the credible set; the file may hold
    only some of its members.
    """

    names: tuple[str, ...]
    bayes_factor: BayesFactor
    labels: Labels
    optimum: float
    count: int
    complete: bool
    families: tuple[Family, ...]
    family_costs: npt.NDArray[np.float64]
    members: npt.NDArray[np.uint32]
    costs: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.costs)

    def structure(self, row: int) -> Structure:
        """Return one of the networks."""
        places = self.members[row].tolist()
        return Structure(self.names, tuple(self.families[place] for place in places))


def check_member_suffix(path: Path) -> None:
    """Refuse a file name that does not end in .parquet."""
    if path.suffix.lower() != SUFFIX:
        raise SettingsError(f"{path} does not end like a file of members; allowed: {SUFFIX}")


def write_members(
    credible: CredibleSet, path: str | Path, most: int, until: float | None = None
) -> int:
    """Write at most `most` members, and return how many were written.

    The file appears whole or not at all. If the set has more members, the file holds those that
    the search lists first, which are not the best ones. `until` is a time of time.monotonic(); the
    batch being written at that time is the last.
    """
    path = Path(path)
    check_member_suffix(path)
    if most < 1:
        raise SettingsError(f"at most {most} networks to write; it must be at least 1")
    written = 0
    schema = _schema(len(credible.names))

    def rows(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        del with_columns, predicate, n_rows, batch_size  # everything is written
        nonlocal written
        for batch in credible.members.stream():
            kept = min(len(batch.costs), most - written)
            written += kept
            columns = {"cost": batch.costs[:kept], "families": batch.families[:kept]}
            yield pl.DataFrame(columns, schema=schema)
            if written == most or (until is not None and time.monotonic() >= until):
                return

    with written_whole(path) as file:
        register_io_source(rows, schema=schema).sink_parquet(
            file,
            compression="zstd",
            statistics=False,
            row_group_size=_ROWS_A_GROUP,
            metadata={METADATA_KEY: json.dumps(_document_of(credible))},
        )
    return written


def read_members(path: str | Path) -> StoredMembers:
    """Return the networks in a file of `write_members`; they are checked to be acyclic."""
    path = Path(path)
    try:
        data = path.read_bytes()
        document = document_in(pl.read_parquet_metadata(io.BytesIO(data)), METADATA_KEY, VERSION)
        stored = _stored(data, document)
        _check_members(stored)
    except FAILURES as error:
        raise FormatError(f"{path} is not a readable Parquet file: {error}") from error
    except (NoisyorError, ValueError) as error:
        raise FormatError(f"{path} is not a file of members: {error}") from error
    return stored


def _schema(count: int) -> dict[str, pl.DataType]:
    return {"cost": pl.Float64(), "families": pl.Array(pl.UInt32, count)}


def _document_of(credible: CredibleSet) -> dict[str, object]:
    names = credible.names
    return {
        "version": VERSION,
        "names": list(names),
        "bayes_factor": credible.bayes_factor.value,
        "temperature": credible.bayes_factor.temperature,
        "labels": str(credible.labels),
        "optimum": credible.optimum,
        "count": credible.count,
        "complete": credible.complete,
        "families": [
            {
                "child": names[use.family.child],
                "parents": [names[parent] for parent in use.family.parent_indices()],
                "relation": use.family.relation.name,
                "cost": use.cost,
            }
            for use in credible.families
        ],
    }


def _stored(data: bytes, document: object) -> StoredMembers:
    names = texts(document, "names")
    if not 1 <= len(set(names)) == len(names) <= MAX_VARIABLES:
        raise FormatError(f"it needs 1 to {MAX_VARIABLES} different names")
    members, costs = _rows(data, len(names))
    families, family_costs = _families(field(document, "families", list), names)
    return StoredMembers(
        names=names,
        bayes_factor=BayesFactor(
            float(field(document, "bayes_factor", float, int)),
            float(field(document, "temperature", float, int)),
        ),
        labels=Labels.of(field(document, "labels", str)),
        optimum=float(field(document, "optimum", float, int)),
        count=field(document, "count", int),
        complete=field(document, "complete", bool),
        families=families,
        family_costs=read_only(np.array(family_costs), np.float64),
        members=hand_over(members),
        costs=hand_over(costs),
    )


def _rows(data: bytes, width: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float64]]:
    """Return the columns, read in pieces, so that there is never a second copy in memory."""
    lazy = pl.scan_parquet(io.BytesIO(data), glob=False)
    found, expected = dict(lazy.collect_schema()), _schema(width)
    if found != expected:
        raise FormatError(f"its columns are {found}; expected: {expected}")
    count = row_count_of_bounded(data)
    members = np.empty((count, width), dtype=np.uint32)
    costs = np.empty(count, dtype=np.float64)
    start = 0
    for part in batches_of(lazy, _ROWS_A_GROUP):
        cells = part["families"].explode(empty_as_null=False)
        if part["cost"].null_count() or part["families"].null_count() or cells.null_count():
            raise FormatError("it has empty cells")
        rows = slice(start, start + len(part))
        members[rows] = cells.to_numpy().reshape(len(part), width)
        costs[rows] = part["cost"].to_numpy()
        start = rows.stop
    if start != count:
        raise FormatError(f"it has {start} rows, but states {count}")
    return members, costs


def _families(
    listed: list[object], names: tuple[str, ...]
) -> tuple[tuple[Family, ...], list[float]]:
    number = {name: index for index, name in enumerate(names)}
    families, costs = [], []
    for one in listed:
        child, parents = field(one, "child", str), texts(one, "parents")
        for name in (child, *parents):
            if name not in number:
                raise FormatError(f"a family names {name!r}, which is not a variable")
        relation = relation_named(field(one, "relation", str))
        families.append(Family(number[child], set_of(number[name] for name in parents), relation))
        costs.append(float(field(one, "cost", float, int)))
    return tuple(families), costs


def _check_members(stored: StoredMembers) -> None:
    """Refuse rows that are not networks, or whose costs are not those of their families."""
    if not isfinite(stored.optimum):
        raise FormatError(f"the optimum is {stored.optimum}")
    # Where counting was cut off, more networks may be listed than were counted.
    if not len(stored) or (stored.complete and len(stored) > stored.count):
        raise FormatError(f"it has {len(stored)} rows of a set of {stored.count} networks")
    if stored.members.max() >= len(stored.families):
        raise FormatError(f"a row names a family that is not among its {len(stored.families)}")
    children = np.array([family.child for family in stored.families])
    parents = to_words([one.parents for one in stored.families], word_count(len(stored.names)))
    for start in range(0, len(stored), _ROWS_CHECKED_AT_ONCE):
        rows = slice(start, start + _ROWS_CHECKED_AT_ONCE)
        places, costs = stored.members[rows], stored.costs[rows]
        if (children[places] != np.arange(len(stored.names))).any():
            raise FormatError("a row has another variable's family")
        sums = stored.family_costs[places].sum(axis=1)
        if not (np.abs(sums - costs) <= tolerances_at(sums)).all():
            raise FormatError("the cost of a row is not the sum of its families' costs")
        if not (stored.optimum - costs <= tolerances_at(costs)).all():
            raise FormatError(f"a row is better than the optimum of {stored.optimum}")
        if first_cyclic(parents, places) is not None:
            raise FormatError("the edges of a row form a directed cycle")
