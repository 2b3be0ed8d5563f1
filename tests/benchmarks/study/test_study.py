"""The study's statistics, by hand; its plan; its page and figures from a tiny stored result."""

from pathlib import Path

import pytest

from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.learning_jobs import Job
from benchmarks.harness.markdown import listed
from benchmarks.harness.measuring import Results
from benchmarks.harness.random_networks import Kind
from benchmarks.study import __main__ as study
from benchmarks.study.answers import verdict
from benchmarks.study.figures import CALIBRATION, HELD_OUT, draw, figures
from benchmarks.study.page import coverage, section
from benchmarks.study.plan import (
    COMMON_SIZE,
    CURVE_VARIABLES,
    KINDS,
    RANDOM,
    RANDOM_RESULTS,
    SIZES,
    TRUE,
    choices,
    random_jobs,
    stored_study,
    true_jobs,
)
from benchmarks.study.statistics import (
    Band,
    Outcome,
    calibration,
    counted,
    curve_outcomes,
    excess,
    less,
    mean_band,
    outcomes_of,
    per_arc,
    plain,
    ratio_band,
    share_band,
    wilson,
)
from benchmarks.study.tables import band_text, percent_text


def _side(shd: int, held_out: float, hits: int, *, proven: bool = True) -> Results:
    bins = [[0, 4, 0.2, 1], [9, 2, 1.9, hits]]
    return {
        "proven": proven,
        "complete": proven,
        "shd": shd,
        "cpdag_shd": shd,
        "precision": 0.5,
        "recall": 0.25,
        "skeleton_precision": 0.5,
        "skeleton_recall": 0.25,
        "noisy_or": 2,
        "noisy_or_parents": 1,
        "noisy_or_found": 1,
        "held_out_best": held_out,
        "held_out_average": held_out + 0.01 if proven else None,
        "calibration": {"arcs": bins, "skeleton": bins, "compelled": bins} if proven else None,
    }


def _result(both: int, cpt: int, *, proven: bool = True) -> Results:
    return {
        "variables": 8,
        "truth": {"arcs": 4, "noisy_or": 2, "held_out": -3.0, "held_out_smoothed": -3.01},
        "both": _side(both, -3.1, 2, proven=proven),
        "cpt": _side(cpt, -3.4, 1),
    }


def _tiny() -> dict[str, Results]:
    networks = [f"{kind}-8-{one}" for kind in KINDS for one in range(6)]
    tiny = {
        f"{network}/{size}/0": _result(1, 2 + place % 3)
        for place, network in enumerate(networks)
        for size in (100, 500)
    }
    repeats = {f"asia/{size}/{repeat}": _result(3, 2) for size in (100, 200) for repeat in range(6)}
    return tiny | repeats


def test_the_plan_has_a_job_once_and_curves_of_networks_with_all_sizes() -> None:
    jobs = [*random_jobs(choices()), *true_jobs(choices())]
    assert len(jobs) == len(set(jobs))
    assert len(random_jobs(choices())) == 2 * sum(
        share.repeats * len(share.sizes) for share in RANDOM.values()
    )
    assert len(true_jobs(["alarm"])) == TRUE["alarm"].repeats * len(TRUE["alarm"].sizes)
    assert {job.network for job in random_jobs(["mixed-30"])} == {
        f"mixed-30-{one}" for one in range(RANDOM[30].repeats)
    }
    assert all(COMMON_SIZE in share.sizes for share in RANDOM.values())
    assert all(RANDOM[variables].sizes == SIZES for variables in CURVE_VARIABLES)


def test_outcomes_know_their_group_and_cluster() -> None:
    results = {"noisy-or-8-3/100/0": _result(1, 2), "asia/200/4": _result(1, 2)}
    random, true = outcomes_of(results)
    assert (random.group, random.cluster, random.variables) == ("noisy-or", "noisy-or-8-3/0", 8)
    assert (true.group, true.cluster, true.records) == ("asia", "asia/4", 200)


def test_only_pairs_of_proven_optima_are_compared() -> None:
    killed = Outcome("asia", "asia/0", 8, 100, {"nothing_because": "it was killed"})
    open_one = Outcome("asia", "asia/1", 8, 100, _result(1, 2, proven=False))
    good = Outcome("asia", "asia/2", 8, 100, _result(1, 2))
    assert [one.comparable for one in (killed, open_one, good)] == [False, False, True]
    assert curve_outcomes([killed, open_one, good], "asia") == [good]


def test_a_curve_over_records_has_only_networks_run_with_every_number_of_records() -> None:
    results = {"mixed-8-0/100/0": _result(1, 2), "mixed-30-0/100/0": _result(1, 2)}
    assert [one.variables for one in curve_outcomes(outcomes_of(results), "mixed")] == [8]


