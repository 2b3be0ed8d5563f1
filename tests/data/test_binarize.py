"""Raw tables become binary ones by rules that can be written down and applied again."""

import json
import math
from datetime import date
from itertools import permutations
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noisyor.core import DataError, FormatError, SettingsError
from noisyor.data.binarization import Binarization, Grouped, Kept, Split
from noisyor.data.binarize import (
    Above,
    Choice,
    Drop,
    OneAgainstRest,
    PresentWhen,
    SplitMethod,
    binarize,
    choices_from,
    read_mapping,
)
from noisyor.data.binarized_files import read_binarization, record_path, write_binarized
from noisyor.data.raw_reading import read_raw
from noisyor.data.reading import read
from noisyor.data.warning import DataWarning
from noisyor.formats.knowledge_files import read_knowledge

RAW = pl.DataFrame(
    {
        "age": [20, 30, 40, 70],
        "smoker": ["Yes", "no", "no", "yes"],
        "colour": ["red", "blue", "red", "green"],
    }
)


def values(table: pl.DataFrame) -> dict[str, list[object]]:
    return {name: table[name].to_list() for name in table.columns}


def test_each_kind_of_column() -> None:
    table, rules = binarize(RAW)
    assert values(table) == {
        "age>35": [0, 0, 1, 1],
        "smoker": ["yes", "no", "no", "yes"],
        "colour=blue": [0, 1, 0, 0],
        "colour=green": [0, 0, 0, 1],
        "colour=red": [1, 0, 1, 0],
    }
    assert rules.rules[:3] == (
        Split("age", "age>35", ("<=35", ">35"), 35.0, inclusive=False, chosen_by="median"),
        Kept("smoker", "smoker", ("no", "yes")),
        Grouped("colour", "colour=blue", ("not blue", "blue"), ("blue",), ("green", "red")),
    )
    assert rules.records == 4


@pytest.mark.parametrize("dtype", [pl.Categorical(), pl.Enum(["c", "b", "a"])])
def test_categorical_columns_are_categories(dtype: pl.DataType) -> None:
    table, _ = binarize(pl.DataFrame({"x": pl.Series(["a", "b", "a", "c"], dtype=dtype)}))
    assert values(table) == {"x=a": [1, 0, 1, 0], "x=b": [0, 1, 0, 0], "x=c": [0, 0, 0, 1]}


def test_numbers_as_text_are_numbers() -> None:
    table, _ = binarize(pl.DataFrame({"x": ["1", "2", "10"]}))
    assert values(table) == {"x>2": [0, 0, 1]}


def test_the_mean_splits_elsewhere() -> None:
    table, rules = binarize(RAW.select("age"), method="mean")
    assert values(table) == {"age>40": [0, 0, 0, 1]}
    assert isinstance(rules.rules[0], Split)
    assert rules.rules[0].chosen_by == "mean"


def test_a_given_threshold_is_not_above_itself() -> None:
    table, _ = binarize(RAW.select("age"), {"age": Above(30)})
    assert values(table) == {"age>30": [0, 0, 1, 1]}


def test_a_given_threshold_is_kept_even_if_nothing_is_above() -> None:
    table, _ = binarize(RAW.select("age"), {"age": Above(99.5)})
    assert values(table) == {"age>99.5": [0, 0, 0, 0]}


def test_columns_that_never_change_are_left_out() -> None:
    raw = pl.DataFrame({"x": [0.1, 0.1], "y": [1, 2], "c": ["a", "a"], "no": ["no", "no"]})
    with pytest.warns(DataWarning, match="left out, because they never change: x, c, no"):
        table, rules = binarize(raw)
    assert values(table) == {"y>1.5": [0, 1]}
    assert rules.ignored == ("x", "c", "no")
    assert rules.unread(raw) == ()


def test_a_table_that_never_changes_is_refused() -> None:
    with pytest.raises(DataError, match="no column ever changes: x, c"):
        binarize(pl.DataFrame({"x": [1, 1], "c": ["a", "a"]}))


def test_a_column_that_never_changes_stays_if_it_is_chosen() -> None:
    table, _ = binarize(pl.DataFrame({"x": [1, 1], "y": [0, 1]}), {"x": Above(0.5)})
    assert values(table) == {"x>0.5": [1, 1], "y": ["0", "1"]}


