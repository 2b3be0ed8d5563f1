"""A credible set says how sure it is."""

from typing import Any

import pytest

from noisyor.core import BayesFactor, CredibleSet, Structure

BEST = Structure.from_edges(("a", "b"), [("a", "b")])


def credible(**changes: Any) -> CredibleSet:  # noqa: ANN401  (each field has its own type)
    fields: dict[str, Any] = {
        "bayes_factor": BayesFactor(20),
        "best": BEST,
        "optimum": 10.0,
        "lower_bound": 10.0,
        "count": 2,
    }
    return CredibleSet(**(fields | changes))


def test_a_proven_set_is_complete() -> None:
    assert credible().complete
    assert credible() == credible()


def test_a_limit_makes_it_incomplete() -> None:
    assert not credible(lower_bound=9.0, shortfalls=("time",)).complete


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lower_bound": 10.5}, "the bound 10.5 exceeds the optimum 10.0"),
        ({"count": 0}, "at least the best network"),
        ({"lower_bound": 9.0}, "must say which limit was hit"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        credible(**changes)
