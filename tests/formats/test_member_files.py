"""Members in files: all round-trip, and malformed files are refused."""

import io
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    CredibleSet,
    Family,
    FormatError,
    SettingsError,
    Structure,
)
from noisyor.core.credible_set import FamilyUse, Labels, MemberBatch
from noisyor.formats import member_files, read_members, write_members
from noisyor.formats.member_files import METADATA_KEY

NAMES = ("flu", "cold", "cough")
FAMILIES = (
    (Family(0, 0), 4.0),
    (Family(0, 0b010), 4.5),
    (Family(1, 0), 3.0),
    (Family(1, 0b001), 3.25),
    (Family(2, 0b011, NOISY_OR), 2.0),
    (Family(2, 0b011, CPT), 2.75),
    (Family(2, 0b001, NOISY_OR), 3.5),
)
CYCLE = (1, 3)  # flu <- cold <- flu
ROWS = [
    [flu, cold, cough]
    for flu in (0, 1)
    for cold in (2, 3)
    for cough in (4, 5, 6)
    if (flu, cold) != CYCLE
]


class Listed:
    """Members that are yielded repeatedly, in batches."""

    def __init__(
        self, rows: list[list[int]], repeats: int = 1, fails_after: int | None = None
    ) -> None:
        self._rows, self._repeats, self._fails_after = rows, repeats, fails_after

    def batch(self) -> MemberBatch:
        families = np.array(self._rows, dtype=np.uint32)
        costs = np.array([cost for _, cost in FAMILIES])
        return MemberBatch(families, costs[families].sum(axis=1))

    def stream(self) -> Iterator[MemberBatch]:
        for number in range(self._repeats):
            if number == self._fails_after:
                raise KeyboardInterrupt
            yield self.batch()

    def best(self, most: int) -> MemberBatch:
        raise NotImplementedError

    def costliest(self) -> MemberBatch:
        raise NotImplementedError

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        raise NotImplementedError


def credible(members: Listed | None = None, count: int = len(ROWS)) -> CredibleSet:
    return CredibleSet(
        names=NAMES,
        bayes_factor=BayesFactor(20),
        labels=Labels.ALL,
        best=Structure(NAMES, (FAMILIES[0][0], FAMILIES[2][0], FAMILIES[4][0])),
        optimum=9.0,
        lower_bound=9.0,
        count=count,
        families=tuple(FamilyUse(family, cost, 1, 0.1, 9.0) for family, cost in FAMILIES),
        members=members or Listed(ROWS),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "members.parquet"


def test_members_come_back(path: Path) -> None:
    assert write_members(credible(), path, 100) == 9
    back = read_members(path)
    assert back.names == NAMES
    assert back.bayes_factor == BayesFactor(20)
    assert back.labels is Labels.ALL
    assert (back.optimum, back.count, back.complete, len(back)) == (9.0, 9, True, 9)
    assert list(zip(back.families, back.family_costs.tolist(), strict=True)) == list(FAMILIES)
    assert back.members.tolist() == ROWS
    assert back.costs.tolist() == [sum(FAMILIES[place][1] for place in row) for row in ROWS]
    assert back.structure(0) == credible().best
    assert not back.members.flags.writeable
    assert list(path.parent.iterdir()) == [path]


def test_the_file_is_plain_parquet(path: Path) -> None:
    write_members(credible(), path, 100)
    assert pq.read_table(path).column("families").to_pylist() == ROWS
    said = json.loads(pl.read_parquet_metadata(path)[METADATA_KEY])
    assert said["families"][4] == {
        "child": "cough",
        "parents": ["flu", "cold"],
        "relation": "noisy-or",
        "cost": 2.0,
    }


@pytest.mark.parametrize("most", [1, 8, 9, 10, 20])
def test_no_more_are_written_than_asked_for(path: Path, most: int) -> None:
    several = credible(Listed(ROWS, repeats=3), count=27)
    assert write_members(several, path, most) == most
    back = read_members(path)
    assert back.members.tolist() == (ROWS * 3)[:most]
    assert back.count == 27


@pytest.mark.parametrize(("later", "written"), [(-1.0, 9), (3600.0, 27)])
def test_when_the_time_is_up_the_batch_at_hand_is_the_last(
    path: Path, later: float, written: int
) -> None:
    several = credible(Listed(ROWS, repeats=3), count=27)
    assert write_members(several, path, 100, until=time.monotonic() + later) == written
    assert len(read_members(path)) == written


def test_a_count_beyond_any_machine_number(path: Path) -> None:
    write_members(credible(count=10**40), path, 100)
    assert read_members(path).count == 10**40


def test_an_incomplete_set_stays_labelled(path: Path) -> None:
    write_members(replace(credible(), shortfalls=("time",)), path, 100)
    assert not read_members(path).complete


def test_many_members_are_written_in_groups(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_files, "_ROWS_A_GROUP", 1000)
    several = credible(Listed(ROWS, repeats=1000), count=9000)
    assert write_members(several, path, 8999) == 8999
    file = pq.ParquetFile(path)
    assert file.num_row_groups >= 8
    assert file.metadata.num_rows == 8999
    assert read_members(path).members.tolist() == (ROWS * 1000)[:8999]


def test_an_interruption_leaves_the_file_as_it_was(path: Path) -> None:
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        write_members(credible(Listed(ROWS, repeats=3, fails_after=2), count=27), path, 100)
    assert path.read_bytes() == b"before"
    assert list(path.parent.iterdir()) == [path]


def test_bad_targets_and_limits_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"x\.csv does not end like a file of members"):
        write_members(credible(), tmp_path / "x.csv", 5)
    with pytest.raises(SettingsError, match="at most 0 networks to write; it must be at least 1"):
        write_members(credible(), tmp_path / "x.parquet", 0)
    with pytest.raises(SettingsError, match="nowhere does not exist"):
        write_members(credible(), tmp_path / "nowhere" / "x.parquet", 5)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_file_is_a_complaint(path: Path) -> None:
    with pytest.raises(FormatError, match=r"members\.parquet"):
        read_members(path)


