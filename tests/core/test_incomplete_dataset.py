"""Records with gaps: what is refused."""

from typing import Any

import numpy as np
import pytest

from noisyor.core.errors import DataError
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset
from noisyor.core.variable import Variable

VARIABLES = (Variable("a"), Variable("b"))


@pytest.mark.parametrize("weights", [[-5, 1], [0, 1], [2**53, 1]])
def test_weights_count_records(weights: list[int]) -> None:
    with pytest.raises(DataError, match="weights count records"):
        IncompleteDataset(VARIABLES, np.array([[0, 1], [GAP, 1]], np.uint8), np.array(weights))


@pytest.mark.parametrize(
    ("code", "weight", "complaint"),
    [
        (1.5, 1, "codes have the type float64"),
        (0, 1.5, "weights have the type float64"),
        (-1, 1, "'a' has a code beyond its states; allowed: 0 to 1, and 255 for a gap"),
        (2, 1, "'a' has a code beyond its states"),
        (GAP + 1, 1, "'a' has a code beyond its states"),
    ],
)
def test_codes_are_states_or_gaps(code: Any, weight: Any, complaint: str) -> None:  # noqa: ANN401
    with pytest.raises(ValueError, match=complaint):
        IncompleteDataset(VARIABLES, np.array([[code, GAP]]), np.array([weight]))


def test_codes_of_any_integer_type_are_taken() -> None:
    data = IncompleteDataset(VARIABLES, np.array([[0, GAP], [0, GAP]]), np.array([2, 3]))
    assert data.codes.dtype == np.uint8
    assert data.record_count == 5
    assert data.missing_cells == 5
