# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.search.pricing.effort import PricingEffort
from noisyor.search.pricing.loop import PricingStatistics
from noisyor.search.pricing.price_search import SearchedByPrice, search_by_price
from noisyor.search.steps import BoundKind, SearchStatistics
from noisyor.search.table_search import Searched, search

__all__ = [
    "BoundKind",
    "PricingEffort",
    "PricingStatistics",
    "SearchStatistics",
    "Searched",
    "SearchedByPrice",
    "search",
    "search_by_price",
]
