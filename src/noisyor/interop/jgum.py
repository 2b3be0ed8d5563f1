"""pyAgrum's own JSON format, .jgum, written so that pyAgrum reads it as intended.

A variable is written as `name{label|label}`. pyAgrum has no escapes there, and takes two labels
that look like numbers for numbers: it sorts them, which would reverse a table.
"""

import json
import re
from collections.abc import Sequence
from itertools import pairwise

from noisyor.core import Network
from noisyor.core.variable import States
from noisyor.core.version import VERSION
from noisyor.formats.or_causes import is_noisy_or, or_causes
from noisyor.formats.tables_of import announce_tables
from noisyor.interop.pyagrum_network import (
    causal_weights,
    check_parents,
    external_weight,
    flat_table,
)
from noisyor.interop.pyagrum_texts import PROPERTY, Texts, is_plain_text, texts_of, to_property

_STRIPPED = " \t\n\r\v\f"
_MAYBE_NUMBER = re.compile(r"[\s0-9+\-.:]|nan|inf", re.IGNORECASE)
_SMALL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,8}")


def jgum_bytes(network: Network) -> bytes:
    """Return the network as a .jgum file: noisy-ORs as noisy-ORs, states as in `to_pyagrum`.

    Names and labels that the format cannot hold are replaced; `from_pyagrum` puts them back. More
    parents than pyAgrum can read raise a TableSizeError.
    """
    check_parents(network)
    announce_tables(network, "pyAgrum's format", native=is_noisy_or)
    texts = texts_of(network, _is_name, _are_labels)
    families = network.structure.families
    parents = {
        texts[family.child].called: [texts[above].called for above in family.parent_indices()]
        for family in families
    }
    document = {
        "type": "BN",
        "GumJsonVersion": "1.0",
        "nodes": [_node(one) for one in texts],
        "parents": parents,
        "cpt": {
            one.called: _entry(network, variable, texts, parents[one.called])
            for variable, one in enumerate(texts)
        },
        "properties": {"software": f"noisyor {VERSION}", PROPERTY: to_property(texts)},
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def _node(texts: Texts) -> str:
    return f"{texts.called}{{{'|'.join(texts.labels)}}}"


def _entry(
    network: Network, variable: int, texts: Sequence[Texts], parents: list[str]
) -> dict[str, object] | list[float]:
    causes = or_causes(network.distributions[variable])
    if causes is None:
        return flat_table(network, variable, texts)
    return {
        "kind": "ici",
        "name": "MultiDimNoisyORNet",
        "externalWeight": external_weight(causes),
        "causalWeights": dict(zip(parents, causal_weights(causes), strict=True)),
    }


def _is_name(name: str) -> bool:
    return is_plain_text(name) and "{" not in name and name == name.strip(_STRIPPED)


def _are_labels(labels: States) -> bool:
    if not all(label and is_plain_text(label) for label in labels):
        return False
    if any(mark in label for label in labels for mark in "{|}"):
        return False
    if all(_SMALL_INTEGER.fullmatch(label) for label in labels):
        numbers = [int(label) for label in labels]
        return all(low < high for low, high in pairwise(numbers))
    return not all(_MAYBE_NUMBER.match(label) for label in labels)
