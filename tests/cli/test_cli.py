"""The command line: results on standard output, everything else on standard error."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from noisyor import __version__
from noisyor.cli import app, describe_command
from noisyor.cli.options import pairs, unique_pairs
from noisyor.cli.table_options import delimiter_character
from noisyor.core import SettingsError
from noisyor.data.examples import example_csv, expert_files
from tests.support.effort import HANGS_AFTER

COMMANDS = (
    *("describe", "binarize", "examples", "estimate", "learn", "score", "merge", "search"),
    *("show", "convert", "compare", "query", "sample", "report"),
)
NOISYOR = [sys.executable, "-c", "from noisyor.cli import main; main()"]

RAW = "id,age,colour\n1,20,red\n2,30,blue\n3,70,red\n"


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(
        app, [str(one) for one in arguments], input=stdin, prog_name="noisyor"
    )


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def refused(result: Result, message: str) -> None:
    """Check for an error that is one message: no result, no traceback, exit 2."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_without_arguments_it_prints_help() -> None:
    result = run()
    assert result.exit_code == 0
    for command in COMMANDS:
        assert command in result.stdout
    assert result.stderr == ""


def test_it_says_its_version() -> None:
    assert run("--version").stdout == f"noisyor {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_shows_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"noisyor {command}" in result.stdout.split("Examples:")[1]


@pytest.mark.parametrize(
    "arguments", [["nothing"], ["describe"], ["describe", "x", "--missing", "guess"], ["--bad"]]
)
def test_bad_usage_exits_2(arguments: list[str]) -> None:
    refused(run(*arguments), "--help'")


def test_describe_shows_variables_and_states(tmp_path: Path) -> None:
    result = run("describe", write(tmp_path, "t.csv", "a,b\nyes,0\nno,1\nyes,1\n"))
    assert result.exit_code == 0
    assert "2 variables, 3 records, 3 distinct" in result.stdout
    rows = [line.split("│")[1:-1] for line in result.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["a", "no", "yes", "2", "66.7%", ""],
        ["b", "0", "1", "2", "66.7%", ""],
    ]
    assert result.stderr == ""


def test_describe_shows_the_states_of_any_table(tmp_path: Path) -> None:
    rows = [
        f"{'no' if n % 4 else 'yes'},{('mild', 'none', 'severe')[n % 3]},d{n % 60}"
        for n in range(120)
    ]
    table = write(tmp_path, "t.csv", "\n".join(["flu,pain,place", *rows]))
    result = run("describe", table, "--order", "pain=none, mild,severe,extreme")
    assert result.exit_code == 0
    assert "3 variables, 120 records, 60 distinct" in result.stdout
    cells = [line.split("│")[1:-1] for line in result.stdout.splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in cells][:2] == [
        ["flu", "2", "", "no: 75.0%, yes: 25.0%", "present: yes", "flu"],
        [
            "pain",
            "4",
            "yes",
            "none: 33.3%, mild: 33.3%, severe: 33.3%, extreme: 0.0%",
            "never: extreme",
            "pain=mild, pain=none,",
        ],
    ]
    assert "d0: 1.7%, d1: 1.7%," in next(one[3] for one in cells if one[0].strip() == "place")
    assert any("and 50 more" in one[3] for one in cells)
    assert max(map(len, result.stdout.splitlines())) < 140
    document = json.loads(run("describe", table, "--json").stdout)
    assert [one["ordered"] for one in document["variables"]] == [True, False, False]
    assert document["variables"][1]["states"] == ["mild", "none", "severe"]
    assert sum(document["variables"][2]["counts"]) == 120


