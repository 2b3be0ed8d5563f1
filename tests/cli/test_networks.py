"""The commands about networks in files, and the files that learning leaves for them."""

import json
import warnings
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import noisyor
from noisyor.cli.sample_command import sampled_frame
from noisyor.core import Family, Network, Provenance, Structure, Variable
from noisyor.core.relations import relation_named
from noisyor.core.variable import variables_of
from noisyor.interop.network_files import read_network, write_network
from noisyor.networks import sample_codes, sample_dataset, sample_records
from tests.cli.test_cli import refused, run
from tests.formats.test_xdsl_editing import PUMP

TRUTH = noisyor.example_truth("clinic")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the clinic's records, its best network, and its credible set."""
    folder = tmp_path_factory.mktemp("clinic")
    assert run("examples", "clinic", "-o", folder / "clinic.csv").exit_code == 0
    best, run_folder = folder / "best.json", folder / "run"
    learned = run(
        "learn",
        folder / "clinic.csv",
        "--paper",
        "--quiet",
        "--best",
        best,
        "-o",
        run_folder,
        "--json",
    )
    assert learned.exit_code == 0, learned.output
    assert f"wrote the best network to {best}" in learned.stderr
    assert f"wrote {run_folder}; the report is {run_folder / 'report.html'}" in learned.stderr
    return folder