def test_a_ratio_weighs_clusters_by_their_denominators() -> None:
    band = ratio_band({"a": (1.0, 1.0), "b": (1.0, 3.0), "empty": (0.0, 0.0)})
    assert band is not None
    # Two clusters: the draws are aa, ab, ba, bb with ratios 1, 1/2, 1/2, 1/3.
    assert (band.middle, band.clusters) == (0.5, 2)
    assert (band.low, band.high) == pytest.approx((1 / 3, 1.0))


def test_a_band_needs_two_clusters_and_is_the_same_in_any_order() -> None:
    assert ratio_band({"a": (1.0, 2.0)}) is None
    parts = {name: (place * 1.5, 2.0) for place, name in enumerate("abcdefgh")}
    assert ratio_band(parts) == ratio_band(dict(reversed(parts.items())))


def test_the_band_of_a_mean_is_near_that_of_theory() -> None:
    # 100 clusters of 0 and 1, half each: the standard error of the mean is 0.05.
    band = ratio_band({f"{place:03}": (place % 2, 1.0) for place in range(100)})
    assert band is not None
    assert (band.low, band.high) == pytest.approx((0.5 - 1.96 * 0.05, 0.5 + 1.96 * 0.05), abs=0.02)


def test_means_leave_out_what_has_no_value() -> None:
    outcomes = [
        Outcome("asia", f"asia/{repeat}", 8, 100, {"both": {"precision": value}})
        for repeat, value in enumerate([0.5, None, 1.0])
    ]
    band = mean_band(outcomes, plain("both", "precision"))
    assert band is not None
    assert (band.middle, band.clusters) == (0.75, 2)


def test_readings_of_a_result() -> None:
    result = _result(1, 2)
    assert per_arc("both", "shd")(result) == 0.25
    assert less(per_arc("both", "shd"), per_arc("cpt", "shd"))(result) == -0.25
    assert excess("both", "best")(result) == pytest.approx(0.1)
    assert excess("cpt", "best")(result) == pytest.approx(0.4)
    assert excess("both", "average")(_result(1, 2, proven=False)) is None
    result["both"]["noisy_or_found"] = None
    assert counted("both", "noisy_or_found")(result) == 0
    assert less(plain("both", "noisy_or_found"), plain("cpt", "recall"))(result) is None


def test_a_share_is_of_sums() -> None:
    outcomes = [
        Outcome("mixed", name, 8, 100, {"truth": {"noisy_or": whole}, "both": {"found": part}})
        for name, part, whole in (("a", 1, 1), ("b", 1, 4), ("c", None, 0))
    ]
    band = share_band(outcomes, plain("both", "found"), plain("truth", "noisy_or"))
    assert band is not None
    assert band.middle == pytest.approx(2 / 5)


def test_wilsons_interval() -> None:
    # Known values: 0 of 10 gives 0 to 0.2775, 5 of 10 gives 0.2366 to 0.7634.
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=5e-5)


def test_calibration_adds_bins_up_and_is_never_narrower_than_a_binomial_interval() -> None:
    outcomes = outcomes_of({f"asia/100/{repeat}": _result(1, 2) for repeat in range(6)})
    low, high = calibration(outcomes, "both", "arcs")
    assert (low.number, low.pairs, low.true_share.middle) == (0, 24, 0.25)
    assert low.mean_weight == pytest.approx(0.05)
    assert (high.number, high.pairs, high.true_share.middle) == (9, 12, 1.0)
    # Every cluster says the same, so a bootstrap alone would be certain.
    assert (high.true_share.low, high.true_share.high) == pytest.approx(wilson(12, 12))
    assert calibration(outcomes, "cpt", "arcs")[-1].true_share.middle == 0.5


def test_verdicts_follow_the_intervals() -> None:
    bands = {
        100: Band(-0.3, -0.4, -0.1, 10),
        200: Band(-0.1, -0.2, 0.0, 10),
        500: Band(0.3, 0.1, 0.4, 10),
        1000: Band(-0.3, -0.4, -0.1, 5),  # too few to be called clear
    }
    assert verdict(bands, better_below=True) == (
        "clearly better with N = 100; clearly worse with N = 500; not clear with N = 200 and 1,000"
    )
    assert verdict(bands, better_below=False).startswith("clearly better with N = 500;")
    assert verdict({100: bands[100]}, better_below=True) == "clearly better with every N"
    assert verdict({}, better_below=True) == "no samples yet"


def test_numbers_are_written_as_people_read_them() -> None:
    assert band_text(Band(-0.001, -0.5, 0.25, 9)) == "0.00 [-0.50, 0.25]"
    assert band_text(None) == "-"
    assert percent_text(Band(0.5, 0.25, 1.0, 9)) == "50 % [25, 100]"
    assert listed([100, 2000, 5000]) == "100, 2,000 and 5,000"
    assert listed([100]) == "100"


