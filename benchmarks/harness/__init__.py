"""Shared by several benchmarks: separate processes, stored results, learning jobs."""
