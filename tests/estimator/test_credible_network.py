# ruff: noqa: N806  (X is what scikit-learn calls a table)
"""Scores and predictions against hand-worked values and brute force."""

from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import joblib  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone, is_classifier  # type: ignore[import-untyped]
from sklearn.exceptions import ConvergenceWarning, NotFittedError  # type: ignore[import-untyped]
from sklearn.model_selection import GridSearchCV, cross_val_score  # type: ignore[import-untyped]
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import Binarizer, KBinsDiscretizer  # type: ignore[import-untyped]

from noisyor import (
    CPT,
    NOISY_OR,
    Constraints,
    DataError,
    DataWarning,
    ImpossibleEvidenceError,
    Knowledge,
    SettingsError,
    average,
    load_example,
)
from noisyor.estimator import CredibleNetwork
from tests.oracles.joint import joint
from tests.scoring.problems import random_dataset

COPIES = np.array([[0, 0]] * 4 + [[1, 1]] * 4)
"""Two columns that are always equal: each is the only cause of the other, or both ways."""

COIN = np.array([[bit, bit, int(place == 0)] for bit in (0, 1) for place in range(4)] * 2)
"""Two copies, and an independent column that is present in every fourth record."""


def records_of(seed: int, variables: int, records: int) -> npt.NDArray[np.int64]:
    data = random_dataset(seed, variables, records)
    distinct = np.array([data.column(v) for v in range(variables)], dtype=np.int64).T
    return np.repeat(distinct, data.weights, axis=0)


def all_records(variables: int) -> npt.NDArray[np.int64]:
    return np.array(list(product((0, 1), repeat=variables)))


def members_of(fitted: CredibleNetwork) -> list[tuple[float, npt.NDArray[np.float64]]]:
    """Return each credible network's weight, not normalised, and joint distribution."""
    assert fitted.networks_ is not None
    costs = fitted.networks_.costs().tolist()
    return [
        (exp(fitted.optimum_ - cost), joint(network))
        for cost, network in zip(costs, fitted.networks_, strict=True)
    ]


def averaged_joint(fitted: CredibleNetwork) -> npt.NDArray[np.float64]:
    """Return the average of the members' joint distributions."""
    weights, tables = zip(*members_of(fitted), strict=True)
    return np.asarray(np.average(tables, axis=0, weights=weights))


def brute_force_chance(
    fitted: CredibleNetwork, target: int, observed: dict[int, int]
) -> tuple[float, float]:
    """Return the members' average chance of the target, and the weight of those that have one."""
    total = share = 0.0
    for weight, full in members_of(fitted):
        table = full
        for variable, value in observed.items():
            table = np.delete(table, 1 - value, axis=variable)
        if table.sum() > 0:
            present = np.delete(table, 0, axis=target).sum()
            total, share = total + weight * present / table.sum(), share + weight
    return (total / share if share else np.nan), share


@pytest.mark.parametrize(("smoothing", "present"), [(0, 0.75), (0.001, 0.74975), (1, 0.5)])
def test_one_column_is_scored_by_its_frequency(smoothing: float, present: float) -> None:
    fitted = CredibleNetwork(smoothing=smoothing).fit([[1], [1], [1], [0]])
    expected = [log(present), log(1 - present)]
    np.testing.assert_allclose(fitted.score_samples([[1], [0]]), expected, rtol=1e-12)
    assert fitted.score([[1], [0], [0], [0]]) == pytest.approx(
        (log(present) + 3 * log(1 - present)) / 4
    )


def test_copies_are_scored_by_hand() -> None:
    fitted = CredibleNetwork().fit(COPIES)
    assert fitted.count_ == 2  # either may be the cause
    likely, unlikely = log(0.5 * 0.9995), log(0.5 * 0.0005)
    np.testing.assert_allclose(
        fitted.score_samples([[0, 0], [0, 1], [1, 0], [1, 1]]),
        [likely, unlikely, unlikely, likely],
        rtol=1e-12,
    )


