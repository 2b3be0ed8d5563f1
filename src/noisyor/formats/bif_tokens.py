"""Split the text of a BIF file into words and punctuation, in one pass."""

import re
from enum import Enum, auto

from noisyor.core import FormatError

# Possessive throughout: without backtracking, the time is linear in the text.
_SPACE = re.compile(r"\s++")
_MARK_OR_WORD = re.compile(r'\s*+(?:([{}()\[\];,|])|((?:[^\s{}()\[\];,|"/]++|/(?![/*]))++))')
_QUOTED = re.compile(r'"((?:[^"\\\n]++|\\[^\n])*+)"')
_ESCAPED_CHARACTER = re.compile(r'\\(["\\])')
_COMMENT_AFTER = re.compile(r"[ \t]*+//[ \t]*+([^\n]*+)")
_PLAIN_ROW = re.compile(
    r"\(([^(){}\[\];|\"/]*+)\)([0-9eE+\-.,\s]*+);(?:[ \t]*+//[ \t]*+([^\n]*+))?+"
)
_SHOWN = 40


class Kind(Enum):
    """The kind of a token."""

    WORD = auto()
    QUOTED = auto()
    PUNCTUATION = auto()
    END = auto()


class Tokens:
    """The tokens of a text, one at a time; `kind` and `text` are those of the current one."""

    def __init__(self, text: str) -> None:
        text = text.removeprefix("\ufeff")
        self._source = text.replace("\r\n", "\n").replace("\r", "\n")
        self._start = self._end = 0
        self._counted_to, self._line = 0, 1
        self.kind = Kind.END
        self.text = ""

    @property
    def line(self) -> int:
        """The line of the current token, from 1."""
        self._line += self._source.count("\n", self._counted_to, self._start)
        self._counted_to = self._start
        return self._line

    def advance(self) -> None:
        """Go to the next token."""
        found = _MARK_OR_WORD.match(self._source, self._end)
        if found is None:  # a comment, a quotation mark or the end is next
            self._skip_space_and_comments()
            self._end = self._start
            found = _MARK_OR_WORD.match(self._source, self._start)
        if found is None:
            self._advance_to_quoted_or_end()
            return
        mark, word = found.groups()
        self.kind, self.text = (Kind.WORD, word) if mark is None else (Kind.PUNCTUATION, mark)
        self._end = found.end()
        self._start = self._end - len(self.text)

    def _advance_to_quoted_or_end(self) -> None:
        if self._start == len(self._source):
            self.kind, self.text = Kind.END, ""
            return
        quoted = _QUOTED.match(self._source, self._start)
        if quoted is None:
            raise self.error("a quotation mark is not closed on its line")
        self.kind, self._end = Kind.QUOTED, quoted.end()
        self.text = _ESCAPED_CHARACTER.sub(r"\1", quoted[1])

    def _skip_space_and_comments(self) -> None:
        """Move the start to where the next token begins."""
        source, position = self._source, self._end
        while True:
            self._start = position
            space = _SPACE.match(source, position)
            if space is not None:
                position = space.end()
            elif source.startswith("//", position):
                newline = source.find("\n", position)
                position = len(source) if newline < 0 else newline
            elif source.startswith("/*", position):
                closing = source.find("*/", position + 2)
                if closing < 0:
                    raise self.error("a comment /* is never closed")
                position = closing + 2
            else:
                return

    def is_mark(self, mark: str) -> bool:
        """Return whether the current token is this punctuation mark."""
        return self.kind is Kind.PUNCTUATION and self.text == mark

    def is_word(self, word: str) -> bool:
        """Return whether the current token is this word, not in quotation marks."""
        return self.kind is Kind.WORD and self.text == word

    def is_name(self) -> bool:
        """Return whether the current token may be a name, a label or a number."""
        return self.kind is Kind.WORD or self.kind is Kind.QUOTED

    def expect_mark(self, mark: str) -> None:
        """Refuse anything but this punctuation mark, then advance."""
        if not self.is_mark(mark):
            raise self.unexpected(f"{mark!r}")
        self.advance()

    def text_until_semicolon(self) -> str:
        """Return the source after the current token up to a semicolon, and advance past it."""
        semicolon = self._source.find(";", self._end)
        if semicolon < 0:
            raise self.error(f"there is no ';' after {self.text!r:.{_SHOWN}}")
        between = self._source[self._end : semicolon]
        self._end = semicolon + 1
        self.advance()
        return between

    @property
    def place(self) -> int:
        """Where the current token ends, for `return_to`."""
        return self._end

    def return_to(self, place: int) -> None:
        """Make the token that ends there current again; `kind` and `text` must still be its own."""
        self._end = place

    def plain_row(self) -> tuple[str, str, str] | None:
        """Return the labels, numbers and comment of a row that begins here, and advance past it.

        If the row is not plain, return None and do nothing. Nearly all rows are plain, and are
        matched in one step instead of token by token.
        """
        found = _PLAIN_ROW.match(self._source, self._start)
        if found is None:
            return None
        labels, numbers, comment = found.groups()
        self._end = found.end()
        return labels, numbers, (comment or "").rstrip()

    def comment_after(self) -> str:
        """Return the comment that follows the current token on its line, or an empty text."""
        comment = _COMMENT_AFTER.match(self._source, self._end)
        return "" if comment is None else comment[1].rstrip()

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that something other than the current token should be here."""
        found = "the end of the file" if self.kind is Kind.END else f"{self.text!r:.{_SHOWN}}"
        return self.error(f"there is {found} where {expected} should be")

    def error(self, message: str) -> FormatError:
        """Return an error at the current token."""
        return FormatError(f"line {self.line}: {message}")
