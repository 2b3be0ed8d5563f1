"""The temperature is that of the least log loss, and the loss is what it says."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from noisyor import calibrate
from noisyor.core import BayesFactor, Dataset, ScoreTable, SettingsError
from noisyor.core.bootstrap import Edge
from noisyor.core.request import Request
from noisyor.learning import learn
from noisyor.resampling import calibration, credible_sets
from noisyor.resampling.calibration import FLOOR, Calibration, calibrate_request, log_loss
from noisyor.resampling.credible_sets import CredibleSets, NoWeights
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan
from noisyor.scoring import Scored, score_request
from noisyor.search import Searched, search
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
        found = log_loss(weights, dict.fromkeys(true, 1.0), 4)
        assert found == pytest.approx(naive_loss(weights, true, 4))


def test_an_arc_without_weight_costs_nothing_more() -> None:
    assert log_loss({(0, 1): 0.0}, {}, 3) == pytest.approx(log_loss({}, {}, 3))
    assert log_loss({}, {}, 3) > 0


def test_networks_that_tie_share_the_outcome() -> None:
    weights = {(0, 1): 0.75}
    both = log_loss(weights, {(0, 1): 0.5, (1, 0): 0.5}, 3)
    forth, back = (log_loss(weights, {arc: 1.0}, 3) for arc in ((0, 1), (1, 0)))
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
    losses = np.array([(step - 1.7) ** 2 + 3 for step in range(4)])
    assert calibration._lowest(losses) == pytest.approx(1.7)
    assert calibration._lowest(np.array([2.0, 1.0])) == 1
    assert calibration._lowest(np.array([1.0, 1.0, 1.0])) == 0


def with_losses(monkeypatch: pytest.MonkeyPatch, losses: Sequence[float]) -> Calibration:
    """Calibrate as if these were the losses at the temperatures of the grid."""
    at = dict(zip(calibration.GRID, losses, strict=True))
    monkeypatch.setattr(
        calibration,
        "losses_of",
        lambda credible, found: np.full(len(found), at[credible.bayes_factor.temperature]),
    )
    return calibrate(DATA, resamples=2, jobs=1, quiet=True)


def test_a_rise_does_not_hide_a_lower_loss_beyond_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The set grows in jumps, so the loss has several minima."""
    found = with_losses(monkeypatch, [0.2114, 0.2210, 0.2021, 0.2041, 0.3, 0.3, 0.3, 0.3, 0.3])
    assert 2 < found.temperature < 2.83
    assert found.low > 1
    assert not any("highest" in line for line in found.notes)


def test_a_minimum_at_the_end_of_the_grid_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = with_losses(monkeypatch, [9, 8, 7, 6, 5, 4, 3, 2, 1])
    assert found.temperature == 16
    assert "least at the highest temperature compared, 16" in found.notes[-1]


def counting_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no set above temperature 1 be counted in full."""
    real = search

    def counted_in_part(table: ScoreTable, factor: BayesFactor, **options: object) -> Searched:
        found = real(table, factor, **options)  # type: ignore[arg-type]
        if factor.temperature == 1:
            return found
        return replace(found, credible=replace(found.credible, shortfalls=("cut short",)))

    monkeypatch.setattr(credible_sets, "search", counted_in_part)


def test_many_networks_are_sampled(found: Calibration, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set that was counted in part says nothing about its weights."""
    counting_in_part(monkeypatch)
    sampled = calibrate(DATA, resamples=12, seed=1, jobs=1, quiet=True)
    assert [one.complete for one in sampled.tried] == [one.temperature == 1 for one in found.tried]
    for one, other in zip(found.tried, sampled.tried, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=0.1)
    assert any("the loss there is that of a sample" in line for line in sampled.notes)


@pytest.mark.parametrize("beyond", [2, 3])
def test_a_result_that_is_sampled_says_so(beyond: float, monkeypatch: pytest.MonkeyPatch) -> None:
    counting_in_part(monkeypatch)
    sampled = with_losses(monkeypatch, [9, 2, 1, beyond, 9, 9, 9, 9, 9])
    assert (sampled.temperature == 2) == (beyond == 2)  # at the grid, or between
    assert sampled.learned.credible.sampling is not None
    assert sampled.learned.shortfalls
    assert sampled.summary()["complete"] is False
    assert sampled.notes[-1] == f"the weights at temperature {sampled.temperature} are sampled"
    assert dict(sampled.learned.settings)["temperature"] == repr(sampled.temperature)


