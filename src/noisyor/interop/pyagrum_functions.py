"""The functions that pyAgrum has in place of tables, as far as noisyor can compute them.

pyAgrum's noisy-ORs and its `or` and `and` ask whether a parent is in its second state, whatever its
label and its other states are; its noisy-AND, whether it is in its first. Its other functions
(logit, max, count, ...) depend on the numbers that labels may stand for.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core.variable import BINARY
from noisyor.formats.parsed_node import ParsedCauses, Table, present_at

_OR, _COMPOUND = "or", "MultiDimNoisyORCompound"
NOISY_ORS = frozenset((_OR, "MultiDimNoisyORNet", _COMPOUND))
"""The functions that are noisy-ORs of ours."""

Codes = npt.NDArray[np.int64]
_PRESENT = 1


def noisy_or_parameters(
    name: str, external: float, causal: Sequence[float]
) -> tuple[list[float], float | None]:
    """Return the probabilities that the causes and the leak fail; None if there is no leak."""
    if name == _OR:
        return [0.0] * len(causal), None
    q = [1 - weight for weight in causal]
    if not external:
        return q, None
    leak_q = 1 - external
    if name == _COMPOUND:
        # Each weight counts the leak; where that is certain, nothing else matters.
        q = [each / leak_q if leak_q else 1.0 for each in q]
    return q, leak_q


def causes_of(q: Sequence[float], leak_q: float | None, sizes: Sequence[int]) -> ParsedCauses:
    """Return the noisy-OR in which state 1 of each parent acts, whatever its other states are."""
    by_parent = []
    for chance, states in zip(q, sizes, strict=True):
        own = np.ones((states, 1))
        own[_PRESENT : _PRESENT + 1] = chance
        by_parent.append(own)
    return ParsedCauses(
        present_at(_PRESENT),
        tuple(by_parent),
        None if leak_q is None else np.array([leak_q]),
        (0,) * len(by_parent),
    )


def written_out(
    name: str, shape: Sequence[int], external: float, causal: Sequence[float]
) -> Table | None:
    """Return the table of a function, an axis per parent and its own last; None if unknown."""
    *sizes, own = shape
    codes = np.ogrid[tuple(slice(size) for size in sizes)]
    if name not in _WEIGHTED or own != BINARY:
        return None
    present = np.ones(sizes) * _WEIGHTED[name](external, causal, codes)
    return np.stack([1 - present, present], axis=-1)


def _noisy_and(external: float, causal: Sequence[float], codes: Sequence[Codes]) -> Table:
    present = np.array(external)
    for weight, code in zip(causal, codes, strict=True):
        present = present * np.where(code == 0, 1 - weight, weight)
    return present


def _leak_alone(external: float, *_: object) -> Table:
    """Return what a noisy-OR without parents is; with parents, it has causes of ours."""
    return np.array(external)


def _all_present(_: float, __: Sequence[float], codes: Sequence[Codes]) -> Table:
    present = np.array(1.0)
    for code in codes:
        present = present * (code == _PRESENT)
    return present


_WEIGHTED: dict[str, Callable[[float, Sequence[float], Sequence[Codes]], Table]] = {
    "and": _all_present,
    "MultiDimNoisyAND": _noisy_and,
    **dict.fromkeys(NOISY_ORS - {_OR}, _leak_alone),
}
