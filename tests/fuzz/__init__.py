"""Hostile input for every reader: a corpus, mutations of it, and programs that try them."""
