"""Differences over folds are paired and their errors corrected; the page says what is stored."""

import re
from math import sqrt
from pathlib import Path

import pytest

from benchmarks.harness.measuring import Results
from benchmarks.heldout.figures import FIGURE, averaged, figures
from benchmarks.heldout.page import gain_text, section, verdict
from benchmarks.heldout.plan import (
    ALL,
    ALONE,
    EXACT,
    FOLDS,
    LEAKY,
    LEARNERS,
    LOGISTIC,
    PAPER,
    TABLES,
    WAYS,
    folds_of,
    jobs,
)
from benchmarks.heldout.statistics import (
    QUANTILES,
    Gain,
    best,
    gain_of,
    of_averaging,
    over_tables,
    stored_datasets,
)

GAINS = {TABLES: 0.0, PAPER: -0.2, LEAKY: 0.1, ALONE: -3.0}


def stored(dataset: str, fold: int, way: str) -> Results:
    """Return a result in which some ways differ from full tables by a known amount."""
    value = -5.0 + 0.1 * fold + GAINS.get(way, 0.0) + (0.01 * (fold % 2) if way == LEAKY else 0.0)
    if way == LOGISTIC:
        return {"variables": 4, "best": {"each": value + 0.5}, "unsettled": 0, "seconds": 1.0}
    exact = way in LEARNERS and dataset in EXACT
    return {
        "variables": 4,
        "records": 90,
        "held_out": 10,
        "best": {"joint": value, "each": value + 1, "plain": value - 1},
        "average": {"joint": value + 0.05, "each": value + 1} if exact else None,
        "exact": exact,
        "networks": 7 if exact else None,
        "seconds": 6.0,
    }


@pytest.fixture
def results() -> dict[str, Results]:
    return {
        f"{dataset}/{fold}/{way}": stored(dataset, fold, way)
        for dataset in ("zoo", "spectf")
        for fold in range(FOLDS)
        for way in WAYS
    }


def test_gains_are_paired_and_their_errors_corrected(results: dict[str, Results]) -> None:
    gain = over_tables(results, LEAKY)["zoo"]
    assert gain.mean == pytest.approx(0.105)
    spread = 0.005**2 * FOLDS / (FOLDS - 1)  # of gaps that are 0.1 and 0.11 by turns
    assert gain.error == pytest.approx(sqrt(spread * (1 / 10 + 1 / 9)))
    assert gain.half_width == pytest.approx(QUANTILES[FOLDS] * gain.error)
    assert gain.clearly_better
    assert over_tables(results, PAPER)["zoo"].clearly_worse
    alike = over_tables(results, ALL)["spectf"]
    assert (alike.clearly_better, alike.clearly_worse) == (False, False)


def test_a_data_set_of_fewer_folds_has_wider_intervals_and_says_so() -> None:
    some = {
        f"adult/{fold}/{way}": stored("adult", fold, way)
        for fold in range(folds_of("adult"))
        for way in WAYS
    }
    gain = over_tables(some, LEAKY)["adult"]
    assert gain.folds == folds_of("adult") == 5
    assert gain.half_width == pytest.approx(QUANTILES[gain.folds] * gain.error)
    spread = 0.01**2 * 0.3  # of gaps that are 0.1, 0.11, 0.1, 0.11, 0.1
    assert gain.error == pytest.approx(sqrt(spread * (1 / 5 + 1 / 9)))
    assert "| adult | 4 | 100 | locally, 5 folds |" in section(some)


def test_averages_are_of_the_sets_that_are_complete(results: dict[str, Results]) -> None:
    assert list(of_averaging(results, LEAKY)) == ["zoo"]
    assert of_averaging(results, LEAKY)["zoo"].mean == pytest.approx(0.05)
    assert averaged(results, ["zoo", "spectf"])["zoo"].mean == pytest.approx(0.155)


def test_a_missing_fold_leaves_a_data_set_out(results: dict[str, Results]) -> None:
    assert stored_datasets(results) == ["zoo", "spectf"]
    results["zoo/3/leaky"] = {"nothing_because": "it was killed"}
    assert list(over_tables(results, LEAKY)) == ["spectf"]
    del results["spectf/9/tables"]
    assert stored_datasets(results) == ["zoo"]
    assert gain_of(results, "spectf", (LEAKY, best("joint")), (TABLES, best("joint"))) is None


@pytest.mark.parametrize(
    ("gain", "text"),
    [
        (None, "-"),
        (Gain(0.0, 0.0), "0"),
        (Gain(0.1, 0.01), "+0.100 ± 0.010\\*"),
        (Gain(-0.1, 0.01), "**-0.100 ± 0.010**"),
        (Gain(0.1, 0.05), "+0.100 ± 0.050"),
    ],
)
def test_clear_gains_are_marked(gain: Gain | None, text: str) -> None:
    assert gain_text(gain) == text


def test_a_verdict_names_the_data_sets() -> None:
    gains = {"a": Gain(0.1, 0.01), "b": Gain(-0.2, 0.01), "c": Gain(0.0, 0.0)}
    assert verdict(gains) == (
        "of 3 data sets, clearly better than full tables on 1 (a), clearly worse on 1 (b), the "
        "same in every fold on 1 (c); the median gain is +0.000 nats."
    )
    assert verdict({}) == "not stored yet."


def test_the_page_says_what_is_stored(results: dict[str, Results]) -> None:
    text = section(results)
    planned = len(jobs())
    said = re.sub(r"\s+", " ", text)
    assert f"Of {planned:,} planned runs, {len(results):,} are stored" in said
    assert "- **Leaky noisy-ORs, the default**: of 2 data sets, clearly better" in said
    assert "Not run yet, or not all of their folds: hepatitis, iris" in said
    assert "| zoo | 4 | 100 | exactly | -4.550 | 3.000 | **-0.200 ± 0.000** |" in text
    assert "| spectf | 4 | 100 | locally |" in text
    assert "Not done" not in text
    results["zoo/3/leaky"] = {"nothing_because": "it was killed"}
    assert "Not done: zoo/3/leaky." in re.sub(r"\s+", " ", section(results))
    results["zoo/4/leaky"]["networks"] = None
    assert "(1 of 49 runs were stopped before)" in re.sub(r"\s+", " ", section(results))


def test_the_figure_is_drawn(results: dict[str, Results], tmp_path: Path) -> None:
    (path,) = figures(results, tmp_path)
    assert path.name == FIGURE
    drawn = path.read_text()
    assert drawn == figures(results, tmp_path)[0].read_text()
    assert drawn.count(">zoo, N = 100<") == 1
