"""Sets of variables: an int in Python (bit v is variable v), rows of 64-bit words in arrays."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count

import numpy as np
import numpy.typing as npt

WORD_BITS = 64
MAX_VARIABLES = 1024
"""The most variables of a table to learn from: the learning kernels' sets have sixteen words."""

MAX_NODES = 65_536
"""The most variables of a network, which may be larger than any that is learned."""

Words = npt.NDArray[np.uint64]

_FEW = 8  # members of a set that is gone through one by one; of larger sets, digits are read
_BITS_OF_DIGITS = bytes(digit & 1 for digit in range(256))  # of "0" and "1"


def word_count(variable_count: int) -> int:
    """Return the words per set: 1 for up to 64 variables, 2 for up to 128, 4 for up to 256, 16."""
    for words in (1, 2, 4, 16):
        if variable_count <= words * WORD_BITS:
            return words
    raise ValueError(f"{variable_count} variables; at most {MAX_VARIABLES} are supported")


def set_of(variables: Iterable[int]) -> int:
    """Return the set of the given variables."""
    result = 0
    for variable in variables:
        result |= 1 << variable
    return result


def variables_in(variables: int) -> Iterator[int]:
    """Return the variables of a set, ascending."""
    if variables.bit_count() > max(_FEW, variables.bit_length() // 8):
        digits = bin(variables)[:1:-1].encode()
        return compress(count(), digits.translate(_BITS_OF_DIGITS))
    return _by_lowest(variables)


def _by_lowest(variables: int) -> Iterator[int]:
    """Yield the variables of a small set: each step takes as long as the set has words."""
    while variables:
        lowest = variables & -variables
        yield lowest.bit_length() - 1
        variables ^= lowest


def to_words(sets: Sequence[int], words: int) -> Words:
    """Return sets as an array of shape (len(sets), words), the lowest 64 variables first."""
    data = b"".join(one.to_bytes(8 * words, "little") for one in sets)
    return np.frombuffer(data, dtype="<u8").astype(np.uint64).reshape(len(sets), words)


def from_words(rows: Words) -> list[int]:
    """Return the sets in an array of shape (count, words)."""
    if rows.shape[1] == 1:
        return [int(word) for word in rows[:, 0]]
    data = rows.astype("<u8").tobytes()
    size = 8 * rows.shape[1]
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]
