"""Networks of the grid are as their cell says, and the page says what is stored."""

import re
from pathlib import Path

import numpy as np
import pytest

from benchmarks.grid.figures import PREDICTION, STRUCTURE, figures
from benchmarks.grid.measuring import measure
from benchmarks.grid.networks import FREQUENCIES, drawn_chances, network_of
from benchmarks.grid.page import section
from benchmarks.grid.plan import (
    CELLS,
    CHOICES,
    COMPARED,
    LEAKY,
    NETWORKS,
    PAPER,
    SIZES,
    TABLES,
    VARIABLES,
    Cell,
    Job,
    Model,
    Prevalence,
    Strength,
    jobs,
)
from benchmarks.grid.statistics import changes
from benchmarks.harness.measuring import Results
from benchmarks.relations.statistics import structure
from noisyor import sample_codes

OR = Cell(Model.OR, 0.1, Strength.STRONG, Prevalence.COMMON)


def chances_of(model: Model, leak: float = 0.1) -> np.ndarray:
    cell = Cell(model, leak, Strength.WEAK, Prevalence.COMMON)
    return drawn_chances(np.random.default_rng(3), cell, 2)


def test_a_noisy_or_has_its_leak_and_independent_causes() -> None:
    chances = chances_of(Model.OR)
    assert chances[0] == pytest.approx(0.1)
    spared = 1 - chances
    assert spared[3] * spared[0] == pytest.approx(spared[1] * spared[2])
    assert all((0.5 <= spared[place] / spared[0] <= 0.8) for place in (1, 2))
    assert chances_of(Model.OR, 0.0)[0] == 0


def test_a_noisy_and_needs_all_of_its_causes() -> None:
    chances = chances_of(Model.AND)
    assert chances[3] == pytest.approx(0.9)
    assert chances[3] * chances[0] == pytest.approx(chances[1] * chances[2])
    assert chances.argmax() == 3


def test_signed_causes_act_by_presence_or_absence() -> None:
    random = np.random.default_rng(3)
    cell = Cell(Model.SIGNED, 0.1, Strength.STRONG, Prevalence.COMMON)
    least = {int(drawn_chances(random, cell, 2).argmin()) for _ in range(50)}
    assert least == {0, 1, 2, 3}  # the configuration in which no cause acts


@pytest.mark.parametrize("cell", CELLS[::3], ids=lambda cell: cell.name)
def test_every_variable_of_a_network_varies(cell: Cell) -> None:
    network = network_of(cell, 0)
    assert len(network.names) == VARIABLES
    low, high = FREQUENCIES[cell.prevalence]
    shares = sample_codes(network, 4000, seed=1).mean(axis=0)
    assert low / 2 < shares.min()
    assert shares.max() < high + 0.03
    again = network_of(cell, 0)
    assert network.structure == again.structure
    assert network_of(cell, 1).structure != network.structure


def test_jobs_are_of_every_cell() -> None:
    every = jobs()
    assert len({job.key for job in every}) == len(every) == len(CELLS) * NETWORKS * len(SIZES)
    assert {job.cell.model for job in jobs([Model.AND])} == {Model.AND}
    assert len({cell.title for cell in CELLS}) == len({cell.name for cell in CELLS}) == len(CELLS)


@pytest.mark.parametrize("records", [3, 100])  # of three, some columns have a single value
def test_a_sample_is_measured(records: int) -> None:
    found = measure(Job(OR, 0, records))
    assert list(found)[2:] == list(CHOICES)
    assert found[TABLES]["causes"] == 0
    for choice in CHOICES:
        assert found[choice]["proven"]
        assert found[choice]["held_out_best"] < found["truth"]["held_out"] + 0.01


def stored(network: int) -> Results:
    """Return a result in which some choices differ from full tables."""
    own = {choice: {"proven": True, "cpdag_shd": 5, "held_out_best": -4.0} for choice in CHOICES}
    own[LEAKY] = {"proven": True, "cpdag_shd": 3 - network % 2, "held_out_best": -3.9}
    own[PAPER] = {"proven": True, "cpdag_shd": 7, "held_out_best": -4.2}
    return {"truth": {"arcs": 10, "held_out": -3.8}, "seconds": 6.0, **own}


@pytest.fixture
def results() -> dict[str, Results]:
    return {f"{OR.name}/{network}/100": stored(network) for network in range(NETWORKS)}


def test_changes_are_paired(results: dict[str, Results]) -> None:
    found = changes(results, 100, structure, LEAKY)
    assert list(found) == [OR]
    assert found[OR].middle == pytest.approx(-0.25)
    assert found[OR].clearly_below(0)


def test_the_page_says_what_is_stored(results: dict[str, Results]) -> None:
    text = section(results)
    said = re.sub(r"\s+", " ", text)
    assert f"Of {len(jobs()):,} planned samples, {NETWORKS} have a result" in said
    assert "- leaky noisy-OR (the default): structure is clearly better in 1 and clearly" in said
    row = f"| {OR.title} | 100 | **+0.20** / **+0.200** | -0.25\\* / -0.100\\* | 0.00 / 0.000 |"
    assert row in text
    cells = sum(cell.model is Model.OR for cell in CELLS) * len(SIZES)
    assert f"| {Model.OR} ({cells} cells) | 0 / 1 | 1 / 0 | 0 / 0 |" in text


def test_the_figures_are_drawn(results: dict[str, Results], tmp_path: Path) -> None:
    paths = figures(results, tmp_path)
    assert [path.name for path in paths] == [STRUCTURE, PREDICTION]
    drawn = paths[0].read_text()
    assert drawn == figures(results, tmp_path)[0].read_text()
    assert drawn.count(f">{OR.title}<") == 1
    assert len(COMPARED) == len(CHOICES) - 1
