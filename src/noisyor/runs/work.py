"""The statistics of learning, by table or by price."""

from dataclasses import asdict, dataclass

from noisyor.core import ScoreTable
from noisyor.runs.summaries import (
    priced_families,
    pricing_work,
    scored_families,
    search_work,
)
from noisyor.scoring import SourceStatistics
from noisyor.scoring.climbers import ClimbingWork
from noisyor.scoring.statistics import ScoringStatistics
from noisyor.search import PricingStatistics, SearchStatistics


@dataclass(frozen=True, slots=True)
class TableWork:
    """The statistics of scoring all families and then searching the table."""

    scoring: ScoringStatistics
    search: SearchStatistics

    def summary(self, table: ScoreTable) -> dict[str, object]:  # noqa: ARG002
        """Return the statistics as JSON types."""
        return {"families": scored_families(self.scoring), "search": search_work(self.search)}


@dataclass(frozen=True, slots=True)
class ClimbedWork:
    """The statistics of climbing, and of the last scoring and search in one loop.

    There is none of the loop if the time was up before it; `search` is also None if the time was up
    before the search for networks began.
    """

    climbing: ClimbingWork
    source: SourceStatistics | None = None
    pricing: PricingStatistics | None = None
    search: SearchStatistics | None = None

    def summary(self, table: ScoreTable) -> dict[str, object]:
        """Return the statistics as JSON types."""
        said: dict[str, object] = {"climbing": asdict(self.climbing)}
        if self.source is not None:
            said["families"] = priced_families(table, self.source.evaluated)
        if self.search is not None:
            said["search"] = search_work(self.search)
        if self.pricing is not None:
            said["pricing"] = pricing_work(self.pricing)
        return said
