"""Every way to solve a problem. The ways share nothing but the problem."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from noisyor.core import Constraints, ScoreTable
from noisyor.core.credible_set import CredibleSet
from noisyor.learning import learn
from noisyor.scoring import score
from noisyor.search import branch_counting, search, search_by_price
from noisyor.search.pricing import price_search
from noisyor.search.pricing.effort import PricingEffort
from noisyor.search.pricing.table_source import TableSource
from tests.oracles.networks import Costs
from tests.search.tables import table_from
from tests.soak.problems import MOST_OF_A_TABLE, Problem, RecordProblem, Settings, TableProblem

Way = Callable[[], CredibleSet]

BOUNDS = ("none", "auto", "lp")
SMALL_STEPS = PricingEffort(most_offered=1, small_gap=0.0, nodes=6)
"""So that small problems take several rounds and branches."""

WIDER = 1.5
"""A table to compare with is scored for so much larger a Bayes factor."""


def ways_of(problem: Problem, costs: Costs | None) -> dict[str, Way]:
    """Return the ways by name; those that begin with "search" are of one table.

    `costs` are the families that a table problem's knowledge allows.
    """
    if isinstance(problem, TableProblem):
        return _ways_of_table(problem, costs or {})
    return _ways_of_records(problem)


def _ways_of_table(problem: TableProblem, costs: Costs) -> dict[str, Way]:
    settings = problem.settings

    def searched(bounds: str) -> CredibleSet:
        constraints = constraints_of(settings, problem.names)
        jobs = settings.jobs[bounds == "lp"]
        return search(
            problem.table(),
            settings.factor,
            constraints=constraints,
            labels=settings.labels,
            bounds=bounds,
            jobs=jobs,
        ).credible

    ways: dict[str, Way] = {
        f"search, bounds {bounds}": lambda bounds=bounds: searched(bounds)  # type: ignore[misc]
        for bounds in BOUNDS
    }
    ways["search, by diagrams"] = lambda: by_diagrams(lambda: searched("lp"))
    if problem.kind != "wrong table":
        factor = None if problem.foreign else MOST_OF_A_TABLE
        ways["price of the table"] = lambda: priced_table(
            table_from(costs, problem.names, factor), settings
        )
    return ways


def _ways_of_records(problem: RecordProblem) -> dict[str, Way]:
    settings, names = problem.settings, problem.data.names
    made: list[ScoreTable] = []

    def learned(method: str, bounds: str, jobs: int) -> CredibleSet:
        with _branches(settings):
            result = learn(
                problem.data,
                settings.factor,
                score=problem.score,
                relations=problem.relations,
                prior=problem.prior,
                keep_constants=True,
                constraints=settings.known.knowledge(names) if settings.known else None,
                method=method,
                labels=settings.labels,
                bounds=bounds,
                jobs=jobs,
                quiet=True,
            )
        if method == "table" and result.table is not None:
            made.append(result.table)
        return result.credible

    def searched(bounds: str) -> CredibleSet:
        if not made:
            return learned("table", bounds, settings.jobs[1])
        return search(
            made[0], settings.factor, labels=settings.labels, bounds=bounds, jobs=settings.jobs[1]
        ).credible

    return {
        "search, bounds none": lambda: learned("table", "none", settings.jobs[0]),
        "search, bounds auto": lambda: searched("auto"),
        "search, bounds lp": lambda: searched("lp"),
        "search, by diagrams": lambda: by_diagrams(lambda: searched("lp")),
        "price of the records": lambda: learned("price", "auto", settings.jobs[2]),
        "layers of the records": lambda: learned("layers", "auto", settings.jobs[2]),
        "price of the table": lambda: (
            priced_table(made[0], settings) if made else learned("table", "auto", 1)
        ),
    }


def by_diagrams(way: Way) -> CredibleSet:
    """Return what a way finds if all members are counted by diagrams, and none by a walk."""
    usual = vars(branch_counting)["_TURNS"]
    try:
        setattr(branch_counting, "_TURNS", ((0, 2**63),))  # noqa: B010
        return way()
    finally:
        setattr(branch_counting, "_TURNS", usual)  # noqa: B010


def priced_table(table: ScoreTable, settings: Settings) -> CredibleSet:
    """Return what a search by price finds in a table."""
    with _branches(settings):
        return search_by_price(
            TableSource(table),
            settings.factor,
            labels=settings.labels,
            jobs=settings.jobs[2],
            effort=SMALL_STEPS if settings.branches else PricingEffort(),
        ).credible


def wide_table(problem: Problem, costs: Costs) -> ScoreTable:
    """Return a table with all families that a slightly larger Bayes factor needs."""
    if isinstance(problem, TableProblem):
        return table_from(costs, problem.names, MOST_OF_A_TABLE)
    return score(
        problem.data,
        problem.settings.factor * WIDER,
        score=problem.score,
        relations=problem.relations,
        prior=problem.prior,
        constraints=constraints_of(problem.settings, problem.data.names),
        jobs=1,
    ).table


def constraints_of(settings: Settings, names: tuple[str, ...]) -> Constraints | None:
    """Return the knowledge as the stages take it."""
    return settings.known.knowledge(names).constraints(names) if settings.known else None


@contextmanager
def _branches(settings: Settings) -> Iterator[None]:
    """By price, go on from the branches where the problem asks for it, whatever its size."""
    usual = vars(price_search)["SMALL"]
    try:
        setattr(price_search, "SMALL", 0 if settings.branches else usual)  # noqa: B010
        yield
    finally:
        setattr(price_search, "SMALL", usual)  # noqa: B010
