"""Build the tables of a BIF file from the numbers in its blocks.

Memory is in proportion to the text: a table is built only once all its rows are known to be
present. What `default` stands for is not in the text, and so is limited.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from noisyor.core import FormatError
from noisyor.core.warning import ConversionWarning, warn_user
from noisyor.formats.bif_statements import Probability, Row, Variable, items_of
from noisyor.formats.row_sums import RowSums

MAX_DEFAULT_ENTRIES = 2**20
"""The most table entries that a file may leave to `default`, all nodes together."""

MAX_PARENTS = 31
"""The most parents of a table: numpy iterates over arrays of at most 32 axes."""

Table = tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_] | None]
"""The table, an axis per parent and one for the own states; and the unseen configurations."""

_SHOWN = 40


class Tables:
    """Builds one table after another; `forgiving` is as in `parse_bif`."""

    def __init__(self, *, forgiving: bool) -> None:
        self._forgiving = forgiving
        self._not_in_the_text = 0
        self._sums = RowSums(forgiving=forgiving)

    def table(
        self, block: Probability, parent_states: Sequence[tuple[str, ...]], child: Variable
    ) -> Table:
        """Return the table of a block over these parents, in the order of its header."""
        if (
            len(parent_states) > MAX_PARENTS
        ):  # with one state each; otherwise the text would be too short
            raise FormatError(
                f"line {block.line}: {child.name!r:.{_SHOWN}} has {len(parent_states)} parents; a "
                f"table can have at most {MAX_PARENTS}"
            )
        shape = (*(len(states) for states in parent_states), len(child.states))
        if block.table is None:
            rows = self._rows(block, parent_states, child)
            table, unseen = _table_of_rows(rows, shape)
            return self._sums.checked(
                table, child.name, lambda row: f"line {rows[row].line}"
            ), unseen
        if block.rows or block.default is not None:
            raise FormatError(f"line {block.line}: the block has both a 'table' and rows")
        return self._counted_table(block.table, shape, child.name)

    def warn(self) -> None:
        """Say which rows did not sum to 1."""
        self._sums.warn()

    def _rows(
        self, block: Probability, parent_states: Sequence[tuple[str, ...]], child: Variable
    ) -> dict[int, Row]:
        """Return a row for each configuration, including those that `default` stands for."""
        for row in (*block.rows, *([] if block.default is None else [block.default])):
            if len(row.numbers) != len(child.states):
                raise FormatError(
                    f"line {row.line}: there are {len(row.numbers)} probabilities for "
                    f"{len(child.states)} states"
                )
        rows, repeated = _by_configuration(block.rows, parent_states)
        configurations = prod(len(states) for states in parent_states)
        missing = configurations - len(rows)
        otherwise = block.default
        if repeated or (missing and otherwise is None):
            problem = _problem(block, rows, repeated, parent_states)
            if not self._forgiving:
                raise FormatError(
                    f"{problem}. With forgiving=True, such files are read with a warning"
                )
            moved = _row_moved(block.rows, rows, parent_states) if repeated is not None else None
            if moved is not None:
                warn_user(
                    f"{problem}. Line {moved.line} is taken for the one configuration of "
                    f"{child.name!r:.{_SHOWN}} that has no row",
                    ConversionWarning,
                )
                return rows
            warn_user(
                f"{problem}. The last of several rows counts; where there is none, the states "
                f"of {child.name!r:.{_SHOWN}} are taken to be equally likely",
                ConversionWarning,
            )
            if otherwise is None:
                equal = [1 / len(child.states)] * len(child.states)
                otherwise = Row([], equal, unseen=True, line=block.line)
        if missing and otherwise is not None:
            self._pay(missing * len(child.states), block.line)
            for configuration in range(configurations):
                rows.setdefault(configuration, otherwise)
        return rows

    def _counted_table(self, row: Row, shape: tuple[int, ...], name: str) -> Table:
        """Return a table whose numbers are in counting order of the header's variables."""
        if len(row.numbers) != prod(shape):
            raise FormatError(
                f"line {row.line}: the table has {len(row.numbers)} numbers; the states of the "
                f"variables need {prod(shape)}"
            )
        # The child, first in the header, varies slowest; here it is the last axis.
        table = np.moveaxis(np.array(row.numbers).reshape(shape[-1], *shape[:-1]), 0, -1)
        hint = ". In a 'table', the first variable of the header varies slowest"
        checked = self._sums.checked(table, name, lambda _: f"line {row.line}", hint)
        return checked, np.ones(shape[:-1], dtype=np.bool_) if row.unseen else None

    def _pay(self, entries: int, line: int) -> None:
        self._not_in_the_text += entries
        if self._not_in_the_text > MAX_DEFAULT_ENTRIES:
            raise FormatError(
                f"line {line}: up to here, {self._not_in_the_text} entries of tables are not in "
                f"the text of the file; at most {MAX_DEFAULT_ENTRIES} may be left to 'default'"
            )


