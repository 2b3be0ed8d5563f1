"""Checks of a file's nodes: what is not a network is refused, with its place in the file."""

from collections.abc import Mapping, Sequence

import numpy as np

from noisyor.core import FormatError
from noisyor.core.constraints import find_cycle
from noisyor.core.network import ROW_TOLERANCE
from noisyor.core.variable_sets import MAX_NODES, set_of
from noisyor.formats.parsed_node import ParsedCauses, ParsedNode


def checked_numbers(nodes: Sequence[ParsedNode]) -> dict[str, int]:
    """Return the variables' numbers; refuse names, edges and numbers that no network can have."""
    if not 1 <= len(nodes) <= MAX_NODES:
        raise FormatError(f"it has {len(nodes)} variables; 1 to {MAX_NODES} are supported")
    number: dict[str, int] = {}
    for node in nodes:
        if not node.name.strip():
            raise FormatError(f"{node.place}: a variable has an empty name")
        if len(set(node.states)) != len(node.states):
            raise FormatError(
                f"{node.place}: the states of {node.name!r} must differ; they are: "
                f"{', '.join(node.states)}"
            )
        if node.name in number:
            raise FormatError(f"{node.place}: the variable {node.name!r} occurs twice")
        number[node.name] = len(number)
    _check_edges(nodes, number)
    for node in nodes:
        _check_distribution(node)
    return number


def _check_edges(nodes: Sequence[ParsedNode], number: Mapping[str, int]) -> None:
    for node in nodes:
        for parent in node.parents:
            if parent not in number:
                raise FormatError(
                    f"{node.place}: {node.name!r} has the parent {parent!r}, which is not a "
                    f"variable of the file"
                )
        if len(set(node.parents)) != len(node.parents):
            raise FormatError(f"{node.place}: {node.name!r} has the same parent twice")
        if node.name in node.parents:
            raise FormatError(f"{node.place}: {node.name!r} is its own parent")
    cycle = find_cycle([set_of(number[parent] for parent in node.parents) for node in nodes])
    if cycle:
        path = " -> ".join(nodes[v].name for v in (*cycle, cycle[0]))
        raise FormatError(f"{nodes[cycle[0]].place}: the edges form a directed cycle: {path}")


def _check_distribution(node: ParsedNode) -> None:
    values = node.distribution
    if isinstance(values, ParsedCauses):
        leak = () if values.leak_q is None else (values.leak_q,)
        if not all(((chances >= 0) & (chances <= 1)).all() for chances in (*values.q, *leak)):
            raise FormatError(
                f"{node.place}: a cause of {node.name!r} has a probability that is not between 0 "
                "and 1"
            )
        return
    if not ((values >= 0) & (values <= 1)).all():
        raise FormatError(
            f"{node.place}: the table of {node.name!r} has a probability that is not between 0 "
            "and 1"
        )
    sums = values.sum(axis=-1)
    if np.abs(sums - 1).max() > ROW_TOLERANCE:
        worst = float(sums.flat[int(np.abs(sums - 1).argmax())])
        raise FormatError(
            f"{node.place}: a row of the table of {node.name!r} sums to {worst:g}; it must be 1, "
            f"within {ROW_TOLERANCE:g}"
        )
