"""Numbers become bins by rules that can be written down and applied again."""

import json
import math
from collections.abc import Iterable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from noisyor import Binning, discretize
from noisyor.core import DataError, FormatError, NoisyorError, SettingsError
from noisyor.data.bin_choices import (
    BinChoice,
    BinChoices,
    Cuts,
    EqualWidth,
    Mdl,
    Quantiles,
    Unbinned,
    bin_choices,
)
from noisyor.data.binning import Bins
from noisyor.data.choosing_bins import choose_bins
from noisyor.data.warning import DataWarning
from tests.support.effort import scaled

AGES = [3 * i + 0.5 for i in range(30)]
SHEET = pl.DataFrame(
    {
        "age": AGES,
        "children": [i % 9 for i in range(30)],
        "fever": [36.0 + i / 10 for i in range(30)],
        "colour": [f"c{i % 15}" for i in range(30)],
        "ill": ["no"] * 20 + ["yes"] * 10,
    }
)
ANY = st.floats(allow_nan=False, allow_infinity=False)
CUTS = st.lists(ANY, min_size=1, max_size=63, unique=True).map(lambda cuts: tuple(sorted(cuts)))


def counts(column: pl.Series) -> list[tuple[str, int]]:
    """Return the states of a binned column in order, each with its number of records."""
    found = dict(column.value_counts().iter_rows())
    assert isinstance(column.dtype, pl.Enum)
    return [(state, found.get(state, 0)) for state in column.dtype.categories]


def test_columns_of_many_numbers_are_binned() -> None:
    table, binning = discretize(SHEET)
    assert table.columns == SHEET.columns
    assert counts(table["age"]) == [("<= 30", 10), ("30 to 60", 10), ("> 60", 10)]
    assert counts(table["fever"]) == [("<= 36.9", 10), ("36.9 to 37.9", 10), ("> 37.9", 10)]
    others = ["children", "colour", "ill"]
    assert table.select(others).equals(SHEET.select(others))
    assert [rule.column for rule in binning.rules] == ["age", "fever"]
    assert binning.rules[0] == Bins("age", (30.0, 60.0), ("<= 30", "30 to 60", "> 60"), "quantiles")
    assert binning.records == 30
    assert binning.ignored == ()


def test_a_dozen_values_stay_and_thirteen_do_not() -> None:
    months = pl.DataFrame({"month": [1 + i % 12 for i in range(48)]})
    assert discretize(months)[0].equals(months)
    assert discretize(pl.DataFrame({"x": range(13)}))[1].rules[0].cuts == (3, 8)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["a", *map(str, range(20))]),
        pl.Series([str(i) for i in range(20)], dtype=pl.Categorical),
        pl.Series([str(i) for i in range(20)], dtype=pl.Enum([str(i) for i in range(20)])),
        pl.Series([date(2024, 1, 1 + i) for i in range(20)]),
    ],
    ids=["text", "categorical", "enum", "date"],
)
def test_categories_are_never_binned_by_default(column: pl.Series) -> None:
    table = pl.DataFrame({"x": column})
    found, binning = discretize(table)
    assert found.equals(table)
    assert found.dtypes == table.dtypes
    assert binning == Binning((), (), len(column))


def test_numbers_as_text_and_other_notations_are_numbers() -> None:
    table, binning = discretize(pl.DataFrame({"x": [" 01", "1e1", "20.0"] * 5}), columns=["x"])
    assert binning.rules[0].states == ("<= 5", "5 to 10", "> 10")
    assert [number for _, number in counts(table["x"])] == [5, 5, 5]


def test_floats_of_32_bits_are_the_decimals_that_they_are_shown_as() -> None:
    decimals = pl.DataFrame({"x": [0.1, 0.3, 0.7, 0.9] * 4})
    single = decimals.cast(pl.Float32)
    choices = {"columns": (), "cuts": {"x": [0.3, 0.7]}}
    table, binning = discretize(single, **choices)  # type: ignore[arg-type]
    assert table.equals(discretize(decimals, **choices)[0])  # type: ignore[arg-type]
    assert table["x"].to_list()[:4] == ["<= 0.3", "<= 0.3", "0.3 to 0.7", "> 0.7"]
    assert binning.label_of("x", np.float32(0.3)) == "<= 0.3"