def _table_of_rows(rows: Mapping[int, Row], shape: tuple[int, ...]) -> Table:
    table = np.empty((len(rows), shape[-1]))
    unseen = np.zeros(len(rows), dtype=np.bool_)
    chosen = list(rows)
    table[chosen] = [row.numbers for row in rows.values()]
    unseen[chosen] = [row.unseen for row in rows.values()]
    return table.reshape(shape), unseen.reshape(shape[:-1]) if unseen.any() else None


def _by_configuration(
    rows: Sequence[Row], parent_states: Sequence[tuple[str, ...]]
) -> tuple[dict[int, Row], tuple[Row, Row] | None]:
    """Return rows by the number of their configuration, and the first pair that share one."""
    places = [{state: place for place, state in enumerate(states)} for states in parent_states]
    found: dict[int, Row] = {}
    repeated = None
    for row in rows:
        configuration = _configuration(row, places)
        if configuration in found and repeated is None:
            repeated = found[configuration], row
        found[configuration] = row
    return found, repeated


def _row_moved(
    listed: Sequence[Row], rows: dict[int, Row], parent_states: Sequence[tuple[str, ...]]
) -> Row | None:
    """Assign the duplicate row to the one configuration without a row, and return that row.

    If one of the two duplicates is not at the usual place of its configuration, that one is moved;
    the usual order has the first or the last parent vary fastest, whichever the other rows suggest.
    If neither or both are misplaced, the later one is moved. Return None, and change nothing,
    unless exactly one row is misplaced.
    """
    sizes = [len(states) for states in parent_states]
    total = prod(sizes)
    if len(listed) != total or len(rows) != total - 1:
        return None
    places = [{state: place for place, state in enumerate(states)} for states in parent_states]
    given = [_configuration(row, places) for row in listed]
    last_fastest = list(range(total))
    first_fastest = np.arange(total).reshape(sizes).T.reshape(-1).tolist()
    usual = max(
        (last_fastest, first_fastest),
        key=lambda order: sum(one == other for one, other in zip(given, order, strict=True)),
    )
    twice = next(one for one, count in Counter(given).items() if count > 1)
    first, second = (place for place, one in enumerate(given) if one == twice)
    astray = first if usual[first] != twice and usual[second] == twice else second
    missing = next(number for number in range(total) if number not in rows)
    rows[twice] = listed[first + second - astray]
    rows[missing] = listed[astray]
    return listed[astray]


def _configuration(row: Row, places: Sequence[Mapping[str, int]]) -> int:
    """Return the number of a configuration, the last parent varying fastest."""
    labels = items_of(row.given, len(places))
    if labels is None:
        raise FormatError(
            f"line {row.line}: the row must give a state for each of {len(places)} parents"
        )
    number = 0
    for label, of_parent in zip(labels, places, strict=True):
        if label not in of_parent:
            raise FormatError(
                f"line {row.line}: there is no state {label!r:.{_SHOWN}}; the parent has: "
                f"{', '.join(of_parent):.200}"
            )
        number = number * len(of_parent) + of_parent[label]
    return number


def _problem(
    block: Probability,
    rows: Mapping[int, Row],
    repeated: tuple[Row, Row] | None,
    parent_states: Sequence[tuple[str, ...]],
) -> str:
    """Return which configuration has two rows, or which has none."""
    if repeated is not None:
        first, second = repeated
        return f"line {second.line}: the configuration has a row already, in line {first.line}"
    # The search for the first gap ends after as many steps as there are rows.
    gap = next(number for number in range(len(rows) + 1) if number not in rows)
    labels = []
    for states in reversed(parent_states):
        gap, place = divmod(gap, len(states))
        labels.append(states[place])
    of = prod(len(states) for states in parent_states)
    return (
        f"line {block.line}: {len(rows)} of {of} configurations have a row; there is none for "
        f"({', '.join(reversed(labels))})"
    )
