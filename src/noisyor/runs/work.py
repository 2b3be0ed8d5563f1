"""The statistics of learning, by table or by price."""

from dataclasses import dataclass

from noisyor.core import ScoreTable
from noisyor.runs.summaries import (
    priced_families,
    pricing_work,
    scored_families,
    search_work,
)
from noisyor.scoring import SourceStatistics
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
class PriceWork:
    """The statistics of scoring and searching in one loop.

    `search` is None if the time was up before the search for networks began.
    """

    source: SourceStatistics
    pricing: PricingStatistics
    search: SearchStatistics | None

    def summary(self, table: ScoreTable) -> dict[str, object]:
        """Return the statistics as JSON types."""
        said: dict[str, object] = {"families": priced_families(table, self.source.evaluated)}
        if self.search is not None:
            said["search"] = search_work(self.search)
        return said | {"pricing": pricing_work(self.pricing)}
