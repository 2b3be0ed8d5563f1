"""What each policy about missing cells refuses."""

import polars as pl
import pytest

from noisyor import DataError, IncompleteDataset, learn
from noisyor.core.incomplete_dataset import GAP
from tests.incomplete.tables import chain, with_gaps


@pytest.mark.parametrize("policy", ["error", "drop", "state", "em"])
def test_a_column_without_values_is_named(policy: str) -> None:
    data = with_gaps(chain(3), 20, 0.3)
    codes = data.codes.copy()
    codes[:, 1] = GAP
    empty = IncompleteDataset(data.variables, codes, data.weights)
    with pytest.raises(DataError, match=f"every cell of column {data.names[1]!r} is missing"):
        learn(empty, missing=policy, quiet=True)
    table = pl.DataFrame({"a": [0, 1, None], "b": [None, None, None]})
    with pytest.raises(DataError, match="every cell of column 'b' is missing"):
        learn(table, missing=policy, quiet=True)
