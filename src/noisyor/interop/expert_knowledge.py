"""Convert pgmpy's ExpertKnowledge, without loading pgmpy."""

from collections.abc import Iterable, Sequence
from itertools import permutations

from noisyor.core import ConstraintError, FormatError, Knowledge
from noisyor.core.listing import expected_names

PLACE = "the expert knowledge"

_EDGES = ("required_edges", "forbidden_edges")
_PAIR = 2


def knowledge_from_pgmpy(expert: object, names: Sequence[str] | None = None) -> Knowledge:
    """Return the knowledge that an object like pgmpy's ExpertKnowledge holds.

    Required and forbidden edges are taken as they are, and the temporal order becomes tiers. A
    search space, if any, lists the only edges that are allowed. Contradictions are found later,
    when the knowledge is applied to a table (`Knowledge.constraints`).

    Parameters
    ----------
    expert
        An object with the attributes of pgmpy's ExpertKnowledge.
    names
        The names of the variables. Needed only with a search space: which edges it forbids depends
        on the variables.
    """
    for attribute in _EDGES:
        if not hasattr(expert, attribute):
            raise FormatError(
                f"{PLACE} is a {type(expert).__name__} without {attribute!r}; expected: an object "
                f"like pgmpy's ExpertKnowledge, with {', '.join(_EDGES)}, and perhaps "
                "temporal_order and search_space"
            )
    required, forbidden = (_edges(expert, attribute) for attribute in _EDGES)
    space = _edges(expert, "search_space")
    if space:
        _check_space(required, space)
        forbidden = sorted({*forbidden, *_outside(space, names)})
    return Knowledge(
        required=required, forbidden=forbidden, tiers=_tiers(expert), roots=(), sinks=()
    )


def _outside(space: Iterable[tuple[str, str]], names: Sequence[str] | None) -> set[tuple[str, str]]:
    """Return all edges that are not in the search space."""
    if names is None:
        raise ConstraintError(
            f"{PLACE} has a search space, which forbids every other edge; give the "
            "variables: knowledge_from_pgmpy(expert, names=data.names)"
        )
    known = set(names)
    for edge in space:
        for name in edge:
            if name not in known:
                raise ConstraintError(
                    f"search_space names {name!r}, which is not a variable; "
                    f"{expected_names(name, list(names), 'the table')}"
                )
    return {(one, other) for one, other in permutations(names, 2)} - set(space)


def _check_space(required: Iterable[tuple[str, str]], space: Sequence[tuple[str, str]]) -> None:
    for parent, child in required:
        if (parent, child) not in space:
            raise ConstraintError(
                f"the edge {parent!r} -> {child!r} is required, but not in the search space, which "
                "lists the only edges that are allowed"
            )


def _edges(expert: object, attribute: str) -> list[tuple[str, str]]:
    """Return the edges of an attribute, in a deterministic order."""
    found = set()
    for edge in _iterable(getattr(expert, attribute, None), attribute):
        ends = _texts(edge, attribute)
        if len(ends) != _PAIR:
            raise FormatError(f"{PLACE}: {attribute} has {edge!r:.60}; expected: (parent, child)")
        found.add((ends[0], ends[1]))
    return sorted(found)


def _tiers(expert: object) -> tuple[tuple[str, ...], ...]:
    """Return the temporal order; pgmpy represents none by one empty tier."""
    order = _iterable(getattr(expert, "temporal_order", None), "temporal_order")
    tiers = tuple(_texts(tier, "temporal_order") for tier in order)
    return tiers if any(tiers) else ()


def _texts(values: object, attribute: str) -> tuple[str, ...]:
    texts = tuple(_iterable(values, attribute))
    for text in texts:
        if not isinstance(text, str):
            raise FormatError(
                f"{PLACE}: {attribute} names {text!r:.60}, which is a {type(text).__name__}; "
                "noisyor's variables have texts as names"
            )
    return texts  # type: ignore[return-value]  # just checked


def _iterable(value: object, attribute: str) -> Iterable[object]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise FormatError(f"{PLACE}: {attribute} has {value!r:.60}; expected: a list or a set")
    return value
