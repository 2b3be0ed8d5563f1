"""A variable as a file of another program describes it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core.appearance import PLAIN, NodeAppearance
from noisyor.core.variable import BINARY

Table = npt.NDArray[np.float64]
Arrangement = tuple[int, ...]
"""The positions of a node's states in the file, in the order of the network's variable."""


@dataclass(frozen=True, slots=True, eq=False)
class ParsedCauses:
    """Independent causes of a file, the strongest of which decides (see `core.relations.causes`).

    `weakest_first` lists the node's states, by their positions in the file, from the one that
    nothing brings about to the strongest effect: the levels 0 to m. `q` has for each parent the
    q(t) of each of its states, shape (states, m), and `leak_q` those of the leak, shape (m,), or
    None. `idle` is the state of each parent that does not act; its q's are 1, unless the file says
    otherwise. `signed` keeps a column for the idle state, too. `unseen` marks what no record has,
    in the shapes of `q`, and the leak's last.
    """

    weakest_first: Arrangement
    q: tuple[Table, ...]
    leak_q: Table | None
    idle: tuple[int, ...]
    signed: bool = False
    unseen: tuple[npt.NDArray[np.bool_], ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNode:
    """One variable of a file: states and parents in the file's order, and how it depends on them.

    A table has one axis per parent and a last one for the node's own states. `order` has the
    states in the order of noisyor's variable, where the file says so: of two, the second means
    present. `ordered` says that they ascend. `unseen` marks the configurations that no record had,
    one axis per parent. `place` says where in the file, for messages. `appearance` need not have an
    order of states: that of `states` is recorded.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    distribution: Table | ParsedCauses
    place: str
    order: Arrangement | None = None
    unseen: npt.NDArray[np.bool_] | None = None
    ordered: bool = False
    appearance: NodeAppearance = PLAIN


def present_at(place: int) -> Arrangement:
    """Return the order of two states of which the one at a place means present."""
    return (1 - place, place)


def parsed_noisy_or(
    q: Sequence[float], leak_q: float | None, acting: Sequence[int], effect: int
) -> ParsedCauses:
    """Return the noisy-OR of binary variables in which these states act and produce the effect.

    `q` has for each parent the probability that it fails, and `leak_q` that of the leak, or None.
    """
    by_parent = []
    for chance, state in zip(q, acting, strict=True):
        own = np.ones((BINARY, 1))
        own[state] = chance
        by_parent.append(own)
    return ParsedCauses(
        present_at(effect),
        tuple(by_parent),
        None if leak_q is None else np.array([leak_q]),
        tuple(1 - state for state in acting),
    )
