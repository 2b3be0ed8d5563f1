"""What several benchmarks share: measuring apart, storing results, learning jobs."""
