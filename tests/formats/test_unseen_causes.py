"""Causes that no record has: marked by a fit, kept in files, and never shown as a strength of 0."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from noisyor.core import (
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Dataset,
    Family,
    FormatError,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    Variable,
)
from noisyor.core.relations import SIGNED_NOISY_AND, CauseDistribution
from noisyor.expert_fit import fit as fit_to_records
from noisyor.fitting import fit
from noisyor.formats.dot import dot_text
from noisyor.formats.graphml import graphml_text
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.parsed_network import to_network
from noisyor.formats.xdsl import parse_xdsl, xdsl_text
from noisyor.interop.network_files import write_network
from noisyor.interop.networkx_graph import to_networkx
from noisyor.networks import fit_network
from tests.cli.test_cli import run

VARIABLES = (
    Variable("smoking", ("never", "light", "heavy")),
    Variable("cold", ("no", "yes")),
    Variable("cough", ("none", "mild", "severe"), ordered=True),
)


def data(*records: tuple[int, int, int]) -> Dataset:
    codes = np.array(sorted(records, key=lambda record: record[::-1]), dtype=np.uint8)
    return Dataset(VARIABLES, codes, np.ones(len(codes), dtype=np.int64))


# Nobody smokes heavily. Of those with a cold, all cough severely.
RECORDS = data((0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1), (1, 0, 2), (0, 1, 2))


def cough() -> Network:
    families = (Family(0, 0), Family(1, 0), Family(2, 0b011, LEAKY_NOISY_OR))
    return fit_network(RECORDS, Structure(("smoking", "cold", "cough"), families))


def test_a_fit_marks_the_causes_that_no_record_of_a_level_has() -> None:
    found = cough().distributions[2]
    assert isinstance(found, CauseDistribution)
    # By cause: light, heavy, cold, the leak; by level: mild, severe.
    assert found.unseen.tolist() == [[False] * 2, [True] * 2, [True, False], [False] * 2]
    assert found.levels[found.unseen].tolist() == [1, 1, 1]
    light, heavy, cold, leak = found.causes()
    assert (light.unseen, leak.unseen) == ((), ())
    assert [heavy.is_seen(level) for level in (1, 2)] == [False, False]
    assert [cold.is_seen(level) for level in (1, 2)] == [False, True]


def test_a_level_without_records_says_nothing_about_the_leak() -> None:
    severe = data((0, 1, 2), (1, 0, 2))
    found = fit(severe, Family(2, 0b011, LEAKY_NOISY_OR)).distribution
    assert isinstance(found, CauseDistribution)
    assert found.unseen.tolist() == [[True, False], [True, True], [True, False], [True, False]]


def test_the_idle_state_of_a_signed_relation_is_seen() -> None:
    found = fit(RECORDS, Family(2, 0b011, SIGNED_NOISY_AND)).distribution
    assert isinstance(found, CauseDistribution)
    # Only heavy smoking is nowhere; a minimum counts its levels from severe: mild, then none.
    assert found.unseen[2].tolist() == [True, True]
    assert not found.unseen[0].any()


def test_marks_are_part_of_a_distribution() -> None:
    plain, marked = NoisyOr([0.5, 1.0]), NoisyOr([0.5, 1.0], unseen=[False, True])
    assert plain.marked([False, True]) == marked != plain
    assert hash(plain.marked([False, True])) == hash(marked)
    assert pickle.loads(pickle.dumps(marked)) == marked  # noqa: S301 (our own)
    assert repr(marked) == "NoisyOr(q=[0.5, 1.0], leak_q=None, unseen=[False, True])"
    assert repr(plain) == "NoisyOr(q=[0.5, 1.0], leak_q=None)"
    three = CauseDistribution(NOISY_OR, [[0.5, 0.25]], (2,), [[True, False]])
    assert repr(three) == "CauseDistribution(noisy-or, [[0.5, 0.25]], (2,), [[True, False]])"
    with pytest.raises(ValueError, match="one mark for each cause and level"):
        plain.marked([True])
    with pytest.raises(TypeError, match="a cpt has no causes to mark"):
        Cpt.binary([0.5]).marked([True])


def test_json_names_them() -> None:
    said = json.loads(network_json(cough()))["variables"][2]["distribution"]
    assert said["unseen"] == [
        {"parent": "smoking", "state": "heavy", "level": "mild"},
        {"parent": "smoking", "state": "heavy", "level": "severe"},
        {"parent": "cold", "state": "yes", "level": "mild"},
    ]
    assert parse_network_json(network_json(cough())) == cough()


@pytest.mark.parametrize(
    "wrong",
    [
        {"parent": "smoking", "state": "never", "level": "mild"},  # it is idle
        {"parent": "smoking", "state": "heavy", "level": "none"},
        {"parent": "cough", "state": "mild", "level": "mild"},
        {"parent": None, "state": "yes", "level": "mild"},
        {"parent": ["smoking"], "state": "heavy", "level": "mild"},
    ],
)
def test_what_is_no_cause_cannot_be_unseen(wrong: dict[str, object]) -> None:
    document = json.loads(network_json(cough()))
    document["variables"][2]["distribution"]["unseen"] = [wrong]
    with pytest.raises(FormatError, match=r"unseen\[0\] is not a cause of the variable with one"):
        parse_network_json(json.dumps(document))


def test_xdsl_keeps_them() -> None:
    text = xdsl_text(cough())
    found = to_network(parse_xdsl(text)).distributions[2]
    assert isinstance(found, CauseDistribution)
    assert [one.unseen for one in found.causes()] == [
        one.unseen for one in cough().distributions[2].causes()
    ]


def test_the_command_line_does_not_take_them_for_causes_without_strength(tmp_path: Path) -> None:
    path = tmp_path / "cough.json"
    write_network(cough(), path)
    shown = run("show", path, "--node", "cough").stdout
    assert shown.count("not identified") == 3
    nodes = json.loads(run("show", path, "--json").stdout)["nodes"]
    assert nodes[2]["strengths"]["smoking"]["heavy"] == {"mild": None, "severe": None}
    assert nodes[2]["strengths"]["cold"]["yes"] == {"mild": None, "severe": 1}
    assert nodes[2]["leak"] == pytest.approx({"mild": 0.5, "severe": 0}, abs=1e-3)


def test_an_expert_s_strength_that_no_record_tells_is_still_shown(tmp_path: Path) -> None:
    path = tmp_path / "cold.json"
    families = (Family(0, 0), Family(1, 0b01, NOISY_OR))
    network = Network(
        Structure(("cold", "cough"), families),
        (Variable("cold"), Variable("cough")),
        (Cpt.binary([0.5]), NoisyOr([0.25], unseen=[True])),
        None,
        Provenance("test"),
    )
    write_network(network, path)
    assert "0.75 (never seen)" in run("show", path, "--node", "cough").stdout


def test_graphs_have_no_strength_where_none_is_known() -> None:
    names = ("flu", "cold", "cough")
    network = Network(
        Structure(names, (Family(0, 0), Family(1, 0), Family(2, 0b011, NOISY_OR))),
        tuple(map(Variable, names)),
        (Cpt.binary([0.0]), Cpt.binary([0.5]), NoisyOr([1.0, 0.25], unseen=[True, False])),
        None,
        Provenance("test"),
    )
    dot = dot_text(network)
    assert '"flu" -> "cough" [label="not identified", style=dashed];' in dot
    assert '"cold" -> "cough" [label="0.75"' in dot
    edges = nx.parse_graphml(graphml_text(network)).edges
    assert "strength" not in edges["n0", "n2"]
    assert edges["n1", "n2"]["strength"] == 0.75
    graph = to_networkx(network)
    assert graph.edges["flu", "cough"]["strength"] is None
    assert graph.edges["cold", "cough"]["strength"] == 0.75


@pytest.mark.parametrize(
    ("weight", "marked_before", "marked_after"),
    [(0.0, False, True), (10.0, False, False), (10.0, True, True)],
)
def test_a_prior_says_something_about_a_cause_that_no_record_has(
    weight: float, marked_before: bool, marked_after: bool
) -> None:
    causes = LEAKY_NOISY_OR.distribution([0.75, 0.5, 0.5, 0.25, 0.5, 0.5, 0.9, 0.9], 3, (3, 2))
    marks = np.zeros((4, 2), dtype=np.bool_)
    marks[1] = marked_before
    expert = replace(
        cough(),
        distributions=(*cough().distributions[:2], causes.marked(marks)),
    )
    found = fit_to_records(expert, RECORDS, prior_weight=weight).distributions[2]
    assert isinstance(found, CauseDistribution)
    assert found.unseen[1].tolist() == [marked_after] * 2
    assert found.levels[1].tolist() == [0.5, 0.25]
