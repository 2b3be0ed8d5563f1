"""The race against GOBNILP, the paper's solver: a binary that the reader has."""
