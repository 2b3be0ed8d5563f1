"""Split the text of a network file into words, quoted texts and punctuation, in one pass."""

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from noisyor.core import FormatError

_SPACE = re.compile(r"\s++")
_ESCAPED_CHARACTER = re.compile(r'\\(?:(["\\])|([nrt])|\n[ \t]*+(?:\\\|)?)')
_ESCAPED_QUOTE = re.compile(r'\\(["\\])')
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t"}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Syntax:
    r"""What the tokens of a format are.

    Parameters
    ----------
    marks
        The punctuation marks, each of which is a token.
    line_comment
        What begins a comment that ends with its line.
    block_comments
        Whether there are comments between `/*` and `*/`, too.
    long_texts
        Whether a quoted text may have line breaks, and escapes other than of a quotation mark or a
        backslash: of a line break (with the indentation that follows, and a `\|` at its end), and
        `\n`, `\r` and `\t`.
    """

    marks: str
    line_comment: str
    block_comments: bool
    long_texts: bool
    mark_or_word: re.Pattern[str] = field(init=False, repr=False)
    quoted: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Compile the patterns, possessive throughout: the time is linear in the text."""
        marks, first = re.escape(self.marks), re.escape(self.line_comment[0])
        rest = [self.line_comment[1:], *(["*"] if self.block_comments else [])]
        no_comment = f"{first}(?!{'|'.join(map(re.escape, rest))})" if all(rest) else "(?!)"
        word = rf'(?:[^\s{marks}"{first}]++|{no_comment})++'
        object.__setattr__(self, "mark_or_word", re.compile(rf"\s*+(?:([{marks}])|({word}))"))
        broken = "" if self.long_texts else r"\n"
        any_escaped = r"[\s\S]" if self.long_texts else r"[^\n]"
        quoted = rf'"((?:[^"\\{broken}]++|\\{any_escaped})*+)"'
        object.__setattr__(self, "quoted", re.compile(quoted))


class Kind(Enum):
    """The kind of a token."""

    WORD = auto()
    QUOTED = auto()
    PUNCTUATION = auto()
    END = auto()


class Tokens:
    """The tokens of a text, one at a time; `kind` and `text` are those of the current one."""

    def __init__(self, text: str, syntax: Syntax) -> None:
        text = text.removeprefix("\ufeff")
        self._source = text.replace("\r\n", "\n").replace("\r", "\n")
        self._syntax = syntax
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
        found = self._syntax.mark_or_word.match(self._source, self._end)
        if found is None:  # a comment, a quotation mark or the end is next
            self._skip_space_and_comments()
            self._end = self._start
            found = self._syntax.mark_or_word.match(self._source, self._start)
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
        quoted = self._syntax.quoted.match(self._source, self._start)
        if quoted is None:
            where = "" if self._syntax.long_texts else " on its line"
            raise self.error(f"a quotation mark is not closed{where}")
        self.kind, self._end = Kind.QUOTED, quoted.end()
        if self._syntax.long_texts:
            self.text = _ESCAPED_CHARACTER.sub(_character, quoted[1])
        else:
            self.text = _ESCAPED_QUOTE.sub(r"\1", quoted[1])

    def _skip_space_and_comments(self) -> None:
        """Move the start to where the next token begins."""
        source, position = self._source, self._end
        while True:
            self._start = position
            space = _SPACE.match(source, position)
            if space is not None:
                position = space.end()
            elif source.startswith(self._syntax.line_comment, position):
                newline = source.find("\n", position)
                position = len(source) if newline < 0 else newline
            elif self._syntax.block_comments and source.startswith("/*", position):
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

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that something other than the current token should be here."""
        found = "the end of the file" if self.kind is Kind.END else f"{self.text!r:.{_SHOWN}}"
        return self.error(f"there is {found} where {expected} should be")

    def error(self, message: str) -> FormatError:
        """Return an error at the current token."""
        return FormatError(f"line {self.line}: {message}")


def _character(escape: re.Match[str]) -> str:
    """Return what an escape stands for; an escaped line break stands for nothing."""
    same, control = escape.groups()
    return same or _CONTROLS.get(control or "", "")
