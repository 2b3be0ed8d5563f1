"""Read XMLBIF files; `xmlbif` describes the format."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from noisyor.core import FormatError, Provenance
from noisyor.core.appearance import Box, NodeAppearance
from noisyor.core.errors import errors_at
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import MAX_NODES
from noisyor.formats.bif_tables import MAX_PARENTS
from noisyor.formats.left_out import (
    DECISION,
    announce_decisions,
    announce_left_out,
    decisions_that_matter,
)
from noisyor.formats.legal_names import unescaped
from noisyor.formats.own_words import NAME, PRESENT, STATE, TITLE
from noisyor.formats.parsed_network import ParsedNetwork, ParsedNode, present_at
from noisyor.formats.parsed_node import Table
from noisyor.formats.row_sums import RowSums
from noisyor.formats.xml_elements import Element, parse_elements

_NATURE = "nature"
_UTILITY = "utility"
_LEFT_OUT = (DECISION, _UTILITY)
_POSITION = re.compile(
    r"\s*+position\s*+=\s*+\(\s*+([-+0-9.eE]{1,30}+)\s*+,\s*+([-+0-9.eE]{1,30}+)\s*+\)\s*+"
)
_HALF_SIZE = (38.0, 18.0)  # of a node, of which a file has only the centre
_OF_NUMBERS = frozenset("0123456789+-.eE")
_WORD = re.compile(r"\S++")
_SHOWN = 40


@dataclass(frozen=True, slots=True, eq=False)
class _Variable:
    """A variable of the file and its properties."""

    element: Element
    states: tuple[str, ...]
    properties: Mapping[str, str]
    position: tuple[float, float] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Definition:
    """The distribution of a variable, whose numbers are still text."""

    element: Element
    parents: tuple[str, ...]

    @property
    def place(self) -> str:
        return f"line {self.element.line}"


def parse_xmlbif(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in an XMLBIF file; a FormatError gives the line of an error.

    Decisions and utilities are left out with a warning, but for decisions on which a variable
    depends. If `forgiving`, rows may be off from 1 by
    rounding.
    """
    root = parse_elements(text, document_type=True)
    if root.tag != "BIF":
        raise FormatError(
            f"line {root.line}: the outermost element is <{root.tag:.{_SHOWN}}>; in XMLBIF it is "
            "<BIF>"
        )
    network = root.only("NETWORK")
    if network is None:
        raise FormatError(f"line {root.line}: it has no <NETWORK>")
    variables, left_out = _variables(network)
    definitions = _definitions(network, variables)
    parents = (one.parents for name, one in definitions.items() if name not in left_out)
    decisions = decisions_that_matter(left_out, parents)
    announce_decisions(decisions)
    left_out = {name: kind for name, kind in left_out.items() if name not in decisions}
    variables = {name: one for name, one in variables.items() if name not in left_out}
    definitions = {
        name: one
        for name, one in definitions.items()
        if name in variables and name not in decisions
    }
    for name, variable in variables.items():
        if name not in definitions and name not in decisions:
            raise FormatError(
                f"line {variable.element.line}: the variable {name!r:.60} has no <DEFINITION>"
            )
    families = ((name, one.place, one.parents) for name, one in definitions.items())
    announce_left_out(families, left_out)
    rows = RowSums(forgiving=forgiving)
    nodes = tuple(_nodes(variables, definitions, rows))
    rows.warn()
    title = network.only("NAME")
    return ParsedNetwork(
        nodes, Provenance(""), title=None if title is None else title.text.strip() or None
    )


def _variables(network: Element) -> tuple[dict[str, _Variable], dict[str, str]]:
    """Return all nodes by name, and the kinds of those that are not chance variables."""
    variables: dict[str, _Variable] = {}
    left_out: dict[str, str] = {}
    for element in network.all("VARIABLE"):
        name = _text(element, "NAME")
        if name in variables:
            raise FormatError(f"line {element.line}: the variable {name!r:.60} occurs twice")
        kind = element.attributes.get("TYPE", _NATURE).lower()
        if kind in _LEFT_OUT:
            left_out[name] = kind
        elif kind not in (_NATURE, "discrete"):
            raise FormatError(
                f"line {element.line}: the variable {name!r:.60} is of the type {kind!r:.60}; "
                f"allowed: {', '.join((_NATURE, *_LEFT_OUT))}"
            )
        states = tuple(
            one.text.strip() for one in element.children if one.tag in ("OUTCOME", "VALUE")
        )
        if kind != _UTILITY and not (states and all(states) and len(set(states)) == len(states)):
            raise FormatError(
                f"line {element.line}: the variable {name!r:.60} must have outcomes, all with "
                "different names"
            )
        variables[name] = _Variable(element, states, _properties(element), _position(element))
        if len(variables) > MAX_NODES:
            raise FormatError(f"line {element.line}: it has more than {MAX_NODES} variables")
    if not variables:
        raise FormatError(f"line {network.line}: it has no <VARIABLE>")
    return variables, left_out


def _text(element: Element, tag: str) -> str:
    found = element.only(tag)
    if found is None or not found.text.strip():
        raise FormatError(f"line {element.line}: a <{element.tag}> has no <{tag}>")
    return found.text.strip()


