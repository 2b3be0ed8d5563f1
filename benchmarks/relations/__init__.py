"""Which relations should compete: sets of relations, compared on samples of known networks."""
