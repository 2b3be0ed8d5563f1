"""Write Netica's .dne files; `netica` describes the format."""

from collections.abc import Iterator, Sequence

from noisyor.core import Network
from noisyor.core.configurations import configuration_codes
from noisyor.formats.equations import netica_name
from noisyor.formats.legal_names import different_names, escaped
from noisyor.formats.netica_nodes import printable
from noisyor.formats.own_words import COMMENT, NAME, PRESENT, STATE, TITLE
from noisyor.formats.present_marks import mark_of_present
from noisyor.formats.tables_of import announce_tables, labels_in_file, table_in_file


def netica_text(network: Network) -> str:
    """Return a network as the text of a Netica .dne file, noisy-ORs written out as tables."""
    announce_tables(network, "Netica's .dne format")
    names = different_names(network.names, netica_name)
    states = [
        different_names(labels_in_file(network, variable), netica_name)
        for variable in range(len(names))
    ]
    lines = ["// ~->[DNET-1]->~", "", "bnet noisyor {"]
    for key, text in (("title", network.appearance.title), ("comment", network.appearance.comment)):
        if text is not None:
            lines.append(f"{key} = {_quoted(text)};")
    for variable in range(len(names)):
        lines += ["", *_node(network, variable, names, states)]
    return "\n".join([*lines, "};"]) + "\n"


def _node(
    network: Network, variable: int, names: Sequence[str], states: Sequence[Sequence[str]]
) -> Iterator[str]:
    parents = network.structure.families[variable].parent_indices()
    own = states[variable]
    labels = labels_in_file(network, variable)
    yield f"node {names[variable]} {{"
    yield "\tkind = NATURE;"
    yield "\tdiscrete = TRUE;"
    yield "\tchance = CHANCE;"
    yield f"\tstates = ({', '.join(own)});"
    if tuple(own) != labels:
        yield f"\tstatetitles = ({', '.join(map(_quoted, labels))});"
    yield f"\tparents = ({', '.join(names[parent] for parent in parents)});"
    yield "\tprobs ="
    yield f"\t\t// {' '.join(own)}"
    yield from _rows(network, variable, [states[parent] for parent in parents])
    name = network.names[variable]
    appearance = network.appearance.of(name)
    title = appearance.title or (name if name != names[variable] else None)
    if title is not None:
        yield f"\ttitle = {_quoted(title)};"
    if appearance.comment is not None:
        yield f"\tcomment = {_quoted(appearance.comment)};"
    noted = list(_noted(network, variable, names[variable], own))
    if noted:
        yield f"\tuser U1 {{ {' '.join(noted)} }};"
    if appearance.box is not None:
        left, top, right, bottom = appearance.box
        yield f"\tvisual V1 {{ center = ({(left + right) / 2:g}, {(top + bottom) / 2:g}); }};"
    yield "\t};"


def _noted(network: Network, variable: int, name: str, states: Sequence[str]) -> Iterator[str]:
    """Yield the originals of what was replaced, which Netica keeps as user fields."""
    original = network.names[variable]
    appearance = network.appearance.of(original)
    if name != original:
        yield f'{NAME} = "{escaped(original)}";'
    for key, text in ((TITLE, appearance.title), (COMMENT, appearance.comment)):
        # Beside a name that was replaced, a title alone would be taken for that name.
        if text is not None and (text != printable(text) or (key == TITLE and name != original)):
            yield f'{key} = "{escaped(text)}";'
    for place, label in enumerate(labels_in_file(network, variable)):
        if label != states[place]:
            yield f'{STATE}{place} = "{escaped(label)}";'
    present = mark_of_present(network, variable)
    if present is not None:
        yield f'{PRESENT} = "{states[present]}";'


def _rows(network: Network, variable: int, parent_states: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the table as one list, the last parent varying fastest, with comments."""
    table, _ = table_in_file(network, variable)
    rows = table.reshape(-1, table.shape[-1]).tolist()
    sizes = [len(states) for states in reversed(parent_states)]
    for number, row in enumerate(rows):
        codes = reversed(configuration_codes(number, sizes))
        given = " ".join(states[code] for states, code in zip(parent_states, codes, strict=True))
        start = "(" if number == 0 else " "
        end = ");" if number == len(rows) - 1 else ","
        note = f" // {given}" if given else ""
        yield f"\t\t{start}{', '.join(map(repr, row))}{end}{note}"


def _quoted(text: str) -> str:
    """Return a text in quotation marks, with escapes for what Netica cannot have within them."""
    marked = printable(text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{marked}"'
