"""A sampled result: shown, saved, loaded, averaged over."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import noisyor
from noisyor.cli.search_summary import print_summary
from noisyor.core import BayesFactor, FormatError, MismatchError
from noisyor.core.sampling import SampledMembers
from noisyor.networks import fit_members
from noisyor.networks.arcs import arc_strength, averaged_network
from noisyor.reporting.content_check import check_content
from noisyor.runs.learned import Learned
from noisyor.runs.summaries import credible_summary
from noisyor.search.sampling import SamplingEffort, sample_credible

DATA = noisyor.load_example("clinic")
EFFORT = SamplingEffort(draws=200)


@pytest.fixture(scope="module")
def exact() -> Learned:
    return noisyor.learn(DATA, relations="paper", method="table")


@pytest.fixture(scope="module")
def sampled(exact: Learned) -> Learned:
    table = exact.table
    assert table is not None
    row = {family: at for at, (family, _) in enumerate(table.families())}
    best = np.array([row[family] for family in exact.credible.best.families])
    factor = exact.credible.bayes_factor
    credible = sample_credible(table, factor, best=best, seed=1, effort=EFFORT)
    return replace(exact, credible=credible)


@pytest.fixture(scope="module")
def folder(sampled: Learned, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sampled") / "run"
    sampled.save(folder)
    return folder


def test_arcs_have_their_standard_errors(exact: Learned, sampled: Learned) -> None:
    known = {(arc.parent, arc.child): arc for arc in exact.arc_strength()}
    assert all(arc.standard_error is None for arc in known.values())
    for arc in sampled.arc_strength():
        assert arc.standard_error is not None
        difference = abs(arc.weight - known[arc.parent, arc.child].weight)
        assert difference < 5 * arc.standard_error
    assert averaged_network(sampled.credible) == averaged_network(exact.credible)


def test_an_arc_of_the_best_network_that_was_not_drawn(sampled: Learned) -> None:
    credible = sampled.credible
    arc = next(iter(credible.best.edges()))
    families = tuple(
        replace(use, weight=0.0) if arc in _edges(credible.names, use.family) else use
        for use in credible.families
    )
    found = arc_strength(replace(credible, families=families))
    (own,) = [one for one in found if (one.parent, one.child) == arc]
    assert (own.strength, own.direction, own.weight) == (0.0, 0.0, 0.0)


def _edges(names: tuple[str, ...], family: noisyor.Family) -> set[tuple[str, str]]:
    return {(names[parent], names[family.child]) for parent in family.parent_indices()}


def test_a_sample_comes_back_from_its_folder(sampled: Learned, folder: Path) -> None:
    loaded = noisyor.load(folder)
    mine, theirs = sampled.credible, loaded.credible
    assert mine.sampling is not None
    assert theirs.sampling is not None
    assert isinstance(theirs.members, SampledMembers)
    assert theirs.edges() == mine.edges()
    assert theirs.shortfalls == mine.shortfalls
    assert theirs.sampling.times.tolist() == mine.sampling.times.tolist()
    assert theirs.sampling.batches.tolist() == mine.sampling.batches.tolist()
    assert theirs.sample(50, seed=4, weighted=True) == mine.sample(50, seed=4, weighted=True)
    assert not loaded.complete


def test_arcs_csv_has_a_column_of_standard_errors(sampled: Learned, folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((folder / "arcs.csv").read_text(encoding="utf-8"))))
    arcs = sampled.arc_strength()
    assert [float(row["standard_error"]) for row in rows] == [arc.standard_error for arc in arcs]


def test_part_of_a_sample_answers_nothing_else(sampled: Learned, tmp_path: Path) -> None:
    sampled.save(tmp_path / "part", most_members=1)
    loaded = noisyor.load(tmp_path / "part")
    assert loaded.arc_strength() == sampled.arc_strength()
    with pytest.raises(MismatchError, match="it holds 1 of"):
        loaded.credible.sample(1, seed=0)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("batches", [[1]], "lists; it must have"),
        ("times", [1, 2], "contradicts itself"),
        ("spacing", 0, "spacing"),
    ],
)
def test_damaged_samples_are_refused(
    folder: Path, tmp_path: Path, key: str, value: object, message: str
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    said = json.loads((copy / "credible.json").read_text(encoding="utf-8"))
    said["sampling"][key] = value
    (copy / "credible.json").write_text(json.dumps(said), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        noisyor.load(copy)


def test_averages_are_over_the_draws(exact: Learned, sampled: Learned) -> None:
    networks = fit_members(DATA, sampled.credible, most=300)
    assert networks.draws is not None
    assert int(networks.draws.sum()) == 300
    assert networks.shortfalls == sampled.shortfalls
    target = DATA.names[0]
    mine, theirs = sampled.query([target]), exact.query([target])
    assert dict(mine[target]) == pytest.approx(dict(theirs[target]), abs=0.02)


def test_the_summary_says_how_it_was_sampled(sampled: Learned) -> None:
    said = credible_summary(sampled.credible)
    sampling = sampled.credible.sampling
    assert sampling is not None
    assert said["sampling"] == {
        "draws": 800,
        "chains": 4,
        "spacing": sampling.spacing,
        "seed": 1,
        "r_hat": sampling.r_hat,
        "effective": sampling.effective,
    }


def test_the_report_has_the_standard_error_of_every_arc(sampled: Learned) -> None:
    content = json.loads(json.dumps(sampled.report_content()))
    check_content(content)
    errors = content["set"]["sampling"]["arc_errors"]
    edges = sampled.credible.edges()
    for arc, error in zip(content["arcs"], errors, strict=True):
        use = edges[DATA.names[arc["parent"]], DATA.names[arc["child"]]]
        assert error == pytest.approx(use.standard_error, rel=1e-5)
    content["set"]["sampling"]["arc_errors"] = errors[1:]
    with pytest.raises(FormatError, match="one for each arc"):
        check_content(content)


def test_shares_are_printed_with_their_errors(
    sampled: Learned, exact: Learned, capsys: pytest.CaptureFixture[str]
) -> None:
    print_summary(sampled.credible, 1.0)
    printed = capsys.readouterr().out
    assert "800 networks near the best one found were drawn" in printed
    assert "% ± " in printed
    print_summary(exact.credible, 1.0)
    assert "±" not in capsys.readouterr().out


def test_a_single_network_is_spoken_of_in_the_singular(
    exact: Learned, capsys: pytest.CaptureFixture[str]
) -> None:
    table = exact.table
    assert table is not None
    row = {family: at for at, (family, _) in enumerate(table.families())}
    best = np.array([row[family] for family in exact.credible.best.families])
    only = table.select(best)
    places = np.arange(len(best))
    print_summary(sample_credible(only, BayesFactor(20), best=places, effort=EFFORT), 1.0)
    assert "drawn, 1 different one is known: shares" in capsys.readouterr().out
