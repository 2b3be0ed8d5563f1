"""Table 1: the measures by hand, the tests drawn, the readings, and the page from small results."""

import json
import sys
from math import inf, log
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from benchmarks.paper.table1 import __main__ as table1
from benchmarks.paper.table1 import page as table1_page
from benchmarks.paper.table1.cells import Cell, draw, fitted, undetermined
from benchmarks.paper.table1.figure import figures
from benchmarks.paper.table1.measures import (
    absent_chances,
    covers,
    divergences,
    finite_sum,
    held_within,
    likeness,
    relative_errors,
    summary,
    total_relative_error,
)
from benchmarks.paper.table1.published import (
    STARTS,
    closest_descent,
    divergence,
    misread,
    misread_errors,
    table_of,
)
from benchmarks.paper.table1.readings import recovery
from benchmarks.paper.table1.stored import cells_of, interval, text
from benchmarks.paper.table1.verdicts import verdict
from benchmarks.paper.table2.emulation.descent import Observed, descend
from noisyor.core import NoisyOr


def rows(*values: list[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)


def counted(parents: int, *records: tuple[int, int, int]) -> Cell:
    """Return one test with the given number of records of each (configuration, child)."""
    counts = np.zeros((1, 2 ** (parents + 1)), dtype=np.int64)
    for configuration, child, number in records:
        counts[0, configuration | child << parents] = number
    return Cell(np.full((1, parents), 0.5), counts)


def test_chances_are_those_of_the_package() -> None:
    q = rows([0.2, 0.5, 0.9], [0.1, 1, 0])
    expected = [1 - NoisyOr(one).expand().present for one in q]
    np.testing.assert_allclose(absent_chances(q), expected)


def test_relative_errors_by_hand() -> None:
    fitted_q, truth = rows([0.3, 0.2]), rows([0.2, 0.8])
    np.testing.assert_allclose(relative_errors(fitted_q, truth), [[0.5, 0.75]])
    np.testing.assert_allclose(total_relative_error(fitted_q, truth), [0.7])


def test_a_divergence_by_hand() -> None:
    terms = divergences(rows([1, 0.5, 0.5, 0.5, 0]), rows([1, 0.25, 0, 1, 0.25]))
    expected = [0, 0.5 * log(2) + 0.5 * log(0.5 / 0.75), inf, inf, log(1 / 0.75)]
    np.testing.assert_allclose(terms, [expected])
    np.testing.assert_allclose(finite_sum(terms), [sum(one for one in expected if one < inf)])


def test_what_a_fit_rules_out_is_infinite_left_out_or_held() -> None:
    fits = fitted(counted(1, (0, 0, 5), (1, 1, 5)).datasets(), "newton")
    assert fits.q.tolist() == [[0.0]]
    found = recovery(rows([0.5]), fits)
    assert found["kl"].tolist() == [inf]
    assert found["kl_finite"].tolist() == [0.0]  # no cause, no effect: both are certain of it
    held = 0.5 * log(0.5 / 0.001) + 0.5 * log(0.5 / 0.999)
    np.testing.assert_allclose(found["kl_held"], [held])
    assert found["relative"].tolist() == [1.0]


def test_the_configuration_without_a_cause_is_not_held() -> None:
    assert held_within(rows([1, 1, 0, 0.5]), 0.1).tolist() == [[1, 0.9, 0.1, 0.5]]


def test_a_summary_has_the_median_and_its_spread() -> None:
    one = summary(np.arange(101.0), seed=1)
    assert (one["median"], one["lower_quartile"], one["upper_quartile"]) == (50, 25, 75)
    # The median of 30 of a uniform on 0..100 has a standard deviation of about 100 / 2 sqrt(32).
    assert 30 < one["low"] < 38
    assert 62 < one["high"] < 70
    assert one == summary(np.arange(101.0), seed=1)
    constant = summary(np.full(5, 0.25), seed=1)
    assert set(constant.values()) == {0.25}


def test_infinite_figures_are_stored_as_json_can() -> None:
    one = summary(rows(1, inf, inf), seed=1)  # type: ignore[arg-type]
    assert one["median"] is None
    assert json.loads(json.dumps(one, allow_nan=False)) == one
    assert text(one["median"]) == "infinite"
    assert covers({"low": 0.5, "high": None}, 3)


def test_figures_are_written_as_in_the_paper() -> None:
    assert [text(value) for value in (12.084, 0.1, 0.0996, 0.06, 0.0051, 0)] == [
        *("12.08", "0.10", "0.10", "0.060", "0.0051", "0.00")
    ]


def test_likeness_by_hand() -> None:
    ours = [
        {"median": 0.2, "low": 0.15, "high": 0.3},
        {"median": 0.1, "low": 0.09, "high": 0.11},
        {"median": 9.0, "low": 8.0, "high": 10.0},
    ]
    like = likeness(ours, [0.1, 0.4, 0.01])
    assert like["factor"] == pytest.approx(np.exp((log(2) + log(4)) / 2))
    assert like["worst"] == pytest.approx(4)
    assert (like["compared"], like["covered"], like["cells"]) == (2, 0, 3)
    assert likeness(ours[:1], [0.145])["covered"] == 1  # printed 0.145 may be 0.15
    assert likeness(ours[:1], [0.01])["factor"] is None


def test_tests_are_drawn_as_promised() -> None:
    few, many = draw(3, 100, 5), draw(3, 100, 200)
    np.testing.assert_array_equal(few.truth, many.truth[:5])
    np.testing.assert_array_equal(few.counts, many.counts[:5])
    np.testing.assert_array_equal(few.truth, draw(3, 500, 5).truth)
    assert set(many.counts.sum(axis=1)) == {100}
    percents = np.rint(many.truth * 100)
    np.testing.assert_allclose(many.truth, percents / 100)
    assert percents.min() >= 1
    assert percents.max() <= 99
    absent, present = draw(2, 1000, 300).by_configuration()
    assert present[:, 0].sum() == 0  # no cause, no effect
    shares = (absent + present).sum(axis=0) / (300 * 1000)
    np.testing.assert_allclose(shares, 0.25, atol=0.005)


def test_the_child_follows_the_truth() -> None:
    cell = draw(2, 1000, 400)
    absent, present = cell.by_configuration()
    expected = absent_chances(cell.truth) * (absent + present)
    assert abs(absent.sum() - expected.sum()) < 4 * np.sqrt(expected.sum())


def test_data_sets_have_the_records_of_the_cell() -> None:
    cell = counted(2, (0, 0, 4), (1, 1, 2), (3, 1, 5))
    (data,) = cell.datasets()
    assert data.bits[:, 0].tolist() == [0, 0b101, 0b111]
    assert data.weights.tolist() == [4, 2, 5]


def test_an_open_q_is_noticed() -> None:
    # The second cause occurs only with the first, after which the effect is certain.
    cell = counted(2, (0, 0, 3), (1, 1, 3), (3, 1, 3))
    assert undetermined(cell, rows([0, 0])).tolist() == [True]
    assert undetermined(cell, rows([0.1, 0])).tolist() == [False]
    alone = counted(2, (1, 1, 3), (2, 1, 3))
    assert undetermined(alone, rows([0, 0])).tolist() == [False]


def test_the_published_divergence_counts_what_was_observed_only() -> None:
    # The truth is q = 1/2; the configuration of the second cause alone has no record.
    cell = counted(2, (0, 0, 4), (1, 0, 1), (1, 1, 3), (3, 1, 2))
    found = divergence(cell, absent_chances(rows([0.25, 0.0])))
    observed = 0.25 * log(0.25 / 0.5) + 0.75 * log(0.75 / 0.5)
    replaced = 0.00001 * log(0.00001 / 0.25) + 0.99999 * log(0.99999 / 0.75)
    np.testing.assert_allclose(found, [observed + replaced])
    table = table_of(cell)
    assert table[0, [0, 1, 3]].tolist() == [1, 0.25, 0]
    np.testing.assert_allclose(divergence(cell, table), [observed + replaced])


def test_records_for_em_are_misread_where_the_child_is_present() -> None:
    cell = counted(2, (0b01, 0, 5), (0b01, 1, 3), (0b10, 1, 2), (0b11, 1, 4))
    # The child, present, becomes the first cause; the first cause becomes the child.
    expected = counted(2, (0b01, 0, 5), (0b01, 1, 3), (0b11, 0, 2), (0b11, 1, 4))
    assert misread(cell).counts.tolist() == expected.counts.tolist()
    # Of the eight records with the first cause alone, three have the effect.
    alone = counted(1, (1, 0, 5), (1, 1, 3))
    np.testing.assert_allclose(misread_errors(alone), [abs(5 / 8 - 0.5) / 0.5])


def test_of_five_descents_the_one_closest_to_the_truth_is_kept() -> None:
    cell = draw(3, 100, 20)
    closest = relative_errors(closest_descent(cell), cell.truth).mean(axis=1)
    observed = Observed(*cell.by_configuration())
    for start in STARTS:
        one = descend(observed, np.full(cell.truth.shape, start))
        assert (closest <= relative_errors(one, cell.truth).mean(axis=1)).all()


def paper() -> Results:
    return {
        f"{measure}/{parents}/100": {"kl": kl, "em": em}
        for measure, kl, em in (("relative_error", 0.2, 1.1), ("conditional_kl", 0.04, 0.03))
        for parents in (2, 3)
    }


@pytest.fixture(scope="module")
def results() -> Results:
    """Return small results as they are stored: two sizes, of which one has only thirty tests."""
    made = {
        "paper": paper(),
        "2/100/30": table1.measure(2, 100, 30),
        "3/100/30": table1.measure(3, 100, 30),
        "2/100/1000": table1.measure(2, 100, 50) | {"tests": 1000},
    }
    stored: Results = json.loads(json.dumps(made, allow_nan=False))
    return stored


def test_the_three_fitters_agree(results: Results) -> None:
    one = results["2/100/30"]
    assert one["fitters"]["newton"]["worst_excess"] == 0
    assert 0 <= one["fitters"]["em"]["worst_excess"] < 1e-4
    assert one["fitters"]["em"]["converged"] == 30
    medians = [one["measures"][f"relative/{name}"]["median"] for name in ("em", "newton")]
    assert medians[0] == pytest.approx(medians[1], abs=1e-3)


def test_the_page_is_made_of_the_results(results: Results) -> None:
    page = table1_page.section(results, images="pictures")
    assert page.startswith("## Table 1")
    measures = results["2/100/1000"]["measures"]
    descended = measures["relative/descended"]["median"]
    certified = measures["relative/newton"]
    assert f"| 100 | 2 | 0.20 | {text(descended)} | {interval(certified)} | yes |" in page
    assert "](pictures/table1-recovery.svg)" in page
    misread_text = interval(measures["relative/misread"])
    em = text(measures["relative/em"]["median"])
    table = interval(measures["kl_published/table"])
    assert f"| 100 | 2 | 1.10 | {misread_text} | {em} | 0.03 | {table} |" in page
    worse = dict(results["paper"]) | {"relative_error/2/100": {"kl": 0.0, "em": 1.1}}
    assert "**no**" in table1_page.section(results | {"paper": worse})


def test_a_page_of_thirty_tests_alone_has_no_figure(results: Results, tmp_path: Path) -> None:
    few = {key: one for key, one in results.items() if not key.endswith("/1000")}
    assert "table1-recovery.svg" not in table1_page.section(few)
    assert figures(few, tmp_path) == []


def test_weights_divide_by_the_number_of_configurations(results: Results) -> None:
    cells = cells_of(results, 30)
    plain, weighted = (cells.measure(f"{name}/newton") for name in ("kl_finite", "kl_weighted"))
    assert [one["median"] for one in weighted] == [
        plain[0]["median"] / 4,
        plain[1]["median"] / 8,
    ]


@pytest.mark.parametrize(
    ("median", "low", "printed", "said"),
    [
        (0.20, 0.10, 0.20, "yes"),
        (0.204, 0.10, 0.20, "yes"),
        (0.21, 0.19, 0.20, "no, within chance"),
        (0.30, 0.21, 0.20, "**no**"),
        (None, 0.19, 0.20, "no, within chance"),
        (None, None, 0.20, "**no**"),
    ],
)
def test_verdicts(median: float | None, low: float | None, printed: float, said: str) -> None:
    assert verdict({"median": median, "low": low, "high": None}, printed) == said


def test_the_figure_is_the_same_each_time(results: Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (one,) = figures(results, tmp_path / "one")
    (other,) = figures(results, tmp_path / "other")
    assert one.read_bytes() == other.read_bytes()
    assert b"N = 100" in one.read_bytes()


def test_what_is_kept_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written = "parents,measure,n100_kl,n100_em,n500_kl,n500_em,n1000_kl,n1000_em\n"
    written += "2,relative_error,0.16,1.07,0.07,1.07,0.05,1.00\n"
    written += "2,conditional_kl,0.04,0.05,0.01,0.01,0.00,0.01\n"
    (tmp_path / table1.PAPER_FILE).write_text(written)
    monkeypatch.setattr(table1, "RESULTS", tmp_path / "table1.jsonl")
    monkeypatch.setattr(table1, "IMAGES_FOLDER", tmp_path)
    wanted = ["--paper", str(tmp_path), "--parents", "2", "--tests", "30", "--records"]
    monkeypatch.setattr(sys, "argv", ["table1.py", *wanted, "100"])
    table1.main()
    assert capsys.readouterr().out.startswith("2/100/30: ")
    monkeypatch.setattr(sys, "argv", ["table1.py", *wanted, "100", "500"])
    table1.main()
    assert capsys.readouterr().out.startswith("2/500/30: ")
    kept = KeptResults(tmp_path / "table1.jsonl").results()
    assert set(kept) == {"paper", "2/100/30", "2/500/30"}
    assert kept["paper"]["conditional_kl/2/100"] == {"kl": 0.04, "em": 0.05}
    assert (tmp_path / "table1.md").read_text().startswith("# Table 1")


def test_a_missing_paper_ends_with_what_to_put_where(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"put the paper's Table 1 there as table1_recovery\.csv"):
        table1.paper_figures(tmp_path)


def test_no_page_without_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table1, "RESULTS", tmp_path / "table1.jsonl")
    monkeypatch.setattr(sys, "argv", ["table1.py", "--page-only"])
    with pytest.raises(SystemExit, match="without --page-only"):
        table1.main()
