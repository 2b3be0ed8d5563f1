"""pyAgrum's own files: pyAgrum reads them as intended."""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from noisyor.core import NOISY_OR, Cpt, Family, Network, Provenance, Structure, TableSizeError
from noisyor.core.variable import States, variables_of
from noisyor.core.version import VERSION
from noisyor.interop import from_pyagrum, jgum_bytes, to_pyagrum
from noisyor.interop.pyagrum_loading import load_pyagrum
from tests.formats.networks import networks
from tests.interop.models import (
    COUGH,
    assert_same,
    kept_by_pyagrum,
    of_unknown_origin,
    star,
    warnings_of_lost_relations,
)
from tests.interop.test_pyagrum_network import pyagrum_joint
from tests.oracles.joint import joint
from tests.support.effort import scaled

if TYPE_CHECKING:
    import pyagrum as gum
else:
    gum = load_pyagrum()


def read_by_pyagrum(network: Network) -> "gum.BayesNet":
    bn = gum.BayesNet()  # type: ignore[no-untyped-call]
    with warnings_of_lost_relations(network):
        bn.loadGUMstring(jgum_bytes(network).decode())
    return bn


def single(states: States, name: str = "x") -> Network:
    return Network(
        Structure((name,), (Family(0, 0),)),
        variables_of((name,), (states,)),
        (Cpt.binary([0.25]),),
        None,
        Provenance(VERSION),
    )


@given(networks())
@settings(max_examples=scaled(150))
def test_pyagrum_reads_every_network_and_it_comes_back_as_it_was(network: Network) -> None:
    assert_same(from_pyagrum(read_by_pyagrum(network)), of_unknown_origin(kept_by_pyagrum(network)))


@given(networks(max_variables=5))
@settings(max_examples=scaled(60))
def test_the_joint_distribution_that_pyagrum_reads_is_the_same(network: Network) -> None:
    assert np.abs(pyagrum_joint(read_by_pyagrum(network)) - joint(network)).max() < 1e-14


def test_the_file_is_what_pyagrum_itself_writes() -> None:
    document = json.loads(jgum_bytes(COUGH))
    assert document["type"] == "BN"
    assert document["GumJsonVersion"] == "1.0"
    assert document["nodes"] == [
        "cough{no|yes}",
        "flu{absent|present}",
        "cold{low|high}",
        "fever{0|1}",
    ]
    assert document["parents"] == {
        "cough": ["flu", "cold"],
        "flu": [],
        "cold": [],
        "fever": ["flu", "cold"],
    }
    cough = document["cpt"].pop("cough")
    assert cough["kind"] == "ici"
    assert cough["name"] == "MultiDimNoisyORNet"
    assert cough["externalWeight"] == pytest.approx(0.1)
    assert cough["causalWeights"] == {"flu": 0.75, "cold": 0.5}
    # The child varies fastest, then flu, then cold.
    assert document["cpt"] == {
        "flu": [0.875, 0.125],
        "cold": [0.75, 0.25],
        "fever": [0.95, 0.05, 0.4, 0.6, 0.9, 0.1, 0.5, 0.5],
    }
    by_pyagrum = json.loads(to_pyagrum(COUGH).saveGUMstring())
    assert by_pyagrum.keys() == document.keys()
    assert by_pyagrum["nodes"] == document["nodes"]
    assert by_pyagrum["parents"] == document["parents"]
    assert by_pyagrum["cpt"] == document["cpt"] | {"cough": cough}


def test_a_file_is_read_by_its_suffix(tmp_path: Path) -> None:
    path = tmp_path / "cough.jgum"
    path.write_bytes(jgum_bytes(COUGH))
    assert_same(from_pyagrum(gum.loadBN(str(path))), of_unknown_origin(COUGH))


@pytest.mark.parametrize(
    "states", [("no", "yes"), ("0", "1"), ("-3", "20"), ("<5", ">5"), ("5", "a")]
)
def test_labels_that_pyagrum_reads_as_they_are_are_kept(states: States) -> None:
    bn = read_by_pyagrum(single(states))
    assert bn.variable(0).labels() == states
    assert (bn.cpt(0)[0], bn.cpt(0)[1]) == (0.75, 0.25)


@pytest.mark.parametrize(
    "states",
    [
        ("1", "0"),  # pyAgrum would sort them, and so reverse the table
        ("10", "9"),
        ("1e5", "3"),
        ("0x10", "1"),
        ("01", "2"),
        ("9999999999999999999", "99999999999999999999"),
        ("nan", "-Inf"),
        ("+", "-"),
        ("2:3", "1:2"),
        ("a|b", "c"),
        ("{", "}"),
        ("x\0y", "x\0z"),
    ],
)
def test_labels_that_pyagrum_would_change_are_replaced_and_come_back(states: States) -> None:
    bn = read_by_pyagrum(single(states))
    assert bn.variable(0).labels() == ("absent", "present")
    assert (bn.cpt(0)[0], bn.cpt(0)[1]) == (0.75, 0.25)
    assert from_pyagrum(bn) == single(states)


@pytest.mark.parametrize(
    ("name", "called"), [(" x ", "x"), ("a{b}", "a_b"), ("\tß", "ss"), ("\0", "x")]
)
def test_names_that_pyagrum_would_change_are_replaced_and_come_back(name: str, called: str) -> None:
    bn = read_by_pyagrum(single(("no", "yes"), name))
    assert bn.variable(0).name() == called
    assert from_pyagrum(bn) == single(("no", "yes"), name)


def test_a_name_that_takes_the_place_of_another_never_meets_a_third() -> None:
    network = replace(
        star(3),
        structure=Structure(
            ("a_", " a", "a", "a "),
            (Family(0, 0), Family(1, 0), Family(2, 0), Family(3, 0b111, NOISY_OR)),
        ),
        variables=variables_of(("a_", " a", "a", "a "), (("no", "yes"),) * 4),
    )
    bn = read_by_pyagrum(network)
    assert [bn.variable(node).name() for node in range(4)] == ["a_", "a__", "a", "a___"]
    assert from_pyagrum(bn) == network


def test_more_parents_than_pyagrum_can_read_are_refused() -> None:
    assert_same(from_pyagrum(read_by_pyagrum(star(62))), star(62))
    with pytest.raises(TableSizeError, match="'effect' has 63 parents"):
        jgum_bytes(star(63))
