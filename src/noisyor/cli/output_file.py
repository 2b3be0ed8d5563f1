"""The output file of a command, which no other run may write meanwhile."""

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
    """Refuse a file that could not be written, or that another run is writing.

    Temporary files that killed runs left for it, or for the files `beside` it, are removed. This is
    for outputs of more than one file, which two runs could mix, and for large ones, whose leftovers
    should not stay. A single small file does not need it: it appears whole, and the last run wins.
    """
    check_target(output)
    with file_in_use(output):
        remove_leftovers([output, *beside])
        yield
