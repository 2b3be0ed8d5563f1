"""From a score table to the optimum and every credible network."""

from noisyor.search.searching import (
    BoundKind,
    Searched,
    SearchProgress,
    SearchStatistics,
    search,
)

__all__ = ["BoundKind", "SearchProgress", "SearchStatistics", "Searched", "search"]
