"""Runs the tests of the kernels under sanitizers."""
