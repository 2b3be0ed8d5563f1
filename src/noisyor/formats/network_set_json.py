"""A credible set with parameters and weights as noisyor's own JSON.

    {
      "format": "noisyor network set",
      "version": 1,
      "provenance": ...,
      "bayes_factor": 20.0,
      "temperature": 1.0,
      "labels": "best",
      "optimum": 9.0,
      "count": 2,
      "shortfalls": [],
      "variables": [{"name": "flu", "states": {"absent": "no", "present": "yes"}}, ...],
      "families": [
        {"child": "flu", "parents": [], "cost": 4.0, "distribution": {...}},
        ...
      ],
      "members": [{"families": [0, 2, 4], "weight": 0.75}, {"families": [1, 2, 4], "weight": 0.25}]
    }

Each family occurs once, with its parameters and its cost in nats. A member lists for each
variable, in order, the index of its family, from 0. Its weight is its share of the set. It is there
for convenience: it follows from the rest, and is checked. If the members were drawn from a larger
set, each has `draws`, the number of times it was drawn. `network_parts_json` describes
distributions.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import BayesFactor, Family, FamilyParameters, NetworkSet, Variable
from noisyor.core.credible_set import Labels
from noisyor.core.tolerance import tolerances_at
from noisyor.core.variable_sets import to_words, word_count
from noisyor.formats.acyclic_members import first_cyclic
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.network_parts_json import (
    VERSION,
    Document,
    NamedVariables,
    check_kind,
    distribution_to_json,
    family_from_json,
    provenance_at,
    variable_entries,
    variable_to_json,
    variables_from_json,
)
from noisyor.formats.scope_json import provenance_to_json

SET_KIND = "noisyor network set"

WEIGHT_TOLERANCE = 1e-9
"""How far a stated weight may be from the one that follows from the costs or the draws."""

_MOST_DRAWS = 2**53  # sums of draws are exact as doubles up to here


@dataclass(frozen=True, slots=True, eq=False)
class _ReadMembers:
    """The members of a file: their places in it, their families, and their stated weights."""

    entries: list[JsonPlace]
    places: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]
    draws: npt.NDArray[np.int64] | None


def network_set_json(networks: NetworkSet) -> str:
    """Return a set as JSON text, from which `parse_network_set_json` makes an equal one."""
    return document_text(
        {
            "format": SET_KIND,
            "version": VERSION,
            "provenance": provenance_to_json(networks.provenance),
            "bayes_factor": networks.bayes_factor.value,
            "temperature": networks.bayes_factor.temperature,
            "labels": str(networks.labels),
            "optimum": float(networks.optimum),
            "count": networks.count,
            "shortfalls": list(networks.shortfalls),
            "variables": [variable_to_json(variable) for variable in networks.variables],
            "families": [_family_to_json(one, networks.variables) for one in networks.families],
            "members": _members_to_json(networks),
        }
    )


def parse_network_set_json(text: str) -> NetworkSet:
    """Return the set in a JSON text; a FormatError says what is wrong, and where."""
    return network_set_in(read_document(text))


def network_set_in(document: JsonPlace) -> NetworkSet:
    """Return the set in a document."""
    check_kind(document, SET_KIND)
    fields = document.fields(
        "format",
        "version",
        "provenance",
        "bayes_factor",
        "temperature",
        "labels",
        "optimum",
        "count",
        "shortfalls",
        "variables",
        "families",
        "members",
    )
    entries = [
        one.fields("name", "states", optional=("ordered",))
        for one in variable_entries(fields["variables"])
    ]
    variables = variables_from_json(entries)
    families = _families(fields["families"], variables)
    members = _members(fields["members"], families, len(variables.names))
    count = fields["count"].whole_number(len(members.places))
    if members.draws is None and count != len(members.places):
        raise fields["count"].wrong(
            f"is {count}, but there are {len(members.places)} members, and they do not say how "
            "often each was drawn"
        )
    with complaints_at(fields["bayes_factor"]):
        bayes_factor = BayesFactor(fields["bayes_factor"].number(), fields["temperature"].number())
    with complaints_at(fields["labels"]):
        labels = Labels.of(fields["labels"].text())
    networks = NetworkSet(
        variables=variables.variables,
        families=families,
        members=members.places,
        optimum=fields["optimum"].number(),
        count=count,
        bayes_factor=bayes_factor,
        labels=labels,
        provenance=provenance_at(fields["provenance"]),
        draws=members.draws,
        shortfalls=tuple(one.text() for one in fields["shortfalls"].entries()),
    )
    _check_networks(networks, members.entries)
    _check_weights(networks, members)
    return networks


def _family_to_json(one: FamilyParameters, variables: tuple[Variable, ...]) -> Document:
    child = variables[one.family.child]
    parents = [variables[parent] for parent in one.family.parent_indices()]
    return {
        "child": child.name,
        "parents": [parent.name for parent in parents],
        "cost": float(one.cost),
        "distribution": distribution_to_json(one.distribution, child, parents),
    }


def _members_to_json(networks: NetworkSet) -> list[Document]:
    listed: list[Document] = [
        {"families": families, "weight": weight}
        for families, weight in zip(
            networks.members.tolist(), networks.weights().tolist(), strict=True
        )
    ]
    if networks.draws is not None:
        for member, draws in zip(listed, networks.draws.tolist(), strict=True):
            member["draws"] = draws
    return listed


def _families(place: JsonPlace, variables: NamedVariables) -> tuple[FamilyParameters, ...]:
    families: list[FamilyParameters] = []
    if not place.entries():
        raise place.wrong("is empty; every network has a family for each variable")
    seen: dict[Family, int] = {}
    for entry in place.entries():
        fields = entry.fields("child", "parents", "cost", "distribution")
        name = fields["child"].text()
        if name not in variables.number:
            raise fields["child"].wrong(f"is {name!r:.60}, which is not a variable")
        family, distribution = family_from_json(
            variables.number[name], fields["parents"], fields["distribution"], variables
        )
        if family in seen:
            raise entry.wrong(f"is the same family as {place.path}[{seen[family]}]")
        seen[family] = len(families)
        families.append(FamilyParameters(family, distribution, fields["cost"].number()))
    return tuple(families)


def _members(
    place: JsonPlace, families: tuple[FamilyParameters, ...], variable_count: int
) -> _ReadMembers:
    """Return the members, each with one family for each variable."""
    rows: list[list[int]] = []
    weights: list[float] = []
    draws: list[int] = []
    entries = place.entries()
    for entry in entries:
        fields = entry.fields("families", "weight", optional=("draws",))
        row = fields["families"].whole_numbers(0, len(families) - 1)
        if len(row) != variable_count:
            raise fields["families"].wrong(
                f"has {len(row)} entries; a network has one family for each of the "
                f"{variable_count} variables"
            )
        rows.append(row)
        weights.append(fields["weight"].probability())
        if "draws" in fields:
            draws.append(fields["draws"].whole_number(1, _MOST_DRAWS))
    if not rows:
        raise place.wrong("is empty; a set has at least one network")
    if draws and len(draws) != len(rows):
        raise place.wrong("has 'draws' for some networks but not for all")
    if sum(draws) > _MOST_DRAWS:
        raise place.wrong(f"has {sum(draws)} draws in all; at most {_MOST_DRAWS} are supported")
    places = np.array(rows, dtype=np.uint32)
    children = np.array([one.family.child for one in families])
    amiss = (children[places] != np.arange(variable_count)).any(axis=1)
    if amiss.any():
        raise entries[int(amiss.argmax())].wrong("has another variable's family")
    counted = np.array(draws, dtype=np.int64) if draws else None
    return _ReadMembers(entries, places, np.array(weights), counted)


def _check_networks(networks: NetworkSet, entries: list[JsonPlace]) -> None:
    """Refuse members that repeat each other, have a cycle, or do not belong in the set."""
    seen: dict[bytes, int] = {}
    for index, row in enumerate(networks.members):
        earlier = seen.setdefault(row.tobytes(), index)
        if earlier != index:
            raise entries[index].wrong(f"is the same network as {entries[earlier].path}")
    parents = to_words(
        [one.family.parents for one in networks.families], word_count(len(networks.names))
    )
    cyclic = first_cyclic(parents, networks.members)
    if cyclic is not None:
        raise entries[cyclic].wrong("has edges that form a directed cycle")
    with np.errstate(over="ignore"):
        costs = networks.costs()
    if not np.isfinite(costs).all():
        raise entries[int(np.isfinite(costs).argmin())].wrong("costs more than any number")
    better = networks.optimum - costs > tolerances_at(costs)
    if better.any():
        raise entries[int(better.argmax())].wrong(
            f"costs {costs[better.argmax()]:g}, which is less than the optimum"
        )
    worse = costs - networks.optimum - networks.bayes_factor.slack > tolerances_at(costs)
    if worse.any():
        raise entries[int(worse.argmax())].wrong(
            f"costs {costs[worse.argmax()]:g}, which is too much for the Bayes factor of "
            f"{networks.bayes_factor.value:g} and the optimum of {networks.optimum:g}"
        )


def _check_weights(networks: NetworkSet, members: _ReadMembers) -> None:
    """Refuse members whose stated weights are wrong."""
    shares = networks.weights()
    amiss = np.abs(members.weights - shares) > WEIGHT_TOLERANCE
    if amiss.any():
        first = int(amiss.argmax())
        raise members.entries[first].wrong(
            f"has a weight of {members.weights[first]:g}; its share of the set is {shares[first]:g}"
        )
