"""The same table, wherever it comes from, is the same dataset."""

import gzip
import io
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noisyor.core import DataError, Dataset
from noisyor.core.state_words import PAIRS, pair_of
from noisyor.data import DataWarning, read, read_raw
from noisyor.data.values import TRUTHS
from tests.data.tables import tally, written
from tests.support.effort import scaled

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")
properties = settings(
    max_examples=scaled(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)

Bits = list[tuple[int, ...]]
up_to_six = st.integers(1, 6)


@st.composite
def bit_tables(draw: st.DrawFn, widths: st.SearchStrategy[int] = up_to_six) -> Bits:
    width = draw(widths)
    row = st.tuples(*[st.integers(0, 1)] * width)
    return draw(st.lists(row, min_size=1, max_size=12))


@dataclass(frozen=True)
class Writing:
    """A way to write a table as text."""

    delimiter: str
    line_end: str
    header: bool
    quote_all: bool
    mark: bool
    ending: str


writings = st.builds(
    Writing,
    delimiter=st.sampled_from(",;\t| "),
    line_end=st.sampled_from(["\n", "\r\n"]),
    header=st.booleans(),
    quote_all=st.booleans(),
    mark=st.booleans(),
    ending=st.sampled_from(["", "end", "blank"]),
)


def text_of(table: list[list[str]], how: Writing) -> str:
    """Write rows of cells as delimited text."""

    def cell(text: str) -> str:
        needs = how.quote_all or any(mark in text for mark in (how.delimiter, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if needs else text

    text = how.line_end.join(how.delimiter.join(map(cell, row)) for row in table)
    ending = {"": "", "end": how.line_end, "blank": how.line_end * 3}[how.ending]
    return ("\ufeff" if how.mark else "") + text + ending


names_of_columns = st.lists(
    st.text("abcxyz =<&'\"\n", min_size=1, max_size=6).map(lambda name: f"v{name}v"),
    min_size=6,
    max_size=6,
    unique=True,
)


@given(
    bits=bit_tables(),
    how=writings,
    names=names_of_columns,
    words=st.lists(st.sampled_from(PAIRS), min_size=6, max_size=6),
    case=st.sampled_from([str.lower, str.upper, str.title]),
)
@properties
def test_text_in_any_dialect_reads_back(  # noqa: PLR0913, PLR0917 (one a random choice)
    tmp_path: Path,
    bits: Bits,
    how: Writing,
    names: list[str],
    words: list[tuple[str, str]],
    case: Callable[[str], str],
) -> None:
    width = len(bits[0])
    names = names[:width]
    cells = [[case(words[v][bit]) for v, bit in enumerate(row)] for row in bits]
    table = [names, *cells] if how.header else cells
    path = written(tmp_path, text_of(table, how))
    dataset = read(
        path, header=how.header, delimiter=how.delimiter if width == 1 or not how.header else None
    )
    if how.delimiter != " ":  # runs of blanks inside names collapse, as between cells
        assert dataset.names == (
            tuple(names) if how.header else tuple(f"X{v + 1}" for v in range(width))
        )
    assert tally(dataset) == Counter(bits)
    for place, (states, pair) in enumerate(zip(dataset.states, words, strict=False)):
        own = pair_of({pair[row[place]] for row in bits})  # of a word alone, its first pair
        assert own is not None
        assert states == (own if own == TRUTHS else tuple(map(case, own)))
    assert read_raw(path, header=how.header, delimiter=how.delimiter).shape == (len(bits), width)


@given(bits=bit_tables(st.integers(2, 5)), how=writings)
@properties
def test_what_is_found_equals_what_is_said(tmp_path: Path, bits: Bits, how: Writing) -> None:
    names = [f"name{v}" for v in range(len(bits[0]))]
    cells = [[str(bit) for bit in row] for row in bits]
    path = written(tmp_path, text_of([names, *cells] if how.header else cells, how))
    assert read(path) == read(path, header=how.header, delimiter=how.delimiter, quote='"')


@given(bits=bit_tables(), seed=st.integers(0, 1000))
@properties
def test_row_order_does_not_matter(tmp_path: Path, bits: Bits, seed: int) -> None:
    words = ["never", "Current"]
    shuffled = random.Random(seed).sample(bits, len(bits))  # noqa: S311 (no secrets)
    present = dict.fromkeys((f"c{v}" for v in range(len(bits[0]))), "Current")
    bits, shuffled = (
        [*rows, (0,) * len(bits[0]), (1,) * len(bits[0])] for rows in (bits, shuffled)
    )
    datasets = []
    for rows in (bits, shuffled, bits[::-1]):
        lines = [",".join(words[bit] for bit in row) for row in rows]
        header = ",".join(f"c{v}" for v in range(len(bits[0])))
        path = written(tmp_path, "\n".join([header, *lines]))
        datasets.append(read(path, present=present))
    assert datasets[0] == datasets[1] == datasets[2]
    assert tally(datasets[0]) == Counter(bits)


def as_frame(bits: Bits, words: tuple[Any, Any]) -> pl.DataFrame:
    return pl.DataFrame(
        {f"c{v}": [words[row[v]] for row in bits] for v in range(len(bits[0]))}, strict=True
    )


def through_files(frame: pl.DataFrame, folder: Path) -> list[Dataset]:
    """Return the dataset as every file format gives it."""
    frame.write_csv(folder / "t.csv")
    frame.write_csv(folder / "t.tsv", separator="\t")
    frame.write_parquet(folder / "t.parquet")
    frame.write_ipc(folder / "t.arrow")
    frame.write_ipc_stream(folder / "t.ipc")
    rows = [[str(value).lower() for value in row] for row in frame.iter_rows()]
    written(
        folder,
        "\n".join(
            [" ".join(frame.columns), " ".join("2" * frame.width), *(" ".join(r) for r in rows)]
        ),
        "t.dat",
    )
    declared = "".join(f"@ATTRIBUTE {name} STRING\n" for name in frame.columns)
    arff = f"% made\n@RELATION t\n{declared}\n@DATA\n% rows\n" + "\n".join(
        ",".join(r) for r in rows
    )
    written(folder, arff, "t.arff")
    files = ["t.csv", "t.tsv", "t.parquet", "t.arrow", "t.ipc", "t.dat", "t.arff"]
    for name in list(files):
        packed = gzip.compress((folder / name).read_bytes())
        written(folder, packed, f"{name}.gz")
        files.append(f"{name}.gz")
    return [
        read(folder / name, header=True) if name[:5] in {"t.csv", "t.tsv"} else read(folder / name)
        for name in files
    ]


@given(
    bits=bit_tables(),
    words=st.sampled_from(
        [(0, 1), (False, True), ("no", "yes"), ("0", "1"), ("absent", "present")]
    ),
)
@settings(properties, max_examples=scaled(30))
def test_all_sources_agree(tmp_path: Path, bits: Bits, words: tuple[Any, Any]) -> None:
    frame = as_frame(bits, words)
    expected = read(frame)
    assert tally(expected) == Counter(bits)
    assert expected.names == tuple(frame.columns)
    columns = frame.to_dict(as_series=False)
    in_memory = [
        read(frame.lazy()),
        read(frame.to_arrow()),
        read(pa.table(columns)),
        read(pd.DataFrame(columns)),
        read(pd.DataFrame(columns).astype(object)),
        read(pd.DataFrame(columns).astype("category")),
        read(np.array(frame.rows()), names=frame.columns),
        read(np.array(frame.rows(), dtype=object, order="F"), names=frame.columns),
    ]
    for dataset in in_memory:
        assert dataset == expected
    for dataset in through_files(frame, tmp_path):
        assert dataset == expected


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "U3"]
)
def test_arrays_of_every_kind(dtype: str) -> None:
    bits = np.array([[0, 1, 1], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
    dataset = read(bits.astype(dtype))
    assert dataset.names == ("X1", "X2", "X3")
    assert tally(dataset) == {(0, 1, 1): 2, (1, 0, 1): 1, (0, 1, 0): 1}
    assert dataset.states[0] == (("false", "true") if dtype == "bool" else ("0", "1"))
    assert read(bits.astype(dtype).T.copy().T) == dataset


@pytest.mark.parametrize("width", [64, 65, 128, 129, 192, 256, 257, 1024])
def test_wide_tables(tmp_path: Path, width: int) -> None:
    table = np.random.default_rng(width).integers(0, 2, (50, width), dtype=np.int8)
    path = written(tmp_path, "\n".join(",".join(map(str, row)) for row in table.tolist()))
    assert read(path) == read(table)
    assert tally(read(path)) == Counter(map(tuple, table.tolist()))


def test_present_exchanges_bits_beyond_the_first_word() -> None:
    table = np.random.default_rng(0).integers(0, 2, (50, 70), dtype=np.int8)
    flipped = table.copy()
    flipped[:, [3, 69]] ^= 1
    dataset = read(table, present={"X4": "0", "X70": "0"})
    assert tally(dataset) == Counter(map(tuple, flipped.tolist()))
    assert dataset.states[69] == ("1", "0")


def test_pandas_frames_with_odd_names() -> None:
    frame = pd.DataFrame({0: [0, 1], "column_names": ["yes", "no"], ("a", 1): [1.0, 0.0]})
    assert read(frame).names == ("0", "column_names", "('a', 1)")
    assert tally(read(frame)) == {(0, 1, 1): 1, (1, 0, 0): 1}


def test_mixed_objects_in_pandas() -> None:
    frame = pd.DataFrame({"a": [True, 0, "1.0"], "b": [0, 1, 1]}, dtype=object)
    assert read(frame).states == (("0", "1", "true"), ("0", "1"))
    assert tally(read(frame.iloc[:2], present={"a": "true"})) == {(1, 0): 1, (0, 1): 1}


def test_sparse_arff(tmp_path: Path) -> None:
    text = (
        "@relation 'my table'\n@attribute 'it\\'s a' {no, yes}\n@attribute b{0,1}\n"
        "@attribute c real\n@data\n{0 yes, 2 1}\n{}\n% remark\n{1 1}\n"
    )
    dataset = read(written(tmp_path, text, "t.arff"))
    assert dataset.names == ("it's a", "b", "c")
    assert dataset.states == (("no", "yes"), ("0", "1"), ("0", "1"))
    assert tally(dataset) == {(1, 0, 1): 1, (0, 0, 0): 1, (0, 1, 0): 1}


def test_quoted_arff(tmp_path: Path) -> None:
    text = "@attribute a {'no, never',yes}\n@attribute b integer\n@data\n'no, never', 1\nyes, 0\n"
    dataset = read(written(tmp_path, text, "t.arff"), present={"a": "yes"})
    assert dataset.states[0] == ("no, never", "yes")
    assert tally(dataset) == {(0, 1): 1, (1, 0): 1}


@pytest.mark.parametrize("quote", ["'", '"'])
def test_quoted_values_with_commas_in_sparse_and_dense_arff(tmp_path: Path, quote: str) -> None:
    never, its = f"{quote}no, never{quote}", f"{quote}it\\{quote}s{quote}"
    head = f"@attribute a {{{never}, {its}}}\n@attribute b {{x,y}}\n\n@data\n"
    dense = f"{its},y\n\n{never} ,x\n  % remark\n{its},x\n"
    sparse = f"{{0 {its}, 1 y}}\n\n{{0 {never} , 1 x}}\n  % remark\n{{0 {its}}}\n"
    present = {"a": f"it{quote}s", "b": "y"}
    read_dense = read(written(tmp_path, head + dense, "dense.arff"), present=present)
    assert read_dense.states == (("no, never", f"it{quote}s"), ("x", "y"))
    assert tally(read_dense) == {(1, 1): 1, (0, 0): 1, (1, 0): 1}
    assert read(written(tmp_path, head + sparse, "sparse.arff"), present=present) == read_dense
    raw = read_raw(written(tmp_path, head + dense, "dense.arff"))
    assert raw.equals(read_raw(written(tmp_path, head + sparse, "sparse.arff")))


def test_gobnilp_files_may_have_comments_and_wide_gaps(tmp_path: Path) -> None:
    text = "# made\na  b\n2\t2\n0   1\n# again\n 1\t0 \n\n"
    dataset = read(written(tmp_path, text, "t.dat"))
    assert dataset.names == ("a", "b")
    assert tally(dataset) == {(0, 1): 1, (1, 0): 1}
    raw = read_raw(written(tmp_path, "a b\n3 2\n0 1\n2 0\n1 1\n", "t.dat"))
    assert raw["a"].to_list() == [0, 2, 1]


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, *, packed: bool) -> None:
    content = b"a,b\n0,1\n1,0\n"
    stream = io.BytesIO(gzip.compress(content) if packed else content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    assert tally(read("-", format="csv")) == {(0, 1): 1, (1, 0): 1}


def test_pipes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a,b\n0,1\n1,0\n",))
    writer.start()
    dataset = read(pipe)
    writer.join()
    assert tally(dataset) == {(0, 1): 1, (1, 0): 1}


def test_the_format_can_be_set(tmp_path: Path) -> None:
    path = written(tmp_path, "a b\n2 2\n0 1\n1 0\n", "table.txt")
    assert read(path, format="dat").names == ("a", "b")
    path = written(tmp_path, gzip.compress(b"a,b\n0,1\n1,0\n"), "table.bin")
    assert read(path, format="csv.gz").record_count == 2


def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    read(written(tmp_path, gzip.compress(b"a,b\n0,1\n1,0\n"), "table.csv.gz"))
    assert list(folder.iterdir()) == []


def test_gzip_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisyor.data.local_files._HARMLESS", 2**21)
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    rows = b"0,1\n1,0\n" * 2**17  # 1 MiB
    path = written(tmp_path, gzip.compress(b"a,b\n") + gzip.compress(rows) * 2, "table.csv.gz")
    with pytest.raises(
        DataError, match=r"it unpacks to more than 2 MiB.*If the file is right, unpack"
    ):
        read(path)
    assert list(folder.iterdir()) == []
    monkeypatch.setattr("noisyor.data.local_files._LARGEST_RATIO", 10**4)
    assert read(path).record_count == 2**19
    monkeypatch.setattr("noisyor.data.local_files.MOST_UNPACKED", 2**20)
    with pytest.raises(DataError, match="it unpacks to more than 1 MiB"):
        read(path)


def test_half_of_the_free_disk_is_left_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=20))
    content = b"a,b\n0,1\n1,0\n"
    message = "it takes more than 0 MiB, half of what is free for temporary files; read a plain"
    with pytest.raises(DataError, match=message):
        read(written(tmp_path, gzip.compress(content), "table.csv.gz"))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    with pytest.raises(DataError, match=f"standard input: {message}"):
        read("-", format="csv")
    assert read(written(tmp_path, content, "table.csv")).record_count == 2


def test_packed_text_without_line_ends_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noisyor.data.local_files._LONGEST_LINE", 2**21)
    blanks = gzip.compress(b" " * 2**20)
    with pytest.raises(DataError, match="a line of the unpacked text has more than 2 MiB"):
        read(written(tmp_path, gzip.compress(b"a,b\n0,1\n") + blanks * 3, "table.csv.gz"))


def test_raw_frames_keep_their_types() -> None:
    frame = pd.DataFrame({"n": [1.5, np.nan], "k": [1, 2], "s": [" x ", "NA"], "b": [True, False]})
    assert read_raw(frame).to_dict(as_series=False) == {
        "n": [1.5, None], "k": [1, 2], "s": ["x", None], "b": [True, False]
    }  # fmt: skip
    assert read_raw(np.array([[1, 2], [3, 4]])).rows() == [(1, 2), (3, 4)]


def test_batches_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noisyor.data.frames._BATCH_CELLS", 60)
    monkeypatch.setattr("noisyor.data.counting.RecordCounter._SHORTEST_MERGE", 16)
    table = np.random.default_rng(5).integers(0, 2, (1001, 6), dtype=np.int8)
    assert tally(read(table)) == Counter(map(tuple, table.tolist()))
    words = pl.DataFrame(np.array(["never", "always"])[table])
    present = dict.fromkeys(words.columns, "always")
    assert tally(read(words, present=present)) == Counter(map(tuple, table.tolist()))
    with pytest.warns(DataWarning, match="single record"):
        read(table[:1])
