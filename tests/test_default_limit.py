"""A run without a time limit ends: it gets one if it is not expected to end by itself."""

from dataclasses import replace
from math import inf
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import polars as pl
import pytest

import noisyor
from noisyor import learning, pipeline
from noisyor.anytime import Anytime
from noisyor.core.request import Request
from noisyor.incomplete.structural_em import StructuralEm
from noisyor.pipeline import learn_request, limited_if_endless
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan, Remaining
from noisyor.runs.preflight import PATIENCE, Span, estimate
from tests.scoring.problems import random_dataset


def test_many_variables_get_a_limit_that_the_result_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "PATIENCE", 2.0)
    learned = noisyor.learn(random_dataset(1, 52, 60), quiet=True, keep_constants=True)
    assert not learned.complete
    (note,) = [line for line in learned.credible.notes if "too many" in line]
    assert note.startswith("52 variables are too many to expect a proof soon, so the run was given")
    assert "2 s; time_limit=10 gives more, and time_limit=inf any time" in note


def test_few_variables_by_layers_are_not_called_too_many() -> None:
    request, plan = Request.of(random_dataset(1, 5, 60)), Plan(Method.LAYERS, patience=PATIENCE)
    _, limited = limited_if_endless(request, plan)
    (note,) = limited.notes
    assert note.startswith("learning by layers may go on for very long, so the run was given 120 s")


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


def estimated_long(*given: object, **named: object) -> object:
    """Estimate that the search takes more than an hour."""
    known = estimate(*given, **named)  # type: ignore[arg-type]
    return replace(known, seconds={"search": Span(4000.0, None)})


def test_a_search_that_takes_long_by_estimate_gets_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "PATIENCE", 1.0)
    monkeypatch.setattr(pipeline, "estimate", estimated_long)
    anytime = Mock(wraps=Anytime)
    monkeypatch.setattr(pipeline, "Anytime", anytime)
    learned = noisyor.learn(random_dataset(2, 30, 60), quiet=True, keep_constants=True)
    if not learned.complete:
        assert any("67 minutes or more are too long" in line for line in learned.credible.notes)
    (call,) = anytime.call_args_list
    assert call.args[2] <= 1.0


@pytest.mark.parametrize("in_folder", [False, True])
def test_a_further_step_and_the_writing_share_that_limit(
    in_folder: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "estimate", estimated_long)
    left: list[float | None] = []
    until: list[float | None] = []

    class Step:
        def is_done(self, learned: Learned) -> bool:
            raise NotImplementedError

        def carry_out(self, learned: Learned, remaining: Remaining) -> Learned:
            left.append(remaining.seconds())
            return learned

    def save_alone(self: Learned, *given: object, **named: object) -> Learned:
        del given
        until.append(cast("float | None", named["until"]))
        return self

    monkeypatch.setattr(Learned, "save_alone", save_alone)
    plan = Plan(
        method=Method.PRICE,
        patience=20.0,
        quiet=True,
        further=Step(),
        folder=tmp_path / "run" if in_folder else None,
    )
    learn_request(Request.of(random_dataset(2, 6, 60)), plan)
    (seconds,) = left
    assert seconds is not None
    assert 0 < seconds < 20
    assert until == ([plan.began + 20.0] if in_folder else [])


def test_em_shares_that_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the time would be up before the network is learned from what EM has completed."""
    monkeypatch.setattr(learning, "PATIENCE", 20.0)
    monkeypatch.setattr(pipeline, "estimate", estimated_long)
    em = Mock(wraps=StructuralEm)
    monkeypatch.setattr("noisyor.incomplete.learning.StructuralEm", em)
    table = pl.DataFrame({"a": [0, 1, None, 1, 0, 1], "b": [1, None, 0, 0, 1, 0]})
    noisyor.learn(table, missing="em", em=noisyor.Em(steps=1, starts=1), method="price", quiet=True)
    (call,) = em.call_args_list
    assert call.args[1].limits.seconds == 20.0
    assert call.kwargs["until"] is not None