def _properties(element: Element) -> dict[str, str]:
    """Return the properties `key = value`; of other programs, any text may be one."""
    found: dict[str, str] = {}
    for one in element.all("PROPERTY"):
        key, equals, value = one.text.partition("=")
        if equals:
            found[key.strip()] = value.strip()
    return found


def _position(element: Element) -> tuple[float, float] | None:
    """Return the place that JavaBayes, Weka and others write: position = (10, 20)."""
    for one in element.all("PROPERTY"):
        found = _POSITION.fullmatch(one.text)
        if found is not None:
            try:
                x, y = (float(number) for number in found.groups())
            except ValueError:
                raise FormatError(
                    f"line {one.line}: {one.text.strip()!r:.60} is not a position"
                ) from None
            if np.isfinite((x, y)).all():
                return x, y
    return None


def _definitions(network: Element, variables: Mapping[str, _Variable]) -> dict[str, _Definition]:
    found: dict[str, _Definition] = {}
    for element in network.all("DEFINITION"):
        name = _text(element, "FOR")
        if name not in variables:
            raise FormatError(
                f"line {element.line}: there is a definition for {name!r:.60}, which is not a "
                "variable of the file"
            )
        if name in found:
            raise FormatError(f"line {element.line}: a second definition for {name!r:.60}")
        parents = tuple(one.text.strip() for one in element.all("GIVEN"))
        for parent in parents:
            if parent not in variables:
                raise FormatError(
                    f"line {element.line}: {name!r:.60} has the parent {parent!r:.60}, which is "
                    "not a variable of the file"
                )
        if len(parents) > MAX_PARENTS:
            raise FormatError(
                f"line {element.line}: {name!r:.60} has {len(parents)} parents; a table can have "
                f"at most {MAX_PARENTS}"
            )
        found[name] = _Definition(element, parents)
    return found


def _nodes(
    variables: Mapping[str, _Variable], definitions: Mapping[str, _Definition], rows: RowSums
) -> Iterator[ParsedNode]:
    names = {name: _noted(variable, NAME, name) for name, variable in variables.items()}
    for name, variable in variables.items():
        definition = definitions.get(name)
        parents = () if definition is None else definition.parents
        shape = tuple(len(variables[one].states) for one in (*parents, name))
        labels, order = _labels(variable)
        table = (
            np.full(shape, 1 / shape[-1])  # of a decision
            if definition is None
            else _table(definition, shape, name, rows)
        )
        yield ParsedNode(
            names[name],
            labels,
            tuple(names[parent] for parent in parents),
            table,
            f"line {(variable if definition is None else definition).element.line}",
            order=order,
            appearance=NodeAppearance(
                title=_noted(variable, TITLE, "") or None, box=_box(variable)
            ),
        )


def _table(definition: _Definition, shape: tuple[int, ...], name: str, rows: RowSums) -> Table:
    """Return a table, whose numbers have the variable itself varying fastest."""
    element = definition.element.only("TABLE")
    if element is None:
        raise FormatError(f"{definition.place}: the definition for {name!r:.60} has no <TABLE>")
    text = element.text
    words = text.split()
    if len(words) != prod(shape):
        raise FormatError(
            f"line {element.line}: the table of {name!r:.60} has {len(words)} numbers; its "
            f"outcomes and those of its parents need {prod(shape)}"
        )

    def place_of(place: int) -> str:
        starts = [found.start() for found in _WORD.finditer(text)]
        return f"line {element.line + text.count(chr(10), 0, starts[place])}"

    numbers = []
    for place, word in enumerate(words):
        try:
            numbers.append(float(word if _OF_NUMBERS.issuperset(word) else ""))
        except ValueError:
            raise FormatError(f"{place_of(place)}: {word!r:.{_SHOWN}} is not a number") from None
    table = np.array(numbers).reshape(shape)
    return rows.checked(table, name, lambda row: place_of(row * shape[-1]))


def _labels(variable: _Variable) -> tuple[tuple[str, ...], tuple[int, ...] | None]:
    """Return the original labels, and the order of two states if the file says so."""
    labels = tuple(
        _noted(variable, f"{STATE}{place}", state) for place, state in enumerate(variable.states)
    )
    present = variable.properties.get(PRESENT)
    if present is None or len(labels) != BINARY:
        return labels, None
    if present not in variable.states:
        raise FormatError(
            f"line {variable.element.line}: {PRESENT} is {present!r:.60}; it must be one of the "
            "outcomes"
        )
    return labels, present_at(variable.states.index(present))


def _noted(variable: _Variable, key: str, otherwise: str) -> str:
    """Return the original of what noisyor replaced when it wrote the file."""
    if key not in variable.properties:
        return otherwise
    with errors_at(f"line {variable.element.line}"):
        return unescaped(variable.properties[key])


def _box(variable: _Variable) -> Box | None:
    if variable.position is None:
        return None
    (x, y), (width, height) = variable.position, _HALF_SIZE
    return (x - width, y - height, x + width, y + height)
