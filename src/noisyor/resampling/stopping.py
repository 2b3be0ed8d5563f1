"""Ending a run of learning whose result is no longer wanted."""

from collections.abc import Callable

from noisyor.core.progress import Progress


class UnwantedError(Exception):
    """Ends a run whose result is no longer wanted."""


def unless(stop: Callable[[], bool]) -> Callable[[Progress], None]:
    """Return a receiver of progress that ends the run with an UnwantedError once `stop` is true."""

    def look(_: Progress) -> None:
        if stop():
            raise UnwantedError

    return look
