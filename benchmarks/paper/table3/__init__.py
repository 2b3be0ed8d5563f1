"""Table 3 of the paper: inference error of learned networks."""
