# ruff: noqa: N806  (X is what scikit-learn calls a table)
"""Targets of several classes and categorical columns, against brute force."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier  # type: ignore[import-untyped]
from sklearn.datasets import load_iris  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import KBinsDiscretizer  # type: ignore[import-untyped]

from noisyor.estimator import CredibleNetwork
from tests.oracles.joint import joint

SMOKING = ["never", "light", "heavy"]
COUGH = ["none", "mild", "severe"]


def patients(count: int = 200) -> tuple[pd.DataFrame, pd.Series]:
    """Return smoking, sex and a ward that means nothing, and how severe the cough is."""
    random = np.random.default_rng(5)
    smoking = random.integers(0, 3, count)
    raised = np.where(random.random(count) < 0.35 * smoking, 1 + (random.random(count) < 0.4), 0)
    return (
        pd.DataFrame(
            {
                "smoking": pd.Categorical(np.array(SMOKING)[smoking], SMOKING, ordered=True),
                "sex": np.where(random.random(count) < 0.5, "female", "male"),
                "ward": pd.Categorical(random.choice(list("abcd"), count)),
            }
        ),
        pd.Series(np.array(COUGH)[raised], name="cough"),
    )


@pytest.fixture(scope="module")
def fitted() -> CredibleNetwork:
    X, y = patients()
    return CredibleNetwork(relations=("cpt", "leaky-noisy-or"), order={"cough": COUGH}).fit(X, y)


def test_classes_are_the_states_in_their_order(fitted: CredibleNetwork) -> None:
    assert fitted.classes_.tolist() == COUGH
    assert fitted.network_.variables[3].ordered
    assert is_classifier(fitted)
    assert {frozenset(edge) for edge in fitted.network_.structure.edges()} == {
        frozenset(("smoking", "cough"))
    }


def test_chances_are_averaged_posteriors_by_brute_force(fitted: CredibleNetwork) -> None:
    rows = list(product(SMOKING, ("female", "male"), "abcd"))
    X = pd.DataFrame(rows, columns=["smoking", "sex", "ward"])
    assert fitted.networks_ is not None
    expected = np.zeros((len(rows), 3))
    for weight, network in zip(fitted.networks_.weights(), fitted.networks_, strict=True):
        table = joint(network)
        for place, labels in enumerate(rows):
            at = tuple(
                variable.states.index(label)
                for variable, label in zip(network.variables, labels, strict=False)
            )
            expected[place] += weight * table[at] / table[at].sum()
    found = fitted.predict_proba(X)
    assert found.shape == (24, 3)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    likeliest = [COUGH[place] for place in expected.argmax(axis=1)]
    assert fitted.predict(X).tolist() == likeliest


def test_summed_over_the_classes_scores_are_those_of_x_alone(fitted: CredibleNetwork) -> None:
    X, _ = patients(20)
    by_class = [fitted.score_samples(X, np.full(len(X), label)) for label in COUGH]
    np.testing.assert_allclose(fitted.score_samples(X), np.logaddexp.reduce(by_class), rtol=1e-12)


def test_a_missing_value_is_summed_out(fitted: CredibleNetwork) -> None:
    X, _ = patients(5)
    complete = fitted.predict_proba(X)
    X.loc[2, "ward"] = None
    found = fitted.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(np.delete(found, 2, axis=0), np.delete(complete, 2, axis=0))


def test_samples_have_the_values_of_the_table(fitted: CredibleNetwork) -> None:
    X, y = fitted.sample(50)
    assert list(X.columns) == ["smoking", "sex", "ward"]
    assert set(X["smoking"]) <= set(SMOKING)
    assert set(y) <= set(COUGH)
    assert fitted.predict_proba(X).shape == (50, 3)


def test_a_clone_has_the_parameters_and_learns_the_same(fitted: CredibleNetwork) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert copy.fit(*patients()).optimum_ == fitted.optimum_


def test_three_species_are_told_apart_from_binned_numbers() -> None:
    X, y = load_iris(return_X_y=True)
    bins = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    model = make_pipeline(bins, CredibleNetwork(max_parents=2, prior=0.5))
    assert cross_val_score(model, X, y, cv=StratifiedKFold(3), scoring="accuracy").mean() > 0.9
    assert model.fit(X, y)[-1].classes_.tolist() == [0, 1, 2]
