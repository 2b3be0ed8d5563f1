"""Untrusted XML as a tree of elements that know their lines."""

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from noisyor.core import FormatError

MAX_CHARACTERS = 2**28
MAX_ELEMENTS = 2**20
MAX_DEPTH = 100
"""Far above any file of a network, far below the memory of a machine."""


@dataclass(slots=True, eq=False)
class Element:
    """An element of a file; its text excludes that of its children.

    `start` and `close` are places in the file's UTF-8: of the element, and of its end tag. An
    element without content has no end tag; there, `close` is where the element ends.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    start: int = 0
    close: int = 0
    children: list["Element"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text directly in the element."""
        return "".join(self.texts)

    def all(self, tag: str) -> list["Element"]:
        """Return the children with that tag."""
        return [child for child in self.children if child.tag == tag]

    def only(self, tag: str) -> "Element | None":
        """Return the child with that tag, or None; two are refused."""
        found = self.all(tag)
        if len(found) > 1:
            raise FormatError(f"line {found[1].line}: a second <{tag}> in the same <{self.tag}>")
        return found[0] if found else None


class _TreeBuilder:
    """Collects elements as the parser meets them."""

    def __init__(self) -> None:
        # A string is already decoded, so the encoding that the file declares no longer matters.
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._refuse_document_type
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.top = Element("", {}, 0)
        self._open = [self.top]
        self._count = 0

    def _refuse_document_type(self, *_: object) -> NoReturn:
        """Refuse before the declarations inside are read, let alone expanded."""
        raise FormatError(
            f"line {self.parser.CurrentLineNumber}: it has a document type (<!DOCTYPE), which may "
            "declare entities that grow without bound; remove it"
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise FormatError(f"line {line}: it has more than {MAX_ELEMENTS} elements")
        if len(self._open) > MAX_DEPTH:
            raise FormatError(f"line {line}: its elements are nested more than {MAX_DEPTH} deep")
        element = Element(tag, attributes, line, self.parser.CurrentByteIndex)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, _: str) -> None:
        self._open.pop().close = self.parser.CurrentByteIndex

    def _text(self, text: str) -> None:
        self._open[-1].texts.append(text)


def parse_elements(text: str) -> Element:
    """Return the outermost element; refuse XML that is not well-formed, with the line."""
    if len(text) > MAX_CHARACTERS:
        raise FormatError(f"it has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    builder = _TreeBuilder()
    try:
        builder.parser.Parse(text, True)  # the last piece
    except (expat.ExpatError, UnicodeError) as error:
        raise FormatError(f"it is not well-formed XML: {error}") from error
    return builder.top.children[0]
