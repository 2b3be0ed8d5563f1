"""The work that learning was, by table or by price."""

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
    """The work of scoring all families, then searching among them."""

    scoring: ScoringStatistics
    search: SearchStatistics

    def summary(self, table: ScoreTable) -> dict[str, object]:  # noqa: ARG002
        """Return the work as JSON's own types."""
        return {"families": scored_families(self.scoring), "search": search_work(self.search)}


@dataclass(frozen=True, slots=True)
class PriceWork:
    """The work of scoring and searching in one loop.

    Without `search` the time was up before the networks were searched for.
    """

    source: SourceStatistics
    pricing: PricingStatistics
    search: SearchStatistics | None

    def summary(self, table: ScoreTable) -> dict[str, object]:
        """Return the work as JSON's own types."""
        said: dict[str, object] = {"families": priced_families(table, self.source.evaluated)}
        if self.search is not None:
            said["search"] = search_work(self.search)
        return said | {"pricing": pricing_work(self.pricing)}
