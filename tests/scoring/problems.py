"""Random data for the scoring tests."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import Dataset, ScoreTable, Variable
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.relations import relation_of
from noisyor.core.variable_sets import from_words, word_count

Key = tuple[int, int, str]


def dataset(columns: list[list[int]], copies: int = 1) -> Dataset:
    """Return the data set with these columns, each record `copies` times."""
    arrays = [np.array(column, dtype=np.uint8) for column in columns]
    rows, weights = kernels.count_records(arrays, word_count(len(columns)))
    names = tuple(f"v{number}" for number in range(len(columns)))
    return Dataset.from_bits(names, rows, weights * copies)


def random_dataset(seed: int, variables: int, records: int, density: float = 0.4) -> Dataset:
    """Return records in which later variables are noisy-ORs of some earlier ones, or noise."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for number in range(variables):
        if number < 2 or rng.random() < 0.3:
            column = rng.random(records) < density
        else:
            causes = rng.choice(number, size=min(number, int(rng.integers(1, 4))), replace=False)
            q = rng.uniform(0.05, 0.95, size=len(causes))
            present = np.stack([columns[c] for c in causes])
            absent = np.prod(np.where(present, q[:, None], 1.0), axis=0)
            column = rng.random(records) >= absent
        columns.append(column)
    return dataset([column.astype(int).tolist() for column in columns])


@st.composite
def datasets(draw: st.DrawFn, most_variables: int = 7) -> Dataset:
    """Draw small data: constants, duplicates and negations of columns among them."""
    variables = draw(st.integers(1, most_variables))
    records = draw(st.integers(1, 24))
    columns: list[list[int]] = []
    for _ in range(variables):
        kind = draw(st.sampled_from(["free", "free", "free", "copy", "negation", "constant", "or"]))
        if kind == "copy" and columns:
            columns.append(list(draw(st.sampled_from(columns))))
        elif kind == "negation" and columns:
            columns.append([1 - value for value in draw(st.sampled_from(columns))])
        elif kind == "constant":
            columns.append([draw(st.integers(0, 1))] * records)
        elif kind == "or" and len(columns) > 1:
            a, b = draw(st.sampled_from(columns)), draw(st.sampled_from(columns))
            columns.append([x | y for x, y in zip(a, b, strict=True)])
        else:
            columns.append(draw(st.lists(st.integers(0, 1), min_size=records, max_size=records)))
    return dataset(columns, copies=draw(st.sampled_from([1, 1, 2, 10, 1000])))


def coded(columns: list[list[int]], states: Sequence[int], copies: int = 1) -> Dataset:
    """Return records of these codes, each `copies` times; states without an order."""
    rows = Counter(zip(*columns, strict=True))
    ordered = sorted(rows, key=lambda row: row[::-1])
    variables = tuple(
        Variable(f"v{number}", tuple(f"s{state}" for state in range(own)))
        for number, own in enumerate(states)
    )
    weights = np.array([rows[row] * copies for row in ordered], dtype=np.int64)
    return Dataset(variables, np.array(ordered, dtype=np.uint8), weights)


def random_tables(seed: int, variables: int, records: int, most_states: int = 4) -> Dataset:
    """Return records in which variables of several states depend on up to two earlier ones."""
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    states = rng.integers(2, most_states + 1, variables).tolist()
    for number, own in enumerate(states):
        parents = rng.choice(number, size=min(number, int(rng.integers(0, 3))), replace=False)
        sizes = [states[parent] for parent in parents]
        table = rng.dirichlet(np.full(own, 0.5), size=int(np.prod(sizes, dtype=int)))
        cell = np.zeros(records, dtype=int)
        for parent, size in zip(parents, sizes, strict=True):
            cell = cell * size + columns[parent]
        chances = np.cumsum(table[cell], axis=1)
        columns.append((rng.random(records)[:, None] > chances).sum(axis=1).clip(0, own - 1))
    return coded([column.tolist() for column in columns], states)


@st.composite
def tables(draw: st.DrawFn, most_variables: int = 6, most_states: int = 4) -> Dataset:
    """Draw small data of several states: unseen states, copies and constants among them."""
    records = draw(st.integers(1, 30))
    columns: list[list[int]] = []
    states: list[int] = []
    for _ in range(draw(st.integers(1, most_variables))):
        kind = draw(st.sampled_from(["free", "free", "free", "copy", "coarser", "constant"]))
        own = draw(st.integers(1, most_states))
        if kind in {"copy", "coarser"} and columns:
            place = draw(st.integers(0, len(columns) - 1))
            own = states[place] if kind == "copy" else min(own, states[place])
            columns.append([min(code, own - 1) for code in columns[place]])
        elif kind == "constant":
            columns.append([draw(st.integers(0, own - 1))] * records)
        else:
            code = st.integers(0, own - 1)
            columns.append(draw(st.lists(code, min_size=records, max_size=records)))
        states.append(own)
    return coded(columns, states, copies=draw(st.sampled_from([1, 1, 2, 10, 1000])))


def costs_of(table: ScoreTable) -> dict[Key, float]:
    """Return a table as a mapping."""
    return {
        (child, parents, relation_of(code).name): cost
        for child, parents, code, cost in zip(
            table.children.tolist(),
            from_words(table.parents),
            table.relations.tolist(),
            table.costs.tolist(),
            strict=True,
        )
    }


def same_bits(a: ScoreTable, b: ScoreTable) -> bool:
    """Return whether two tables agree to the last bit."""
    return same_columns(a.columns, b.columns)


def same_columns(a: FamilyColumns, b: FamilyColumns) -> bool:
    """Return whether families agree to the last bit."""
    return all(
        getattr(a, column).tobytes() == getattr(b, column).tobytes()
        for column in (
            "children",
            "parents",
            "relations",
            "costs",
            "gaps",
            "offsets",
            "parameters",
        )
    )
