"""Score tables to write and read: a small one by hand, and arbitrary ones."""

import numpy as np
from hypothesis import strategies as st

from noisyor.core import (
    AIC,
    BIC,
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Provenance,
    ScoreTable,
    TableScope,
)
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.variable_sets import set_of, to_words, word_count

Row = tuple[int, int, int, float, float, list[float]]
"""Child, parents, relation, cost, gap, q's."""


def table_of(rows: list[Row], scope: TableScope) -> ScoreTable:
    """Return the rows as a table, in its order."""
    names = scope.constraints.names
    columns = FamilyColumns(
        children=np.array([row[0] for row in rows], dtype=np.int32),
        parents=to_words([row[1] for row in rows], word_count(len(names))),
        relations=np.array([row[2] for row in rows], dtype=np.uint8),
        costs=np.array([row[3] for row in rows], dtype=np.float64),
        gaps=np.array([row[4] for row in rows], dtype=np.float64),
        offsets=np.cumsum([0, *(len(row[5]) for row in rows)]),
        parameters=np.array([q for row in rows for q in row[5]], dtype=np.float64),
    )
    return ScoreTable(names, columns.ordered(), scope)


def foreign_scope(names: tuple[str, ...]) -> TableScope:
    """Return the scope of a foreign file."""
    return TableScope(Constraints.none(names), None, None, None, Provenance(""))


def clinic_scope(names: tuple[str, ...] = ("flu", "cold", "cough")) -> TableScope:
    """Return the scope of the small table."""
    return TableScope(
        Constraints(names, (0b110, 0b101, 0b011), (0, 0, 0), max_parents=2),
        BayesFactor(20),
        BIC,
        (CPT, NOISY_OR, LEAKY_NOISY_OR),
        Provenance("0.1.0", "abc", 100, (("fitter", "newton"), ("jobs", "2"))),
    )


def clinic(names: tuple[str, ...] = ("flu", "cold", "cough")) -> ScoreTable:
    """Return a table of three variables with all relations, one tie and one loser of each kind."""
    return table_of(
        [
            (0, 0b000, 0, 60.5, 0, []),
            (1, 0b000, 0, 50.25, 0, []),
            (1, 0b001, 0, 50.5, 0, []),
            (2, 0b011, 1, 40.0, 1e-9, [0.25, 0.5]),
            (2, 0b011, 2, 41.5, 2e-9, [0.25, 0.5, 0.875]),
            (2, 0b011, 0, 44.0, 0, []),
            (2, 0b001, 1, 45.125, 0, [1.0]),
            (2, 0b001, 0, 45.125 + 2**-27, 0, []),  # a tie: within 1e-7
            (2, 0b000, 0, 69.5, 0, []),
        ],
        clinic_scope(names),
    )


names_of_people = st.text(min_size=1, max_size=12).filter(lambda name: name.strip() != "")
finite = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def scopes(draw: st.DrawFn, names: tuple[str, ...]) -> TableScope:
    """Draw any scope of a table."""
    count = len(names)
    everyone = (1 << count) - 1
    allowed = [everyone & ~(1 << v) & draw(st.integers(0, everyone)) for v in range(min(count, 3))]
    allowed += Constraints.none(names).allowed[len(allowed) :]
    # Only upwards, so that the required edges form no cycle.
    required = [allowed[v] & set_of(range(v)) & draw(st.integers(0, 3)) for v in range(count)]
    settings = draw(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), max_size=3))
    return TableScope(
        Constraints(names, tuple(allowed), tuple(required), draw(st.sampled_from([None, 2, 7]))),
        draw(st.none() | st.floats(1, 1e300).map(BayesFactor)),
        draw(st.sampled_from([None, BIC, AIC])),
        draw(st.sampled_from([None, (CPT,), (CPT, NOISY_OR), (CPT, NOISY_OR, LEAKY_NOISY_OR)])),
        Provenance(draw(st.text(max_size=8)), draw(st.text(max_size=8)), 5, tuple(settings)),
        tuple(draw(st.lists(st.text(max_size=9), max_size=2))),
    )


@st.composite
def tables(draw: st.DrawFn, names: st.SearchStrategy[str] = names_of_people) -> ScoreTable:
    """Draw a table in which each of 1 to 200 variables has at least one family."""
    count = draw(st.one_of(st.integers(1, 6), st.sampled_from([63, 64, 65, 128, 129, 200, 300])))
    base = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    chosen = [*base[:count], *(f"{base[0]}:{number}" for number in range(count))]
    distinct = tuple(dict.fromkeys(chosen))[:count]
    scope = draw(scopes(distinct))
    costs = draw(st.lists(finite, min_size=1, max_size=8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows: list[Row] = []
    for child in range(count):
        others = [variable for variable in range(count) if variable != child]
        families = {(0, 0)}
        for _ in range(rng.integers(0, 5)):
            size = int(rng.integers(0, min(len(others), 12) + 1))
            parents = set_of(int(one) for one in rng.choice(others, size, replace=False))
            families |= {(parents, code) for code in range(3) if parents and rng.random() < 0.7}
        for parents, code in sorted(families):
            size = [0, parents.bit_count(), parents.bit_count() + 1][code]
            qs = rng.choice([0.0, 1.0, 0.5, rng.random()], size).tolist()
            gap = float(rng.choice([0.0, 1e-9, 5e-324]))
            rows.append((child, parents, code, float(rng.choice(costs)), gap, qs))
    return table_of(rows, scope)
