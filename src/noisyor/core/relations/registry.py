"""The known relations, by name and by code."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from noisyor.core.errors import SettingsError
from noisyor.core.relations.base import Relation
from noisyor.core.relations.full_table import CPT
from noisyor.core.relations.noisy_or import LEAKY_NOISY_OR, NOISY_OR

_MAX_CODE = 255  # arrays hold codes as bytes

_known: dict[str, Relation] = {one.name: one for one in (CPT, NOISY_OR, LEAKY_NOISY_OR)}


@contextmanager
def registered(relation: Relation) -> Iterator[Relation]:
    """Register a relation by its name and code, for as long as the context lasts.

    The fit of the relation is registered separately (see `noisyor.fitting.relations`).
    """
    for other in _known.values():
        if relation.name == other.name or relation.code == other.code:
            raise ValueError(f"{other} already has the name or the code of {relation}")
    if not 0 <= relation.code <= _MAX_CODE:
        raise ValueError(f"the code of {relation} is {relation.code}; allowed: 0 to {_MAX_CODE}")
    _known[relation.name] = relation
    try:
        yield relation
    finally:
        del _known[relation.name]


def all_relations() -> tuple[Relation, ...]:
    """Return all relations, by code. If two costs tie, the earlier relation is preferred."""
    return tuple(sorted(_known.values(), key=lambda relation: relation.code))


def relation_named(name: str) -> Relation:
    """Return the relation with this name."""
    if name not in _known:
        allowed = ", ".join(relation.name for relation in all_relations())
        raise SettingsError(f"there is no relation {name!r}; allowed: {allowed}")
    return _known[name]


def relation_of(code: int) -> Relation:
    """Return the relation with this code."""
    for relation in _known.values():
        if relation.code == code:
            return relation
    raise ValueError(f"no relation has the code {code}")


def root_relation() -> Relation:
    """Return the relation of nodes without parents: the one of lowest code that needs none.

    It is the full table, as which any other relation can be written out.
    """
    return next(one for one in all_relations() if not one.needs_parents)


def cause_relation(*, leak: bool) -> Relation:
    """Return the noisy-OR, with or without a leak."""
    for one in all_relations():
        if one.causes is not None and one.is_noisy_or and one.causes.leak == leak:
            return one
    raise ValueError(f"no relation has causes {'with' if leak else 'without'} a leak")


def relations_from(names: Iterable[str | Relation]) -> tuple[Relation, ...]:
    """Return the distinct relations by code; the full table must be among them."""
    chosen = {one if isinstance(one, Relation) else relation_named(one) for one in names}
    root = root_relation()
    if root not in chosen:
        raise SettingsError(
            f"the relations must include {root}: a node without parents is always a full table"
        )
    return tuple(sorted(chosen, key=lambda relation: relation.code))


PAPER_RELATIONS: tuple[Relation, ...] = (CPT, NOISY_OR)
"""The relations that compete in Sharma, Liao, Cussens and van Beek (2020)."""
