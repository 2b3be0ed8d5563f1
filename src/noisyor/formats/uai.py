"""UAI files, in and out: a network as bare tables, for solvers of the UAI competitions.

The preamble `BAYES`, the number of variables, their numbers of states, the number of tables, and
per table its variables: the parents, ascending, and the child last. Then each table, its last
variable varying fastest. For a binary variable, state 0 is absent and state 1 present, as in
noisyor's own records, so evidence files hold the data's values. The format has no names, no costs
and no comments: variable v of the file is the network's v-th, and nothing else of the network is
kept. When a file is read, its variables are named x0, x1 and so on, their states 0, 1 and so on;
comments, which pyAgrum writes after a #, are skipped.

If a node has several parents, pyAgrum (3.3) lets the first one vary faster than the last, when it
reads and when it writes, and pgmpy (1.1) lets the child vary slowest. The description of the format
says otherwise, so these programs read another network from such a file.
"""

import re
from collections.abc import Iterator
from math import prod

import numpy as np

from noisyor.core import FormatError, Network, Provenance
from noisyor.core.listing import listed
from noisyor.core.variable import BINARY, MAX_NODE_STATES
from noisyor.core.variable_sets import MAX_NODES
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.bif_tables import MAX_PARENTS
from noisyor.formats.parsed_network import ParsedNetwork, ParsedNode, present_at
from noisyor.formats.parsed_node import Table
from noisyor.formats.row_sums import RowSums
from noisyor.formats.tables_of import announce_tables, table_of

_WORD = re.compile(r"#[^\n]*+|([^\s#]++)")
_OF_NUMBERS = frozenset("0123456789+-.eE")
_DIGITS_OF_A_COUNT = 9
_SHOWN = 40


def uai_text(network: Network) -> str:
    """Return a network as the text of a UAI file, noisy-ORs written out as tables."""
    announce_tables(network, "UAI")
    _announce_orders(network)
    count = len(network.names)
    lines = [
        "BAYES",
        str(count),
        " ".join(str(one.state_count) for one in network.variables),
        str(count),
    ]
    for family in network.structure.families:
        scope = (*family.parent_indices(), family.child)
        lines.append(" ".join(map(str, (len(scope), *scope))))
    for variable in range(count):
        table = table_of(network, variable)
        lines += ["", str(table.size)]
        for row in table.reshape(-1, table.shape[-1]).tolist():
            lines.append("".join(f" {chance!r}" for chance in row))
    return "\n".join(lines) + "\n"


def _announce_orders(network: Network) -> None:
    """Warn of variables whose state 0 is not the first state of the file that they were read from.

    The file has only numbers, so that somebody who counts the states of the other file would get
    the complement.
    """
    turned = []
    for variable in network.variables:
        order = network.appearance.of(variable.name).order_for(variable)
        if order is not None and order != tuple(range(variable.state_count)):
            turned.append(f"{variable.name!r} ({variable.states[0]})")
    if turned:
        warn_user(
            "in UAI, state 0 is the absent or the weakest one; it is not the first state in the "
            f"file that was read for {listed(turned)}",
            ConversionWarning,
        )


