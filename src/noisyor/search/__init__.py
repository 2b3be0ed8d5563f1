"""From a score table, or a source of families, to the optimum and every credible network."""

from noisyor.search.finding import BoundKind, SearchProgress, SearchStatistics
from noisyor.search.price_search import SearchedByPrice, search_by_price
from noisyor.search.pricing import PricingEffort, PricingStatistics
from noisyor.search.searching import Searched, search

__all__ = [
    "BoundKind",
    "PricingEffort",
    "PricingStatistics",
    "SearchProgress",
    "SearchStatistics",
    "Searched",
    "SearchedByPrice",
    "search",
    "search_by_price",
]
