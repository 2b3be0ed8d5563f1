"""Make the bundled example data: documented networks, sampled with fixed seeds.

Run `python examples/make_examples.py` to rewrite the tables and their descriptions in
src/noisyor/data/bundled. The result is the same byte for byte every time, and a test compares it
with the bundled files. `car.xdsl` there is an expert's model, drawn by hand; only its records are
made here.
"""  # noqa: INP001  (a script, not a package)

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noisyor.core import Cpt, Distribution, Family, Network, NoisyOr, Provenance, Structure
from noisyor.core.variable import variables_of
from noisyor.core.variable_sets import set_of

BUNDLED = Path(__file__).parents[1] / "src" / "noisyor" / "data" / "bundled"


@dataclass(frozen=True, slots=True)
class Chance:
    """A root: how often it is present."""

    present: float


@dataclass(frozen=True, slots=True)
class Causes:
    """A noisy-OR without leak: how often each cause alone brings the child about."""

    strength: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """A full table: the chance of presence per combination of the parents; the last varies fastest.

    With parents (a, b) the entries are those of 00, 01, 10 and 11.
    """

    parents: Sequence[str]
    present: Sequence[float]


@dataclass(frozen=True, slots=True)
class Example:
    """A data set to make: its network, how many records, and from which seed."""

    name: str
    title: str
    description: str
    absent: str
    present: str
    records: int
    seed: int
    nodes: Mapping[str, Chance | Causes | Table]


CLINIC = Example(
    name="clinic",
    title="Five diseases and six findings (noisy-OR)",
    description=(
        "Patients of a general practice. Each disease may bring about each of its findings on its "
        "own, and there is no leak: nobody has a finding without one of the diseases that cause "
        "it. Light sensitivity has one cause only; cough, fever and fatigue have three or four."
    ),
    absent="no",
    present="yes",
    records=1000,
    seed=20240501,
    nodes={
        "flu": Chance(0.22),
        "cold": Chance(0.30),
        "allergy": Chance(0.25),
        "pneumonia": Chance(0.12),
        "migraine": Chance(0.15),
        "fever": Causes({"flu": 0.90, "cold": 0.25, "pneumonia": 0.85}),
        "cough": Causes({"flu": 0.65, "cold": 0.55, "pneumonia": 0.90}),
        "sneezing": Causes({"cold": 0.80, "allergy": 0.85}),
        "headache": Causes({"flu": 0.60, "migraine": 0.95}),
        "fatigue": Causes({"flu": 0.80, "cold": 0.35, "pneumonia": 0.70, "migraine": 0.40}),
        "light_sensitivity": Causes({"migraine": 0.75}),
    },
)

APPLIANCE = Example(
    name="appliance",
    title="A washing machine that may not wash (full tables)",
    description=(
        "Service visits to washing machines. Parts need each other: the machine has power only if "
        "it is plugged in and the fuse holds, and it washes only if the drum turns and water comes "
        "in. Such conjunctions are no noisy-ORs, and every table has exceptions."
    ),
    absent="0",
    present="1",
    records=1500,
    seed=20240502,
    nodes={
        "plugged_in": Chance(0.85),
        "fuse_holds": Chance(0.80),
        "door_closed": Chance(0.75),
        "tap_open": Chance(0.70),
        "power": Table(("plugged_in", "fuse_holds"), (0.02, 0.05, 0.04, 0.97)),
        "motor_runs": Table(("door_closed", "power"), (0.02, 0.12, 0.03, 0.93)),
        "water_comes_in": Table(("tap_open", "power"), (0.03, 0.10, 0.15, 0.95)),
        "washes": Table(("motor_runs", "water_comes_in"), (0.02, 0.08, 0.10, 0.94)),
        "display_blinks": Table(("power", "washes"), (0.05, 0.10, 0.80, 0.15)),
    },
)

PUMP = Example(
    name="pump",
    title="Faults of a pump station (noisy-OR and full tables)",
    description=(
        "Shift logs of a pump station. Faults raise alarms on their own (noisy-OR without leak); "
        "the standby pump starts, and water is delivered, by the logic of their controls (full "
        "tables)."
    ),
    absent="0",
    present="1",
    records=2000,
    seed=20240503,
    nodes={
        "worn_bearing": Chance(0.20),
        "clogged_filter": Chance(0.25),
        "leaking_valve": Chance(0.18),
        "sensor_drift": Chance(0.15),
        "automatic_mode": Chance(0.60),
        "vibration": Causes({"worn_bearing": 0.85, "clogged_filter": 0.40}),
        "low_pressure": Causes(
            {"clogged_filter": 0.75, "leaking_valve": 0.80, "sensor_drift": 0.5}
        ),
        "overheating": Causes({"worn_bearing": 0.70, "clogged_filter": 0.55}),
        "standby_starts": Table(("automatic_mode", "low_pressure"), (0.02, 0.15, 0.05, 0.92)),
        "water_delivered": Table(("low_pressure", "standby_starts"), (0.98, 0.70, 0.12, 0.90)),
    },
)

EXAMPLES = (CLINIC, APPLIANCE, PUMP)

