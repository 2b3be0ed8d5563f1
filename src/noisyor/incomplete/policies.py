"""What a policy about missing cells makes of a table, and what the result records of it."""

from collections.abc import Callable

from noisyor.core import DataError, Dataset, Network, SettingsError
from noisyor.core.incomplete_dataset import IncompleteDataset
from noisyor.core.warning import warn_user
from noisyor.data.constants import Told, without_constants
from noisyor.data.missing import (
    ALL_CHOICES,
    MissingPolicy,
    empty_message,
    left_out_message,
    missing_message,
)
from noisyor.data.warning import DataWarning
from noisyor.incomplete.learning import usable_records
from noisyor.runs.missing_cells import MissingCells


def by_policy(data: IncompleteDataset, policy: MissingPolicy) -> Dataset | IncompleteDataset:
    """Return the records to learn from: complete ones, except where EM has gaps to fill."""
    if not data.missing_cells:
        return data.complete_records()
    for name, gaps in zip(data.names, data.gaps_by_column(), strict=True):
        if gaps == data.record_count:
            raise DataError(empty_message(name))
    if policy is MissingPolicy.ERROR:
        raise DataError(
            missing_message(
                data.names,
                data.gaps_by_column(),
                data.incomplete_count,
                data.record_count,
                ALL_CHOICES,
            )
        )
    if policy is MissingPolicy.STATE:
        return data.with_missing_state()
    if policy is MissingPolicy.EM:
        usable = usable_records(data)
        return usable if usable.missing_cells else usable.complete_records()
    complete = data.complete_records()
    warn_user(left_out_message(complete.left_out, data.record_count), DataWarning)
    return complete


def records_to_learn(
    table: Dataset | IncompleteDataset,
    policy: MissingPolicy,
    *told: Told,
    keep_constants: bool = False,
) -> Dataset | IncompleteDataset:
    """Return the records to learn from, without columns that never change; warn of those.

    Parameters
    ----------
    table
        The records as they were read, or as the user has them.
    policy
        What to do about missing cells.
    told, keep_constants
        As for `without_constants`.
    """
    if isinstance(table, IncompleteDataset):
        if policy is MissingPolicy.EM:  # before records without a value are left out
            table = without_constants(table, *told, keep_constants=keep_constants)
        table = by_policy(table, policy)
    if isinstance(table, Dataset):
        table = without_constants(table, *told, keep_constants=keep_constants)
    return table


def only_complete(table: Dataset | IncompleteDataset, what: str) -> None:
    """Refuse a table with gaps for what needs none."""
    if isinstance(table, IncompleteDataset):
        raise SettingsError(
            f'{what} resamples complete records, and missing="em" keeps the gaps; allowed with '
            'missing="drop" and missing="state"'
        )


def missing_record(
    table: Dataset | IncompleteDataset, policy: MissingPolicy
) -> Callable[[Network], MissingCells] | None:
    """Return what a result records of the policy; None if it made no difference, or for EM.

    EM records its steps itself.
    """
    if isinstance(table, IncompleteDataset):
        return None
    if table.left_out:
        return lambda _: MissingCells(
            MissingPolicy.DROP.value, None, table.left_out, left_out=table.left_out
        )
    if policy is MissingPolicy.STATE:
        return lambda _: MissingCells(policy.value, None, None)
    return None
