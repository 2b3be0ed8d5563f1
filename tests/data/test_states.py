"""Columns of any number of states: which states they have, and in which order."""

import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noisyor.core import DataError, SettingsError, Variable
from noisyor.data import DataWarning, read
from noisyor.data.state_choice import CATEGORIES, UNDECLARED, Declared, choose_states
from tests.data.tables import tally, written
from tests.support.effort import is_quick, scaled

pytestmark = pytest.mark.filterwarnings("ignore::noisyor.data.DataWarning")
properties = settings(
    max_examples=scaled(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def chosen(
    values: list[str],
    declared: Declared = UNDECLARED,
    present: str | None = None,
    order: list[str] | None = None,
) -> tuple[tuple[str, ...], bool]:
    """Return the states of a column of these values, which are their own keys, and the order."""
    seen = {value: value for value in values}
    variable = choose_states("c", seen, declared, present=present, order=order).variable
    return variable.states, variable.ordered


@pytest.mark.parametrize(
    ("values", "states", "ordered"),
    [
        (["yes", "no"], ("no", "yes"), False),
        (["1", "0"], ("0", "1"), False),
        (["male", "female"], ("female", "male"), False),
        (["2", "1"], ("1", "2"), False),
        (["10", "9"], ("9", "10"), False),
        (["0", "yes"], ("0", "yes"), False),
        (["10", "9", "0.5", "-1"], ("-1", "0.5", "9", "10"), True),
        (["1e3", "2", "inf"], ("2", "1e3", "inf"), True),
        (["no", "yes", "maybe"], ("maybe", "no", "yes"), False),
        (["item10", "Item9", "item1"], ("item1", "Item9", "item10"), False),
        (["v1.10", "v1.9", "v1"], ("v1", "v1.9", "v1.10"), False),
        (["1", "2", "many"], ("1", "2", "many"), False),
        (["current"], ("not current", "current"), False),
        (["no"], ("no", "yes"), False),
        (["true"], ("false", "true"), False),
    ],
)
def test_states_without_a_word_about_them(
    values: list[str], states: tuple[str, ...], ordered: bool
) -> None:
    assert chosen(values) == (states, ordered)
    assert chosen(values[::-1]) == (states, ordered)


def test_what_a_source_declares() -> None:
    low_to_high = Declared(("low", "mid", "high"), ordered=True)
    assert chosen(["high", "low"], low_to_high) == (("low", "mid", "high"), True)
    assert chosen(["b", "a"], Declared(("c", "b", "a"))) == (("c", "b", "a"), False)
    assert chosen(["1", "2"], Declared(("3", "1", "2"))) == (("1", "2", "3"), True)
    assert chosen(["1", "2"], Declared(("3", "1", "2"), ordered=True)) == (("3", "1", "2"), True)
    assert chosen(["10", "9", "8"], CATEGORIES) == (("8", "9", "10"), False)
    assert chosen(["1", "0"], CATEGORIES) == (("0", "1"), False)
    assert chosen(["yes", "no"], Declared(("yes", "no"), ordered=True)) == (("no", "yes"), False)
    assert chosen(["b"], Declared(("b", "a"))) == (("b", "a"), False)
    assert chosen(["A", "a"], Declared(("a", "A"))) == (("a", "A"), False)
    assert chosen(["x", "y"], Declared(("x", "?", "y"))) == (("x", "y"), False)
    assert chosen(["2", "0"], Declared(count=4)) == (("0", "1", "2", "3"), True)
    assert chosen(["b", "a", "c"], Declared(count=4)) == (("a", "b", "c"), False)
    with pytest.raises(DataError, match="has the value 'z', which is not one of its declared"):
        chosen(["z"], low_to_high)
    with pytest.raises(DataError, match="declares 65 states; at most 64"):
        chosen(["1"], Declared(tuple(f"s{n}" for n in range(65))))


def test_an_order_comes_first() -> None:
    order = ["low", " mid", "high"]
    assert chosen(["high", "low"], order=order) == (("low", "mid", "high"), True)
    assert chosen(["2", "1"], order=["2", "1.0"]) == (("2", "1"), False)
    assert chosen(["yes", "no"], order=["yes", "no"]) == (("yes", "no"), False)
    assert chosen(["Aa", "aa", "AA"], order=["aa", "Aa", "AA"]) == (("aa", "Aa", "AA"), True)
    assert chosen(["b"], Declared(("b", "a")), order=["a", "b", "c"]) == (("a", "b", "c"), True)
    with pytest.raises(
        DataError,
        match=r"column 'c' has the value 'mid', which its order \(low, high\) lacks; an order",
    ):
        chosen(["low", "mid"], order=["low", "high"])
    with pytest.raises(SettingsError, match="has the state 'NA', which means a missing value"):
        chosen(["low"], order=["low", "NA"])
    with pytest.raises(SettingsError, match="has 'low' twice"):
        chosen(["low"], order=["low", "low "])
    with pytest.raises(SettingsError, match="has 1 states; from 2 to 64 are allowed"):
        chosen(["low"], order=["low"])
    with pytest.raises(SettingsError, match="an order and a value that means present"):
        chosen(["low", "high"], order=["low", "high"], present="low")


def test_one_of_two_means_present() -> None:
    assert chosen(["m", "f"], present="f") == (("m", "f"), False)
    assert chosen(["no", "yes"], present="no") == (("yes", "no"), False)
    assert chosen(["A", "a"], present="a") == (("A", "a"), False)
    assert chosen(["red"], present="red") == (("not red", "red"), False)
    with pytest.raises(DataError, match=r"has 3 states \(a, b, c\); only one of two can mean"):
        chosen(["a", "b", "c"], present="b")


names = st.sampled_from(["low", "mid", "high", "red", "Blue", "x1", "x10", "none", "no", "yes"])
numbers = st.integers(-3, 12)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Return columns of text, whole numbers or booleans, of one length."""
    size = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from([names, numbers, st.booleans()]), min_size=1, max_size=5))
    return {
        f"c{place}": draw(st.lists(kind, min_size=size, max_size=size))
        for place, kind in enumerate(kinds)
    }


@given(columns=tables())
@properties
def test_all_sources_give_the_same_records(tmp_path: Path, columns: dict[str, list[Any]]) -> None:
    frame = pl.DataFrame(columns)
    expected = read(frame)
    texts = {
        name: [str(value).lower() if isinstance(value, bool) else str(value) for value in column]
        for name, column in columns.items()
    }
    labels = [[variable.states[code] for code in expected.column(v)]
              for v, variable in enumerate(expected.variables)]  # fmt: skip
    found = Counter(dict(zip(zip(*labels, strict=True), expected.weights.tolist(), strict=True)))
    assert found == Counter(zip(*texts.values(), strict=True))
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    sources: list[object] = [
        frame.lazy(),
        frame.to_arrow(),
        pa.table(columns),
        pd.DataFrame(columns),
        pd.DataFrame(columns).astype(object),
        pl.DataFrame(texts),
        pd.DataFrame(texts),
        tmp_path / "t.parquet",
        tmp_path / "t.arrow",
    ]
    for source in sources:
        assert read(source) == expected
    assert read(tmp_path / "t.csv", header=True, delimiter=",") == expected


@given(columns=tables())
@properties
def test_categories_are_texts_without_an_order(columns: dict[str, list[Any]]) -> None:
    texts = pd.DataFrame({name: [f"v{value}" for value in own] for name, own in columns.items()})
    expected = read(texts)
    unused = {
        name: pd.Categorical(own, categories=[*sorted(set(own), reverse=True), "never"])
        for name, own in texts.items()
    }
    polars = pl.DataFrame(texts.to_dict("list"))
    for source in (
        texts.astype("category"),
        pd.DataFrame(unused),
        polars.cast(pl.Categorical),
        polars.cast(pl.Categorical).to_arrow(),
        pa.table({name: pa.array(own).dictionary_encode() for name, own in texts.items()}),
    ):
        assert read(source) == expected


@given(
    codes=st.lists(st.integers(0, 3), min_size=1, max_size=10),
    states=st.permutations(["d", "c", "10", "9"]),
)
@properties
def test_ordered_categories_keep_their_order(codes: list[int], states: list[str]) -> None:
    column = [states[code] for code in codes]
    expected = read(pl.DataFrame({"a": column}), order={"a": states})
    assert expected.variables == (Variable("a", tuple(states), ordered=True),)
    assert tally(expected) == Counter((code,) for code in codes)
    frame = pl.DataFrame({"a": column}, schema={"a": pl.Enum(states)})
    dictionary = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(states), ordered=True)
    for source in (
        frame,
        frame.lazy(),
        frame.to_arrow(),
        pd.DataFrame({"a": pd.Categorical(column, categories=states, ordered=True)}),
        pa.table({"a": dictionary}),
        pa.concat_tables([pa.table({"a": dictionary})] * 2).slice(0, len(codes)),
    ):
        assert read(source) == expected


def test_files_keep_the_order_of_an_enumeration(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": ["mid", "low"]}, schema={"a": pl.Enum(["low", "mid", "high"])})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ipc(tmp_path / "t.arrow")
    for name in ("t.parquet", "t.arrow"):
        dataset = read(tmp_path / name)
        assert dataset.variables == (Variable("a", ("low", "mid", "high"), ordered=True),)


def test_ordered_categories_of_pandas_that_are_no_text() -> None:
    cut = pd.cut([1.0, 5.0, np.nan, 1.5], [0, 2, 6, 9])
    dataset = read(pd.DataFrame({"a": cut}), missing="drop")
    assert dataset.variables[0] == Variable("a", ("(0, 2]", "(2, 6]", "(6, 9]"), ordered=True)
    assert tally(dataset) == {(0,): 2, (1,): 1}
    for categories in ([3, 1, 2], [0.5, 0.25, 1e-7]):
        values = pd.Categorical([*categories, None], categories=categories, ordered=True)
        dataset = read(pd.DataFrame({"a": values}), missing="drop")
        assert dataset.variables[0].ordered
        assert tally(dataset) == {(0,): 1, (1,): 1, (2,): 1}
        assert float(dataset.states[0][2]) == categories[2]


@pytest.mark.parametrize("bins", [None, "none", 2])
def test_columns_can_be_left_out(tmp_path: Path, bins: str | int | None) -> None:
    frame = pl.DataFrame(
        {"id": [f"p{n}" for n in range(70)], "a": [0, 1] * 35, "b": ["x", "y", "x", "y", "z"] * 14}
    )
    expected = read(frame.drop("id"))
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    with (tmp_path / "careful.csv").open("w") as file:
        file.write(frame.write_csv().replace("\n", "\r"))
    head = "@attribute id string\n@attribute a numeric\n@attribute b {x,y,z}\n@data\n"
    written(tmp_path, head + frame.write_csv(include_header=False), "t.arff")
    for source in (frame, frame.to_pandas(), *map(tmp_path.joinpath, (
        "t.csv", "t.parquet", "careful.csv", "t.arff"))):  # fmt: skip
        assert read(source, drop=["id"], bins=bins) == expected
        assert read(source, drop=["b", "id"], bins=bins).names == ("a",)
        with pytest.raises(DataError, match=r"drop names the column 'c', .* it has: id, a, b"):
            read(source, drop=["c"], bins=bins)
        with pytest.raises(DataError, match="every column is left out; at least one is needed"):
            read(source, drop=["a", "b", "id"], bins=bins)
    with pytest.raises(SettingsError, match="drop is the text 'id'; it must be a list"):
        read(frame, drop="id")


def test_wide_tables_can_be_read_in_part() -> None:
    wide = np.random.default_rng(0).integers(0, 3, (20, 300))
    drop = [f"X{place}" for place in range(11, 301)]
    assert read(wide, drop=drop) == read(wide[:, :10])


def test_odd_categories() -> None:
    gap = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2]), pa.array(["y", None, "x"]), ordered=True
    )
    dataset = read(pa.table({"a": gap, "b": [0, 1, 1]}), missing="drop")
    assert dataset.states[0] == ("y", "x")
    assert tally(dataset) == {(0, 0): 1, (1, 1): 1}
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array([30, 1, 2]))
    assert read(pa.table({"a": numbers})).variables == (Variable("a", ("1", "2", "30")),)
    alike = pd.Categorical([1, "1"], categories=[1, "1"], ordered=True)
    with pytest.raises(DataError, match=r"column 'a' cannot be read: .*duplicate '1'"):
        read(pd.DataFrame({"a": alike}))
    none = pd.Categorical([None, None], categories=[], ordered=True)
    with pytest.raises(DataError, match="every cell of column 'a' is missing"):
        read(pd.DataFrame({"a": none}))


@given(columns=tables(), seed=st.integers(0, 1000))
@properties
def test_the_order_of_rows_does_not_matter(columns: dict[str, list[Any]], seed: int) -> None:
    frame = pl.DataFrame(columns)
    rows = random.Random(seed).sample(range(len(frame)), len(frame))  # noqa: S311 (no secrets)
    assert read(frame[rows]) == read(frame) == read(frame[::-1])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int64", "uint64", "float32", "U4"])
def test_numbers_of_every_type(dtype: str) -> None:
    table = np.array([[0, 100], [3, 7], [12, 7], [3, 100], [3, 7]])
    dataset = read(table.astype(dtype))
    assert dataset.variables == (
        Variable("X1", ("0", "3", "12"), ordered=True),
        Variable("X2", ("7", "100")),
    )
    assert tally(dataset) == {(0, 1): 1, (1, 0): 2, (2, 0): 1, (1, 1): 1}


@pytest.mark.parametrize("low", [-128, -(2**63), 2**63 - 300])
def test_numbers_far_from_zero(low: int) -> None:
    values = [low, low + 255, low + 7, low]
    dataset = read(pl.DataFrame({"a": values}))
    assert dataset.states[0] == tuple(str(value) for value in sorted(set(values)))
    assert tally(dataset) == {(0,): 2, (1,): 1, (2,): 1}


def test_sixty_four_states_in_every_column() -> None:
    table = np.random.default_rng(3).integers(0, 64, (300, 1024))
    table[:64] = np.arange(64)[:, None]
    dataset = read(table, bins="none")
    assert {variable.state_count for variable in dataset.variables} == {64}
    assert tally(dataset) == Counter(map(tuple, table.tolist()))


def test_states_that_appear_batch_by_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noisyor.data.frames._BATCH_CELLS", 60)
    monkeypatch.setattr("noisyor.data.counting.RecordCounter._SHORTEST_MERGE", 16)
    count = 200 if is_quick() else 900
    random_ = np.random.default_rng(5)
    table = random_.integers(0, 64, (count, 30)) * np.arange(count)[:, None] // count
    table[0] = np.arange(30) % 2
    words = np.array([f"w{n}" for n in range(64)])[table]
    for source in (table, words):
        dataset = read(source, bins="none")
        labels = [np.array(own) for own in dataset.states]
        rows = np.array([labels[v][dataset.column(v)] for v in range(30)]).T.tolist()
        found = Counter(dict(zip(map(tuple, rows), dataset.weights.tolist(), strict=True)))
        assert found == Counter(map(tuple, source.astype(str).tolist()))


def test_declared_values_of_arff(tmp_path: Path) -> None:
    text = (
        "@attribute size {small, medium, large}\n@attribute grade {3, 1, 2}\n"
        "@attribute ok {yes, no}\n@attribute dose real\n@data\n"
        "large,1,yes,0.5\nmedium,3,no,2\nlarge,1,yes,10\n"
    )
    dataset = read(written(tmp_path, text, "t.arff"))
    assert dataset.variables == (
        Variable("size", ("small", "medium", "large")),
        Variable("grade", ("1", "2", "3"), ordered=True),
        Variable("ok", ("no", "yes")),
        Variable("dose", ("0.5", "2", "10"), ordered=True),
    )
    order = {"size": ["small", "medium", "large"]}
    assert read(written(tmp_path, text, "t.arff"), order=order).variables[0].ordered


def test_arities_of_gobnilp(tmp_path: Path) -> None:
    text = "a b c d\n3 2 3 2\n0 1 x 1\n1 0 y 2\n"
    dataset = read(written(tmp_path, text, "t.dat"))
    assert dataset.variables == (
        Variable("a", ("0", "1", "2"), ordered=True),
        Variable("b"),
        Variable("c", ("x", "y")),
        Variable("d", ("1", "2")),
    )


def test_an_order_of_values_that_are_no_text() -> None:
    table = pl.DataFrame({"n": [1, 2, 3], "b": [True, False, True]})
    dataset = read(table, order={"n": [3, 2, 1], "b": [True, False]})  # type: ignore[list-item]
    assert dataset.states == (("3", "2", "1"), ("true", "false"))
    assert read(table, present={"b": False}).states[1] == ("true", "false")  # type: ignore[dict-item]
    with pytest.raises(SettingsError, match="is the text 'abc'; it must be a list of states"):
        read(table, order={"n": "abc"})
    with pytest.raises(DataError, match=r"order names the column 'm', .* it has: n, b"):
        read(table, order={"m": ["1", "2"]})


def test_a_state_of_dropped_records_is_kept() -> None:
    table = pl.DataFrame({"a": ["x", "y", "z"], "b": [0, 1, None]})
    dataset = read(table, missing="drop")
    assert dataset.states[0] == ("x", "y", "z")
    assert dataset.state_counts(0).tolist() == [1, 1, 0]


def test_texts_among_numbers_are_warned_of() -> None:
    with pytest.warns(
        DataWarning, match=r"column 'a' has numbers and '3\+', so its states have no order; give"
    ):
        assert read(pl.DataFrame({"a": ["1", "2", "3+"]})).states == (("1", "2", "3+"),)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        read(pl.DataFrame({"a": ["1", "2", "3+"]}), order={"a": ["1", "2", "3+"]})
        read(pl.DataFrame({"a": ["1", "2", "3+"]}).cast(pl.Categorical))
        read(pl.DataFrame({"a": ["1", "b", "c"]}))


def test_a_constant_column_of_several_states_is_warned_of() -> None:
    frame = pl.DataFrame({"a": ["x", "x"], "b": [0, 1]}, schema_overrides={"a": pl.Enum("xyz")})
    with pytest.warns(DataWarning, match="1 of 2 columns never changes: a"):
        assert read(frame).states[0] == ("x", "y", "z")
