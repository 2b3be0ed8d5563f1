"""The format for each file name, and errors for files that are not networks."""

import gzip
import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import noisyor
from noisyor.core import (
    Cpt,
    FormatError,
    Network,
    NetworkSet,
    NoisyOr,
    NoisyorError,
    SettingsError,
    Variable,
)
from noisyor.core.variable import variables_of
from noisyor.core.warning import ConversionWarning
from noisyor.files.unpacked import MOST_BYTES
from noisyor.files.whole import check_target
from noisyor.interop.network_files import (
    FORMATS,
    READABLE,
    WRITABLE,
    check_networks_file,
    format_of,
    read_model,
    read_network,
    write_network,
    write_networks,
)

TRUTH = noisyor.example_truth("clinic")


def tables(network: Network) -> list[npt.NDArray[np.float64]]:
    return [one.expand().present for one in network.distributions]


@pytest.mark.parametrize("suffix", [".json", ".xdsl"])
def test_formats_that_keep_everything(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"model{suffix}"
    write_network(TRUTH, path)
    assert read_network(path) == TRUTH


def test_bif_keeps_the_distribution_and_warns_that_noisy_ors_became_tables(tmp_path: Path) -> None:
    path = tmp_path / "model.BIF"
    with pytest.warns(ConversionWarning, match="'fever'"):
        write_network(TRUTH, path)
    read = read_network(path)
    assert read.names == TRUTH.names
    assert read.states == TRUTH.states
    assert set(read.structure.edges()) == set(TRUTH.structure.edges())
    for own, other in zip(tables(TRUTH), tables(read), strict=True):
        assert np.array_equal(own, other)


@pytest.mark.parametrize("name", [one.name for one in WRITABLE])
@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
def test_every_format_can_be_asked_for_by_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / "out.txt"
    write_network(TRUTH, path, format=name)
    text = path.read_text(encoding="utf-8")
    assert len(text) > 50
    # UAI numbers its variables; all others name them.
    assert ("pneumonia" in text) is (name != "uai")


def test_a_model_string_says_that_it_keeps_no_noisy_or(tmp_path: Path) -> None:
    path = tmp_path / "graph.txt"
    with pytest.warns(ConversionWarning, match="graph alone: not kept are the .* 'fever'"):
        write_network(TRUTH, path, format="modelstring")
    assert path.read_text(encoding="utf-8").endswith("]\n")


def test_half_a_character_in_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "half.bif"
    path.write_text(
        "network w { }\nvariable a { type discrete [ 2 ] { no, yes }; "
        "property noisyor_name = a~ED~A0~80 ; }\nprobability ( a ) { table 0.5, 0.5; }\n",
        encoding="utf-8",
    )
    with pytest.raises(NoisyorError, match="half of a surrogate pair"):
        read_network(path)


def test_the_end_of_a_name_says_the_format() -> None:
    said = {suffix: one.name for one in FORMATS for suffix in one.suffixes}
    assert said == {
        ".json": "json",
        ".xdsl": "xdsl",
        ".dsl": "dsl",
        ".bif": "bif",
        ".xmlbif": "xmlbif",
        ".bifxml": "xmlbif",
        ".xml": "xmlbif",
        ".net": "net",
        ".dne": "dne",
        ".uai": "uai",
        ".jgum": "jgum",
        ".dot": "dot",
        ".gv": "dot",
        ".graphml": "graphml",
    }
    pictures = {"dot", "graphml", "netica", "bayesialab", "modelstring"}
    assert {one.name for one in FORMATS} - {one.name for one in READABLE} == pictures
    assert {one.name for one in FORMATS} - {one.name for one in WRITABLE} == {"dsl"}


def test_unknown_ends_and_names_are_refused() -> None:
    with pytest.raises(SettingsError, match=r"does not end like .* with \.gz: \.json, \.xdsl"):
        format_of(Path("model.exe"))
    with pytest.raises(SettingsError, match="no format 'xml'; allowed: json, xdsl"):
        format_of(Path("model.json"), "xml")
    with pytest.raises(SettingsError, match=r"dsl files can only be read; to write: \.json, "):
        format_of(Path("model.dsl"))


def test_a_credible_set_is_read_back(tmp_path: Path) -> None:
    learned = noisyor.learn(noisyor.load_example("clinic"), 20, relations="paper")
    networks = learned.networks()
    path = tmp_path / "set.json"
    write_networks(networks, path)
    read = read_model(path)
    assert isinstance(read, NetworkSet)
    assert [read.network(row) for row in range(len(read))] == list(networks)
    assert read.weights().tolist() == networks.weights().tolist()
    with pytest.raises(FormatError, match="holds 9 networks of a credible set"):
        read_network(path)


def test_only_json_holds_many_networks() -> None:
    with pytest.raises(SettingsError, match=r"must end in \.json"):
        check_networks_file(Path("set.xdsl"))


def test_formats_that_are_only_written_are_not_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"dot files can only be written; readable: \.json"):
        read_network(tmp_path / "model.dot")
    with pytest.raises(
        SettingsError, match=r"does not end like .* readable, each also with \.gz: \.json, \.xdsl"
    ):
        read_network(tmp_path / "table.csv")