def said_by(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_learning_leaves_the_best_network_with_its_origin(clinic: Path) -> None:
    data = noisyor.load_example("clinic")
    network = read_network(clinic / "best.json")
    assert network == noisyor.learn(data, relations="paper").best_network()
    assert network.provenance.data == data.fingerprint()
    assert network.provenance.setting("bayes_factor") == "20.0"


def test_learning_refuses_a_file_that_it_cannot_write_before_it_begins(clinic: Path) -> None:
    best = clinic / "no" / "x.json"
    refused(run("learn", clinic / "clinic.csv", "--best", best), "does not exist")
    assert not (clinic / "no").exists()


def test_one_variable_is_not_several(tmp_path: Path) -> None:
    coin = Network.from_tables([Variable("coin")], [()], [[0.5, 0.5]], Provenance("test"))
    noisyor.write_network(coin, tmp_path / "coin.json")
    assert run("show", tmp_path / "coin.json").stdout.startswith("1 variable, 0 edges, 0 noisy-ORs")


def test_a_network_is_shown(clinic: Path) -> None:
    result = run("show", clinic / "best.json")
    assert result.exit_code == 0
    assert "11 variables, 15 edges, 6 noisy-ORs, cost 3766.9314" in result.stdout
    assert "from 1000 records" in result.stdout
    assert "flu, cold, pneumonia" in result.stdout


def test_json_says_the_parameters(clinic: Path) -> None:
    said = said_by("show", clinic / "best.json")
    network = read_network(clinic / "best.json")
    assert said["variables"] == 11
    assert said["cost"] == network.cost
    fever = said["nodes"][5]
    assert (fever["name"], fever["relation"]) == ("fever", "noisy-or")
    assert fever["parents"] == ["flu", "cold", "pneumonia"]
    q = network.distributions[5].parameters().tolist()
    assert list(fever["strengths"].values()) == pytest.approx([1 - one for one in q])
    assert said["nodes"][0]["chances"] == network.distributions[0].expand().present.tolist()


def test_a_node_is_shown_with_its_strengths_or_its_table(clinic: Path) -> None:
    shown = run("show", clinic / "best.json", "--node", "sneezing").stdout
    assert "noisy-or" in shown
    assert "Markov blanket: cold, allergy" in shown
    assert "0.838861" in shown
    table = run("show", clinic / "best.json", "--node", "flu").stdout
    assert "P(yes)" in table
    assert "0.208" in table


def test_configurations_that_no_record_had_are_marked(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("a,b,c\n" + "0,0,0\n0,1,1\n1,0,1\n" * 5, encoding="utf-8")
    structure = noisyor.Structure.from_edges(["a", "b", "c"], [("a", "c"), ("b", "c")])
    network = noisyor.fit_network(noisyor.read(data), structure)
    write_network(network, tmp_path / "m.json")
    shown = run("show", tmp_path / "m.json", "--node", "c").stdout
    assert shown.count("never seen") == 1


def test_records_explain_a_noisy_or(clinic: Path) -> None:
    arguments = (
        "show",
        clinic / "best.json",
        "--node",
        "sneezing",
        "--data",
        clinic / "clinic.csv",
    )
    shown = run(*arguments)
    assert shown.exit_code == 0, shown.output
    assert "cold brings about sneezing with probability 0.84 (0." in shown.stdout
    assert "the full table on the same parents costs" in shown.stdout
    causes = said_by(*arguments)["explanation"]["causes"]
    assert [one["cause"] for one in causes] == ["cold", "allergy"]
    for one in causes:
        assert one["lower"] < one["strength"] < one["upper"]


def test_a_full_table_has_nothing_to_explain(clinic: Path) -> None:
    records = clinic / "clinic.csv"
    result = run("show", clinic / "best.json", "--node", "flu", "--data", records)
    assert result.exit_code == 0
    assert "'flu' is a full table" in result.stderr
    assert "P(yes)" in result.stdout
    refused(
        run("show", clinic / "best.json", "--node", "flu", "--data", clinic / "none.csv"),
        "there is no such file",
    )


def test_other_records_are_noticed(clinic: Path, tmp_path: Path) -> None:
    rest = tmp_path / "rest.csv"
    lines = (clinic / "clinic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    rest.write_text("".join(lines[:900]), encoding="utf-8")
    result = run("show", clinic / "best.json", "--node", "fever", "--data", rest)
    assert result.exit_code == 0, result.output
    assert "made from other records" in result.stderr
    rest.write_text("a\n0\n1\n", encoding="utf-8")
    refused(
        run("show", clinic / "best.json", "--node", "fever", "--data", rest), "no column for flu"
    )


def test_what_show_refuses(clinic: Path) -> None:
    refused(
        run("show", clinic / "best.json", "--data", clinic / "clinic.csv"), "name it with --node"
    )
    refused(run("show", clinic / "best.json", "--node", "x"), "no variable 'x'")
    refused(run("show", clinic / "run" / "networks.json", "--node", "flu"), "a single network")


def test_a_credible_set_is_shown(clinic: Path) -> None:
    shown = run("show", clinic / "run" / "networks.json").stdout
    assert "9 different networks, of a credible set of 9 (Bayes factor 20" in shown
    assert "11 variables, 15 edges" in shown
    assert len(said_by("show", clinic / "run" / "networks.json")["members"]) == 9


def test_names_with_brackets_are_shown_as_they_are(tmp_path: Path) -> None:
    structure = noisyor.Structure(("[bold]", "[/x]"), (noisyor.Family(0, 0), noisyor.Family(1, 1)))
    network = noisyor.Network(
        structure,
        variables_of(structure.names, (("[no]", "[yes]"),) * 2),
        (noisyor.Cpt.binary([0.5]), noisyor.Cpt.binary([0.5, 0.25])),
        None,
        noisyor.Provenance("0"),
    )
    write_network(network, tmp_path / "m.json")
    for extra in ((), ("--node", "[/x]")):
        shown = run("show", tmp_path / "m.json", *extra)
        assert shown.exit_code == 0, shown.output
        assert "[bold]" in shown.stdout
        assert "[yes]" in shown.stdout


def test_convert_there_and_back(clinic: Path, tmp_path: Path) -> None:
    xdsl, back = tmp_path / "m.xdsl", tmp_path / "back.json"
    assert run("convert", clinic / "best.json", xdsl).exit_code == 0
    assert "<noisymax" in xdsl.read_text(encoding="utf-8")
    result = run("convert", xdsl, back)
    assert f"wrote {back} (noisyor's own, lossless)" in result.stderr
    assert read_network(back) == read_network(clinic / "best.json")


def test_convert_warns_of_what_it_cannot_keep(clinic: Path, tmp_path: Path) -> None:
    result = run("convert", clinic / "best.json", tmp_path / "m.bif")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning: ")
    assert "'fever'" in result.stderr


def test_convert_by_name(clinic: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.txt"
    assert run("convert", clinic / "best.json", path, "--to", "modelstring").exit_code == 0
    assert "[fever|flu:cold:pneumonia]" in path.read_text(encoding="utf-8")
    refused(run("convert", clinic / "best.json", path), "each also with .gz: .json")
    refused(run("convert", clinic / "best.json", path, "--to", "x"), "no format 'x'")


def test_compare_with_the_truth(clinic: Path, tmp_path: Path) -> None:
    write_network(TRUTH, tmp_path / "truth.xdsl")
    said = said_by("compare", tmp_path / "truth.xdsl", clinic / "best.json")
    truth, learned = (
        set(TRUTH.structure.edges()),
        set(read_network(clinic / "best.json").structure.edges()),
    )
    assert {tuple(edge) for edge in said["shared"]} == truth & learned
    assert said["edges"]["shd"] == len(truth ^ learned)
    shown = run("compare", tmp_path / "truth.xdsl", clinic / "best.json").stdout
    assert f"structural Hamming distance {said['edges']['shd']}" in shown


def test_differences_are_listed(clinic: Path, tmp_path: Path) -> None:
    network = read_network(clinic / "best.json")
    families = list(network.structure.families)
    distributions = list(network.distributions)
    families[7], distributions[7] = noisyor.Family(7, 0), noisyor.Cpt.binary([0.5])
    other = noisyor.Network(
        noisyor.Structure(network.names, tuple(families)),
        network.variables,
        tuple(distributions),
        None,
        network.provenance,
    )
    write_network(other, tmp_path / "other.json")
    shown = run("compare", clinic / "best.json", tmp_path / "other.json").stdout
    assert "structural Hamming distance 2" in shown
    assert "allergy -> sneezing" in shown


def test_samples_have_the_names_and_labels_of_the_network(clinic: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    result = run("sample", clinic / "best.json", "-n", "50", "-o", path, "--seed", "3")
    assert result.exit_code == 0, result.output
    assert f"wrote 50 records to {path}" in result.stderr
    frame = pl.read_csv(path)
    network = read_network(clinic / "best.json")
    expected = sample_records(network, 50, seed=3)
    assert tuple(frame.columns) == network.names
    assert (frame == "yes").to_numpy().tolist() == expected.tolist()


def test_samples_go_to_standard_output_too(clinic: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    run("sample", clinic / "best.json", "-n", "5", "-o", path)
    assert run("sample", clinic / "best.json", "-n", "5").stdout == path.read_text(encoding="utf-8")


def test_samples_as_parquet_and_with_tabs(clinic: Path, tmp_path: Path) -> None:
    for name in ("s.parquet", "s.tsv"):
        assert run("sample", clinic / "best.json", "-n", "20", "-o", tmp_path / name).exit_code == 0
    tabs = pl.read_csv(tmp_path / "s.tsv", separator="\t")
    assert pl.read_parquet(tmp_path / "s.parquet").equals(tabs)


def test_samples_can_be_learned_from(clinic: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    run("sample", clinic / "best.json", "-n", "500", "-o", path)
    said = said_by("learn", path, "--quiet")
    assert said["complete"] is True
    assert said["variables"] == 11


def test_what_sample_refuses(clinic: Path, tmp_path: Path) -> None:
    refused(
        run("sample", clinic / "best.json", "-o", tmp_path / "s.x"), "allowed: .csv, .tsv, .parquet"
    )
    refused(run("sample", clinic / "best.json", "-n", "-1"), "-1 records")
    refused(run("sample", clinic / "run" / "networks.json"), "credible set")
    refused(run("sample", clinic / "none.json"), "No such file")


def test_samples_of_more_than_two_states_have_their_labels() -> None:
    network = Network.from_tables(
        (Variable("size", ("s", "m", "l")), Variable("late", ("no", "yes"))),
        ((), (0,)),
        ([0.2, 0.5, 0.3], [[0.9, 0.1], [0.4, 0.6], [1.0, 0.0]]),
        Provenance("test"),
    )
    frame = sampled_frame(network, 500, 4)
    codes = sample_codes(network, 500, seed=4)
    assert frame["size"].to_list() == [("s", "m", "l")[code] for code in codes[:, 0].tolist()]
    assert set(frame.filter(pl.col("size") == "l")["late"]) == {"no"}


@pytest.mark.parametrize("name", ["s.parquet", "s.dat"])
def test_samples_keep_ordered_states(tmp_path: Path, name: str) -> None:
    variables = (
        Variable("size", ("0", "1", "2", "3"), ordered=True),
        Variable("late", ("no", "yes")),
        Variable("side", ("left", "right")),
    )
    network = Network.from_tables(
        variables, ((), (), ()), ([0.2, 0.5, 0.3, 0.0], [0.9, 0.1], [0.5, 0.5]), Provenance("test")
    )
    write_network(network, tmp_path / "net.json")
    assert run("sample", tmp_path / "net.json", "-n", "200", "-o", tmp_path / name).exit_code == 0
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "1 column has two values of which neither")
        dataset = noisyor.read(tmp_path / name)
    assert dataset.variables == variables
    assert dataset == sample_dataset(network, 200, seed=0)


@pytest.mark.parametrize("state", ["not red", "#1", "?", 'a"b'])
def test_a_dat_file_has_words_only(tmp_path: Path, state: str) -> None:
    network = Network.from_tables(
        (Variable("colour", ("red", state)),), ((),), ([0.2, 0.8],), Provenance("test")
    )
    write_network(network, tmp_path / "net.json")
    result = run("sample", tmp_path / "net.json", "-o", tmp_path / "s.dat")
    refused(result, f"a state of 'colour' is {state!r}; in a .dat file")
    assert not (tmp_path / "s.dat").exists()


def test_records_are_read_with_the_states_of_the_network(tmp_path: Path) -> None:
    pairs = [("left", "yes")] * 40 + [("left", "no")] * 30 + [("right", "no")] * 20
    rows = [f"p{place},{side},{fever}" for place, (side, fever) in enumerate(pairs)]
    table, model = tmp_path / "t.csv", tmp_path / "model.json"
    table.write_text("\n".join(["id,side,fever", *rows]), encoding="utf-8")
    data = noisyor.read(table, drop=["id"], order={"side": ["right", "left"]})
    families = (Family(0, 0), Family(1, 1, relation_named("noisy-or")))
    write_network(noisyor.fit_network(data, Structure(data.names, families)), model)
    shown = run("show", model, "--node", "fever", "--data", table, "--drop", "id", "--json")
    assert shown.exit_code == 0, shown.output
    assert shown.stderr == ""
    assert "explanation" in json.loads(shown.stdout)
    ignored = run("show", model, "--node", "fever", "--data", table, "--json")
    assert ignored.stderr == ("warning: columns that the network does not have are ignored: id\n")
    assert ignored.stdout == shown.stdout
    table.write_text(table.read_text(encoding="utf-8") + "\np90,middle,no\n", encoding="utf-8")
    refused(
        run("show", model, "--node", "fever", "--data", table, "--drop", "id"),
        f"{table}: column 'side' has the value 'middle', which is no state of that variable",
    )
    refused(
        run("show", model, "--node", "fever", "--data", table, "--drop", "id", "--drop", "side"),
        "the table has no column for side",
    )
    refused(run("show", model, "--drop", "id"), "are for the records of --data")


def test_causes_of_any_relation_are_shown_in_words(tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    lines = ["no,yes"] * 46 + ["no,no"] * 54 + ["yes,yes"] * 10 + ["yes,no"] * 90
    data.write_text("vaccine,infection\n" + "\n".join(lines) + "\n", encoding="utf-8")
    families = (noisyor.Family(0, 0), noisyor.Family(1, 0b01, noisyor.SIGNED_NOISY_OR))
    structure = noisyor.Structure(("vaccine", "infection"), families)
    write_network(noisyor.fit_network(noisyor.read(data), structure), tmp_path / "m.json")
    assert "1 signed noisy-OR" in run("show", tmp_path / "m.json").stdout
    arguments = ("show", tmp_path / "m.json", "--node", "infection")
    assert "no vaccine brings about infection" in run(*arguments).stdout
    shown = run(*arguments, "--data", data).stdout
    assert "no vaccine brings about infection with probability 0.40 (0.28 to 0.51)" in shown
    said = said_by(*arguments, "--data", data)
    assert said["nodes"][1]["strengths"]["vaccine"]["no"] == pytest.approx(0.4, abs=1e-5)
    assert said["nodes"][1]["leak"] == pytest.approx(0.1, abs=1e-5)
    (cause,) = said["explanation"]["causes"]
    assert (cause["cause"], cause["effect"]) == ("no vaccine", "infection")


def test_states_are_grouped_into_two(tmp_path: Path) -> None:
    survey = Network.from_tables(
        [Variable("age", ("young", "adult, old", "old")), Variable("education", ("high", "uni"))],
        [(), (0,)],
        [[0.3, 0.5, 0.2], [[0.75, 0.25], [0.72, 0.28], [0.88, 0.12]]],
        Provenance("by hand"),
    )
    write_network(survey, tmp_path / "survey.json")
    given = ("convert", tmp_path / "survey.json", tmp_path / "binary.json")
    wanted = noisyor.binarize_network(survey, {"age": ["young", "adult, old"]})
    assert run(*given, "--group", 'age=young,"adult, old"').exit_code == 0
    assert read_network(tmp_path / "binary.json").distributions == wanted.distributions
    first = noisyor.binarize_network(survey, {"age": ["old"]}, weights="first")
    assert run(*given, "--group", "age=old", "--weights", "first").exit_code == 0
    assert read_network(tmp_path / "binary.json").distributions == first.distributions
    refused(run(*given, "--group", "education=uni"), "say which of them become present")
    refused(run(*given, "--group", "age"), "must look like NAME=STATE,...")
    refused(run(*given, "--group", "age=old", "--group", "age=young"), "given twice for 'age'")
    refused(run(*given, "--group", "age=ancient"), "no state 'ancient'")
    refused(run(*given, "--weights", "first"), "for the rows that --group merges")


def test_titles_of_a_drawing_are_shown_and_its_file_comes_back(tmp_path: Path) -> None:
    drawn = tmp_path / "pump.xdsl"
    drawn.write_text(PUMP, encoding="utf-8", newline="")
    shown = run("show", drawn)
    assert "How worn <out>?" in shown.stdout
    assert "None, Some, Much" in shown.stdout
    assert "(decision: 'Stop')" in shown.stderr
    nodes = said_by("show", drawn)["nodes"]
    assert nodes[0]["title"] == "How worn <out>?"
    assert "title" not in nodes[1]
    posteriors = said_by("query", drawn, "Noise", "Alarm")["posteriors"]
    assert [*posteriors["Noise"]] == ["Loud", "Low", "Silent"]  # as the file lists them
    for target in ("copy.json", "copy.xdsl"):
        assert run("convert", drawn, tmp_path / target).exit_code == 0
        drawn = tmp_path / target
    assert drawn.read_bytes() == PUMP.encode()


def test_rows_off_by_rounding_are_read_if_the_command_forgives_them(tmp_path: Path) -> None:
    path, target = tmp_path / "a.bif", tmp_path / "a.net"
    path.write_text(
        "network x { }\nvariable a { type discrete [ 3 ] { lo, mid, hi }; }\n"
        "probability ( a ) { table 0.25, 0.25, 0.498; }\n"
    )
    for command in (("show", path), ("query", path), ("convert", path, target), ("sample", path)):
        refused(run(*command), "line 3: the probabilities of 'a' sum to 0.998; it must be 1")
        refused(run(*command), "--forgiving")
        result = run(*command, "--forgiving")
        assert result.exit_code == 0, result.output
        assert result.stderr.count("warning: ") == 1
        assert "line 3: the probabilities of 'a' sum to 0.998" in result.stderr
    assert read_network(target).distributions[0].expand().axes().sum() == pytest.approx(1)


@pytest.mark.parametrize("suffix", [".net", ".dne", ".xmlbif", ".uai", ".jgum", ".bif.gz"])
def test_files_of_other_programs_are_converted_and_asked(tmp_path: Path, suffix: str) -> None:
    network = Network.from_tables(
        (Variable("sky", ("clear", "grey", "dark")), Variable("wet", ("no", "yes"))),
        ((), (0,)),
        ([0.5, 0.25, 0.25], [[1.0, 0.0], [0.75, 0.25], [0.125, 0.875]]),
        Provenance("test"),
    )
    source, target = tmp_path / "weather.json", tmp_path / f"weather{suffix}"
    write_network(network, source)
    assert run("convert", source, target).exit_code == 0
    sky, wet = ("x0", "x1") if suffix == ".uai" else ("sky", "wet")
    yes = "1" if suffix == ".uai" else "yes"
    said = said_by("query", target, sky, "--given", f"{wet}={yes}")
    dark = said["posteriors"][sky]["2" if suffix == ".uai" else "dark"]
    assert dark == pytest.approx(0.25 * 0.875 / (0.25 * 0.875 + 0.25 * 0.25))