@pytest.mark.parametrize("method", list(SplitMethod))
def test_a_single_record_is_split_at_itself_inclusively(method: SplitMethod) -> None:
    table, rules = binarize(pl.DataFrame({"x": [0.1]}), method=method)
    assert values(table) == {"x>=0.1": [1]}
    rule = rules.rules[0]
    assert isinstance(rule, Split)
    assert rule.inclusive
    assert rule.threshold == 0.1


@pytest.mark.parametrize(
    ("numbers", "name"),
    [
        ([1.8650000000000002, 1.9, 13.123456, 13.2], "x>7.51"),
        ([1.12341, 1.12342, 1.12343, 1.12344], "x>1.12342"),
        ([1234.5, 1240.25, 1240.75, 1300.0], "x>1240.5"),
        ([-0.5, -0.25, 0.75, 0.9], "x>0.25"),
    ],
)
def test_thresholds_are_short_where_they_split_alike(numbers: list[float], name: str) -> None:
    table, _ = binarize(pl.DataFrame({"x": numbers}))
    assert values(table) == {name: [0, 0, 1, 1]}


def test_a_median_that_is_the_maximum_is_split_inclusively() -> None:
    table, rules = binarize(pl.DataFrame({"x": [3, 7, 7, 7]}))
    assert values(table) == {"x>=7": [0, 1, 1, 1]}
    assert json.loads(rules.to_json())["rules"][0]["inclusive"] is True


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20), st.sampled_from(SplitMethod))
def test_numbers_that_differ_are_never_split_into_one_group(
    numbers: list[float], method: SplitMethod
) -> None:
    assume(len(set(numbers)) > 1)
    table, _ = binarize(pl.DataFrame({"x": pl.Series(numbers, dtype=pl.Float64)}), method=method)
    column = table.to_series().to_list()
    if set(numbers) <= {0.0, 1.0}:
        assert column == [f"{number:.0f}".lstrip("-") for number in numbers]
    else:
        assert set(column) == {0, 1}
        low = [x for x, bit in zip(numbers, column, strict=True) if not bit]
        high = [x for x, bit in zip(numbers, column, strict=True) if bit]
        assert max(low) < min(high)


def test_a_negative_zero_is_a_zero() -> None:
    assert values(binarize(pl.DataFrame({"x": [-0.0, 1.0, 0.0]}))[0]) == {"x": ["0", "1", "0"]}
    assert binarize(pl.DataFrame({"x": [-2.0, -0.0, 3.0]}))[0].columns == ["x>0"]


def test_infinite_numbers_need_a_threshold() -> None:
    raw = pl.DataFrame({"x": [1.0, math.inf, math.inf]})
    with pytest.raises(DataError, match=r"the median of column 'x' is inf.*choices=\{'x': Above\("):
        binarize(raw)
    assert values(binarize(raw, {"x": Above(5)})[0]) == {"x>5": [0, 1, 1]}


@pytest.mark.parametrize(
    ("column", "kept"),
    [
        ([0, 1, 1], ["0", "1", "1"]),
        ([0.0, 1.0, 1.0], ["0", "1", "1"]),
        ([True, False, True], ["true", "false", "true"]),
        (["T", "f", "t"], ["t", "f", "t"]),
        (["Present", "ABSENT", "absent"], ["present", "absent", "absent"]),
    ],
)
def test_accepted_pairs_stay(column: list[object], kept: list[str]) -> None:
    table, _ = binarize(pl.DataFrame({"x": column}))
    assert values(table) == {"x": kept}


def test_two_words_of_different_pairs_are_categories() -> None:
    table, _ = binarize(pl.DataFrame({"x": ["yes", "f", "yes"]}))
    assert table.columns == ["x=f"]


@pytest.mark.parametrize(
    ("column", "made"),
    [
        (["male", "female", "male"], {"sex=female": [0, 1, 0]}),
        (["female", "male", "female"], {"sex=male": [0, 1, 0]}),
        (["female", "male"], {"sex=male": [0, 1]}),
    ],
)
def test_two_categories_become_one_column_and_the_rarer_is_present(
    column: list[str], made: dict[str, list[int]]
) -> None:
    assert values(binarize(pl.DataFrame({"sex": column}))[0]) == made