def test_a_state_with_a_comma_can_be_ordered(tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", 'a,b\n"no, never",0\nyes,1\n<=3,0\n')
    order = 'a="no, never",<=3,yes'
    document = json.loads(run("describe", table, "--order", order, "--json").stdout)
    assert document["variables"][0]["states"] == ["no, never", "<=3", "yes"]
    both = ("--order", order, "--order", "a=yes,no")
    refused(run("describe", table, *both), "--order is given twice for 'a', with different states")


def test_names_are_not_read_as_markup(tmp_path: Path) -> None:
    result = run("describe", write(tmp_path, "t.csv", "[red]a,b[/]\nyes,0\nno,1\n"))
    assert "[red]a" in result.stdout
    assert "b[/]" in result.stdout


def test_describe_as_json(tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", "a;b\nm;1\nf;1\nm;1\n")
    result = run("describe", table, "--present", "a=f", "--json", "--delimiter", ";")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["records"] == 3
    assert document["distinct"] == 2
    assert document["variables"] == [
        {
            "name": "a",
            "states": ["m", "f"],
            "ordered": True,
            "counts": [2, 1],
            "learn": "present: f",
            "binarize": ["a=f"],
        },
        {
            "name": "b",
            "states": ["0", "1"],
            "ordered": True,
            "counts": [0, 3],
            "learn": "constant: left out",
            "binarize": "constant: left out",
        },
    ]
    assert document["columns_left_out"] == {}
    assert document["refused"] == []
    assert len(document["warnings"]) == 1
    assert result.stderr == f"warning: {document['warnings'][0]}\n"


def test_a_constant_column_is_remarked_and_warned_of(tmp_path: Path) -> None:
    result = run("describe", write(tmp_path, "t.csv", "a,b\n1,0\n1,1\n"))
    assert result.exit_code == 0
    assert "constant" in result.stdout
    assert result.stderr.startswith("warning: ")
    assert result.stderr.count("\n") == 1


def test_describe_takes_any_table_and_says_what_becomes_of_each_column(tmp_path: Path) -> None:
    lines = [",patient,visit,age,colour,ward,empty"]
    for number in range(70):
        day = f"2024-{number // 28 + 1:02}-{number % 28 + 1:02}"
        colour = ("red", "green", "")[number % 3]
        lines.append(f"{number},P{number:03},{day},{number / 2},{colour},A,")
    table = write(tmp_path, "t.csv", "\n".join([*lines, ",,,,,,"][:-1]) + "\n")
    result = run("describe", table)
    assert result.exit_code == 0
    assert "patient has a different text in each record (70), as an identifier" in result.stdout
    assert "visit holds 70 different dates or times" in result.stdout
    assert "empty has no value in any record" in result.stdout
    assert "to leave them out: --drop patient --drop visit --drop empty" in result.stdout
    document = json.loads(run("describe", table, "--json").stdout)
    made = {one["name"]: (one["learn"], one["binarize"]) for one in document["variables"]}
    assert made == {
        "age": ("3 bins", ["age>17.2"]),
        "colour": ("present: green", ["colour=green"]),
        "ward": ("constant: left out", "constant: left out"),
    }
    assert document["columns_left_out"] == {"row names": [""]}
    assert [one["why"] for one in document["refused"]] == ["an identifier", "dates", "no value"]
    refused = run("learn", table, "--missing", "em")
    assert refused.exit_code == 2
    assert "--drop patient --drop visit" in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_dates_that_become_states_are_warned_of(tmp_path: Path) -> None:
    rows = [f"2024-0{1 + number % 3}-01 10:00,{number % 2}" for number in range(9)]
    table = write(tmp_path, "t.csv", "\n".join(["when,b", *rows]) + "\n")
    result = run("learn", table)
    assert result.exit_code == 0
    assert "column 'when' holds dates or times, which become 3 states" in result.stderr
    assert "--drop when" in result.stderr


def test_describe_counts_one_as_one(tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", "a,b\n1,0\n0,1\n,\n1,0\n")
    said = run("describe", table).stdout
    assert "2 cells (25.0%) missing, in 1 of 4 records; 1 record has no value at all" in said


def test_describe_reads_as_it_is_told(tmp_path: Path) -> None:
    table = write(tmp_path, "t.csv", "0\t1\n1\t0\n?\t1\n")
    options = ("--no-header", "--delimiter", "tab", "--missing", "drop", "--json")
    document = json.loads(run("describe", table, *options).stdout)
    assert document["records"] == 2
    assert len(document["variables"]) == 2
    with_header = json.loads(run("describe", table, "--header", *options[1:]).stdout)
    assert [variable["name"] for variable in with_header["variables"]] == ["0", "1"]


def test_describe_reads_standard_input() -> None:
    done = subprocess.run(
        [*NOISYOR, "describe", "-", "--format", "csv", "--json"],
        input=b"a,b\n1,0\n0,1\n",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["records"] == 2
    assert done.stderr == b""


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,0\n", ["--present", "a"], "--present is 'a'; it must look like COLUMN=VALUE"),
        ("a,b\n1,0\n", ["--present", "a=1", "--present", "a=0"], "given twice for 'a'"),
        ("a,b\n1,\n0,1\n", ["--missing", "error"], "--missing drop"),
        ("a,b\nx,0\nX,1\n", [], "differ only by case"),
        ("a,b\nx,0\ny,1\n", ["--order", "a=x"], "--order is 'a=x'; it must look like COLUMN="),
        ("a,b\nx,0\ny,1\n", ["--order", "a=x,z"], "has the value 'y', which its order (x, z)"),
        ("a,b\nx,0\ny,1\n", ["--order", "c=x,y"], "--order names the column 'c', which the"),
        ("", [], "t.csv"),
    ],
)
def test_bad_tables_are_refused(
    tmp_path: Path, text: str, options: list[str], message: str
) -> None:
    refused(run("describe", write(tmp_path, "t.csv", text), *options), message)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    refused(run("describe", tmp_path / "gone.csv"), "gone.csv")


def test_examples_are_listed() -> None:
    result = run("examples")
    assert result.exit_code == 0
    for name in ("appliance", "clinic", "pump", "car"):
        assert name in result.stdout


def test_one_example_is_told_about() -> None:
    result = run("examples", "clinic")
    assert "no leak" in result.stdout
    assert "flu, cold, pneumonia, migraine" in result.stdout


def test_an_example_is_written(tmp_path: Path) -> None:
    output = tmp_path / "clinic.csv"
    result = run("examples", "clinic", "-o", output)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"wrote {output}\n"
    assert output.read_bytes() == example_csv("clinic")


def test_the_model_of_an_expert_and_its_records_are_written(tmp_path: Path) -> None:
    assert "noisyor examples car -o car.xdsl" in run("examples", "car").stdout
    for suffix, content in expert_files("car").items():
        output = tmp_path / f"mine{suffix}"
        assert run("examples", "car", "-o", output).exit_code == 0
        assert output.read_bytes() == content
    refused(run("examples", "car", "-o", tmp_path / "car.net"), "for a file named *.xdsl")


def test_examples_refuse_what_they_cannot_do(tmp_path: Path) -> None:
    allowed = "appliance, clinic, pump, car"
    refused(run("examples", "zoo"), f"there is no example 'zoo'; allowed: {allowed}")
    refused(
        run("examples", "-o", tmp_path / "x.csv"), f"-o needs the name of an example: {allowed}"
    )
    refused(run("examples", "clinic", "-o", tmp_path), "it is a folder")


def test_binarize_writes_both_files_and_applies_them_again(tmp_path: Path) -> None:
    raw, output = write(tmp_path, "raw.csv", RAW), tmp_path / "out.csv"
    options = ("--drop", "id", "--threshold", "age=50", "--present", "colour=red")
    result = run("binarize", raw, "-o", output, *options)
    record = tmp_path / "out.binarize.json"
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == f"wrote {output} (3 records, 2 columns) and {record}\n"
    assert output.read_text() == "age>50,colour=red\n0,1\n0,0\n1,1\n"

    new = write(tmp_path, "new.csv", "colour,weight,age\nred,60,51\nblue,70,50\n")
    again = run("binarize", new, "-o", tmp_path / "new01.csv", "--apply", record)
    assert again.exit_code == 0
    assert "warning: the rules do not know these columns and leave them out: weight" in again.stderr
    assert (tmp_path / "new01.csv").read_text() == "age>50,colour=red\n1,1\n0,0\n"
    assert (tmp_path / "new01.binarize.json").read_bytes() == record.read_bytes()

    pink = write(tmp_path, "pink.csv", "colour,age\nred,10\npink,99\n")
    arguments = ("binarize", pink, "-o", tmp_path / "pink01.csv", "--apply", record)
    refused(run(*arguments), "column 'colour' has the value 'pink' in row 2")
    assert not (tmp_path / "pink01.csv").exists()
    assert run(*arguments, "--unknown", "absent").exit_code == 0
    assert (tmp_path / "pink01.csv").read_text() == "age>50,colour=red\n0,1\n1,0\n"


def test_binarize_reads_a_mapping_and_a_method(tmp_path: Path) -> None:
    raw = write(tmp_path, "raw.csv", RAW)
    mapping = {"columns": {"colour": {"present": ["red"]}, "id": {"one_against_rest": True}}}
    path = write(tmp_path, "map.json", json.dumps(mapping))
    refused(run("binarize", raw, "-o", tmp_path / "o.csv", "--mapping", path), "--drop id")
    options = ("--mapping", path, "--method", "mean")
    more = write(tmp_path, "more.csv", RAW + "3,40,blue\n")
    assert run("binarize", more, "-o", tmp_path / "o.csv", *options).exit_code == 0
    assert (tmp_path / "o.csv").read_text().splitlines() == [
        "id=1,id=2,id=3,age>40,colour=red",
        "1,0,0,0,1",
        "0,1,0,0,0",
        "0,0,1,1,1",
        "0,0,1,0,0",
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "raw.csv"], "would overwrite the input"),
        (["-o", "out.txt"], "its name must end in .csv"),
        (["-o", "o.csv", "--threshold", "age=old"], "--threshold has 'old'; it must be a number"),
        (["-o", "o.csv", "--threshold", "age=nan"], "the threshold of column 'age' is nan"),
        (["-o", "o.csv", "--threshold", "age=1", "--drop", "age"], "two contradictory choices"),
        (["-o", "o.csv", "--drop", "size"], "there is no column 'size'; the table has: id, age"),
        (["-o", "o.csv", "--unknown", "absent"], "it needs --apply"),
        (["-o", "o.csv", "--apply", "r.json", "--drop", "id"], "give no method or choice with"),
        (["-o", "o.csv", "--apply", "r.json", "--method", "median"], "give no method or choice"),
        (["-o", "o.csv", "--apply", "r.json"], "cannot read r.json"),
        (["-o", "o.csv", "--mapping", "m.json"], "cannot read m.json"),
    ],
)
def test_binarize_refuses_what_makes_no_sense(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "raw.csv", RAW)
    refused(run("binarize", "raw.csv", *options), message)
    assert [path.name for path in tmp_path.iterdir()] == ["raw.csv"]
    assert (tmp_path / "raw.csv").read_text() == RAW


