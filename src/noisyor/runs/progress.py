"""A line on the terminal that shows the progress of a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich import progress as rich_progress
from rich.console import Console

from noisyor.core.progress import Progress
from noisyor.core.visible import visible


@contextmanager
def shown_progress(first: str = "starting") -> Iterator[Callable[[Progress], None] | None]:
    """Show a line with the current step and the bounds so far, if there is a terminal.

    `first` is what is being done until the first progress is known.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    with rich_progress.Progress(
        rich_progress.SpinnerColumn(),
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.TimeElapsedColumn(),
        console=console,
        transient=True,
    ) as line:
        task = line.add_task(visible(f"{first} ..."), total=None)
        yield lambda now: line.update(task, description=visible(description(now)))


def description(now: Progress) -> str:
    """Return the text: the step, the bounds, and the time left in a step of known length.

    The estimate assumes that the rest is as hard as what is done. Children differ, so it says
    "about" and appears only once a tenth is done.
    """
    parts = [f"{now.step}:"]
    if now.lower_bound is not None and now.upper_bound is not None:
        parts.append(f"the optimum lies in [{now.lower_bound:.3f}, {now.upper_bound:.3f}]")
    if now.detail:
        parts.append(now.detail)
    if now.share is not None and _ENOUGH <= now.share < 1:
        left = now.seconds * (1 - now.share) / now.share
        parts.append(f"(about {_rounded(left)} left in this step)")
    return " ".join(parts)


_ENOUGH = 0.1
_MINUTE = 60


def _rounded(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 2 * _MINUTE else f"{seconds / _MINUTE:.0f} min"
