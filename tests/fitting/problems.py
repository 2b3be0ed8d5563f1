"""Problems for the tests of fits, as plain records and as datasets."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from noisyor.core import Dataset
from noisyor.core.variable_sets import set_of, to_words, word_count
from tests.oracles.noisy_or import Record


def dataset_of(records: Sequence[Record], child: int = 0, width: int | None = None) -> Dataset:
    """Return the records as a dataset with the child at this position among the parents.

    Variables beyond the records' own, up to `width`, are never present.
    """
    tally: Counter[int] = Counter()
    for parents, present, count in records:
        values = [*parents[:child], present, *parents[child:]]
        tally[set_of(v for v, value in enumerate(values) if value)] += count
    size = width or len(records[0][0]) + 1
    rows = sorted(tally)
    return Dataset.from_bits(
        tuple(f"V{v}" for v in range(size)),
        to_words(rows, word_count(size)),
        np.array([tally[row] for row in rows], dtype=np.int64),
    )


def all_but(child: int, parents: int) -> int:
    """Return the set of the other variables among the first `parents` + 1."""
    return ((1 << (parents + 1)) - 1) & ~(1 << child)


@st.composite
def problems(draw: st.DrawFn, covered: bool = True, max_parents: int = 5) -> list[Record]:
    """Draw records; if `covered`, every record with the child present has a cause."""
    width = draw(st.integers(1, max_parents))
    largest = draw(st.sampled_from([1, 20, 10**8]))
    configuration = st.tuples(*[st.integers(0, 1)] * width)
    keys = draw(
        st.lists(st.tuples(configuration, st.integers(0, 1)), min_size=1, max_size=14, unique=True)
    )
    return [
        (parents, child if any(parents) or not covered else 0, draw(st.integers(1, largest)))
        for parents, child in keys
    ]
