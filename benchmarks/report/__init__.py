"""docs/results.md and the figures of the README, from stored results."""
