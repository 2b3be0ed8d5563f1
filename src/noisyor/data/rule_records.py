"""Rules about columns as JSON documents, each field checked when they are read back."""

import json
from collections.abc import Sequence
from typing import Any

from noisyor.core.errors import FormatError

_MOST_DIGITS = 300


def parse_object(text: str, where: str) -> dict[str, Any]:
    """Return a JSON text as an object, or say where it is broken."""
    try:
        document = json.loads(text, parse_int=_whole_number)
    except ValueError as error:
        raise FormatError(f"{where} is not JSON: {error}") from error
    except RecursionError as error:
        raise FormatError(f"{where} is nested too deeply") from error
    if not isinstance(document, dict):
        raise FormatError(f"{where} must hold a JSON object, not a {type(document).__name__}")
    return document


def parse_rules(
    text: str, where: str, format_name: str, version: int
) -> tuple[list[Any], tuple[str, ...], int]:
    """Return the rules, the ignored columns and the number of records of a record of rules.

    Parameters
    ----------
    text
        The record, a JSON object.
    where
        The file, for messages.
    format_name, version
        The format and version that the record must have.
    """
    document = parse_object(text, where)
    found = document.get("format"), document.get("version")
    if found != (format_name, version):
        raise FormatError(
            f"{where} has the format {found[0]!r}, version {found[1]!r}; this is noisyor's reader "
            f"of {format_name!r}, version {version}"
        )
    expect_fields(
        document, {"format", "version", "records", "ignored", "rules"}, where, "the record"
    )
    records = document["records"]
    if type(records) is not int or records < 0:
        raise FormatError(f"{where}: 'records' is {records!r}; it must be a whole number")
    rules = document["rules"]
    if not isinstance(rules, list):
        raise FormatError(f"{where}: 'rules' must be a list")
    return rules, texts_in(document["ignored"], where, "ignored"), records


def rules_text(
    rules: Sequence[dict[str, Any]],
    ignored: Sequence[str],
    records: int,
    format_name: str,
    version: int,
) -> str:
    """Return a record that `parse_rules` reads; numbers read back exactly."""
    document = {
        "format": format_name,
        "version": version,
        "records": records,
        "ignored": list(ignored),
        "rules": list(rules),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _whole_number(text: str) -> int:
    """Return a whole number that a float can hold, too."""
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits; at most {_MOST_DIGITS} are read")
    return int(text)


def expect_fields(document: dict[str, Any], fields: set[str], where: str, what: str) -> None:
    """Refuse an object with missing or unknown fields."""
    if set(document) != fields:
        raise FormatError(
            f"{where}: {what} has the fields {', '.join(sorted(document))}; expected: "
            f"{', '.join(sorted(fields))}"
        )


def texts_in(values: object, where: str, field: str) -> tuple[str, ...]:
    """Return a list of texts, or refuse anything else."""
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise FormatError(f"{where}: {field!r} must be a list of texts")
    for value in values:
        if not isinstance(value, str):
            raise FormatError(f"{where}: {field!r} holds {value!r}; it must hold texts only")
    return tuple(values)
