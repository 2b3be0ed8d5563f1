"""The three tables of the paper, made again."""
