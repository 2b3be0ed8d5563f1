"""How often an arc or adjacency of a given weight is true, for several kinds of weights."""
