"""The proof of the optimum: branching on edges and shortest paths over sets of variables."""
