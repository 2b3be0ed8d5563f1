"""Table 2 of the paper: all credible networks of sixteen data sets."""
