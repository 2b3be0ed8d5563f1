"""Structural EM: against brute force, its promises, and where it ends."""

from dataclasses import replace
from itertools import count, pairwise
from typing import Any

import numpy as np
import pytest

from noisyor import (
    DataWarning,
    Em,
    IncompleteDataset,
    MismatchError,
    Network,
    SettingsError,
    learn,
)
from noisyor.core.incomplete_dataset import GAP
from noisyor.core.relations import relation_named
from noisyor.core.request import Request
from noisyor.core.variable import Variable
from noisyor.data.examples import example_truth
from noisyor.incomplete.completing import (
    Completed,
    column_network,
    complete,
    observed_log_likelihood,
)
from noisyor.inference import Inference
from noisyor.networks import held_out, sample_dataset
from noisyor.networks.likelihood import log_likelihood
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Learned
from noisyor.runs.plan import Plan
from tests.incomplete.tables import chain, with_gaps
from tests.oracles import em as oracle

FEW = Em(completions=5, starts=2)


def small(seed: int, share: float = 0.4, *, by_value: bool = False) -> IncompleteDataset:
    """Return a table of four variables in which fewer than ten records are complete."""
    data = with_gaps(chain(4), 60, share, seed=seed, by_value=by_value)
    complete_rows = np.flatnonzero(~data.incomplete)[9:]
    kept = np.setdiff1d(np.arange(len(data.weights)), complete_rows)
    weights = np.where(data.incomplete, data.weights, 1)
    return IncompleteDataset(data.variables, data.codes[kept], weights[kept])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("by_value", [False, True])
def test_many_completions_follow_brute_force(seed: int, by_value: bool) -> None:
    data = small(seed, by_value=by_value)
    relations = [relation_named("cpt"), relation_named("leaky-noisy-or")]
    options = Em(completions=2000, starts=1, steps=5, tolerance=0.0)
    learned = learn(data, missing="em", em=options, relations=relations, quiet=True)
    assert learned.missing is not None
    assert learned.missing.em is not None
    start = learned.missing.em.starts[0]
    assert start.begins_with == "columns"
    expected = oracle.structural_em(data, column_network(data), relations, len(start.steps))
    for step, network in zip(start.steps, expected, strict=True):
        assert step.observed_cost == pytest.approx(oracle.observed_cost(network, data), abs=0.1)
    chosen = expected[start.chosen - 1]
    graphs = [{frozenset(arc) for arc in one.structure.edges()} for one in (learned.best, chosen)]
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize("share", [0.05, 0.2, 0.4])
def test_the_likelihood_is_that_of_what_is_there(share: float) -> None:
    data = with_gaps(chain(4), 80, share, seed=3)
    learned = learn(data, missing="em", em=FEW, quiet=True)
    assert learned.missing is not None
    assert learned.missing.em is not None
    found = learned.missing.em.log_likelihood
    assert found == pytest.approx(oracle.observed_log_likelihood(learned.best, data))
    assert found == observed_log_likelihood(learned.best, data)
    assert learned.best.cost == pytest.approx(learned.optimum)


@pytest.mark.parametrize("by_value", [False, True])
def test_exact_expectations_never_worsen_the_observed_cost(by_value: bool) -> None:
    data = small(4, by_value=by_value)
    options = Em(completions=3000, starts=1, steps=8)
    learned = learn(data, missing="em", em=options, quiet=True)
    assert learned.missing is not None
    assert learned.missing.em is not None
    costs = [step.observed_cost for step in learned.missing.em.starts[0].steps]
    assert all(after <= before + 0.02 for before, after in pairwise(costs))


@pytest.mark.parametrize("share", [0.05, pytest.param(0.2, marks=pytest.mark.slow), 0.4])
def test_gaps_cost_little_against_leaving_records_out(share: float) -> None:
    truth = example_truth("clinic")
    data = with_gaps(truth, 200, share, seed=5)
    test = sample_dataset(truth, 2000, seed=6)
    em = learn(data, missing="em", em=Em(starts=1), quiet=True)
    blind = held_out(column_network(data), test).mean_smoothed
    found = held_out(em.best, test).mean_smoothed
    assert found > blind + 0.5
    if share < 0.4:  # of 11 columns, nothing complete is left at 40 %
        with pytest.warns(DataWarning, match="left out"):
            dropped = learn(data, missing="drop", quiet=True)
        assert found > held_out(dropped.best, test).mean_smoothed


def test_the_same_for_any_number_of_threads() -> None:
    data = with_gaps(chain(5), 100, 0.3, seed=1)
    one, two = (learn(data, missing="em", em=FEW, jobs=jobs, quiet=True) for jobs in (1, 2))
    assert one.data == two.data
    assert one.best.structure == two.best.structure
    other = learn(data, missing="em", em=replace(FEW, seed=7), quiet=True)
    assert other.data != one.data


