"""Changes to the text of an XML file that leave all else in it as it is, byte for byte."""

from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from noisyor.formats.xml_elements import Element

_QUOTES = b"\"'"
_BLANKS = b" \t\r\n"


def escaped_text(text: str) -> str:
    """Return a text as it stands in XML between tags."""
    # A reader of XML takes a carriage return for a line end unless it is spelled out.
    return escape(text, {"\r": "&#13;"})


def element_text(tag: str, text: str, **attributes: str) -> str:
    """Return an element with a text and nothing else in it."""
    listed = "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items())
    return f"<{tag}{listed}>{escaped_text(text)}</{tag}>"


@dataclass(slots=True)
class XmlEdits:
    """Changes to a text whose elements are known; no two may overlap."""

    source: bytes
    _changes: list[tuple[int, int, bytes]] = field(default_factory=list)

    def edited(self) -> str:
        """Return the text with all changes made."""
        parts, place = [], 0
        # What is inserted at a place comes in the order of the calls, before what follows there.
        for start, end, new in sorted(self._changes, key=lambda change: change[:2]):
            if start < place:
                raise ValueError("two changes of a text overlap")
            parts += [self.source[place:start], new]
            place = end
        return b"".join([*parts, self.source[place:]]).decode()

    def text_of(self, element: Element) -> str:
        """Return an element as it stands in the text."""
        return self.source[element.start : self._end(element)].decode()

    def replace(self, element: Element, new: str) -> None:
        """Put a text in the place of an element."""
        self._changes.append((element.start, self._end(element), new.encode()))

    def remove(self, element: Element) -> None:
        """Take an element away, with the blanks before it."""
        start = element.start - len(self._blanks_before(element.start))
        self._changes.append((start, self._end(element), b""))

    def rename(self, element: Element, tag: str) -> None:
        """Give an element another tag, and keep its attributes and its content."""
        old, new = element.tag.encode(), tag.encode()
        self._changes.append((element.start + 1, element.start + 1 + len(old), new))
        if not self._is_empty(element):
            self._changes.append((element.close + 2, element.close + 2 + len(old), new))

    def insert_after(self, element: Element, *new: str) -> None:
        """Put elements after another one, each on a line of its own if that one has its own."""
        blanks = self._blanks_before(element.start)
        at = self._end(element)
        for one in new:
            self._changes.append((at, at, blanks + one.encode()))

    def insert_first(self, above: Element, new: str) -> None:
        """Put an element before all others in the one above, which has at least one."""
        first = above.children[0].start
        text = new.encode() + self._blanks_before(first)
        self._changes.append((first, first, text))

    def _end(self, element: Element) -> int:
        if self._is_empty(element):
            return element.close
        return self.source.index(b">", element.close) + 1

    def _is_empty(self, element: Element) -> bool:
        """Return whether an element is one tag, which closes itself."""
        place, quote = element.start, 0
        while quote or self.source[place] != ord(">"):
            letter = self.source[place]
            if quote:
                quote = 0 if letter == quote else quote
            elif letter in _QUOTES:
                quote = letter
            place += 1
        return self.source[place - 1] == ord("/")

    def _blanks_before(self, place: int) -> bytes:
        start = place
        while start and self.source[start - 1] in _BLANKS:
            start -= 1
        return self.source[start:place]
