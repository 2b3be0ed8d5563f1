"""Blocks in braces: what the grammar accepts, and errors with their lines."""

from collections.abc import Callable

import pytest

from noisyor.core import FormatError
from noisyor.formats.block_tables import ListedNumbers, numbers_in
from noisyor.formats.blocks import (
    MARKS,
    MAX_DEPTH,
    Block,
    NumberList,
    Value,
    Word,
    parse_blocks,
    words_in,
)
from noisyor.formats.row_sums import RowSums
from noisyor.formats.tokens import Syntax

C_LIKE = Syntax(MARKS, "//", block_comments=True, long_texts=True)
PERCENT = Syntax(MARKS, "%", block_comments=False, long_texts=True)


def only_block(text: str, syntax: Syntax = C_LIKE) -> Block:
    (block,) = parse_blocks(text, syntax).blocks
    return block


def value_of(block: Block, key: str) -> Value:
    value = block.only(key)
    assert value is not None
    return value


def test_attributes_and_blocks_in_blocks() -> None:
    block = only_block(
        "net clinic { // a comment\n"
        ' title = "one \\"two\\"\\n\\\n\t\tthree";\n'
        " font = font {shape = Arial; size = 9;};\n"
        " inner a { x = 1; };\n"
        " inner b { x = 2; }\n"
        " /* not = this; */ kind = NATURE;\n"
        "};"
    )
    assert [word.text for word in block.words] == ["net", "clinic"]
    assert block.text("title") == 'one "two"\nthree'
    assert block.text("kind") == "NATURE"
    assert block.text("not") is None
    font = block.inner("font")
    assert font is not None
    assert font.text("shape") == "Arial"
    assert [one.text("x") for one in block.blocks] == ["1", "2"]
    assert [one.line for one in block.blocks] == [5, 6]


def test_the_names_in_brackets_after_the_words() -> None:
    block = only_block("potential ( a | b, c ) { data = (); }")
    assert [word.text for word in block.child] == ["a"]
    assert [word.text for word in block.parents] == ["b", "c"]
    assert block.texts("data") == []


def test_a_list_of_words_has_their_lines() -> None:
    block = only_block('node x {\n states = ( "a b"\n c,\n d );\n numbers = (1, // one\n 2); }')
    assert block.texts("states") == [Word("a b", True, 2), Word("c", False, 3), Word("d", False, 4)]
    numbers = block.only("numbers")
    assert isinstance(numbers, NumberList)
    assert list(words_in(numbers)) == [Word("1", False, 5), Word("2", False, 6)]


def test_a_percent_sign_is_a_comment_only_where_the_format_says_so() -> None:
    assert only_block("a { x = 1; % y = 2;\n }", PERCENT).text("y") is None
    assert only_block("a { x = 50%; }").text("x") == "50%"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a { x = 1;", "line 1: the block that begins here is never closed"),
        ("a {\n x y = 1; }", "line 2: there are 2 words before '='"),
        ("a {\n x = 1 }", "line 2: there is '}' where ';' should be"),
        ("a {\n x = ; }", "line 2: there is ';' where a value should be"),
        ("a {\n x = (1 a { }); }", "line 2: there is '{' where a value, ',' or"),
        ("a {\n\n } }", "line 3: there is '}' where a word should be"),
        ('a {\n x = "y; }', "line 2: a quotation mark is not closed"),
        ("/* a {", "line 1: a comment /[*] is never closed"),
        ("a ( b {", "line 1: there is '{' where '[)]' should be"),
        ("a" * 99, "line 1: there is the end of the file where '{'"),
        ("a { x = " + "(" * 200 + "b", f"lists are nested more than {MAX_DEPTH} deep"),
        ("a {" * 200, f"blocks are nested more than {MAX_DEPTH} deep"),
        ("a { x = " + "{ y = " * 200, f"blocks are nested more than {MAX_DEPTH} deep"),
    ],
)
def test_odd_texts_are_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_blocks(text, C_LIKE)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda block: block.only("x"), "line 3: a second 'x' in the same block"),
        (lambda block: block.text("list"), "line 4: 'list' must be a word or a quoted text"),
        (lambda block: block.inner("word"), "line 5: 'word' must be a block in braces"),
        (lambda block: block.texts("block"), "line 6: a block where a list should be"),
        (
            lambda block: numbers_in(value_of(block, "list"), "list", 3),
            "line 4: 'list' must be 3 num",
        ),
        (
            lambda block: numbers_in(value_of(block, "word"), "word", 1),
            "line 5: 'abc' is not a number",
        ),
    ],
)
def test_attributes_of_another_form_are_refused(
    use: Callable[[Block], object], message: str
) -> None:
    block = only_block(
        "a {\n x = 1;\n x = 2;\n list = (1 2);\n word = abc;\n block = { y = 1; };\n}"
    )
    with pytest.raises(FormatError, match=message):
        use(block)


def listed(text: str, shape: tuple[int, ...]) -> ListedNumbers:
    value = only_block(f"a {{ data = {text}; }}", PERCENT).only("data")
    assert value is not None
    return ListedNumbers(value, shape, "a")


@pytest.mark.parametrize(
    "text",
    [
        "(0.125 0.875 0.25 0.75 0.5 0.5 1 0)",
        "((0.125 0.875) (0.25 0.75) (0.5 0.5) (1 0))",
        "(((0.125 0.875) (0.25 0.75)) ((0.5 0.5) (1 0)))",
        "((0.125, 0.875, 0.25, 0.75), (0.5 0.5 % 7 8\n 1 0))",
        "((((0.125 0.875) (0.25 0.75)) ((0.5 0.5) (1 0))))",
    ],
)
def test_inner_brackets_may_be_left_out(text: str) -> None:
    table = listed(text, (2, 2, 2)).table(RowSums(forgiving=False))
    assert table.tolist() == [[[0.125, 0.875], [0.25, 0.75]], [[0.5, 0.5], [1, 0]]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(0.5 0.5)", "line 1: the table of 'a' has 2 numbers; .* need 4"),
        ("(0.5 0.5 0.5 0.5 0.5)", "line 1: the table of 'a' has 5 numbers; .* need 4"),
        ("((0.5 0.25 0.25)\n (1))", "line 1: a list of 3 numbers in the table of 'a' begins at"),
        ("(0.5 (0.5 0.5)\n 0.5)", "line 1: a list of 2 numbers .* begins at its number 2"),
        ("(0.5 0.5\n 0.5 x)", "line 2: 'x' is not a number"),
        ("(0.5 0.5\n 0.5 1-e)", "line 2: '1-e' is not a number"),
        ("(0.5 0.5\n 0.5 infinity)", "line 2: 'infinity' is not a number"),
        ("((0.5 0.5)\n (0.5 0.75))", "line 2: the probabilities of 'a' sum to 1.25"),
        ("(0.5 0.5 % one\n 0.5 0.75)", "line 2: the probabilities of 'a' sum to 1.25"),
        ("(0.5 0.5\n -1 2)", "line 2: the table of 'a' has the entry -1"),
        ("{ x = 1; }", "line 1: a block where a list of numbers should be"),
    ],
)
def test_tables_of_another_shape_or_content_are_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        listed(text, (2, 2)).table(RowSums(forgiving=False))
