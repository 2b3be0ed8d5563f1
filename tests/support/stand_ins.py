"""Programs that stand in for others, written in Python."""

import sys
from pathlib import Path
from shlex import quote


def write_stand_in(path: Path, code: str) -> None:
    """Make a program of a path, which runs this code with the Python of the tests.

    Its first line cannot name that Python, whose path may have spaces.
    """
    beside = path.with_name(f"{path.name}.py")
    beside.write_text(code, encoding="utf-8")
    path.write_text(f'#!/bin/sh\nexec {quote(sys.executable)} {quote(str(beside))} "$@"\n')
    path.chmod(0o755)
