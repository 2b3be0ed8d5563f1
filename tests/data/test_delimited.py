"""What delimited text means: values, states, dialects, headers."""

from pathlib import Path

import pytest

from noisyor.core import DataError, SettingsError
from noisyor.core.variable_sets import MAX_VARIABLES
from noisyor.data import DataWarning, MissingPolicy, read, read_raw
from tests.data.tables import tally, written


def test_bits_without_header(tmp_path: Path) -> None:
    dataset = read(written(tmp_path, "0,1\n1,1\n0,1\n0,0\n"))
    assert dataset.names == ("X1", "X2")
    assert dataset.states == (("0", "1"), ("0", "1"))
    assert tally(dataset) == {(0, 1): 2, (1, 1): 1, (0, 0): 1}


@pytest.mark.parametrize(
    ("absent", "present", "states"),
    [
        ("0", "1", ("0", "1")),
        ("0.0", "1.0", ("0", "1")),
        (" 0", "1 ", ("0", "1")),
        ("false", "true", ("false", "true")),
        ("False", "True", ("false", "true")),
        ("FALSE", "TRUE", ("false", "true")),
        ("no", "Yes", ("no", "Yes")),
        ("N", "Y", ("N", "Y")),
        ("f", "t", ("f", "t")),
        ("Absent", "Present", ("Absent", "Present")),
        ('"no"', '"yes"', ("no", "yes")),
    ],
)
def test_accepted_values(
    tmp_path: Path, absent: str, present: str, states: tuple[str, str]
) -> None:
    text = f"a,b\n{absent},1\n{present},0\n{present},1\n"
    dataset = read(written(tmp_path, text))
    assert dataset.names == ("a", "b")
    assert dataset.states[0] == states
    assert tally(dataset) == {(0, 1): 1, (1, 0): 1, (1, 1): 1}


def test_spellings_of_one_value_count_as_one(tmp_path: Path) -> None:
    dataset = read(written(tmp_path, "a,b\nyes,1\nYES,01\n No,1.0\nno,0\n"))
    assert dataset.states == (("no", "yes"), ("0", "1"))
    assert tally(dataset) == {(1, 1): 2, (0, 1): 1, (0, 0): 1}


def test_a_late_odd_spelling_is_read_as_text(tmp_path: Path) -> None:
    rows = "0,1\n1,0\n" * 100_000
    dataset = read(written(tmp_path, rows + "1.0, 1\n"))
    assert tally(dataset) == {(0, 1): 100_000, (1, 0): 100_000, (1, 1): 1}


def test_present_states_which_value_counts(tmp_path: Path) -> None:
    path = written(tmp_path, "smoker,b\ncurrent,0\nnever,1\ncurrent,1\n")
    dataset = read(path, present={"smoker": "current"})
    assert dataset.states[0] == ("never", "current")
    assert tally(dataset) == {(1, 0): 1, (0, 1): 1, (1, 1): 1}
    other = read(path, present={"smoker": "never"})
    assert other.states[0] == ("current", "never")
    assert tally(other) == {(0, 0): 1, (1, 1): 1, (0, 1): 1}


@pytest.mark.parametrize("value", ["no", "NO"])
def test_present_reverses_an_accepted_column(tmp_path: Path, value: str) -> None:
    path = written(tmp_path, "alive,b\nno,0\nyes,1\nyes,0\n")
    dataset = read(path, present={"alive": value})
    assert dataset.states[0] == ("yes", "no")
    assert tally(dataset) == {(1, 0): 1, (0, 1): 1, (0, 0): 1}


def test_present_of_numbers(tmp_path: Path) -> None:
    dataset = read(written(tmp_path, "sex,b\n1,0\n2,1\n2,0\n"), present={"sex": "2"})
    assert dataset.states[0] == ("1", "2")
    assert tally(dataset) == {(0, 0): 1, (1, 1): 1, (1, 0): 1}


@pytest.mark.parametrize(
    ("value", "present", "states", "bit"),
    [
        ("yes", None, ("no", "yes"), 1),
        ("No", None, ("No", "Yes"), 0),
        ("0", None, ("0", "1"), 0),
        ("1", None, ("0", "1"), 1),
        ("no", "no", ("yes", "no"), 1),
        ("current", "current", ("not current", "current"), 1),
    ],
)
def test_constant_columns_are_kept_with_a_warning(
    tmp_path: Path, value: str, present: str | None, states: tuple[str, str], bit: int
) -> None:
    path = written(tmp_path, f"a,b\n{value},0\n{value},1\n")
    with pytest.warns(DataWarning, match="1 of 2 columns never changes: a; it says"):
        dataset = read(path, present={"a": present} if present else None)
    assert dataset.states[0] == states
    assert tally(dataset) == {(bit, 0): 1, (bit, 1): 1}


