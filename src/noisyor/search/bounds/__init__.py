"""Bounds on the optimum: a good network from above, weighted cuts from below."""
