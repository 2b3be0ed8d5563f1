"""Which value means present: of one column, of all that have it, or as a network has it."""

import warnings
from pathlib import Path

import polars as pl
import pytest

import noisyor
from noisyor.cli.flags import in_flags
from noisyor.core.state_words import PAIRS
from noisyor.data.values import TRUTHS
from tests.cli.test_cli import run

FRAME = pl.DataFrame(
    {
        "fever": ["tak", "nie", "tak", "nie"],
        "cough": ["nie", "tak", "tak", "nie"],
        "sex": ["f", "m", "m", "f"],
        "age": ["old", "young", "middle", "old"],
        "seen": ["no", "yes", "yes", "no"],
    }
)


def test_one_value_for_every_column_that_has_it() -> None:
    data = noisyor.read(FRAME, present={"*": "tak", "sex": "f"})
    states = dict(zip(data.names, data.states, strict=True))
    assert states["fever"] == states["cough"] == ("nie", "tak")
    assert states["sex"] == ("m", "f")
    assert states["seen"] == ("no", "yes")
    assert states["age"] == ("middle", "old", "young")


def test_a_value_that_no_column_has_is_refused() -> None:
    with pytest.raises(noisyor.DataError, match=r"present=\{'\*': 'oui'\} .* none of them has"):
        noisyor.read(FRAME, present={"*": "oui"})


def test_open_columns_are_named_in_one_warning_with_what_to_write() -> None:
    with pytest.warns(noisyor.DataWarning, match="2 columns have two values") as caught:
        noisyor.read(FRAME.select("fever", "sex"))
    (said,) = [str(one.message) for one in caught]
    assert "present={'fever': 'tak', 'sex': 'm'}" in said
    with pytest.warns(noisyor.DataWarning) as caught:
        noisyor.read(FRAME.select("fever", "cough"))
    assert "present={'*': 'tak'}" in str(caught[0].message)


@pytest.mark.parametrize("missing", ["drop", "state"])
@pytest.mark.parametrize(("female", "male", "present"), [(3, 5, "f"), (5, 3, "m"), (4, 4, "m")])
def test_the_rarer_of_two_texts_means_present(
    female: int, male: int, present: str, missing: str
) -> None:
    sex = ["f"] * female + ["m"] * male
    frame = pl.DataFrame({"sex": sex, "seen": [*["no", "yes"] * 3, "no", "yes"]})
    with pytest.warns(noisyor.DataWarning, match=f"rarer one is taken: .*'sex': '{present}'"):
        data = noisyor.read(frame, missing=missing)
    assert data.states[0][1] == present
    assert data.state_counts(0)[1] == {"f": female, "m": male}[present]
    assert noisyor.binarize(frame)[0].columns[0] == f"sex={present}"  # the same
    with_gaps = frame.vstack(pl.DataFrame({"sex": ["f"] * 3, "seen": [None] * 3}))
    with pytest.warns(noisyor.DataWarning):
        data = noisyor.read(with_gaps, missing=missing)
    counts = {"f": female + 3 * (missing == "state"), "m": male}
    assert data.states[0][1] == ("f" if counts["f"] < counts["m"] else "m")


@pytest.mark.parametrize("pair", PAIRS)
def test_pairs_that_are_known_mean_the_same_everywhere(pair: tuple[str, str]) -> None:
    absent, present = (word.capitalize() for word in pair)
    frame = pl.DataFrame(
        {"x": [absent, present, absent, present], "y": [present, present, absent, absent]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = noisyor.read(frame).states
        table, rules = noisyor.binarize(frame)
    assert table.columns == ["x", "y"]
    labels = pair if pair == TRUTHS else (absent, present)
    assert found == (labels, labels)
    assert {rule.states for rule in rules.rules} == {pair}


def test_all_wrong_values_are_named_at_once() -> None:
    with pytest.raises(noisyor.DataError, match=r"'fever' never has .*; column 'sex' never has"):
        noisyor.read(FRAME, present={"fever": "yes", "sex": "yes", "cough": "tak"})


def test_a_network_gives_the_states_of_its_variables(tmp_path: Path) -> None:
    wished = {"*": "tak", "sex": "f"}
    network = noisyor.learn(FRAME.drop("age"), present=wished, quiet=True).best
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = noisyor.read(FRAME, order=network)
    assert data.states[:3] == (("nie", "tak"), ("nie", "tak"), ("m", "f"))
    table, model = tmp_path / "table.csv", tmp_path / "model.xdsl"
    FRAME.write_csv(table)
    noisyor.write_network(network, model)
    result = run("describe", table, "--order", model)
    assert result.exit_code == 0
    assert "warning" not in result.stderr


def test_learn_takes_what_read_takes() -> None:
    learned = noisyor.learn(
        FRAME, present={"*": "tak", "sex": "f"}, order={"age": ["young", "middle", "old"]},
        drop=["seen"], quiet=True,
    )  # fmt: skip
    assert learned.credible.names == ("fever", "cough", "sex", "age")
    with pytest.raises(noisyor.SettingsError, match="are for tables that are read"):
        noisyor.learn(noisyor.read(FRAME, present={"*": "tak", "sex": "f"}), drop=["sex"])


@pytest.mark.parametrize(
    ("python", "flags"),
    [
        ('use missing="drop" here', "use --missing drop here"),
        ("with drop=['']", "with --drop ''"),
        ("drop=['a b', \"it's\"].", "--drop 'a b' --drop 'it'\"'\"'s'."),
        ("present={'*': 'ja', 'a=b': 'x'}", "--present '*=ja' --present a=b=x"),
        ("order={'pain': ['low', 'a,b']}", "--order 'pain=low,\"a,b\"'"),
        ("(order={'pain': [...]})", "(--order pain=...)"),
        ("bins='none' or bins=4", "--bins none or --bins 4"),
        ("with forgiving=True, header=False", "with --forgiving, --no-header"),
        ("out, choices={'a b': Drop()}, or", "out, --drop 'a b', or"),
        ("give choices={'age': Above(...)}", "give --threshold age=..."),
        ("allow more memory (most_bytes)", "allow more memory (--memory-limit)"),
        ("drop=CUT and present={broken", "drop=CUT and present={broken"),
        ("drop names the column 'x'", "--drop names the column 'x'"),
    ],
)
def test_the_command_line_speaks_flags(python: str, flags: str) -> None:
    assert in_flags(python) == flags


@pytest.mark.parametrize("name", ["drop={[]: 1}", "drop={" + "-" * 100_000 + "1}", "order={'a': 1"])
def test_names_that_look_like_options_stay_as_they_are(name: str) -> None:
    """Messages have names that the user chose; what is no literal of Python is no option."""
    message = f"the column {name} has no value"
    assert in_flags(message) == message
