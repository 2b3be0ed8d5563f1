"""What `pip install noisyor` brings is under permissive licences, as noisyor itself is."""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, requires
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PERMISSIVE = (
    *("0bsd", "apache", "bsd", "cc0", "isc", "mit", "mpl", "psf", "python software", "unlicense"),
    *("zlib",),
)
COPYLEFT = re.compile(r"\b[al]?gpl|general public licen[cs]e|\bepl\b|eclipse public", re.IGNORECASE)


def closure() -> Iterator[Distribution]:
    """Yield everything that is installed with noisyor, without extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting, seen = list(project["dependencies"]), set()
    while waiting:
        needed = Requirement(waiting.pop())
        own = re.sub(r"[-_.]+", "-", needed.name).lower()
        applies = needed.marker is None or needed.marker.evaluate({"extra": ""})
        if applies and own not in seen:
            seen.add(own)
            waiting += requires(own) or []
            yield distribution(own)


def licence(one: Distribution) -> str:
    """Return what a package says of its licence: its expression, or its classifiers, or its text.

    The text is shortened, since some packages paste the whole licence there, with others' names.
    """

    def values(field: str) -> list[str]:
        return one.metadata.get_all(field) or []

    classifiers = [text for text in values("Classifier") if text.startswith("License ::")]
    return "; ".join(values("License-Expression") or classifiers or values("License"))[:200]


def test_no_dependency_is_under_a_copyleft_licence() -> None:
    found = {one.metadata["Name"]: licence(one) for one in closure()}
    assert {"numpy", "polars", "jinja2"} <= {name.lower() for name in found}
    assert {name: said for name, said in found.items() if COPYLEFT.search(said)} == {}
    unknown = {
        name: said
        for name, said in found.items()
        if not any(kind in said.lower() for kind in PERMISSIVE)
    }
    assert unknown == {}


def test_copyleft_licences_are_recognised() -> None:
    for said in (
        "GPL-2.0-or-later",
        "LGPL-3.0-only",
        "AGPL-3.0",
        "License :: OSI Approved :: GNU General Public License (GPL)",
        "EPL-2.0",
    ):
        assert COPYLEFT.search(said), said
    assert not COPYLEFT.search("BSD-3-Clause AND MIT")
