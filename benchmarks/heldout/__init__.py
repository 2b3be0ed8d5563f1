"""What relations are worth on real data: held-out log-likelihood by cross-validation."""
