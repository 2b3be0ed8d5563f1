"""All batches that polars reads, or an error.

When a thread of polars 2.1 panics, which a damaged file can cause, `LazyFrame.collect_batches`
stops as if everything were read; `sink_batches` raises. So a thread runs `sink_batches` here, and
hands over one batch at a time.
"""

from collections.abc import Generator
from queue import Queue
from threading import Event, Thread

import polars as pl

FAILURES = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises for a file that it cannot read; a panic is not even an Exception."""


def batches_of(lazy: pl.LazyFrame, size: int) -> Generator[pl.DataFrame]:
    """Yield the records in order, about `size` at a time; errors of polars are raised here."""
    waiting: Queue[pl.DataFrame | BaseException | None] = Queue(maxsize=1)
    stopped = Event()

    def hand_over(batch: pl.DataFrame) -> bool:
        waiting.put(batch)
        return stopped.is_set()

    def run() -> None:
        end: BaseException | None = None
        try:
            lazy.sink_batches(hand_over, chunk_size=size, maintain_order=True)
        except BaseException as error:  # noqa: BLE001  (raised below, in the calling thread)
            end = error
        waiting.put(end)

    Thread(target=run, daemon=True).start()
    item: pl.DataFrame | BaseException | None = pl.DataFrame()
    try:
        while isinstance(item := waiting.get(), pl.DataFrame):
            yield item
    finally:
        stopped.set()
        while isinstance(item, pl.DataFrame):  # the thread may wait to hand one over
            item = waiting.get()
    if item is not None:
        raise item
