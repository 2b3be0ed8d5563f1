"""A request accepts user input, and refuses parts that do not belong together."""

import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    AIC,
    BIC,
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    Dataset,
    Knowledge,
    MismatchError,
    SettingsError,
)
from noisyor.core.request import Limits, Request
from noisyor.core.variable_sets import to_words

DATA = Dataset.from_bits(("a", "b"), to_words([0, 3], 1), np.array([5, 7]))


def test_defaults() -> None:
    request = Request.of(DATA)
    assert request.data is DATA
    assert request.factor == BayesFactor(20)
    assert request.score is BIC
    assert request.relations == (CPT, LEAKY_NOISY_OR)
    assert request.constraints == Constraints.none(("a", "b"))
    assert request.limits == Limits(None, None, None)


def test_names_and_values_are_equivalent() -> None:
    known = Knowledge(max_parents=1)
    by_name = Request.of(
        DATA,
        3,
        score="aic",
        relations=["noisy-or", "cpt"],
        constraints=known,
        jobs=2,
        time_limit=1.5,
        memory_limit=1000,
    )
    by_value = Request(
        DATA,
        BayesFactor(3),
        AIC,
        (CPT, NOISY_OR),
        known.constraints(("a", "b")),
        Limits(jobs=2, seconds=1.5, memory=1000),
    )
    assert by_name == by_value
    assert Request.of(DATA, BayesFactor(3), constraints=by_value.constraints) == replace(
        by_value, score=BIC, relations=(CPT, LEAKY_NOISY_OR), limits=Limits()
    )


def test_another_process_gets_the_same() -> None:
    request = Request.of(DATA, 3, score="aic")
    again = pickle.loads(pickle.dumps(request))  # noqa: S301  (our own bytes)
    assert again == request
    assert again.score is AIC
    assert again.relations[1] is LEAKY_NOISY_OR


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bayes_factor": 0.5}, "Bayes factor"),
        ({"bayes_factor": math.nan}, "Bayes factor"),
        ({"score": "mdl"}, "there is no score 'mdl'"),
        ({"relations": ["noisy-or"]}, "must include cpt"),
        ({"relations": ["cpt", "xor"]}, "there is no relation 'xor'"),
        ({"jobs": 0}, "jobs is 0; it must be at least 1"),
        ({"time_limit": 0}, "the time limit is 0; it must be above 0 seconds"),
        ({"time_limit": math.nan}, "the time limit is nan"),
        ({"memory_limit": 0}, "the memory limit is 0 bytes; it must be at least 1"),
    ],
)
def test_invalid_values_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        Request.of(DATA, **options)


def test_knowledge_about_other_variables_is_refused() -> None:
    with pytest.raises(MismatchError, match="about other variables than the data"):
        Request.of(DATA, constraints=Constraints.none(("a", "c")))