def test_one_present_category_makes_one_column() -> None:
    table, _ = binarize(RAW.select("colour"), {"colour": PresentWhen(("red",))})
    assert values(table) == {"colour=red": [1, 0, 1, 0]}


def test_categories_are_grouped_in_the_order_given() -> None:
    table, rules = binarize(RAW.select("colour"), {"colour": PresentWhen(("red", "green"))})
    assert values(table) == {"colour=red|green": [1, 0, 1, 1]}
    assert isinstance(rules.rules[0], Grouped)
    assert rules.rules[0].absent == ("blue",)


def test_numbers_can_be_categories() -> None:
    raw = pl.DataFrame({"zone": [10, 2, 10, 3]})
    table, _ = binarize(raw, {"zone": OneAgainstRest()})
    assert table.columns == ["zone=2", "zone=3", "zone=10"]
    assert values(binarize(raw, {"zone": PresentWhen(("02", "3"))})[0]) == {
        "zone=2|3": [0, 1, 0, 1]
    }


def test_a_group_that_never_occurs_is_an_error_and_part_of_one_a_warning() -> None:
    with pytest.raises(DataError, match=r"'colour' never has the value 'rde'.*blue, green, red"):
        binarize(RAW, {"colour": PresentWhen(("rde",))})
    with pytest.warns(DataWarning, match="'colour' never has the value 'rde'"):
        binarize(RAW, {"colour": PresentWhen(("red", "rde"))})


def test_a_threshold_needs_numbers() -> None:
    with pytest.raises(DataError, match="'colour' has the value 'red'; a threshold needs numbers"):
        binarize(RAW, {"colour": Above(3)})


def test_columns_are_left_out() -> None:
    table, rules = binarize(RAW, {"colour": Drop(), "age": Drop()})
    assert table.columns == ["smoker"]
    assert rules.ignored == ("age", "colour")
    with pytest.raises(DataError, match="every column is left out"):
        binarize(RAW, dict.fromkeys(RAW.columns, Drop()))


@pytest.mark.parametrize(
    "column", [["ann", "bob", "cid"], [f"p{i % 51}" for i in range(102)]], ids=["all", "51"]
)
def test_an_identifier_is_an_error_with_a_way_out(column: list[str]) -> None:
    with pytest.raises(
        DataError, match=r"column 'who' has .* different values.*choices=\{'who': Drop\(\)\}"
    ):
        binarize(pl.DataFrame({"who": column}))


def test_fifty_categories_are_not_too_many() -> None:
    table, _ = binarize(pl.DataFrame({"x": [f"p{i % 50}" for i in range(100)]}))
    assert table.width == 50


def test_whole_numbers_that_all_differ_are_split_with_a_warning() -> None:
    with pytest.warns(DataWarning, match="'id' has a different whole number in every record"):
        table, _ = binarize(pl.DataFrame({"id": range(20)}))
    assert table.columns == ["id>9.5"]


def test_choices_about_no_column_are_refused() -> None:
    with pytest.raises(SettingsError, match="no column 'agee'; the table has: age, smoker, colour"):
        binarize(RAW, {"agee": Above(3)})


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(SettingsError, match="method is 'mode'; it must be one of: median, mean"):
        binarize(RAW, method="mode")  # type: ignore[arg-type]


def test_dates_are_refused_with_a_way_out() -> None:
    raw = pl.DataFrame({"day": [date(2024, 1, 1), date(2024, 1, 2)]})
    with pytest.raises(DataError, match=r"'day' has the type Date.*drop=\['day'\]"):
        binarize(raw)


def test_names_that_collide_are_refused() -> None:
    raw = pl.DataFrame({"x": ["a", "b", "b"], "x=a": ["no", "yes", "no"]})
    with pytest.raises(DataError, match="both named 'x=a'"):
        binarize(raw)


GAPS = pl.DataFrame({"x": [1.0, None, math.nan, 4.0], "c": ["a", "b", "?", "a"]})


def test_missing_values_are_counted_by_column() -> None:
    with pytest.raises(DataError, match=r"missing in 2 of 4 records, by column: 'x' 2, 'c' 1\."):
        binarize(GAPS)


def test_only_what_can_be_done_is_named() -> None:
    with pytest.raises(DataError, match=r'about them: missing="drop" leaves those records out$'):
        binarize(GAPS)


