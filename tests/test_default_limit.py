"""A run without a time limit ends: it gets one if it is not expected to end by itself."""

from dataclasses import replace
from math import inf

import pytest

import noisyor
from noisyor import learning, pipeline
from noisyor.core.request import Request
from noisyor.pipeline import PATIENCE, Plan, limited_if_endless
from noisyor.runs.preflight import Span, estimate
from tests.scoring.problems import random_dataset


def test_many_variables_get_a_limit_that_the_result_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "PATIENCE", 2.0)
    learned = noisyor.learn(random_dataset(1, 52, 60), quiet=True, keep_constants=True)
    assert not learned.complete
    (note,) = [line for line in learned.credible.notes if "too many" in line]
    assert note.startswith("52 variables are too many to expect a proof soon, so the run was given")
    assert "2 s; time_limit=10 gives more, and time_limit=inf any time" in note


@pytest.mark.parametrize("given", [5.0, inf])
def test_a_limit_that_is_given_stays(given: float, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[float | None, float | None]] = []

    def learn_request(request: Request, plan: Plan) -> None:
        seen.append((request.limits.seconds, plan.patience))

    monkeypatch.setattr(learning, "learn_request", learn_request)
    noisyor.learn(random_dataset(1, 5, 60), time_limit=given, quiet=True)
    assert seen == [(None if given == inf else given, None)]


def test_few_variables_have_no_limit() -> None:
    request, plan = Request.of(random_dataset(1, 20, 60)), Plan(patience=PATIENCE)
    assert limited_if_endless(request, plan) == (request, plan)


def test_a_search_that_takes_long_by_estimate_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "PATIENCE", 1.0)

    def estimated(*given: object, **named: object) -> object:
        known = estimate(*given, **named)  # type: ignore[arg-type]
        return replace(known, seconds={"search": Span(4000.0, None)})

    monkeypatch.setattr(pipeline, "estimate", estimated)
    learned = noisyor.learn(random_dataset(2, 30, 60), quiet=True, keep_constants=True)
    if not learned.complete:
        assert any("67 minutes or more are too long" in line for line in learned.credible.notes)
    assert learned.seconds["total"] < 60
