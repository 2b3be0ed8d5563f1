"""The blocks of a BIF file, before names are resolved."""

from collections.abc import Callable
from dataclasses import dataclass, field

from noisyor.core import FormatError
from noisyor.core.variable_sets import MAX_NODES
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.bif_tokens import BifTokens
from noisyor.formats.bif_words import MARK, SETTING, UNSEEN_COMMENT

Groups = list[list[str]]
"""Words between commas. One group is a name of several words, or names without commas."""

_DIGITS_OF_A_COUNT = 9
_OF_NUMBERS = frozenset("0123456789+-.eE")
_SHOWN = 40


@dataclass(slots=True)
class Properties:
    """The properties of a block that noisyor wrote, with their lines."""

    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    settings: list[tuple[str, int]] = field(default_factory=list)


@dataclass(slots=True)
class Variable:
    """The block that declares a variable."""

    name: str
    line: int
    states: tuple[str, ...] = ()
    properties: Properties = field(default_factory=Properties)


@dataclass(frozen=True, slots=True)
class Row:
    """A distribution, its configuration, and whether no record had that configuration."""

    given: Groups | tuple[str, ...]
    numbers: list[float]
    unseen: bool
    line: int


@dataclass(slots=True)
class Probability:
    """The block of a distribution: the names in its header, and its numbers in one of two forms.

    Names before the bar in the header are in `child`, those after it in `parents`; without a bar,
    all are in `child`.
    """

    child: Groups
    parents: Groups
    bar: bool
    line: int
    rows: list[Row] = field(default_factory=list)
    default: Row | None = None
    table: Row | None = None


@dataclass(slots=True)
class Statements:
    """All blocks of a file, and the name of the network."""

    name: str = ""
    properties: Properties = field(default_factory=Properties)
    variables: dict[str, Variable] = field(default_factory=dict)
    probabilities: list[Probability] = field(default_factory=list)


def read_statements(text: str, *, forgiving: bool = False) -> Statements:
    """Return the blocks of a file; a FormatError gives the line of the first error.

    If `forgiving`, the number of labels between commas may differ from the announced one.
    """
    tokens = BifTokens(text)
    tokens.advance()
    if not tokens.is_word("network"):
        raise tokens.unexpected("'network', with which a BIF file begins,")
    statements = Statements()
    statements.name = _network(tokens, statements.properties)
    while True:
        if tokens.is_word("variable"):
            variable = _variable(tokens, forgiving=forgiving)
            if variable.name in statements.variables:
                raise FormatError(
                    f"line {variable.line}: the variable {variable.name!r:.{_SHOWN}} occurs twice"
                )
            statements.variables[variable.name] = variable
            if len(statements.variables) > MAX_NODES:
                raise FormatError(
                    f"line {variable.line}: it has more than {MAX_NODES} variables; at most "
                    "that many are supported"
                )
        elif tokens.is_word("probability"):
            statements.probabilities.append(_probability(tokens))
        elif tokens.text or tokens.is_name():
            raise tokens.unexpected("'variable' or 'probability'")
        else:
            return statements


def _network(tokens: BifTokens, properties: Properties) -> str:
    """Read the block of the network; return its name."""
    tokens.advance()
    words = []
    while tokens.is_name():
        words.append(tokens.text)
        tokens.advance()
    tokens.expect_mark("{")
    while not tokens.is_mark("}"):
        if not tokens.is_word("property"):
            raise tokens.unexpected("'property' or '}'")
        _property(tokens, properties)
    tokens.advance()
    return " ".join(words)


def _property(tokens: BifTokens, properties: Properties) -> None:
    """Read a property, which is any text up to a semicolon; keep it if noisyor wrote it."""
    line = tokens.line
    key, _, value = tokens.text_until_semicolon().strip().strip('"').partition("=")
    key, value = key.strip(), value.strip()
    if key == SETTING:
        properties.settings.append((value, line))
    elif key.startswith(MARK):
        if key in properties.values:
            raise FormatError(f"line {line}: the property {key!r:.{_SHOWN}} occurs twice")
        properties.values[key] = (value, line)


def _variable(tokens: BifTokens, *, forgiving: bool) -> Variable:
    line = tokens.line
    tokens.advance()
    words = []
    while tokens.is_name():
        words.append(tokens.text)
        tokens.advance()
    if not "".join(words).strip():
        raise tokens.unexpected("the name of a variable")
    variable = Variable(" ".join(words), line)
    tokens.expect_mark("{")
    while not tokens.is_mark("}"):
        if tokens.is_word("property"):
            _property(tokens, variable.properties)
        elif tokens.is_word("type") and not variable.states:
            variable.states = _states(tokens, forgiving=forgiving)
        else:
            raise tokens.unexpected(
                f"one 'type', 'property' or '}}' of {variable.name!r:.{_SHOWN}}"
            )
    if not variable.states:
        raise tokens.error(f"the variable {variable.name!r:.{_SHOWN}} has no type")
    tokens.advance()
    return variable