class _Words:
    """The words of a file, one after another, with the line of the latest."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._found = (found for found in _WORD.finditer(text) if found[1] is not None)
        self._counted_to, self._line = 0, 1
        self._at = 0

    @property
    def line(self) -> int:
        """The line of the latest word, from 1."""
        self._line += self._source.count("\n", self._counted_to, self._at)
        self._counted_to = self._at
        return self._line

    def next(self, what: str) -> str:
        found = next(self._found, None)
        if found is None:
            raise FormatError(f"line {self.line}: the file ends where {what} should be")
        self._at = found.start()
        return found[0]

    def whole_number(self, what: str, least: int, most: int) -> int:
        text = self.next(what)
        if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS_OF_A_COUNT):
            raise self.error(f"there is {text!r:.{_SHOWN}} where {what} should be")
        if not least <= int(text) <= most:
            raise self.error(f"{what} is {text}; allowed are {least} to {most}")
        return int(text)

    def number(self, what: str) -> float:
        text = self.next(what)
        try:
            return float(text if _OF_NUMBERS.issuperset(text) else "")
        except ValueError:
            raise self.error(f"{text!r:.{_SHOWN}} is not a number") from None

    def rest(self) -> Iterator[str]:
        for found in self._found:
            self._at = found.start()
            yield found[0]

    def error(self, message: str) -> FormatError:
        return FormatError(f"line {self.line}: {message}")


def parse_uai(text: str, *, forgiving: bool = False) -> ParsedNetwork:
    """Return the network in a UAI file; a FormatError gives the line of an error.

    If `forgiving`, rows may be off from 1 by rounding.
    """
    words = _Words(text)
    kind = words.next("'BAYES'")
    if kind.upper() != "BAYES":
        what = ": a Markov network has no directions" if kind.upper() == "MARKOV" else ""
        raise words.error(
            f"the file begins with {kind!r:.{_SHOWN}}; only networks of the type BAYES are "
            f"read{what}"
        )
    count = words.whole_number("the number of variables", 1, MAX_NODES)
    sizes = [words.whole_number("a number of states", 1, MAX_NODE_STATES) for _ in range(count)]
    if words.whole_number("the number of tables", 0, MAX_NODES) != count:
        raise words.error(f"the number of tables must be that of the variables, {count}")
    scopes = _scopes(words, count)
    rows = RowSums(forgiving=forgiving)
    tables, places = {}, {}
    for scope in scopes:
        child = scope[-1]
        tables[child], places[child] = _table(words, child, [sizes[v] for v in scope], rows)
    if next(words.rest(), None) is not None:
        raise words.error("there is more text after the last table")
    rows.warn()
    parents_of = {child: parents for *parents, child in scopes}
    nodes = (
        ParsedNode(
            f"x{v}",
            tuple(map(str, range(sizes[v]))),
            tuple(f"x{parent}" for parent in parents_of[v]),
            tables[v],
            places[v],
            order=present_at(1) if sizes[v] == BINARY else None,
        )
        for v in range(count)
    )
    return ParsedNetwork(tuple(nodes), Provenance(""))


def _table(words: _Words, child: int, shape: list[int], rows: RowSums) -> tuple[Table, str]:
    """Return the table of a variable, and where it begins."""
    expected = prod(shape)
    if words.whole_number("the number of entries", 0, 10**_DIGITS_OF_A_COUNT) != expected:
        raise words.error(f"the table of variable {child} needs {expected} entries")
    numbers, lines = [], []
    for place in range(expected):
        numbers.append(words.number("an entry of a table"))
        if place % shape[-1] == 0:
            lines.append(words.line)
    table = np.array(numbers).reshape(shape)
    hint = ". In a UAI file, the child is the last variable of a table, and varies fastest"
    checked = rows.checked(table, f"x{child}", lambda row: f"line {lines[row]}", hint)
    return checked, f"line {lines[0]}"


def _scopes(words: _Words, count: int) -> list[list[int]]:
    """Return the variables of each table, the child last; each must be the child of one."""
    scopes: list[list[int]] = []
    children: set[int] = set()
    for _ in range(count):
        size = words.whole_number("the number of variables of a table", 1, MAX_PARENTS + 1)
        scope = [words.whole_number("a variable", 0, count - 1) for _ in range(size)]
        if len(set(scope)) != len(scope):
            raise words.error("a table has the same variable twice")
        if scope[-1] in children:
            raise words.error(
                f"variable {scope[-1]} is the last of two tables; in a network of the type BAYES, "
                "each is the last, the child, of one table"
            )
        children.add(scope[-1])
        scopes.append(scope)
    return scopes
