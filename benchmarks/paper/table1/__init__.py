"""Table 1 of the paper: recovery of noisy-OR parameters."""