def test_a_set_that_gives_no_weights_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then no other temperature can be, and temperature 1 alone is no answer."""
    counting_in_part(monkeypatch)
    monkeypatch.setattr(credible_sets, "is_reliable", lambda _: False)
    with pytest.raises(SettingsError, match=r"temperature 1.41 give no weights .* nor sampled"):
        calibrate(DATA, resamples=3, jobs=1, quiet=True)


def test_without_time_for_a_set_between_two_the_nearest_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = CredibleSets.at

    def of_the_grid(sets: CredibleSets, temperature: float) -> Learned | NoWeights:
        if temperature not in calibration.GRID:
            return NoWeights("the time was up")
        return real(sets, temperature)

    monkeypatch.setattr(CredibleSets, "at", of_the_grid)
    found = with_losses(monkeypatch, [9, 2, 1, 3, 9, 9, 9, 9, 9])
    assert found.temperature == found.learned.credible.bayes_factor.temperature == 2
    assert found.notes[-1].endswith("(the time was up): the nearest temperature tried is taken")


@pytest.mark.parametrize("scored_up_to", [0.0, 2.0])
def test_families_that_were_not_scored(
    scored_up_to: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without all families, there is no set to count or to sample."""
    real = score_request

    def in_part(request: Request) -> Scored:
        scored = real(request)
        if request.factor.temperature <= scored_up_to:
            return scored
        return replace(scored, children={0: scored.children[0]})

    monkeypatch.setattr(credible_sets, "score_request", in_part)
    if not scored_up_to:
        with pytest.raises(SettingsError, match=r"at temperature 1 give no weights .* scoring the"):
            calibrate(DATA, resamples=2, jobs=1, quiet=True)
        return
    found = calibrate(DATA, resamples=2, jobs=1, quiet=True)
    assert [one.temperature for one in found.tried] == [1, 1.41, 2]
    assert any("from 2.83 on are left out" in line for line in found.notes)


def test_a_search_by_price_that_does_not_end_gives_no_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    request, plan = Request.of(DATA, jobs=1), Plan(quiet=True)
    sets = CredibleSets(request, plan, Method.PRICE, lambda: None)
    counted = sets.at(1.0)
    assert isinstance(counted, Learned)
    assert counted.complete
    monkeypatch.setattr(credible_sets, "_SCORING_SECONDS", 1e-3)
    assert isinstance(sets.at(2.0), NoWeights)


def test_a_single_credible_network_has_no_temperature() -> None:
    with pytest.raises(SettingsError, match="the Bayes factor is 1: at every temperature"):
        calibrate(DATA, 1, resamples=2, quiet=True)


def test_a_slack_that_is_not_supported_ends_the_grid() -> None:
    sets = CredibleSets(Request.of(DATA, 1e30), Plan(quiet=True), Method.TABLE, lambda: None)
    found = sets.at(16.0)
    assert isinstance(found, NoWeights)
    assert "are supported" in found.because


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
        calibrate(wide, resamples=2, quiet=True, keep_constants=True)


def test_the_command_prints_the_temperature_and_strengths(tmp_path: Path) -> None:
    table = tmp_path / "pump.csv"
    assert run("examples", "pump", "-o", table).exit_code == 0
    given = ("calibrate", table, "--bootstrap", 3, "--seed", 4, "--quiet", "--max-parents", 1)
    result = run(*given)
    assert result.exit_code == 0, result.output
    said = json.loads(run(*given, "--json").stdout)
    assert f"temperature {said['temperature']:.2f} (one standard error" in result.stdout
    assert f"--temperature {said['temperature']:.2f}" in result.stdout
    assert said["resamples"] == 3
    assert f"{max(arc['weight'] for arc in said['arcs']):.2%}" in result.stdout
    assert said["complete"] is True
    refused(run("calibrate", table, "--bootstrap", 1), "allowed: 2 to")
