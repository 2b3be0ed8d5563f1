"""What the commands that find networks show and write."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from noisyor.cli.flags import in_flags
from noisyor.cli.options import MaxNetworksOption, MembersOption
from noisyor.cli.terminal import note
from noisyor.core import CredibleSet, SettingsError
from noisyor.core.bootstrap import Bootstrap
from noisyor.core.progress import Progress
from noisyor.files.whole import check_target
from noisyor.formats import check_member_suffix, write_members
from noisyor.runs.progress import shown_progress


@dataclass(frozen=True, slots=True)
class MembersOptions:
    """The file that networks are written to."""

    members: MembersOption = None
    max_networks: MaxNetworksOption = 1_000_000

    def check(self) -> None:
        """Refuse a file that could not be written, before the search."""
        if self.max_networks < 1:
            raise SettingsError(f"--max-networks is {self.max_networks}; it must be at least 1")
        if self.members is not None:
            check_member_suffix(self.members)
            check_target(self.members)

    def write(self, credible: CredibleSet) -> int | None:
        """Write the networks, if a file was given; return how many."""
        if self.members is None:
            return None
        written = write_members(credible, self.members, self.max_networks)
        rest = "all" if written == credible.count and credible.complete else "not all"
        note(f"wrote {written:,} networks, {rest} credible ones, to {self.members}")
        return written


def say_limits(credible: CredibleSet, said: Collection[str] = ()) -> None:
    """Print on standard error what the result leaves open, except what was said before."""
    for shortfall in credible.shortfalls:
        note(f"incomplete: {shortfall}")
    for line in credible.notes:
        if line in said:
            continue
        note(f"note: {in_flags(line)}")


def say_resampling(bootstrap: Bootstrap | None, *, kept: bool) -> None:
    """Print on standard error what a bootstrap leaves open, and whether it can go on."""
    if bootstrap is None:
        return
    for shortfall in bootstrap.shortfalls:
        note(f"incomplete: {shortfall}")
    if kept and 0 < bootstrap.resamples < bootstrap.asked:
        note("note: the same command goes on with the other resamples")


@contextmanager
def search_progress(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show a line with the current bounds, on a terminal."""
    if quiet:
        yield None
        return
    with shown_progress() as show:
        yield show
