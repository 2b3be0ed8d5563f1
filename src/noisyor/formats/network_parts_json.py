"""The parts of networks that our JSON of one network and of a set of networks share.

A distribution is an object, by the relation at the node:

    {"relation": "cpt", "present": [p, ...], "unseen": [row, ...]}
    {"relation": "noisy-or", "q": {parent: q, ...}}
    {"relation": "leaky-noisy-or", "q": {parent: q, ...}, "leak_q": q}

`present` is the probability that the child is present in each row of the table, that is, for each
configuration of the listed parents. The first row has all parents absent, and the first parent
varies fastest: with parents A and B the rows are neither, A alone, B alone, both. `unseen` lists
the rows, from 0, that no record had; it is left out where there are none. `q` is by name the
chance that the parent, if present, fails to bring the child about, and `leak_q` the chance that
none of the unnamed causes does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    RELATIONS,
    Cpt,
    Distribution,
    Family,
    FormatError,
    NoisyOr,
    Provenance,
)
from noisyor.core.dataset import States
from noisyor.core.variable_sets import MAX_VARIABLES, set_of
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.scope_json import provenance_from_json

VERSION = 1

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class NamedVariables:
    """The variables of a file: their names, their states, and each name's number."""

    names: tuple[str, ...]
    states: tuple[States, ...]
    number: Mapping[str, int]


def check_kind(document: JsonPlace, kind: str) -> None:
    """Refuse a document of another kind, or of a version that cannot be read."""
    found = kind_of(document)
    if found != kind:
        raise FormatError(f"it holds a {found!r}; expected: a {kind!r}")
    content = document.by_name()
    if "version" not in content:
        raise document.wrong("lacks 'version'")
    version = content["version"].whole_number(1)
    if version > VERSION:
        raise FormatError(
            f"it is in version {version} of the format, written by a newer noisyor; this one "
            f"reads version {VERSION}"
        )


def kind_of(document: JsonPlace) -> str:
    """Return what a document says it is."""
    content = document.by_name()
    if "format" not in content:
        raise document.wrong("lacks 'format', so it is not one of noisyor")
    return content["format"].text()


def states_to_json(states: States) -> Document:
    """Return the labels of a variable."""
    absent, present = states
    return {"absent": absent, "present": present}


def distribution_to_json(distribution: Distribution, parents: Sequence[str]) -> Document:
    """Return the parameters at a node whose parents have these names, ascending."""
    said: Document = {"relation": distribution.relation.name}
    if isinstance(distribution, Cpt):
        said["present"] = distribution.present.tolist()
        if distribution.unseen.any():
            said["unseen"] = np.flatnonzero(distribution.unseen).tolist()
        return said
    said["q"] = dict(zip(parents, distribution.q.tolist(), strict=True))
    if distribution.leak_q is not None:
        said["leak_q"] = float(distribution.leak_q)
    return said


def variables_from_json(variables: Sequence[tuple[JsonPlace, JsonPlace]]) -> NamedVariables:
    """Return the variables from the places of their names and their states."""
    number: dict[str, int] = {}
    labels: list[States] = []
    for name_at, states_at in variables:
        name = name_at.text()
        if not name.strip():
            raise name_at.wrong("is empty; every variable needs a name")
        if name in number:
            raise name_at.wrong(f"is {name!r:.60}, which an earlier variable has too")
        number[name] = len(number)
        fields = states_at.fields("absent", "present")
        absent, present = fields["absent"].text(), fields["present"].text()
        if absent == present:
            raise states_at.wrong(f"has the same label {absent!r:.60} twice; they must differ")
        labels.append((absent, present))
    return NamedVariables(tuple(number), tuple(labels), number)


def variable_entries(place: JsonPlace) -> list[JsonPlace]:
    """Return the variables of a list, of which there must be at least one and not too many."""
    entries = place.entries()
    if not 1 <= len(entries) <= MAX_VARIABLES:
        raise place.wrong(f"has {len(entries)} entries; allowed: 1 to {MAX_VARIABLES}")
    return entries


def family_from_json(
    child: int, parents_at: JsonPlace, distribution_at: JsonPlace, variables: NamedVariables
) -> tuple[Family, Distribution]:
    """Return a family with its parameters, whatever the order in which its parents are listed."""
    parents: list[int] = []
    for one in parents_at.entries():
        name = one.text()
        parent = variables.number.get(name)
        if parent is None:
            raise one.wrong(f"is {name!r:.60}, which is not a variable")
        if parent == child:
            raise one.wrong(f"is {name!r:.60}: a variable cannot be its own parent")
        if parent in parents:
            raise one.wrong(f"is {name!r:.60}, which is listed before")
        parents.append(parent)
    distribution = _distribution(distribution_at, parents, variables.names)
    return Family(child, set_of(parents), distribution.relation), distribution


def provenance_at(place: JsonPlace) -> Provenance:
    """Return how a result was made."""
    fields = place.fields("version", "data", "records", "settings")
    fields["records"].whole_number(0)
    for one in (fields["version"], fields["data"]):
        one.text()
    for pair in fields["settings"].entries():
        for one in pair.entries():
            one.text()
    with complaints_at(place):
        return provenance_from_json(place.value)


def _distribution(place: JsonPlace, parents: list[int], names: Sequence[str]) -> Distribution:
    optional = ("present", "unseen", "q", "leak_q")
    relation = place.fields("relation", optional=optional)["relation"]
    name = relation.text()
    if name == CPT.name:
        return _table(place, parents)
    if name not in {NOISY_OR.name, LEAKY_NOISY_OR.name}:
        allowed = ", ".join(one.name for one in RELATIONS)
        raise relation.wrong(f"is {name!r:.60}; allowed: {allowed}")
    if not parents:
        raise relation.wrong(f"is {name!r}, but a node without parents is always {CPT.name}")
    keys = ("q",) if name == NOISY_OR.name else ("q", "leak_q")
    fields = place.fields("relation", *keys)
    by_name = fields["q"].by_name()
    expected = [names[parent] for parent in sorted(parents)]
    if by_name.keys() != set(expected):
        raise fields["q"].wrong(f"must have one number for each of: {', '.join(expected)}")
    q = np.array([by_name[parent].probability() for parent in expected])
    return NoisyOr(q, fields["leak_q"].probability() if "leak_q" in fields else None)


def _table(place: JsonPlace, parents: list[int]) -> Cpt:
    fields = place.fields("relation", "present", optional=("unseen",))
    present = fields["present"].probabilities()
    if len(present) != 2 ** len(parents):
        raise fields["present"].wrong(
            f"has {len(present)} rows; {len(parents)} parents need {2 ** len(parents)}"
        )
    unseen = np.zeros(len(present), dtype=np.bool_)
    if "unseen" in fields:
        unseen[fields["unseen"].whole_numbers(0, len(present) - 1)] = True
    rows = _rows_of_ascending(parents)
    return Cpt(present[rows], unseen[rows])


def _rows_of_ascending(parents: list[int]) -> npt.NDArray[np.intp]:
    """Return which row of the listed parents is each row of the parents in ascending order."""
    rows = np.zeros(1, dtype=np.intp)
    for place in sorted(range(len(parents)), key=parents.__getitem__):
        rows = np.concatenate([rows, rows | (1 << place)])
    return rows
