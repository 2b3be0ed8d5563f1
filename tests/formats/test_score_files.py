"""Score tables go to files and come back, whole or not at all."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noisyor.core import FormatError, ScoreTable, SettingsError
from noisyor.formats import check_suffix, read_scores, write_scores
from noisyor.formats.jkl import jkl_bytes, read_jkl
from noisyor.formats.pss import pss_bytes, read_pss
from noisyor.formats.score_files import sidecar_of
from tests.formats.tables import Row, clinic, clinic_scope, foreign_scope, table_of, tables
from tests.support.effort import scaled

few_examples = settings(
    max_examples=scaled(40), suppress_health_check=[HealthCheck.function_scoped_fixture]
)
plain_names = st.text(alphabet="abcXYZ019_-.:'\"\u00e9", min_size=1, max_size=8)


@few_examples
@given(table=tables(), suffix=st.sampled_from([".parquet", ".scores.parquet", ".jkl", ".PSS"]))
def test_every_format_comes_back_whole(tmp_path: Path, table: ScoreTable, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    write_scores(table, path)
    assert read_scores(str(path)) == table


@few_examples
@given(table=tables(plain_names), suffix=st.sampled_from([".jkl", ".pss"]))
def test_without_its_sidecar_a_table_is_foreign(
    tmp_path: Path, table: ScoreTable, suffix: str
) -> None:
    path = tmp_path / f"scores{suffix}"
    write_scores(table, path)
    sidecar_of(path).unlink()
    found = read_scores(path)
    best = table.has_best_relation()
    expected: list[Row] = [
        (family.child, family.parents, 0, cost, 0.0, [])
        for (family, cost), chosen in zip(table.families(), best, strict=True)
        if chosen
    ]
    assert found == table_of(expected, foreign_scope(table.names))


@few_examples
@given(table=tables(plain_names), suffix=st.sampled_from([".jkl", ".pss"]))
def test_a_foreign_table_is_written_as_it_was(
    tmp_path: Path, table: ScoreTable, suffix: str
) -> None:
    path = tmp_path / f"scores{suffix}"
    write_scores(table, path)
    sidecar_of(path).unlink()
    foreign = read_scores(path)
    write_scores(foreign, path)
    once = path.read_bytes()
    assert read_scores(path) == foreign
    sidecar_of(path).unlink()
    write_scores(read_scores(path), path)
    assert path.read_bytes() == once


@settings(max_examples=scaled(300))
@given(
    reader=st.sampled_from([(jkl_bytes, read_jkl), (pss_bytes, read_pss)]),
    start=st.integers(0, 200),
    length=st.integers(0, 12),
    patch=st.sampled_from([b"\n", b" ", b"0", b"-1 0\n", b"flu", b"VAR ", b"META", b"#", b"nan"])
    | st.binary(max_size=6),
)
def test_any_other_text_is_a_table_or_a_complaint_with_its_path(
    reader: tuple[Callable[[ScoreTable], bytes], Callable[[bytes, Path], ScoreTable]],
    start: int,
    length: int,
    patch: bytes,
) -> None:
    write, read = reader
    whole = write(clinic())
    try:
        table = read(whole[:start] + patch + whole[start + length :], Path("x.txt"))
    except FormatError as error:
        assert str(error).startswith("x.txt")  # noqa: PT017 (either way is right)
    else:
        assert len(table) >= len(table.names) >= 1
        assert table.scope == foreign_scope(table.names)


@pytest.mark.parametrize("suffix", [".parquet", ".jkl", ".pss"])
def test_equal_tables_give_equal_bytes(tmp_path: Path, suffix: str) -> None:
    one, other = tmp_path / f"one{suffix}", tmp_path / f"other{suffix}"
    write_scores(clinic(), one)
    write_scores(clinic(), other)
    assert one.read_bytes() == other.read_bytes()
    if suffix != ".parquet":
        assert sidecar_of(one).read_bytes() == sidecar_of(other).read_bytes()


@pytest.mark.parametrize("name", ["scores", "scores.csv", "scores.jkl.gz"])
def test_an_unknown_suffix_names_the_known_ones(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    message = r"does not end like a file of scores; allowed: \.parquet, \.jkl, \.pss"
    with pytest.raises(SettingsError, match=message):
        write_scores(clinic(), path)
    with pytest.raises(SettingsError, match=message):
        read_scores(path)
    with pytest.raises(SettingsError, match=message):
        check_suffix(path)
    assert not path.exists()


def test_a_suffix_counts_in_any_case() -> None:
    assert check_suffix("a.b.JKL") == ".jkl"


@pytest.mark.parametrize("suffix", [".parquet", ".jkl", ".pss"])
def test_a_file_that_is_not_there(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"none{suffix}"
    with pytest.raises(FormatError, match=f"cannot read .*none{suffix}: No such file"):
        read_scores(path)


@pytest.mark.parametrize("suffix", [".jkl", ".pss"])
def test_a_sidecar_of_another_file_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    write_scores(clinic(), path)
    path.write_bytes(path.read_bytes().replace(b"-60.5", b"-60.25"))
    with pytest.raises(FormatError, match=rf"scores{suffix}\.noisyor\.parquet does not belong to"):
        read_scores(path)


def test_a_table_beside_a_text_file_is_no_sidecar(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    write_scores(clinic(), path)
    write_scores(clinic(), sidecar_of(path))
    with pytest.raises(FormatError, match="does not belong to"):
        read_scores(path)


def test_a_sidecar_is_a_table_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "scores.jkl"
    write_scores(clinic(), path)
    assert read_scores(sidecar_of(path)) == clinic()


@pytest.mark.parametrize("suffix", [".jkl", ".pss"])
def test_a_pair_that_cannot_be_written_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    sidecar_of(path).mkdir()
    with pytest.raises(SettingsError, match="it is a folder"):
        write_scores(clinic(), path)
    assert list(tmp_path.iterdir()) == [sidecar_of(path)]


@pytest.mark.parametrize("suffix", [".jkl", ".pss"])
def test_text_cannot_hold_a_variable_without_families(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    table = table_of([(0, 0, 0, 60.5, 0, []), (2, 0, 0, 69.5, 0, [])], clinic_scope())
    with pytest.raises(FormatError, match="variable 'cold' has no families"):
        write_scores(table, path)
    assert not list(tmp_path.iterdir())
    write_scores(table, tmp_path / "scores.parquet")
    assert read_scores(tmp_path / "scores.parquet") == table
