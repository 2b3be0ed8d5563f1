"""Finds the optimum and all credible networks from a source of families, by price."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from noisyor.core import BayesFactor, ConstraintError, CredibleSet, ScoreTable
from noisyor.core.credible_set import Labels
from noisyor.core.family_source import FamilySource
from noisyor.core.progress import Progress
from noisyor.core.request import Limits
from noisyor.search.no_network import NoNetworkError
from noisyor.search.preparation import places_of, prepare
from noisyor.search.pricing.effort import HOPELESS_GAP, PricingEffort
from noisyor.search.pricing.loop import Priced, PricingStatistics, price
from noisyor.search.pricing.state import Known, RootCuts
from noisyor.search.proof.optimum import SMALL
from noisyor.search.result import best_alone, credible_set
from noisyor.search.steps import (
    BoundKind,
    Resources,
    Run,
    SearchStatistics,
    find_members,
)
from noisyor.search.table_search import interruptible, resources_for


@dataclass(frozen=True, slots=True)
class SearchedByPrice:
    """A credible set, and how its families and networks were found.

    `statistics` is None if time was up before the families were searched. `table` holds the
    families that credible networks may have, and others that pricing found. `cuts` are those that
    bound all networks, if there are any. `interrupted` says whether Ctrl-C ended it; the result is
    then what was known.
    """

    credible: CredibleSet
    table: ScoreTable
    pricing: PricingStatistics
    statistics: SearchStatistics | None
    seconds: float
    cuts: RootCuts | None
    interrupted: bool = False


def search_by_price(  # noqa: PLR0913  (one option each, all by name)
    source: FamilySource,
    bayes_factor: float | BayesFactor = 20,
    *,
    labels: str | Labels = Labels.BEST,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    effort: PricingEffort = PricingEffort(),  # noqa: B008  (frozen)
    start: Known | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SearchedByPrice:
    """Find the best network and all networks within a Bayes factor of it, by pricing families.

    The credible set is that of a search in a table of all families. For the options see `search`;
    a network to `start` from, with other families, affects only the time.
    """
    factor = bayes_factor if isinstance(bayes_factor, BayesFactor) else BayesFactor(bayes_factor)
    resources = resources_for(Limits(jobs, time_limit, memory_limit), progress)
    run = _PriceRun(source, factor, Labels.of(labels), effort, start, resources)
    interrupted = False
    try:
        interruptible(run.run, resources)
    except NoNetworkError as error:
        raise ConstraintError(error.message(source.names)) from None
    except KeyboardInterrupt:
        if not run.ended:
            raise
        interrupted = True
    return replace(run.searched(), interrupted=interrupted)


class _PriceRun:
    """Pricing, followed by the search."""

    def __init__(  # noqa: PLR0913, PLR0917  (those of `search_by_price`)
        self,
        source: FamilySource,
        factor: BayesFactor,
        labels: Labels,
        effort: PricingEffort,
        start: Known | None,
        resources: Resources,
    ) -> None:
        self._source = source
        self._factor = factor
        self._labels = labels
        self._effort = effort
        self._start = start
        self._resources = resources
        self._priced: Priced | None = None
        self._run: Run | None = None
        self.ended = False  # with a result, if only because it was cancelled

    def run(self) -> None:
        """Find the families, then the networks."""
        self._find()
        self.ended = True

    def _find(self) -> None:
        resources = self._resources
        self._priced = priced = price(
            self._source,
            self._factor,
            resources.clock,
            resources.jobs,
            effort=self._effort,
            start=self._start,
            progress=self._resources.progress,
        )
        if priced.shortfall is not None:
            return
        problem = prepare(priced.table, self._factor, self._labels, None)
        if problem.families.variable_count <= SMALL or priced.statistics.gap > HOPELESS_GAP:
            self._run = Run(problem, resources)
            self._run.search(BoundKind.AUTO)
            return
        best = places_of(priced.best, priced.table, problem.families)
        branches = [one.rescaled(priced.tick / problem.tick) for one in priced.branches]
        self._run = find_members(problem, best, branches, resources)

    def searched(self) -> SearchedByPrice:
        """Return what was found."""
        priced, run = self._priced, self._run
        if priced is None:
            raise RuntimeError("the families have not been priced")
        if run is None:
            credible, statistics = self._best_alone(priced), None
        else:
            credible = credible_set(priced.table, self._factor, self._labels, run.found())
            statistics = run.statistics(len(credible.families))
        return SearchedByPrice(
            credible,
            priced.table,
            priced.statistics,
            statistics,
            self._resources.clock.seconds,
            priced.cuts,
        )

    def _best_alone(self, priced: Priced) -> CredibleSet:
        """Return a set of only the best network so far, for when time was up."""
        return best_alone(
            priced.table,
            priced.best,
            self._factor,
            self._labels,
            lower_bound=priced.lower_bound,
            shortfall=f"{priced.shortfall}: a better network may exist, down to the lower bound",
        )