def test_a_single_record_is_kept_with_a_warning(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="single record"):
        dataset = read(written(tmp_path, "a,b\n0,1\n"))
    assert tally(dataset) == {(0, 1): 1}


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_missing_records_are_dropped_on_demand(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n0,1\nNA,1\n1,?\n1,0\n,\n")
    for policy in (MissingPolicy.DROP, "drop"):
        assert tally(read(path, missing=policy)) == {(0, 1): 1, (1, 0): 1}


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_a_value_seen_only_in_dropped_records_still_names_a_state(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\nx,1\nx,0\ny,\n")
    with pytest.warns(DataWarning, match="never changes: a"):
        dataset = read(path, missing="drop", present={"a": "x"})
    assert dataset.states[0] == ("y", "x")


@pytest.mark.parametrize(
    "text",
    [
        "a,b\r\n0,1\r\n1,0\r\n",
        "a,b\r0,1\r1,0\r",
        "a,b\n0,1\n1,0",
        "a,b\n0,1\n1,0\n\n\n",
        "a,b\r\n0,1\r\n1,0\r\n\r\n",
        "a,b\n0,1\n1,0\n  \n\n",
        "\ufeffa,b\n0,1\n1,0\n",
        "a;b\n0;1\n1;0\n",
        "a\tb\n0\t1\n1\t0\n",
        "a|b\n0|1\n1|0\n",
        "a b\n0 1\n1 0\n",
        "  a    b\n  0 \t 1  \n  1    0\n",
        '"a","b"\n"0","1"\n"1","0"\n',
        "'a','b'\n'0','1'\n'1','0'\n",
        "a, b\n0, 1\n1, 0\n",
        '"a", "b"\n"0", "1"\n"1", "0"\n',
    ],
)
def test_ways_to_write_the_same_table(tmp_path: Path, text: str) -> None:
    dataset = read(written(tmp_path, text))
    assert dataset.names == ("a", "b")
    assert tally(dataset) == {(0, 1): 1, (1, 0): 1}


def test_quoted_cells_may_hold_delimiters_quotes_and_line_breaks(tmp_path: Path) -> None:
    text = '"a,1","b\nc","say ""x"""\n"no, never",0,1\n"yes,\nnow",1,"0"\n'
    dataset = read(written(tmp_path, text), present={"a,1": "yes,\nnow"})
    assert dataset.names == ("a,1", "b\nc", 'say "x"')
    assert dataset.states[0] == ("no, never", "yes,\nnow")
    assert tally(dataset) == {(0, 0, 1): 1, (1, 1, 0): 1}


def test_doubled_quotes_inside_values(tmp_path: Path) -> None:
    text = 'a,b\n"5"" nail",0\n"6"" nail",1\n'
    assert read(written(tmp_path, text), present={"a": '6" nail'}).states[0] == (
        '5" nail',
        '6" nail',
    )


def test_bare_quotes_inside_cells_are_kept(tmp_path: Path) -> None:
    text = 'a,b\n5" nail,0\n6" nail,1\n'
    assert read(written(tmp_path, text), present={"a": '6" nail'}).states[0] == (
        '5" nail',
        '6" nail',
    )


def test_no_quoting(tmp_path: Path) -> None:
    path = written(tmp_path, 'a,b\n"x,0\n"y,1\n')
    dataset = read(path, quote="", present={"a": '"y'})
    assert dataset.states[0] == ('"x', '"y')


def test_names_are_kept_as_they_are(tmp_path: Path) -> None:
    names = ("=SUM(A1)", "<script>alert(1)</script>", "@x", "-1+1", "naïve 名")
    dataset = read(written(tmp_path, ",".join(names) + "\n0,1,0,1,0\n1,0,1,0,1\n"))
    assert dataset.names == names


def test_one_column(tmp_path: Path) -> None:
    assert tally(read(written(tmp_path, "a\n0\n1\n1\n\n"))) == {(0,): 1, (1,): 2}
    assert tally(read(written(tmp_path, "a b\nyes\nno\nyes\n"))) == {(0,): 1, (1,): 2}


@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
def test_in_one_column_a_blank_line_is_a_missing_value(tmp_path: Path) -> None:
    path = written(tmp_path, "a\n0\n\n1\n\n")
    with pytest.raises(DataError, match=r"missing in 1 of 3 records, by column: 'a' 1"):
        read(path)
    assert tally(read(path, missing="drop")) == {(0,): 1, (1,): 1}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1\n1,0\n", ("X1", "X2")),
        ("1,1\n0,0\n", ("X1", "X2")),  # the vocabulary counts, not the value itself
        ("yes,0\nno,1\n", ("X1", "X2")),
        ("1,2,3\n0,1,0\n1,0,1\n", ("1", "2", "3")),  # 2 and 3 are not values
        ("y,t\n0,1\n1,0\n", ("y", "t")),  # words, but of other pairs
        ("t,y\nt,y\nf,n\n", ("X1", "X2")),
        ("x,0\ny,1\nx,1\n", ("X1", "X2")),  # x occurs again
        ("x,0\ny,1\nz,1\ny,0\n", ("x", "0")),
        ("NA,0\n1,1\n0,0\n", ("X1", "X2")),
        ("a,\n0,1\n1,0\n", None),
    ],
)
@pytest.mark.filterwarnings("ignore:.* left out:noisyor.DataWarning")
@pytest.mark.filterwarnings("ignore:.*rarer one is taken:noisyor.DataWarning")
def test_header_is_found(tmp_path: Path, text: str, names: tuple[str, ...] | None) -> None:
    path = written(tmp_path, text)
    if names is None:
        with pytest.raises(DataError):
            read(path, missing="drop")
    else:
        assert read(path, missing="drop").names == names


