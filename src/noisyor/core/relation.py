"""The ways in which a node may depend on its parents."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import log

from noisyor.core.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Relation:
    """One way in which a node may depend on its parents, and what its parameters cost.

    `code` is the relation's number in arrays, files and kernels; it never changes meaning.
    `parameter_count` maps a number of parents to the free parameters that BIC charges for.
    """

    name: str
    code: int
    parameter_count: Callable[[int], int] = field(repr=False, compare=False)

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], "Relation"], tuple[str]]:
        # Known by its name: copied, or sent to another process, it is the same object.
        return relation_named, (self.name,)

    def penalty(self, parents: int, records: int) -> float:
        """Return BIC's price of the parameters, in nats: ln(N)/2 each (Schwarz, 1978)."""
        return self.parameter_count(parents) * log(records) / 2


CPT = Relation("cpt", 0, lambda parents: 2**parents)
NOISY_OR = Relation("noisy-or", 1, lambda parents: parents)
LEAKY_NOISY_OR = Relation("leaky-noisy-or", 2, lambda parents: parents + 1)

RELATIONS = (CPT, NOISY_OR, LEAKY_NOISY_OR)
"""Every relation, in the order of its code. On a tie the earlier one is preferred."""


def relation_named(name: str) -> Relation:
    """Return the relation of that name."""
    for relation in RELATIONS:
        if relation.name == name:
            return relation
    allowed = ", ".join(relation.name for relation in RELATIONS)
    raise SettingsError(f"there is no relation {name!r}; allowed: {allowed}")


def relations_from(names: Iterable[str | Relation]) -> tuple[Relation, ...]:
    """Return distinct relations in the order of their codes; CPT must be among them.

    Without the full table a node with no parents would have no distribution.
    """
    chosen = {one if isinstance(one, Relation) else relation_named(one) for one in names}
    if CPT not in chosen:
        raise SettingsError(
            "the relations must include cpt: a node without parents is always a full table"
        )
    return tuple(sorted(chosen, key=lambda relation: relation.code))
