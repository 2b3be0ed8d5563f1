"""Finished resamples in the folder of a run, so that it may be killed at any point.

The folder `bootstrap` has a file for each finished resample, `SEED-NUMBER.json`, which appears
whole or not at all and holds a digest of itself. They stay when the run is complete: a bootstrap of
more resamples begins with them. The code that opens the run's folder checks that data and settings
are the same.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from noisyor.core import SettingsError
from noisyor.core.bootstrap import Edge, Resample
from noisyor.files.whole import make_folder, refuse_links, write_whole
from noisyor.formats.json_place import JsonPlace
from noisyor.runs.checkpoint import advice_on_error
from noisyor.runs.sealed import sealed, unsealed

FOLDER = "bootstrap"
_FILE = re.compile(r"(0|[1-9][0-9]*)-(0|[1-9][0-9]*)\.json")


class KeptResamples:
    """The files of one run, which holds the folder lock."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder / FOLDER
        self._seed = seed
        try:
            make_folder(self._folder)
            inside = list(self._folder.iterdir())
        except OSError as error:
            raise SettingsError(f"cannot write to {folder}: {error.strerror or error}") from error
        refuse_links([self._folder, *(one for one in inside if _FILE.fullmatch(one.name))])

    def finished(self, count: int, variables: int) -> dict[int, Resample]:
        """Return the resamples below a number that an earlier run has finished."""
        found = {}
        for number in range(count):
            path = self._path(number)
            if path.exists():
                with advice_on_error(path):
                    found[number] = _read(path, number, variables)
        return found

    def keep(self, one: Resample) -> None:
        """Keep a finished resample."""
        document: dict[str, object] = {
            "best": _listed(one.best),
            "weights": None if one.weights is None else _listed(one.weights),
            "proven": one.proven,
        }
        write_whole({self._path(one.number): sealed(document)})

    def _path(self, number: int) -> Path:
        return self._folder / f"{self._seed}-{number}.json"


def _listed(shares: Mapping[Edge, float]) -> list[list[object]]:
    return [[parent, child, share] for (parent, child), share in sorted(shares.items())]


def _read(path: Path, number: int, variables: int) -> Resample:
    with unsealed(path, "best", "weights", "proven") as places:
        best = _shares(places["best"], variables)
        said = places["weights"]
        weights = None if said.value is None else _shares(said, variables)
        proven = places["proven"].truth()
    return Resample(number, best, weights, proven)


def _shares(place: JsonPlace, variables: int) -> dict[Edge, float]:
    found = {}
    for entry in place.entries():
        parts = entry.entries()
        if len(parts) != 3:  # noqa: PLR2004
            raise entry.wrong("must be a parent, a child and a share")
        parent, child = (one.whole_number(0, variables - 1) for one in parts[:2])
        found[parent, child] = parts[2].probability()
    return found