def test_the_label_and_the_trace_are_in_the_result() -> None:
    data = with_gaps(chain(4), 80, 0.2)
    learned = learn(data, missing="em", em=Em(completions=4, starts=3, seed=9), quiet=True)
    assert learned.approximate is not None
    assert learned.approximate.startswith("approximate: completed by EM, 4 completions")
    assert "3 starts differ" in learned.approximate
    assert learned.approximate in learned.credible.notes
    assert learned.complete
    assert repr(learned).endswith("complete, approximate: completed by EM)")
    assert "approximate: completed by EM" in learned._repr_html_()
    said = learned.summary()["missing"]
    assert isinstance(said, dict)
    assert (said["policy"], said["completions"], said["seed"]) == ("em", 4, 9)
    assert said["label"] == "approximate: completed by EM"
    assert len(said["starts"]) == 3
    assert said["spread"] == pytest.approx(
        max(one["observed_cost"] for one in said["starts"])
        - min(one["observed_cost"] for one in said["starts"])
    )
    assert dict(learned.settings)["missing"] == "em"
    assert learned.best.provenance.records == 80


def test_without_gaps_learning_is_exact() -> None:
    data = with_gaps(chain(4), 80, 0.0)
    learned = learn(data, missing="em", quiet=True)
    assert learned.approximate is None
    assert learned.missing is None
    assert learned.optimum == learn(data.complete_records(), quiet=True).optimum


def test_a_record_without_values_is_left_out_with_a_warning() -> None:
    data = with_gaps(chain(4), 60, 0.2)
    nothing = np.full((1, 4), GAP, dtype=np.uint8)
    more = IncompleteDataset(
        data.variables, np.concatenate([data.codes, nothing]), np.append(data.weights, 2)
    )
    with pytest.warns(DataWarning, match="2 of 62 records have no value at all"):
        learned = learn(more, missing="em", em=FEW, quiet=True)
    assert learned.data is not None
    assert learned.data.record_count == 60


def test_columns_that_are_never_together_are_named() -> None:
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, (40, 3)).astype(np.uint8)
    codes[:20, 0] = GAP
    codes[20:, 2] = GAP
    variables = tuple(Variable(name) for name in ("a", "b", "c"))
    data = IncompleteDataset(variables, codes, np.ones(40, dtype=np.int64))
    with pytest.warns(DataWarning, match="no record has both 'a' and 'c'"):
        learn(data, missing="em", em=FEW, quiet=True)


def test_a_cycle_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = with_gaps(chain(4), 40, 0.4)
    calls = count()

    def in_turn(network: Network, gaps: IncompleteDataset, **options: Any) -> Completed:  # noqa: ANN401
        del network
        turn = next(calls) % 2
        return complete(column_network(gaps), gaps, **(options | {"seed": (turn,)}))

    monkeypatch.setattr("noisyor.incomplete.structural_em.complete", in_turn)
    options = Em(starts=1, tolerance=0.0)
    learned = learn(data, missing="em", em=options, quiet=True)
    assert learned.missing is not None
    assert learned.missing.em is not None
    start = learned.missing.em.starts[0]
    assert start.ended.startswith("went round in a cycle of 2 steps between")
    assert not start.settled
    costs = [step.observed_cost for step in start.steps]
    assert start.chosen == costs.index(min(costs)) + 1


def test_the_most_steps_are_kept_and_said() -> None:
    data = with_gaps(chain(5), 100, 0.4)
    options = Em(starts=1, steps=2, tolerance=0.0)
    learned = learn(data, missing="em", em=options, quiet=True)
    assert learned.approximate is not None
    assert "not settled after 2 steps" in learned.approximate
    one = learn(data, missing="em", em=Em(completions=1, starts=1, steps=1), quiet=True)
    assert "1 completion of each record" in str(one.approximate)


def test_a_time_limit_leaves_the_steps_so_far() -> None:
    data = with_gaps(example_truth("clinic"), 300, 0.4)
    learned = learn(data, missing="em", em=Em(starts=20), time_limit=2.0, quiet=True)
    assert learned.missing is not None
    assert learned.missing.em is not None
    starts = learned.missing.em.starts
    assert len(starts) < 20
    assert all(start.steps for start in starts)
    assert not learned.complete
    stopped = [one for one in learned.shortfalls if one.startswith("EM was stopped by the time")]
    assert len(stopped) == 1
    cut_off = sum(start.ended == "stopped by the time limit" for start in starts)
    assert f"of 20 starts, {cut_off} cut off and {20 - len(starts)} without a step" in stopped[0]
    assert dict(learned.settings)["starts"] == "20"
    assert learned.approximate is not None
    assert len(starts) == 1 or f"{len(starts)} of 20 starts differ" in learned.approximate


def test_steps_that_are_not_proven_leave_the_result_incomplete() -> None:
    data = with_gaps(chain(4), 60, 0.3)
    learned = learn(data, missing="em", em=FEW, method="layers", quiet=True)
    assert learned.credible.proven
    assert not learned.complete
    assert learned.missing is not None
    assert learned.missing.em is not None
    record = learned.missing.em
    steps = len(record.starts[record.best].steps)
    [said] = learned.shortfalls
    assert f"the networks of {steps} of {steps} steps are not proven" in said


