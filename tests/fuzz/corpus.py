"""The corpus: one JSON file per reader, which maps titles of inputs to their bytes.

An input is a text, or `{"base64": ...}`, or `{"parts": [[text, times], ...]}` or, for bytes,
`{"zlib": ...}` if it is long but repetitive. It is JSON because tools that tidy text files would
change a corpus of damaged files, and nobody would notice.
"""

import base64
import json
import zlib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "corpus"
AS_WRITTEN = "as noisyor writes it"
"""The title of the input that `seeds` makes, which must be readable."""

_LONG = 2**14


def inputs_for(reader: str) -> dict[str, bytes]:
    """Return the inputs of a reader, by title."""
    path = FOLDER / f"{reader}.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    return {title: _bytes_of(said) for title, said in document.items()}


def keep(reader: str, title: str, content: bytes) -> None:
    """Add an input for a reader, or replace the one with this title."""
    path = FOLDER / f"{reader}.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    document[title] = _said(content)
    FOLDER.mkdir(exist_ok=True)
    path.write_text(json.dumps(document, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")


def _bytes_of(said: Any) -> bytes:  # noqa: ANN401  (JSON)
    if isinstance(said, str):
        return said.encode()
    if "parts" in said:
        return b"".join(text.encode() * times for text, times in said["parts"])
    if "zlib" in said:
        return zlib.decompress(base64.b64decode(said["zlib"], validate=True))
    return base64.b64decode(said["base64"], validate=True)


def _said(content: bytes) -> object:
    try:
        return content.decode()
    except UnicodeDecodeError:
        if len(content) > _LONG:
            return {"zlib": base64.b64encode(zlib.compress(content, 9)).decode()}
        return {"base64": base64.b64encode(content).decode()}
