"""Columns that never change are left out of what is learned from, and the result says so."""

import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import noisyor
from noisyor.core.left_out_columns import LeftOutColumn, WhyLeftOut
from noisyor.estimator import CredibleNetwork
from tests.cli.test_cli import run

ONE = LeftOutColumn("one", WhyLeftOut.CONSTANT)


def frame() -> pl.DataFrame:
    """Records in which coughs follow the flu, and one column is constant."""
    random = np.random.default_rng(5)
    flu = random.random(200) < 0.3
    cough = np.where(flu, random.random(200) < 0.9, random.random(200) < 0.1)
    return pl.DataFrame({"flu": flu, "one": [1] * 200, "cough": cough}).cast(pl.Int8)


def test_a_constant_is_left_out_and_named(tmp_path: Path) -> None:
    with pytest.warns(noisyor.DataWarning, match="the column 'one' never changes and is left out"):
        learned = noisyor.learn(frame(), quiet=True, folder=tmp_path / "run")
    assert learned.credible.names == ("flu", "cough")
    assert learned.columns_left_out == (ONE,)
    assert learned.summary()["columns_left_out"] == {"constant": ["one"]}
    line = "the column 'one' never changes and is left out"
    assert line in learned.credible.notes
    again = noisyor.load(tmp_path / "run")
    assert again.columns_left_out == (ONE,)
    assert line in again.credible.notes
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "the column &#39;one&#39; never changes and is left out" in page


def test_the_others_are_learned_as_if_it_was_not_there() -> None:
    with pytest.warns(noisyor.DataWarning):
        learned = noisyor.learn(frame(), quiet=True)
    without = noisyor.learn(frame().drop("one"), quiet=True)
    assert learned.optimum == without.optimum
    assert learned.count == without.count
    assert learned.best.structure == without.best.structure


@pytest.mark.parametrize(
    "told",
    [
        {"keep_constants": True},
        {"constraints": noisyor.Knowledge(roots=["one"])},
        {"constraints": noisyor.Knowledge(forbidden=[("one", "flu")])},
        {"constraints": noisyor.Knowledge(tiers=[["one"], ["flu", "cough"]])},
        {"constraints": noisyor.Constraints.none(["flu", "one", "cough"])},
        {"prior": noisyor.Prior(arcs={("one", "flu"): 0.2})},
    ],
)
def test_it_is_kept_if_it_is_spoken_of(told: dict[str, object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned = noisyor.learn(frame(), quiet=True, **told)  # type: ignore[arg-type]
    assert learned.credible.names == ("flu", "one", "cough")
    assert learned.columns_left_out == ()


def test_a_table_in_which_nothing_changes_is_kept_with_a_warning() -> None:
    with pytest.warns(noisyor.DataWarning, match="no column changes"):
        data = noisyor.learn(pl.DataFrame({"a": [1, 1], "b": [0, 0]}), quiet=True)
    assert data.credible.names == ("a", "b")
    assert not list(data.best.structure.edges())


def test_em_leaves_out_what_is_constant_wherever_it_is_known() -> None:
    table = frame().with_columns(
        pl.when(pl.int_range(200) % 7 == 0).then(None).otherwise("one").alias("one"),
        pl.when(pl.int_range(200) % 9 == 0).then(None).otherwise("cough").alias("cough"),
    )
    with pytest.warns(noisyor.DataWarning, match="'one' never changes"):
        learned = noisyor.learn(table, quiet=True, missing="em", em=noisyor.Em(steps=2, starts=1))
    assert learned.credible.names == ("flu", "cough")
    assert learned.columns_left_out == (ONE,)
    assert learned.missing is not None
    assert learned.missing.cells == 23


def test_records_that_had_a_constant_alone_are_left_out_by_em() -> None:
    table = pl.DataFrame({"a": [0, 1, None, 1], "one": [1, 1, 1, None], "b": [1, None, None, 0]})
    with (
        pytest.warns(noisyor.DataWarning, match="'one' never changes"),
        pytest.warns(noisyor.DataWarning, match="1 of 4 records has no value at all"),
    ):
        learned = noisyor.learn(table, quiet=True, missing="em", em=noisyor.Em(steps=1, starts=1))
    assert learned.data is not None
    assert learned.data.record_count == 3


def test_the_commands_leave_it_out_and_say_so(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    frame().write_csv(table)
    line = "the column 'one' never changes and is left out"
    shown = run("learn", table)
    assert line in shown.stdout
    assert shown.stderr.count(line) == 1
    said = json.loads(run("learn", table, "--json").stdout)
    assert said["columns_left_out"] == {"constant": ["one"]}
    assert json.loads(run("learn", table, "--json", "--keep-constants").stdout)["variables"] == 3
    scores = tmp_path / "scores.jkl"
    assert line in run("score", table, "-o", scores).stderr
    searched = json.loads(run("search", scores, "--json").stdout)
    assert searched["variables"] == 2
    assert searched["optimum"] == pytest.approx(said["optimum"])
    assert line in run("estimate", table).stderr


def test_an_estimator_keeps_it_without_arcs() -> None:
    table = frame().to_numpy()
    with pytest.warns(noisyor.DataWarning, match="1 column never changes and may have no arcs: x1"):
        fitted = CredibleNetwork().fit(table)
    assert fitted.n_features_in_ == 3
    assert fitted.network_.names == ("x0", "x1", "x2")
    assert all("x1" not in edge for edge in fitted.network_.structure.edges())
    assert (fitted.sample(5)[:, 1] == 1).all()