def test_without_smoothing_an_impossible_record_has_no_likelihood() -> None:
    fitted = CredibleNetwork(smoothing=0).fit(COPIES)
    assert fitted.score_samples([[0, 1], [1, 1]]).tolist() == [-np.inf, log(0.5)]


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_those_of_the_average_by_brute_force(seed: int) -> None:
    fitted = CredibleNetwork(smoothing=0).fit(records_of(seed, 4, 60))
    expected = averaged_joint(fitted).ravel()
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            fitted.score_samples(all_records(4)), np.log(expected), rtol=1e-10
        )
    assert fitted.count_ == len(members_of(fitted))


@pytest.mark.parametrize("average", [True, False])
def test_smoothed_probabilities_of_all_records_sum_to_one(*, average: bool) -> None:
    fitted = CredibleNetwork(average=average, smoothing=0.1).fit(records_of(5, 5, 80))
    assert np.exp(fitted.score_samples(all_records(5))).sum() == pytest.approx(1)


def test_of_the_best_network_alone_scores_are_its_own() -> None:
    fitted = CredibleNetwork(average=False, smoothing=0).fit(records_of(1, 4, 60))
    assert fitted.networks_ is None
    np.testing.assert_allclose(
        np.exp(fitted.score_samples(all_records(4))), joint(fitted.network_).ravel(), atol=1e-15
    )


@pytest.mark.parametrize("seed", range(4))
def test_predictions_are_the_averaged_posteriors_by_brute_force(seed: int) -> None:
    target = seed % 4
    fitted = CredibleNetwork(target=target).fit(records_of(seed, 4, 60))
    X = all_records(4)
    others = [v for v in range(4) if v != target]
    for row in X:
        expected, share = brute_force_chance(fitted, target, {v: int(row[v]) for v in others})
        if share:
            got = fitted.predict_proba(row[None])
            np.testing.assert_allclose(got, [[1 - expected, expected]], atol=1e-10)
            np.testing.assert_allclose(fitted.predict_proba(row[None, others]), got)
            assert fitted.predict(row[None]).tolist() == [int(expected > 0.5)]


def test_many_records_are_answered_as_each_alone() -> None:
    X = records_of(3, 6, 300)
    fitted = CredibleNetwork(target="x2").fit(X)
    together = fitted.predict_proba(X)
    for place in (0, 7, 150, 299):
        np.testing.assert_array_equal(fitted.predict_proba(X[[place]])[0], together[place])
    assert len(np.unique(together[:, 1])) > 2


def test_missing_values_are_not_observed() -> None:
    fitted = CredibleNetwork(target=0).fit(records_of(2, 4, 60))
    X = np.array([[np.nan, 1, np.nan, 0], [np.nan, np.nan, np.nan, np.nan]])
    expected = [
        brute_force_chance(fitted, 0, {1: 1, 3: 0})[0],
        brute_force_chance(fitted, 0, {})[0],
    ]
    np.testing.assert_allclose(fitted.predict_proba(X)[:, 1], expected, atol=1e-10)
    np.testing.assert_allclose(fitted.predict_proba(X[:, 1:])[:, 1], expected, atol=1e-10)
    with pytest.raises(ValueError, match="NaN"):
        fitted.score_samples(X)


def test_predictions_are_what_average_answers() -> None:
    fitted = CredibleNetwork(target="x1").fit(records_of(7, 6, 150))
    assert fitted.networks_ is not None
    assert len(fitted.networks_) > 1
    answer = average(fitted.networks_, ["x1"], {"x0": True, "x4": False})
    for row in ([1, np.nan, np.nan, np.nan, 0, np.nan], [1, np.nan, np.nan, 0, np.nan]):
        got = fitted.predict_proba([row])[0, 1]
        assert got == pytest.approx(float(answer.present[0]), rel=1e-12)


