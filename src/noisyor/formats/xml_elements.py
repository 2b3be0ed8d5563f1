"""Untrusted XML as a tree of elements that know their lines."""

from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from noisyor.core import FormatError

MAX_CHARACTERS = 2**28
MAX_ELEMENTS = 2**20
MAX_DEPTH = 100
"""Far above any file of a network, far below the memory of a machine."""

MAX_DECLARATIONS = 200
"""The most declarations of a document type, of which that of XMLBIF has a dozen."""


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

    def __init__(self, *, document_type: bool) -> None:
        # A string is already decoded, so the encoding that the file declares no longer matters.
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        if document_type:
            self._allow_document_type()
        else:
            self.parser.StartDoctypeDeclHandler = self._refuse_document_type
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.top = Element("", {}, 0)
        self._open = [self.top]
        self._count = 0
        self._declared = 0

    def _allow_document_type(self) -> None:
        """Accept declarations of elements and attributes, but not what could grow or be fetched.

        Attributes that are declared with a default value would be added to each element.
        """
        self.parser.specified_attributes = True
        self.parser.EntityDeclHandler = self._refuse_entity
        self.parser.SkippedEntityHandler = self._refuse_entity
        self.parser.ElementDeclHandler = self._count_declaration
        self.parser.AttlistDeclHandler = self._count_declaration

    def _count_declaration(self, *_: object) -> None:
        self._declared += 1
        if self._declared > MAX_DECLARATIONS:
            raise FormatError(
                f"line {self.parser.CurrentLineNumber}: its document type has more than "
                f"{MAX_DECLARATIONS} declarations"
            )

    def _refuse_entity(self, *_: object) -> NoReturn:
        raise FormatError(
            f"line {self.parser.CurrentLineNumber}: it has an entity of its own, which may grow "
            "without bound; remove it"
        )

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


def parse_elements(text: str, *, document_type: bool = False) -> Element:
    """Return the outermost element; refuse XML that is not well-formed, with the line.

    A document type is refused, too, unless the format usually has one: then it may declare
    elements and attributes, but no entities.
    """
    if len(text) > MAX_CHARACTERS:
        raise FormatError(f"it has {len(text)} characters; at most {MAX_CHARACTERS} are read")
    builder = _TreeBuilder(document_type=document_type)
    try:
        builder.parser.Parse(text, True)  # the last piece
    except (expat.ExpatError, UnicodeError) as error:
        raise FormatError(f"it is not well-formed XML: {error}") from error
    return builder.top.children[0]
