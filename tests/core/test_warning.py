"""Warnings are given at the line of the user's that calls the package."""

import inspect
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import noisyor
from noisyor.estimator import CredibleNetwork

BITS = [0, 1, 1, 0, 1, 0] * 10
NEVER = [1] * 60
NUMBERS = list(range(60))
CONSTANT = pl.DataFrame({"a": BITS, "b": NEVER, "c": BITS})
GAPS = pl.DataFrame({"a": [None, 1, 0], "b": [0, 0, 1]})
DAYS = ["2024-01-01", "2024-01-02", "2024-01-03"]
CLINIC = noisyor.example_truth("clinic")
RECORDS = noisyor.sample_records(CLINIC, 20, seed=0).astype(int)
MORE = pd.DataFrame(RECORDS, columns=list(CLINIC.names)).replace({0: "no", 1: "yes"})

CALLS: dict[str, Callable[[Path], object]] = {
    "constant": lambda _: noisyor.read(CONSTANT),
    "open": lambda _: noisyor.read(pl.DataFrame({"sex": ["f", "m"] * 30})),
    "bins": lambda _: noisyor.read(pd.DataFrame({"a": [n / 7 for n in NUMBERS]})),
    "dates": lambda _: noisyor.read(pl.DataFrame({"day": DAYS * 20})),
    "one": lambda _: noisyor.read(pl.DataFrame({"a": [1], "b": [0]})),
    "gaps": lambda _: noisyor.read(GAPS, missing="drop"),
    "learn": lambda _: noisyor.learn(CONSTANT, quiet=True),
    "binarize": lambda _: noisyor.binarize(CONSTANT),
    "raw": lambda _: noisyor.read_raw(pl.DataFrame({"": NUMBERS, "b": BITS})),
    "discretize": lambda _: noisyor.discretize(pl.DataFrame({"id": NUMBERS, "b": BITS})),
    "write": lambda folder: noisyor.write_network(CLINIC, folder / "a.bif"),
    "fit": lambda _: noisyor.fit(CLINIC, MORE.assign(other=1), prior_weight=1),
    "estimator": lambda _: CredibleNetwork().fit(CONSTANT),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_line_of_the_user_is_named(name: str, tmp_path: Path) -> None:
    call = CALLS[name]
    with pytest.warns((noisyor.DataWarning, noisyor.ConversionWarning)) as caught:
        call(tmp_path)
    _, line = inspect.getsourcelines(call)
    assert {(one.filename, one.lineno) for one in caught} == {(__file__, line)}