def test_the_best_network_alone_predicts_by_its_own_posterior() -> None:
    fitted = CredibleNetwork(target=3, average=False, smoothing=0).fit(records_of(0, 4, 60))
    table = joint(fitted.network_)[1, 0, 1]
    chance = fitted.predict_proba([[1, 0, 1]])[0, 1]
    assert chance == pytest.approx(table[1] / table.sum())


def test_a_record_that_all_networks_rule_out_is_answered_with_smoothing_and_a_warning() -> None:
    fitted = CredibleNetwork(relations="paper", target=2).fit(COIN)
    with pytest.warns(DataWarning, match="1 of 2 records have probability zero in each network"):
        got = fitted.predict_proba([[0, 1], [0, 0]])
    # P(present) is 0.25 in all networks, and 0.999 * 0.25 + 0.0005 where smoothed.
    np.testing.assert_allclose(got[:, 1], [0.25025, 0.25], rtol=1e-12)


def test_without_smoothing_such_a_record_is_refused() -> None:
    fitted = CredibleNetwork(target=2, smoothing=0).fit(COIN)
    with pytest.raises(ImpossibleEvidenceError, match=r"1 of 2 records .* the first in row 2"):
        fitted.predict_proba([[0, 0], [0, 1]])


def test_smoothed_predictions_agree_with_smoothed_scores() -> None:
    """For noisy-ORs, too: given all the rest, the chance is a ratio of two joint probabilities."""
    X = np.array([[0, 0, 0]] * 20 + [[1, 0, 1]] * 9 + [[0, 1, 1]] * 7 + [[1, 1, 1]] * 5)
    known = Knowledge(sinks=["x2"])
    fitted = CredibleNetwork(1, relations="paper", target=0, smoothing=0.05, knowledge=known)
    fitted.fit(np.repeat(np.hstack([X, X[:, [2]]]), 2, axis=0))
    assert NOISY_OR in {family.relation for family in fitted.network_.structure.families}
    impossible = np.array([[0, 1, 0, 1], [1, 1, 0, 1]])
    with pytest.warns(DataWarning, match="2 of 2 records"):
        got = fitted.predict_proba(impossible)
    absent, present = (np.exp(fitted.score_samples([[bit, 1, 0, 1]]))[0] for bit in (0, 1))
    np.testing.assert_allclose(got[:, 1], present / (absent + present), rtol=1e-10)


def test_y_is_the_target_and_a_variable() -> None:
    X = records_of(3, 4, 80)
    fitted = CredibleNetwork(smoothing=0).fit(X[:, :3], X[:, 3])
    whole = CredibleNetwork(smoothing=0, target=3).fit(X)
    assert (fitted.target_, fitted.n_features_in_, fitted.network_.names[-1]) == ("y", 3, "y")
    assert fitted.classes_.tolist() == [0, 1]
    rows = all_records(4)
    np.testing.assert_allclose(fitted.predict_proba(X[:, :3]), whole.predict_proba(X), atol=1e-12)
    np.testing.assert_allclose(
        fitted.score_samples(rows[:, :3], rows[:, 3]), whole.score_samples(rows), atol=1e-12
    )
    alone = averaged_joint(whole).sum(axis=3).ravel()
    np.testing.assert_allclose(np.exp(fitted.score_samples(all_records(3))), alone, atol=1e-12)
    assert fitted.log_likelihood(X[:, :3], X[:, 3]) == pytest.approx(whole.log_likelihood(X))


def test_without_a_target_there_is_nothing_to_predict() -> None:
    fitted = CredibleNetwork().fit(COPIES)
    assert not hasattr(fitted, "predict_proba")
    assert not hasattr(fitted, "classes_")
    with pytest.raises(AttributeError, match="predict"):
        fitted.predict(COPIES)
    again = fitted.set_params(target=0).fit(COPIES)
    assert again.predict(COPIES).tolist() == COPIES[:, 0].tolist()
    assert not hasattr(again.set_params(target=None).fit(COPIES), "classes_")


