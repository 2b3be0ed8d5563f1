"""Write XMLBIF files; `xmlbif` describes the format."""

import re
from xml.etree import ElementTree as ET

from noisyor.core import Network
from noisyor.formats.legal_names import different_names, escaped, word_of
from noisyor.formats.own_words import NAME, PRESENT, STATE, TITLE
from noisyor.formats.present_marks import mark_of_present
from noisyor.formats.tables_of import announce_tables, labels_in_file, table_in_file

_PLAIN = r"[^\s\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]++"
_TEXT = re.compile(rf"{_PLAIN}(?: {_PLAIN})*+")


def xmlbif_text(network: Network) -> str:
    """Return a network as the text of an XMLBIF file, noisy-ORs written out as tables."""
    announce_tables(network, "XMLBIF")
    names = different_names(network.names, _legal)
    root = ET.Element("BIF", VERSION="0.3")
    top = ET.SubElement(root, "NETWORK")
    _add(top, "NAME", _legal(network.appearance.title or "network"))
    for variable in range(len(names)):
        _add_variable(top, network, variable, names[variable])
    for family in network.structure.families:
        definition = ET.SubElement(top, "DEFINITION")
        _add(definition, "FOR", names[family.child])
        for parent in family.parent_indices():
            _add(definition, "GIVEN", names[parent])
        table, _ = table_in_file(network, family.child)
        rows = table.reshape(-1, table.shape[-1]).tolist()
        # repr() is the shortest text that reads back as the same number.
        _add(definition, "TABLE", "\n".join(" ".join(map(repr, row)) for row in rows))
    ET.indent(root, "  ")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(above: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(above, tag).text = text


def _add_variable(top: ET.Element, network: Network, variable: int, name: str) -> None:
    element = ET.SubElement(top, "VARIABLE", TYPE="nature")
    _add(element, "NAME", name)
    originals = labels_in_file(network, variable)
    states = different_names(originals, _legal)
    for state in states:
        _add(element, "OUTCOME", state)
    original = network.names[variable]
    appearance = network.appearance.of(original)
    if appearance.box is not None:
        left, top_edge, right, bottom = appearance.box
        x, y = (left + right) / 2, (top_edge + bottom) / 2
        _add(element, "PROPERTY", f"position = ({x:g}, {y:g})")
    if name != original:
        _add(element, "PROPERTY", f"{NAME} = {escaped(original)}")
    if appearance.title is not None:
        _add(element, "PROPERTY", f"{TITLE} = {escaped(appearance.title)}")
    for place, (state, label) in enumerate(zip(states, originals, strict=True)):
        if state != label:
            _add(element, "PROPERTY", f"{STATE}{place} = {escaped(label)}")
    present = mark_of_present(network, variable)
    if present is not None:
        _add(element, "PROPERTY", f"{PRESENT} = {states[present]}")


def _legal(text: str) -> str:
    """Return a text that XML can hold and readers do not trim: itself, or a word like it."""
    return text if _TEXT.fullmatch(text) else word_of(text)