def weather() -> Network:
    """Return a network of three, two and one states, by hand."""
    return Network.from_tables(
        (
            Variable("sky", ("clear", "cloudy", "dark"), ordered=True),
            Variable("umbrella", ("left", "taken")),
            Variable("planet", ("earth",)),
        ),
        ((), (2, 0), ()),
        (
            [0.5, 0.25, 0.25],
            [[[0.875, 0.125], [0.5, 0.5], [0.25, 0.75]]],
            [1.0],
        ),
        noisyor.Provenance("test", "abc", 5),
    )


@pytest.mark.parametrize("suffix", [".json", ".bif"])
def test_a_network_of_any_states_is_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"weather{suffix}"
    write_network(weather(), path)
    read = read_network(path)
    assert read.states == (("clear", "cloudy", "dark"), ("left", "taken"), ("earth",))
    assert read.structure == weather().structure
    assert read.distributions == weather().distributions
    assert read.provenance == weather().provenance


def test_xdsl_has_no_node_of_one_state(tmp_path: Path) -> None:
    with pytest.raises(noisyor.NetworkError, match="'planet' has one state; a node of XDSL"):
        write_network(weather(), tmp_path / "weather.xdsl")


def test_a_file_of_our_own_says_what_its_states_are(tmp_path: Path) -> None:
    path = tmp_path / "weather.json"
    write_network(weather(), path)
    assert read_network(path) == weather()


@pytest.mark.parametrize("suffix", [".json", ".xdsl", ".bif", ".xmlbif", ".net", ".uai", ".jgum"])
@pytest.mark.filterwarnings("ignore::noisyor.core.warning.ConversionWarning")
def test_files_may_be_compressed(tmp_path: Path, suffix: str) -> None:
    plain, packed = tmp_path / f"m{suffix}", tmp_path / f"m{suffix}.gz"
    write_network(TRUTH, plain)
    write_network(TRUTH, packed)
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert read_network(packed) == read_network(plain)


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.bif"
    path.write_text("variable a {", encoding="utf-8")
    with pytest.raises(FormatError, match=r"broken\.bif: "):
        read_network(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"cannot read .*: No such file"):
        read_network(tmp_path / "none.json")
    path = tmp_path / "bytes.json"
    path.write_bytes(b"{\xff\x00")
    with pytest.raises(FormatError, match="is not text in utf-8"):
        read_network(path)
    path = tmp_path / "huge.bif"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(FormatError, match=f"more than {MOST_BYTES} bytes"):
        read_network(path)


