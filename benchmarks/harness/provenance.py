"""Where a result comes from: the sources, the versions, the machine."""

import importlib.metadata
import platform
import subprocess
from functools import cache

from benchmarks.harness.folders import ROOT
from benchmarks.harness.measuring import Results
from benchmarks.harness.resources import machine
from noisyor import __version__

_PACKAGES = ("numpy", "highspy")  # whose versions results may depend on
_GIT_SECONDS = 60


@cache
def provenance() -> Results:
    """Return what a result of this run depends on."""
    return {
        "commit": commit(),
        "noisyor": __version__,
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in _PACKAGES},
        "machine": machine(),
    }


def commit() -> str:
    """Return the commit of the sources, with a plus if they differ from it."""
    known = _git("rev-parse", "--short=12", "HEAD").strip()
    changed = _git("status", "--porcelain", "--", "src", "cpp", "benchmarks")
    own = [line for line in changed.splitlines() if "results/" not in line]
    return f"{known}+" if own else known


def _git(*arguments: str) -> str:
    run = subprocess.run(
        ["git", *arguments],  # noqa: S607  (the user's git)
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=_GIT_SECONDS,
    )
    return run.stdout
