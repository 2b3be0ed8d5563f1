"""Nodes of influence diagrams and equations, which are no part of a Bayesian network."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning, warn_user

DECISION = "decision"
"""The kind of a node that somebody chooses."""

_NAMED = 10  # in a message; the others are counted


def announce_left_out(
    families: Iterable[tuple[str, str, Sequence[str]]],
    left_out: Mapping[str, str],
) -> None:
    """Warn of nodes that are left out; refuse if what remains is not a network.

    Parameters
    ----------
    families
        For each node that is kept its name, its place in the file and its parents.
    left_out
        The kinds of the nodes that are left out, such as `utility`, by name.
    """
    if not left_out:
        return
    kept = False
    for name, place, parents in families:
        kept = True
        for parent in parents:
            if parent in left_out:
                raise FormatError(
                    f"{place}: {name!r:.60} depends on {parent!r:.60}, which is not a variable "
                    f"with a table, but of the kind {left_out[parent]!r:.60}: without it, the rest "
                    "is not a network"
                )
    kinds: dict[str, list[str]] = {}
    for name, kind in left_out.items():
        kinds.setdefault(kind, []).append(f"{name!r:.60}")
    listed = "; ".join(f"{kind}: {_listed(names)}" for kind, names in kinds.items())
    if not kept:
        raise FormatError(f"it has no variable with a table, only other nodes ({listed})")
    warn_user(
        f"left out are nodes that are not variables with a table ({listed})",
        ConversionWarning,
    )


def decisions_that_matter(
    left_out: Mapping[str, str], parents_of_all: Iterable[Sequence[str]]
) -> Collection[str]:
    """Return the decisions among the nodes left out on which a variable depends, in their order."""
    above = {parent for parents in parents_of_all for parent in parents}
    found = (name for name, kind in left_out.items() if kind == DECISION and name in above)
    return dict.fromkeys(found)  # which is searched in no time, however many there are


def announce_decisions(names: Collection[str]) -> None:
    """Warn of decisions that are read as variables, since others depend on them."""
    if names:
        warn_user(
            f"decisions on which variables depend are read as variables with equally likely states "
            f"({_listed([f'{name!r:.60}' for name in names])}); give them in every query",
            ConversionWarning,
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED} others"
