"""Where structural EM begins: three kinds of first completions, in turn.

EM goes to a stationary point near its start, so it is started from different sides. `columns` fills
each gap from its column alone, which favours few arcs. `complete records` begins with the best
network of the records that lack nothing, which favours what is true of those; it needs enough of
them. `random` fills each gap once from its column, and all completions of a record are alike.
"""

from enum import StrEnum

from noisyor.core.incomplete_dataset import IncompleteDataset

_ENOUGH_RECORDS = 10


class StartKind(StrEnum):
    """What a start begins with."""

    COLUMNS = "columns"
    COMPLETE = "complete records"
    RANDOM = "random"


def start_kinds(data: IncompleteDataset, starts: int) -> list[StartKind]:
    """Return the kind of each start."""
    complete = data.record_count - data.incomplete_count
    first = [StartKind.COLUMNS]
    if complete >= _ENOUGH_RECORDS:
        first.insert(0, StartKind.COMPLETE)
    return [*first, *[StartKind.RANDOM] * starts][:starts]