def test_records_that_lack_a_value_are_left_out() -> None:
    with pytest.warns(DataWarning, match="never change: c"):
        table, rules = binarize(GAPS, missing="drop")
    assert values(table) == {"x>2.5": [0, 1]}
    assert rules.records == 2


def test_gaps_in_columns_left_out_do_not_count() -> None:
    assert len(binarize(GAPS, {"x": Drop()}, missing="drop")[0]) == 3


def test_no_record_left_is_an_error() -> None:
    with pytest.raises(DataError, match="each of the 1 records lacks a value"):
        binarize(pl.DataFrame({"x": [1], "y": pl.Series([None], dtype=pl.Int64)}), missing="drop")
    with pytest.raises(DataError, match="the table has no records"):
        binarize(pl.DataFrame({"x": pl.Series([], dtype=pl.Int64)}))


def test_choices_come_together_or_contradict() -> None:
    assert choices_from([("c", PresentWhen(("a",))), ("c", PresentWhen(("b",)))]) == {
        "c": PresentWhen(("a", "b"))
    }
    with pytest.raises(SettingsError, match="column 'c' has two contradictory choices"):
        choices_from([("c", Drop()), ("c", Above(1))])


def test_a_mapping_file_says_it_all() -> None:
    text = json.dumps(
        {
            "columns": {
                "colour": {"present": ["red", "green"]},
                "age": {"threshold": 50},
                "smoker": {"drop": True},
                "zone": {"one_against_rest": True},
            }
        }
    )
    expected: list[tuple[str, Choice]] = [
        ("colour", PresentWhen(("red", "green"))),
        ("age", Above(50.0)),
        ("smoker", Drop()),
        ("zone", OneAgainstRest()),
    ]
    assert read_mapping(text, "m.json") == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "m.json is not JSON"),
        ("[]", "m.json must hold a JSON object, not a list"),
        ('{"column": {}}', "has the fields column; expected: columns"),
        ('{"columns": []}', "'columns' must be an object"),
        ('{"columns": {"a": {"present": []}}}', "column 'a' says {'present': .*allowed is one of"),
        ('{"columns": {"a": {"present": [1]}}}', "column 'a' says"),
        ('{"columns": {"a": {"threshold": true}}}', "column 'a' says"),
        ('{"columns": {"a": {"threshold": 1, "drop": true}}}', "column 'a' says"),
        ('{"columns": {"a": {"drop": false}}}', "column 'a' says"),
        ('{"columns": {"a": 3}}', "column 'a' says 3"),
    ],
)
def test_a_mapping_file_that_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_mapping(text, "m.json")


def test_a_threshold_that_is_no_number_is_refused() -> None:
    choices = choices_from(read_mapping('{"columns": {"age": {"threshold": NaN}}}', "m.json"))
    with pytest.raises(FormatError, match="the threshold of column 'age' is nan"):
        binarize(RAW, choices)


def test_the_record_reads_back_exactly() -> None:
    raw = RAW.with_columns(x=pl.Series([0.1 + 0.2, 1e-300, 1 / 3, 5e-324]))
    _, rules = binarize(raw, {"smoker": OneAgainstRest()}, method="mean")
    assert Binarization.from_json(rules.to_json(), "r") == rules


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_thresholds_are_lossless(threshold: float) -> None:
    _, rules = binarize(RAW.select("age"), {"age": Above(threshold)})
    back = Binarization.from_json(rules.to_json(), "r").rules[0]
    assert isinstance(back, Split)
    assert math.copysign(1, back.threshold) == math.copysign(1, threshold)
    assert back.threshold == threshold


def test_the_record_does_the_same_again() -> None:
    table, rules = binarize(RAW)
    assert rules.apply(RAW).equals(table)
    new = pl.DataFrame({"colour": ["blue"], "extra": [1], "smoker": ["NO"], "age": ["35.5"]})
    assert rules.unread(new) == ("extra",)
    assert values(rules.apply(new)) == {
        "age>35": [1],
        "smoker": ["no"],
        "colour=blue": [1],
        "colour=green": [0],
        "colour=red": [0],
    }


