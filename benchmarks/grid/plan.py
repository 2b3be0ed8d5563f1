"""The cells of the grid, and the sets of relations that are compared in each."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.harness.folders import RESULTS_FOLDER

RESULTS = RESULTS_FOLDER / "grid.jsonl"

VARIABLES = 8
NETWORKS = 20
"""Random networks of each cell, each with one sample of each size."""

SIZES = (100, 500, 2000)
HELD_OUT_RECORDS = 10_000


class Model(StrEnum):
    """How a variable depends on its parents."""

    OR = "noisy-OR"
    SIGNED = "signed noisy-OR"
    AND = "noisy-AND"
    TABLES = "full tables"


class Strength(StrEnum):
    """How often a present cause fails."""

    STRONG = "strong"
    WEAK = "weak"
    ANY = "any"


class Prevalence(StrEnum):
    """How often variables without parents are present."""

    COMMON = "common"
    RARE = "rare"


LEAKS = (0.0, 0.1, 0.3)
FAILURES = {Strength.STRONG: (0.05, 0.3), Strength.WEAK: (0.5, 0.8)}
ROOTS = {Prevalence.COMMON: (0.3, 0.7), Prevalence.RARE: (0.05, 0.2)}


@dataclass(frozen=True, slots=True)
class Cell:
    """What the networks of a cell have in common. Full tables have neither leak nor strength."""

    model: Model
    leak: float
    strength: Strength
    prevalence: Prevalence

    @property
    def name(self) -> str:
        """The name of the cell, without spaces."""
        model = self.model.replace(" ", "-").lower()
        return f"{model}:{self.leak:g}:{self.strength}:{self.prevalence}"

    @property
    def title(self) -> str:
        """What a reader sees."""
        if self.model is Model.TABLES:
            return f"{self.model}, {self.prevalence}"
        leak = f"leak {self.leak:g}" if self.leak else "no leak"
        return f"{self.model}, {leak}, {self.strength}, {self.prevalence}"


def _strengths(model: Model) -> tuple[Strength, ...]:
    return (Strength.ANY,) if model is Model.TABLES else tuple(FAILURES)


def _leaks(model: Model) -> tuple[float, ...]:
    """Return the leaks of a model; the wrong models have one, to keep the grid small."""
    return {Model.OR: LEAKS, Model.TABLES: (0.0,)}.get(model, (0.1,))


CELLS = tuple(
    Cell(model, leak, strength, prevalence)
    for model in Model
    for leak in _leaks(model)
    for strength in _strengths(model)
    for prevalence in Prevalence
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A set of relations and a score."""

    title: str
    relations: tuple[str, ...]
    score: str = "bic"


TABLES, TABLES_EBIC = "tables", "tables-ebic"
PAPER, LEAKY, LEAKY_EBIC, SIGNED, ALL = "paper", "leaky", "leaky-ebic", "signed", "all"

CHOICES = {
    TABLES: Choice("full tables", ("cpt",)),
    PAPER: Choice("+ noisy-OR (the paper)", ("cpt", "noisy-or")),
    LEAKY: Choice("+ leaky noisy-OR (the default)", ("cpt", "leaky-noisy-or")),
    SIGNED: Choice("+ signed relations", ("cpt", "signed-noisy-or", "signed-noisy-and")),
    ALL: Choice("all relations", ("all",)),
    TABLES_EBIC: Choice("full tables, EBIC", ("cpt",), "ebic"),
    LEAKY_EBIC: Choice("+ leaky noisy-OR, EBIC", ("cpt", "leaky-noisy-or"), "ebic"),
}
"""What networks are learned with; the first is what the others are compared with."""

COMPARED = tuple(name for name in CHOICES if name != TABLES)


@dataclass(frozen=True, slots=True)
class Job:
    """A sample of one random network of a cell."""

    cell: Cell
    network: int
    records: int

    @property
    def key(self) -> str:
        """The key of the job's result."""
        return f"{self.cell.name}/{self.network}/{self.records}"


def jobs(only: Collection[str] = tuple(Model)) -> list[Job]:
    """Return the jobs of some models, first networks first."""
    return [
        Job(cell, network, records)
        for network in range(NETWORKS)
        for cell in CELLS
        if cell.model in only
        for records in SIZES
    ]