@pytest.mark.parametrize(
    ("settings", "y", "message"),
    [
        ({"target": "flu"}, None, "target is 'flu'; the columns are: x0, x1"),
        ({"target": 2}, None, "target is column 2; X has 2"),
        ({"target": 0}, COPIES[:, 0], "and y is given too"),
        ({"smoothing": -0.1}, None, "smoothing is -0.1"),
        ({"bayes_factor": 0.5}, None, "Bayes factor is 0.5"),
        ({"members": 0}, None, "networks to take is 0"),
        ({"prior": -1.0}, None, "prior is -1"),
        ({"relations": ["noisy-or"]}, None, "must include cpt"),
        ({"knowledge": Knowledge(max_parents=1), "max_parents": 2}, None, "set only one of them"),
    ],
)
def test_settings_out_of_range_are_refused(
    settings: dict[str, Any], y: npt.NDArray[np.int64] | None, message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        CredibleNetwork(**settings).fit(COPIES, y)


def test_it_must_be_fitted_first() -> None:
    with pytest.raises(NotFittedError):
        CredibleNetwork().score_samples(COPIES)
    with pytest.raises(NotFittedError):
        CredibleNetwork().predict_proba(COPIES)
    with pytest.raises(NotFittedError):
        CredibleNetwork().sample()


def test_a_y_that_fit_did_not_have_is_refused() -> None:
    with pytest.raises(DataError, match="fit had none"):
        CredibleNetwork().fit(COPIES).score(COPIES, COPIES[:, 0])


def test_knowledge_and_the_number_of_parents_are_obeyed() -> None:
    X = records_of(4, 5, 200)
    free = CredibleNetwork().fit(X)
    assert max(family.parent_count for family in free.network_.structure.families) > 1
    bound = CredibleNetwork(max_parents=1, knowledge=Knowledge(roots=["x4"])).fit(X)
    assert bound.networks_ is not None
    assert all(one.family.parent_count <= 1 for one in bound.networks_.families)
    assert bound.network_.structure.families[4].parents == 0
    assert bound.optimum_ > free.optimum_
    names = tuple(f"x{v}" for v in range(5))
    same = CredibleNetwork(max_parents=1, knowledge=Knowledge(roots=["x4"]).constraints(names)).fit(
        X
    )
    assert (same.optimum_, same.count_) == (bound.optimum_, bound.count_)
    assert isinstance(same.knowledge, Constraints)


def test_more_networks_than_members_are_drawn_reproducibly() -> None:
    X = records_of(6, 6, 40)
    fitted = CredibleNetwork(100, members=30, random_state=3).fit(X)
    assert fitted.networks_ is not None
    assert fitted.networks_.draws is not None
    assert fitted.count_ > 30 >= len(fitted.networks_)
    assert int(fitted.networks_.draws.sum()) == 30
    np.testing.assert_array_equal(clone(fitted).fit(X).score_samples(X), fitted.score_samples(X))


def test_parameters_are_kept_as_given_and_cloned() -> None:
    relations = [CPT, NOISY_OR]
    estimator = CredibleNetwork(3, relations=relations, target="flu", prior=0.5)
    assert estimator.relations is relations
    twin = clone(estimator)
    assert twin.get_params() == estimator.get_params()
    assert twin.relations[1] is NOISY_OR
    assert twin.set_params(bayes_factor=5).bayes_factor == 5


def test_fitting_changes_no_parameter_and_adds_only_fitted_attributes() -> None:
    estimator = CredibleNetwork(target=1)
    before = dict(vars(estimator))
    assert estimator.fit(COPIES) is estimator
    assert {name: vars(estimator)[name] for name in before} == before
    added = vars(estimator).keys() - before.keys()
    assert all(name.endswith("_") or name.startswith("_") for name in added)
    assert {"network_", "networks_", "learned_", "optimum_", "count_", "complete_"} <= added


def test_written_and_read_back_it_answers_the_same(tmp_path: Path) -> None:
    X = records_of(3, 5, 100)
    fitted = CredibleNetwork(relations="paper", target=0).fit(X)
    joblib.dump(fitted, tmp_path / "network.joblib")
    back = joblib.load(tmp_path / "network.joblib")
    np.testing.assert_array_equal(back.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(back.score_samples(X), fitted.score_samples(X))
    np.testing.assert_array_equal(back.sample(5), fitted.sample(5))
    assert back.network_ == fitted.network_
    for family in back.network_.structure.families:
        assert family.relation is CPT or family.relation is NOISY_OR
    assert vars(fitted).keys() - vars(back).keys() == {"learned_"}


def test_cross_validation_scores_records_that_were_held_out() -> None:
    X = records_of(2, 5, 200)
    X = X[np.random.default_rng(0).permutation(len(X))]
    scores = cross_val_score(CredibleNetwork(), X, cv=4)
    assert scores.shape == (4,)
    first = CredibleNetwork().fit(X[50:]).score(X[:50])
    assert scores[0] == pytest.approx(first)


def test_a_grid_finds_settings_that_predict_better() -> None:
    X = COPIES[np.random.default_rng(0).permutation(8)].repeat(3, axis=0)
    search = GridSearchCV(CredibleNetwork(), {"bayes_factor": [1, 20], "max_parents": [0, 1]}, cv=3)
    search.fit(X)
    assert search.best_params_["max_parents"] == 1
    assert search.best_estimator_.learned_.credible.count == search.best_estimator_.count_


def test_fitted_to_a_y_it_is_a_classifier_for_metrics() -> None:
    X = COPIES.repeat(3, axis=0)[np.random.default_rng(1).permutation(24)]
    assert not is_classifier(CredibleNetwork())
    assert is_classifier(CredibleNetwork().fit(X[:, :1], X[:, 1]))
    for scoring, best in (("neg_log_loss", 0), ("accuracy", 1), ("roc_auc", 1)):
        scores = cross_val_score(CredibleNetwork(), X[:, :1], X[:, 1], cv=3, scoring=scoring)
        np.testing.assert_allclose(scores, [best] * 3, atol=1e-12)


def test_numbers_are_learned_from_after_a_binarizer() -> None:
    X = COPIES + np.random.default_rng(0).uniform(0, 0.4, size=COPIES.shape)
    pipeline = make_pipeline(Binarizer(threshold=0.5), CredibleNetwork(target=1))
    assert pipeline.fit(X).predict(X).tolist() == COPIES[:, 1].tolist()
    assert pipeline.score(X) == 1.0
    likelihood = pipeline[-1].log_likelihood(pipeline[:-1].transform(X))
    assert likelihood == pytest.approx(log(0.5 * 0.9995))


def test_bins_in_a_sparse_table_are_columns() -> None:
    X = np.random.default_rng(0).uniform(size=(60, 2))
    bins = KBinsDiscretizer(n_bins=2, encode="onehot", strategy="uniform")
    pipeline = make_pipeline(bins, CredibleNetwork())
    pipeline.fit(X)
    dense = CredibleNetwork().fit(bins.fit_transform(X).toarray())
    assert pipeline[-1].n_features_in_ == 4
    assert pipeline.score(X) == pytest.approx(dense.score(bins.transform(X).toarray()))


def test_a_constant_column_is_learned_from_with_a_warning() -> None:
    X = np.hstack([COPIES, np.ones((8, 1), dtype=int)])
    with pytest.warns(DataWarning, match="1 column never changes and may have no arcs: x2"):
        fitted = CredibleNetwork(smoothing=0.1).fit(X)
    seen, other = fitted.score_samples([[0, 0, 1], [0, 0, 0]])
    assert seen - other == pytest.approx(log(0.95 / 0.05))


def test_the_score_of_a_classifier_is_its_accuracy() -> None:
    X = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1], [1, 0], [0, 0]] * 4)
    with_y = CredibleNetwork().fit(X[:, :1], X[:, 1])
    accuracy = float((with_y.predict(X[:, :1]) == X[:, 1]).mean())
    assert accuracy == 0.75
    assert with_y.score(X[:, :1], X[:, 1]) == accuracy
    with pytest.raises(DataError, match="needs y"):
        with_y.score(X[:, :1])
    column = CredibleNetwork(target=1).fit(X)
    assert column.score(X) == accuracy
    assert column.score(X, X[:, 1]) == accuracy
    words = np.where(X == 1, "yes", "no")
    named = CredibleNetwork().fit(words[:, :1], words[:, 1])
    assert named.score(words[:, :1], words[:, 1]) == accuracy
    scores = cross_val_score(CredibleNetwork(), X[:, :1], X[:, 1], cv=2)
    assert scores.tolist() == [0.75, 0.75]


