"""A damaged file is refused or read in full: no record is lost, and no foreign error raised."""

import io
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from noisyor.core import DataError
from noisyor.data import read, read_raw
from tests.data.tables import written
from tests.support.effort import chosen

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")

RECORDS = 60
BATCH = 10
FRAME = pl.DataFrame(
    {"a": [0, 1, 1] * 20, "b": ["yes", "no", "no", "yes"] * 15, "c": [True, False] * 30}
)


def arrow_file() -> bytes:
    file = io.BytesIO()
    FRAME.write_ipc(file, compression="zstd", record_batch_size=BATCH)
    return file.getvalue()


def arrow_stream() -> bytes:
    file = io.BytesIO()
    table = FRAME.to_arrow()
    with pa.ipc.new_stream(file, table.schema) as stream:
        for batch in table.to_batches(max_chunksize=BATCH):
            stream.write_batch(batch)
    return file.getvalue()


def parquet_of_polars() -> bytes:
    file = io.BytesIO()
    FRAME.write_parquet(file, row_group_size=BATCH)
    return file.getvalue()


def parquet_of_pyarrow() -> bytes:
    file = io.BytesIO()
    pq.write_table(FRAME.to_arrow(), file, row_group_size=BATCH, compression="none")
    return file.getvalue()


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "an Arrow file": ("table.arrow", arrow_file),
    "an Arrow stream": ("table.arrow", arrow_stream),
    "a Parquet file of polars": ("table.parquet", parquet_of_polars),
    "a Parquet file of pyarrow": ("table.parquet", parquet_of_pyarrow),
}


def changed(content: bytes, place: int, bit: int) -> bytes:
    damaged = bytearray(content)
    damaged[place] ^= 1 << bit
    return bytes(damaged)


def damaged_file(folder: Path, name: str, content: bytes) -> Path:
    """Return a new file: polars threads that panicked may still read the previous one."""
    (folder / name).unlink(missing_ok=True)
    return written(folder, content, name)


@pytest.mark.parametrize("kind", FILES)
def test_one_changed_bit_never_loses_records(tmp_path: Path, kind: str) -> None:
    name, make = FILES[kind]
    content = make()
    said: Counter[str] = Counter()
    step = chosen(quick=12, full=4)
    for place in range(0, len(content), step):
        path = damaged_file(tmp_path, name, changed(content, place, place // step % 8))
        try:
            assert len(read_raw(path)) == RECORDS, f"byte {place}"
        except DataError:
            said["refused"] += 1
        else:
            said["read"] += 1
    assert said["refused"] > 400 // step
    assert said["read"] > 400 // step


@pytest.fixture(scope="module")
def panicking(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an Arrow file on which polars panics after opening it."""
    folder, content = tmp_path_factory.mktemp("damaged"), arrow_file()
    for place in range(len(content) // 2, len(content)):
        path = damaged_file(folder, "table.arrow", changed(content, place, 0))
        try:
            pl.scan_ipc(path).collect_schema()
            pl.scan_ipc(path).collect()
        except pl.exceptions.PanicException:
            return path
        except pl.exceptions.PolarsError:
            continue
    pytest.fail("polars panics with none of the files; look for another damage")


def test_a_panic_of_polars_is_an_error_of_the_file(panicking: Path) -> None:
    for reader in (read, read_raw):
        with pytest.raises(DataError, match=r"table\.arrow: the file cannot be read as Arrow \("):
            reader(panicking)


def test_a_panic_of_polars_is_an_error_of_a_lazy_frame(panicking: Path) -> None:
    for reader in (read, read_raw):
        with pytest.raises(DataError, match="the frame cannot be read: "):
            reader(pl.scan_ipc(panicking))


@pytest.mark.parametrize("kind", FILES)
def test_rows_are_compared_with_what_the_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Whatever makes polars stop early, it does not go unnoticed."""
    name, make = FILES[kind]
    path = written(tmp_path, make(), name)

    def first_only(lazy: pl.LazyFrame, size: int) -> object:
        del size
        yield lazy.head(BATCH).collect()

    monkeypatch.setattr("noisyor.data.frames.batches_of", first_only)
    for reader in (read, read_raw):
        with pytest.raises(DataError, match=r"\(it has 10 rows, but states 60\)"):
            reader(path)
