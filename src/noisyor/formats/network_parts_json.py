"""The parts that the JSON of one network and of a set of networks share.

The states of a variable are an object if there are two, else a list in their order. A variable
whose states are ordered also has `"ordered": true`:

    {"absent": "no", "present": "yes"}
    ["low", "medium", "high"]

A distribution is an object, by the relation at the node:

    {"relation": "cpt", "present": [p, ...], "unseen": [row, ...]}
    {"relation": "cpt", "chances": [[p, ...], ...], "unseen": [row, ...]}
    {"relation": "noisy-or", "q": {parent: q, ...}}
    {"relation": "leaky-noisy-or", "q": {parent: q, ...}, "leak_q": q}
    {"relation": "signed-noisy-or", "q": {parent: {state: q, ...}, ...}, "leak_q": q}
    {"relation": "noisy-max", "q": {parent: {state: {level: q, ...}, ...}, ...}}
    {"relation": any other, "parameters": [number, ...]}

`present` is the probability that the child is present in each row of the table, that is, for each
configuration of the listed parents. The first row has all parents absent, and the first parent
varies fastest: with parents A and B, the rows are neither, A alone, B alone, both. A table in which
the child or a parent does not have two states has `chances` instead, which lists in each row the
probabilities of all of the child's states. The first row has each parent's first state, and the
first parent varies fastest. `unseen` lists the rows, from 0, that no record had; it is omitted if
there are none. `q` has for each parent the probability that it fails to cause the child when it is
present, and `leak_q` is the probability that no unnamed cause does. Where other states than the
presence of a binary parent act, `q` lists them by their labels. Where the child has more than two
states, each q is an object by level, from the state that is nearest to the one without causes: the
probability that a cause that brings about at most this level brings about less. Causes that no
record has are in `unseen`, by parent, state and level (see `causes_json`). `parameters` are
those of the relation; its parents must be listed in the order of the variables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noisyor.core import (
    Distribution,
    Family,
    FormatError,
    Provenance,
    Relation,
    SettingsError,
    Variable,
)
from noisyor.core.configurations import configuration_count
from noisyor.core.network import ROW_TOLERANCE, normalised
from noisyor.core.relations import (
    all_relations,
    binary_table,
    full_table,
    relation_named,
    root_relation,
)
from noisyor.core.variable import BINARY, States
from noisyor.core.variable_sets import MAX_NODES, set_of
from noisyor.formats.causes_json import causes_from_json, causes_to_json
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.scope_json import provenance_from_json

VERSION = 1

Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class NamedVariables:
    """The variables of a file, and the number of each by its name."""

    variables: tuple[Variable, ...]
    number: Mapping[str, int]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(self.number)


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
    """Return the format that a document states."""
    content = document.by_name()
    if "format" not in content:
        raise document.wrong("lacks 'format', so it is not one of noisyor")
    return content["format"].text()


def variable_to_json(variable: Variable) -> Document:
    """Return the name and the states of a variable."""
    said: Document = {"name": variable.name}
    if variable.is_binary:
        absent, present = variable.states
        said["states"] = {"absent": absent, "present": present}
    else:
        said["states"] = list(variable.states)
    if variable.ordered:
        said["ordered"] = True
    return said


def distribution_to_json(
    distribution: Distribution, child: Variable, parents: Sequence[Variable]
) -> Document:
    """Return the parameters at a node with these parents, ascending."""
    said: Document = {"relation": distribution.relation.name_for(child.state_count)}
    if distribution.relation.closed_form:
        table = distribution.expand()
        if _all_binary(distribution.child_states, distribution.parent_states):
            said["present"] = table.present.tolist()
        else:
            said["chances"] = table.table.tolist()
        if table.unseen.any():
            said["unseen"] = np.flatnonzero(table.unseen).tolist()
    elif distribution.relation.causes is not None:
        said |= causes_to_json(distribution, child, parents)
    else:
        said["parameters"] = distribution.parameters().tolist()
    return said


def variables_from_json(entries: Sequence[Mapping[str, JsonPlace]]) -> NamedVariables:
    """Return the variables from their fields `name`, `states` and, optionally, `ordered`."""
    variables: list[Variable] = []
    number: dict[str, int] = {}
    for entry in entries:
        name_at, states_at = entry["name"], entry["states"]
        name = name_at.text()
        if not name.strip():
            raise name_at.wrong("is empty; every variable needs a name")
        if name in number:
            raise name_at.wrong(f"is {name!r:.60}, which an earlier variable has too")
        number[name] = len(number)
        ordered = "ordered" in entry and entry["ordered"].truth()
        labels = _states(states_at)
        with complaints_at(states_at):
            variables.append(Variable(name, labels, ordered))
    return NamedVariables(tuple(variables), number)


def _states(place: JsonPlace) -> States:
    if isinstance(place.value, list):
        listed = tuple(one.text() for one in place.entries())
        if len(listed) == BINARY:
            raise place.wrong("is a list of two; two states are {'absent': ..., 'present': ...}")
        return listed
    fields = place.fields("absent", "present")
    absent, present = fields["absent"].text(), fields["present"].text()
    if absent == present:
        raise place.wrong(f"has the same label {absent!r:.60} twice; they must differ")
    return absent, present


def variable_entries(place: JsonPlace) -> list[JsonPlace]:
    """Return the entries of the list of variables: at least one, and not too many."""
    entries = place.entries()
    if not 1 <= len(entries) <= MAX_NODES:
        raise place.wrong(f"has {len(entries)} entries; allowed: 1 to {MAX_NODES}")
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
    distribution = _distribution(distribution_at, child, parents, variables)
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


def _all_binary(child_states: int, parent_states: Sequence[int]) -> bool:
    return {child_states, *parent_states} == {BINARY}


def _distribution(
    place: JsonPlace, child: int, parents: list[int], variables: NamedVariables
) -> Distribution:
    optional = ("present", "chances", "unseen", "q", "leak_q", "parameters")
    relation = _relation(place.fields("relation", optional=optional)["relation"], bool(parents))
    child_states = variables.variables[child].state_count
    states = [variables.variables[parent].state_count for parent in parents]
    if relation.closed_form:
        if _all_binary(child_states, states):
            return _binary_table(place, parents)
        return _table(place, parents, states, child_states)
    above = [variables.variables[parent] for parent in sorted(parents)]
    if not relation.supports(variables.variables[child], above):
        raise place.wrong(f"is {relation}, which is not defined for variables with these states")
    if relation.causes is not None:
        return causes_from_json(place, relation, variables.variables[child], above)
    if parents != sorted(parents):
        raise place.wrong(
            f"is {relation}, whose parents must be listed in the order of the variables: "
            f"{', '.join(one.name for one in above)}"
        )
    parameters = _parameters(place, relation, child_states, states)
    try:
        return relation.distribution(parameters, child_states, [one.state_count for one in above])
    except ValueError as error:
        raise place.wrong(f"is not a valid {relation}: {error}") from error


def _relation(place: JsonPlace, has_parents: bool) -> Relation:
    name = place.text()
    try:
        relation = relation_named(name)
    except SettingsError:
        known = ", ".join(one.name for one in all_relations())
        raise place.wrong(f"is {name!r:.60}; allowed: {known}") from None
    if relation.needs_parents and not has_parents:
        raise place.wrong(f"is {name!r}, but a node without parents is always {root_relation()}")
    return relation


def _parameters(
    place: JsonPlace, relation: Relation, child_states: int, parent_states: Sequence[int]
) -> list[float]:
    listed = place.fields("relation", "parameters")["parameters"]
    numbers = [one.number() for one in listed.entries()]
    needed = relation.parameter_count(child_states, parent_states)
    if len(numbers) != needed:
        raise listed.wrong(f"has {len(numbers)} numbers; {relation} needs {needed} here")
    return numbers


def _binary_table(place: JsonPlace, parents: list[int]) -> Distribution:
    fields = place.fields("relation", "present", optional=("unseen",))
    present = fields["present"].probabilities()
    _check_rows(fields["present"], len(present), [BINARY] * len(parents))
    unseen = _unseen(fields, len(present))
    rows = _rows_of_ascending(parents)
    return binary_table(present[rows], unseen[rows])


def _table(
    place: JsonPlace, parents: list[int], states: list[int], child_states: int
) -> Distribution:
    fields = place.fields("relation", "chances", optional=("unseen",))
    listed = [row.probabilities() for row in fields["chances"].entries()]
    _check_rows(fields["chances"], len(listed), states)
    for row_at, row in zip(fields["chances"].entries(), listed, strict=True):
        if len(row) != child_states:
            raise row_at.wrong(f"has {len(row)} numbers; the variable has {child_states} states")
        if abs(row.sum() - 1) > ROW_TOLERANCE:
            raise row_at.wrong(f"sums to {row.sum():g}; it must be 1, within {ROW_TOLERANCE:g}")
    # Listed with the first parent fastest: its axis is the last of an array of these rows.
    slowest_first = tuple(reversed(range(len(parents))))
    order = tuple(slowest_first[t] for t in sorted(range(len(parents)), key=parents.__getitem__))
    rows = normalised(np.array(listed)).reshape((*reversed(states), child_states))
    unseen = _unseen(fields, len(listed)).reshape(tuple(reversed(states)))
    return full_table(rows.transpose((*order, len(parents))), unseen.transpose(order))


def _check_rows(place: JsonPlace, rows: int, states: list[int]) -> None:
    needed = configuration_count(states)
    if rows != needed:
        raise place.wrong(f"has {rows} rows; {len(states)} parents need {needed}")


def _unseen(fields: Mapping[str, JsonPlace], rows: int) -> npt.NDArray[np.bool_]:
    unseen = np.zeros(rows, dtype=np.bool_)
    if "unseen" in fields:
        unseen[fields["unseen"].whole_numbers(0, rows - 1)] = True
    return unseen


def _rows_of_ascending(parents: list[int]) -> npt.NDArray[np.intp]:
    """Return, for each row with the parents in ascending order, the row as the file lists it."""
    rows = np.zeros(1, dtype=np.intp)
    for place in sorted(range(len(parents)), key=parents.__getitem__):
        rows = np.concatenate([rows, rows | (1 << place)])
    return rows
