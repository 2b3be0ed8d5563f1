"""Batches come in order and complete, and whatever ends them early is raised."""

import threading
import time
from collections.abc import Iterator

import polars as pl
import pytest
from polars.io.plugins import register_io_source

from noisyor.files.batches import batches_of
from tests.support.effort import HANGS_AFTER

SCHEMA = pl.Schema({"number": pl.Int64()})


def counted(parts: int, seen: list[int], failure: BaseException | None = None) -> pl.LazyFrame:
    """Return a query that yields parts of ten rows, records them, and may end in an error."""

    def rows(
        with_columns: list[str] | None,
        predicate: pl.Expr | None,
        n_rows: int | None,
        batch_size: int | None,
    ) -> Iterator[pl.DataFrame]:
        del with_columns, predicate, n_rows, batch_size
        for part in range(parts):
            seen.append(part)
            yield pl.DataFrame({"number": range(10 * part, 10 * part + 10)}, schema=SCHEMA)
        if failure is not None:
            raise failure

    return register_io_source(rows, schema=SCHEMA)


def test_all_rows_come_in_order() -> None:
    batches = list(batches_of(counted(50, []), 20))
    assert pl.concat(batches)["number"].to_list() == list(range(500))
    assert len(batches) > 1
    assert list(batches_of(counted(0, []), 20)) == []


def test_what_ends_a_query_is_raised_after_the_rows_before_it() -> None:
    batches = batches_of(counted(50, [], OSError("the disk is gone")), 20)
    assert sum(len(next(batches)) for _ in range(20)) >= 400
    with pytest.raises(OSError, match="the disk is gone"):
        list(batches)


def test_whoever_stops_early_stops_the_query() -> None:
    seen: list[int] = []
    before = threading.active_count()
    batches = batches_of(counted(10_000, seen), 20)
    assert len(next(batches)) == 20
    batches.close()
    until = time.monotonic() + HANGS_AFTER
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.001)
    assert threading.active_count() == before
    assert len(seen) < 10_000
