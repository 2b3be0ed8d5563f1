"""A network as a drawing for Graphviz.

Full tables are blue boxes, noisy-ORs orange ellipses and noisy-ANDs green hexagons, with two lines
if they have a leak and a thick one if they are signed (see `core.relation_looks`). The edge from a
cause to a noisy-OR shows the strength of the cause, 1 - q, as its label and its width, unless no
record has the cause; a leaky noisy-OR shows its leak, 1 - leak_q.
"""

from noisyor.core import Distribution, Network, Relation
from noisyor.core.relation_looks import Outline, look_of
from noisyor.formats.or_causes import or_causes

_THINNEST, _THICKEST = 1.0, 5.0  # points
_OUTLINES = {Outline.SINGLE: "", Outline.DOUBLE: ", peripheries=2", Outline.THICK: ", penwidth=2.5"}


def dot_text(network: Network) -> str:
    r"""Return a network in Graphviz's DOT language; its nodes have the variables' names.

    A character that cannot be printed is written as an escape such as `\x07`, and a backslash is
    doubled, so that two different names stay different.
    """
    lines = ["digraph {", "  node [style=filled];", '  edge [color="#555555"];']
    for name, distribution in zip(network.names, network.distributions, strict=True):
        label = _quoted_label(name, distribution)
        look = _attributes(distribution.relation)
        lines.append(f"  {_quoted_name(name)} [label={label}, {look}];")
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        child = _quoted_name(network.names[family.child])
        causes = or_causes(distribution)
        for place, parent in enumerate(family.parent_indices()):
            edge = f"  {_quoted_name(network.names[parent])} -> {child}"
            if causes is None:
                lines.append(f"{edge};")
                continue
            if not causes.seen[place]:
                lines.append(f'{edge} [label="not identified", style=dashed];')
                continue
            strength = causes.strengths[place]
            width = _THINNEST + (_THICKEST - _THINNEST) * strength
            lines.append(f'{edge} [label="{strength:.3g}", penwidth={width:.2f}];')
    return "\n".join([*lines, "}"]) + "\n"


def _attributes(relation: Relation) -> str:
    look = look_of(relation)
    colours = f'color="{look.paper.line}", fillcolor="{look.paper.fill}"'
    return f"shape={look.shape}, {colours}{_OUTLINES[look.outline]}"


def _quoted_name(name: str) -> str:
    """Return a name as DOT reads it: only backslashes and quotation marks are special."""
    return '"' + _escaped(name, "\\") + '"'


def _quoted_label(name: str, distribution: Distribution) -> str:
    """Return what a node shows. In a label `&` starts an entity, and a backslash means itself."""
    shown = _escaped(name, "\\\\").replace("&", "&amp;")
    leak = ""
    causes = or_causes(distribution)
    if causes is not None and causes.leak_q is not None:
        leak = f"\\nleak {causes.leak:.3g}"
    return f'"{shown}{leak}"'


def _escaped(text: str, backslash: str) -> str:
    """Return text in quotation marks, with unprintable characters escaped by a backslash."""
    return "".join(
        _ESCAPES.get(letter, letter)
        if letter.isprintable()
        else backslash + letter.encode("unicode_escape").decode()[1:]
        for letter in text
    )


_ESCAPES = {"\\": "\\\\", '"': '\\"'}