def _states(tokens: BifTokens, *, forgiving: bool) -> tuple[str, ...]:
    """Read `type discrete [ 2 ] { yes, no };`; the number shows how the labels are separated."""
    tokens.advance()
    if not tokens.is_word("discrete"):
        raise tokens.unexpected("'discrete', the only type that is supported,")
    tokens.advance()
    tokens.expect_mark("[")
    digits = tokens.text
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS_OF_A_COUNT):
        raise tokens.unexpected("the number of states")
    tokens.advance()
    tokens.expect_mark("]")
    if tokens.is_word("="):
        tokens.advance()
    tokens.expect_mark("{")
    line = tokens.line
    groups = _groups(tokens, "}")
    tokens.expect_mark("}")
    labels = items_of(groups, int(digits))
    if not labels:
        labels = [" ".join(group) for group in groups]
        problem = f"line {line}: {digits} states are announced, and there are {len(labels)} labels"
        if not (forgiving and labels):
            raise FormatError(problem)
        warn_user(f"{problem}, which count", ConversionWarning)
    if len(set(labels)) != len(labels):
        raise FormatError(f"line {line}: a label occurs twice among {', '.join(labels):.200}")
    tokens.expect_mark(";")
    return tuple(labels)


def _probability(tokens: BifTokens) -> Probability:
    line = tokens.line
    tokens.advance()
    tokens.expect_mark("(")
    child = _groups(tokens, "|)")
    bar = tokens.is_mark("|")
    if bar:
        tokens.advance()
    block = Probability(child, _groups(tokens, ")"), bar, line)
    tokens.expect_mark(")")
    tokens.expect_mark("{")
    labels: dict[str, str] = {}
    while not tokens.is_mark("}"):
        if tokens.is_word("property"):
            _property(tokens, Properties())
        elif tokens.is_mark("(") and (row := _plain_row(tokens, labels)) is not None:
            block.rows.append(row)
        elif tokens.is_mark("("):
            tokens.advance()
            given = _groups(tokens, ")")
            tokens.expect_mark(")")
            block.rows.append(_row(tokens, given))
        elif tokens.is_word("default") and block.default is None:
            tokens.advance()
            block.default = _row(tokens, [])
        elif tokens.is_word("table") and block.table is None:
            tokens.advance()
            block.table = _row(tokens, [])
        else:
            raise tokens.unexpected("'(', one 'default', one 'table', 'property' or '}'")
    tokens.advance()
    return block


def _plain_row(tokens: BifTokens, known: dict[str, str]) -> Row | None:
    """Read a row in one step if it is plain; return None and leave any other to `_row`.

    `known` holds each label once, however many rows have it.
    """
    line, place = tokens.line, tokens.place
    found = tokens.plain_row()
    if found is None:
        return None
    between, listed, comment = found
    try:
        numbers = [float(text) for text in listed.replace(",", " ").split()]
    except ValueError:
        numbers = []
    given = tuple(" ".join(one.split()) for one in between.split(","))
    if not numbers or min(numbers) < 0 or max(numbers) > 1 or not all(given):
        tokens.return_to(place)
        return None
    tokens.advance()
    labels = tuple(known.setdefault(label, label) for label in given)
    return Row(labels, numbers, comment == UNSEEN_COMMENT, line)


def _row(tokens: BifTokens, given: Groups) -> Row:
    """Read numbers up to a semicolon."""
    line = tokens.line
    numbers = []
    while not tokens.is_mark(";"):
        if tokens.is_mark(","):
            tokens.advance()
            continue
        if not tokens.is_name():
            raise tokens.unexpected("a probability or ';'")
        numbers.append(_probability_in(tokens.text, tokens.error))
        tokens.advance()
    unseen = tokens.comment_after() == UNSEEN_COMMENT
    tokens.advance()
    return Row(given, numbers, unseen, line)


def _probability_in(text: str, error: Callable[[str], FormatError]) -> float:
    # float() accepts more: 1_2, infinity, digits of other scripts.
    if not _OF_NUMBERS.issuperset(text):
        raise error(f"{text!r:.{_SHOWN}} is not a number")
    try:
        value = float(text)
    except ValueError:
        raise error(f"{text!r:.{_SHOWN}} is not a number") from None
    if not 0 <= value <= 1:
        raise error(f"{text!r:.{_SHOWN}} is not a probability, between 0 and 1")
    return value


def _groups(tokens: BifTokens, closing: str) -> Groups:
    """Read words up to one of the closing marks, and stop there."""
    groups: Groups = [[]]
    while not (tokens.text in closing and tokens.is_mark(tokens.text)):
        if tokens.is_mark(","):
            groups.append([])
        elif tokens.is_name():
            groups[-1].append(tokens.text)
        else:
            raise tokens.unexpected(f"a name, ',' or {' or '.join(map(repr, closing))}")
        tokens.advance()
    return [group for group in groups if group]


def items_of(groups: Groups | tuple[str, ...], count: int) -> list[str] | None:
    """Return `count` items: those between commas, else single words; None if neither fits."""
    if isinstance(groups, tuple):
        if len(groups) == count:
            return list(groups)
        groups = [label.split() for label in groups]
    if len(groups) == count:
        return [" ".join(group) for group in groups]
    words = [word for group in groups for word in group]
    return words if len(words) == count else None
