"""The memory of a Parquet file is computed from its pages, and too much is refused."""

import io
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

import noisyor.files.unpacked_size
from noisyor.core import DataError, FormatError
from noisyor.data import read, read_raw
from noisyor.files.unpacked_size.parquet import (
    mapped,
    row_count_of_bounded,
    row_count_of_bounded_groups,
    row_groups,
)

FRAME = pl.DataFrame(
    {
        "number": [1, None, 3] * 100,
        "text": ["x", "yy", None] * 100,
        "list": [[1.0], [], [2.0, 3.0]] * 100,
        "truth": [True, False, None] * 100,
    }
)


def written(frame: pl.DataFrame, **options: object) -> bytes:
    file = io.BytesIO()
    frame.write_parquet(file, **options)  # type: ignore[arg-type]
    return file.getvalue()


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
def test_sizes_are_those_that_pyarrow_finds(version: str, compression: str) -> None:
    file = io.BytesIO()
    pq.write_table(
        FRAME.to_arrow(),
        file,
        compression=compression,
        data_page_version=version,
        data_page_size=64,
        row_group_size=70,
    )
    metadata = pq.read_metadata(file)
    groups = row_groups(file.getvalue())
    assert [group.rows for group in groups] == [70, 70, 70, 70, 20]
    for at, group in enumerate(groups):
        columns = [metadata.row_group(at).column(column) for column in range(4)]
        # bytes of a number, a text's view, a list's number (empty lists count) and a truth value
        widths = [8, 16, 8, 1]
        values = sum(w * c.num_values for w, c in zip(widths, columns, strict=True))
        # pyarrow counts the headers of pages as well, of which there are several a column
        uncompressed = sum(column.total_uncompressed_size for column in columns)
        assert values < group.unpacked < values + uncompressed
        assert 0 < group.packed < sum(column.total_compressed_size for column in columns)


def test_files_of_polars_are_understood() -> None:
    assert [group.rows for group in row_groups(written(FRAME, row_group_size=100))] == [100] * 3
    assert sum(group.rows for group in row_groups(written(FRAME.clear()))) == 0
    assert row_count_of_bounded(written(FRAME)) == 300


def test_a_group_that_takes_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(noisyor.files.unpacked_size, "HARMLESS", 10_000)
    zeros = pl.DataFrame({"a": [0] * 100_000, "b": [0] * 100_000})
    path = tmp_path / "table.parquet"
    path.write_bytes(written(zeros, row_group_size=100_000))
    message = r"row group 0, of 100,000 rows, takes 1 MiB of memory, but 0\.0 MiB of the file"
    with mapped(path) as data, pytest.raises(FormatError, match=message):
        row_count_of_bounded_groups(data)
    with pytest.raises(DataError, match=r"row group 0.*Write the table in smaller row groups"):
        read(path)
    row_count_of_bounded_groups(written(zeros, row_group_size=600))
    monkeypatch.setattr(noisyor.files.unpacked_size, "LARGEST_RATIO", 10)
    path.write_bytes(written(zeros, row_group_size=600))
    with pytest.raises(DataError, match="its content takes 1 MiB"):
        read_raw(path)  # which holds all of it


def test_what_is_large_in_the_file_may_be_large_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisyor.files.unpacked_size, "HARMLESS", 10_000)
    numbers = written(pl.DataFrame({"a": range(100_000)}), compression="uncompressed")
    row_count_of_bounded_groups(numbers)
    assert row_count_of_bounded(numbers) == 100_000


def test_values_of_a_fixed_length_count_with_it() -> None:
    file = io.BytesIO()
    pq.write_table(pa.table({"a": pa.array([b"x" * 5000] * 300, pa.binary(5000))}), file)
    (group,) = row_groups(file.getvalue())
    assert group.unpacked > 300 * 5000
    assert len(file.getvalue()) < 20_000


@given(st.integers(0, 2**32), st.integers(0, 255))
def test_damaged_files_are_measured_or_refused(place: int, byte: int) -> None:
    content = bytearray(written(FRAME.head(5)))
    content[place % len(content)] = byte
    try:
        groups = row_groups(bytes(content))
    except FormatError:
        return
    assert all(group.unpacked >= 0 and group.rows >= 0 for group in groups)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1\xff\xff\xff\xffPAR1", b"\0" * 20])
def test_other_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(FormatError, match="does not end like a Parquet file"):
        row_groups(content)
