"""The JSON object that noisyor keeps in the metadata of its Parquet files."""

import json
from typing import NoReturn

from noisyor.core import FormatError
from noisyor.formats.scope_json import field


def document_in(metadata: dict[str, str], key: str, version: int) -> object:
    """Return the object under a key, which must be of a version that can be read."""
    if key not in metadata:
        raise FormatError(f"its metadata lack the key {key!r}")
    try:
        document = json.loads(metadata[key], parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"its metadata are not JSON: {error}") from error
    written = field(document, "version", int)
    if written != version:
        raise FormatError(
            f"it is written in version {written} of the format; this noisyor reads {version}"
        )
    return document


def _refuse_constant(name: str) -> NoReturn:
    raise FormatError(f"{name} is not a number of JSON")
