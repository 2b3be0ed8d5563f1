"""noisyor's own format: a score table as Parquet, complete to the last bit.

One row per family, in the table's order. Columns: `child` (the variable's number), `parents` (words
of 64 variables, the lowest first), `relation` (its code), `cost` and `gap` in nats, `q` (the
family's q's). The file's metadata hold, under `noisyor_scores`, a JSON object with the version of
the format, the names, the scope, a digest of the columns (Parquet's own checksums are optional,
and polars writes none) and, in a sidecar, the digest of the text file it belongs to. Equal tables
give equal bytes with the same version of polars.
"""

import hashlib
import io
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import FormatError, NoisyorError, ScoreTable
from noisyor.core.arrays import hand_over
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.variable_sets import MAX_VARIABLES, word_count
from noisyor.files.batches import FAILURES
from noisyor.files.unpacked_size.parquet import row_count_of_bounded
from noisyor.formats.parquet_metadata import document_in
from noisyor.formats.scope_json import field, scope_from_json, scope_to_json, texts

VERSION = 1
METADATA_KEY = "noisyor_scores"
_ROWS_A_GROUP = 2**18  # fixed, so that the bytes do not depend on the number of threads


class Stored(NamedTuple):
    """A table, and the digest of the text file that it was written with."""

    table: ScoreTable
    text_digest: str | None


def parquet_bytes(table: ScoreTable, text_digest: str | None = None) -> bytes:
    """Return the table as a Parquet file."""
    columns = {
        "child": pl.Series(table.children),
        "parents": pl.Series(table.parents, dtype=_schema(table.parents.shape[1])["parents"]),
        "relation": pl.Series(table.relations),
        "cost": pl.Series(table.costs),
        "gap": pl.Series(table.gaps),
        "q": _ragged(table.columns.parameters, np.diff(table.columns.offsets)),
    }
    document = {
        "version": VERSION,
        "names": list(table.names),
        "scope": scope_to_json(table.scope),
        "columns_sha256": _columns_digest(table),
        "text_sha256": text_digest,
    }
    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(
        file,
        compression="zstd",
        statistics=False,
        row_group_size=_ROWS_A_GROUP,
        metadata={METADATA_KEY: json.dumps(document)},
    )
    return file.getvalue()


def read_parquet(data: bytes, path: Path) -> Stored:
    """Return the table in a Parquet file of this module; `path` is for messages."""
    try:
        document = document_in(pl.read_parquet_metadata(io.BytesIO(data)), METADATA_KEY, VERSION)
        names = _names(document)
        row_count_of_bounded(data)
        frame = pl.read_parquet(io.BytesIO(data), glob=False)
        _check_schema(frame, word_count(len(names)))
        stored = Stored(
            _table(frame, names, document), field(document, "text_sha256", str, type(None))
        )
        digest = field(document, "columns_sha256", str)
    except FAILURES as error:
        raise FormatError(f"{path} is not a readable Parquet file: {error}") from error
    except (NoisyorError, ValueError) as error:
        raise FormatError(f"{path} is not a score table of noisyor: {error}") from error
    if _columns_digest(stored.table) != digest:
        raise FormatError(f"{path} is damaged: its columns do not match their digest")
    return stored


def _names(document: object) -> tuple[str, ...]:
    names = texts(document, "names")
    if not 1 <= len(names) <= MAX_VARIABLES:
        raise FormatError(f"it has {len(names)} variables; allowed: 1 to {MAX_VARIABLES}")
    return names


def _schema(words: int) -> dict[str, pl.DataType]:
    return {
        "child": pl.Int32(),
        "parents": pl.Array(pl.UInt64, words),
        "relation": pl.UInt8(),
        "cost": pl.Float64(),
        "gap": pl.Float64(),
        "q": pl.List(pl.Float64),
    }


def _check_schema(frame: pl.DataFrame, words: int) -> None:
    expected = _schema(words)
    missing = [name for name in expected if name not in frame.columns]
    foreign = [name for name in frame.columns if name not in expected]
    if missing or foreign:
        raise FormatError(
            f"its columns are {', '.join(frame.columns)}; expected: {', '.join(expected)}"
        )
    for name, dtype in expected.items():
        if frame[name].dtype != dtype:
            raise FormatError(f"column {name!r} holds {frame[name].dtype}, not {dtype}")
        values = frame[name]
        if isinstance(dtype, pl.Array | pl.List) and not values.null_count():
            values = values.explode(empty_as_null=False)
        if values.null_count():
            raise FormatError(f"column {name!r} has empty cells")


def _table(frame: pl.DataFrame, names: tuple[str, ...], document: object) -> ScoreTable:
    counts = frame["q"].list.len().to_numpy()
    columns = FamilyColumns(
        children=frame["child"].to_numpy(),
        parents=frame["parents"].to_numpy().reshape(len(frame), word_count(len(names))),
        relations=frame["relation"].to_numpy(),
        costs=frame["cost"].to_numpy(),
        gaps=frame["gap"].to_numpy(),
        offsets=hand_over(np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])),
        parameters=frame["q"].explode(empty_as_null=False).to_numpy(),
    )
    return ScoreTable(names, columns, scope_from_json(field(document, "scope", dict), names))


def _ragged(values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> pl.Series:
    """Return consecutive ranges of the values as lists of the given lengths."""
    rows = np.repeat(np.arange(len(counts)), counts)
    filled = pl.DataFrame({"row": rows, "q": values}).group_by("row", maintain_order=True).agg("q")
    empty = pl.Series("q", [[]], dtype=pl.List(pl.Float64))
    lists = pl.concat([filled["q"], empty])
    position = np.where(counts > 0, np.cumsum(counts > 0) - 1, len(lists) - 1)
    return lists.gather(pl.Series(position, dtype=pl.Int64))


def _columns_digest(table: ScoreTable) -> str:
    """Return a digest of every column's bits, whatever the machine's byte order."""
    digest = hashlib.sha256()
    for column in (
        table.children,
        table.parents,
        table.relations,
        table.costs,
        table.gaps,
        table.columns.offsets,
        table.columns.parameters,
    ):
        digest.update(column.astype(column.dtype.newbyteorder("<"), copy=False).tobytes())
    return digest.hexdigest()
