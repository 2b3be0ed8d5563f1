"""Records for a network: columns matched to its variables by name, values to states by label."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from noisyor.core import Dataset, MismatchError, Variable
from noisyor.core.listing import listed
from noisyor.core.variable import BINARY
from noisyor.core.warning import warn_user
from noisyor.data.reading import ReadOptions, read_as_asked
from noisyor.data.values import key_of
from noisyor.data.warning import DataWarning
from noisyor.data.wishes import Wishes, kept_places


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """The column of each variable, in the variables' order, and the columns that are none."""

    columns: tuple[str, ...]
    ignored: tuple[str, ...]


def match_columns(
    variables: Sequence[Variable], titles: Mapping[str, str], columns: Sequence[str]
) -> ColumnMatch:
    """Return the column that belongs to each variable.

    A column has the name of its variable. A variable without such a column may have one with its
    title, the name that a program displays, if no other variable has the same.

    Parameters
    ----------
    variables
        The variables of the network.
    titles
        The titles of variables, by name; those without one are not listed.
    columns
        The names of the columns.

    Raises
    ------
    MismatchError
        A variable has no column.

    """
    names = {variable.name for variable in variables}
    left = [column for column in columns if column not in names]
    found: dict[str, str] = {}
    for variable in variables:
        title = titles.get(variable.name)
        if variable.name in columns:
            found[variable.name] = variable.name
        elif title in left and list(titles.values()).count(title) == 1:
            found[variable.name] = title
    lacking = [variable.name for variable in variables if variable.name not in found]
    if lacking:
        raise MismatchError(
            f"the table has no column for {listed(lacking)}; every variable of the network needs "
            f"one, with its name or its title. The table has: {listed(columns)}"
        )
    chosen = tuple(found[variable.name] for variable in variables)
    return ColumnMatch(chosen, tuple(column for column in columns if column not in chosen))


def read_for(
    variables: Sequence[Variable],
    titles: Mapping[str, str],
    source: object,
    options: ReadOptions | None = None,
) -> Dataset:
    """Return the records of a source in the variables and states of a network.

    Columns that belong to no variable are ignored, with one warning that names them.

    Parameters
    ----------
    variables, titles
        As for `match_columns`.
    source
        A data set, a path, a frame or an array, as for `read`.
    options
        How the source is read. Of its wishes, only the columns to drop are used.

    Raises
    ------
    MismatchError
        A variable has no column, or a column has a value that is no state of its variable.

    """
    options = options or ReadOptions()
    dropped = options.wishes.drop
    matches: list[ColumnMatch] = []

    def wishes(columns: Sequence[str]) -> Wishes:
        left = [columns[place] for place in kept_places(columns, dropped)]
        matches.append(match_columns(variables, titles, left))
        states = zip(matches[-1].columns, variables, strict=True)
        order = {column: one.states for column, one in states if one.state_count >= BINARY}
        return Wishes(order=order, drop=(*dropped, *matches[-1].ignored), of_network=True)

    if isinstance(source, Dataset):
        wishes(source.names)
        data = source
    else:
        data = read_as_asked(source, options, wishes)
    if matches[-1].ignored:
        warn_user(
            f"columns that the network does not have are ignored: {listed(matches[-1].ignored)}",
            DataWarning,
        )
    return _recoded(data, variables, matches[-1].columns)


def _recoded(data: Dataset, variables: Sequence[Variable], columns: Sequence[str]) -> Dataset:
    """Return the records with these variables, each from the column named."""
    codes = np.empty((len(data.weights), len(variables)), dtype=np.uint8)
    for place, (variable, column) in enumerate(zip(variables, columns, strict=True)):
        number = data.names.index(column)
        table = _state_codes(variable, data.variables[number], data.state_counts(number).tolist())
        codes[:, place] = table[data.column(number)]
    # Rows of a data set are sorted by the last variable first; some may be equal now.
    distinct, place_of = np.unique(codes[:, ::-1], axis=0, return_inverse=True)
    weights = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(weights, place_of.reshape(-1), data.weights)
    return Dataset(tuple(variables), distinct[:, ::-1], weights)


def _state_codes(
    variable: Variable, column: Variable, counts: Sequence[int]
) -> "np.ndarray[tuple[int], np.dtype[np.uint8]]":
    """Return the code that each state of a column has in a variable; 0 for one without records."""
    known = {label: code for code, label in enumerate(variable.states)}
    by_key = {key_of(label): code for label, code in known.items()}
    codes = np.zeros(column.state_count, dtype=np.uint8)
    for state, (label, count) in enumerate(zip(column.states, counts, strict=True)):
        code = known.get(label, by_key.get(key_of(label)))
        if code is not None:
            codes[state] = code
        elif count:
            raise MismatchError(
                f"column {column.name!r} has the value {label!r}, which is no state of "
                f"{variable.name!r} in the network; it has: {', '.join(variable.states)}"
            )
    return codes
