"""The results pages of the docs and the facts of the README, from stored results."""
