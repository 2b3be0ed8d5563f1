"""From records to every credible network, in one call."""

import math
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from noisyor.core import (
    CPT,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    CredibleSet,
    Network,
    NetworkSet,
    Relation,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.core.relation import relations_from
from noisyor.inference import AveragedPosteriors, average
from noisyor.inference.answers import State
from noisyor.networks import fit_members, fit_network
from noisyor.networks.parameters import FEW_MEMBERS
from noisyor.scoring import RecordSource, Scored, ScoringProgress, SourceStatistics, score
from noisyor.scoring.statistics import ScoringStatistics
from noisyor.search import (
    BoundKind,
    PricingStatistics,
    SearchedByPrice,
    SearchProgress,
    SearchStatistics,
    search,
    search_by_price,
)
from noisyor.search.searching import check_limits

FEW_VARIABLES = 25
"""Up to so many, a table of all families is quickly made, and its search needs no prices."""


_MOMENT = 1e-3  # seconds


class Method(StrEnum):
    """How the credible networks are found; they are the same."""

    AUTO = "auto"  # the one that is likely to be faster
    TABLE = "table"  # score all families that the rules of scoring leave, then search the table
    PRICE = "price"  # score and search in one loop, only what some credible network may have

    @classmethod
    def of(cls, name: str) -> "Method":
        """Return the method of this name."""
        if name not in cls.__members__.values():
            raise SettingsError(f"method is {name!r}; it must be one of: {', '.join(cls)}")
        return cls(name)


@dataclass(frozen=True, slots=True)
class LearnProgress:
    """What is being done; bounds on the optimum in nats, once there are any."""

    step: str
    detail: str
    lower_bound: float | None
    upper_bound: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Learned:
    """A credible set, the records that it was learned from, and how it was found.

    `scoring` is there if a table was made, `pricing` and `source` if families were priced, and
    `search` unless the time was up before the networks were searched for. `settings` say what
    was asked for, by name.
    """

    data: BinaryDataset
    settings: tuple[tuple[str, str], ...]
    credible: CredibleSet
    method: Method
    search: SearchStatistics | None
    seconds: Mapping[str, float]
    scoring: ScoringStatistics | None = None
    pricing: PricingStatistics | None = None
    source: SourceStatistics | None = None

    def best_network(self, *, prior: float = 0.0) -> Network:
        """Return the best network with its parameters; see `fit_network` for the prior."""
        return fit_network(self.data, self.credible.best, prior=prior, settings=self.settings)

    def networks(self, *, most: int = FEW_MEMBERS, seed: int = 0, prior: float = 0.0) -> NetworkSet:
        """Return the credible networks with parameters: all, or of more than `most` a sample.

        See `fit_members`.
        """
        return fit_members(
            self.data, self.credible, most=most, seed=seed, prior=prior, settings=self.settings
        )

    def query(
        self,
        targets: Iterable[str] | None = None,
        given: Mapping[str, State] | None = None,
        *,
        most: int = FEW_MEMBERS,
        seed: int = 0,
        prior: float = 0.0,
    ) -> AveragedPosteriors:
        """Return how likely the targets are, given what was observed, averaged over the networks.

        Fits them for each question: to ask more than once, keep what `networks` returns, and give
        it to `noisyor.average`.
        """
        return average(self.networks(most=most, seed=seed, prior=prior), targets, given)


def learn(  # noqa: PLR0913  (each option is one that a user names)
    data: BinaryDataset,
    bayes_factor: float | BayesFactor = 20,
    *,
    relations: Iterable[str | Relation] = (CPT, NOISY_OR),
    constraints: Constraints | None = None,
    method: str | Method = Method.AUTO,
    labels: str | Labels = Labels.BEST,
    bounds: str | BoundKind = BoundKind.AUTO,
    jobs: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    progress: Callable[[LearnProgress], None] | None = None,
) -> Learned:
    """Find the best network and all networks within a Bayes factor of it.

    The `method` decides only how long that takes. For the other options see `score` and `search`;
    the time limit is for both together. If it is hit, the result is the best network so far with a
    proven bound, and says so.
    """
    check_limits(jobs, time_limit, memory_limit)
    request = _Request(
        data,
        bayes_factor if isinstance(bayes_factor, BayesFactor) else BayesFactor(bayes_factor),
        relations_from(relations),
        constraints or Constraints.none(data.names),
        Labels.of(labels),
        BoundKind.of(bounds),
        jobs,
        time_limit,
        memory_limit,
        progress,
    )
    how = _method_for(data, request.relations, Method.of(method), request.bounds)
    return _by_table(request) if how is Method.TABLE else _by_price(request)


@dataclass(frozen=True, slots=True)
class _Request:
    """What learn was asked for."""

    data: BinaryDataset
    factor: BayesFactor
    relations: tuple[Relation, ...]
    constraints: Constraints
    labels: Labels
    bounds: BoundKind
    jobs: int | None
    time_limit: float | None
    memory_limit: int | None
    progress: Callable[[LearnProgress], None] | None
    started: float = field(default_factory=time.monotonic)

    def time_left(self) -> float | None:
        """Return the seconds that are left; a moment, if there are none."""
        if self.time_limit is None:
            return None
        return max(_MOMENT, self.time_limit - self.seconds())

    def seconds(self) -> float:
        """Return the seconds that have passed."""
        return time.monotonic() - self.started

    def settings(self, method: Method) -> tuple[tuple[str, str], ...]:
        """Return what was asked for, as a result records it."""
        free = self.constraints == Constraints.none(self.data.names)
        return (
            ("bayes_factor", repr(self.factor.value)),
            ("relations", ",".join(relation.name for relation in self.relations)),
            ("labels", str(self.labels)),
            ("method", str(method)),
            ("constraints", "none" if free else "some"),
        )

    def source(self) -> RecordSource:
        """Return the records as a source of families."""
        return RecordSource(
            self.data,
            self.factor,
            relations=self.relations,
            constraints=self.constraints,
            jobs=self.jobs,
        )

    def show_scoring(self, now: ScoringProgress) -> None:
        """Pass the progress of scoring on."""
        if self.progress is not None:
            detail = f"{now.children_done} of {now.children} children"
            self.progress(LearnProgress("scoring", detail, None, None, self.seconds()))

    def show_search(self, now: SearchProgress) -> None:
        """Pass the progress of the search on."""
        if self.progress is not None:
            self.progress(
                LearnProgress(
                    now.step, now.detail, now.lower_bound, now.upper_bound, self.seconds()
                )
            )


def _method_for(
    data: BinaryDataset, relations: tuple[Relation, ...], asked: Method, bounds: BoundKind
) -> Method:
    """Return the method to use; without a linear program there are no prices."""
    if bounds is BoundKind.NONE:
        if asked is Method.PRICE:
            raise SettingsError(
                "method is 'price', whose prices come from bounds; bounds is 'none'"
            )
        return Method.TABLE
    if asked is not Method.AUTO:
        return asked
    few = data.variable_count <= FEW_VARIABLES or relations == (CPT,)
    return Method.TABLE if few else Method.PRICE


def _by_table(request: _Request) -> Learned:
    """Score, then search."""
    scored = score(
        request.data,
        request.factor,
        relations=request.relations,
        constraints=request.constraints,
        jobs=request.jobs,
        time_limit=request.time_limit,
        progress=request.show_scoring,
    )
    table, unknown = scored.table, 0.0
    if len(scored.children) < request.data.variable_count:
        table, unknown = _filled(scored, request)
    found = search(
        table,
        request.factor,
        labels=request.labels,
        bounds=request.bounds,
        jobs=request.jobs,
        time_limit=request.time_left(),
        memory_limit=request.memory_limit,
        progress=request.show_search,
    )
    credible = found.credible
    if unknown:
        credible = replace(credible, lower_bound=credible.lower_bound - unknown)
    return Learned(
        request.data,
        request.settings(Method.TABLE),
        credible,
        Method.TABLE,
        found.statistics,
        {"scoring": scored.seconds, **found.statistics.seconds, "total": request.seconds()},
        scoring=scored.statistics,
    )


def _filled(scored: Scored, request: _Request) -> tuple[ScoreTable, float]:
    """Return the table with one family of each child that was not scored, the smallest.

    And by how much the optimum may be below that of the filled table: another family of such a
    child may be cheaper, and has no fewer parents, so it does not make the others' choice freer.
    """
    source = request.source()
    smallest = source.seed(lambda: True).table
    lacking = np.setdiff1d(np.arange(request.data.variable_count), list(scored.children))
    fewest = smallest.parent_counts() == [
        request.constraints.required[child].bit_count() for child in smallest.children.tolist()
    ]
    rows = np.flatnonzero(fewest & np.isin(smallest.children, lacking))
    unknown = math.fsum(smallest.costs[rows] - source.least_costs()[lacking])
    return scored.table.joined(smallest.select(rows)), unknown


def _by_price(request: _Request) -> Learned:
    """Score what the search asks for."""
    source = request.source()
    found = search_by_price(
        source,
        request.factor,
        labels=request.labels,
        jobs=request.jobs,
        time_limit=request.time_left(),
        memory_limit=request.memory_limit,
        progress=request.show_search,
    )
    return Learned(
        request.data,
        request.settings(Method.PRICE),
        found.credible,
        Method.PRICE,
        found.statistics,
        _together(found) | {"total": request.seconds()},
        pricing=found.pricing,
        source=source.statistics,
    )


def _together(found: SearchedByPrice) -> dict[str, float]:
    """Return the seconds of the steps; both parts have bounds."""
    seconds = dict(found.pricing.seconds)
    if found.statistics is not None:
        for step, more in found.statistics.seconds.items():
            seconds[step] = seconds.get(step, 0.0) + more
    return seconds
