"""What a score table promises, as JSON."""

from typing import Any, TypeVar

from noisyor.core import (
    BayesFactor,
    Constraints,
    FormatError,
    Prior,
    Provenance,
    Score,
    TableScope,
    Variable,
)
from noisyor.core.relations import relation_named
from noisyor.core.score import score_named

Kind = TypeVar("Kind")


def scope_to_json(scope: TableScope) -> dict[str, Any]:
    """Return a scope as JSON's own types; sets of variables are hexadecimal, bit v variable v."""
    factor, score, relations = scope.bayes_factor, scope.score, scope.relations
    known = scope.variables
    return {
        "bayes_factor": None if factor is None else factor.value,
        "score": None if score is None else score.name,
        "relations": None if relations is None else [relation.name for relation in relations],
        "constraints": constraints_to_json(scope.constraints),
        "provenance": provenance_to_json(scope.provenance),
        "shortfalls": list(scope.shortfalls),
        "states": None if known is None else [_states_to_json(variable) for variable in known],
        "prior": str(scope.prior),
    }


def _states_to_json(variable: Variable) -> dict[str, Any]:
    return {"labels": list(variable.states), "ordered": variable.ordered}


def constraints_to_json(constraints: Constraints) -> dict[str, Any]:
    """Return constraints as JSON's own types; sets of variables are hexadecimal."""
    return {
        "allowed": [hex(parents) for parents in constraints.allowed],
        "required": [hex(parents) for parents in constraints.required],
        "max_parents": constraints.max_parents,
    }


def scope_from_json(document: object, names: tuple[str, ...]) -> TableScope:
    """Return the scope that `scope_to_json` wrote; a FormatError says which field is wrong."""
    factor = field(document, "bayes_factor", float, int, type(None))
    score = _score(document)
    relations = field(document, "relations", list, type(None))
    return TableScope(
        _constraints(field(document, "constraints", dict), names),
        None if factor is None else BayesFactor(float(factor)),
        score,
        None if relations is None else tuple(map(relation_named, _texts(relations, "relations"))),
        provenance_from_json(field(document, "provenance", dict)),
        tuple(_texts(field(document, "shortfalls", list), "shortfalls")),
        _variables(field(document, "states", list, type(None)), names),
        Prior.parse(field(document, "prior", str)),
    )


def _variables(entries: list[object] | None, names: tuple[str, ...]) -> tuple[Variable, ...] | None:
    if entries is None:
        return None
    if len(entries) != len(names):
        raise FormatError(f"'states' in its metadata has {len(entries)} entries, not {len(names)}")
    return tuple(
        Variable(name, texts(entry, "labels"), field(entry, "ordered", bool))
        for name, entry in zip(names, entries, strict=True)
    )


def _score(document: object) -> Score | None:
    if isinstance(document, dict) and "score" not in document:
        raise FormatError(
            "its metadata lack 'score', the score that its costs are of; score the records again"
        )
    name = field(document, "score", str, type(None))
    return None if name is None else score_named(name)


def provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    """Return the provenance of a result as JSON's own types."""
    return {
        "version": provenance.version,
        "data": provenance.data,
        "records": provenance.records,
        "settings": [list(setting) for setting in provenance.settings],
    }


def provenance_from_json(document: object) -> Provenance:
    """Return what `provenance_to_json` wrote; a FormatError says which field is wrong."""
    pairs = [_texts(pair, "settings") for pair in field(document, "settings", list)]
    if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 (name and value)
        raise FormatError("'settings' in its metadata must be pairs of a name and a value")
    return Provenance(
        field(document, "version", str),
        field(document, "data", str),
        field(document, "records", int),
        tuple((name, value) for name, value in pairs),
    )


def texts(document: object, key: str) -> tuple[str, ...]:
    """Return a list of strings in a JSON object."""
    return tuple(_texts(field(document, key, list), key))


def field(document: object, key: str, *kinds: type[Kind]) -> Kind:
    """Return one value of a JSON object, which must be of one of these types."""
    if not isinstance(document, dict) or key not in document:
        raise FormatError(f"its metadata lack {key!r}")
    value = document[key]
    # type(), not isinstance(): in Python, true and false are integers.
    if type(value) not in kinds:
        expected = " or ".join(kind.__name__ for kind in kinds)
        raise FormatError(f"{key!r} in its metadata is {value!r:.60}; expected: {expected}")
    return value  # type: ignore[no-any-return]  # just checked


def _constraints(document: object, names: tuple[str, ...]) -> Constraints:
    return Constraints(
        names,
        tuple(_sets(field(document, "allowed", list), "allowed")),
        tuple(_sets(field(document, "required", list), "required")),
        field(document, "max_parents", int, type(None)),
    )


def _sets(values: list[object], key: str) -> list[int]:
    try:
        return [int(text, 16) for text in _texts(values, key)]
    except ValueError as error:
        raise FormatError(f"{key!r} in its metadata must be hexadecimal sets: {error}") from error


def _texts(values: object, key: str) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise FormatError(f"{key!r} in its metadata must be a list of strings")
    return values