def test_whole_numbers_that_all_differ_are_binned_with_a_warning() -> None:
    sheet = SHEET.with_columns(id=pl.Series(range(30)))
    with pytest.warns(DataWarning, match="column 'id' has a different whole number in every rec"):
        _, binning = discretize(sheet)
    assert [rule.column for rule in binning.rules] == ["age", "fever", "id"]
    with pytest.warns(DataWarning, match="id, no each have a different whole number in every"):
        discretize(sheet.with_columns(no=pl.Series(range(100, 130))))
    assert discretize(sheet, columns=["id"])[1].rules[0].column == "id"


def test_named_columns_only() -> None:
    _, binning = discretize(SHEET, bins=2, columns=["children"], cuts={"age": [18, 65]})
    assert [(rule.column, rule.cuts) for rule in binning.rules] == [
        ("age", (18.0, 65.0)),
        ("children", (3.0,)),
    ]


def test_equal_width() -> None:
    table, binning = discretize(SHEET, method="width", bins=4, columns=["fever"])
    assert binning.rules[0].states == (
        "<= 36.73",
        "36.73 to 37.45",
        "37.45 to 38.17",
        "> 38.17",
    )
    assert [number for _, number in counts(table["fever"])] == [8, 7, 7, 8]
    assert binning.rules[0].chosen_by == "width"


def test_mdl_cuts_where_the_target_changes() -> None:
    sheet = SHEET.with_columns(noise=pl.Series([i * 7 % 30 / 4 for i in range(30)]))
    with pytest.warns(DataWarning, match=r"no cut that helps to predict ill in noise; left out"):
        table, binning = discretize(sheet, method="mdl", target="ill")
    assert [(rule.column, rule.cuts, rule.chosen_by) for rule in binning.rules] == [
        ("age", (60.0,), "mdl"),
        ("fever", (37.9,), "mdl"),
    ]
    assert binning.ignored == ("noise",)
    assert "noise" not in table.columns
    assert binning.apply(sheet).equals(table)


def test_a_target_of_many_numbers_needs_bins_of_its_own() -> None:
    with pytest.raises(DataError, match=r"target 'age' of mdl has 30 .*bins='age=quantiles:3'"):
        discretize(SHEET, method="mdl", target="age")
    _, binning = discretize(SHEET, method="mdl", target="age", cuts={"age": [45]})
    assert [(rule.column, rule.chosen_by) for rule in binning.rules] == [
        ("age", "given"),
        ("fever", "mdl"),
    ]
    assert len(binning.rules[1].cuts) == 1
    assert binning.rules[1].codes(np.array([37.4, 37.5])).tolist() == [0, 1]


def test_a_target_that_is_text_of_too_many_values() -> None:
    sheet = pl.DataFrame({"x": range(70), "t": [f"t{i}" for i in range(70)]})
    with pytest.raises(DataError, match="the target 't' of mdl has 70 different values"):
        discretize(sheet, method="mdl", target="t")


def test_mdl_that_cuts_too_often() -> None:
    values = np.repeat(np.arange(100), 50)
    sheet = pl.DataFrame({"x": values, "t": values % 2})
    with pytest.raises(DataError, match=r"mdl cuts column 'x' into \d+ bins, and at most 64"):
        discretize(sheet, method="mdl", target="t")


def test_frequent_values_make_fewer_bins() -> None:
    _, binning = discretize(pl.DataFrame({"x": [0] * 90 + list(range(1, 21))}), bins=4)
    assert binning.rules[0].states == ("<= 0", "> 0")


def test_given_cuts_may_leave_a_bin_empty_with_a_warning() -> None:
    with pytest.warns(DataWarning, match=r"no record is in the bin '> 100' of column 'age'"):
        table, _ = discretize(SHEET, cuts={"age": [18, 100]}, columns=[])
    assert counts(table["age"]) == [("<= 18", 6), ("18 to 100", 24), ("> 100", 0)]


@settings(max_examples=scaled(300))
@given(st.lists(ANY, min_size=2, max_size=60), st.sampled_from(["quantiles", "width"]))
def test_every_number_is_in_the_bin_that_its_label_describes(
    numbers: list[float], method: str
) -> None:
    assume(len(set(numbers)) > 1)
    sheet = pl.DataFrame({"x": pl.Series(numbers, dtype=pl.Float64)})
    table, binning = discretize(sheet, method, columns=["x"])
    labels = table["x"].to_list()
    assert all(describes(label, number) for label, number in zip(labels, numbers, strict=True))
    assert all(
        sum(describes(state, number) for state in binning.rules[0].states) == 1
        for number in numbers
    )
    assert 2 <= len(set(labels)) <= 3
    assert binning.apply(sheet).equals(table)
    again = Binning.from_json(binning.to_json(), "r")
    assert again == binning
    assert again.apply(sheet).equals(table)


