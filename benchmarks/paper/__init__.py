"""The three tables of the paper, reproduced."""
