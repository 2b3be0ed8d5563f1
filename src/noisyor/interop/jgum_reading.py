"""Read pyAgrum's own JSON format, .jgum, without pyAgrum.

A node is a text in which its kind shows: `name{label|label}`, `name[3]` (0 to 2), `name[-1,3]`
(-1 to 3) or `name[0,1.5,20]` (intervals). Labels that are all numbers are sorted, as pyAgrum does.
In a table, the child varies fastest, then the first parent. A noisy-OR or an OR, in which the
second state of each parent acts, becomes our noisy-OR. Its noisy-AND and AND are written out as
tables, with a warning; functions of numbers (logit, max, count, ...) are refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, prod

import numpy as np

from noisyor.core import FormatError, Provenance
from noisyor.core.variable import MAX_NODE_STATES, States
from noisyor.core.variable_sets import MAX_NODES
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.bif_tables import MAX_PARENTS
from noisyor.formats.json_document import read_document
from noisyor.formats.json_place import JsonPlace
from noisyor.formats.parsed_network import ParsedCauses, ParsedNetwork, ParsedNode
from noisyor.formats.parsed_node import Table
from noisyor.formats.row_sums import RowSums
from noisyor.interop.pyagrum_functions import (
    NOISY_ORS,
    causes_of,
    noisy_or_parameters,
    written_out,
)
from noisyor.interop.pyagrum_texts import PROPERTY, Texts, from_property

_SPACE = " \t\n\r\v\f"  # what pyAgrum trims
_LABELLED = re.compile(rf"([^{{]*+)(\{{)(.*)\}}[{_SPACE}]*", re.DOTALL)  # from the first brace
_NUMBERED = re.compile(rf"(.*)(\[)([^\[]*)\][{_SPACE}]*", re.DOTALL)  # from the last bracket
_OF_NUMBERS = frozenset("0123456789+-.eE")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
_PAIR = 2
_MAX_WRITTEN_OUT = 2**24  # entries of all the tables that a file gives only by functions


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A variable of the file."""

    called: str
    labels: States
    parents: tuple[str, ...]
    place: str


