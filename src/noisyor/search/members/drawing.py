"""Random numbers for drawing members out of sets of any size."""

import numpy as np


def below(limit: int, rng: np.random.Generator) -> int:
    """Return a random integer from 0 to below a limit of any size, each as likely as the others."""
    size = (limit.bit_length() + 7) // 8
    excess = 8 * size - limit.bit_length()
    while True:
        drawn = int.from_bytes(rng.bytes(size), "little") >> excess
        if drawn < limit:
            return drawn


def ranks_below(limit: int, size: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return so many random ranks in ascending order, and for each which of the draws it was."""
    drawn = [below(limit, rng) for _ in range(size)]
    order = sorted(range(size), key=drawn.__getitem__)
    return [drawn[i] for i in order], order
