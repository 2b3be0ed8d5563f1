"""The data sets, the folds, and the ways to predict that are compared."""

from collections.abc import Collection
from dataclasses import dataclass

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.paper.table2.statistics import PAPER as PAPER_DATASETS
from benchmarks.timings.states import PACKAGED

RESULTS = RESULTS_FOLDER / "heldout.jsonl"

FOLDS = 10
SEED = 0
MOST_MEMBERS = 200
"""The most credible networks that are averaged; of more, as many are drawn by weight."""

TABLE_PRIOR = 0.5
"""Records of each state that are added to every configuration of a full table."""

SMOOTHING = 1e-3
"""The share of a uniform distribution in every conditional probability, of every way."""

LIMIT = 120.0
"""Seconds for each run of exact learning."""

ROUNDS = 6
"""Rounds of local search, where exact learning takes too long; their random choices are seeded."""

EXACT = ("zoo", "hepatitis", "parkinsons", "iris", "diabetes", "wine", "nltcs")
"""Data sets whose credible networks are all found. On the others, networks come from local search,
and there is no credible set to average."""

STATES = tuple(PACKAGED)
"""The data sets with variables of more than two states, from scikit-learn."""

SAMPLED = "alarm"
"""The data set of the paper that is a sample of a known network."""

SLOW = ("parkinsons", "adult", "letter", "sensors", "msnbc")
"""The data sets that take longest."""

FEWER_FOLDS = {"adult": 5, "letter": 3, "sensors": 3, "msnbc": 3}
"""Data sets of which only the first folds are predicted: with thousands of records in each, these
say enough."""

DATASETS = (
    *(name for name in EXACT if name not in SLOW),
    *(name for name in (*PAPER_DATASETS, *STATES) if name not in (*EXACT, *SLOW)),
    *SLOW,
)
"""In the order in which they are run."""


@dataclass(frozen=True, slots=True)
class Learner:
    """A way to predict that learns with noisyor."""

    title: str
    relations: str
    score: str = "bic"


TABLES, PAPER, LEAKY, ALL = "tables", "paper", "leaky", "all"
LEAKY_EBIC = "leaky-ebic"
GREEDY, ALONE, LOGISTIC = "greedy", "alone", "logistic"

LEARNERS = {
    TABLES: Learner("full tables", "cpt"),
    PAPER: Learner("+ noisy-OR (the paper)", "paper"),
    LEAKY: Learner("+ leaky noisy-OR (the default)", "default"),
    ALL: Learner("all relations", "all"),
    LEAKY_EBIC: Learner("+ leaky noisy-OR, EBIC", "default", "ebic"),
}
"""What noisyor learns with, by name."""

OTHERS = {
    ALONE: "no arcs",
    GREEDY: "pyAgrum, greedy",
    LOGISTIC: "logistic regressions",
}
"""What they are compared with: columns on their own, and what one might use instead."""

WAYS = (*LEARNERS, *OTHERS)

TOO_LONG = (("nltcs", ALL),)
"""What takes too long nevertheless, and is left to local search."""


@dataclass(frozen=True, slots=True)
class Job:
    """Learning from the records outside of a fold in one way, to predict those in it."""

    dataset: str
    fold: int
    way: str

    @property
    def key(self) -> str:
        """The key of the job's result."""
        return f"{self.dataset}/{self.fold}/{self.way}"


def folds_of(dataset: str) -> int:
    """Return how many of the folds are predicted."""
    return FEWER_FOLDS.get(dataset, FOLDS)


def is_exact(dataset: str, way: str) -> bool:
    """Return whether the credible networks of a data set are all found in some way."""
    return way in LEARNERS and dataset in EXACT and (dataset, way) not in TOO_LONG


def jobs(only: Collection[str] = DATASETS) -> list[Job]:
    """Return all jobs on these data sets, one data set after the other."""
    return [
        Job(dataset, fold, way)
        for dataset in DATASETS
        if dataset in only
        for fold in range(folds_of(dataset))
        for way in WAYS
    ]