def test_the_score_of_a_density_is_its_log_likelihood() -> None:
    fitted = CredibleNetwork().fit(COPIES)
    assert fitted.score(COPIES) == fitted.log_likelihood(COPIES)
    assert fitted.log_likelihood(COPIES) == pytest.approx(fitted.score_samples(COPIES).mean())


def test_a_time_limit_that_is_hit_labels_the_result() -> None:
    X = load_example("clinic")
    table = np.repeat(np.array([X.column(v) for v in range(X.variable_count)]).T, X.weights, axis=0)
    with pytest.warns(ConvergenceWarning, match="the best one found: .*time"):
        fitted = CredibleNetwork(time_limit=1e-6, target=0).fit(table)
    assert not fitted.complete_
    # The table is small: its optimum may be proven before the clock is looked at.
    proven = "before the members were counted" in fitted.shortfalls_[0]
    assert (
        fitted.lower_bound_ == fitted.optimum_ if proven else fitted.lower_bound_ < fitted.optimum_
    )
    assert fitted.networks_ is None
    assert np.isfinite(fitted.log_likelihood(table))
    assert CredibleNetwork(time_limit=600).fit(table).complete_


def test_threads_do_not_change_the_result() -> None:
    X = records_of(4, 7, 200)
    one, two = (CredibleNetwork(n_jobs=jobs).fit(X) for jobs in (None, 2))
    assert (one.count_, one.optimum_) == (two.count_, two.optimum_)
    np.testing.assert_allclose(one.score_samples(X), two.score_samples(X), rtol=1e-12)


