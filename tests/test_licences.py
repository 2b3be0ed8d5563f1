"""What `pip install noisyor` brings is under permissive licences, as noisyor itself is."""

import re
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution, requires

from packaging.requirements import Requirement

PERMISSIVE = (
    *("0bsd", "apache", "bsd", "cc0", "isc", "mit", "mpl", "psf", "python software", "unlicense"),
    *("zlib",),
)
COPYLEFT = re.compile(r"\b[al]?gpl|general public licen[cs]e|\bepl\b|eclipse public", re.IGNORECASE)


def closure(name: str) -> Iterator[Distribution]:
    """Yield everything that is installed with a package, without extras."""
    waiting, seen = [name], {name}
    while waiting:
        for text in requires(waiting.pop()) or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                own = re.sub(r"[-_.]+", "-", needed.name).lower()
                if own not in seen:
                    seen.add(own)
                    waiting.append(own)
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
    found = {one.metadata["Name"]: licence(one) for one in closure("noisyor")}
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
