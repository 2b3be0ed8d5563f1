"""Random problems, each determined by a seed and a number."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import exp, log

import numpy as np

from noisyor.core import Dataset, Prior, ScoreTable
from noisyor.core.relations import all_relations
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import from_words
from tests.oracles.networks import Costs, Key
from tests.oracles.precise import tolerance_at
from tests.oracles.records import merged
from tests.scoring.problems import random_dataset, random_tables
from tests.search.tables import BOUNDARY_SLACK, STYLES, random_case, table_from
from tests.soak.known import Known, random_known
from tests.support.extreme_cases import dataset

FACTORS = (1.0, 3.0, 20.0, 150.0, 1000.0)
RELATIONS = (
    ("cpt",),
    ("cpt", "noisy-or"),
    ("cpt", "noisy-or"),
    ("cpt", "leaky-noisy-or"),
    ("cpt", "noisy-or", "leaky-noisy-or"),
)
SCORES = ("bic", "bic", "aic", "ebic(0.5)")
MARGINAL_SCORES = ("bdeu(1)", "bdeu(10)", "bds(1)", "k2", "qnml")
"""Scores of full tables alone."""

MOST_OF_A_TABLE = 1e6
"""The Bayes factor that tables claim to be made for: they have all families there are."""


@dataclass(frozen=True)
class Settings:
    """The settings that both kinds of problems share."""

    factor: float
    labels: str
    known: Known | None
    jobs: tuple[int, int, int]  # threads: of the usual bounds, of the linear program, of prices
    branches: bool  # by price, go on from the branches, although there are few variables

    @property
    def slack(self) -> float:
        """The credible excess over the optimum."""
        return log(self.factor)


@dataclass(frozen=True)
class TableProblem:
    """Families with their costs."""

    kind: str
    n: int
    costs: Costs
    foreign: bool  # the table does not say what it was made for
    scored_for: float
    settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(f"x{v}" for v in range(self.n))

    def table(self) -> ScoreTable:
        """Return the families as a score table."""
        return table_from(self.costs, self.names, None if self.foreign else self.scored_for)


@dataclass(frozen=True)
class RecordProblem:
    """Records, the relations that may explain them, and how networks are compared."""

    kind: str
    n: int
    data: Dataset
    relations: tuple[str, ...]
    settings: Settings
    score: str = "bic"
    prior: Prior = field(default_factory=Prior.none)


@dataclass(frozen=True)
class GapProblem:
    """Records of which a share of the cells is missing, and how EM completes them."""

    kind: str
    n: int
    data: Dataset  # with all cells
    share: float
    removed_by: int  # the seed
    completions: int
    relations: tuple[str, ...]
    settings: Settings
    score: str


Problem = TableProblem | RecordProblem

KINDS = {  # how often, and of how many variables
    "small table": (32, 1, 5),
    "medium table": (12, 6, 9),
    "large table": (6, 10, 16),
    "small records": (28, 2, 5),
    "medium records": (12, 6, 9),
    "large records": (5, 10, 16),
    "small states": (14, 2, 4),
    "medium states": (5, 5, 7),
    "gaps": (8, 2, 4),
    "wrong table": (3, 2, 5),
    "wrong records": (2, 2, 5),
}


def problem(seed: int, number: int) -> Problem | GapProblem:
    """Return a problem."""
    rng = np.random.default_rng([seed, number])
    shares = np.array([share for share, _, _ in KINDS.values()], dtype=np.float64)
    kind = list(KINDS)[int(rng.choice(len(KINDS), p=shares / shares.sum()))]
    _, fewest, most = KINDS[kind]
    n = int(rng.integers(fewest, most + 1))
    if kind == "gaps":
        return _gaps(rng, kind, n)
    if kind.endswith("states"):
        return _states(rng, kind, n)
    return (_table if kind.endswith("table") else _records)(rng, kind, n)


def _settings(rng: np.random.Generator, kind: str, n: int) -> Settings:
    records = not kind.endswith("table")
    factors = FACTORS[:3] if kind.startswith("large") else FACTORS
    known = random_known(rng, n, required=records) if rng.random() < 0.3 else None
    return Settings(
        factor=float(rng.choice(factors)),
        labels="all" if rng.random() < 0.3 else "best",
        known=known,
        jobs=(int(rng.integers(1, 4)), int(rng.integers(1, 4)), int(rng.integers(1, 4))),
        branches=bool(rng.random() < 0.5),
    )


def _table(rng: np.random.Generator, kind: str, n: int) -> TableProblem:
    settings = _settings(rng, kind, n)
    style = str(rng.choice([*STYLES, *_COSTS]))
    many = 40 if n <= 5 else 12  # families of a child; more would have too many networks
    if n > 5 and style in {"equal", "small"}:  # all are credible
        many = 3
    case = random_case(
        int(rng.integers(2**32)),
        n=n,
        most_families=int(rng.choice([3, min(8, many), many])),
        most_parents=int(rng.integers(1, max(2, min(n, 6)))),
        style="whole" if style in _COSTS else style,
        blocks=int(rng.choice([1, 1, 1, 2, 3])),
        relations=int(rng.integers(1, 4)),
        empty=float(rng.choice([0.5, 0.9, 1.0])),
    )
    costs: Costs = case.costs
    if style in _COSTS:
        costs = _COSTS[style](rng, costs, settings.slack)
    elif style in {"whole", "thirds"} and rng.random() < 0.5:  # whose slack is that of the grid
        settings = replace(settings, factor=exp(BOUNDARY_SLACK))
    foreign = settings.labels == "best" and bool(rng.random() < 0.2)
    scored_for = MOST_OF_A_TABLE
    if kind == "wrong table":
        settings, foreign, scored_for = _spoilt(rng, n, settings)
    return TableProblem(kind, n, costs, foreign, scored_for, settings)


def _spoilt(rng: np.random.Generator, n: int, settings: Settings) -> tuple[Settings, bool, float]:
    """Return settings that must be refused: of a table from elsewhere, too large, not scored."""
    fault = int(rng.integers(3))
    labels = "all" if fault == 0 else settings.labels
    factor = 20.0 if fault == 1 else settings.factor
    required = ((0, 1),) if fault == 2 else ()
    known = Known(required=required) if required and n > 1 else None
    spoilt = replace(settings, factor=factor, labels=labels, known=known)
    return spoilt, fault == 0, 3.0 if fault == 1 else MOST_OF_A_TABLE


def _on_a_grid(_: np.random.Generator, costs: Costs, slack: float) -> dict[Key, float]:
    """Whole numbers of half the slack: many networks lie exactly at it."""
    return {key: cost * (slack / BOUNDARY_SLACK or 1.0) for key, cost in costs.items()}


def _near_a_grid(rng: np.random.Generator, costs: Costs, slack: float) -> dict[Key, float]:
    """The same, but few families are some half tolerances off."""
    return {
        key: cost + float(rng.integers(0, 7)) / 2 * tolerance_at(0) * (rng.random() < 0.1)
        for key, cost in _on_a_grid(rng, costs, slack).items()
    }


def _equal(rng: np.random.Generator, costs: Costs, _: float) -> dict[Key, float]:
    same = float(rng.choice([0.0, 1.0, 123.456]))
    return dict.fromkeys(costs, same)


def _small(rng: np.random.Generator, costs: Costs, _: float) -> dict[Key, float]:
    """Costs that differ by less than can be told, or little more."""
    unit = 10.0 ** -int(rng.integers(5, 11))
    return {key: cost * unit for key, cost in costs.items()}


def _huge(rng: np.random.Generator, costs: Costs, _: float) -> dict[Key, float]:
    """Costs so large that the tolerance is relative."""
    base = 10.0 ** int(rng.integers(5, 10)) * float(rng.choice([-1, 1]))
    return {key: base + cost + float(rng.random()) for key, cost in costs.items()}


def _apart(rng: np.random.Generator, costs: Costs, _: float) -> dict[Key, float]:
    """Costs of very different sizes, in some tables also below zero."""
    largest = int(rng.integers(3, 10))
    signs = (1,) if rng.random() < 0.5 else (1, -1)
    return {
        key: cost * 10.0 ** int(rng.integers(0, largest)) * float(rng.choice(signs))
        for key, cost in costs.items()
    }


_COSTS: dict[str, Callable[[np.random.Generator, Costs, float], dict[Key, float]]] = {
    "grid": _on_a_grid,
    "near": _near_a_grid,
    "equal": _equal,
    "small": _small,
    "huge": _huge,
    "apart": _apart,
}


def _records(rng: np.random.Generator, kind: str, n: int) -> RecordProblem:
    settings = _settings(rng, kind, n)
    if n > 9:  # else scoring and counting would take minutes
        most = int(rng.integers(1, 4))
        known = settings.known or Known()
        settings = replace(settings, known=replace(known, max_parents=known.max_parents or most))
    fewest = 2 if n <= 5 else 10 * n  # few records in many columns make too many networks
    records = round(exp(rng.uniform(log(fewest), log(5000))))
    if kind == "wrong records":
        records = 1
    relations = RELATIONS[int(rng.integers(len(RELATIONS)))]
    return RecordProblem(kind, n, _data(rng, n, records), relations, settings)


def _states(rng: np.random.Generator, kind: str, n: int) -> RecordProblem:
    """Return records of several states, any relations and scores, and sometimes a prior."""
    settings = _settings(rng, kind, n)
    records = round(exp(rng.uniform(log(5 * n), log(2000))))
    data = random_tables(int(rng.integers(2**32)), n, records, int(rng.integers(2, 5)))
    variables = tuple(
        replace(own, ordered=own.state_count > BINARY and bool(rng.random() < 0.7))
        for own in data.variables
    )
    data = replace(data, variables=variables)
    relations: tuple[str, ...] = ("cpt",)
    score = str(rng.choice(SCORES))
    if rng.random() < 0.25:
        score = str(rng.choice(MARGINAL_SCORES))
    else:
        others = [one.name for one in all_relations() if one.name != "cpt"]
        chosen = rng.choice(len(others), size=int(rng.integers(0, 4)), replace=False)
        relations += tuple(others[place] for place in sorted(chosen.tolist()))
    prior = _prior(rng, data.names, relations) if rng.random() < 0.4 else Prior.none()
    return RecordProblem(kind, n, data, relations, settings, score, prior)


def _gaps(rng: np.random.Generator, kind: str, n: int) -> GapProblem:
    """Return records of two or three states, some of whose cells are missing."""
    settings = replace(_settings(rng, kind, n), known=None)
    records = round(exp(rng.uniform(log(8 * n), log(200))))
    if rng.random() < 0.5:
        data = random_dataset(int(rng.integers(2**32)), n, records, float(rng.choice([0.3, 0.5])))
        relations = RELATIONS[int(rng.integers(len(RELATIONS)))]
    else:
        data = random_tables(int(rng.integers(2**32)), n, records, 3)
        relations = ("cpt",)
    return GapProblem(
        kind,
        n,
        data,
        float(rng.choice([0.05, 0.2, 0.4])),
        int(rng.integers(2**32)),
        int(rng.choice([1, 2, 5, 10])),
        relations,
        settings,
        str(rng.choice(SCORES)),
    )


def _prior(rng: np.random.Generator, names: tuple[str, ...], relations: tuple[str, ...]) -> Prior:
    """Return beliefs about some arcs, all others, and some relations."""
    arcs = {
        (parent, child): float(rng.choice([0.01, 0.2, 0.8, 0.99]))
        for parent in names
        for child in names
        if parent != child and rng.random() < 0.2
    }
    weights = {name: float(rng.choice([0.1, 3.0])) for name in relations if rng.random() < 0.3}
    return Prior(arcs, float(rng.choice([0.5, 0.3, 0.1])), weights)


def _data(rng: np.random.Generator, n: int, records: int) -> Dataset:
    """Return records of noisy-ORs, sometimes each many times.

    Sometimes columns are made constant, a copy of another one, or its negation.
    """
    density = float(rng.choice([0.05, 0.3, 0.5, 0.8]))
    data = random_dataset(int(rng.integers(2**32)), n, records, density)
    rows = from_words(data.bits)
    if rng.random() < 0.25:
        for _ in range(int(rng.integers(1, 3))):
            child, other = (int(v) for v in rng.integers(0, n, size=2))
            rows = _with_column(rows, child, other, str(rng.choice(["copy", "negation", "1", "0"])))
    copies = int(rng.choice([1, 10, 1000])) if rng.random() < 0.15 and records > 1 else 1
    weights = [weight * copies for weight in data.weights.tolist()]
    return dataset(dict(merged(list(zip(rows, weights, strict=True)))), n)


def _with_column(rows: list[int], column: int, other: int, how: str) -> list[int]:
    bit = 1 << column
    if how in {"0", "1"}:
        return [row | bit if how == "1" else row & ~bit for row in rows]
    flip = how == "negation"
    return [row & ~bit | bit * ((row >> other & 1) ^ flip) for row in rows]
