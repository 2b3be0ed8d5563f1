"""Say what this machine lacks to build noisyor, before anything is built.

    python3 scripts/check_machine.py

It is run by whatever Python there is, so it must not need a new one.
"""
# ruff: noqa: INP001  # a script

import os
import shutil
import sys
import sysconfig
from pathlib import Path

OLDEST = (3, 11)
DEBIAN = "python3-venv python3-dev g++ make"


def lacking() -> "list[str]":
    """Return what is missing, a phrase each."""
    found = []
    if sys.version_info < OLDEST:
        found.append("Python 3.11 or newer (make PYTHON=... names another than python3)")
    try:
        import ensurepip  # noqa: F401, PLC0415
    except ImportError:
        found.append("Python's module venv")
    if not Path(sysconfig.get_paths()["include"], "Python.h").exists():
        found.append("the header files of Python")
    compilers = (os.environ.get("CXX", "").split() or [""])[0], "c++", "g++", "clang++"
    if not any(map(shutil.which, filter(None, compilers))):
        found.append("a C++ compiler")
    return found


def main() -> None:
    """Print what is missing, and end with an error if anything is."""
    found = lacking()
    if found:
        what = "; ".join(found)
        sys.exit(
            f"To build noisyor, this machine lacks: {what}. On Debian: apt-get install {DEBIAN}"
        )


if __name__ == "__main__":
    main()
