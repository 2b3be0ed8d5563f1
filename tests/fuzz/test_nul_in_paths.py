"""A path with a NUL character, for which Python raises a ValueError, is refused like any other."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import noisyor
from noisyor.data.binarized_files import read_binarization, write_binarized
from noisyor.data.local_files import FORMAT_NAMES
from noisyor.formats import read_scores, write_scores
from noisyor.formats.member_files import read_members, write_members
from noisyor.interop.network_files import READABLE, WRITABLE
from noisyor.runs.folder import read_report

RAW = pl.DataFrame({"a": [1, 2, 3], "b": [1, 2, 1]})
WRITTEN = [suffix for one in WRITABLE for suffix in one.suffixes]
READ = [suffix for one in READABLE for suffix in one.suffixes]


@pytest.fixture(scope="module")
def learned() -> noisyor.Learned:
    """Return a small result."""
    return noisyor.learn(noisyor.load_example("pump"), relations=["cpt"], quiet=True)


@pytest.mark.parametrize("suffix", ["", *(f".{name}" for name in FORMAT_NAMES)])
@pytest.mark.parametrize("read", [noisyor.read, noisyor.read_raw, noisyor.learn])
def test_readers_of_tables(read: Callable[[object], object], suffix: str) -> None:
    for path in (f"a\0b{suffix}", Path(f"a\0b{suffix}")):
        with pytest.raises(noisyor.NoisyorError):
            read(path)


@pytest.mark.parametrize("suffix", READ)
@pytest.mark.parametrize("read", [noisyor.read_network, noisyor.read_model])
def test_readers_of_networks(read: Callable[[str], object], suffix: str) -> None:
    with pytest.raises(noisyor.FormatError, match="null"):
        read(f"a\0b{suffix}")


@pytest.mark.parametrize(
    ("read", "path"),
    [
        (noisyor.load, "a\0b"),
        (noisyor.read_knowledge, "a\0b.toml"),
        (read_scores, "a\0b.jkl"),
        (read_scores, "a\0b.parquet"),
        (read_members, "a\0b.parquet"),
        (read_binarization, "a\0b.json"),
        (noisyor.Binning.load, "a\0b.json"),
        (read_report, "a\0b"),
    ],
)
def test_other_readers(read: Callable[[Path], object], path: str) -> None:
    with pytest.raises(noisyor.FormatError):
        read(Path(path))


@pytest.mark.parametrize("suffix", WRITTEN)
def test_writers_of_networks(suffix: str, tmp_path: Path) -> None:
    for path in (tmp_path / f"a\0b{suffix}", tmp_path / "a\0b" / f"c{suffix}"):
        with pytest.raises(noisyor.SettingsError, match="NUL"):
            noisyor.write_network(noisyor.example_truth("appliance"), path)


@pytest.mark.parametrize(
    "write",
    [
        lambda learned, path: noisyor.write_networks(learned.networks(), path / "c.json"),
        lambda learned, path: learned.report(path / "c.html"),
        lambda learned, path: learned.save(path),
        lambda learned, path: noisyor.learn(learned.data, folder=path),
        lambda learned, path: write_scores(learned.table, path / "c.jkl"),
        lambda learned, path: write_members(learned.credible, path / "c.parquet", 9),
        lambda _, path: noisyor.Binning().save(path / "c.json"),
        lambda _, path: write_binarized(*noisyor.binarize(RAW), path / "c.csv"),
    ],
)
def test_other_writers(
    write: Callable[[noisyor.Learned, Path], object], learned: noisyor.Learned, tmp_path: Path
) -> None:
    with pytest.raises(noisyor.SettingsError, match="NUL"):
        write(learned, tmp_path / "a\0b")
    assert not list(tmp_path.iterdir())
