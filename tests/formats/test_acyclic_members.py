"""Cycles among many networks at once, against one network at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor.core.constraints import find_cycle
from noisyor.core.variable_sets import to_words, word_count
from noisyor.formats import acyclic_members
from noisyor.formats.acyclic_members import first_cyclic
from tests.support.effort import scaled


@settings(max_examples=scaled(100))
@given(data=st.data(), count=st.sampled_from([1, 2, 3, 5, 65]))
def test_the_first_network_with_a_cycle_is_found(data: st.DataObject, count: int) -> None:
    # Few edges among many variables, so that networks without a cycle are drawn too.
    edges = st.lists(st.tuples(*[st.integers(0, count - 1)] * 2), max_size=count + 1)
    graphs = []
    for drawn in data.draw(st.lists(edges, min_size=1, max_size=6)):
        parents = [0] * count
        for parent, child in drawn:
            parents[child] |= (parent != child) << parent
        graphs.append(parents)
    expected = next((place for place, one in enumerate(graphs) if find_cycle(one)), None)
    families = to_words([parents for graph in graphs for parents in graph], word_count(count))
    members = np.arange(len(graphs) * count, dtype=np.uint32).reshape(-1, count)
    assert first_cyclic(families, members) == expected


@pytest.mark.parametrize("rows_at_once", [1, 2, 3, 100])
def test_looking_at_few_at_a_time_finds_the_same(
    rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(acyclic_members, "_WORDS_AT_ONCE", rows_at_once * 2)
    families = to_words([0b00, 0b10, 0b00, 0b01], 1)  # a, a <- b, b, b <- a
    good, cyclic = [1, 2], [1, 3]
    rows = np.array([good, [0, 3], good, good, cyclic, good, cyclic], dtype=np.uint32)
    assert first_cyclic(families, rows) == 4
    assert first_cyclic(families, rows[:4]) is None
