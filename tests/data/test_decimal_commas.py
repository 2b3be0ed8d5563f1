"""Decimal commas: where a comma in a number is one, and where it is not."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.data import DataWarning, read, read_raw
from noisyor.data.decimal_commas import with_point, with_points
from noisyor.data.delimited import TextOptions, find_table
from noisyor.data.missing import MissingPolicy
from tests.data.mutated_tables import difference
from tests.data.tables import written
from tests.support.effort import scaled


def test_a_spreadsheet_with_decimal_commas_is_a_table_of_numbers(tmp_path: Path) -> None:
    content = "\ufefffever;temperature;visits\r\nyes;38,5;2\r\nno;36,75;1\r\nno;;3\r\n"
    frame = read_raw(written(tmp_path, content))
    assert frame["temperature"].to_list() == [38.5, 36.75, None]
    assert frame["visits"].to_list() == [2, 1, 3]


def test_states_have_decimal_points(tmp_path: Path) -> None:
    data = read(written(tmp_path, "dose;ill\n0,5;no\n1,0;yes\n1;no\n-2,50;no\n"))
    assert data.states == (("-2.5", "0.5", "1"), ("no", "yes"))
    assert data.variables[0].ordered


def test_many_such_numbers_become_bins(tmp_path: Path) -> None:
    lines = "".join(f"{number / 10:.1f};{number % 2}\n" for number in range(300))
    with pytest.warns(DataWarning, match="binned 1 column into 3 states by quantiles: bmi"):
        data = read(written(tmp_path, "bmi;ill\n" + lines.replace(".", ",")))
    assert data.variables[0].state_count == 3


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_a_file_without_names_has_numbers_in_its_first_line(tmp_path: Path, delimiter: str) -> None:
    content = "0,5;a\n1,25;b\n7,5;a\n".replace(";", delimiter)
    bare = written(tmp_path, content)
    assert find_table(bare, TextOptions(delimiter)).names == ("X1", "X2")
    named = written(tmp_path, f"dose{delimiter}kind\n{content}")
    assert find_table(named, TextOptions(delimiter)).names == ("dose", "kind")


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (["1,250", "12,500", "999"], ["1,250", "12,500", "999"]),  # thousands, perhaps
        (["1,2", "1,2,3", "2"], ["1,2", "1,2,3", "2"]),  # lists
        (["1.234,5", "0,5"], ["1.234,5", "0,5"]),  # two marks
        (["0,5", "1.5"], ["0,5", "1.5"]),
        (["0,5", "1,250"], [0.5, 1.25]),
        (["1,5e-3", " +2,0 ", "NA"], [0.0015, 2.0, None]),
    ],
)
def test_a_comma_is_decimal_only_where_nothing_else_is_likely(
    tmp_path: Path, column: list[str], texts: list[object]
) -> None:
    content = "".join(f"{text};x\n" for text in ["number", *column])
    assert read_raw(written(tmp_path, content), delimiter=";")["number"].to_list() == texts


def test_another_column_tells_decimals_from_thousands(tmp_path: Path) -> None:
    frame = read_raw(written(tmp_path, "a;b\n1,250;0,5\n12,500;1,5\n"))
    assert frame["a"].to_list() == [1.25, 12.5]


def test_commas_beyond_the_first_lines_are_decimal_where_these_have_whole_numbers(
    tmp_path: Path,
) -> None:
    content = "a;b\n" + "1;0,5\n2;1,5\n" * 1500 + "2,5;1,5\n"
    assert read_raw(written(tmp_path, content))["a"].unique().sort().to_list() == [1, 2, 2.5]
    assert read(written(tmp_path, content)).states == (("1", "2", "2.5"), ("0.5", "1.5"))


def test_cells_separated_by_commas_stay_as_they_are(tmp_path: Path) -> None:
    frame = read_raw(written(tmp_path, 'a,b\n"0,5",1\n"1,5",0\n'))
    assert frame["a"].to_list() == ["0,5", "1,5"]


@given(text=st.text(alphabet=list("0123456789,.+-eE \t\n\u00a0\u0663x"), max_size=8))
def test_polars_and_python_change_the_same_texts(text: str) -> None:
    changed = pl.DataFrame({"a": [text]}).select(with_points(pl.col("a"))).item()
    assert changed == with_point(text)


cells = st.sampled_from(
    ["0,5", "1,250", "2", "", " 3,5", "-,5", "1,2,3", "4.5", "x", '"7,5"', "8,"]
)


@given(
    rows=st.lists(st.tuples(cells, cells), min_size=1, max_size=6),
    missing=st.sampled_from(MissingPolicy),
)
@settings(max_examples=scaled(100))
@pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")
def test_the_readers_agree(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str]],
    missing: MissingPolicy,
) -> None:
    content = "a;b\n" + "".join(f"{first};{second}\n" for first, second in rows)
    path = written(tmp_path_factory.mktemp("table"), content)
    assert difference(find_table(path, TextOptions(";")), missing) == ""