def describes(label: str, number: float) -> bool:
    """Return whether a label speaks of a number, read as a person reads it."""
    if label.startswith("<= "):
        return number <= float(label[3:])
    if label.startswith("> "):
        return number > float(label[2:])
    low, high = label.split(" to ")
    return float(low) < number <= float(high)


@settings(max_examples=scaled(200))
@given(CUTS, st.lists(ANY | st.sampled_from([math.inf, -math.inf]), min_size=1, max_size=30))
def test_labels_are_unique_ordered_and_exact(cuts: tuple[float, ...], numbers: list[float]) -> None:
    bins = Bins.at("x", cuts, "given")
    assert len(set(bins.states)) == len(cuts) + 1
    assert bins.variable().ordered
    codes = bins.codes(np.array([*numbers, *cuts])).tolist()
    for number, code in zip([*numbers, *cuts], codes, strict=True):
        assert describes(bins.states[code], number)
        assert code == sum(cut < number for cut in cuts)


def test_a_frame_of_pandas_and_an_array() -> None:
    expected = discretize(SHEET)[1]
    assert discretize(pd.DataFrame(SHEET.to_dict(as_series=False)))[1] == expected
    assert discretize(np.array(AGES)[:, None])[1].rules[0].cuts == (30.0, 60.0)


def test_categories_of_a_frame_keep_their_order() -> None:
    levels = pl.Enum(["low", "high", "?"])
    severity = pl.Series(["low", "high", "?", "low"], dtype=levels)
    frame = pl.DataFrame({"x": range(4), "severity": severity})
    table, _ = discretize(frame.lazy(), bins=2, columns=["x"], missing="drop")
    assert table["severity"].dtype == levels
    assert table.rows() == [("<= 0", "low"), ("> 0", "high"), ("> 0", "low")]


GAPS = pl.DataFrame({"x": [1.0, None, math.nan, 4.0], "c": ["a", "b", "?", "a"]})


def test_missing_values_are_counted_by_column() -> None:
    with pytest.raises(DataError, match=r"missing in 2 of 4 records, by column: 'x' 2, 'c' 1\."):
        discretize(GAPS)
    table, binning = discretize(GAPS, columns=["x"], missing="drop")
    assert table.rows() == [("<= 2", "a"), ("> 2", "a")]
    assert binning.records == 2
    with pytest.raises(DataError, match="missing in 2 of 4 records"):
        binning.apply(GAPS)
    assert binning.apply(GAPS, missing="drop").equals(table)


def test_infinite_numbers_need_cuts() -> None:
    sheet = pl.DataFrame({"x": [*map(float, range(20)), math.inf]})
    for method, target in (("quantiles", None), ("width", None), ("mdl", "t")):
        with pytest.raises(DataError, match=r"'x' holds an infinite number; .*bins='x=10,20'"):
            discretize(
                sheet.with_columns(t=pl.lit("a")), method=method, target=target, columns=["x"]
            )
    table, _ = discretize(sheet, cuts={"x": [5]})
    assert counts(table["x"]) == [("<= 5", 6), ("> 5", 15)]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": "median"}, SettingsError, "method is 'median'; it must be one of: quantiles"),
        ({"bins": 1}, SettingsError, "number of bins is 1; it must be from 2 to 64"),
        ({"bins": 65}, SettingsError, "number of bins is 65"),
        ({"method": "mdl"}, SettingsError, "it needs a target"),
        ({"target": "ill"}, SettingsError, "target is 'ill', but the method is quantiles"),
        ({"method": "mdl", "target": "sick"}, SettingsError, "mdl: there is no column 'sick'"),
        (
            {"method": "mdl", "target": "age", "columns": ["age"]},
            SettingsError,
            "'age' cannot be the target of its own bins",
        ),
        ({"columns": ["aeg"]}, SettingsError, "bins: there is no column 'aeg'; the table has: age"),
        ({"columns": ["ill"]}, DataError, "column 'ill' has the value 'no'; bins need numbers"),
        ({"cuts": {"age": []}}, SettingsError, "bins have 0 cuts; between 1 and 63 are allowed"),
        ({"cuts": {"age": [40, 18]}}, SettingsError, "have the cut 18 after 40; cuts must ascend"),
        ({"cuts": {"age": [18, 18]}}, SettingsError, "have the cut 18 after 18"),
        ({"cuts": {"age": [math.nan]}}, SettingsError, "have the cut nan; cuts must be finite"),
        ({"cuts": {"age": range(64)}}, SettingsError, "bins have 64 cuts"),
        ({"missing": "skip"}, SettingsError, "missing is 'skip'"),
    ],
)
def test_choices_that_make_no_sense(
    options: dict[str, object], error: type[NoisyorError], message: str
) -> None:
    with pytest.raises(error, match=message):
        discretize(SHEET, **options)  # type: ignore[arg-type]


