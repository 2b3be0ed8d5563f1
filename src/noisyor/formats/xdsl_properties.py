"""What GeNIe has no place for, kept in the user properties of an XDSL file.

The network and each node have one property `noisyor`, a JSON object. GeNIe keeps properties when it
saves, so a file may have been edited since: what refers to an id, a state or a parent that no
longer exists is ignored.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from noisyor.core import Provenance
from noisyor.formats.json_document import read_document, refuse_half_characters
from noisyor.formats.json_place import JsonPlace
from noisyor.formats.network_parts_json import provenance_at
from noisyor.formats.scope_json import provenance_to_json

KEY = "noisyor"
VERSION = 2

_MARKS = ("leaky", "signed", "ordered")

ParentStates = tuple[tuple[str, tuple[str, ...]], ...]
"""The ids of a node's parents with those of their states, as the file lists them."""


@dataclass(frozen=True, slots=True)
class UnseenNote:
    """The configurations that no record had: their rows in the file's table, from 0.

    Of causes, the rows are the levels of each state of each parent, and of the leak.
    """

    parents: ParentStates
    rows: tuple[int, ...]
    of_causes: bool = False


@dataclass(frozen=True, slots=True)
class NodeNote:
    """The variable behind a node: its name, and its labels by the states' ids, in its order.

    `leaky` distinguishes a leak that never acts from no leak, and `signed` a state that never acts
    from one that cannot: their columns are the same. `ordered` says that the states ascend.
    """

    identifier: str
    name: str
    labels: dict[str, str]
    leaky: bool = False
    signed: bool = False
    ordered: bool = False
    unseen: UnseenNote | None = None


@dataclass(frozen=True, slots=True)
class NetworkNote:
    """The order of the variables by their nodes' ids, the network's cost, and its origin."""

    order: tuple[str, ...]
    cost: float | None
    provenance: Provenance


def node_property(note: NodeNote) -> str:
    """Return the text of a node's property."""
    document: dict[str, object] = {
        "id": note.identifier,
        "name": note.name,
        "labels": note.labels,
    }
    document |= {key: True for key in _MARKS if getattr(note, key)}
    if note.unseen is not None:
        document["unseen"] = {
            "parents": {parent: list(states) for parent, states in note.unseen.parents},
            "rows": list(note.unseen.rows),
            **({"of_causes": True} if note.unseen.of_causes else {}),
        }
    return _encoded(document)


def network_property(note: NetworkNote) -> str:
    """Return the text of the network's property."""
    document: dict[str, object] = {
        "order": list(note.order),
        "provenance": provenance_to_json(note.provenance),
    }
    if note.cost is not None:
        document["cost"] = note.cost
    return _encoded(document)


def node_note(properties: Mapping[str, str]) -> NodeNote | None:
    """Return what noisyor recorded at a node, if anything."""
    if KEY not in properties:
        return None
    fields = _fields(properties[KEY], "id", "name", "labels", optional=(*_MARKS, "unseen"))
    leaky, signed, ordered = (key in fields and fields[key].truth() for key in _MARKS)
    return NodeNote(
        fields["id"].text(),
        fields["name"].text(),
        {state: label.text() for state, label in fields["labels"].by_name().items()},
        leaky,
        signed,
        ordered,
        _unseen_note(fields["unseen"]) if "unseen" in fields else None,
    )


def network_note(properties: Mapping[str, str]) -> NetworkNote | None:
    """Return what noisyor recorded at the network, if anything."""
    if KEY not in properties:
        return None
    fields = _fields(properties[KEY], "order", "provenance", optional=("cost",))
    return NetworkNote(
        tuple(one.text() for one in fields["order"].entries()),
        fields["cost"].number() if "cost" in fields else None,
        provenance_at(fields["provenance"]),
    )


def _encoded(document: dict[str, object]) -> str:
    """Return JSON without backslashes, which GeNIe reads as the start of an escape."""
    whole = {"version": VERSION, **document}
    refuse_half_characters(json.dumps(whole, ensure_ascii=False))
    text = json.dumps(whole, allow_nan=False)
    return text.replace("%", "%25").replace("\\", "%5C")


def _fields(text: str, *keys: str, optional: Sequence[str]) -> dict[str, JsonPlace]:
    fields = read_document(unquote(text)).fields("version", *keys, optional=tuple(optional))
    fields["version"].whole_number(VERSION, VERSION)
    return fields


def _unseen_note(place: JsonPlace) -> UnseenNote:
    fields = place.fields("parents", "rows", optional=("of_causes",))
    parents = tuple(
        (parent, tuple(state.text() for state in states.entries()))
        for parent, states in fields["parents"].by_name().items()
    )
    rows = tuple(one.whole_number(0) for one in fields["rows"].entries())
    return UnseenNote(parents, rows, "of_causes" in fields and fields["of_causes"].truth())
