"""Hugin's .net files: nodes with named states, and potentials with nested lists of numbers.

The states of a binary variable are written present first. A potential lists the parents in
ascending order; in its data the first parent varies slowest and the child fastest. Names are
C identifiers. Any other name is replaced by one; the node's label then shows the name as far as a
label can, and the attribute `noisyor_name` keeps it, escaped (see `legal_names`). Likewise, a state
label with anything but letters, digits, single spaces and `_<>=+.:-` is replaced, and kept in
`noisyor_present` or `noisyor_absent`; if there are not two states, in `noisyor_state_0` and so on.
So a reader that works line by line, such as bnlearn's, cannot take anything in a file for a comment
(which starts with a percent sign), a bracket or a quotation mark. Costs, the origin and unseen
configurations are not kept.
"""

import re
from collections.abc import Iterator, Sequence

from noisyor.core import Network
from noisyor.formats.legal_names import different_names, escaped, identifier_of, word_of
from noisyor.formats.tables_of import announce_tables, labels_in_file, table_in_file

_BLOCKS = ("net", "node", "class", "instance", "decision", "utility", "function", "potential")
_ATTRIBUTES = ("states", "label", "data", "normal", "model_nodes", "model_data", "position")
_RESERVED = frozenset((*_BLOCKS, *_ATTRIBUTES, "continuous", "discrete", "inputs", "outputs"))
_STATE = re.compile(r"[A-Za-z0-9_<>=+.:-]+(?: [A-Za-z0-9_<>=+.:-]+)*")
_NOT_IN_A_LABEL = re.compile(r"[^A-Za-z0-9_<>=+.:,'?!&@#*/-]+")
# A reader that searches for these words anywhere would find a node within a label.
_MISLEADING = re.compile(r"\b(?:node|potential|states)\b", re.IGNORECASE)


def hugin_text(network: Network) -> str:
    """Return a network as the text of a Hugin .net file, noisy-ORs written out as tables."""
    announce_tables(network, "Hugin's .net format")
    names = different_names(network.names, lambda name: identifier_of(name, _RESERVED))
    lines = ["net", "{", "}"]
    for variable, name in enumerate(names):
        lines += ["", f"node {name}", "{", *_attributes(network, variable, name), "}"]
    for variable, name in enumerate(names):
        parents = network.structure.families[variable].parent_indices()
        given = "".join([" |", *(f" {names[parent]}" for parent in parents)]) if parents else ""
        lines += ["", f"potential ( {name}{given} )", "{", *_data(network, variable), "}"]
    return "\n".join(lines) + "\n"


def _attributes(network: Network, variable: int, name: str) -> Iterator[str]:
    """Yield the lines of a node: its states, and the originals of what was replaced."""
    own = network.variables[variable]
    originals = labels_in_file(network, variable)
    states = different_names(originals, _state)
    listed = " ".join(f'"{state}"' for state in states)
    yield f"  states = ( {listed} );"
    original = network.names[variable]
    if name != original:
        label = _NOT_IN_A_LABEL.sub(" ", original).strip()
        if label and not _MISLEADING.search(label):
            yield f'  label = "{label}";'
        yield f'  noisyor_name = "{escaped(original)}";'
    meanings: tuple[str, ...] = ("present", "absent")
    if not own.is_binary:
        meanings = tuple(f"state_{place}" for place in range(own.state_count))
    for meaning, state, label in zip(meanings, states, originals, strict=True):
        if state != label:
            yield f'  noisyor_{meaning} = "{escaped(label)}";'


def _state(label: str) -> str:
    return label if _STATE.fullmatch(label) else word_of(label)


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
