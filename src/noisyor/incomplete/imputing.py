"""Completed tables: gaps filled with draws, or with what is most probable, given the rest."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from noisyor.core import ImpossibleEvidenceError, MismatchError, Network, SettingsError, Variable
from noisyor.core.arguments import checked_arguments
from noisyor.core.dataset import Codes
from noisyor.core.incomplete_dataset import GAP, absence_of
from noisyor.core.listing import listed
from noisyor.core.warning import warn_user
from noisyor.data.binning import Binning, bins_of_states
from noisyor.data.for_network import ColumnMatch, match_columns
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw_columns import texts_of
from noisyor.data.raw_reading import raw_source
from noisyor.data.values import key_of
from noisyor.data.warning import DataWarning
from noisyor.incomplete.completing import drawn_once, row_keys
from noisyor.inference import Inference
from noisyor.runs.learned import Learned

_MOST_TABLES = 10_000


@checked_arguments
def impute(  # noqa: PLR0913  (one option each, by name)
    source: object,
    model: Network | Learned,
    *,
    draws: int = 1,
    most_probable: bool = False,
    seed: int = 0,
    bins: Binning | None = None,
    jobs: int | None = None,
) -> list[pl.DataFrame]:
    """Return completed tables: the records in their order, with every gap filled.

    The gaps of a record are filled together, from their exact joint distribution given what the
    record has. Values are written as the table writes them. Columns that the network does not have
    stay as they are, with a warning. A column that the model has in bins becomes one of bins.

    Parameters
    ----------
    source
        A polars frame as `read_raw` returns it, or whatever `read_raw` takes.
    model
        The network, or a result, whose best network and bins are used.
    draws
        The number of tables. Each fills the gaps with independent draws.
    most_probable
        Fill the gaps of each record with their jointly most probable states instead: one table.
        Such a table has too little variety; draws are better for whatever is estimated next.
    seed
        The seed of the draws.
    bins
        The bins of columns of numbers, for a network that has some.
    jobs
        The number of threads; all cores by default.

    Raises
    ------
    MismatchError
        The table lacks a variable of the network, or has a value that is none of its states; or a
        column has gaps whose absence is itself a state of the network, as `missing="state"` makes.
    ImpossibleEvidenceError
        A record with gaps is impossible in the network. Complete records are not looked at.

    Examples
    --------
    >>> import noisyor
    >>> import polars as pl
    >>> network = noisyor.example_truth("clinic")
    >>> table = pl.DataFrame({name: ["no", None] for name in network.names})
    >>> [filled] = noisyor.impute(table, network, most_probable=True)
    >>> filled["fever"].to_list()
    ['no', 'no']
    """
    if not 1 <= draws <= _MOST_TABLES:
        raise SettingsError(f"draws is {draws}; it must be between 1 and {_MOST_TABLES}")
    if seed < 0:
        raise SettingsError(f"the seed is {seed}; it must be 0 or more")
    if most_probable and draws > 1:
        raise SettingsError("there is one most probable completion; draws must then be 1")
    network = model.best if isinstance(model, Learned) else model
    frame = source if isinstance(source, pl.DataFrame) else raw_source(source).frame
    matched = _matched(network, frame.columns)
    binning = bins or (model.binning if isinstance(model, Learned) else Binning())
    if not binning.rules:
        pairs = zip(matched.columns, network.variables, strict=True)
        binning = bins_of_states(frame, {column: variable.states for column, variable in pairs})
    if binning.rules:
        columns = [rule.column for rule in binning.rules]
        warn_user(f"written in the bins of the network: {listed(columns)}", DataWarning)
        frame = frame.with_columns(binning.apply_with_gaps(frame).select(columns))
    return _Imputing(frame, network, matched, jobs).tables(draws, seed, most_probable=most_probable)


def check_output(output: Path) -> None:
    """Refuse a name that does not end like a table."""
    if output.suffix.lower() not in {".csv", ".tsv", ".parquet"}:
        raise SettingsError(
            f"the output is {str(output)!r}; its name must end in .csv, .tsv or .parquet"
        )


def imputed_files(tables: Sequence[pl.DataFrame], output: Path) -> dict[Path, bytes]:
    """Return the files of completed tables: `output`, or with several a number before its suffix.

    The format is that of the suffix: CSV, TSV or Parquet.
    """
    check_output(output)
    suffix = output.suffix.lower()
    names = [output]
    if len(tables) > 1:
        digits = len(str(len(tables)))
        names = [
            output.with_name(f"{output.stem}-{number:0{digits}}{output.suffix}")
            for number in range(1, len(tables) + 1)
        ]
    return {name: _content(table, suffix) for name, table in zip(names, tables, strict=True)}


def _content(table: pl.DataFrame, suffix: str) -> bytes:
    if suffix == ".parquet":
        buffer = io.BytesIO()
        table.write_parquet(buffer)
        return buffer.getvalue()
    return table.write_csv(separator="\t" if suffix == ".tsv" else ",").encode()


def _matched(network: Network, columns: Sequence[str]) -> ColumnMatch:
    """Return which column holds which variable, by name or by title."""
    shown = ((name, network.appearance.of(name).title) for name in network.names)
    titles = {name: title for name, title in shown if title is not None}
    return match_columns(network.variables, titles, columns)


class _Imputing:
    """A table, its codes in the states of a network, and how it writes each state."""

    def __init__(
        self, frame: pl.DataFrame, network: Network, matched: ColumnMatch, jobs: int | None
    ) -> None:
        if matched.ignored:
            warn_user(
                f"columns that the network does not have stay as they are: "
                f"{listed(matched.ignored)}",
                DataWarning,
            )
        self._frame = frame
        self._network = network
        self._jobs = jobs
        self._columns = matched.columns
        self._codes = np.empty((len(frame), len(network.names)), dtype=np.uint8)
        for place, (name, variable) in enumerate(
            zip(matched.columns, network.variables, strict=True)
        ):
            self._codes[:, place] = _codes(frame[name], variable)
        self._gaps = self._codes == GAP
        self._refuse_absence()

    def _refuse_absence(self) -> None:
        """Refuse a network in which a gap is a state: it would fill gaps with that state's name.

        A state of that name may be an ordinary value: if the table has it, or if the network says
        that it was learned in another way.
        """
        settings = dict(self._network.provenance.settings)
        if settings and settings.get("missing") != MissingPolicy.STATE.value:
            return
        for place, variable in enumerate(self._network.variables):
            absence = absence_of(variable)
            if absence is None or not self._gaps[:, place].any():
                continue
            if (self._codes[:, place] != variable.states.index(absence)).all():
                raise MismatchError(
                    f"the gaps of column {self._columns[place]!r} are themselves a state of the "
                    f"network, {absence!r}, so it does not say which value they have; learn it "
                    'with missing="em" or missing="drop" to fill them'
                )

    def tables(self, draws: int, seed: int, *, most_probable: bool) -> list[pl.DataFrame]:
        """Return completed tables."""
        rows = np.flatnonzero(self._gaps.any(axis=1))
        if most_probable:
            completions = [self._most_probable(rows)]
        else:
            random = np.random.SeedSequence(seed)
            completions = [self._drawn(rows, own) for own in random.spawn(draws)]
        writers = self._writers(rows, completions)
        return [self._filled(rows, codes, writers) for codes in completions]

    def _drawn(self, rows: npt.NDArray[np.intp], seed: np.random.SeedSequence) -> Codes:
        keys = row_keys(seed, len(rows))
        codes, possible = drawn_once(self._network, self._codes[rows], keys, self._jobs)
        if not possible.all():
            first = int(rows[int((~possible).argmax())]) + 1
            raise ImpossibleEvidenceError(
                f"records with gaps that have probability zero in the network: "
                f"{int((~possible).sum())}, the first in row {first}"
            )
        return codes

    def _most_probable(self, rows: npt.NDArray[np.intp]) -> Codes:
        """Return the most probable completions, each distinct row asked for once."""
        inference = Inference(self._network)
        variables = self._network.variables
        distinct, first, place = np.unique(
            self._codes[rows], axis=0, return_index=True, return_inverse=True
        )
        found = np.empty_like(distinct)
        for at, row in enumerate(distinct.tolist()):
            given = {
                variable.name: variable.states[code]
                for variable, code in zip(variables, row, strict=True)
                if code != GAP
            }
            try:
                states = inference.most_probable(given).states
            except ImpossibleEvidenceError as error:
                raise ImpossibleEvidenceError(f"row {int(rows[first[at]]) + 1}: {error}") from error
            found[at] = [one.states.index(states[one.name]) for one in variables]
        return found[place.reshape(-1)]

    def _writers(
        self, rows: npt.NDArray[np.intp], completions: Sequence[Codes]
    ) -> dict[int, "_ColumnWriter"]:
        """Return how each column with gaps is filled, by its place: alike in all tables."""
        writers = {}
        for place in np.flatnonzero(self._gaps.any(axis=0)).tolist():
            lacking = self._gaps[rows, place]
            used = np.unique(np.concatenate([codes[lacking, place] for codes in completions]))
            writers[place] = _ColumnWriter.of(
                self._frame[self._columns[place]],
                self._codes[:, place],
                self._network.variables[place],
                used.tolist(),
            )
        return writers

    def _filled(
        self, rows: npt.NDArray[np.intp], codes: Codes, writers: Mapping[int, "_ColumnWriter"]
    ) -> pl.DataFrame:
        """Return the table with the gaps of these rows filled from their completions."""
        whole = self._codes.copy()
        whole[rows] = codes
        return self._frame.with_columns(
            [
                writer.filled(self._gaps[:, place], whole[:, place])
                for place, writer in writers.items()
            ]
        )


def _codes(column: pl.Series, variable: Variable) -> Codes:
    """Return the codes of a column, GAP where it has no value."""
    by_key = {key_of(label): code for code, label in enumerate(variable.states)}
    texts = texts_of(column)
    codes: dict[str, int] = {}
    for text in texts.drop_nulls().unique().to_list():
        code = by_key.get(key_of(text))
        if code is None:
            row = texts.to_list().index(text) + 1
            raise MismatchError(
                f"column {column.name!r} has the value {text!r} in row {row}, which is no state of "
                f"{variable.name!r} in the network; it has: {', '.join(variable.states)}"
            )
        codes[text] = code
    found = (
        texts.replace_strict(list(codes), list(codes.values()), default=GAP, return_dtype=pl.UInt8)
        if codes
        else pl.Series([GAP] * len(texts), dtype=pl.UInt8)
    )
    return found.fill_null(GAP).to_numpy()


@dataclass(frozen=True, slots=True)
class _ColumnWriter:
    """A column, and the values that its gaps get for the codes that are used, as it writes them."""

    column: pl.Series
    used: list[int]
    values: pl.Series

    @classmethod
    def of(
        cls, column: pl.Series, codes: Codes, variable: Variable, used: list[int]
    ) -> "_ColumnWriter":
        """Return the writer of a column.

        A state that the column never has is written as the network writes it. If the column's type
        has no such value, as numbers have none for a word, the column becomes text.
        """
        written: list[object] = []
        for code in used:
            seen = np.flatnonzero(codes == code)
            written.append(column[int(seen[0])] if len(seen) else variable.states[code])
        try:
            values = pl.Series(written, strict=False).cast(column.dtype)
        except (pl.exceptions.PolarsError, TypeError):
            values = None
        if values is None or values.null_count():
            column = texts_of(column)
            values = pl.Series([str(one) for one in written], dtype=pl.String)
        return cls(column, used, values)

    def filled(self, gaps: npt.NDArray[np.bool_], codes: Codes) -> pl.Series:
        """Return the column with the values of these codes in its gaps."""
        by_code = pl.Series(codes).replace_strict(
            self.used, self.values, default=None, return_dtype=self.values.dtype
        )
        filled = self.column.zip_with(~pl.Series(gaps), by_code.cast(self.column.dtype))
        return filled.alias(self.column.name)
