"""The known relations, by name and by code."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from noisyor.core.errors import SettingsError
from noisyor.core.relations.base import Acting, CauseModel, Effect, Relation
from noisyor.core.relations.causes import (
    CAUSE_RELATIONS,
    LEAKY_NOISY_OR,
    NOISY_OR,
    CauseRelation,
)
from noisyor.core.relations.full_table import CPT

_MAX_CODE = 255  # arrays hold codes as bytes
_MORE_STATES = 3

_known: dict[str, Relation] = {one.name: one for one in (CPT, *CAUSE_RELATIONS)}


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
    """Return the relation with this name, or which is so called for a child of more states."""
    if name in _known:
        return _known[name]
    for relation in _known.values():
        if name == relation.name_for(_MORE_STATES):
            return relation
    allowed = ", ".join(relation.name for relation in all_relations())
    raise SettingsError(f"there is no relation {name!r}; allowed: {allowed}")


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


def cause_relation(
    effect: Effect = Effect.MAX, *, leak: bool, acting: Acting = Acting.PRESENT
) -> CauseRelation:
    """Return the noisy-OR or the noisy-AND, with or without a leak; signed only with one."""
    wanted = CauseModel(effect, leak=leak, acting=acting)
    return next(one for one in CAUSE_RELATIONS if one.model == wanted)


PAPER_RELATIONS: tuple[Relation, ...] = (CPT, NOISY_OR)
"""The relations that compete in Sharma, Liao, Cussens and van Beek (2020)."""

DEFAULT_RELATIONS: tuple[Relation, ...] = (CPT, LEAKY_NOISY_OR)
"""The relations that compete by default; `docs/believing-noisy-or.md` says why."""

RelationChoice = str | Iterable[str | Relation]
"""Relations as users give them: names, relations, or groups of relations."""


def relations_from(choice: RelationChoice) -> tuple[Relation, ...]:
    """Return the distinct relations by code; the full table must be among them.

    A group stands for its relations: `paper` for those of the paper, `default` for those that
    compete by default, `all` for every relation.
    """
    groups = {"paper": PAPER_RELATIONS, "default": DEFAULT_RELATIONS, "all": all_relations()}
    chosen: set[Relation] = set()
    for one in [choice] if isinstance(choice, str) else choice:
        if isinstance(one, Relation):
            chosen.add(one)
        else:
            chosen.update(groups.get(one) or (_named(one, groups),))
    root = root_relation()
    if root not in chosen:
        raise SettingsError(
            f"the relations must include {root}: a node without parents is always a full table"
        )
    return tuple(sorted(chosen, key=lambda relation: relation.code))


def _named(name: str, groups: Iterable[str]) -> Relation:
    try:
        return relation_named(name)
    except SettingsError as error:
        raise SettingsError(f"{error}, or a group: {', '.join(groups)}") from None
