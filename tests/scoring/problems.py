"""Random data for the scoring tests."""

import numpy as np
from hypothesis import strategies as st

from noisyor._kernels import kernels
from noisyor.core import Dataset, ScoreTable
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
