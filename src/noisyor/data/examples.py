"""Example data that come with noisyor, and the networks they were drawn from.

`examples/make_examples.py` in the repository defines the networks and makes the files. An expert's
model is there as well, in GeNIe's format, with records to update it from.
"""

import json
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

from noisyor.core import (
    Dataset,
    Distribution,
    Family,
    Network,
    Provenance,
    SettingsError,
    Structure,
    Variable,
)
from noisyor.core.arguments import checked_arguments
from noisyor.core.relations import binary_table, relation_named
from noisyor.core.variable import BINARY
from noisyor.core.variable_sets import set_of
from noisyor.data.reading import read

EXPERT_MODELS = {"car": "A car that does not start (an expert's GeNIe model, and field records)"}
"""The names and titles of the bundled models of experts."""


@dataclass(frozen=True, slots=True)
class ExampleDescription:
    """What an example is about, and how it was drawn."""

    name: str
    title: str
    description: str
    records: int
    seed: int
    variables: tuple[str, ...]


def example_names() -> tuple[str, ...]:
    """Return the names of the bundled examples, for `load_example` and `example_truth`."""
    suffix = ".json"
    found = (entry.name for entry in _bundled().iterdir())
    return tuple(sorted(name.removesuffix(suffix) for name in found if name.endswith(suffix)))


@checked_arguments
def load_example(name: str) -> Dataset:
    """Return the records of a bundled example.

    Parameters
    ----------
    name
        One of `example_names()`.
    """
    with as_file(_bundled() / f"{_known(name)}.csv") as path:
        return read(path)


def example_csv(name: str) -> bytes:
    """Return the CSV file of a bundled example."""
    return (_bundled() / f"{_known(name)}.csv").read_bytes()


def example_description(name: str) -> ExampleDescription:
    """Return what an example is about."""
    document = _document(name)
    return ExampleDescription(
        name=document["name"],
        title=document["title"],
        description=document["description"],
        records=document["records"],
        seed=document["seed"],
        variables=tuple(variable["name"] for variable in document["variables"]),
    )


@checked_arguments
def example_truth(name: str) -> Network:
    """Return the network that an example was drawn from.

    Parameters
    ----------
    name
        One of `example_names()`.
    """
    document = _document(name)
    variables = document["variables"]
    names = tuple(variable["name"] for variable in variables)
    families = tuple(
        Family(
            child,
            set_of(names.index(parent) for parent in variable["parents"]),
            relation_named(variable["relation"]),
        )
        for child, variable in enumerate(variables)
    )
    return Network(
        structure=Structure(names, families),
        variables=tuple(Variable(one["name"], tuple(one["states"])) for one in variables),
        distributions=tuple(_distribution(variable) for variable in variables),
        cost=None,
        provenance=Provenance("examples", settings=(("seed", str(document["seed"])),)),
    )


def expert_files(name: str) -> dict[str, bytes]:
    """Return the files of an expert's model, one of `EXPERT_MODELS`, by their suffix.

    `.xdsl` is the model as GeNIe stores it, and `.csv` are the records.
    """
    return {suffix: (_bundled() / f"{name}{suffix}").read_bytes() for suffix in (".xdsl", ".csv")}


def _distribution(variable: dict[str, Any]) -> Distribution:
    if "present" in variable:
        return binary_table(variable["present"])
    parents = (BINARY,) * len(variable["parents"])
    return relation_named(variable["relation"]).distribution(variable["q"], BINARY, parents)


def _document(name: str) -> dict[str, Any]:
    text = (_bundled() / f"{_known(name)}.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _bundled() -> Traversable:
    return files("noisyor.data") / "bundled"


def _known(name: str) -> str:
    names = example_names()
    if name not in names:
        raise SettingsError(f"there is no example {name!r}; allowed: {', '.join(names)}")
    return name