def test_samples_have_the_frequencies_of_the_networks() -> None:
    fitted = CredibleNetwork().fit(COIN)
    drawn = fitted.sample(20_000)
    assert drawn.shape == (20_000, 3)
    assert (drawn[:, 0] == drawn[:, 1]).all()
    # Standard errors of 0.0035 and 0.0031: five of them.
    assert drawn[:, 0].mean() == pytest.approx(0.5, abs=0.018)
    assert drawn[:, 2].mean() == pytest.approx(0.25, abs=0.016)
    np.testing.assert_array_equal(fitted.sample(20_000), drawn)
    assert (fitted.sample(20_000, random_state=1) != drawn).any()
    assert (fitted.sample(5, random_state=1) == fitted.sample(5, random_state=1)).all()
    with pytest.raises(SettingsError, match="at least 1"):
        fitted.sample(0)


def test_samples_of_a_model_with_y_have_both() -> None:
    X, y = CredibleNetwork().fit(COPIES[:, :1], COPIES[:, 1]).sample(50)
    assert X.shape == (50, 1)
    assert 0 < y.sum() < 50
    np.testing.assert_array_equal(X[:, 0], y)


def test_a_prior_moves_full_tables() -> None:
    fitted = CredibleNetwork(prior=1.0, smoothing=0).fit([[1], [1], [1], [0]])
    assert np.exp(fitted.score_samples([[1]]))[0] == pytest.approx(4 / 6)