def test_results_are_read_from_both_files_and_only_those_of_the_plan(tmp_path: Path) -> None:
    random_path, true_path = tmp_path / "random.jsonl", tmp_path / "true.jsonl"
    KeptResults(random_path).add("mixed-8-0/100/0", _result(1, 2))
    kept = KeptResults(true_path)
    kept.add("asia/100/0", _result(1, 3))
    kept.add("asia/100/49", _result(1, 3))
    assert list(stored_study(random_path, true_path)) == ["mixed-8-0/100/0", "asia/100/0"]


def test_what_is_left_out_is_said() -> None:
    results = {
        "asia/100/0": _result(1, 2),
        "asia/100/1": _result(1, 2, proven=False),
        "mixed-30-2/500/0": {"nothing_because": "it was killed after 540 s"},
    }
    text = coverage(outcomes_of(results))
    assert "3 have a result" in text
    assert "2 are left out" in text
    assert "(asia 1, mixed-30 1)" in text
    results["asia/100/0"]["both"]["complete"] = False
    assert "1 more have an incomplete credible set" in coverage(outcomes_of(results))


def test_the_page_says_what_the_results_say() -> None:
    page = section(_tiny())
    assert page.startswith("## ")
    # Twelve networks: 1 of 4 arcs wrong with noisy-ORs, (2 + 3 + 4) / 3 without, so -0.5.
    assert "| noisy-or | 100 | 6 | 0.25 | 0.75 | -0.50 [" in page
    assert "- `mixed` networks, SHD with noisy-ORs allowed: clearly better with every N." in page
    assert "| asia | 200 | 6 | 0.25 [0.25, 0.25] |" in page
    assert (
        "SHD with noisy-ORs allowed: of 2 cells (network and N), 0 clearly better, 2 clearly "
        in (page)
    )
    # 12 networks with two sizes and 2 arcs of weight 0.95 each, all of them true.
    assert "of 48 arcs with a weight of 0.9 or more (on average 0.950), 100 %" in page
    assert "50 % [50, 50]" in page  # half of the true noisy-ORs are found


def test_a_page_without_results_says_so() -> None:
    page = section({})
    assert "0 have a result" in page
    assert "no samples yet" in page


@pytest.mark.slow
def test_figures_are_drawn_small_and_shown_on_the_page(tmp_path: Path) -> None:
    page = section(_tiny())
    for path in figures(_tiny(), tmp_path):
        assert path.stat().st_size < 150_000
        assert f"images/results/{path.name})" in page
    assert len(list(tmp_path.iterdir())) == 5


def test_a_figure_is_the_same_each_time(tmp_path: Path) -> None:
    first = draw(CALIBRATION, outcomes_of(_tiny()), tmp_path).read_bytes()
    assert draw(CALIBRATION, outcomes_of(_tiny()), tmp_path).read_bytes() == first


@pytest.mark.parametrize("name", [HELD_OUT, CALIBRATION])
def test_a_figure_of_a_part_only_has_empty_panels(name: str, tmp_path: Path) -> None:
    some = [one for one in outcomes_of(_tiny()) if one.group == Kind.MIXED]
    assert b"<svg" in draw(name, some, tmp_path).read_bytes()


def test_a_part_is_run_alone_and_then_the_page_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[list[Job], Path, int, float]] = []

    def run(jobs: list[Job], _: object, path: Path, workers: int, limit: float) -> None:
        ran.append((jobs, path, workers, limit))

    monkeypatch.setattr(study, "run", run)
    monkeypatch.setattr(study, "write_page", lambda path, *_: (tmp_path / path.name).touch())
    arguments = ["study.py", "--only", "mixed-8", "--workers", "1", "--limit", "9"]
    monkeypatch.setattr("sys.argv", arguments)
    study.main()
    assert ran == [(random_jobs(["mixed-8"]), RANDOM_RESULTS, 1, 9.0)]
    assert (tmp_path / "study.md").exists()


def test_without_the_ground_truth_networks_it_says_what_to_put_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["study.py", "--only", "asia", "--networks", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"does not exist; --networks must name a folder"):
        study.main()


def test_the_page_alone_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "run", lambda *_: pytest.fail("it ran a job"))
    monkeypatch.setattr(study, "figures", lambda _, folder: (folder / "drawn").touch())
    monkeypatch.setattr(study, "stored_study", _tiny)
    monkeypatch.setattr(study, "PAGE", tmp_path / "study.md")
    monkeypatch.setattr(study, "IMAGES_FOLDER", tmp_path / "images")
    monkeypatch.setattr("sys.argv", ["study.py", "--page-only"])
    study.main()
    assert (tmp_path / "images" / "drawn").exists()
    assert (tmp_path / "study.md").read_text().startswith("# The study")