def parse_jgum(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a .jgum file; a FormatError gives the path in it to an error.

    If `forgiving`, rows may be off from 1 by rounding.
    """
    document = read_document(text).by_name()
    kind = _part(document, "type").text()
    if kind != "BN":
        raise FormatError(f"its type is {kind!r:.60}; noisyor reads Bayesian networks, 'BN'")
    nodes = _nodes(document)
    tables = _part(document, "cpt").by_name()
    properties = document["properties"].by_name() if "properties" in document else {}
    texts = from_property(properties[PROPERTY].text()) if PROPERTY in properties else {}
    rows = RowSums(forgiving=forgiving)
    reading = _Distributions(nodes, rows)
    parsed = []
    for called, node in nodes.items():
        if called not in tables:
            raise FormatError(f"cpt has no entry for {called!r:.60}")
        parsed.append(_parsed(node, reading.of(node, tables[called]), texts))
    rows.warn()
    title = properties["name"].text() if "name" in properties else None
    return ParsedNetwork(tuple(parsed), Provenance(""), title=title or None)


def _part(document: Mapping[str, JsonPlace], key: str) -> JsonPlace:
    if key not in document:
        raise FormatError(f"the document lacks {key!r}")
    return document[key]


def _nodes(document: Mapping[str, JsonPlace]) -> dict[str, _Node]:
    above = _part(document, "parents").by_name()
    nodes: dict[str, _Node] = {}
    listed = _part(document, "nodes").entries()
    if not 1 <= len(listed) <= MAX_NODES:
        raise FormatError(f"it has {len(listed)} nodes; 1 to {MAX_NODES} are supported")
    for place in listed:
        called, labels = _variable(place)
        if called in nodes:
            raise place.wrong(f"is a second {called!r:.60}")
        parents = tuple(one.text() for one in above[called].entries()) if called in above else ()
        nodes[called] = _Node(called, labels, parents, place.path)
    for node in nodes.values():
        for parent in node.parents:
            if parent not in nodes:
                raise FormatError(
                    f"{node.place}: {node.called!r:.60} has the parent {parent!r:.60}, which is "
                    "not a node"
                )
    return nodes


def _variable(place: JsonPlace) -> tuple[str, States]:
    """Return the name and the labels of a variable."""
    found = _LABELLED.fullmatch(place.text()) or _NUMBERED.fullmatch(place.text())
    if found is None or not found[1].strip(_SPACE):
        raise place.wrong(
            f"is {place.text()!r:.60}; expected: name{{label|label}} or name[numbers]"
        )
    name, bracket, inside = found[1].strip(_SPACE), found[2], found[3]
    if bracket == "{":
        return name, _sorted_labels(tuple(inside.split("|")))
    words = [one.strip() for one in inside.split(",")]
    if len(words) <= _PAIR:
        return name, _range(place, words)
    numbers = [_number(word) for word in words]
    if None in numbers or any(low >= high for low, high in pairwise(numbers)):  # type: ignore[operator]
        raise place.wrong(f"has the limits {inside!r:.60}, which must be ascending numbers")
    ends = ["["] * (len(words) - 2) + ["]"]
    labels = (f"[{low};{high}{end}" for (low, high), end in zip(pairwise(words), ends, strict=True))
    return name, tuple(labels)


def _range(place: JsonPlace, words: list[str]) -> States:
    """Return the whole numbers of a range, given by their count or by the first and the last."""
    if not all(map(_INTEGER.fullmatch, words)):
        raise place.wrong(f"is {place.text()!r:.60}; a range has whole numbers")
    bounds = [int(word) for word in words]
    first, last = bounds if len(bounds) == _PAIR else (0, bounds[0] - 1)
    if not 0 <= last - first < MAX_NODE_STATES:
        raise place.wrong(f"has {last - first + 1} states; 1 to {MAX_NODE_STATES} are supported")
    return tuple(map(str, range(first, last + 1)))


def _sorted_labels(labels: States) -> States:
    numbers = [_number(label) for label in labels]
    if len(labels) < _PAIR or None in numbers:
        return labels
    return tuple(label for _, label in sorted(zip(numbers, labels, strict=True)))


def _number(word: str) -> float | None:
    try:
        number = float(word if _OF_NUMBERS.issuperset(word) else "")
    except ValueError:
        return None
    return number if isfinite(number) else None


class _Distributions:
    """Reads the distributions of one node after another."""

    def __init__(self, nodes: Mapping[str, _Node], rows: RowSums) -> None:
        self._nodes = nodes
        self._rows = rows
        self._written_out = 0

    def of(self, node: _Node, place: JsonPlace) -> Table | ParsedCauses:
        """Return a table over the parents in the file's order, or the causes that they are."""
        sizes = [len(self._nodes[parent].labels) for parent in node.parents]
        if isinstance(place.value, list):
            return self._table(node, place, [*sizes, len(node.labels)])
        return self._function(node, place, sizes)

    def _table(self, node: _Node, place: JsonPlace, shape: list[int]) -> Table:
        if len(shape) - 1 > MAX_PARENTS:
            raise place.wrong(f"is a table of {len(shape) - 1} parents; at most {MAX_PARENTS}")
        numbers = np.array([one.number() for one in place.entries()])
        if numbers.size != prod(shape):
            raise place.wrong(f"has {numbers.size} numbers; the states need {prod(shape)}")
        *above, own = shape
        # The first parent varies fastest: the axes are those of the parents, reversed.
        table = numbers.reshape((*reversed(above), own))
        table = table.transpose((*reversed(range(len(above))), len(above)))
        return self._rows.checked(np.ascontiguousarray(table), node.called, lambda _: place.path)

    def _function(self, node: _Node, place: JsonPlace, sizes: list[int]) -> Table | ParsedCauses:
        fields = place.by_name()
        name = _part_of(place, fields, "name").text()
        weights = _weights(place, fields, node.parents)
        if name in NOISY_ORS and sizes:
            if len(node.labels) != _PAIR:
                raise place.wrong(f"is a noisy-OR of {len(node.labels)} states; it must have two")
            external, causal = weights
            return causes_of(*noisy_or_parameters(name, external, causal), sizes)
        self._written_out += prod((*sizes, len(node.labels)))
        if self._written_out > _MAX_WRITTEN_OUT or len(sizes) > MAX_PARENTS:
            raise place.wrong(
                f"is a function ({name:.60}) of {len(sizes)} parents, which noisyor can only read "
                "as a table, and those up to here are too large"
            )
        table = written_out(name, (*sizes, len(node.labels)), *weights)
        if table is None:
            raise place.wrong(
                f"is a function ({name:.60}) that noisyor does not have; pyAgrum writes it out as "
                "a table if you save the network as .bif"
            )
        warn_user(
            f"{place.path}: {node.called!r:.60} is a function ({name}) that noisyor does not have; "
            "it is written out as a table",
            ConversionWarning,
        )
        return self._rows.checked(table, node.called, lambda _: place.path)


def _part_of(place: JsonPlace, fields: Mapping[str, JsonPlace], key: str) -> JsonPlace:
    if key not in fields:
        raise place.wrong(f"lacks {key!r}")
    return fields[key]


def _weights(
    place: JsonPlace, fields: Mapping[str, JsonPlace], parents: tuple[str, ...]
) -> tuple[float, list[float]]:
    """Return the external weight and those of the parents; an aggregator has none."""
    if "externalWeight" not in fields:
        return 0.0, [1.0] * len(parents)
    causal = _part_of(place, fields, "causalWeights").by_name()
    return (
        fields["externalWeight"].number(),
        [_part_of(fields["causalWeights"], causal, parent).number() for parent in parents],
    )


def _parsed(
    node: _Node, distribution: Table | ParsedCauses, texts: Mapping[str, Texts]
) -> ParsedNode:
    """Return the node with the names and labels that noisyor replaced, if it did."""
    known = texts.get(node.called)
    kept = known is not None and known.labels == node.labels
    return ParsedNode(
        known.name if known is not None else node.called,
        known.states if known is not None and kept else node.labels,
        tuple(texts[above].name if above in texts else above for above in node.parents),
        distribution,
        node.place,
        order=known.order if known is not None and kept else None,
    )
