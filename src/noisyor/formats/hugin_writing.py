"""Write Hugin's .net files; `hugin` describes the format."""

import re
from collections.abc import Iterator, Sequence

from noisyor.core import Network
from noisyor.core.appearance import NodeAppearance
from noisyor.formats.hugin_labels import label_of
from noisyor.formats.legal_names import different_names, escaped, identifier_of, word_of
from noisyor.formats.own_words import COMMENT, NAME, PRESENT, STATE, TITLE
from noisyor.formats.present_marks import mark_of_present
from noisyor.formats.tables_of import announce_tables, labels_in_file, table_in_file

_BLOCKS = ("net", "node", "class", "instance", "decision", "utility", "function", "potential")
_ATTRIBUTES = ("states", "label", "data", "normal", "model_nodes", "model_data", "position")
_RESERVED = frozenset((*_BLOCKS, *_ATTRIBUTES, "continuous", "discrete", "inputs", "outputs"))
_STATE = re.compile(r"[A-Za-z0-9_<>=+.:-]+(?: [A-Za-z0-9_<>=+.:-]+)*")


def hugin_text(network: Network) -> str:
    """Return a network as the text of a Hugin .net file, noisy-ORs written out as tables."""
    announce_tables(network, "Hugin's .net format")
    names = different_names(network.names, lambda name: identifier_of(name, _RESERVED))
    lines = ["net", "{", *_whole(network), "}"]
    for variable, name in enumerate(names):
        lines += ["", f"node {name}", "{", *_attributes(network, variable, name), "}"]
    for variable, name in enumerate(names):
        parents = network.structure.families[variable].parent_indices()
        given = "".join([" |", *(f" {names[parent]}" for parent in parents)]) if parents else ""
        lines += ["", f"potential ( {name}{given} )", "{", *_data(network, variable), "}"]
    return "\n".join(lines) + "\n"


def _whole(network: Network) -> Iterator[str]:
    """Yield the attributes of the network as a whole."""
    appearance = network.appearance
    size = _size(network)
    if size is not None:
        yield f"  node_size = ({size[0]:g} {size[1]:g});"
    yield from _text("label", TITLE, appearance.title)
    yield from _text("HR_Desc", COMMENT, appearance.comment)


def _attributes(network: Network, variable: int, name: str) -> Iterator[str]:
    """Yield the lines of a node: its states, and the originals of what was replaced."""
    originals = labels_in_file(network, variable)
    states = different_names(originals, _state)
    listed = " ".join(f'"{state}"' for state in states)
    yield f"  states = ( {listed} );"
    original = network.names[variable]
    appearance = network.appearance.of(original)
    yield from _shown(appearance, name, original)
    if appearance.box is not None:
        left, top, right, bottom = appearance.box
        yield f"  position = ({(left + right) / 2:g} {(top + bottom) / 2:g});"
        if (right - left, bottom - top) != _size(network):
            yield f'  HR_NodeSize = "({right - left:.0f}, {bottom - top:.0f})";'
    for place, (state, label) in enumerate(zip(states, originals, strict=True)):
        if state != label:
            yield f'  {STATE}{place} = "{escaped(label)}";'
    present = mark_of_present(network, variable)
    if present is not None:
        yield f'  {PRESENT} = "{states[present]}";'


def _shown(appearance: NodeAppearance, name: str, original: str) -> Iterator[str]:
    """Yield what Hugin shows of a node: its title or name, and its description."""
    if appearance.title is not None:
        yield from _text("label", TITLE, appearance.title)
    elif name != original and label_of(original):
        yield f'  label = "{label_of(original)}";'
    if name != original:
        yield f'  {NAME} = "{escaped(original)}";'
        if appearance.title is not None and label_of(appearance.title) == appearance.title:
            # Beside a name that was replaced, a label alone would be taken for that name.
            yield f'  {TITLE} = "{escaped(appearance.title)}";'
    yield from _text("HR_Desc", COMMENT, appearance.comment)


def _text(key: str, kept: str, text: str | None) -> Iterator[str]:
    """Yield a text as far as a label can show it, and what keeps the rest."""
    if text is None:
        return
    label = label_of(text)
    if label:
        yield f'  {key} = "{label}";'
    if label != text:
        yield f'  {kept} = "{escaped(text)}";'


def _state(label: str) -> str:
    return label if _STATE.fullmatch(label) else word_of(label)


def _size(network: Network) -> tuple[float, float] | None:
    """Return the width and height of the first node that is drawn, which the others share."""
    for name in network.names:
        box = network.appearance.of(name).box
        if box is not None:
            left, top, right, bottom = box
            return right - left, bottom - top
    return None


def _data(network: Network, variable: int) -> Iterator[str]:
    """Yield the table in nested brackets, a line per configuration of the parents."""
    table, _ = table_in_file(network, variable)
    *sizes, own = table.shape
    rows = table.reshape(-1, own).tolist()
    for place, row in enumerate(rows):
        # Lists begin here for the parents, from the last, that are in their first state, and end
        # here for those that are in their last one.
        opened = 1 + _whole_lists(place, sizes)
        closed = 1 + _whole_lists(place + 1, sizes)
        start = "  data = " if place == 0 else "         "
        end = ";" if place == len(rows) - 1 else ""
        chances = " ".join(map(repr, row))
        yield f"{start}{'(' * opened:>{len(sizes) + 1}} {chances} {')' * closed}{end}"


def _whole_lists(rows: int, sizes: Sequence[int]) -> int:
    """Return how many nested lists, from the innermost, are complete after `rows` rows."""
    whole = 0
    for size in reversed(sizes):
        rows, left = divmod(rows, size)
        if left:
            break
        whole += 1
    return whole
