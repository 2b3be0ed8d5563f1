"""Search by price: families are scored only if a credible network could contain them."""