def new_table(**changes: object) -> pl.DataFrame:
    """Return three records like RAW's; the second has the changes."""
    record: dict[str, object] = {"age": "40", "smoker": "no", "colour": "red"}
    return pl.DataFrame([record, record | changes, record])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"colour": "pink"}, "column 'colour' has the value 'pink' in row 2; known: blue, green"),
        ({"smoker": "maybe"}, "column 'smoker' has the value 'maybe' in row 2; known: no, yes"),
        ({"age": "old"}, "column 'age' has the value 'old' in row 2; the rule 'age>35' needs a"),
        ({"age": None}, "missing in 1 of 3 records, by column: 'age' 1"),
    ],
)
def test_new_values_are_an_error_that_says_where(changes: dict[str, object], message: str) -> None:
    _, rules = binarize(RAW)
    with pytest.raises(DataError, match=message):
        rules.apply(new_table(**changes))


def test_rows_are_counted_before_records_are_left_out() -> None:
    _, rules = binarize(RAW)
    new = pl.concat([new_table(age=None), new_table(colour="pink")])
    with pytest.raises(DataError, match="'pink' in row 5"):
        rules.apply(new, missing="drop")


def test_unknown_categories_can_mean_absent() -> None:
    _, rules = binarize(RAW)
    table = rules.apply(new_table(colour="pink", smoker="maybe"), unknown="absent")
    assert values(table[1]) == {
        "age>35": [1],
        "smoker": ["no"],
        "colour=blue": [0],
        "colour=green": [0],
        "colour=red": [0],
    }
    with pytest.raises(DataError, match="'old' in row 2"):
        rules.apply(new_table(age="old"), unknown="absent")


def test_a_column_that_the_rules_need_is_an_error() -> None:
    _, rules = binarize(RAW)
    with pytest.raises(DataError, match="no column 'age', 'colour', which the rules read; it has"):
        rules.apply(RAW.select("smoker"))


SPLIT = {
    "kind": "split",
    "source": "a",
    "name": "a>1",
    "states": ["<=1", ">1"],
    "threshold": 1,
    "inclusive": False,
    "chosen_by": "given",
}
GROUP = {
    "kind": "group",
    "source": "a",
    "name": "a=x",
    "states": ["not x", "x"],
    "present": ["x"],
    "absent": ["y"],
}


def record(**changes: object) -> str:
    document = {
        "format": "noisyor-binarization",
        "version": 1,
        "records": 3,
        "ignored": [],
        "rules": [SPLIT],
    }
    return json.dumps(document | changes)


