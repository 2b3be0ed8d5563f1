"""The bytes of compressed files, and their limits."""

import gzip
from pathlib import Path

import pytest

from noisyor.core import FormatError
from noisyor.files.unpacked import unpacked_bytes, without_gzip


def test_compressed_files_are_unpacked_whatever_they_are_called(tmp_path: Path) -> None:
    path = tmp_path / "x.bif"
    path.write_bytes(gzip.compress(b"one") + gzip.compress(b" two"))
    assert unpacked_bytes(path) == b"one two"
    path.write_bytes(b"plain")
    assert unpacked_bytes(path) == b"plain"


def test_broken_and_overgrown_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.bif.gz"
    path.write_bytes(gzip.compress(b"one")[:-1])
    with pytest.raises(FormatError, match=r"x.bif.gz: the gzip compression is broken"):
        unpacked_bytes(path)
    path.write_bytes(gzip.compress(bytes(2**20)) * 65)
    with pytest.raises(FormatError, match=r"x.bif.gz: it unpacks to more than 64 MiB"):
        unpacked_bytes(path)


def test_the_suffix_of_compression_is_left_out() -> None:
    assert without_gzip(Path("a/b.bif.GZ")) == Path("a/b.bif")
    assert without_gzip(Path("b.bif")) == Path("b.bif")
