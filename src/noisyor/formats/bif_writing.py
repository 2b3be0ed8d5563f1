"""Write BIF files; `bif` describes the format."""

import re
from collections.abc import Iterator, Sequence

from noisyor.core import Network
from noisyor.core.configurations import configuration_codes
from noisyor.formats.bif_words import (
    COST,
    DATA,
    KEYWORDS,
    NAME,
    PRESENT,
    RECORDS,
    SETTING,
    STATE,
    TITLE,
    UNSEEN_COMMENT,
    UNTITLED,
    VERSION,
)
from noisyor.formats.legal_names import ESCAPE, different_names, escaped, word_of
from noisyor.formats.present_marks import mark_of_present
from noisyor.formats.tables_of import announce_tables, labels_in_file, table_in_file

_WORD = re.compile(r"[A-Za-z0-9_]+")
_NUMBER = re.compile(r"[0-9]+(?:[eE].*)?")  # pyAgrum takes 1e and 1e5 for numbers
_WHOLE_NUMBER = re.compile(r"[0-9]+")
# Where one of these words is followed by what may begin a number, pgmpy expects a table.
_TABLE_TO_PGMPY = re.compile(r"(table|default)(?=[0-9eE])")
# pgmpy takes these words for the start of a block, even in a property of the network.
_BLOCK_TO_PGMPY = re.compile(r"variable|probability")


def bif_text(network: Network) -> str:
    """Return a network as the text of a BIF file, noisy-ORs written out as tables."""
    announce_tables(network, "BIF")
    names = different_names(network.names, _variable_word)
    states = [
        different_names(labels_in_file(network, variable), _state_word)
        for variable in range(len(names))
    ]
    title = network.appearance.title or UNTITLED
    lines = [f"network {_variable_word(title)} {{", *_origin(network), "}"]
    for variable, name in enumerate(names):
        lines += _variable(network, variable, name, states[variable])
    for variable, name in enumerate(names):
        parents = network.structure.families[variable].parent_indices()
        given = f" | {', '.join(names[parent] for parent in parents)}" if parents else ""
        lines.append(f"probability ( {name}{given} ) {{")
        lines += _rows(network, variable, [states[parent] for parent in parents])
        lines.append("}")
    return "\n".join(lines) + "\n"


def _variable_word(name: str) -> str:
    """Return a name that all readers accept: a word that is neither a keyword nor a number."""
    word = _TABLE_TO_PGMPY.sub(r"\1_", name if _WORD.fullmatch(name) else word_of(name))
    return f"x_{word}" if word in KEYWORDS or _NUMBER.fullmatch(word) else word


def _state_word(label: str) -> str:
    """Return a label that all readers accept; unlike a name, it may be a whole number."""
    word = label if _WORD.fullmatch(label) else word_of(label)
    legal = word not in KEYWORDS and (_WHOLE_NUMBER.fullmatch(word) or not _NUMBER.fullmatch(word))
    return word if legal else f"x_{word}"


def _property(key: str, *values: str) -> str:
    """Return a property, whose value holds nothing that a reader could misinterpret."""
    text = ",".join(escaped(value) for value in values)
    safe = _BLOCK_TO_PGMPY.sub(lambda word: f"{ESCAPE}{ord(word[0][0]):02X}{word[0][1:]}", text)
    return f"  property {key} = {safe} ;"


def _origin(network: Network) -> Iterator[str]:
    """Yield the properties of the network as a whole."""
    title, provenance = network.appearance.title, network.provenance
    if title is not None and title != _variable_word(title):
        yield _property(TITLE, title)
    # As tables, noisy-ORs have other costs, and so has the network.
    as_tables = all(one.relation.closed_form for one in network.distributions)
    if network.cost is not None and as_tables:
        yield _property(COST, repr(float(network.cost)))
    if provenance.version:
        yield _property(VERSION, provenance.version)
    if provenance.data:
        yield _property(DATA, provenance.data)
    if provenance.records:
        yield _property(RECORDS, str(provenance.records))
    for name, value in provenance.settings:
        yield _property(SETTING, name, value)


def _variable(network: Network, variable: int, name: str, states: Sequence[str]) -> Iterator[str]:
    """Yield the block that declares a variable."""
    labels = labels_in_file(network, variable)
    yield f"variable {name} {{"
    yield f"  type discrete [ {len(labels)} ] {{ {', '.join(states)} }};"
    if name != network.names[variable]:
        yield _property(NAME, network.names[variable])
    title = network.appearance.of(network.names[variable]).title
    if title is not None:
        yield _property(TITLE, title)
    for state, label in zip(states, labels, strict=True):
        if state != label:
            yield _property(STATE + state, label)
    present = mark_of_present(network, variable)
    if present is not None:
        yield _property(PRESENT, states[present])
    yield "}"


def _rows(network: Network, variable: int, parent_states: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the distributions as bnlearn lists them, the first parent varying fastest."""
    table, marks = table_in_file(network, variable)
    parents = table.ndim - 1
    first_fastest = tuple(reversed(range(parents)))
    rows = table.transpose((*first_fastest, parents)).reshape(-1, table.shape[-1]).tolist()
    unseen = marks.transpose(first_fastest).reshape(-1).tolist()
    sizes = [len(states) for states in parent_states]
    for number, (row, mark) in enumerate(zip(rows, unseen, strict=True)):
        codes = configuration_codes(number, sizes)
        chosen = ", ".join(words[code] for words, code in zip(parent_states, codes, strict=True))
        start = f"({chosen})" if parent_states else "table"
        chances = ", ".join(map(repr, row))
        yield f"  {start} {chances};{f' // {UNSEEN_COMMENT}' if mark else ''}"
