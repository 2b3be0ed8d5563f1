"""What a file said of a network beyond its distribution, in noisyor's own JSON.

    {
      "title": "A pump",
      "comment": "Built for a course.",
      "nodes": {
        "wear": {
          "title": "How worn out?",
          "states": ["none", "some", "much"],
          "box": [10, 20, 90, 60],
          "fill": "e5f6f7", "line": "000080", "text": "000000",
          "comment": "Seen when the pump is opened."
        }
      },
      "document": {"format": "xdsl", "text": "<?xml ..."}
    }

All of it is optional. `states` is the order in which the file lists them, if it is not the one in
which noisyor would. `box` has the left, top, right and bottom edge of the node in a drawing, and
the colours are those of its inside, its outline and its text. `document` is the whole file that the
network was read from, so that nothing in it is lost when it is written in that format again.
"""

from collections.abc import Mapping, Sequence

from noisyor.core import Network, Variable
from noisyor.core.appearance import Appearance, NodeAppearance, SourceDocument
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.tables_of import default_order

Document = dict[str, object]

_TEXTS = ("title", "fill", "line", "text", "comment")


def appearance_to_json(network: Network) -> Document:
    """Return the appearance of a network; empty if there is nothing to say."""
    look = network.appearance
    nodes = {
        variable.name: _node_to_json(look.of(variable.name), variable)
        for variable in network.variables
    }
    said: Document = {"title": look.title, "comment": look.comment}
    said["nodes"] = {name: one for name, one in nodes.items() if one}
    if look.document is not None:
        said["document"] = {"format": look.document.format, "text": look.document.text}
    return {key: value for key, value in said.items() if value}


def appearance_from_json(place: JsonPlace, variables: Sequence[Variable]) -> Appearance:
    """Return the appearance that `appearance_to_json` wrote."""
    fields = place.fields(optional=("title", "comment", "nodes", "document"))
    named = {variable.name: variable for variable in variables}
    nodes: dict[str, NodeAppearance] = {}
    for name, one in (fields["nodes"].by_name() if "nodes" in fields else {}).items():
        if name not in named:
            raise one.wrong("is of a variable that the network does not have")
        nodes[name] = _node_from_json(one, named[name])
    document = None
    if "document" in fields:
        parts = fields["document"].fields("format", "text")
        document = SourceDocument(parts["format"].text(), parts["text"].text())
    return Appearance(_text(fields, "title"), _text(fields, "comment"), nodes, document)


def _node_to_json(look: NodeAppearance, variable: Variable) -> Document:
    said: Document = {key: getattr(look, key) for key in _TEXTS if getattr(look, key) is not None}
    order = look.order_for(variable)
    if order is not None and order != default_order(variable):
        said["states"] = [variable.states[state] for state in order]
    if look.box is not None:
        said["box"] = list(look.box)
    return said


def _node_from_json(place: JsonPlace, variable: Variable) -> NodeAppearance:
    fields = place.fields(optional=(*_TEXTS, "states", "box"))
    order = None
    if "states" in fields:
        listed = [one.text() for one in fields["states"].entries()]
        if sorted(listed) != sorted(variable.states):
            raise fields["states"].wrong(f"must list each of: {', '.join(variable.states)}")
        order = tuple(variable.states.index(label) for label in listed)
    box = None
    if "box" in fields:
        edges = [one.number() for one in fields["box"].entries()]
        if len(edges) != 4:  # noqa: PLR2004
            raise fields["box"].wrong(f"has {len(edges)} numbers; a box has four edges")
        box = (edges[0], edges[1], edges[2], edges[3])
    title, fill, line, text, comment = (_text(fields, key) for key in _TEXTS)
    with complaints_at(place):
        return NodeAppearance(title, order, box, fill, line, text, comment)


def _text(fields: Mapping[str, JsonPlace], key: str) -> str | None:
    return fields[key].text() if key in fields else None
