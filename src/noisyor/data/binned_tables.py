"""Read a table whose columns of many numbers become bins."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from noisyor.core import Dataset
from noisyor.core.errors import DataError, SettingsError, TooManyStatesError
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.number_states import bins_in
from noisyor.core.warning import warn_user
from noisyor.data.bin_choices import MANY_VALUES, BinChoice, BinChoices, Unbinned, bin_choices
from noisyor.data.binning import Binning, bins_of_states
from noisyor.data.choosing_bins import choose_bins
from noisyor.data.coding import Table, TableCoder
from noisyor.data.frames import code_columns, frame_table
from noisyor.data.missing import MissingPolicy
from noisyor.data.raw import RawTable
from noisyor.data.raw_columns import complete_records
from noisyor.data.state_choice import UNDECLARED
from noisyor.data.unusable import too_many, unusable_columns
from noisyor.data.warning import DataWarning
from noisyor.data.wishes import Wishes

BinsOption = int | str | Path | Iterable[int | str] | Binning | None
"""What `read` and `learn` take for bins: texts as `bin_choices` does, a file, or a `Binning`."""

_RULES_SUFFIX = ".json"
_TARGET = re.compile("(^|=)mdl:")


def asked_bins(option: BinsOption) -> BinChoices | Binning:
    """Return the choices that an option describes, or the rules that it holds or names."""
    if option is None:
        return bin_choices(None)
    if isinstance(option, Binning):
        return option
    if isinstance(option, Path):
        return Binning.load(option)
    texts = [str(text) for text in ([option] if isinstance(option, int | str) else option)]
    if not any(map(_is_file, texts)):
        return bin_choices(texts)
    if len(texts) > 1:
        raise SettingsError(
            f"bins are {' and '.join(map(repr, texts))}; a file holds all rules, so give nothing "
            "else with it"
        )
    return Binning.load(texts[0])


def _is_file(text: str) -> bool:
    """Return whether a text names a file of rules; that of a target may end like one, too."""
    return text.endswith(_RULES_SUFFIX) and not _TARGET.search(text)


@dataclass(frozen=True, slots=True)
class BinnedReading:
    """Reads a table in bins: at most twice, first its values as states, then as numbers.

    Parameters
    ----------
    coded
        Reads the table with every value as a state.
    raw
        Reads the table with numbers as numbers.
    wishes
        What the user says about the states of columns; those are not binned by default.
    missing
        What to do about missing values.
    """

    coded: Callable[[], TableCoder]
    raw: Callable[[], RawTable]
    wishes: Wishes
    missing: MissingPolicy

    def read(self, bins: BinChoices | Binning) -> tuple[Dataset, Binning]:
        """Return the records, and the bins that were made or applied."""
        coder, binning = self._coded_in(bins)
        return self._checked(coder, coder.dataset(self.wishes)), binning

    def read_incomplete(self, bins: BinChoices | Binning) -> tuple[IncompleteDataset, Binning]:
        """Return the records with their gaps, and the bins that were made or applied."""
        coder, binning = self._coded_in(bins)
        return self._checked(coder, coder.incomplete(self.wishes)), binning

    def _checked(self, coder: TableCoder, data: Table) -> Table:
        """Return the records, after a warning of columns whose present value is open."""
        if not self.wishes.of_network:
            coder.warn_of_open_columns(data.variables)
        return data

    def _coded_in(self, bins: BinChoices | Binning) -> tuple[TableCoder, Binning]:
        if isinstance(bins, Binning):
            return self._in_bins(self.raw(), bins), bins
        if bins == BinChoices(Unbinned()):
            return self.coded(), Binning()
        states = self._states_of_bins(bins)
        if bins.automatic and not states:
            return self._read_by_default(bins)
        table = self.raw()
        known = bins_of_states(table.frame, states)
        if bins.automatic and not known.rules:
            return self._read_by_default(bins)
        chosen = self._chosen(replace(table, frame=known.apply_with_gaps(table.frame)), bins)
        if bins.automatic and chosen.rules:
            _warn_of_bins(chosen)
        binning = replace(chosen, rules=(*known.rules, *chosen.rules))
        return self._in_bins(table, binning), binning

    def _states_of_bins(self, bins: BinChoices) -> dict[str, Sequence[str]]:
        """Return the states of columns that are given as bins, unless others are asked for."""
        states = {**self.wishes.states, **self.wishes.order}
        return {
            name: labels
            for name, labels in states.items()
            if name not in bins.by_column and bins_in(labels)[0]
        }

    def _read_by_default(self, choices: BinChoices) -> tuple[TableCoder, Binning]:
        """Read the values as states, and bin only a table with too many of them."""
        error = None
        try:
            coder = self.coded()
        except TooManyStatesError as raised:
            error = raised
        else:
            if not coder.has_more_numbers(MANY_VALUES):
                return coder, Binning()
        try:
            table = self.raw()
        except DataError as other:
            raise error or other from None  # the earlier one
        if error is not None:
            refused = [one for one in unusable_columns(table, self.wishes) if one.values]
            if refused:
                raise too_many(refused)
        binning = self._chosen(table, choices)
        if not binning.rules:
            if error is not None:
                raise error
            return coder, Binning()
        _warn_of_bins(binning)
        return self._in_bins(table, binning), binning

    def _chosen(self, table: RawTable, choices: BinChoices) -> Binning:
        spoken_of = self.wishes.spoken_of
        kept: dict[str, BinChoice] = {
            name: Unbinned()
            for name, declared in table.by_column().items()
            if declared != UNDECLARED or name in spoken_of
        }
        frame = table.frame
        if self.missing in {MissingPolicy.ERROR, MissingPolicy.DROP}:
            frame, _ = complete_records(
                frame,
                self.missing,
                self.wishes.gap_choices,
                of_network=self.wishes.of_network,
            )
        found = choose_bins(frame, replace(choices, by_column=kept | dict(choices.by_column)))
        if not found.rules:
            return found
        # What was left out of these data is left out of new data, too.
        return replace(found, ignored=tuple(dict.fromkeys((*found.ignored, *self.wishes.drop))))

    def _in_bins(self, table: RawTable, binning: Binning) -> TableCoder:
        columns = frame_table(binning.apply_with_gaps(table.frame))
        # A polars type does not say all that the header of a file may say.
        said = {name: own for name, own in table.by_column().items() if own != UNDECLARED}
        bins = binning.by_column()
        declared = tuple(
            by_type if name in bins else said.get(name, by_type)
            for name, by_type in zip(columns.names, columns.declared, strict=True)
        )
        # The table is already without the columns to drop, and without row names.
        left = replace(self.wishes, drop=(), row_names=False)
        coder = code_columns(replace(columns, declared=declared), self.missing, left)
        coder.name_row_names(table.row_names)
        return coder


def _warn_of_bins(binning: Binning) -> None:
    warn_user(
        f"{binning.summary()}; bins=4 makes others, and bins='none' keeps every number",
        DataWarning,
    )