def test_a_constant_column_cannot_be_binned() -> None:
    with pytest.raises(DataError, match="'x' has only the value '3'; bins need at least two"):
        discretize(pl.DataFrame({"x": [3, 3]}), columns=["x"])


def test_new_data_go_to_the_old_bins() -> None:
    _, binning = discretize(SHEET)
    new = pl.DataFrame({"more": [1, 2], "fever": ["40", "-3"], "age": [30.0, 30.5]})
    assert binning.apply(new).rows() == [
        (1, "> 37.9", "<= 30"),
        (2, "<= 36.9", "30 to 60"),
    ]
    assert counts(binning.apply(new)["age"]) == [("<= 30", 1), ("30 to 60", 1), ("> 60", 0)]


def test_new_data_that_do_not_fit() -> None:
    _, binning = discretize(SHEET)
    with pytest.raises(DataError, match="no column 'fever', for which there are bins; it has: age"):
        binning.apply(SHEET.select("age"))
    new = pl.DataFrame({"age": ["1", None, "old"], "fever": [36, 37, 38]})
    with pytest.raises(DataError, match="'age' has the value 'old' in row 3; its bins need a num"):
        binning.apply(new, missing="drop")


def test_the_rules_are_a_file(tmp_path: Path) -> None:
    _, binning = discretize(SHEET)
    path = tmp_path / "sheet.bins.json"
    binning.save(path)
    assert Binning.load(path) == binning
    assert Binning.load(str(path)).apply(SHEET).equals(binning.apply(SHEET))
    with pytest.raises(FormatError, match="cannot read"):
        Binning.load(tmp_path / "other.json")


RULE = {"column": "a", "cuts": [1, 2.5], "states": ["low", "mid", "high"], "chosen_by": "given"}


def record(**changes: object) -> str:
    document = {
        "format": "noisyor-binning",
        "version": 1,
        "records": 3,
        "ignored": [],
        "rules": [RULE],
    }
    return json.dumps(document | changes)


def test_labels_can_be_edited_by_hand() -> None:
    binning = Binning.from_json(record(), "r")
    assert binning.apply(pl.DataFrame({"a": [1, 2, 3]}))["a"].to_list() == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "r is not JSON"),
        ("[" * 100_000, "r is nested too deeply|r is not JSON"),
        ("[]", "r must hold a JSON object, not a list"),
        (record(format="noisyor-binarization"), "r has the format 'noisyor-binarization', version"),
        (record(version=2), "version 2; this is noisyor's reader of 'noisyor-binning', version 1"),
        (record(more=1), "r: the record has the fields .*more"),
        (record(records=1.5), "'records' is 1.5; it must be a whole number"),
        (record(rules={}), "'rules' must be a list"),
        (record(ignored=["x", 3]), "'ignored' holds 3; it must hold texts only"),
        (record(ignored=["a"]), "the rules name column 'a' 2 times"),
        (record(rules=[RULE, RULE]), "the rules name column 'a' 2 times"),
        (record(rules=[3]), "r, rule 1: a rule must be an object, not 3"),
        (record(rules=[RULE | {"kind": "keep"}]), "rule 1: the rule has the fields"),
        (record(rules=[RULE | {"column": 3}]), "'column' is 3; it must be text"),
        (record(rules=[RULE | {"chosen_by": None}]), "'chosen_by' is None; it must be text"),
        (record(rules=[RULE | {"cuts": "12"}]), "'cuts' must be a list of numbers"),
        (record(rules=[RULE | {"cuts": [1, True]}]), "'cuts' holds True; it must hold numbers"),
        (record(rules=[RULE | {"cuts": [1, None]}]), "'cuts' holds None"),
        (record(rules=[RULE | {"cuts": []}]), "'a' have no cut; at least one is needed"),
        (record(rules=[RULE | {"cuts": [1, math.inf]}]), "have the cut inf; cuts must be finite"),
        (record(rules=[RULE | {"cuts": [math.nan, 1]}]), "have the cut nan"),
        (record(rules=[RULE | {"cuts": [2, 1]}]), "have the cut 1 after 2; cuts must ascend"),
        (record(rules=[RULE | {"cuts": [1, 1]}]), "have the cut 1 after 1"),
        (record(rules=[RULE | {"cuts": [1]}]), "have 3 labels; 1 cuts need 2"),
        (record(rules=[RULE | {"cuts": list(range(64))}]), "have 64 cuts; at most 63"),
        (record(rules=[RULE | {"states": ["a", "b", "b"]}]), "two states of 'a' are labelled 'b'"),
        (record(rules=[RULE | {"states": ["a", "b", "\ud800"]}]), "half of a surrogate pair"),
        (record(rules=[RULE | {"states": "abc"}]), "'states' must be a list of texts"),
    ],
)
def test_a_broken_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Binning.from_json(text, "r")


