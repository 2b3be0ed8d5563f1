"""Checks of a report's content that was read from a file.

The shape is declared in `content_shape`. The type checker enforces it for the content that noisyor
makes; here the same declarations are checked against JSON. Then come the conditions that types
cannot express: that places are consistent with each other.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from noisyor.core import Family, Structure
from noisyor.core.configurations import configuration_count
from noisyor.core.relations import CauseModel, relation_named
from noisyor.core.variable import BINARY, MAX_STATES
from noisyor.core.variable_sets import set_of
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.network_parts_json import variable_entries
from noisyor.reporting.content_shape import Content, Live, PlaceIn
from noisyor.reporting.family_content import kind_of

MOST_LEVELS = 20
"""The most levels of nesting in the section on the run, far more than noisyor writes."""

Fields = Mapping[str, JsonPlace]
Lengths = Mapping[str, int]


def check_content(content: Mapping[str, Any]) -> None:
    """Refuse content that no page can be made from; a FormatError says where it is wrong."""
    document = JsonPlace(dict(content))
    fields = document.fields(*_hints(Content))
    lengths = {
        "variables": len(variable_entries(fields["variables"])),
        "families": len(fields["families"].entries()),
        "live families": _live_families(fields["live"]),
    }
    _check(document, Content, lengths)
    states = [_states(one) for one in fields["variables"].entries()]
    families = [_family(one, states) for one in fields["families"].entries()]
    _check_arcs(fields["arcs"])
    _check_length(fields["nodes"], lengths["variables"], "entries, one for each variable")
    for number, node in enumerate(fields["nodes"].entries()):
        own = node.by_name()["families"]
        if any(families[place].child != number for place in _numbers(own)):
            raise own.wrong("names a family of another variable")
    names = tuple(one["name"] for one in content["variables"])
    members = [one.by_name()["families"] for one in fields["members"].entries()]
    for network in (fields["best"], *members):
        _check_network(network, names, families)
    if fields["live"].value is not None:
        _check_live(fields["live"].by_name(), names, states)
    if fields["set"].value is None:
        _check_alone(fields, content)
    else:
        _check_known(fields, content)
        _check_errors(fields["set"].by_name()["sampling"], content)
    _check_bootstrap(fields["bootstrap"], len(content["arcs"]))
    _check_tiers(fields["tiers"], content)
    _check_seconds(fields["run"].by_name().get("seconds"))


def _check(place: JsonPlace, shape: Any, lengths: Lengths) -> None:  # noqa: ANN401  (a type)
    """Refuse a value that is not of a declared shape."""
    origin, inner = get_origin(shape), get_args(shape)
    if is_typeddict(shape):
        hints = _hints(shape)
        for key, one in place.fields(*hints).items():
            _check(one, hints[key], lengths)
    elif origin is list:
        for one in place.entries():
            _check(one, inner[0], lengths)
    elif origin is dict:
        for key, one in place.by_name().items():
            _check(JsonPlace(key, f"a key of {place.path}"), inner[0], lengths)
            _check(one, inner[1], lengths)
    elif origin in {Union, UnionType}:
        if place.value is not None or NoneType not in inner:
            _check(place, _alternative(place, inner), lengths)
    else:
        _check_single(place, shape, lengths)


@cache
def _hints(shape: type) -> dict[str, Any]:
    """Return the declared fields of an object, cached: finding them is slower than a check."""
    return get_type_hints(shape, include_extras=True)


def _check_single(place: JsonPlace, shape: Any, lengths: Lengths) -> None:  # noqa: ANN401  (a type)
    if get_origin(shape) is Annotated:
        kind, how = get_args(shape)
        if isinstance(how, PlaceIn):
            _check_place(place, kind, lengths[how.key] - 1)
        else:
            how(place)
    elif get_origin(shape) is not Literal:  # a literal is what `_alternative` chose by
        _SINGLE[shape](place)


def _check_place(place: JsonPlace, kind: type | GenericAlias, last: int) -> None:
    if kind is int:
        place.whole_number(0, last)
    else:
        place.whole_numbers(0, last)


def _check_truth(place: JsonPlace) -> None:
    if type(place.value) is not bool:
        raise place.wrong("is neither true nor false")


def _check_whole(place: JsonPlace) -> None:
    place.whole_number(0)


def _check_free(place: JsonPlace, levels: int = MOST_LEVELS) -> None:
    """Refuse what no value may have, whatever its shape: a number that JSON does not have."""
    if not levels:
        raise place.wrong(f"is nested too deeply; allowed are {MOST_LEVELS} levels")
    if isinstance(place.value, float):
        place.number()
    elif isinstance(place.value, list):
        for one in place.entries():
            _check_free(one, levels - 1)
    elif isinstance(place.value, dict):
        for one in place.by_name().values():
            _check_free(one, levels - 1)


_SINGLE: Mapping[Any, Callable[[JsonPlace], object]] = {
    str: JsonPlace.text,
    float: JsonPlace.number,
    int: _check_whole,
    bool: _check_truth,
    Any: _check_free,
}


def _alternative(place: JsonPlace, inner: tuple[Any, ...]) -> Any:  # noqa: ANN401  (a type)
    """Return which of several shapes a value must have; objects say it by their `kind`."""
    shapes = [one for one in inner if one is not NoneType]
    if len(shapes) == 1:
        return shapes[0]
    kinds = {get_args(_hints(one)["kind"])[0]: one for one in shapes}
    content = place.by_name()
    if "kind" not in content:
        raise place.wrong("lacks 'kind'")
    said = content["kind"].text()
    if said not in kinds:
        raise content["kind"].wrong(f"is {said!r:.60}; allowed: {', '.join(kinds)}")
    return kinds[said]


def _numbers(place: JsonPlace) -> list[int]:
    """Return a list of whole numbers that has been checked."""
    return [one.whole_number(0) for one in place.entries()]


def _check_length(place: JsonPlace, count: int, what: str) -> None:
    length = len(place.entries())
    if length != count:
        raise place.wrong(f"has {length} entries; it must have {count} {what}")


def _states(place: JsonPlace) -> int:
    """Return the number of states of a variable, each with its records."""
    fields = place.by_name()
    count = len(fields["states"].entries())
    if not 1 <= count <= MAX_STATES:
        raise fields["states"].wrong(f"has {count} labels; allowed: 1 to {MAX_STATES}")
    if fields["records"].value is not None:
        _check_length(fields["records"], count, "numbers, one for each state")
    if fields["presence"].value is not None:
        fields["presence"].whole_number(0, count - 1)
    return count


def _family(place: JsonPlace, states: Sequence[int]) -> Family:
    """Return a family after checking the number of its parameters."""
    fields = place.by_name()
    parents = _numbers(fields["parents"])
    if parents != sorted(set(parents)):
        raise fields["parents"].wrong("must have each parent once, in ascending order")
    relation = relation_named(fields["relation"].text())
    try:
        family = Family(fields["child"].whole_number(0), set_of(parents), relation)
    except ValueError as error:
        raise place.wrong(f"is no family: {error}") from error
    parameters = fields["parameters"].by_name()
    kind = kind_of(relation)
    if parameters["kind"].value != kind:
        raise parameters["kind"].wrong(f"must be {kind!r}, since the relation is {relation}")
    if relation.causes is not None:
        _check_causes(parameters, family, relation.causes, states)
    elif kind == "table":
        _check_table(parameters, states[family.child], [states[parent] for parent in parents])
    return family


def _check_table(fields: Fields, child_states: int, parent_states: Sequence[int]) -> None:
    configurations = fields["configurations"]
    configurations.whole_numbers(0, configuration_count(parent_states) - 1)
    for key in ("chances", "records"):
        if fields[key].value is not None:
            _check_length(fields[key], len(configurations.entries()), "as 'configurations' has")
    for row in fields["chances"].entries():
        _check_length(row, child_states - 1, "numbers, one for each state but the first")


def _check_causes(fields: Fields, family: Family, model: CauseModel, states: Sequence[int]) -> None:
    """Refuse causes that are not those of the family; idle states may be missing."""
    parents = family.parent_indices()
    allowed = {
        (parent, state) for parent in parents for state in model.acting_states(states[parent])
    }
    listed = [one.value for one in fields["parents"].entries()]
    for key in ("states", "effects", "strengths"):
        _check_length(fields[key], len(listed), "values, one for each cause")
    fields["effects"].whole_numbers(0, states[family.child] - 1)
    fields["unseen"].whole_numbers(0, len(listed) - 1)
    acting, effects = _numbers(fields["states"]), _numbers(fields["effects"])
    found = set()
    for at, one in enumerate(zip(listed, acting, effects, strict=True)):
        parent, state, _ = one
        if not (model.leak if parent is None else (parent, state) in allowed) or one in found:
            raise (fields["parents"].entries()[at].wrong("is no cause of this family, or repeated"))
        found.add(one)
    if model.leak and None not in listed:
        raise fields["parents"].wrong("lacks the leak, which is null")
    if fields["explained"].value is not None:
        explained = fields["explained"].by_name()
        for key in ("lower", "upper", "determined"):
            _check_length(explained[key], len(listed), "values, one for each cause")


def _check_arcs(place: JsonPlace) -> None:
    seen = set()
    for one in place.entries():
        arc = tuple(one.by_name()[key].whole_number(0) for key in ("parent", "child"))
        if arc in seen or arc[0] == arc[1]:
            raise one.wrong("leads from a variable to itself" if arc not in seen else "is repeated")
        seen.add(arc)


def _check_network(place: JsonPlace, names: tuple[str, ...], families: list[Family]) -> None:
    with complaints_at(place):
        try:
            Structure(names, tuple(families[at] for at in _numbers(place)))
        except ValueError as error:
            raise place.wrong(f"is no network: {error}") from error


def _check_alone(fields: Fields, content: Mapping[str, Any]) -> None:
    """Refuse a single network with members, or without a title."""
    if content["members"]:
        raise fields["members"].wrong("must be empty, since there is no credible set")
    if content["bootstrap"] is not None:
        raise fields["bootstrap"].wrong("must be null, since there is no credible set")
    if content["title"] is None:
        raise fields["title"].wrong("is missing, since there is no credible set")


def _check_known(fields: Fields, content: Mapping[str, Any]) -> None:
    """Refuse a credible set without members, records or costs."""
    if not content["members"]:
        raise fields["members"].wrong("must have the best network of the credible set")
    if content["records"] is None:
        raise fields["records"].wrong("is missing, since there is a credible set")
    for place, variable in zip(fields["variables"].entries(), content["variables"], strict=True):
        if variable["records"] is None:
            raise place.wrong("lacks its records")
    for place, family in zip(fields["families"].entries(), content["families"], strict=True):
        if family["cost"] is None or family["parameters"].get("records", 0) is None:
            raise place.wrong("lacks its cost or its records")


def _live_families(place: JsonPlace) -> int:
    """Return the number of families that can be asked."""
    if place.value is None:
        return 0
    return len(place.fields(*_hints(Live))["families"].entries())


def _check_live(fields: Fields, names: tuple[str, ...], states: Sequence[int]) -> None:
    """Refuse live families with other numbers of parameters, and networks that are none."""
    families = [_live_family(place, states) for place in fields["families"].entries()]
    networks = fields["networks"].entries()
    for network in networks:
        _check_network(network.by_name()["families"], names, families)
    if networks and not any(one.by_name()["weight"].value for one in networks):
        raise fields["networks"].wrong("has no network with a weight above 0")


def _live_family(place: JsonPlace, states: Sequence[int]) -> Family:
    fields = place.by_name()
    child, parents = fields["child"].whole_number(0), _numbers(fields["parents"])
    if parents != sorted(set(parents)):
        raise fields["parents"].wrong("must have each parent once, in ascending order")
    sizes, effect = [states[parent] for parent in parents], fields["effect"]
    if effect.text() == "table":
        count = states[child] * configuration_count(sizes)
    elif states[child] < BINARY:
        raise effect.wrong("must be 'table', since the variable has a single state")
    else:
        count = (states[child] - 1) * (sum(sizes) + 1)
    _check_length(fields["values"], count, "numbers, the parameters of the family")
    try:
        return Family(child, set_of(parents))
    except ValueError as error:
        raise place.wrong(f"is no family: {error}") from error


def _check_tiers(place: JsonPlace, content: Mapping[str, Any]) -> None:
    """Refuse tiers of other variables, and an arc that leads to an earlier one."""
    tiers = content["tiers"]
    if tiers is None:
        return
    _check_length(place, len(content["variables"]), "entries, one for each variable")
    if any(tiers[arc["parent"]] > tiers[arc["child"]] for arc in content["arcs"]):
        raise place.wrong("contradicts an arc, which leads to an earlier tier")


def _check_bootstrap(place: JsonPlace, arcs: int) -> None:
    """Refuse shares of other arcs, and more resamples than were asked for."""
    if place.value is None:
        return
    fields = place.by_name()
    for key in ("shares", "errors", "weights"):
        if fields[key].value is not None:
            _check_length(fields[key], arcs, "numbers, one for each arc")
    most = fields["asked"].whole_number(1)
    fields["unproven"].whole_number(0, fields["resamples"].whole_number(0, most))


def _check_errors(place: JsonPlace, content: Mapping[str, Any]) -> None:
    """Refuse standard errors of other arcs or families."""
    if place.value is not None:
        fields = place.by_name()
        _check_length(fields["arc_errors"], len(content["arcs"]), "numbers, one for each arc")
        families = len(content["families"])
        _check_length(fields["family_errors"], families, "numbers, one for each family")


def _check_seconds(place: JsonPlace | None) -> None:
    """Refuse times that are not floating-point numbers, since they are added up."""
    if place is not None and isinstance(place.value, dict):
        for one in place.by_name().values():
            if type(one.value) is int:
                one.number()
