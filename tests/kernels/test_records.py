import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor._kernels import available_builds, load_build
from noisyor.core.variable_sets import from_words, to_words, word_count
from tests.oracles import records as oracle
from tests.support.effort import scaled

WIDTHS = (1, 64, 65, 128, 129, 256, 257, 1024)
builds = pytest.mark.parametrize("build", available_builds())
widths = pytest.mark.parametrize("width", WIDTHS)


def pairs(rows: npt.NDArray[np.uint64], counts: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    return list(zip(from_words(rows), counts.tolist(), strict=True))


@builds
@widths
@given(seed=st.integers(0, 2**32 - 1), records=st.integers(1, 3000), distinct=st.integers(1, 50))
@settings(max_examples=15)
def test_counting_equals_a_plain_counter(
    build: str, width: int, seed: int, records: int, distinct: int
) -> None:
    random = np.random.default_rng(seed)
    pool = random.integers(0, 2, (distinct, width), dtype=np.uint8)
    table = pool[random.integers(0, distinct, records)]
    columns = [np.ascontiguousarray(table[:, v]) for v in range(width)]
    rows, counts = load_build(build).count_records(columns, word_count(width))
    assert rows.shape[1] == word_count(width)
    assert pairs(rows, counts) == oracle.counted([column.tolist() for column in columns])


@builds
@pytest.mark.parametrize("width", [40, pytest.param(129, marks=pytest.mark.slow)])
def test_counting_more_distinct_records_than_the_table_holds(build: str, width: int) -> None:
    random = np.random.default_rng(width)
    table = random.integers(0, 2, (60_000, width), dtype=np.uint8)
    table[50_000:] = table[:10_000]
    columns = [np.ascontiguousarray(table[:, v]) for v in range(width)]
    rows, counts = load_build(build).count_records(columns, word_count(width))
    assert pairs(rows, counts) == oracle.counted([column.tolist() for column in columns])


@builds
@pytest.mark.parametrize(
    ("width", "bits"), [(3, 2), (40, 3), (256, 2), (130, 5), (256, 6), (1024, 3), (1024, 6)]
)
@given(seed=st.integers(0, 2**32 - 1), records=st.integers(1, 300), distinct=st.integers(1, 50))
@settings(max_examples=scaled(10))
def test_codes_are_packed_where_they_are_told(  # noqa: PLR0913, PLR0917 (one a random choice)
    build: str, width: int, bits: int, seed: int, records: int, distinct: int
) -> None:
    random = np.random.default_rng(seed)
    pool = random.integers(0, 2**bits, (distinct, width), dtype=np.uint8)
    columns = list(np.ascontiguousarray(pool[random.integers(0, distinct, records)].T))
    per_word = 64 // bits
    places = [v // per_word * 64 + v % per_word * bits for v in range(width)]
    words = places[-1] // 64 + 1
    rows, counts = load_build(build).count_records(columns, words, places)
    assert rows.shape[1] == words
    expected = oracle.counted([column.tolist() for column in columns], places)
    assert pairs(rows, counts) == expected
    doubled = load_build(build).merge_records(np.concatenate([rows, rows]), np.tile(counts, 2))
    assert pairs(*doubled) == [(record, 2 * count) for record, count in expected]


@builds
@widths
@given(data=st.data())
@settings(max_examples=scaled(25))
def test_merging_equals_a_plain_counter(build: str, width: int, data: st.DataObject) -> None:
    record = st.integers(0, 2**width - 1)
    some = data.draw(st.lists(record, min_size=1, max_size=20))
    parts = data.draw(
        st.lists(st.tuples(st.sampled_from(some), st.integers(1, 2**40)), min_size=1, max_size=60)
    )
    rows = to_words([record for record, _ in parts], word_count(width))
    counts = np.array([count for _, count in parts], dtype=np.int64)
    assert pairs(*load_build(build).merge_records(rows, counts)) == oracle.merged(parts)


@builds
@pytest.mark.parametrize("runs", [1, 2, 3, 7])
def test_merging_sorted_runs(build: str, runs: int) -> None:
    parts = [(record, run + 1) for run in range(runs) for record in range(run, 4000, run + 2)]
    rows = to_words([record for record, _ in parts], 1)
    counts = np.array([count for _, count in parts], dtype=np.int64)
    assert pairs(*load_build(build).merge_records(rows, counts)) == oracle.merged(parts)


@builds
def test_merging_nothing_gives_nothing(build: str) -> None:
    rows, counts = load_build(build).merge_records(
        np.empty((0, 2), dtype=np.uint64), np.empty(0, dtype=np.int64)
    )
    assert rows.shape == (0, 2)
    assert counts.shape == (0,)
