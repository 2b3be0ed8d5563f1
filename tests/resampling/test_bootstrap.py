"""A bootstrap counts the arcs of the best networks of resampled tables."""

import csv
import json
from collections import defaultdict
from dataclasses import replace
from math import inf, sqrt
from pathlib import Path

import pytest

from noisyor import learning
from noisyor.core import BayesFactor, Dataset, ScoreTable, SettingsError
from noisyor.core.bootstrap import Bootstrap, BootstrapArc, Resample
from noisyor.core.credible_set import Labels
from noisyor.core.errors import FormatError
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.formats.bootstrap_json import bootstrap_json, parse_bootstrap_json
from noisyor.learning import learn
from noisyor.pipeline import load
from noisyor.resampling import bootstrap as bootstrapping
from noisyor.resampling.tables import resampled
from noisyor.runs.learned import Learned, Method
from noisyor.search import BoundKind, Searched, search
from tests.cli.test_cli import refused, run
from tests.scoring.problems import random_dataset

DATA = random_dataset(4, 5, 80)
COUNT = 6


def bootstrapped(**options: object) -> Learned:
    given = {"bootstrap": COUNT, "seed": 2, "quiet": True, **options}
    return learn(DATA, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def whole() -> Learned:
    return bootstrapped(jobs=1)


def arcs_of(learned: Learned) -> tuple[BootstrapArc, ...]:
    assert learned.bootstrap is not None
    return learned.bootstrap.arcs


def shares_of(data: Dataset, factor: float) -> dict[tuple[str, str], float]:
    """Return the weight of each arc in all credible networks of some records."""
    found: dict[tuple[str, str], float] = defaultdict(float)
    for member in learn(data, factor, quiet=True).members():
        for arc in member.structure.edges():
            found[arc] += 1.0
    return found


def test_shares_are_those_of_resamples_learned_one_by_one(whole: Learned) -> None:
    expected: dict[tuple[str, str], float] = defaultdict(float)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for number in range(COUNT):
        table = resampled(DATA, 2, number)
        ties = learn(table, 1, quiet=True)
        for arc, count in shares_of(table, 1).items():
            expected[arc] += count / ties.count / COUNT
        for strength in learn(table, quiet=True).arc_strength():
            weights[strength.parent, strength.child] += strength.weight / COUNT
    found = {(arc.parent, arc.child): arc for arc in arcs_of(whole)}
    assert {arc: one.share for arc, one in found.items() if one.share} == pytest.approx(expected)
    assert {arc: one.weight for arc, one in found.items()} == pytest.approx(weights)
    assert whole.bootstrap is not None
    assert whole.bootstrap.complete
    assert whole.bootstrap.resamples == COUNT


@pytest.mark.parametrize("options", [{"jobs": 3}, {"method": "price", "jobs": 2}])
def test_threads_and_method_change_no_share(whole: Learned, options: dict[str, object]) -> None:
    shares = {(arc.parent, arc.child): arc.share for arc in arcs_of(whole) if arc.share}
    found = arcs_of(bootstrapped(**options))
    assert {(arc.parent, arc.child): arc.share for arc in found if arc.share} == shares
    if "method" not in options:
        assert found == arcs_of(whole)
    else:
        assert {arc.weight for arc in found} == {None}


def test_a_killed_run_resumes_to_the_same_result(
    whole: Learned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    learned: list[int] = []
    real = bootstrapping.learn_resample

    def mortal(recipe: object, stop: object, number: int, seconds: object) -> object:
        if len(learned) == 3:
            raise MemoryError("killed")
        learned.append(number)
        return real(recipe, stop, number, seconds)  # type: ignore[arg-type]

    monkeypatch.setattr(bootstrapping, "learn_resample", mortal)
    with pytest.raises(MemoryError, match="killed"):
        bootstrapped(folder=folder, jobs=1)
    assert sorted(learned) == [0, 1, 2]
    learned.clear()
    again = bootstrapped(folder=folder, jobs=1)
    assert sorted(learned) == [3, 4, 5]
    assert arcs_of(again) == arcs_of(whole)
    assert arcs_of(load(folder)) == arcs_of(whole)
    learned.clear()
    assert arcs_of(bootstrapped(folder=folder)) == arcs_of(whole)  # loaded
    bootstrapped(folder=folder, bootstrap=COUNT + 1)  # begins with those that are there
    assert learned == [COUNT]


def test_a_damaged_resample_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    bootstrapped(folder=folder)
    path = folder / "bootstrap" / "2-1.json"
    path.write_text(path.read_text().replace('"proven": true', '"proven": false'))
    with pytest.raises(FormatError, match=r"2-1.json is damaged: .* Remove .*2-1.json to repeat"):
        bootstrapped(folder=folder, bootstrap=COUNT + 1)


def test_ctrl_c_leaves_the_resamples_that_are_done(whole: Learned, tmp_path: Path) -> None:
    def interrupted(now: Progress) -> None:
        if now.step == "bootstrap" and now.detail.startswith("2 of"):
            raise KeyboardInterrupt

    found = bootstrapped(folder=tmp_path / "run", progress=interrupted, jobs=1)
    assert found.bootstrap is not None
    assert 2 <= found.bootstrap.resamples < COUNT
    (line,) = found.bootstrap.shortfalls
    assert line == f"{found.bootstrap.resamples} of {COUNT} bootstrap resamples were done in time"
    assert arcs_of(bootstrapped(folder=tmp_path / "run")) == arcs_of(whole)


def test_when_time_is_up_no_more_resamples_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> None:
        """Return what a resample that ran out of time returns."""

    monkeypatch.setattr(bootstrapping, "learn_resample", slow)
    found = bootstrapped(time_limit=20.0)
    assert found.bootstrap is not None
    assert found.bootstrap.resamples == 0
    assert found.bootstrap.arcs == ()
    assert found.complete


def test_a_resample_whose_set_is_not_counted_keeps_its_best_network(
    whole: Learned, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, counted = search, [0]

    def in_part(table: ScoreTable, factor: BayesFactor, **options: object) -> Searched:
        found = real(table, factor, **options)  # type: ignore[arg-type]
        counted[0] += factor.slack > 0
        if factor.slack and counted[0] > 2:
            return replace(found, credible=replace(found.credible, shortfalls=("cut short",)))
        return found

    monkeypatch.setattr(bootstrapping, "search", in_part)
    found = bootstrapped(jobs=1)
    assert found.bootstrap is not None
    assert found.bootstrap.resamples == COUNT
    assert found.bootstrap.weighted == 2
    (line,) = found.bootstrap.shortfalls
    assert line.startswith(f"{COUNT - 2} of {COUNT} bootstrap resamples have no weights")
    shares = {(arc.parent, arc.child): arc.share for arc in arcs_of(whole) if arc.share}
    assert {(a.parent, a.child): a.share for a in arcs_of(found) if a.share} == shares
    expected: dict[tuple[str, str], float] = defaultdict(float)
    for number in range(2):
        for strength in learn(resampled(DATA, 2, number), quiet=True).arc_strength():
            expected[strength.parent, strength.child] += strength.weight / 2
    weights = {(arc.parent, arc.child): arc.weight for arc in arcs_of(found) if arc.weight}
    assert weights == pytest.approx(expected)


def test_counting_one_resample_does_not_take_the_time_of_all() -> None:
    recipe = bootstrapping.Recipe(
        Request.of(DATA, jobs=2), Method.TABLE, Labels.BEST, BoundKind.AUTO, seed=0
    )
    run_of_ten = bootstrapping.Resampling(recipe, 10)
    run_of_ten.run(60.0)
    counting = run_of_ten._recipe.counting
    assert counting is not None
    assert counting <= 60 * 2 / 10


def test_without_a_resample_there_are_no_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrapping, "learn_resample", lambda *_: None)
    found = bootstrapped(time_limit=20.0, folder=tmp_path / "run")
    assert found.bootstrap is not None
    assert found.bootstrap.shortfalls == (f"0 of {COUNT} bootstrap resamples were done in time",)
    header = (tmp_path / "run" / "arcs.csv").read_text().splitlines()[0]
    assert "bootstrap" not in header
    assert "resampled tables" not in (tmp_path / "run" / "report.html").read_text()
    table = tmp_path / "clinic.csv"
    assert run("examples", "clinic", "-o", table).exit_code == 0
    said = run("learn", table, "--bootstrap", 2, "--time-limit", 60, "--quiet")
    assert "resampled tables" not in said.stdout
    assert "0 of 2 bootstrap resamples were done in time" in said.stderr
    assert "the same command" not in said.stderr


def test_an_unwanted_resample_ends() -> None:
    recipe = bootstrapping.Recipe(
        Request.of(DATA), Method.TABLE, Labels.BEST, BoundKind.AUTO, seed=0
    )
    assert bootstrapping.learn_resample(recipe, lambda: True, 0, None) is None


@pytest.mark.usefixtures("on_cluster")
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_cluster_finds_the_same(whole: Learned) -> None:
    assert arcs_of(bootstrapped()) == arcs_of(whole)


def test_errors_are_of_the_mean_and_never_none() -> None:
    names = ("a", "b")
    ones = [Resample(number, {(0, 1): 1.0}, None, True) for number in range(4)]
    halves = [Resample(number, {(0, 1): number % 2}, None, number < 1) for number in range(4)]
    (certain,) = Bootstrap.of(names, 4, 0, ones).arcs
    assert certain.share == 1
    assert 0 < certain.standard_error < 0.15
    found = Bootstrap.of(names, 5, 0, halves)
    assert found.arcs[0].share == 0.5
    assert found.arcs[0].standard_error == pytest.approx(sqrt(1 / 3 / 4))
    assert found.arcs[0].weight is None
    assert len(found.shortfalls) == 3
    assert found.shortfalls[-1].endswith("no mean weights")
    assert Bootstrap.of(names, 2, 0, ones[:1]).arcs[0].standard_error == 0.5
    assert found.unseen_arc().share == 0


def test_json_is_read_back(whole: Learned) -> None:
    assert whole.bootstrap is not None
    back = parse_bootstrap_json(bootstrap_json(whole.bootstrap))
    for part in ("names", "asked", "seed", "resamples", "unproven", "weighted", "arcs"):
        assert getattr(back, part) == getattr(whole.bootstrap, part)
    document = json.loads(bootstrap_json(whole.bootstrap))
    for change, complaint in (
        ({"resamples": 7}, "contradicts itself"),
        ({"weighted": 7}, "contradicts itself"),
        ({"arcs": [{**document["arcs"][0], "parent": "x"}]}, "'x', which is not a variable"),
        ({"arcs": [{**document["arcs"][0], "share": 1.5}]}, "is 1.5; a probability"),
    ):
        with pytest.raises(FormatError, match=complaint):
            parse_bootstrap_json(json.dumps({**document, **change}))


def test_a_folder_has_the_shares(whole: Learned, tmp_path: Path) -> None:
    whole.save(tmp_path / "run")
    with (tmp_path / "run" / "arcs.csv").open() as file:
        rows = {(row["from"], row["to"]): row for row in csv.DictReader(file)}
    by_arc = {(arc.parent, arc.child): arc for arc in arcs_of(whole)}
    assert by_arc.keys() <= rows.keys()
    for arc, row in rows.items():
        assert float(row["bootstrap"]) == (by_arc[arc].share if arc in by_arc else 0.0)
        assert float(row["bagged_weight"]) == (by_arc[arc].weight if arc in by_arc else 0.0)
        assert float(row["bootstrap_error"]) > 0
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Bootstrap ± standard error" in page
    assert f"the share of {COUNT} resampled tables" in page
    said = whole.summary()["bootstrap"]
    assert isinstance(said, dict)
    assert said["resamples"] == COUNT


def test_the_command_prints_shares(tmp_path: Path) -> None:
    table = tmp_path / "clinic.csv"
    assert run("examples", "clinic", "-o", table).exit_code == 0
    result = run("learn", table, "--bootstrap", 2, "--seed", 5, "--quiet")
    assert result.exit_code == 0, result.output
    assert "bootstrap: the share of 2 resampled tables (seed 5)" in result.stdout


@pytest.mark.parametrize("count", [-1, 0, 1, 10**7])
def test_other_numbers_of_resamples_are_refused(count: int) -> None:
    with pytest.raises(SettingsError, match=f"{count} bootstrap resamples .* 2 to 1,000,000"):
        bootstrapped(bootstrap=count)


def test_layers_need_a_time_limit() -> None:
    with pytest.raises(SettingsError, match="a bootstrap of learning by layers needs a time limit"):
        bootstrapped(method="layers", time_limit=inf)


def test_layers_share_the_time_that_a_run_gets_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "PATIENCE", 2.0)
    found = bootstrapped(method="layers", bootstrap=2, jobs=1)
    assert found.bootstrap is not None
    assert found.bootstrap.resamples <= 2


def test_layers_share_the_time() -> None:
    found = bootstrapped(method="layers", time_limit=2.0, bootstrap=2, jobs=1)
    assert found.bootstrap is not None
    assert found.bootstrap.resamples <= 2
    assert found.bootstrap.arcs or not found.bootstrap.resamples


def test_a_temperature_reaches_the_weights_of_resamples(whole: Learned) -> None:
    warm = bootstrapped(bayes_factor=BayesFactor(20, temperature=3), jobs=1)
    shares = {(arc.parent, arc.child): arc.share for arc in arcs_of(whole) if arc.share}
    assert {(a.parent, a.child): a.share for a in arcs_of(warm) if a.share} == shares
    assert {a.weight for a in arcs_of(warm)} != {a.weight for a in arcs_of(whole)}


def test_the_command_refuses_wrong_numbers(tmp_path: Path) -> None:
    table = tmp_path / "clinic.csv"
    assert run("examples", "clinic", "-o", table).exit_code == 0
    refused(run("learn", table, "--bootstrap", 1), "allowed: 2 to")
    refused(run("learn", table, "--bootstrap", 5, "--seed", -1), "the seed is -1")