@settings(max_examples=scaled(200))
@given(CUTS)
def test_cuts_are_lossless(cuts: tuple[float, ...]) -> None:
    binning = Binning((Bins.at("x", cuts, "given"),))
    assert Binning.from_json(binning.to_json(), "r") == binning


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, BinChoices(automatic=True)),
        (4, BinChoices(Quantiles(4))),
        ("4", BinChoices(Quantiles(4))),
        ("quantiles", BinChoices(Quantiles(3))),
        ("quantiles:5", BinChoices(Quantiles(5))),
        ("width", BinChoices(EqualWidth(3))),
        ("width:64", BinChoices(EqualWidth(64))),
        ("mdl:ill", BinChoices(Mdl("ill"))),
        ("mdl:a:b=c", BinChoices(Mdl("a:b=c"))),
        ("none", BinChoices(Unbinned())),
        ([], BinChoices(Quantiles(3))),
        (["3", "3"], BinChoices(Quantiles(3))),
        ("age=18,40,65", BinChoices(by_column={"age": Cuts((18.0, 40.0, 65.0))})),
        ("age=-1e3", BinChoices(by_column={"age": Cuts((-1000.0,))})),
        ("a=b=1", BinChoices(by_column={"a=b": Cuts((1.0,))})),
        (
            ["none", "x=width", "y=quantiles:2", "z=mdl:t", "w=none"],
            BinChoices(
                Unbinned(),
                {"x": EqualWidth(3), "y": Quantiles(2), "z": Mdl("t"), "w": Unbinned()},
            ),
        ),
    ],
)
def test_texts_of_choices(given: str | Iterable[str] | None, expected: BinChoices) -> None:
    assert bin_choices(given) == expected


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "bins are ''; allowed are, for example: 4, quantiles:4, width:5"),
        ("median", "bins are 'median'; allowed are"),
        ("quantiles:", "bins are 'quantiles:'; allowed are"),
        ("width:x", "bins are 'width:x'; allowed are"),
        ("quantiles:1_0", "bins are 'quantiles:1_0'"),
        ("-3", "bins are '-3'"),
        ("2.5", "bins are '2.5'"),
        ("9" * 5000, "bins are '9999"),
        ("1", "the number of bins is 1; it must be from 2 to 64"),
        ("99", "the number of bins is 99"),
        ("mdl", "mdl needs a target column: mdl:TARGET"),
        ("mdl:", "mdl needs a target column"),
        ("=3", "bins are '=3'; allowed are"),
        ("age=", "after the equals sign there must be cuts, such as 18,40,65"),
        ("age=18,,40", "there must be cuts"),
        ("age=40,18", "bins have the cut 18 after 40"),
        ("age=inf", "bins have the cut inf"),
        (["2", "3"], "bins are '2' and '3'; give one for all columns"),
        (["a=1", "a=2"], "bins are chosen twice for column 'a'"),
    ],
)
def test_texts_of_no_choice(given: str | list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        bin_choices(given)


@pytest.mark.parametrize("choice", [Quantiles(4), EqualWidth(4), Mdl("ill"), Unbinned()])
def test_single_columns_differ_from_the_others(choice: BinChoice) -> None:
    chosen = choose_bins(SHEET, BinChoices(choice, {"fever": Cuts((38.0,))}))
    assert chosen.by_column()["fever"].cuts == (38.0,)
    assert ("age" in chosen.by_column()) == (choice != Unbinned())
    assert chosen == choose_bins(
        SHEET, BinChoices(Unbinned(), {"age": choice, "fever": Cuts((38.0,))})
    )
