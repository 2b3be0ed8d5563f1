"""Choose the bins of a table's columns of numbers."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core.arguments import checked_arguments
from noisyor.core.errors import DataError, SettingsError
from noisyor.core.listing import expected_names
from noisyor.core.variable import MAX_STATES
from noisyor.core.warning import warn_user
from noisyor.data.bin_choices import (
    DEFAULT_BINS,
    MANY_VALUES,
    BinChoice,
    BinChoices,
    BinMethod,
    Cuts,
    EqualWidth,
    Mdl,
    Quantiles,
    Unbinned,
    choice_for,
)
from noisyor.data.binning import Binning, Bins
from noisyor.data.cut_points import Numbers, ValueCounts, mdl_cuts, quantile_cuts, width_cuts
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_columns import (
    complete_records,
    few_names,
    looks_like_identifier,
    numbers_of,
    texts_of,
)
from noisyor.data.raw_reading import raw_table
from noisyor.data.warning import DataWarning


@checked_arguments
def discretize(  # noqa: PLR0913 (one parameter an option)
    source: object,
    method: str | BinMethod = BinMethod.QUANTILES,
    bins: int = DEFAULT_BINS,
    *,
    columns: Iterable[str] | None = None,
    target: str | None = None,
    cuts: Mapping[str, Iterable[float]] | None = None,
    missing: MissingPolicy | str = MissingPolicy.ERROR,
) -> tuple[pl.DataFrame, Binning]:
    """Return a table with its numbers in bins, and the rules that make it so.

    A binned column is an ordered enumeration of labels such as `<= 37.2`, `37.2 to 38.5` and
    `> 38.5`. A number equal to a cut is in the lower bin. Between two neighbouring values of the
    data, a cut is the number with the fewest digits. The table is made by applying the rules, so
    applying them again gives the same table.

    Parameters
    ----------
    source
        A polars frame, as `read_raw` returns it, or anything that `read_raw` accepts.
    method
        `quantiles`: bins with equal numbers of records. No value is split, so there are fewer bins
        where one value is very frequent. `width`: bins of equal width; one without records is
        joined to the bin below it. `mdl`: as many bins as help to predict the target, by the
        minimal entropy and the stopping rule of Fayyad and Irani (1993). A column without a cut
        is left out, with a warning.
    bins
        The number of bins for `quantiles` and `width`, from 2 to 64.
    columns
        The columns to bin; by default, columns of numbers with more than 12 distinct values.
    target
        The column whose values `mdl` predicts.
    cuts
        Given cuts, by column; these columns are binned in addition.
    missing
        `error` refuses a table that lacks values; `drop` leaves out the records that do.

    Examples
    --------
    >>> import noisyor
    >>> import polars as pl
    >>> sheet = pl.DataFrame({"age": [20, 34, 51, 70], "fever": [36.6, 37.0, 38.1, 39.5]})
    >>> table, binning = noisyor.discretize(sheet, columns=["fever"], cuts={"age": [40, 65]})
    >>> table.rows()
    [('<= 40', '<= 36.8'), ('<= 40', '36.8 to 39'), ('40 to 65', '36.8 to 39'), ('> 65', '> 39')]
    >>> binning.apply(pl.DataFrame({"age": [65], "fever": [41.2]})).rows()
    [('40 to 65', '> 39')]
    """
    chosen = choice_for(method, bins, target)
    given = {name: Cuts(tuple(map(float, own))) for name, own in (cuts or {}).items()}
    if columns is None:
        choices = BinChoices(chosen, given)
    else:
        named = {name: chosen for name in columns if name not in given}
        choices = BinChoices(Unbinned(), {**named, **given})
    table, _ = complete_records(raw_table(source), missing)
    binning = choose_bins(table, choices)
    return binning.apply(table), binning


def choose_bins(table: pl.DataFrame, choices: BinChoices) -> Binning:
    """Return the bins that a table gets by these choices; a column's gaps do not count."""
    _check_columns(table.columns, choices)
    known = {name: table[name].drop_nulls() for name in table.columns}
    by_column = {name: _choice_of(known[name], choices) for name in table.columns}
    rules: dict[str, Bins | None] = {}
    for name, choice in by_column.items():
        if isinstance(choice, Quantiles | EqualWidth | Cuts):
            rules[name] = _own_bins(known[name], choice)
    own = dict(rules)
    for target in _targets(choices):
        _classes_of(known[target], own.get(target))  # refuses one with too many, used or not
    for name, choice in by_column.items():
        if isinstance(choice, Mdl):
            both = table.select(name, choice.target).drop_nulls()
            # A target that is binned itself has its bins as classes.
            classes = _classes_of(both[choice.target], own.get(choice.target))
            rules[name] = _mdl_bins(both[name], classes)
    _warn_of_identifiers(known, [name for name in rules if name not in choices.by_column])
    uncut = tuple(name for name in table.columns if rules.get(name, ...) is None)
    if uncut:
        _warn_of_uncut(uncut, by_column)
    found = [rules.get(name) for name in table.columns]
    return Binning(tuple(rule for rule in found if rule is not None), uncut, len(table))


def _targets(choices: BinChoices) -> list[str]:
    """Return the columns that some choice predicts, each once."""
    every = (choices.otherwise, *choices.by_column.values())
    return list(dict.fromkeys(choice.target for choice in every if isinstance(choice, Mdl)))


