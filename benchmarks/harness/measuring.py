"""Measure a data set in a separate process, and store the result."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.harness.resources import machine
from noisyor import __version__
from noisyor.core import Dataset
from noisyor.data import DataWarning, read
from noisyor.files.whole import write_whole

BAYES_FACTOR = 20
RELATIONS = {"cpt": ("cpt",), "both": ("cpt", "noisy-or")}

Results = dict[str, Any]


def goal_by_dataset(goals: Mapping[float, tuple[str, ...]]) -> dict[str, float]:
    """Return the target in seconds of each data set, given the data sets of each target."""
    return {name: seconds for seconds, names in goals.items() for name in names}


def dataset_file(folder: Path, name: str) -> Path:
    """Return the file of a data set; exit if it does not exist."""
    path = folder / f"{name}.csv"
    if not path.exists():
        sys.exit(f"{path} does not exist; --datasets must name a folder with {name}.csv in it")
    return path


def read_dataset(path: Path) -> Dataset:
    """Read a data set of the paper without the warnings that it is known to raise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read(path)


def measure_apart(module: str, arguments: list[str], timeout: float) -> Results:
    """Return what a module prints as JSON in a new process, so that its peak memory is its own.

    The version and the machine are added. A process is killed after `timeout` seconds.
    """
    run = subprocess.run(
        [sys.executable, "-m", module, "--measure", *arguments],
        check=True,
        stdout=subprocess.PIPE,  # standard error is inherited
        text=True,
        timeout=timeout,
    )
    result: Results = json.loads(run.stdout)
    return result | {"version": __version__, "machine": machine()}


def try_apart(module: str, arguments: list[str], timeout: float) -> Results:
    """Return the result of `measure_apart`, or why there is none."""
    try:
        return measure_apart(module, arguments, timeout)
    except subprocess.TimeoutExpired:
        return nothing_because(f"it was killed after {timeout:g} s")
    except subprocess.CalledProcessError as error:
        status = error.returncode
        return nothing_because(f"it failed with exit status {status}") | {"status": status}


def nothing_because(reason: str) -> Results:
    """Return a result that only says why there is none."""
    return {"nothing_because": reason, "version": __version__, "machine": machine()}


def stored_results(path: Path) -> Results:
    """Return the results of earlier runs."""
    results: Results = json.loads(path.read_text()) if path.exists() else {}
    return results


def add_results(path: Path, new: Results, page: Callable[[Results], str]) -> Results:
    """Merge new results into their file, write the page next to it and return all results."""
    results = stored_results(path) | new
    write_whole(
        {
            path: (json.dumps(results, indent=1) + "\n").encode(),
            path.with_suffix(".md"): page(results).encode(),
        }
    )
    return results
