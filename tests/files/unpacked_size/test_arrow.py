"""The memory of an Arrow file is computed from its messages, and too much is refused."""

import io
from contextlib import suppress
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc

import noisyor.files.unpacked_size
from noisyor.core import DataError, FormatError
from noisyor.data import read, read_raw
from noisyor.files.unpacked_size.arrow import row_count_of_batches

ZEROS = pl.DataFrame({"a": [0] * 100_000, "b": [0] * 100_000})


def written(*, stream: bool, codec: str | None, rows: int, table: pa.Table | None = None) -> bytes:
    table = ZEROS.to_arrow() if table is None else table
    file = io.BytesIO()
    opened = ipc.new_stream if stream else ipc.new_file
    with opened(file, table.schema, options=ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return file.getvalue()


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_batch_that_takes_too_much_is_refused(
    codec: str, stream: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noisyor.files.unpacked_size, "HARMLESS", 100_000)
    monkeypatch.setattr(noisyor.files.unpacked_size, "LARGEST_RATIO", 10)
    path = tmp_path / "table.arrow"
    path.write_bytes(written(stream=stream, codec=codec, rows=100_000))
    with pytest.raises(DataError, match=r"takes 1 MiB of memory.*smaller batches, or without comp"):
        read(path)
    plain = written(stream=stream, codec=None, rows=100_000)
    row_count_of_batches(plain)
    in_pieces = written(stream=stream, codec=codec, rows=1000)
    if stream:  # which is read at once
        with pytest.raises(FormatError, match="its content takes 1 MiB"):
            row_count_of_batches(in_pieces)
    else:
        row_count_of_batches(in_pieces)
        path.write_bytes(in_pieces)
        with pytest.raises(DataError, match="its content takes 1 MiB"):
            read_raw(path)  # which holds all of it


def test_dictionaries_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisyor.files.unpacked_size, "HARMLESS", 100_000)
    monkeypatch.setattr(noisyor.files.unpacked_size, "LARGEST_RATIO", 10)
    words = pa.table({"a": pa.array(["x" * 200_000, "y"] * 10).dictionary_encode()})
    content = written(stream=False, codec="zstd", rows=20, table=words)
    assert len(content) < 5000
    with pytest.raises(FormatError, match="a record batch takes 0 MiB of memory"):
        row_count_of_batches(content)


def test_a_column_without_buffers_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisyor.files.unpacked_size, "HARMLESS", 10**6 - 1)
    nulls = written(stream=False, codec=None, rows=10**6, table=pa.table({"a": pa.nulls(10**6)}))
    with pytest.raises(FormatError, match="a record batch"):
        row_count_of_batches(nulls)


@given(st.booleans(), st.integers(0, 2**32), st.integers(0, 255))
def test_damaged_files_are_measured_or_refused(stream: bool, place: int, byte: int) -> None:
    small = pa.table({"a": [1, 2, None], "b": ["x", "yy", "x"]})
    content = bytearray(written(stream=stream, codec="lz4", rows=2, table=small))
    content[place % len(content)] = byte
    with suppress(FormatError):
        row_count_of_batches(bytes(content))  # raises nothing else