def test_an_xml_file_may_declare_its_encoding(tmp_path: Path) -> None:
    text = (
        "<?xml version='1.0' encoding='{}'?>\n<smile version='1.0' id='x'><nodes>"
        "<cpt id='Grippe'><state id='oui'/><state id='non'/><probabilities>0.25 0.75"
        "</probabilities></cpt></nodes><extensions><genie><node id='Grippe'>"
        "<name>Fi\u00e8vre</name></node></genie></extensions></smile>"
    )
    path = tmp_path / "fievre.xdsl"
    path.write_bytes(text.format("ISO-8859-1").encode("iso-8859-1"))
    assert read_network(path).distributions[0] == Cpt.binary([0.25])
    assert read_network(path).appearance.of("Grippe").title == "Fi\u00e8vre"
    back = tmp_path / "back.xdsl"
    for name in ("ISO-8859-1", "UTF-16"):
        path.write_bytes(text.format(name).encode(name))
        write_network(read_network(path), back)
        assert back.read_bytes() == path.read_bytes()
    path.write_bytes(text.format("UTF-8").encode("iso-8859-1"))
    with pytest.raises(FormatError, match="is not text in utf-8"):
        read_network(path)
    path.write_bytes(text.format("klingon").encode("iso-8859-1"))
    with pytest.raises(FormatError, match="declares the encoding 'klingon', which is unknown"):
        read_network(path)


@pytest.mark.parametrize("encoding", ["punycode", "undefined", "unicode_escape", "idna"])
def test_what_is_no_character_set_is_not_decoded(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "slow.xdsl"
    path.write_bytes(f"<?xml version='1.0' encoding='{encoding}'?>-".encode() + b"fgh9" * 10**6)
    with pytest.raises(FormatError, match=f"declares the encoding '{encoding}', which is unknown"):
        read_network(path)


def test_the_state_that_means_present_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "weather.bif"
    path.write_text(
        "network w { }\nvariable sky { type discrete [ 2 ] { grey, blue }; }\n"
        "probability ( sky ) { table 0.75, 0.25; }\n",
        encoding="utf-8",
    )
    assert read_network(path).distributions[0] == Cpt.binary([0.75])
    turned = read_network(path, present={"sky": "blue"})
    assert turned.states == (("grey", "blue"),)
    assert turned.distributions[0] == Cpt.binary([0.25])
    with pytest.raises(FormatError, match="no state 'green'"):
        read_network(path, present={"sky": "green"})


def test_our_own_files_say_themselves_what_is_present(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    write_network(TRUTH, path)
    with pytest.raises(SettingsError, match="says itself which states mean present"):
        read_network(path, present={"flu": "no"})


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.uai"
    path.write_text("before", encoding="utf-8")
    wide = noisyor.Structure(
        tuple(f"v{v}" for v in range(23)),
        (
            *(noisyor.Family(v, 0) for v in range(22)),
            noisyor.Family(22, 2**22 - 1, noisyor.NOISY_OR),
        ),
    )
    network = Network(
        wide,
        variables_of(wide.names),
        (*(Cpt.binary([0.5]) for _ in range(22)), NoisyOr(np.full(22, 0.5))),
        None,
        noisyor.Provenance("test"),
    )
    with pytest.raises(noisyor.TableSizeError, match="v22"):
        write_network(network, path)
    assert path.read_text(encoding="utf-8") == "before"


def test_a_new_file_takes_the_place_of_files_only(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.json"
    os.mkfifo(pipe)
    for path, message in (
        (tmp_path, "it is a folder"),
        (pipe, "it is a pipe or a device"),
        (tmp_path / f"{'a' * 300}.json", "File name too long"),
    ):
        with pytest.raises(SettingsError, match=message):
            write_network(TRUTH, path, format="json")
        with pytest.raises(SettingsError, match=message):
            check_target(path)
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("suffix", [".json", ".xdsl", ".bif", ".xmlbif", ".net", ".dne", ".jgum"])
def test_files_may_have_more_variables_than_can_be_learned(tmp_path: Path, suffix: str) -> None:
    count = 300
    chain = Network.from_tables(
        tuple(Variable(f"v{v}", ("lo", "mid", "hi")) for v in range(count)),
        tuple((v - 1,) if v else () for v in range(count)),
        ([0.5, 0.25, 0.25], *([np.eye(3)] * (count - 1))),
        noisyor.Provenance(""),
    )
    path = tmp_path / f"chain{suffix}"
    write_network(chain, path)
    back = read_network(path)
    assert back.structure == chain.structure
    assert back.states == chain.states
    assert noisyor.Inference(back).posteriors(["v299"])["v299"]["lo"] == pytest.approx(0.5)