def test_header_can_be_set(tmp_path: Path) -> None:
    path = written(tmp_path, "t,y\nt,y\nf,n\nf,y\n")
    assert read(path, header=True).names == ("t", "y")
    assert read(path, header=True).record_count == 3
    assert read(path, header=False).record_count == 4


def test_a_single_line(tmp_path: Path) -> None:
    with pytest.warns(DataWarning, match="single record"):
        assert read(written(tmp_path, "0,1,yes\n")).names == ("X1", "X2", "X3")
    with pytest.raises(DataError, match="the table has no records; at least one is needed"):
        read(written(tmp_path, "a,b\n"))
    with pytest.raises(DataError, match="the table has no records; at least one is needed"):
        read(written(tmp_path, "0,1\n"), header=True)


def test_the_delimiter_can_be_set(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b;c\n0,1;0\n1,0;1\n")
    with pytest.raises(DataError, match=r"may be ',' or ';'.*set it, such as delimiter=','"):
        read(path)
    path = written(tmp_path, "a:b\n0:1\n1:0\n")
    assert read(path, delimiter=":").names == ("a", "b")
    path = written(tmp_path, "a\tb\n0\t1\n1\t0\n")
    assert read(path, delimiter="tab").names == read(path, delimiter="\t").names == ("a", "b")
    for bad in ("ab", "", "0", '"', "\n"):
        with pytest.raises(SettingsError, match="cannot separate cells; allowed"):
            read(path, delimiter=bad)
    with pytest.raises(SettingsError, match="cannot enclose cells; allowed"):
        read(path, quote="ab")


def test_the_suffix_decides_between_delimiters_that_fit(tmp_path: Path) -> None:
    path = written(tmp_path, "a,1\tb\nx,y\t1\ny,x\t0\n", "table.tsv")
    dataset = read(path, present={"a,1": "y,x"})
    assert dataset.names == ("a,1", "b")


def test_raw_tables_have_numbers_and_text(tmp_path: Path) -> None:
    path = written(tmp_path, "age,bmi,who,x\n37, 21.5,Ann,?\n41,NA,Bob,1\n,20,  ,0\n")
    table = read_raw(path)
    assert table.to_dict(as_series=False) == {
        "age": [37, 41, None],
        "bmi": [21.5, None, 20.0],
        "who": ["Ann", "Bob", None],
        "x": [None, 1, 0],
    }


def test_raw_tables_without_header(tmp_path: Path) -> None:
    table = read_raw(written(tmp_path, "5.1,3.5,a\n4.9,3.0,b\n4.7,3.2,a\n"))
    assert table.columns == ["X1", "X2", "X3"]
    assert table.shape == (3, 3)


def test_raw_tables_are_checked_too(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"row 2 \(line 3\) has 1 cells; each row needs 2"):
        read_raw(written(tmp_path, "a,b\n5,x\n6\n7,y\n"))
    table = read_raw(written(tmp_path, 'a,b\n"x ""y""",1\n"z\n,",2\n'))
    assert table["a"].to_list() == ['x "y"', "z\n,"]


def test_raw_tables_need_names_that_differ_but_may_be_wide(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns 1 and 2 are both named 'a'"):
        read_raw(written(tmp_path, "a,a\n5,6\n7,8\n"))
    with pytest.raises(DataError, match="column 2 has an empty name"):
        read_raw(written(tmp_path, "a,\n5,6\n7,8\n"))
    wide = MAX_VARIABLES + 100
    names = [f"v{position}" for position in range(wide)]
    row = ",".join(map(str, range(wide)))
    assert read_raw(written(tmp_path, f"{','.join(names)}\n{row}\n")).columns == names
    names[-1] = "v0"
    with pytest.raises(DataError, match="2 columns are named 'v0'; names must differ"):
        read_raw(written(tmp_path, f"{','.join(names)}\n{row}\n"))
