"""What several benchmarks share: measuring apart, keeping results, learning jobs."""
