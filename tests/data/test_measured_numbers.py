"""Numbers with a sign, such as per cent or a currency."""

from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest

import noisyor
from noisyor.data.values import has_sign, measured_number
from tests.cli.test_cli import run, write


@pytest.mark.parametrize(
    ("text", "sign", "number"),
    [
        ("5%", "#%", "5"),
        (" -12.50 % ", "#%", "-12.5"),
        ("$3.50", "$#", "3.5"),
        ("20 \N{EURO SIGN}", "#\N{EURO SIGN}", "20"),
        (".5%", "#%", "0.5"),
        ("-$5", "$#", "-5"),
        ("$-5", "$#", "-5"),
        ("+$ .25", "$#", "0.25"),
    ],
)
def test_a_sign_and_a_number(text: str, sign: str, number: str) -> None:
    assert measured_number(text) == (sign, Decimal(number))
    assert has_sign(text)


@pytest.mark.parametrize(
    "text",
    [
        "5",
        "%",
        "$5%",
        "five%",
        "5 kg",
        "",
        "1.2.3%",
        "$1,250",
        "-$-5",
        "-$+5",
        ".%",
        "-$5%",
        "--5%",
    ],
)
def test_other_texts_are_no_such_numbers(text: str) -> None:
    assert measured_number(text) is None
    assert has_sign(text) is (text in {"1.2.3%", "$1,250"})  # enough to name what a column holds


def test_a_few_with_a_minus_or_without_a_whole_part_are_ordered_states() -> None:
    table = pl.DataFrame({"rate": [".5%", "-1%", "0.2%"], "balance": ["-$5", "$3", "-$10"]})
    assert [one.states for one in noisyor.read(table).variables] == [
        ("-1%", "0.2%", ".5%"),
        ("-$10", "-$5", "$3"),
    ]


def test_a_few_of_them_are_ordered_states() -> None:
    table = pl.DataFrame(
        {"discount": ["10%", "5%", "0%", "15%"], "price": ["$9", "$10", "$9", "$9"]}
    )
    data = noisyor.read(table)
    assert data.variables[0] == noisyor.Variable(
        "discount", ("0%", "5%", "10%", "15%"), ordered=True
    )
    assert data.variables[1].states == ("$9", "$10")
    mixed = noisyor.read(pl.DataFrame({"x": ["10%", "$5", "0%", "15%"]}))
    assert not mixed.variables[0].ordered


@pytest.mark.parametrize("other", ["5.0%", "5 %", "+5%"])
def test_the_same_number_in_two_notations_is_refused(other: str) -> None:
    table = pl.DataFrame({"discount": ["10%", "5%", other, "15%"]})
    with pytest.raises(noisyor.DataError, match="which differ only by notation; write them alike"):
        noisyor.read(table)


def test_many_of_them_are_named_for_what_they_are() -> None:
    table = pl.DataFrame(
        {"price": [f"${n},{n:03}.50" for n in range(1, 90)], "flu": [0, 1, 1] * 29 + [0, 1]}
    )
    with pytest.raises(noisyor.DataError, match="'price' has 89 different numbers with a sign"):
        noisyor.learn(table, quiet=True)


def test_describe_says_once_that_a_column_may_be_an_identifier(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 2}\n" for n in range(60))
    said = run("describe", write(tmp_path, "t.csv", "id,flu\n" + rows))
    assert (said.stderr + said.stdout).count("a different whole number in every record") == 1
