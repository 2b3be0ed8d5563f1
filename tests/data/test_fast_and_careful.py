"""polars must never change what a file means: the careful reader is its slow twin."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noisyor.core import DataError
from noisyor.data.coding import TableCoder
from noisyor.data.delimited import TextOptions, code_records, code_table, find_table
from noisyor.data.missing import MissingPolicy
from tests.data.tables import written

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")

pieces = st.one_of(
    st.sampled_from(["0", "1", ",", "\n", "0,1\n", "1,0\n", "0,0,1\n", '"0"', '"1"']),
    st.sampled_from(["\r\n", "\r", '"', " ", "yes", "NA", "?", "2", "1.0", "\n\n"]),
    st.sampled_from(["\0", "\x01", "#", "é", "%", "\t"]),
)
rows = st.lists(st.sampled_from(["0,1", "1,0", "1,1", "no,0", "yes,1", "0,", ",1", '"1","0"']))


def outcome(coder_of: object, path: Path, header: bool, missing: MissingPolicy) -> object:
    """Return the dataset, or what is said instead."""
    assert callable(coder_of)
    try:
        table = find_table(path, TextOptions(",", header))
        coder = coder_of(table, missing)
        assert isinstance(coder, TableCoder)
        return coder.dataset({})
    except DataError as error:
        return str(error)


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
@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_fast_and_careful_readers_agree(
    tmp_path: Path, text: str, header: bool, missing: MissingPolicy
) -> None:
    path = written(tmp_path, text)
    assert outcome(code_table, path, header, missing) == outcome(
        code_records, path, header, missing
    )