def test_a_record_can_be_written_by_hand() -> None:
    rules = Binarization.from_json(record(rules=[SPLIT, GROUP]), "r")
    assert [rule.name for rule in rules.rules] == ["a>1", "a=x"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (record(format="other"), "r has the format 'other', version 1"),
        (record(version=2), "version 2"),
        (record(more=1), "r: the record has the fields .*more"),
        (record(records="x"), "'records' is 'x'; it must be a whole number"),
        (record(records=-1), "'records' is -1"),
        (record(rules={}), "'rules' must be a list"),
        (record(ignored="x"), "'ignored' must be a list of texts"),
        (record(rules=[3]), "r, rule 1: 'kind' must be one of split, keep, group"),
        (record(rules=[SPLIT | {"kind": "keep"}]), "rule 1: the rule has the fields"),
        (record(rules=[SPLIT | {"name": 3}]), "'name' is 3; it must be text"),
        (record(rules=[SPLIT | {"states": ["a"]}]), "it must be two different labels"),
        (record(rules=[SPLIT | {"states": ["a", "a"]}]), "it must be two different labels"),
        (record(rules=[SPLIT | {"threshold": "1"}]), "'threshold' is '1'; it must be a number"),
        (record(rules=[SPLIT | {"threshold": math.inf}]), "is inf; it must be finite"),
        (record(rules=[SPLIT | {"inclusive": 1}]), "'inclusive' is 1; it must be true or false"),
        (record(rules=[GROUP | {"present": []}]), "needs categories that mean present"),
        (record(rules=[GROUP | {"absent": ["x"]}]), r"in both: \['x'\]"),
        (record(rules=[GROUP | {"absent": [1]}]), "'absent' holds 1; it must hold texts only"),
    ],
)
def test_a_broken_record_is_refused(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        Binarization.from_json(text, "r")


def test_a_record_without_rules_is_refused() -> None:
    with pytest.raises(DataError, match="no columns"):
        Binarization.from_json(record(rules=[]), "r")


def test_files_read_back(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    table, rules = binarize(RAW)
    record, knowledge = write_binarized(table, rules, output)
    assert record == record_path(output)
    assert knowledge.name == "out.knowledge.toml"
    assert read_binarization(record) == rules

    dataset = read(output)
    assert list(dataset.names) == table.columns
    assert dataset.record_count == 4
    assert [int(dataset.state_counts(v)[1]) for v in range(dataset.variable_count)] == [
        2,
        2,
        1,
        1,
        2,
    ]
    assert dataset.states[1] == ("no", "yes")
    assert rules.apply(read_raw(_as_csv(tmp_path))).equals(table)


def _as_csv(folder: Path) -> Path:
    path = folder / "raw.csv"
    RAW.write_csv(path)
    return path


def test_awkward_names_survive_the_files(tmp_path: Path) -> None:
    raw = pl.DataFrame({'a, "b"': ["x,y", 'z"', "->", "->"], "y": ["no", "yes", "no", "no"]})
    table, rules = binarize(raw)
    written = write_binarized(table, rules, tmp_path / "o.csv")
    assert written == (tmp_path / "o.binarize.json", tmp_path / "o.knowledge.toml")
    dataset = read(tmp_path / "o.csv")
    made = ('a, "b"=->', 'a, "b"=x,y', 'a, "b"=z"')
    assert dataset.names == (*made, "y")
    knowledge = read_knowledge(tmp_path / "o.knowledge.toml")
    assert set(knowledge.forbidden) == set(permutations(made, 2))
    assert [int(dataset.state_counts(v)[1]) for v in range(dataset.variable_count)] == [2, 1, 1, 1]


def test_names_that_look_like_a_record_are_refused(tmp_path: Path) -> None:
    table, rules = binarize(pl.DataFrame({"Y": ["y", "n", "n"], "1": [0, 1, 1]}))
    with pytest.raises(DataError, match=r"named like one of its values: 'Y', '1'; .*Rename"):
        write_binarized(table, rules, tmp_path / "o.csv")
    assert list(tmp_path.iterdir()) == []
    table, rules = binarize(pl.DataFrame({"Y": ["y", "n", "n"], "x": [0, 1, 1]}))
    write_binarized(table, rules, tmp_path / "o.csv")
    assert read(tmp_path / "o.csv").names == ("Y", "x")


def test_the_output_is_a_csv_file() -> None:
    with pytest.raises(SettingsError, match=r"the output is 'x.parquet'; its name must end in"):
        record_path(Path("x.parquet"))


def test_neither_file_appears_if_one_cannot(tmp_path: Path) -> None:
    table, rules = binarize(RAW)
    (tmp_path / "out.binarize.json").mkdir()
    with pytest.raises(SettingsError, match=r"cannot write .*out.binarize.json: it is a folder"):
        write_binarized(table, rules, tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["out.binarize.json"]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    table, rules = binarize(RAW)
    with pytest.raises(SettingsError, match=r"cannot write .*no/out.csv: No such file"):
        write_binarized(table, rules, tmp_path / "no" / "out.csv")


def test_a_record_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot read .*gone.json: No such file"):
        read_binarization(tmp_path / "gone.json")
    (tmp_path / "bad.json").write_bytes(b"\xff\xfe")
    with pytest.raises(FormatError, match="is not UTF-8 text"):
        read_binarization(tmp_path / "bad.json")


def test_frames_and_arrays_of_every_kind_are_taken() -> None:
    expected, rules = binarize(RAW)
    for source in (RAW.to_pandas(), RAW.to_arrow(), RAW.lazy()):
        table, same_rules = binarize(source)
        assert table.equals(expected)
        assert same_rules == rules
        assert rules.apply(source).equals(expected)
    table, _ = binarize(np.array([[1, 0.5], [0, 2.5], [1, 7.5]]))
    assert values(table) == {"X1": ["1", "0", "1"], "X2>2.5": [0, 0, 1]}
    for source in (np.array([1, 2]), pl.DataFrame({"a": [[1], [2]]}).to_arrow()):
        with pytest.raises(DataError):
            binarize(source)
