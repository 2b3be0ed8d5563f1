"""Completed tables: exact, in the order and in the words of the input."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from noisyor import (
    DataWarning,
    Em,
    ImpossibleEvidenceError,
    MismatchError,
    Network,
    SettingsError,
    Variable,
    example_truth,
    impute,
    learn,
    read,
)
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.incomplete.imputing import imputed_files
from tests.incomplete.tables import NOWHERE, chain
from tests.oracles.joint import joint
from tests.support.effort import chosen

TRUTH = chain(3, 0.8)
SHEET = pl.DataFrame({"v0": [0, None, 1, None], "v1": [1, 1, None, None], "v2": [0, 0, 1, 0]})


def test_what_is_there_stays() -> None:
    [filled] = impute(SHEET, TRUTH, seed=3)
    assert filled.columns == SHEET.columns
    assert filled.dtypes == SHEET.dtypes
    assert filled.null_count().row(0) == (0, 0, 0)
    for name in SHEET.columns:
        known = SHEET[name].is_not_null()
        assert filled[name].filter(known).to_list() == SHEET[name].filter(known).to_list()


def test_draws_have_the_exact_joint_distribution() -> None:
    draws = chosen(quick=800, full=4000)
    tables = impute(SHEET, TRUTH, draws=draws, seed=1)
    drawn = Counter(table.row(3)[:2] for table in tables)
    chances = joint(TRUTH)[:, :, 0]
    chances = chances / chances.sum()
    for states, chance in np.ndenumerate(chances):
        error = np.sqrt(chance * (1 - chance) / draws)
        assert abs(drawn[states] / draws - chance) < 5 * error


def test_records_are_drawn_independently() -> None:
    gaps = pl.DataFrame({"v0": [None] * 2000, "v1": [1] * 2000, "v2": [1] * 2000})
    [filled] = impute(gaps.cast(pl.Int64), TRUTH)
    ones = filled["v0"].to_numpy()
    share = joint(TRUTH)[1, 1, 1] / joint(TRUTH)[:, 1, 1].sum()
    error = np.sqrt(share * (1 - share) / 2000)
    assert abs(ones.mean() - share) < 5 * error
    assert abs(np.corrcoef(ones[:-1], ones[1:])[0, 1]) < 0.15


def test_the_most_probable_completion_is_joint() -> None:
    [filled] = impute(SHEET, TRUTH, most_probable=True)
    chances = joint(TRUTH)
    for before, after in zip(SHEET.rows(), filled.rows(), strict=True):
        there = tuple(slice(None) if one is None else one for one in before)
        assert chances[after] == pytest.approx(chances[there].max())


def test_the_same_seed_gives_the_same_tables() -> None:
    first, again = impute(SHEET, TRUTH, draws=3, seed=5), impute(SHEET, TRUTH, draws=3, seed=5)
    assert all(one.equals(other) for one, other in zip(first, again, strict=True))
    one_thread = impute(SHEET, TRUTH, draws=3, seed=5, jobs=1)
    assert all(one.equals(other) for one, other in zip(first, one_thread, strict=True))
    other = impute(pl.concat([SHEET] * 20), TRUTH, seed=6)[0]
    assert not other.equals(impute(pl.concat([SHEET] * 20), TRUTH, seed=5)[0])


def test_values_are_written_as_the_table_writes_them() -> None:
    network = Network.from_tables(
        [Variable("smokes", ("no", "yes")), Variable("dose", ("1", "2", "3"), ordered=True)],
        [(), (0,)],
        [[0.01, 0.99], [[0.2, 0.3, 0.5], [0.01, 0.01, 0.98]]],
        NOWHERE,
    )
    sheet = pl.DataFrame(
        {"smokes": ["Yes", "Yes", None], "dose": [1.0, None, 2.0], "id": [7, 8, 9]}
    )
    with pytest.warns(DataWarning, match="stay as they are: id"):
        [filled] = impute(sheet, network, most_probable=True)
    assert filled.rows() == [("Yes", 1.0, 7), ("Yes", 3.0, 8), ("Yes", 2.0, 9)]


def test_a_state_that_numbers_cannot_be_makes_a_column_text() -> None:
    network = Network.from_tables(
        [Variable("a", ("1", "many")), Variable("b")], [(), ()], [[0.1, 0.9], [0.5, 0.5]], NOWHERE
    )
    [filled] = impute(pl.DataFrame({"a": [1, None], "b": [0, 1]}), network, most_probable=True)
    assert filled["a"].to_list() == ["1", "many"]


def test_wrong_tables_and_options_are_refused() -> None:
    with pytest.raises(MismatchError, match="has no column for v2"):
        impute(SHEET.drop("v2"), TRUTH)
    with pytest.raises(MismatchError, match="column 'v0' has the value '2' in row 1"):
        impute(SHEET.with_columns(v0=pl.Series([2, None, 1, 0])), TRUTH)
    with pytest.raises(SettingsError, match="draws is 0"):
        impute(SHEET, TRUTH, draws=0)
    with pytest.raises(SettingsError, match="one most probable completion"):
        impute(SHEET, TRUTH, draws=2, most_probable=True)
    sure = Network.from_tables(
        [Variable("a"), Variable("b")], [(), ()], [[1, 0], [0.5, 0.5]], NOWHERE
    )
    impossible = pl.DataFrame({"a": [0, 1], "b": [1, None]})
    with pytest.raises(ImpossibleEvidenceError, match="the first in row 2"):
        impute(impossible, sure)
    with pytest.raises(ImpossibleEvidenceError, match="row 2: "):
        impute(impossible, sure, most_probable=True)


def test_a_result_of_records_in_bins_imputes_as_its_network_does() -> None:
    sheet = pl.DataFrame({"x": [0.5 * i for i in range(40)], "y": [0] * 20 + [1] * 20})
    learned = learn(read(sheet, bins=2), quiet=True)
    gaps = sheet.with_columns(y=pl.Series([None, *sheet["y"][1:]]))
    with pytest.warns(DataWarning, match="written in the bins of the network: x"):
        (by_result,) = impute(gaps, learned)
    with pytest.warns(DataWarning, match="written in the bins of the network: x"):
        (by_network,) = impute(gaps, learned.best)
    assert by_result.equals(by_network)


def test_bins_are_found_by_title_too() -> None:
    sheet = pl.DataFrame({"x": [0.5 * i for i in range(40)], "y": [0] * 20 + [1] * 20})
    network = learn(read(sheet, bins=2), quiet=True).best
    seen = Appearance(nodes={"x": NodeAppearance(title="Body temperature")})
    gaps = sheet.with_columns(y=pl.Series([None, *sheet["y"][1:]]))
    with pytest.warns(DataWarning, match="written in the bins of the network: x"):
        (by_name,) = impute(gaps, network)
    with pytest.warns(DataWarning, match="written in the bins of the network: Body temperature"):
        (by_title,) = impute(
            gaps.rename({"x": "Body temperature"}), replace(network, appearance=seen)
        )
    assert by_title.rename({"Body temperature": "x"}).equals(by_name)


def test_a_result_imputes_with_its_bins() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=150)
    gaps = random.random(150) < 0.2
    sheet = pl.DataFrame(
        {"x": [None if gap else float(one) for one, gap in zip(x, gaps, strict=True)], "y": x > 0}
    )
    sheet = sheet.with_columns(pl.int_range(150).alias("id"))
    learned = learn(sheet, missing="em", bins=2, drop=["id"], em=Em(starts=1), quiet=True)
    with pytest.warns(DataWarning) as caught:
        [filled] = impute(sheet, learned, most_probable=True)
    assert [str(one.message) for one in caught] == [
        "written in the bins of the network: x",
        "columns that the network does not have stay as they are: id",
    ]
    assert filled["id"].equals(sheet["id"])
    with pytest.warns(DataWarning, match="written in the bins of the network: x"):
        [by_network] = impute(sheet.drop("id"), learned.best, most_probable=True)
    assert by_network.equals(filled.drop("id"))
    assert filled["x"].null_count() == 0
    assert set(filled["x"].to_list()) == set(learned.binning.rules[0].states)
    agree = (filled["x"].to_physical() == pl.Series(x > 0).cast(pl.UInt8)).filter(pl.Series(gaps))
    assert agree.mean() > 0.9  # type: ignore[operator]


def test_files_are_numbered_in_their_order(tmp_path: Path) -> None:
    tables = impute(SHEET, TRUTH, draws=11)
    files = imputed_files(tables, tmp_path / "out.csv")
    assert [path.name for path in files][:2] == ["out-01.csv", "out-02.csv"]
    assert pl.read_csv(files[tmp_path / "out-01.csv"]).equals(tables[0])
    [(path, content)] = imputed_files(tables[:1], tmp_path / "out.parquet").items()
    assert path.name == "out.parquet"
    assert pl.read_parquet(content).equals(tables[0])
    with pytest.raises(SettingsError, match=r"must end in \.csv, \.tsv or \.parquet"):
        imputed_files(tables, tmp_path / "out.xlsx")


def test_queries_take_partial_records() -> None:
    network = example_truth("clinic")
    sheet = pl.DataFrame({name: pl.Series([None], dtype=pl.String) for name in network.names})
    [filled] = impute(sheet.with_columns(fever=pl.Series(["yes"])), network)
    assert filled["fever"][0] == "yes"


def test_gaps_that_are_a_state_of_the_network_are_not_filled() -> None:
    table = pl.DataFrame(
        {"a": ["yes", "no", None, "yes", "no"] * 8, "b": ["no", "yes", "no", "yes", "yes"] * 8}
    )
    learned = learn(table, missing="state", quiet=True)
    for model in (learned, learned.best, replace(learned.best, provenance=NOWHERE)):
        with pytest.raises(MismatchError, match="the gaps of column 'a' are themselves a state"):
            impute(table, model)
    whole = table.drop_nulls()
    assert impute(whole, learned)[0].equals(whole)
    other = whole.vstack(pl.DataFrame({"a": ["no"], "b": [None]}, schema=whole.schema))
    assert impute(other, learned)[0]["b"].null_count() == 0


def test_a_state_may_be_called_missing() -> None:
    table = pl.DataFrame(
        {"tooth": ["there", "missing", None, "there"] * 8, "b": ["no", "yes"] * 16}
    )
    with pytest.warns(DataWarning, match="lack a value"):
        learned = learn(table, missing="drop", order={"tooth": ["there", "missing"]}, quiet=True)
    [filled] = impute(table, learned)
    assert filled["tooth"].null_count() == 0
    gaps = pl.DataFrame({"tooth": ["there", None], "b": ["no", "yes"]})
    assert impute(gaps, learned)[0]["tooth"].null_count() == 0


def test_all_draws_have_the_same_types() -> None:
    variables = (Variable("v0", ("0", "1", "other")), Variable("v1", ("0", "1")))
    tables = [np.array([0.4, 0.4, 0.2]), np.array([0.5, 0.5])]
    network = Network.from_tables(variables, [(), ()], tables, NOWHERE)
    table = pl.DataFrame({"v0": [0, 1, None], "v1": [0, 1, 1]})
    draws = impute(table, network, draws=30, seed=1)
    assert {one["v0"][2] for one in draws} == {"0", "1", "other"}
    assert {one["v0"].dtype for one in draws} == {pl.String()}
