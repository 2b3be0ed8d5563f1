"""Documents with a digest of themselves: one that the disk has damaged is refused."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from noisyor.core import FormatError, NoisyorError
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace

_SEAL = "sha256"


def sealed(document: Mapping[str, object]) -> bytes:
    """Return the text of a document with a digest that reveals damage."""
    return document_text({**document, _SEAL: _digest(document)}).encode()


def _digest(document: Mapping[str, object]) -> str:
    return hashlib.sha256(document_text(dict(document)).encode()).hexdigest()


@contextmanager
def unsealed(path: Path, *keys: str) -> Iterator[dict[str, JsonPlace]]:
    """Yield the fields of a document made by `sealed`, and compare its digest at the end.

    The caller's errors about the fields come first: a document that is not ours has no digest to
    compare. No value leaves the context before the comparison.
    """
    try:
        document = read_document(path.read_text(encoding="utf-8"))
        places = document.fields(*keys, _SEAL)
        yield places
        if _digest({key: places[key].value for key in keys}) != places[_SEAL].text():
            raise FormatError(f"it does not match its digest ({_SEAL})")
    except (OSError, UnicodeDecodeError, NoisyorError) as error:
        raise FormatError(f"{path} is damaged: {error}") from error