def test_binarize_refuses_links_in_a_circle(tmp_path: Path) -> None:
    raw, circle = write(tmp_path, "raw.csv", RAW), tmp_path / "circle.csv"
    circle.symlink_to(circle)
    loop = "Too many levels of symbolic links"
    refused(run("binarize", circle, "-o", tmp_path / "out.csv"), loop)
    refused(run("binarize", raw, "-o", circle), loop)


def test_a_warning_of_the_library_is_one_line(tmp_path: Path) -> None:
    lines = [f"{i},{i % 2}" for i in range(30)]
    raw = write(tmp_path, "raw.csv", "id,x\n" + "\n".join(lines) + "\n")
    result = run("binarize", raw, "-o", tmp_path / "o.csv")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[0].startswith("warning: column 'id' has a different whole")
    assert len(result.stderr.splitlines()) == 2


def test_an_interruption_exits_as_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(describe_command, "read_usable", interrupted)
    result = run("describe", "x.csv")
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "interrupted\n"


def test_a_mistake_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(describe_command, "read_usable", broken)
    assert isinstance(run("describe", "x.csv").exception, ZeroDivisionError)


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_has_gone_is_no_error(tmp_path: Path, options: list[str]) -> None:
    table = tmp_path / "clinic.csv"
    table.write_bytes(example_csv("clinic"))
    receive, send = os.pipe()
    os.close(receive)
    with os.fdopen(send, "wb") as pipe:
        done = subprocess.run(
            [*NOISYOR, "describe", str(table), *options],
            stdout=pipe,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr == b""
    assert done.returncode == 1


def test_no_color_is_respected() -> None:
    forced = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    forced.pop("NO_COLOR", None)
    coloured, plain = (
        subprocess.run(
            [*NOISYOR, "--help"], env=environment, capture_output=True, text=True, check=True
        ).stdout
        for environment in (forced, {**forced, "NO_COLOR": "1"})
    )
    assert "\x1b[1;36m" in coloured
    assert "\x1b[1;36m" not in plain


def test_pairs_split_at_the_last_sign() -> None:
    assert pairs(["a=1", "b=c=2"], "--x") == [("a", "1"), ("b=c", "2")]
    assert pairs(None, "--x") == []
    for bad in ("a", "=1", "a="):
        with pytest.raises(SettingsError, match=f"--x is '{bad}'"):
            pairs([bad], "--x")
    assert unique_pairs(["a=1", "a=1"], "--x") == {"a": "1"}


def test_a_tab_can_be_spelt() -> None:
    assert [delimiter_character(text) for text in ("tab", r"\t", ";", None)] == [
        "\t",
        "\t",
        ";",
        None,
    ]


def test_completion_can_be_installed() -> None:
    assert "--install-completion" in run("--help").stdout


def test_help_says_the_exit_codes() -> None:
    said = " ".join(run("--help").stdout.split())
    assert "Exit codes: 0 done" in said
    assert "2 bad input" in said


def test_without_colour_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = write(tmp_path, "t.csv", "a,b\n0,1\n1,0\n")
    assert "\x1b[3" not in run("describe", path).stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
def test_a_full_disk_is_an_error_in_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "a,b\n0,1\n1,0\n")
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [*NOISYOR, "describe", str(path)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=HANGS_AFTER,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "error: cannot write the result: No space left on device\n"
