"""The looks of relations on the page: classes, their colours, and words for the script.

A node, arc or mark has the classes that `style_of` gives. The style sheet knows shapes and outlines
(`box`, `double`); the colours of each relation are added to it here, so neither the style sheet
nor the script knows relations by name.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from noisyor.core import Relation
from noisyor.core.relation_looks import Colours, Outline, Shape, look_of
from noisyor.core.relations import Effect, relation_named, root_relation
from noisyor.core.variable import BINARY

NO_PARENTS = "root"
"""The kind of a node without parents; the other kinds are relations."""


def relation_words(kind: str, child_states: int = BINARY) -> str:
    """Return the page's words for a relation, or for a node without parents."""
    if kind == NO_PARENTS:
        return "no parents"
    return look_of(relation_named(kind)).label_for(child_states)


def style_of(kind: str) -> str:
    """Return the classes of a relation by its name, or of a node without parents."""
    if kind == NO_PARENTS:
        return f"{NO_PARENTS} {Shape.BOX} {Outline.SINGLE}"
    relation = relation_named(kind)
    look = look_of(relation)
    return f"{_class_of(relation)} {look.shape} {look.outline}"


def colour_rules(relations: Iterable[Relation]) -> str:
    """Return the rules of a style sheet that give relations their colours, light and dark."""
    looks = [(_class_of(relation), look_of(relation)) for relation in relations]
    light = "".join(f".{name} {_variables(look.light)}\n" for name, look in looks)
    dark = "".join(f"  .{name} {_variables(look.dark)}\n" for name, look in looks)
    return f"{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n"


def script_looks(relations: Iterable[Relation]) -> dict[str, Any]:
    """Return what the script needs: words and classes by relation, and those of root nodes."""
    kinds = [NO_PARENTS, *(relation.name for relation in relations)]
    return {
        "root": root_relation().name,
        "looks": {
            kind: {
                "words": relation_words(kind),
                "words_of_more": relation_words(kind, BINARY + 1),
                "style": style_of(kind),
                "lowers": _lowers(kind),
            }
            for kind in kinds
        },
    }


def _lowers(kind: str) -> bool:
    """Whether the causes of a relation keep the child low: the weakest of them decides."""
    causes = None if kind == NO_PARENTS else relation_named(kind).causes
    return causes is not None and causes.effect is Effect.MIN


def legend_entries(
    relations: Iterable[Relation], states: Mapping[Relation, Collection[int]] | None = None
) -> list[dict[str, Any]]:
    """Return how each relation is shown in the legend.

    `states` has the numbers of states of the children that have a relation; by default two. A
    relation with other names for more states is listed by those that occur.
    """
    entries = []
    for relation in relations:
        look = look_of(relation)
        short = "" if look.short_label == look.label else f" ({look.short_label})"
        sizes = sorted((states or {}).get(relation) or (BINARY,))
        words = " or ".join(dict.fromkeys(look.label_for(size) for size in sizes))
        entries.append(
            {
                "style": style_of(relation.name),
                "words": f"{words}{short}",
                "shape": str(look.shape),
                "is_double": look.outline is Outline.DOUBLE,
            }
        )
    return entries


def _class_of(relation: Relation) -> str:
    # By its code: a name need not be valid in a style sheet.
    return f"relation-{relation.code}"


def _variables(colours: Colours) -> str:
    return (
        f"{{ --accent: {colours.line}; --accent-fill: {colours.fill}; "
        f"--accent-ink: {colours.text}; }}"
    )
