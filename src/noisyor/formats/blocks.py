"""Files of named blocks in braces with `key = value;`: what Hugin, Netica and GeNIe's DSL share.

    node flu
    {
        states = ("yes" "no");
        position = (10 20);
    }
    potential ( cough | flu cold )
    {
        data = (( 0.9 0.1 ) ( 0.2 0.8 ));
    }

A block begins with words, may have names in brackets after them, and holds attributes and other
blocks. A value is a word or a quoted text, a list in brackets, or a block. Semicolons after a block
and commas in a list are optional. This module knows no keyword: what a block means is up to the
reader of the format.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from noisyor.core import FormatError
from noisyor.formats.tokens import Kind, Syntax, Tokens

MAX_DEPTH = 100
"""How deep blocks and lists may be nested: far deeper than in any file of a network."""

MARKS = "{}()=;,|"
_SHOWN = 40
_OF_NUMBERS = r"[0-9eE+\-.,\s]"


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a quoted text, and its line."""

    text: str
    quoted: bool
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class NumberList:
    """A list of what looks like numbers only, kept as text: tables consist of them."""

    source: str
    line: int
    comment: re.Pattern[str]

    def words(self) -> list[str]:
        """Return the numbers, as texts."""
        return self.comment.sub(" ", self.source).replace(",", " ").split()

    def located(self) -> Iterator[Word]:
        """Yield the numbers as words, which have lines."""
        blank = self.comment.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), self.source)
        line, counted_to = self.line, 0
        for found in re.finditer(r"[^\s,]+", blank):
            line += blank.count("\n", counted_to, found.start())
            counted_to = found.start()
            yield Word(found[0], quoted=False, line=line)


@dataclass(slots=True, eq=False)
class List:
    """Any other list in brackets."""

    line: int
    items: list["Value"] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Block:
    """What stands in braces, after `words` and perhaps names in brackets: `potential ( a | b )`.

    An attribute may occur more than once, so `attributes` is a list.
    """

    words: tuple[Word, ...]
    line: int
    child: tuple[Word, ...] = ()
    parents: tuple[Word, ...] = ()
    attributes: list[tuple[str, int, "Value"]] = field(default_factory=list)
    blocks: list["Block"] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The first word of the block, such as `node`; empty if it has none."""
        return self.words[0].text if self.words else ""

    def only(self, key: str) -> "Value | None":
        """Return the value of an attribute, or None; two are refused."""
        found = [(line, value) for name, line, value in self.attributes if name == key]
        if len(found) > 1:
            raise FormatError(f"line {found[1][0]}: a second {key!r} in the same block")
        return found[0][1] if found else None

    def text(self, key: str) -> str | None:
        """Return the word or quoted text of an attribute, or None if it is absent."""
        value = self.only(key)
        if value is None or isinstance(value, Word):
            return None if value is None else value.text
        raise FormatError(f"line {value.line}: {key!r} must be a word or a quoted text")

    def texts(self, key: str) -> list[Word] | None:
        """Return the words and quoted texts in the list of an attribute, or None."""
        value = self.only(key)
        return None if value is None else list(words_in(value))

    def inner(self, key: str) -> "Block | None":
        """Return the block that is the value of an attribute, or None."""
        value = self.only(key)
        if value is None or isinstance(value, Block):
            return value
        raise FormatError(f"line {value.line}: {key!r} must be a block in braces")


Value = Word | NumberList | List | Block


def words_in(value: Value) -> Iterator[Word]:
    """Yield the words and quoted texts of a list and of the lists in it."""
    match value:
        case Word():
            yield value
        case NumberList():
            yield from value.located()
        case List():
            for item in value.items:
                yield from words_in(item)
        case Block():
            raise FormatError(f"line {value.line}: a block where a list should be")


def parse_blocks(text: str, syntax: Syntax) -> Block:
    """Return a block with everything in the text; a FormatError gives the line of an error."""
    return _Parser(text, syntax).document()


class _Parser(Tokens):
    """Reads blocks; the depth is counted, since each level is a call."""

    def __init__(self, text: str, syntax: Syntax) -> None:
        super().__init__(text, syntax)
        mark = re.escape(syntax.line_comment)
        comments = [rf"{mark}[^\n]*+"]
        if syntax.block_comments:
            comments.append(r"/\*(?:[^*]++|\*(?!/))*+\*/")
        self._comment = re.compile("|".join(comments))
        self._number_list = re.compile(rf"\(((?:{_OF_NUMBERS}++|{'|'.join(comments)})*+)\)")

    def document(self) -> Block:
        self.advance()
        whole = Block((), 1)
        while self.kind is not Kind.END:
            self._item(whole, 1)
        return whole

    def _item(self, into: Block, depth: int) -> None:
        """Read an attribute or a block."""
        if self.is_mark(";"):
            self.advance()
            return
        line = self.line
        words = self._names()
        if not words:
            raise self.unexpected("a word")
        if self.is_mark("="):
            if len(words) > 1:
                raise self.error(f"there are {len(words)} words before '='; one is expected")
            self.advance()
            into.attributes.append((words[0].text, line, self._value(depth)))
            return
        block = Block(words, line)
        if self.is_mark("("):
            self.advance()
            block.child = self._names(commas=True)
            if self.is_mark("|"):
                self.advance()
                block.parents = self._names(commas=True)
            self.expect_mark(")")
        self._content(block, depth)
        into.blocks.append(block)

    def _content(self, block: Block, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise self.error(f"blocks are nested more than {MAX_DEPTH} deep")
        self.expect_mark("{")
        while not self.is_mark("}"):
            if self.kind is Kind.END:
                raise FormatError(f"line {block.line}: the block that begins here is never closed")
            self._item(block, depth + 1)
        self.advance()

    def _names(self, *, commas: bool = False) -> tuple[Word, ...]:
        words = []
        while self.is_name() or (commas and self.is_mark(",")):
            if self.is_name():
                words.append(Word(self.text, self.kind is Kind.QUOTED, self.line))
            self.advance()
        return tuple(words)

    def _value(self, depth: int) -> Value:
        """Read a value up to its semicolon, which may be missing after a block or a list."""
        line = self.line
        value: Value
        if self.is_mark("("):
            value = self._list(depth)
        elif self.is_mark("{"):
            value = Block((), line)
            self._content(value, depth)
        else:
            words = self._names()
            if self.is_mark("{"):  # Netica: font {shape = "Arial"; size = 9;}
                value = Block(words, line)
                self._content(value, depth)
            elif words:
                text = " ".join(word.text for word in words)
                value = Word(text, words[0].quoted, line)
                if not self.is_mark(";"):
                    raise self.unexpected("';'")
            else:
                raise self.unexpected("a value")
        if self.is_mark(";"):
            self.advance()
        return value

    def _list(self, depth: int) -> NumberList | List:
        if depth > MAX_DEPTH:
            raise self.error(f"lists are nested more than {MAX_DEPTH} deep")
        line = self.line
        plain = self._number_list.match(self._source, self._start)
        if plain is not None:
            self._end = plain.end()
            self.advance()
            return NumberList(plain[1], line, self._comment)
        self.advance()
        found = List(line)
        while not self.is_mark(")"):
            if self.is_mark("("):
                found.items.append(self._list(depth + 1))
                continue
            if self.is_name() or self.is_mark("=") or self.is_mark("|"):
                found.items.append(Word(self.text, self.kind is Kind.QUOTED, self.line))
            elif not self.is_mark(","):
                raise self.unexpected("a value, ',' or ')'")
            self.advance()
        self.advance()
        return found