def has_many_numbers(values: pl.Series) -> bool:
    """Return whether a column is binned by default: many distinct numbers, no categories."""
    kind = values.dtype.base_type()
    if kind in {pl.Boolean, pl.Categorical, pl.Enum} or kind.is_temporal():
        return False
    if values.n_unique() <= MANY_VALUES:
        return False
    numbers = numbers_of(values)
    return not numbers.null_count() and numbers.n_unique() > MANY_VALUES


def _check_columns(names: Sequence[str], choices: BinChoices) -> None:
    """Refuse choices about columns that the table does not have."""
    named = [("bins", column) for column in choices.by_column]
    for what, column in [*named, *(("mdl", target) for target in _targets(choices))]:
        if column not in names:
            raise SettingsError(
                f"{what}: there is no column {column!r}; "
                f"{expected_names(column, names, 'the table')}"
            )


def _choice_of(values: pl.Series, choices: BinChoices) -> BinChoice:
    """Return the choice for a column; one that the user names must hold numbers."""
    own = choices.by_column.get(values.name)
    if own is None:
        otherwise = choices.otherwise
        if isinstance(otherwise, Mdl) and otherwise.target == values.name:
            return Unbinned()
        return otherwise if has_many_numbers(values) else Unbinned()
    if isinstance(own, Mdl) and own.target == values.name:
        raise SettingsError(f"column {values.name!r} cannot be the target of its own bins")
    if not isinstance(own, Unbinned):
        bad = numbers_of(values).is_null()
        if bad.any():
            raise DataError(
                f"column {values.name!r} has the value {texts_of(values).filter(bad)[0]!r}; bins "
                "need numbers"
            )
    return own


def _own_bins(values: pl.Series, choice: Quantiles | EqualWidth | Cuts) -> Bins:
    """Return bins that depend on the column alone."""
    if isinstance(choice, Cuts):
        return _given_bins(values, choice)
    data = ValueCounts.of(_finite_numbers(values))
    if len(data.values) == 1:
        raise DataError(
            f"column {values.name!r} has only the value {texts_of(values)[0]!r}; bins need at "
            "least two"
        )
    if isinstance(choice, Quantiles):
        return Bins.at(values.name, quantile_cuts(data, choice.bins), BinMethod.QUANTILES.value)
    return Bins.at(values.name, width_cuts(data, choice.bins), BinMethod.WIDTH.value)


def _given_bins(values: pl.Series, choice: Cuts) -> Bins:
    """Return bins with the cuts given; warn of those without records."""
    bins = Bins.at(values.name, choice.cuts, "given")
    used = np.bincount(bins.codes(numbers_of(values).to_numpy()), minlength=len(bins.states))
    empty = [label for label, count in zip(bins.states, used, strict=True) if not count]
    if empty:
        warn_user(
            f"no record is in the bin {', '.join(map(repr, empty))} of column {values.name!r}",
            DataWarning,
        )
    return bins


def _mdl_bins(values: pl.Series, classes: npt.NDArray[np.int64]) -> Bins | None:
    """Return the bins of a column that predict the classes of its target; None if no cut does."""
    name, cuts = values.name, mdl_cuts(_finite_numbers(values), classes)
    if len(cuts) >= MAX_STATES:
        raise DataError(
            f"mdl cuts column {name!r} into {len(cuts) + 1} bins, and at most {MAX_STATES} are "
            f"supported; choose other bins, such as bins={name + '=quantiles:4'!r}"
        )
    return Bins.at(name, cuts, BinMethod.MDL.value) if cuts else None


def _classes_of(target: pl.Series, bins: Bins | None) -> npt.NDArray[np.int64]:
    """Return the classes of a target: its bins if it has some, else its values."""
    if bins is not None:
        return bins.codes(numbers_of(target).to_numpy()).astype(np.int64)
    texts = texts_of(target)
    count = texts.n_unique()
    if has_many_numbers(target) or count > MAX_STATES:
        raise DataError(
            f"the target {target.name!r} of mdl has {count} different values; it needs a few "
            f"classes. Give it bins of its own, too: bins={target.name + '=quantiles:3'!r}"
        )
    return texts.rank("dense").to_numpy().astype(np.int64) - 1


def _finite_numbers(values: pl.Series) -> Numbers:
    numbers = numbers_of(values)
    infinite = numbers.is_infinite()
    if infinite.any():
        raise DataError(
            f"column {values.name!r} holds an infinite number; give its cuts, such as "
            f"bins={values.name + '=10,20'!r}, or replace it"
        )
    return numbers.to_numpy()


def _warn_of_identifiers(table: Mapping[str, pl.Series], names: Sequence[str]) -> None:
    found = [name for name in names if looks_like_identifier(numbers_of(table[name]))]
    if found:
        what = f"column {found[0]!r} has" if len(found) == 1 else f"{few_names(found)} each have"
        warn_user(
            f"{what} a different whole number in every record; leave out what is an identifier "
            f"(drop={found!r})",
            DataWarning,
        )


def _warn_of_uncut(names: Sequence[str], choices: Mapping[str, BinChoice]) -> None:
    targets = sorted({own.target for name in names if isinstance(own := choices[name], Mdl)})
    warn_user(
        f"mdl finds no cut that helps to predict {', '.join(targets)} in {few_names(names)}; left "
        f"out. Other bins keep a column, such as bins={names[0] + '=quantiles:3'!r}",
        DataWarning,
    )
