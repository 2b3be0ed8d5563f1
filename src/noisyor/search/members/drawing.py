"""Random numbers for drawing members out of sets of any size."""

import numpy as np


def below(limit: int, rng: np.random.Generator) -> int:
    """Return an integer drawn uniformly from 0 up to, but not including, a limit of any size."""
    size = (limit.bit_length() + 7) // 8
    excess = 8 * size - limit.bit_length()
    while True:
        drawn = int.from_bytes(rng.bytes(size), "little") >> excess
        if drawn < limit:
            return drawn


def ranks_below(limit: int, size: int, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Return `size` random ranks in ascending order, and the number of the draw of each."""
    drawn = [below(limit, rng) for _ in range(size)]
    order = sorted(range(size), key=drawn.__getitem__)
    return [drawn[i] for i in order], order
