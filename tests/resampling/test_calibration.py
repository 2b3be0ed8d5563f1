"""The temperature is that of the least log loss, and the loss is what it says."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from noisyor import calibrate
from noisyor.core import BayesFactor, Dataset, SettingsError
from noisyor.core.bootstrap import Edge
from noisyor.core.request import Request
from noisyor.learning import learn
from noisyor.pipeline import Plan, learn_request
from noisyor.resampling import calibration
from noisyor.resampling.calibration import FLOOR, Calibration, calibrate_request, log_loss
from tests.cli.test_cli import refused, run
from tests.scoring.problems import random_dataset

if TYPE_CHECKING:
    from noisyor.core.progress import Progress

DATA = random_dataset(4, 5, 60)


@pytest.fixture(scope="module")
def found() -> Calibration:
    return calibrate(DATA, resamples=12, seed=1, jobs=1, quiet=True)


def naive_loss(weights: dict[Edge, float], true: set[Edge], variables: int) -> float:
    """Return the loss over all pairs, also those that nothing joins."""
    loss = 0.0
    for one in range(variables):
        for other in range(one):
            forth, back = weights.get((one, other), 0.0), weights.get((other, one), 0.0)
            if (one, other) in true:
                chance = forth
            elif (other, one) in true:
                chance = back
            else:
                chance = 1 - forth - back
            loss -= math.log((1 - FLOOR) * chance + FLOOR / 3)
    return loss


def test_the_loss_is_that_of_three_outcomes_for_each_pair() -> None:
    weights = {(0, 1): 0.5, (1, 0): 0.25, (2, 1): 1.0}
    for true in ({(0, 1)}, {(1, 0), (2, 1)}, {(2, 0)}, set[Edge]()):
        found = log_loss(weights, dict.fromkeys(true, 1.0))
        nothing = -math.log((1 - FLOOR) + FLOOR / 3)  # of each pair that is left out
        left_out = 3 - len({tuple(sorted(edge)) for edge in (*weights, *true)})
        assert found + left_out * nothing == pytest.approx(naive_loss(weights, true, 3))


def test_networks_that_tie_share_the_outcome() -> None:
    weights = {(0, 1): 0.75}
    both = log_loss(weights, {(0, 1): 0.5, (1, 0): 0.5})
    forth, back = log_loss(weights, {(0, 1): 1.0}), log_loss(weights, {(1, 0): 1.0})
    assert both == pytest.approx((forth + back) / 2)


def test_the_temperature_has_the_least_loss_of_those_tried(found: Calibration) -> None:
    tried = {one.temperature: one.loss for one in found.tried}
    best = min(tried, key=tried.__getitem__)
    assert best / math.sqrt(2) <= found.temperature <= best * math.sqrt(2)
    assert found.low <= found.temperature <= found.high
    assert [one.temperature for one in found.tried] == sorted(tried)
    assert min(tried) == 1
    assert found.loss_at(best) == tried[best]
    assert found.resamples == found.asked == 12


def test_weights_are_never_made_surer() -> None:
    """Resamples of noise agree on the empty network, which says nothing about weak arcs."""
    codes = np.array([[0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.uint8)
    data = Dataset(DATA.variables[:2], codes, np.array([100, 100, 100, 100]))
    found = calibrate(data, resamples=5, jobs=1, quiet=True)
    assert found.temperature == found.low == 1


def test_the_result_is_learned_at_the_temperature(found: Calibration) -> None:
    again = learn(DATA, temperature=found.temperature, quiet=True)
    assert found.learned.credible.bayes_factor == BayesFactor(20, found.temperature)
    assert found.learned.arc_strength() == again.arc_strength()
    assert found.learned.count == again.count


def test_the_seed_decides_whatever_the_number_of_threads(found: Calibration) -> None:
    other = calibrate(DATA, resamples=12, seed=1, jobs=3, quiet=True)
    assert other.tried == found.tried
    assert other.temperature == found.temperature
    assert (other.low, other.high) == (found.low, found.high)


def test_a_parabola_finds_the_lowest_point_between_steps() -> None:
    steps = [-1, 0, 1, 2]
    losses = np.array([(step - 0.7) ** 2 + 3 for step in steps])
    assert calibration._lowest(steps, losses) == pytest.approx(0.7)
    assert calibration._lowest([0, 1], np.array([2.0, 1.0])) == 1
    assert calibration._lowest([0, 1, 2], np.array([1.0, 1.0, 1.0])) == 0


def test_many_networks_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    """A set that was counted in part says nothing about its weights."""
    exact = calibrate(DATA, resamples=3, jobs=1, quiet=True)
    real = learn_request

    def counted_in_part(request: Request, plan: Plan) -> object:
        learned = real(request, plan)
        if request.factor.temperature == 1:
            return learned
        credible = replace(learned.credible, shortfalls=("cut short",))
        return replace(learned, credible=credible)

    monkeypatch.setattr(calibration, "learn_request", counted_in_part)
    sampled = calibrate(DATA, resamples=3, jobs=1, quiet=True)
    assert sampled.learned.credible.sampling is not None
    assert not sampled.learned.complete
    assert any("a sample is used" in line for line in sampled.notes)
    assert sampled.temperature == pytest.approx(exact.temperature, rel=0.2)


def test_when_time_is_up_the_result_says_so() -> None:
    plan = Plan(quiet=True)
    plan = replace(plan, began=plan.began - 100)
    with pytest.raises(SettingsError, match="no resampled table was done"):
        calibrate_request(Request.of(DATA, time_limit=99), plan, resamples=3)


def test_progress_is_shown() -> None:
    seen: list[Progress] = []
    calibrate(DATA, resamples=2, progress=seen.append)
    assert {"bootstrap", "calibration"} <= {one.step for one in seen}


def test_many_variables_are_refused() -> None:
    wide = random_dataset(1, 60, 30)
    with pytest.raises(SettingsError, match="60 variables; weights can be calibrated for up to 48"):
        calibrate(wide, resamples=2, quiet=True)


def test_the_command_prints_the_temperature_and_strengths(tmp_path: Path) -> None:
    table = tmp_path / "pump.csv"
    assert run("examples", "pump", "-o", table).exit_code == 0
    given = ("calibrate", table, "--bootstrap", 3, "--seed", 4, "--quiet")
    result = run(*given)
    assert result.exit_code == 0, result.output
    said = json.loads(run(*given, "--json").stdout)
    assert f"temperature {said['temperature']:.2f} (one standard error" in result.stdout
    assert f"--temperature {said['temperature']:.2f}" in result.stdout
    assert said["resamples"] == 3
    assert said["arcs"][0]["weight"] == 1
    refused(run("calibrate", table, "--bootstrap", 1), "allowed: 2 to")
