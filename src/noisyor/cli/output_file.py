"""A file that a command is to write, and that no other run writes meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.files.lock import file_in_use
from noisyor.files.whole import check_target, remove_leftovers


@contextmanager
def written_alone(output: Path, *beside: Path) -> Iterator[None]:
    """Refuse a file that could not be written, or that another run is to write.

    What killed runs left of it, or of what is written `beside` it, is removed. For outputs of more
    than one file, which two runs could mix, and for those that may be large, whose halves should
    not stay. A small file of one command needs none of it: it appears whole, and the last one wins.
    """
    check_target(output)
    with file_in_use(output):
        remove_leftovers([output, *beside])
        yield
