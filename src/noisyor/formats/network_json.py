"""One network as noisyor's own JSON: versioned, exact, and readable.

    {
      "format": "noisyor network",
      "version": 1,
      "provenance": {"version": ..., "data": ..., "records": ..., "settings": [[name, value], ...]},
      "cost": 123.4,
      "variables": [
        {
          "name": "cough",
          "states": {"absent": "no", "present": "yes"},
          "parents": ["cold", "flu"],
          "distribution": {"relation": "noisy-or", "q": {"cold": 0.4, "flu": 0.2}}
        },
        ...
      ]
    }

The cost is in nats, or null if unknown. `network_parts_json` describes distributions,
`appearance_json` the optional `appearance` of a network that was read from another file, and
`network_set_json` files of whole credible sets.
"""

from noisyor.core import DataError, FormatError, Network, NetworkSet, Structure
from noisyor.core.appearance import UNADORNED
from noisyor.formats.appearance_json import appearance_from_json, appearance_to_json
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace
from noisyor.formats.network_parts_json import (
    VERSION,
    check_kind,
    distribution_to_json,
    family_from_json,
    kind_of,
    provenance_at,
    variable_entries,
    variable_to_json,
    variables_from_json,
)
from noisyor.formats.network_set_json import SET_KIND, network_set_in
from noisyor.formats.scope_json import provenance_to_json

NETWORK_KIND = "noisyor network"


def network_json(network: Network) -> str:
    """Return a network as JSON text, from which `parse_network_json` makes an equal one."""
    parts = zip(network.structure.families, network.variables, network.distributions, strict=True)
    variables = []
    for family, variable, distribution in parts:
        parents = [network.variables[parent] for parent in family.parent_indices()]
        variables.append(
            {
                **variable_to_json(variable),
                "parents": [parent.name for parent in parents],
                "distribution": distribution_to_json(distribution, variable, parents),
            }
        )
    appearance = appearance_to_json(network)
    return document_text(
        {
            "format": NETWORK_KIND,
            "version": VERSION,
            "provenance": provenance_to_json(network.provenance),
            "cost": None if network.cost is None else float(network.cost),
            "variables": variables,
            **({"appearance": appearance} if appearance else {}),
        }
    )


def parse_network_json(text: str) -> Network:
    """Return the network in a JSON text; a FormatError says what is wrong, and where."""
    return _network_in(read_document(text))


def parse_json(text: str) -> Network | NetworkSet:
    """Return the network or the set of networks in a JSON text, according to its format."""
    document = read_document(text)
    kind = kind_of(document)
    if kind == NETWORK_KIND:
        return _network_in(document)
    if kind == SET_KIND:
        return network_set_in(document)
    raise FormatError(f"it holds a {kind!r:.60}; known: {NETWORK_KIND!r}, {SET_KIND!r}")


def _network_in(document: JsonPlace) -> Network:
    check_kind(document, NETWORK_KIND)
    fields = document.fields(
        "format", "version", "provenance", "cost", "variables", optional=("appearance",)
    )
    provenance = provenance_at(fields["provenance"])
    cost = None if fields["cost"].value is None else fields["cost"].number()
    entries = [
        entry.fields("name", "states", "parents", "distribution", optional=("ordered",))
        for entry in variable_entries(fields["variables"])
    ]
    variables = variables_from_json(entries)
    nodes = [
        family_from_json(child, one["parents"], one["distribution"], variables)
        for child, one in enumerate(entries)
    ]
    try:
        structure = Structure(variables.names, tuple(family for family, _ in nodes))
    except DataError as error:
        raise fields["variables"].wrong(f"are not a network: {error}") from error
    return Network(
        structure,
        variables.variables,
        tuple(distribution for _, distribution in nodes),
        cost,
        provenance,
        appearance_from_json(fields["appearance"], variables.variables)
        if "appearance" in fields
        else UNADORNED,
    )
