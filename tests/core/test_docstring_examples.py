"""The examples in the docstrings of `core` run as shown."""

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize(
    "name", ["bayes_factor", "constraints", "equivalence", "relations.causes", "structure"]
)
def test_examples_give_what_they_show(name: str) -> None:
    outcome = doctest.testmod(import_module(f"noisyor.core.{name}"))
    assert outcome.attempted > 0
    assert outcome.failed == 0