CAR = Example(
    name="car",
    title="A car that does not start",
    description=(
        "Cars that were brought to a workshop. The faults are more frequent than the model of the "
        "expert says, and some strengths differ. No car of the forty has a broken fuel pump."
    ),
    absent="no",
    present="yes",
    records=40,
    seed=20240506,
    nodes={
        "flat_battery": Chance(0.35),
        "worn_starter": Chance(0.15),
        "empty_tank": Chance(0.10),
        "broken_pump": Chance(0.02),
        "fouled_plugs": Chance(0.20),
        "locked_immobiliser": Chance(0.06),
        "dim_lights": Causes({"flat_battery": 0.60}),
        "clicking": Causes({"flat_battery": 0.70, "worn_starter": 0.30}),
        "no_cranking": Causes(
            {"flat_battery": 0.60, "worn_starter": 0.85, "locked_immobiliser": 0.90}
        ),
        "no_start": Causes(
            {
                "flat_battery": 0.70,
                "worn_starter": 0.85,
                "empty_tank": 0.98,
                "broken_pump": 0.95,
                "fouled_plugs": 0.60,
                "locked_immobiliser": 0.99,
            }
        ),
        "gauge_at_zero": Causes({"empty_tank": 0.90}),
        "smell_of_fuel": Causes({"fouled_plugs": 0.70}),
    },
)
"""The records for the expert's model of the same name; what they were drawn from is not bundled."""


def network_of(example: Example) -> Network:
    """Return an example's network as a `Network`."""
    names = tuple(example.nodes)
    families: list[Family] = []
    distributions: list[Distribution] = []
    for child, node in enumerate(example.nodes.values()):
        distribution, parents = _distribution(node, names)
        distributions.append(distribution)
        families.append(Family(child, parents, distribution.relation))
    return Network(
        structure=Structure(names, tuple(families)),
        variables=variables_of(names, ((example.absent, example.present),) * len(names)),
        distributions=tuple(distributions),
        cost=None,
        provenance=Provenance("examples", settings=(("seed", str(example.seed)),)),
    )


def _distribution(node: Chance | Causes | Table, names: Sequence[str]) -> tuple[Distribution, int]:
    """Return a node's parameters in ascending order of its parents, and the set of its parents."""
    match node:
        case Chance(present):
            return Cpt.binary([present]), 0
        case Causes(strength):
            causes = sorted(strength, key=names.index)
            # Rounded, because 1 - 0.9 is not the 0.1 that a reader expects to see.
            q = [round(1 - strength[cause], 10) for cause in causes]
            return NoisyOr(np.array(q)), set_of(names.index(cause) for cause in causes)
        case Table(parents, present):
            numbers = [names.index(parent) for parent in parents]
            if numbers != sorted(numbers):
                raise ValueError(f"parents must be in the order of the nodes: {parents}")
            # In a Cpt the first parent varies fastest; in the tables above, the last one does.
            shape = (2,) * len(parents)
            table = np.array(present, dtype=np.float64).reshape(shape).T.reshape(-1)
            return Cpt.binary(table), set_of(numbers)


def sample(network: Network, records: int, seed: int) -> npt.NDArray[np.bool_]:
    """Return records drawn from a network node by node, shape (records, variables)."""
    generator = np.random.default_rng(seed)
    values = np.zeros((records, len(network.names)), dtype=np.bool_)
    for node in network.structure.topological_order():
        distribution = network.distributions[node]
        parents = network.structure.families[node].parent_indices()
        present = np.array([_chance(distribution, row) for row in values[:, parents].tolist()])
        values[:, node] = generator.random(records) < present
    return values


def _chance(distribution: Distribution, parents: Sequence[bool]) -> float:
    """Return the chance that a node is present, given its parents in ascending order."""
    causes = distribution.causes()
    if causes:  # no leak in any example: each is a parent
        return 1 - prod(cause.q for cause, on in zip(causes, parents, strict=True) if on)
    return float(distribution.expand().present[set_of(t for t, on in enumerate(parents) if on)])


def describe(example: Example, network: Network) -> str:
    """Return an example's description and true network as JSON."""
    document = {
        "format": "noisyor-example",
        "version": 1,
        "name": example.name,
        "title": example.title,
        "description": example.description,
        "records": example.records,
        "seed": example.seed,
        "variables": [
            {
                "name": name,
                "states": list(states),
                "parents": [network.names[parent] for parent in family.parent_indices()],
                "relation": family.relation.name,
                **_parameters(distribution),
            }
            for name, states, family, distribution in zip(
                network.names,
                network.states,
                network.structure.families,
                network.distributions,
                strict=True,
            )
        ],
        "edges": [list(edge) for edge in network.structure.edges()],
    }
    return json.dumps(document, indent=2) + "\n"


def _parameters(distribution: Distribution) -> dict[str, list[float]]:
    """Return q per parent, or the chance of presence per configuration, in the order of core."""
    causes = distribution.causes()
    if causes:
        return {"q": [cause.q for cause in causes]}
    return {"present": distribution.expand().present.tolist()}


def bundled_files() -> dict[str, bytes]:
    """Return every bundled file that is made here by its name."""
    files: dict[str, bytes] = {}
    for example in EXAMPLES:
        network = network_of(example)
        files[f"{example.name}.csv"] = table_of(example, network)
        files[f"{example.name}.json"] = describe(example, network).encode()
    files[f"{CAR.name}.csv"] = table_of(CAR, network_of(CAR))
    return files


def table_of(example: Example, network: Network) -> bytes:
    """Return the records of an example as CSV."""
    labels = (example.absent, example.present)
    lines = [",".join(network.names)]
    lines += [
        ",".join(labels[value] for value in row)
        for row in sample(network, example.records, example.seed).tolist()
    ]
    return ("\n".join(lines) + "\n").encode()


if __name__ == "__main__":
    BUNDLED.mkdir(exist_ok=True)
    for name, content in bundled_files().items():
        (BUNDLED / name).write_bytes(content)
