"""A network as a graph for programs that draw and analyse graphs: yEd, Gephi, igraph, networkx.

Nodes are n0, n1 and so on, in the order of the variables: a name with blanks is not an identifier
of GraphML. They have a name, the relation, the labels of their states, and the strength of the
leak, if any. Unless there are two states, the labels are a list in JSON. The edges into a noisy-OR
have the strength of the cause, 1 - q, unless no record has the cause.
"""

import json
import re
from collections.abc import Iterator
from xml.sax.saxutils import escape

from noisyor.core import Network, Variable
from noisyor.formats.or_causes import or_causes

_HEAD = """\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="relation" for="node" attr.name="relation" attr.type="string"/>
  <key id="absent" for="node" attr.name="absent" attr.type="string"/>
  <key id="present" for="node" attr.name="present" attr.type="string"/>
  <key id="leak" for="node" attr.name="leak" attr.type="double"/>
  <key id="exact" for="node" attr.name="exact" attr.type="string"/>
  <key id="strength" for="edge" attr.name="strength" attr.type="double"/>
"""
_STATES_KEY = '  <key id="states" for="node" attr.name="states" attr.type="string"/>\n'
_GRAPH = '  <graph edgedefault="directed">\n'
_FOOT = "  </graph>\n</graphml>\n"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REPLACEMENT = "\ufffd"


def graphml_text(network: Network) -> str:
    """Return a network in GraphML.

    XML 1.0 cannot hold some characters, such as most control characters. They are replaced by
    U+FFFD, and the node's `exact` is a JSON object with the original texts.
    """
    states = "" if network.is_binary else _STATES_KEY
    return "".join([_HEAD, states, _GRAPH, *_nodes(network), *_edges(network), _FOOT])


def _nodes(network: Network) -> Iterator[str]:
    parts = zip(network.variables, network.distributions, strict=True)
    for place, (variable, distribution) in enumerate(parts):
        said = {
            "name": variable.name,
            "relation": distribution.relation.name_for(variable.state_count),
            **_labels(variable),
        }
        exact = {key: text for key, text in said.items() if _ILLEGAL.search(text)}
        causes = or_causes(distribution)
        if causes is not None and causes.leak_q is not None:
            said["leak"] = repr(causes.leak)
        if exact:
            said["exact"] = json.dumps(exact)
        data = "".join(f"      {_data(key, text)}\n" for key, text in said.items())
        yield f'    <node id="n{place}">\n{data}    </node>\n'


def _labels(variable: Variable) -> dict[str, str]:
    if not variable.is_binary:
        return {"states": json.dumps(variable.states)}
    absent, present = variable.states
    return {"absent": absent, "present": present}


def _edges(network: Network) -> Iterator[str]:
    for family, distribution in zip(network.structure.families, network.distributions, strict=True):
        causes = or_causes(distribution)
        for place, parent in enumerate(family.parent_indices()):
            edge = f'    <edge source="n{parent}" target="n{family.child}"'
            if causes is None or not causes.seen[place]:
                yield f"{edge}/>\n"
            else:
                strength = repr(causes.strengths[place])
                yield f"{edge}>{_data('strength', strength)}</edge>\n"


def _data(key: str, text: str) -> str:
    # A reader of XML takes a carriage return for a line end unless it is spelled out.
    shown = escape(_ILLEGAL.sub(_REPLACEMENT, text), {"\r": "&#13;"})
    return f'<data key="{key}">{shown}</data>'