@pytest.mark.parametrize("cut", [0, 4, 50, 400, -1])
def test_a_truncated_file_is_refused(path: Path, cut: int) -> None:
    write_members(credible(), path, 100)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(FormatError, match=r"members\.parquet is not a readable Parquet file"):
        read_members(path)


def test_another_parquet_file_is_refused(path: Path) -> None:
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(FormatError, match=r"not a file of members: .*'noisyor_members'"):
        read_members(path)


def parts() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the columns and the metadata of the file, to be changed."""
    members = Listed(ROWS).batch()
    frame = pl.DataFrame(
        {"cost": members.costs, "families": members.families},
        schema={"cost": pl.Float64(), "families": pl.Array(pl.UInt32, 3)},
    )
    return frame, json.loads(json.dumps(member_files._document_of(credible())))


def rewrite(path: Path, frame: pl.DataFrame, document: object) -> None:
    file = io.BytesIO()
    text = document if isinstance(document, str) else json.dumps(document)
    frame.write_parquet(file, metadata={METADATA_KEY: text})
    path.write_bytes(file.getvalue())


def with_row(frame: pl.DataFrame, row: list[int], cost: float | None) -> pl.DataFrame:
    more = pl.DataFrame({"cost": [cost], "families": [row]}, schema=frame.schema)
    return frame.head(3).vstack(more)


def test_unchanged_parts_are_accepted(path: Path) -> None:
    rewrite(path, *parts())
    assert len(read_members(path)) == 9


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.drop("cost"), "its columns are"),
        (lambda f: f.cast({"cost": pl.Float32}), "its columns are"),
        (lambda f: f.cast({"families": pl.List(pl.UInt32)}), "its columns are"),
        (lambda f: f.with_columns(extra=1), "its columns are"),
        (lambda f: f.head(0), "it has 0 rows of a set of 9 networks"),
        (lambda f: f.vstack(f), "it has 18 rows of a set of 9 networks"),
        (lambda f: with_row(f, [0, 2, 4], None), "empty cells"),
        (lambda f: with_row(f, [0, 2, 7], 9.0), "a family that is not among its 7"),
        (lambda f: with_row(f, [0, 4, 2], 9.0), "a row has another variable's family"),
        (lambda f: with_row(f, [0, 2, 4], 9.5), "not the sum of its families' costs"),
        (lambda f: with_row(f, [0, 2, 4], float("nan")), "not the sum of its families' costs"),
        (lambda f: with_row(f, [1, 3, 4], 9.75), "the edges of a row form a directed cycle"),
    ],
)
def test_odd_rows_are_refused(
    path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    frame, document = parts()
    rewrite(path, change(frame), document)
    with pytest.raises(
        FormatError, match=rf"members\.parquet is not a file of members: .*{message}"
    ):
        read_members(path)


def family(**changes: object) -> list[object]:
    first: dict[str, object] = {"child": "flu", "parents": [], "relation": "cpt", "cost": 4.0}
    return [first | changes]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "written in version 2 of the format; this noisyor reads 1"),
        ({"names": []}, "it needs 1 to 1024 different names"),
        ({"names": ["flu", "cold", "cold"]}, "it needs 1 to 1024 different names"),
        ({"names": ["flu", "cold", 3]}, "'names' in its metadata must be a list of strings"),
        ({"names": ["flu", "cold"]}, "its columns are"),
        ({"bayes_factor": 0.5}, "the Bayes factor is 0.5"),
        ({"labels": "some"}, "labels is 'some'; it must be one of: best, all"),
        ({"optimum": 9.5}, "a row is better than the optimum of 9.5"),
        ({"optimum": float("-inf")}, "-Infinity is not a number of JSON"),
        ({"count": 8}, "it has 9 rows of a set of 8 networks"),
        ({"count": 9.0}, "'count' in its metadata is 9.0"),
        ({"complete": 1}, "'complete' in its metadata is 1; expected: bool"),
        ({"families": []}, "a family that is not among its 0"),
        ({"families": [5]}, "its metadata lack 'child'"),
        (
            {"families": family(child="measles")},
            "a family names 'measles', which is not a variable",
        ),
        ({"families": family(parents=["flu"])}, "variable 0 is among its own parents"),
        ({"families": family(relation="noisy-or")}, "a node without parents is always cpt"),
        ({"families": family(relation="and")}, "there is no relation 'and'"),
        ({"families": family(cost="4")}, "'cost' in its metadata is '4'"),
    ],
)
def test_odd_metadata_are_refused(path: Path, changes: dict[str, object], message: str) -> None:
    frame, document = parts()
    rewrite(path, frame, document | changes)
    with pytest.raises(
        FormatError, match=rf"members\.parquet is not a file of members: .*{message}"
    ):
        read_members(path)


def test_an_infinite_optimum_is_refused(path: Path) -> None:
    frame, document = parts()
    rewrite(path, frame, json.dumps(document).replace('"optimum": 9.0', '"optimum": -1e999'))
    with pytest.raises(FormatError, match="the optimum is -inf"):
        read_members(path)


@pytest.mark.parametrize("text", ["{", "[" * 100_000])
def test_metadata_that_are_not_json_are_refused(path: Path, text: str) -> None:
    rewrite(path, parts()[0], text)
    with pytest.raises(FormatError, match="its metadata are not JSON"):
        read_members(path)
