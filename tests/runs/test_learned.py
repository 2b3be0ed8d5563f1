"""The result of learning can be queried, saved and loaded."""

import csv
import io
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import noisyor
from noisyor import pipeline
from noisyor.core import AIC, FormatError, MismatchError, SettingsError
from noisyor.core.request import Request
from noisyor.networks.arcs import arc_strength
from noisyor.pipeline import learn_request
from noisyor.reporting.page import report_html
from noisyor.runs.learned import Learned
from noisyor.runs.plan import Plan
from noisyor.search import search
from noisyor.search.members import component
from noisyor.search.members.counting import TIME_IS_UP, Hands, WalkToCount

if TYPE_CHECKING:
    from noisyor._kernels import kernels
    from noisyor.core.progress import Progress

DATA = noisyor.load_example("clinic")
FILES = {
    "run.json",
    "summary.json",
    "scores.parquet",
    "members.parquet",
    "credible.json",
    "best.json",
    "best.xdsl",
    "best.bif",
    "networks.json",
    "arcs.csv",
    "report.json",
    "report.html",
}


@pytest.fixture(scope="module", params=["table", "price"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / str(request.param)
    noisyor.learn(DATA, method=request.param, folder=folder, relations="paper")
    return folder


@pytest.fixture(scope="module")
def learned() -> Learned:
    return noisyor.learn(DATA, relations="paper")


def test_the_result_at_a_glance(learned: Learned) -> None:
    credible = learned.credible
    assert repr(learned) == (
        "Learned(9 credible networks of 11 variables, optimum 3766.931397, complete)"
    )
    assert learned.optimum == learned.lower_bound == credible.optimum
    assert (learned.count, learned.complete, learned.shortfalls) == (9, True, ())
    assert learned.best.structure == credible.best
    assert learned.best.cost == pytest.approx(credible.optimum, abs=1e-6)
    assert [one.cost for one in learned.best_members(3)] == sorted(
        one.cost for one in learned.members()
    )[:3]
    assert learned.arc_strength() == arc_strength(credible)
    assert set(learned.averaged_network(0.5).edges()) == set(credible.best.edges())
    assert learned.relations().nodes == 6
    assert learned.query(["flu"])["flu"]["yes"] == pytest.approx(0.208, abs=1e-6)


def test_data_may_be_a_file_a_frame_or_an_array(tmp_path: Path) -> None:
    path = tmp_path / "clinic.csv"
    path.write_bytes((Path(noisyor.data.__file__).parent / "bundled" / "clinic.csv").read_bytes())
    assert (
        noisyor.learn(path, relations="paper").optimum
        == noisyor.learn(DATA, relations="paper").optimum
    )


def test_a_time_before_the_call_counts() -> None:
    summary = learn_request(Request.of(DATA, relations="paper"), Plan(began=-1e6)).summary()
    assert summary["seconds"]["total"] > 1e6  # type: ignore[index]


def test_the_summary_has_what_is_promised(learned: Learned) -> None:
    said = learned.summary()
    promised = {
        *("variables", "records", "bayes_factor", "slack", "optimum", "networks", "complete"),
        *("families", "noisy_or", "best", "seconds"),
    }
    assert promised <= set(said)
    assert {"considered", "fitted", "kept"} <= set(said["families"])  # type: ignore[call-overload]
    assert {"nodes", "average_percent", "maximum_percent"} <= set(said["noisy_or"])  # type: ignore[call-overload]
    seconds = said["seconds"]
    assert {"load", "score", "search", "total"} <= set(seconds)  # type: ignore[call-overload]
    assert json.loads(json.dumps(said)) == said


@pytest.mark.parametrize("method", ["table", "price"])
def test_families_are_counted_in_all_and_by_relation(method: str) -> None:
    families = noisyor.learn(DATA, method=method, relations="paper").summary()["families"]
    by_relation = families["by_relation"]  # type: ignore[index]
    assert set(by_relation) == {"cpt", "noisy-or"}
    for key in ("considered", "kept"):
        assert families[key] == sum(one[key] for one in by_relation.values())  # type: ignore[index]
    if method == "price":
        assert by_relation["cpt"]["considered"] == 11 * 2**10
        assert by_relation["noisy-or"]["considered"] == 11 * (2**10 - 1)


def test_a_folder_holds_everything(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == FILES
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert (summary["networks"], summary["complete"]) == (9, True)
    arcs = list(csv.DictReader(io.StringIO((folder / "arcs.csv").read_text(encoding="utf-8"))))
    found = arc_strength(noisyor.learn(DATA, relations="paper").credible)
    assert [(one["from"], one["to"]) for one in arcs] == [(arc.parent, arc.child) for arc in found]
    assert [float(one["strength"]) for one in arcs] == pytest.approx(
        [arc.strength for arc in found]
    )
    assert noisyor.read_network(folder / "best.json") == noisyor.read_network(folder / "best.xdsl")
    assert "<html" in (folder / "report.html").read_text(encoding="utf-8")


def test_what_was_saved_is_loaded(folder: Path, learned: Learned) -> None:
    loaded = noisyor.load(folder)
    assert loaded.data is None
    assert loaded.credible.families == learned.credible.families or loaded.method == "price"
    assert (loaded.count, loaded.complete) == (9, True)
    assert loaded.optimum == pytest.approx(learned.optimum, abs=1e-9)
    assert loaded.best.distributions == learned.best.distributions
    assert {one.structure for one in loaded.members()} == {
        one.structure for one in learned.members()
    }
    assert [one.structure for one in loaded.best_members(4)] == [
        one.structure for one in learned.best_members(4)
    ]
    assert loaded.credible.costliest().cost == pytest.approx(learned.credible.costliest().cost)
    asked = (["pneumonia"], {"fever": "yes"})
    assert loaded.query(*asked)["pneumonia"]["yes"] == pytest.approx(
        learned.query(*asked)["pneumonia"]["yes"]
    )
    assert loaded.summary()["networks"] == 9


def test_a_loaded_run_can_be_saved_and_reported_again(folder: Path, tmp_path: Path) -> None:
    loaded = noisyor.load(folder)
    loaded.save(tmp_path / "copy")
    again = noisyor.load(tmp_path / "copy")
    assert again.best == loaded.best
    assert again.table == loaded.table is not None
    loaded.report(tmp_path / "report.html")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_samples_of_a_loaded_run_follow_the_weights(folder: Path) -> None:
    loaded = noisyor.load(folder).credible
    drawn = loaded.sample(2000, seed=1, weighted=True)
    best = sum(one.structure == loaded.best for one in drawn) / 2000
    raw = [math.exp(loaded.optimum - one.cost) for one in loaded.stream()]
    assert best == pytest.approx(1 / sum(raw), abs=0.05)


def test_without_records_nothing_is_fitted_anew(folder: Path) -> None:
    loaded = noisyor.load(folder)
    with pytest.raises(MismatchError, match="a saved run does not keep its records"):
        loaded.best_network(prior=1)
    with pytest.raises(MismatchError, match="other networks than the saved ones"):
        loaded.networks(most=3)


def test_a_run_that_was_complete_is_loaded(folder: Path) -> None:
    before = (folder / "report.html").stat().st_mtime_ns
    method = json.loads((folder / "run.json").read_text(encoding="utf-8"))["method"]
    again = noisyor.learn(DATA, method=method, folder=folder, relations="paper")
    assert again.saved is not None
    assert again.data is DATA
    assert (folder / "report.html").stat().st_mtime_ns == before


def test_of_many_networks_only_some_are_saved(tmp_path: Path) -> None:
    learned = noisyor.learn(DATA, folder=tmp_path / "run", max_networks=4, relations="paper")
    assert learned.count == 9
    loaded = noisyor.load(tmp_path / "run")
    assert loaded.count == 9
    assert loaded.query(["flu"]).members == 9
    with pytest.raises(MismatchError, match=r"holds 4 of 9 networks\. Learn again with a larger"):
        list(loaded.members())


def test_the_time_of_writing_is_told_and_shown(tmp_path: Path) -> None:
    shown: list[Progress] = []
    learned = noisyor.learn(DATA, folder=tmp_path / "run", progress=shown.append, relations="paper")
    told = [one.detail for one in shown if one.step == "writing"]
    assert told == ["networks with parameters", "report", "files"]
    seconds = learned.seconds
    assert seconds["write"] > 0
    assert seconds["total"] >= seconds["load"] + seconds["write"]
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["seconds"]["write"] == seconds["write"]
    assert summary["seconds"]["total"] == seconds["total"]
    assert summary["members_written"] == 9


def test_what_was_found_is_written_even_if_the_time_is_up(tmp_path: Path) -> None:
    learned = noisyor.learn(DATA, folder=tmp_path / "run", time_limit=1e-6, relations="paper")
    assert not learned.complete
    loaded = noisyor.load(tmp_path / "run")
    assert loaded.shortfalls == learned.shortfalls
    assert loaded.best == learned.best


def test_a_run_whose_counting_was_cut_off_is_saved_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def first_subtree_only(
        walk: WalkToCount, handle: "kernels.Members", hands: Hands
    ) -> tuple["kernels.CountedSubtrees", tuple[str, ...]]:
        with hands.clock.limit() as cancellation:
            return walk.count(handle, 0, 1, 1, cancellation), (TIME_IS_UP,)

    whole = noisyor.learn(DATA, 150, relations="paper").credible
    monkeypatch.setattr(component, "count_subtrees", first_subtree_only)
    learned = noisyor.learn(DATA, 150, folder=tmp_path / "run", relations="paper")
    assert TIME_IS_UP in learned.shortfalls
    assert learned.count < whole.count
    assert any(not use.networks for use in learned.credible.families)
    assert learned.credible.best == whole.best
    loaded = noisyor.load(tmp_path / "run")
    assert loaded.credible.families == learned.credible.families
    assert loaded.arc_strength() == learned.arc_strength()
    assert loaded.networks().shortfalls[-1].endswith("of the networks that were found are included")
    report = json.loads((tmp_path / "run" / "report.json").read_text(encoding="utf-8"))
    assert report_html(report) == (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("limit", "kept"), [(4.0, 0.8), (60.0, 1.0), (600.0, 1.0)])
def test_of_a_time_limit_some_is_kept_for_writing(
    limit: float, kept: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[float | None] = []

    def searched(*arguments: Any, time_limit: float | None, **options: Any) -> Any:  # noqa: ANN401
        limits.append(time_limit)
        return search(*arguments, time_limit=time_limit, **options)

    monkeypatch.setattr(pipeline, "search", searched)
    noisyor.learn(
        DATA, method="table", folder=tmp_path / "run", time_limit=limit, relations="paper"
    )
    noisyor.learn(DATA, method="table", time_limit=limit, relations="paper")
    (with_folder, without) = limits
    assert with_folder is not None
    assert without is not None
    assert limit - kept - 1.9 < with_folder < limit - kept
    assert with_folder < without < limit


def test_folders_are_made_on_the_way(tmp_path: Path, learned: Learned) -> None:
    learned.save(tmp_path / "made" / "on the way")
    assert noisyor.load(tmp_path / "made" / "on the way").count == 9


@pytest.mark.parametrize("name", ["credible.json", "best.json", "networks.json", "summary.json"])
def test_a_damaged_folder_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in folder.iterdir():
        if path.is_file():
            (copy / path.name).write_bytes(path.read_bytes())
    (copy / name).write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match=name):
        noisyor.load(copy)


def test_folders_that_are_no_runs(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not hold a finished run"):
        noisyor.load(tmp_path)
    with pytest.raises(FormatError, match=r"is a file; .* noisyor\.read_network\('.*'\)"):
        noisyor.load(__file__)
    (tmp_path / "letter.txt").write_text("Dear", encoding="utf-8")
    with pytest.raises(SettingsError, match="is not empty and is not the folder of a run"):
        noisyor.learn(DATA, folder=tmp_path, relations="paper")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]
    with pytest.raises(SettingsError, match="cannot use the folder"):
        noisyor.learn(DATA, folder=tmp_path / "letter.txt", relations="paper")


def test_an_incomplete_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = noisyor.learn(DATA, method="price", folder=folder, time_limit=1e-9, relations="paper")
    assert not first.complete
    assert not noisyor.load(folder).complete
    second = noisyor.learn(DATA, method="price", folder=folder, relations="paper")
    assert second.complete
    assert noisyor.load(folder).count == 9


def test_the_report_says_nothing_in_python(learned: Learned, tmp_path: Path) -> None:
    learned.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    shown = page[page.index("How the run went") :]
    assert "{&#39;" not in shown[: shown.index("</section>")]


def test_parameters_and_report_are_of_the_score_that_was_asked_for(tmp_path: Path) -> None:
    learned = noisyor.learn(DATA, 2, score="aic", folder=tmp_path / "run", relations="paper")
    assert learned.score is AIC
    assert learned.best.cost == pytest.approx(learned.optimum)
    assert learned.networks().optimum == learned.optimum
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "as BIC approximates" not in page
    assert noisyor.load(tmp_path / "run").score is AIC
