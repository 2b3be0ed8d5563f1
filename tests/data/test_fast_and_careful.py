"""polars must never change what a file means: the careful reader is its slow twin."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noisyor.core import DataError
from noisyor.data import delimited, read
from noisyor.data.coding import TableCoder
from noisyor.data.delimited import TextOptions, find_table
from noisyor.data.missing import MissingPolicy
from noisyor.data.text import TextTable
from noisyor.data.wishes import Wishes
from tests.data.mutated_tables import KINDS, difference, differences
from tests.data.tables import written
from tests.support.effort import chosen, scaled

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")

pieces = st.one_of(
    st.sampled_from(["0", "1", ",", "\n", "0,1\n", "1,0\n", "0,0,1\n", '"0"', '"1"']),
    st.sampled_from(["\r\n", "\r", '"', " ", "yes", "NA", "?", "2", "1.0", "\n\n", "128", "1e2"]),
    st.sampled_from(["\0", "\x01", "#", "é", "%", "\t"]),
)
rows = st.lists(
    st.sampled_from(
        ["0,1", "1,0", "1,1", "no,0", "yes,1", "0,", ",1", '"1","0"', "2,x", "-3,07", "low,mid"]
    )
)


@given(
    text=st.one_of(
        st.lists(pieces, max_size=30).map("".join),
        st.tuples(rows, pieces, rows).map(
            lambda parts: "\n".join([*parts[0], parts[1], *parts[2]]) + "\n"
        ),
    ),
    header=st.booleans(),
    missing=st.sampled_from(MissingPolicy),
)
@settings(max_examples=scaled(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_fast_and_careful_readers_agree(
    tmp_path: Path, text: str, header: bool, missing: MissingPolicy
) -> None:
    check_alike(written(tmp_path, text), TextOptions(",", header), missing)


def check_alike(path: Path, options: TextOptions, missing: MissingPolicy) -> None:
    """Check that the readers agree on a file in which a table is found."""
    try:
        table = find_table(path, options)
    except DataError:
        return
    assert difference(table, missing) == ""


MANY = 2_500  # lines, more than the sample has
ALIKE = {
    "a blank line at the end": "a b\n" + "0 1\n1 0\n" * MANY + "\n",
    "blank lines at the end": "a b\n" + "0 1\n1 0\n" * MANY + "\n\n \n",
    "two blanks far down": "a b\n" + "0 1\n1 0\n" * MANY + "0  1\n",
    "a tab far down": "a b\n" + "0 1\n1 0\n" * MANY + "0\t1\n",
    "a blank before a line far down": "a b\n" + "0 1\n1 0\n" * MANY + " 0 1\n",
    "a byte order mark before the first record": "a,b\n\ufeff0,1\n1,0\n",
    "two byte order marks": "\ufeff\ufeffa,b\n0,1\n1,0\n",
    "a lone CR": "a,b\n" + "0,1\n1,0\n" * MANY + "0,1\r1,0\n",
    "a lone CR in the header": 'a,"b\rc"\n0,1\n1,0\n',
    "a short row and a blank line": "a,b,c\nno,1,x\nyes,0,y\nno,1\n\n",
    "a short row in quotes": 'a,b\n"no",1\n"yes"\n',
    "a delimiter at the end of the file": "a,b\n0,1\n1,0,",
    "a comma that is not ASCII": "a§b\n0§1\n1§0\n",
    "empty quotes in one column": '0\n1\n""',
    "a blank of Unicode in one column": "yes\nno\n\u00a0\n\n",
}


@pytest.mark.parametrize("missing", MissingPolicy)
@pytest.mark.parametrize("header", chosen(quick=[None], full=[None, True, False]))
@pytest.mark.parametrize("case", ALIKE)
def test_known_differences_are_gone(
    tmp_path: Path, case: str, header: bool | None, missing: MissingPolicy
) -> None:
    delimiter = "§" if "§" in ALIKE[case] else None
    check_alike(written(tmp_path, ALIKE[case]), TextOptions(delimiter, header), missing)


def test_the_length_of_a_file_does_not_decide_whether_it_may_end_in_a_blank_line(
    tmp_path: Path,
) -> None:
    for times in (2, MANY):
        dataset = read(written(tmp_path, "a b\n" + "0 1\n1 0\n" * times + "\n", "table.txt"))
        assert dataset.record_count == 2 * times


@pytest.mark.parametrize("kind", KINDS)
def test_mutated_files_are_read_alike(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python -m tests.data.mutated_tables` tries more of them."""
    fast = 0

    def counted(
        table: TextTable,
        schema: Mapping[str, pl.DataType],
        missing: MissingPolicy,
        wishes: Wishes,
    ) -> TableCoder:
        nonlocal fast
        coder = code_fast(table, schema, missing, wishes)
        fast += 1
        return coder

    code_fast = delimited._code_fast
    monkeypatch.setattr(delimited, "_code_fast", counted)
    tried = chosen(quick=50, full=250)
    assert list(differences(kind, tried, seed=20)) == []
    assert fast > tried // 25  # polars has read that many to the end
