"""Bounds on the cost of the best network: a network from above, weighted cuts from below."""
