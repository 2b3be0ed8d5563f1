"""The command that queries a network."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisyor
from noisyor.cli.query_command import probability
from noisyor.core.variable import variables_of
from noisyor.interop.network_files import write_network, write_networks
from tests.cli.test_cli import refused, run
from tests.inference.networks import network_of, noisy_or, root
from tests.inference.test_any_states import FEVER
from tests.oracles.joint import marginals

TRUTH = noisyor.example_truth("clinic")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "truth.xdsl"
    write_network(TRUTH, path)
    return path


@pytest.fixture(scope="module")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("set") / "networks.json"
    write_networks(
        noisyor.learn(noisyor.load_example("clinic"), relations="paper").networks(), path
    )
    return path


def said_by(*arguments: object) -> dict[str, Any]:
    result = run("query", *arguments, "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def test_json_says_what_adding_up_says(model: Path) -> None:
    said = said_by(model, "flu", "pneumonia", "--given", "fever=yes,cough=no", "-g", "cold=no")
    names = TRUTH.names
    given = {names.index("fever"): 1, names.index("cough"): 0, names.index("cold"): 0}
    expected = marginals(TRUTH, given)
    assert said["given"] == {"fever": "yes", "cough": "no", "cold": "no"}
    assert list(said["posteriors"]) == ["flu", "pneumonia"]
    for name, chances in said["posteriors"].items():
        assert chances["yes"] == pytest.approx(expected[names.index(name)], abs=1e-12)
        assert chances["yes"] + chances["no"] == pytest.approx(1)
    assert 0 < said["evidence_probability"] < 1


def test_a_folder_is_told_which_of_its_files_to_take(tmp_path: Path) -> None:
    done = run("query", tmp_path, "flu")
    refused(done, f"{tmp_path} is a folder; a file is needed")
    assert f"all of them in {tmp_path / 'networks.json'}" in done.stderr


def test_blanks_do_not_matter(model: Path) -> None:
    plain = said_by(model, "flu", "--given", "fever=yes,cough=no")
    assert said_by(model, "flu", "--given", "fever = yes, cough = no") == plain


def test_without_targets_all_others_are_told(model: Path) -> None:
    said = said_by(model, "--given", "fever=yes")
    assert list(said["posteriors"]) == [name for name in TRUTH.names if name != "fever"]


def test_people_get_a_table(model: Path) -> None:
    result = run("query", model, "flu", "--given", "fever=yes")
    assert result.exit_code == 0
    assert "given fever=yes (probability 0." in result.stdout
    assert "flu" in result.stdout
    assert "cold" not in result.stdout
    assert "given" not in run("query", model, "flu").stdout


def test_the_likeliest_states(model: Path) -> None:
    said = said_by(model, "--most-probable", "--given", "fever=yes")
    assert said["states"]["fever"] == "yes"
    assert set(said["states"]) == set(TRUTH.names)
    expected = noisyor.Inference(TRUTH).most_probable({"fever": "yes"})
    assert said["states"] == dict(expected.states)
    assert said["posterior"] == pytest.approx(expected.posterior)
    shown = run("query", model, "--most-probable", "--given", "fever=yes").stdout
    assert f"probability {probability(expected.posterior)} given the observations" in shown


def test_a_credible_set_is_averaged(networks: Path) -> None:
    said = said_by(networks, "allergy", "--given", "sneezing=yes")
    expected = noisyor.learn(noisyor.load_example("clinic"), relations="paper").query(
        ["allergy"], {"sneezing": "yes"}
    )
    answer = said["posteriors"]["allergy"]["yes"]
    assert said["posteriors"]["allergy"]["no"]["mean"] == pytest.approx(expected["allergy"]["no"])
    assert said["members"] == said["networks"] == 9
    assert said["complete"] is True
    assert answer["mean"] == pytest.approx(expected["allergy"]["yes"])
    assert answer["least"] <= answer["quantiles"]["0.5"] <= answer["most"]
    assert answer["least"] < answer["mean"] < answer["most"]
    assert answer["standard_error"] is None
    shown = run("query", networks, "allergy", "--given", "sneezing=yes").stdout
    assert "given sneezing=yes\naveraged over 9 of 9 credible networks" in shown
    assert "standard error" not in shown


def test_drawn_members_have_a_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "drawn.json"
    write_networks(
        noisyor.learn(noisyor.load_example("clinic"), relations="paper").networks(most=8), path
    )
    assert said_by(path, "flu")["posteriors"]["flu"]["no"]["standard_error"] >= 0
    shown = run("query", path, "flu").stdout
    assert "drawn of 9 credible networks" in shown
    assert "standard error" in shown


def test_after_a_single_draw_the_error_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "drawn.json"
    write_networks(
        noisyor.learn(noisyor.load_example("clinic"), relations="paper").networks(most=1), path
    )
    assert said_by(path, "flu")["posteriors"]["flu"]["no"]["standard_error"] is None
    assert "inf" in run("query", path, "flu").stdout


def test_networks_that_rule_the_observations_out_are_mentioned(tmp_path: Path) -> None:
    def root(child: int, chance: float) -> noisyor.FamilyParameters:
        return noisyor.FamilyParameters(noisyor.Family(child, 0), noisyor.Cpt.binary([chance]), 1.0)

    caused = noisyor.FamilyParameters(
        noisyor.Family(1, 1, noisyor.NOISY_OR), noisyor.NoisyOr(np.array([0.5])), 1.0
    )
    networks = noisyor.NetworkSet(
        variables=variables_of(("a", "b", "c"), (("no", "yes"),) * 3),
        families=(root(0, 0.5), caused, root(1, 0.5), root(2, 0.25)),
        members=np.array([[0, 1, 3], [0, 2, 3]], dtype=np.uint32),
        optimum=3.0,
        count=2,
        bayes_factor=noisyor.BayesFactor(2),
        labels=noisyor.Labels.BEST,
        provenance=noisyor.Provenance("0"),
    )
    path = tmp_path / "set.json"
    write_networks(networks, path)
    result = run("query", path, "c", "--given", "a=no,b=yes")
    assert result.exit_code == 0, result.output
    assert "networks with 50.00% of the weight rule the observations out" in result.stderr
    assert "0.2500" in result.stdout


def test_names_with_commas_and_signs(tmp_path: Path) -> None:
    structure = noisyor.Structure(("a,b", "x=1"), (noisyor.Family(0, 0), noisyor.Family(1, 1)))
    network = noisyor.Network(
        structure,
        variables_of(structure.names, (("no", "yes"),) * 2),
        (noisyor.Cpt.binary([0.5]), noisyor.Cpt.binary([0.25, 0.75])),
        None,
        noisyor.Provenance("0"),
    )
    path = tmp_path / "odd.json"
    write_network(network, path)
    assert said_by(path, "x=1", "--given", "a,b=yes")["posteriors"]["x=1"]["yes"] == 0.75
    assert said_by(path, "a,b", "--given", "x=1=no")["posteriors"]["a,b"]["yes"] == 0.25


def test_states_with_commas_and_signs(tmp_path: Path) -> None:
    network = noisyor.Network(
        noisyor.Structure(("age", "b"), (noisyor.Family(0, 0), noisyor.Family(1, 1))),
        variables_of(("age", "b"), (("<5", ">=5"), ("no, never", "a=b"))),
        (noisyor.Cpt.binary([0.5]), noisyor.Cpt.binary([0.25, 0.75])),
        None,
        noisyor.Provenance("0"),
    )
    path = tmp_path / "odd.json"
    write_network(network, path)
    assert said_by(path, "b", "--given", "age=>=5")["posteriors"]["b"]["a=b"] == 0.75
    assert said_by(path, "age", "--given", "b=a=b")["posteriors"]["age"][">=5"] == 0.75
    assert said_by(path, "age", "--given", "b=no, never")["given"] == {"b": "no, never"}
    both = said_by(path, "--given", "age=>=5,b=a=b")
    assert both["given"] == {"age": ">=5", "b": "a=b"}
    assert both["evidence_probability"] == 0.375


def test_evidence_too_unlikely_for_a_number_is_not_told_as_impossible(tmp_path: Path) -> None:
    network = noisyor.Network(
        noisyor.Structure(
            tuple(f"v{v}" for v in range(101)), tuple(noisyor.Family(v, 0) for v in range(101))
        ),
        variables_of(tuple(f"v{v}" for v in range(101)), (("no", "yes"),) * 101),
        (noisyor.Cpt.binary([1e-4]),) * 101,
        None,
        noisyor.Provenance("0"),
    )
    path = tmp_path / "unlikely.json"
    write_network(network, path)
    given = ",".join(f"v{v}=yes" for v in range(100))
    assert "(probability 1.0e-400)" in run("query", path, "v100", "--given", given).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("flu", "-g", "fever=maybe"), "'fever' has no state 'maybe'; it has: yes (present), no"),
        (("flu", "-g", "flu=yes"), "'flu' is both a target and observed"),
        (("gout",), "there is no variable 'gout'; the network has: flu, cold"),
        (("flu", "-g", "gout=yes"), "there is no variable 'gout'"),
        (("flu", "-g", "fever"), "--given has 'fever'; it must look like NAME=STATE"),
        (("flu", "-g", "fever=yes,fever=no"), "'fever' is 'yes' and that it is 'no'"),
        (("flu", "flu"), "a target is named twice"),
        (("flu", "--most-probable"), "name no targets"),
        (
            ("allergy", "-g", "flu=no,cold=no,pneumonia=no,fever=yes"),
            "fever=yes has probability zero in this network together with flu=no, cold=no",
        ),
    ],
)
def test_what_a_query_refuses(model: Path, arguments: tuple[str, ...], message: str) -> None:
    refused(run("query", model, *arguments), message)


def test_a_set_has_no_single_likeliest_states(networks: Path) -> None:
    refused(run("query", networks, "--most-probable"), "a file with a single network")


@pytest.mark.parametrize(
    ("chance", "text"),
    [
        (0.0, "0"),
        (1.0, "1"),
        (0.25, "0.2500"),
        (0.00012345, "0.00012"),
        (1e-9, "0.0000000010"),
        (1.25e-300, "1.2e-300"),
        (0.99998, "0.999980"),
    ],
)
def test_probabilities_are_told_from_0_and_1(chance: float, text: str) -> None:
    assert probability(chance) == text


def test_a_rare_absence_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "rare.json"
    write_network(network_of(root(0.5), noisy_or([0], 1e-18)), path)
    said = said_by(path, "v1", "--given", "v0=yes")
    assert said["posteriors"]["v1"] == pytest.approx({"yes": 1, "no": 1e-18}, rel=1e-14)
    assert "1.0e-18" in run("query", path, "v1", "--given", "v0=yes").stdout


@pytest.fixture(scope="module")
def fever(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fever") / "fever.json"
    write_network(FEVER, path)
    return path


def test_states_and_likelihoods_of_any_variable(fever: Path) -> None:
    said = said_by(fever, "flu", "--given", "fever=high")
    assert said["posteriors"]["flu"]["yes"] == pytest.approx(0.05 / (0.05 + 0.045))
    said = said_by(fever, "--given", "flu=yes")
    assert list(said["posteriors"]["fever"].items()) == [("none", 0.2), ("low", 0.3), ("high", 0.5)]
    said = said_by(fever, "flu", "--given", "fever=none:0|low : 1|high:0.5")
    assert said["given"] == {"fever": {"none": 0, "low": 1, "high": 0.5}}
    ill, well = 0.1 * (0.3 + 0.25), 0.9 * (0.15 + 0.025)
    assert said["posteriors"]["flu"]["yes"] == pytest.approx(ill / (ill + well))
    assert said["evidence_probability"] == pytest.approx(ill + well)
    shown = run("query", fever, "flu", "--given", "fever=none:0|low:1|high:0.5").stdout
    assert "given fever=none:0|low:1|high:0.5 (expected likelihood 0.2125)" in shown
    shown = run("query", fever, "--most-probable", "--given", "fever=none:0|low:1|high:0.5").stdout
    assert "none:0|low:1|high:0.5" in shown


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("fever=low:1|high:x", "'high:x' for 'fever'; a likelihood looks like STATE:NUMBER"),
        ("fever=low:1|low:2", "two likelihoods for fever=low"),
        ("fever=low:1", "has no likelihood for: none, high"),
        ("fever=warm:1", "'fever' has no state 'warm'"),
    ],
)
def test_odd_likelihoods_are_refused(fever: Path, given: str, message: str) -> None:
    refused(run("query", fever, "--given", given), message)


def test_the_memory_of_a_query_is_limited(fever: Path) -> None:
    limited = run("query", fever, "--memory-limit", "1e-8")
    refused(limited, "its tables need about 128 bytes; the limit is 10 bytes")
    assert said_by(fever, "--memory-limit", "0.5") == said_by(fever)
    refused(run("query", fever, "--memory-limit", "1e-12"), "the limit is 1 bytes")
    refused(run("query", fever, "--memory-limit", "0"), "--memory-limit is 0 GiB; it must be")
