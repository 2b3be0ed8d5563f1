"""The tokens of a BIF file, and what its reader matches in one step."""

import re

from noisyor.formats.tokens import Syntax, Tokens

_SYNTAX = Syntax("{}()[];,|", "//", block_comments=True, long_texts=False)
# Possessive throughout: without backtracking, the time is linear in the text.
_COMMENT_AFTER = re.compile(r"[ \t]*+//[ \t]*+([^\n]*+)")
_PLAIN_ROW = re.compile(
    r"\(([^(){}\[\];|\"/]*+)\)([0-9eE+\-.,\s]*+);(?:[ \t]*+//[ \t]*+([^\n]*+))?+"
)
_SHOWN = 40


class BifTokens(Tokens):
    """The tokens of a BIF file, one at a time."""

    def __init__(self, text: str) -> None:
        super().__init__(text, _SYNTAX)

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