def test_each_step_may_use_all_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []

    def timed(request: Request, plan: Plan) -> Learned:
        assert request.limits.seconds is not None
        ends.append(plan.began + request.limits.seconds)
        return learn_request(request, plan)

    monkeypatch.setattr("noisyor.incomplete.structural_em.learn_request", timed)
    data = with_gaps(chain(4), 60, 0.3)
    learn(data, missing="em", em=Em(starts=3), time_limit=60.0, quiet=True)
    assert len(ends) > 3
    assert ends == pytest.approx([ends[0]] * len(ends), abs=1e-6)


def test_options_are_checked() -> None:
    wrong: list[dict[str, Any]] = [{"completions": 0}, {"starts": 0}, {"seed": -1}]
    wrong += [{"completions": 2.5}, {"completions": "5"}, {"starts": True}, {"steps": None}]
    wrong += [{"tolerance": -1.0}, {"tolerance": "0"}, {"tolerance": float("nan")}]
    for options in wrong:
        with pytest.raises(SettingsError, match=f"{next(iter(options))} is"):
            Em(**options)
    three: Any = np.int64(3)
    assert type(Em(completions=three).completions) is int
    data = with_gaps(chain(4), 60, 0.2)
    for score in ("bdeu", "k2"):
        with pytest.raises(SettingsError, match="is a marginal likelihood"):
            learn(data, missing="em", score=score, relations="cpt", quiet=True)
        one = Em(completions=1)
        with pytest.raises(SettingsError, match="is a marginal likelihood"):
            learn(data, missing="em", em=one, score=score, relations="cpt", quiet=True)
    with pytest.raises(SettingsError, match="a bootstrap resamples complete records"):
        learn(data, missing="em", bootstrap=5, quiet=True)
    with pytest.raises(SettingsError, match='em has options of missing="em"'):
        learn(data, missing="drop", em=Em(), quiet=True)


def test_completions_keep_what_is_there() -> None:
    data = with_gaps(chain(4), 50, 0.3)
    found = complete(chain(4), data, copies=3, seed=(0,))
    assert found.data.record_count == 50
    assert found.data.copies == 3
    full = complete(chain(4), with_gaps(chain(4), 50, 0.0), copies=3, seed=(0,))
    rows = with_gaps(chain(4), 50, 0.0).complete_records()
    assert full.log_likelihood == pytest.approx(log_likelihood(chain(4), rows))


def test_the_likelihood_matches_variables_by_name_and_states_by_label() -> None:
    network = chain(3)
    data = with_gaps(network, 60, 0.3)
    wanted = observed_log_likelihood(network, data)
    order = [2, 0, 1]
    moved = IncompleteDataset(
        tuple(data.variables[place] for place in order), data.codes[:, order], data.weights
    )
    assert observed_log_likelihood(network, moved) == pytest.approx(wanted, rel=1e-12)
    flipped = np.where(data.codes == GAP, GAP, 1 - data.codes)
    turned = tuple(Variable(one.name, one.states[::-1]) for one in data.variables)
    same = IncompleteDataset(turned, flipped, data.weights)
    assert observed_log_likelihood(network, same) == pytest.approx(wanted, rel=1e-12)


def test_the_likelihood_refuses_other_variables_and_states() -> None:
    network = chain(3)
    data = with_gaps(network, 20, 0.3)
    others = tuple(
        Variable(f"other {place}", one.states) for place, one in enumerate(data.variables)
    )
    with pytest.raises(MismatchError, match="different variables"):
        observed_log_likelihood(network, IncompleteDataset(others, data.codes, data.weights))
    fewer = IncompleteDataset(data.variables[:2], data.codes[:, :2], data.weights)
    with pytest.raises(MismatchError, match="different variables"):
        observed_log_likelihood(network, fewer)
    first = data.variables[0]
    more = (Variable(first.name, (*first.states, "more")), *data.variables[1:])
    with pytest.raises(MismatchError, match=f"the states of {first.name!r}"):
        observed_log_likelihood(network, IncompleteDataset(more, data.codes, data.weights))


def test_codes_beyond_the_states_do_not_reach_the_kernels() -> None:
    inference = Inference(chain(3))
    wrong = np.array([[0, 2, GAP]], dtype=np.uint8)
    with pytest.raises(ValueError, match="has a code beyond its states"):
        inference.marginals(wrong, np.zeros(3, dtype=np.uint8))
    with pytest.raises(ValueError, match="has a code beyond its states"):
        inference.draws(wrong, np.array([1]), np.array([1], dtype=np.uint64))
    with pytest.raises(ValueError, match="the network has 3 variables"):
        inference.draws(wrong[:, :2], np.array([1]), np.array([1], dtype=np.uint64))
