"""A file that a command is to write, and that no other run writes meanwhile."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from noisyor.core import SettingsError
from noisyor.files.lock import file_in_use
from noisyor.files.whole import check_target, remove_leftovers


def refuse_overwriting(inputs: Iterable[str | Path | None], *outputs: Path | None) -> None:
    """Refuse an output that is one of the files a command reads: it would be lost."""
    read = {os.path.realpath(one) for one in inputs if one is not None and one != "-"}
    for output in outputs:
        if output is not None and os.path.realpath(output) in read:
            raise SettingsError(f"the output {output} would overwrite the input; name another file")


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
