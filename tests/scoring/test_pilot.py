"""The trial of scoring: its figures are exact, or right on average."""

from itertools import combinations

import numpy as np
import pytest

from noisyor.core import CPT, NOISY_OR, Dataset, Knowledge
from noisyor.core.request import Request
from noisyor.core.variable import variables_of
from noisyor.data.examples import load_example
from noisyor.scoring import pilot as pilot_module
from noisyor.scoring import score
from noisyor.scoring.pilot import _Trial, pilot

CLINIC = load_example("clinic")


def test_with_all_candidates_the_figures_are_those_of_scoring() -> None:
    tried = pilot(Request.of(CLINIC, 20, relations="paper"), seconds=30)
    kept = score(CLINIC, 20, relations="paper").statistics.relations
    assert tried.exact
    assert tried.candidates == tried.most_candidates == CLINIC.variable_count - 1
    assert tried.kept == {CPT: kept[CPT].kept, NOISY_OR: kept[NOISY_OR].kept}
    assert tried.table_seconds > 0
    assert tried.fit_seconds >= 0


def test_without_time_there_is_one_level_of_few_candidates() -> None:
    tried = pilot(Request.of(CLINIC, 20, relations="paper"), seconds=1e-3)
    assert not tried.exact
    assert tried.candidates == 6
    assert tried.kept[CPT] > CLINIC.variable_count
    assert tried.table_seconds > 0


def test_a_share_of_the_children_stands_for_all() -> None:
    trial = _Trial(Request.of(CLINIC, 20, jobs=1, relations="paper"))
    few = trial._level(6, children=[0, 3])
    assert few.share == 2 / CLINIC.variable_count
    assert few.counted() == pytest.approx(
        few.scored.statistics.relations[CPT].evaluated / few.share
        + few.scored.statistics.relations[CPT].bounds / few.share
    )
    whole = trial.kept_in_all(few.scored.table, 6)
    scaled = trial.kept_in_all(few.scored.table, 6, few.share)
    for relation, count in whole.items():
        assert scaled[relation] == pytest.approx(count / few.share)


def test_if_no_child_is_finished_in_time_one_is_tried() -> None:
    trial = _Trial(Request.of(CLINIC, 20, jobs=1, relations="paper"))
    level = trial._first_level(1e-9)
    assert len(level.scored.children) >= 1
    assert level.candidates == 6


def test_one_relation_takes_no_fits() -> None:
    tried = pilot(Request.of(CLINIC, 20, relations=["cpt"]), seconds=0.05)
    assert set(tried.kept) == {CPT}
    assert tried.fit_seconds == 0.0


@pytest.mark.parametrize("required", [[], [("flu", "fever")]])
def test_over_all_choices_of_candidates_the_estimate_is_right(
    required: list[tuple[str, str]],
) -> None:
    few = set(CLINIC.names[5:])  # six candidates are enough, and few choices of two
    known = Knowledge(
        required=required,
        forbidden=[(parent, child) for parent in few for child in CLINIC.names if parent != child],
        max_parents=2,
    ).constraints(CLINIC.names)
    trial = _Trial(Request.of(CLINIC, 20, constraints=known, jobs=1, relations="paper"))
    children = [
        child for child, order in enumerate(trial._orders) if len(order) == trial.most_candidates
    ]
    choices = list(combinations(range(trial.most_candidates), 3))
    orders = [list(order) for order in trial._orders]
    sums = np.zeros(2)
    truth = np.zeros(2)
    whole = score(CLINIC, 20, constraints=known, relations="paper").table
    for child in children:
        rows = whole.families_of(child)
        truth += np.bincount(whole.relations[rows], minlength=2)
    for choice in choices:
        for child in children:
            trial._orders[child] = [orders[child][place] for place in choice] + [
                one for place, one in enumerate(orders[child]) if place not in choice
            ]
        table = trial._level(3).scored.table
        chosen = table.select(np.flatnonzero(np.isin(table.children, children)))
        found = trial.kept_in_all(chosen, 3)
        sums += [found[CPT], found[NOISY_OR]]
    assert truth.min() > 0
    assert sums / len(choices) == pytest.approx(truth)


def test_the_work_of_full_tables_grows_with_what_is_affordable() -> None:
    trial = _Trial(Request.of(CLINIC, 20, relations=[CPT], jobs=1))
    level = trial._level(trial.most_candidates)
    assert trial.tables_in_all(level) == level.counted()


def test_growth_is_damped_towards_the_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    trial = _Trial(Request.of(CLINIC, 20, jobs=1, relations="paper"))
    last = trial._level(trial.most_candidates)
    assert trial.fit_growth([last]) == 1.0
    trial.most_candidates += 20
    monkeypatch.setattr(pilot_module, "_USUAL_GROWTH", 2.0)
    # One level does not show growth, so it counts as 1: half as much for eight candidates.
    assert trial.fit_growth([last]) == pytest.approx(2.0**20 * 0.5**4)


def test_more_families_than_any_double_are_estimated() -> None:
    """Each of 1,024 binary variables has 2^1023 sets of parents, all affordable to a noisy-OR."""
    names = tuple(f"v{v}" for v in range(1024))
    rows = np.zeros((2, 1024), dtype=np.uint8)
    rows[1, ::2] = 1
    data = Dataset(variables_of(names), rows, np.array([10**9, 10**9]))
    trial = _Trial(Request.of(data, 20, relations="paper", jobs=1))
    table = trial._level(2, children=[0, 1]).scored.table
    found = trial.kept_in_all(table, 2, 2 / 1024)
    assert all(np.isfinite(count) for count in found.values())
    assert found[CPT] > 0
