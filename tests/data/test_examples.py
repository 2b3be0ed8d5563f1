"""The bundled examples are as the script makes them, and agree with their networks."""

import importlib.util
import itertools
import math
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pytest

import noisyor
from noisyor.core import CPT, NOISY_OR, Cpt, Dataset, NoisyOr, Relation, SettingsError
from noisyor.data.examples import (
    EXPERT_MODELS,
    example_csv,
    example_description,
    example_names,
    example_truth,
    expert_files,
    load_example,
)

NAMES = ("appliance", "clinic", "pump")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[2] / "examples" / "make_examples.py"
    spec = importlib.util.spec_from_file_location("make_examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bundled_files_are_what_the_script_makes(script: ModuleType) -> None:
    made = script.bundled_files()
    folder = files("noisyor.data") / "bundled"
    drawn_by_hand = {f"{name}.xdsl" for name in EXPERT_MODELS}
    assert {entry.name for entry in folder.iterdir()} == {*made, *drawn_by_hand}
    for name, content in made.items():
        assert (folder / name).read_bytes() == content, name


def test_the_names() -> None:
    assert example_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_what_its_description_says(name: str) -> None:
    about, truth, dataset = example_description(name), example_truth(name), load_example(name)
    assert about.name == name
    assert dataset.names == truth.names == about.variables
    assert dataset.states == truth.states
    assert dataset.record_count == about.records
    assert example_csv(name).count(b"\n") == about.records + 1
    assert dataset.constant_columns() == ()


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_is_the_scripts_network(name: str, script: ModuleType) -> None:
    example = next(one for one in script.EXAMPLES if one.name == name)
    made, read = script.network_of(example), example_truth(name)
    assert read.structure == made.structure
    for ours, theirs in zip(read.distributions, made.distributions, strict=True):
        assert type(ours) is type(theirs)
        field = "q" if isinstance(ours, NoisyOr) else "present"
        assert getattr(ours, field).tolist() == getattr(theirs, field).tolist()


@pytest.mark.filterwarnings("ignore:1 of 12 columns never changes")  # a fault that did not occur
@pytest.mark.parametrize("name", EXPERT_MODELS)
def test_the_model_of_an_expert_has_titles_places_colours_and_records(
    name: str, tmp_path: Path
) -> None:
    bundled = expert_files(name)
    for suffix, content in bundled.items():
        (tmp_path / f"{name}{suffix}").write_bytes(content)
    model = noisyor.read_network(tmp_path / f"{name}.xdsl")
    records = noisyor.read(tmp_path / f"{name}.csv")
    assert records.names == model.names
    assert records.record_count == 40
    for variable in model.names:
        look = model.appearance.of(variable)
        assert look.title
        assert look.box
        assert look.fill


def test_an_unknown_name_lists_the_allowed() -> None:
    with pytest.raises(SettingsError, match="no example 'x'; allowed: appliance, clinic, pump"):
        load_example("x")


def relations_of(name: str) -> set[object]:
    families = example_truth(name).structure.families
    return {family.relation for family in families if family.parents}


def test_one_example_each_of_noisy_or_full_tables_and_both() -> None:
    assert relations_of("clinic") == {NOISY_OR}
    assert relations_of("appliance") == {CPT}
    assert relations_of("pump") == {CPT, NOISY_OR}


def test_the_clinic_has_findings_of_many_causes_and_of_one() -> None:
    counts = [family.parent_count for family in example_truth("clinic").structure.families]
    assert sum(count >= 3 for count in counts) >= 2
    assert counts.count(1) == 1


def test_a_table_is_written_with_the_last_parent_fastest() -> None:
    truth = example_truth("appliance")
    blinks = truth.distributions[truth.names.index("display_blinks")]
    assert isinstance(blinks, Cpt)
    # Given power (bit 0) and washes (bit 1): power without washing makes the display blink.
    assert blinks.present.tolist() == [0.05, 0.80, 0.10, 0.15]


@pytest.mark.parametrize("name", NAMES)
def test_frequencies_are_those_of_the_network(name: str) -> None:
    truth, dataset = example_truth(name), load_example(name)
    for family, distribution in zip(truth.structure.families, truth.distributions, strict=True):
        expected = distribution.expand().present
        present, total = configuration_counts(dataset, family.child, family.parent_indices())
        for chance, ones, records in zip(expected, present, total, strict=True):
            spread = math.sqrt(records * chance * (1 - chance))
            # Fixed data: five standard deviations hold for all of about 100 configurations.
            assert abs(ones - records * chance) <= 5 * spread + 1e-9


def configuration_counts(
    dataset: Dataset, child: int, parents: tuple[int, ...]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return, per configuration of the parents, the records with the child present, and all."""
    index = np.zeros(len(dataset.weights), dtype=np.int64)
    for position, parent in enumerate(parents):
        index += dataset.column(parent).astype(np.int64) << position
    size = 2 ** len(parents)
    ones = dataset.weights * dataset.column(child)
    return (
        np.bincount(index, ones, minlength=size).astype(np.float64),
        np.bincount(index, dataset.weights, minlength=size).astype(np.float64),
    )


def likelihood_cost(ones: npt.NDArray[np.float64], total: npt.NDArray[np.float64]) -> float:
    cost = 0.0
    for present, records in zip(ones, total, strict=True):
        for count in (present, records - present):
            if count:
                cost -= count * math.log(count / records)
    return cost


def noisy_or_cost(ones: npt.NDArray[np.float64], total: npt.NDArray[np.float64]) -> float:
    """Return the cost of a noisy-OR fitted by expectation-maximization, without the penalty."""
    if ones[0]:
        return math.inf
    parents = int(math.log2(len(total)))
    rows = np.array([[code >> t & 1 for t in range(parents)] for code in range(len(total))])
    strength = np.full(parents, 0.5)
    exposed = np.maximum(total @ rows, 1e-300)
    for _ in range(500):
        chance = 1 - np.prod(np.where(rows, 1 - strength, 1.0), axis=1)
        weight = np.divide(ones, chance, out=np.zeros_like(ones), where=ones > 0)
        strength = strength * (weight @ rows) / exposed
    chance = 1 - np.prod(np.where(rows, 1 - strength, 1.0), axis=1)
    absent = total - ones
    seen, unseen = ones > 0, absent > 0
    return float(-(ones[seen] @ np.log(chance[seen])) - absent[unseen] @ np.log1p(-chance[unseen]))


def test_every_finding_of_the_clinic_is_best_explained_by_its_causes() -> None:
    truth, dataset = example_truth("clinic"), load_example("clinic")
    families = truth.structure.families
    diseases = [family.child for family in families if not family.parents]
    for family in families:
        if not family.parents:
            continue
        costs: dict[tuple[tuple[int, ...], Relation], float] = {}
        for size in range(1, len(diseases) + 1):
            for parents in itertools.combinations(diseases, size):
                ones, total = configuration_counts(dataset, family.child, parents)
                weight = math.log(dataset.record_count) / 2
                costs[parents, CPT] = likelihood_cost(ones, total) + 2**size * weight
                costs[parents, NOISY_OR] = noisy_or_cost(ones, total) + size * weight
        assert min(costs, key=lambda one: costs[one]) == (family.parent_indices(), NOISY_OR)
