"""Table 2 compares stored results with the paper: nothing is lost, guessed or counted twice."""

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import measured_learning
from benchmarks.paper.table2 import __main__ as table2
from benchmarks.paper.table2.figures import figures
from benchmarks.paper.table2.page import section
from benchmarks.paper.table2.statistics import (
    PAPER,
    Row,
    Shares,
    compared,
    node_difference,
    percent_text,
    rows_of,
    step_value,
    usable,
)
from benchmarks.timings import learn
from noisyor.data.examples import load_example

SLACK = math.log(20)


def shares(percents: dict[str, float]) -> dict[str, Any]:
    values = list(percents.values())
    return {
        "nodes": len(values),
        "average_percent": sum(values) / len(values) if values else None,
        "maximum_percent": max(values, default=None),
        "percent_by_node": percents,
    }


def run(**changes: Any) -> dict[str, Any]:  # noqa: ANN401  (whatever a result holds)
    result: dict[str, Any] = {
        "variables": 17,
        "records": 101,
        "jobs": 2,
        "limit": 600.0,
        "method": "table",
        "relations": "both",
        "optimum": 100.0,
        "lower_bound": 100.0,
        "proven": True,
        "members": 1000,
        "complete": True,
        "shortfalls": [],
        "noisy_or": {
            "any_parents": shares({"X1": 100.0, "X2": 20.0}),
            "several_parents": shares({"X1": 50.0}),
            "in_best": 1,
        },
        "families": {
            "considered": 2000,
            "fitted": 300,
            "kept": 50,
            "by_relation": {"noisy-or": {"kept": 30}},
        },
        "search": None,
        "pricing": None,
        "fits": {"made": 5, "remembered": 0},
        "seconds": {"load": 0.5, "scoring": 2.0, "bounds": 0.25, "members": 0.125, "total": 3.0},
        "memory_mib": {"load": 90.0, "scoring": 120.0, "bounds": 110.0, "members": 100.0},
        "peak_mib": 120.0,
        "provenance": {"commit": "abc"},
    }
    return result | changes


def cpt_run(optimum: float, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    none = {"any_parents": shares({}), "several_parents": shares({}), "in_best": 0}
    settings = {"relations": "cpt", "optimum": optimum, "lower_bound": optimum, "noisy_or": none}
    return run(**(settings | changes))


def unfinished(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    return run(
        **{
            "optimum": 100.0,
            "lower_bound": 90.0,
            "proven": False,
            "complete": False,
            "members": 1,
            "shortfalls": ["the time was up"],
            "method": "price",
            "limit": 300.0,
        }
        | changes
    )


def row(both: Any = None, cpt: Any = None, name: str = "zoo", scored: Any = None) -> Row:  # noqa: ANN401
    return Row(name, PAPER[name], both, cpt, scored)


def results_of(**learned: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "learned": {key.replace("__", "/"): one for key, one in learned.items()},
        "scored": {},
        "emulated": {},
    }


def line_of(page: str, name: str, table: int) -> list[str]:
    """Return the cells of a data set in one of the page's tables."""
    lines = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in lines[table].strip("|").split("|")]


def test_the_papers_table_is_whole() -> None:
    assert list(PAPER) == sorted(PAPER, key=lambda name: PAPER[name].variables)
    assert set(PAPER) == set(learn.DATASETS)
    late = [name for name, one in PAPER.items() if one.shares is None]
    assert late == ["letter", "sensors", "wdbc"]
    assert sum(one.shares.nodes for one in PAPER.values() if one.shares is not None) == 73
    assert sum(one.shares is not None and one.shares.nodes > 0 for one in PAPER.values()) == 9


def test_shares_are_of_complete_sets_only() -> None:
    assert row(run()).shares() == Shares(2, 60.0, 100.0)
    assert row(run()).shares("several_parents") == Shares(1, 50.0, 50.0)
    assert row(cpt_run(1.0)).shares() == Shares(0, 0.0, 0.0)
    assert row(unfinished()).shares() is None
    assert row().shares() is None


def test_the_gain_is_a_number_where_both_are_proven_else_a_span() -> None:
    assert row(run(), cpt_run(107.5)).gain() == (7.5, 7.5)
    assert row(unfinished(), cpt_run(120.0)).gain() == (20.0, 30.0)
    assert row(run(), cpt_run(120.0, lower_bound=115.0)).gain() == (15.0, 20.0)
    assert row(run()).gain() is None


def test_equal_optima_are_equal_up_to_the_tolerance() -> None:
    assert row(run(), cpt_run(100.0 + 1e-9)).gains_nothing
    assert not row(run(), cpt_run(100.0 + 1e-5)).gains_nothing
    assert not row(unfinished(), cpt_run(100.0)).gains_nothing  # it may be lower


@pytest.mark.parametrize(
    ("both", "excess", "expected"),
    [
        (run(), SLACK + 0.01, True),
        (run(), SLACK, False),  # on the boundary: credible
        (run(), SLACK - 0.01, False),
        (unfinished(), SLACK + 0.01, True),  # a better network would only rule out more
    ],
)
def test_full_tables_alone_are_ruled_out_by_more_than_the_slack(
    both: dict[str, Any], excess: float, expected: bool
) -> None:
    assert row(both, cpt_run(100.0 + excess)).needs_noisy_or is expected


def test_an_unproven_optimum_of_full_tables_rules_out_by_its_bound() -> None:
    assert not row(run(), cpt_run(120.0, lower_bound=101.0)).needs_noisy_or
    assert row(run(), cpt_run(120.0, lower_bound=104.0)).needs_noisy_or


def test_pruning_by_rules_and_by_price_are_told_apart() -> None:
    by_rules = row(run()).pruned_by_rules()
    assert by_rules is not None
    assert (by_rules.considered, by_rules.looked_at, by_rules.kept) == (2000, 300, 50)
    assert by_rules.percent == 97.5
    assert row(run()).pruned_by_price() is None
    scored = {
        "families": {
            "cpt": {"considered": 1001, "fitted": 20, "kept": 10},
            "noisy-or": {"considered": 999, "fitted": 200, "kept": 90},
        }
    }
    priced = row(run(method="price"), scored=scored)
    rules, price = priced.pruned_by_rules(), priced.pruned_by_price()
    assert rules is not None
    assert price is not None
    assert (rules.considered, rules.looked_at, rules.kept, rules.kept_noisy_or) == (
        2000,
        220,
        100,
        90,
    )
    assert (rules.percent, price.percent) == (95.0, 97.5)
    assert row(run(method="price")).pruned_by_rules() is None
    assert row(unfinished()).pruned_by_price() is None


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        (89.17, "89.17"),
        (0.0, "0.00"),
        (99.5, "99.50"),
        (99.995, "99.9950"),
        (100 * (1 - 2e-9), "99.99999980"),
        (100.0, "100"),
    ],
)
def test_percentages_show_what_is_left(percent: float, text: str) -> None:
    assert percent_text(percent) == text


def test_seconds_of_a_step_add_up_and_memory_does_not() -> None:
    values = {"pricing": 1.5, "collecting": 2.0}
    assert step_value(values, "pricing", add=True) == 3.5
    assert step_value(values, "pricing", add=False) == 2.0
    assert step_value(values, "branching", add=True) is None


def test_results_of_older_versions_are_run_again_and_killed_ones_are_not() -> None:
    old = run()
    del old["noisy_or"]
    learned = {
        "zoo/auto": run(),
        "zoo/auto/cpt": cpt_run(1.0),
        "adult/auto": old,
        "adult/auto/cpt": {"nothing_because": "it was killed after 20 s"},
    }
    names = ("zoo", "adult", "nltcs")
    assert table2.missing(learned, names, again=False) == [
        ("adult", "both"),
        ("nltcs", "cpt"),
        ("nltcs", "both"),
    ]
    assert len(table2.missing(learned, names, again=True)) == 6
    assert table2.missing(learned, ["zoo"], again=False) == []


def test_results_of_older_versions_are_not_shown() -> None:
    assert usable({"learned": {"zoo/auto": {"members": 3}}, "scored": {"a": 1}}) == {}
    new: dict[str, Any] = {"learned": {"zoo/auto": {"noisy_or": {}}}, "scored": {}}
    assert usable(new) == new


def test_only_data_sets_that_both_finished_are_compared() -> None:
    rows = rows_of(
        results_of(zoo__auto=run(), letter__auto=run(), spectf__auto=unfinished(variables=45))
    )
    assert [one.name for one in compared(rows)] == ["zoo"]
    assert node_difference(compared(rows)[0]) == 2 - 7
    assert node_difference(compared(rows)[0], "several_parents") == 1 - 7
    with pytest.raises(ValueError, match="letter has no shares"):
        node_difference(next(one for one in rows if one.name == "letter"))


def test_the_page_sets_both_side_by_side() -> None:
    page = section(
        results_of(
            zoo__auto=run(),
            zoo__auto__cpt=cpt_run(112.5, members=40),
            letter__auto=run(records=20000),
            adult__auto=run(variables=14, records=30162),
        )
    )
    assert page.startswith("## Table 2")
    assert line_of(page, "zoo", 0) == [
        "zoo",
        "17",
        "101",
        "2 (7)",
        "60.0 (41.9)",
        "100.0 (99.4)",
        "1",
        "50.0",
    ]
    assert line_of(page, "letter", 0)[3] == "2 (OT)"
    assert line_of(page, "adult", 0)[2] == "30,162 (32,561)"
    assert line_of(page, "msnbc", 0)[1:4] == ["-", "-", "- (0)"]
    assert line_of(page, "zoo", 1)[1:] == ["100.0000", "112.5000", "12.50", "1", "1,000", "40"]
    assert line_of(page, "zoo", 2)[1:] == ["2,000", "table", "300", "50", "30", "97.50", "-", "-"]
    assert line_of(page, "zoo", 3)[1:] == [
        *("0.50", "2.00", "0.25", "-", "-", "-", "0.12"),
        "3.00",
        "3.00",
    ]
    assert line_of(page, "zoo", 4)[1:4] == ["90", "120", "110"]
    assert "2 data sets finished here and in the paper, 1 has more" in page
    assert "letter takes 3.0 s and 120 MiB" in page
    assert "differ in size for adult." in page
    assert "In 1 data sets the gain is above the slack (ln 20 = 3.00)" in page


def test_the_page_says_what_is_known_of_a_set_that_is_not_finished() -> None:
    page = section(
        results_of(
            spectf__auto=unfinished(variables=45, records=267),
            spectf__auto__cpt=cpt_run(
                250.0, complete=False, members=77, shortfalls=["not all counted"]
            ),
        )
    )
    assert line_of(page, "spectf", 0)[3:] == ["- (0)", "- (0.0)", "- (0.0)", "-", "-"]
    assert line_of(page, "spectf", 1)[1:] == [
        "<= 100.0000",
        "250.0000",
        "150.00 to 160.00",
        "1",
        ">= 1",
        ">= 77",
    ]
    assert "spectf, both relations: not finished within 300 s (the time was up)" in page
    assert "none costs less than 90.0000: a gap of 10.00 nats. It has 1 noisy-ORs." in page
    assert "spectf, full tables only: not finished within 600 s (not all counted)" in page
    assert "The optimum, 250.0000, is proven." in page
    assert "The paper has no noisy-OR for spectf." in page
    assert "150.00 (spectf, at least)" in page
    assert "0 of 16 data sets are complete" in page


def test_the_page_says_why_nothing_came_of_a_run() -> None:
    page = section(results_of(wdbc__auto={"nothing_because": "it was killed after 20 s"}))
    assert "- wdbc: it was killed after 20 s" in page


def test_the_page_of_learning_has_both_choices_of_relations() -> None:
    stored = {"zoo/auto": run(), "zoo/auto/cpt": cpt_run(112.5)}
    for one in stored.values():
        one["search"] = {"lp_gap": 0.0, "cuts": 0, "families_given": 50, "subsets": 9}
    page = learn.page(stored)
    assert page.index("## As `noisyor learn`") < page.index("## The same with full tables only")
    assert "| 100.0000 |" in page
    assert "| 112.5000 |" in page


def test_figures_are_small_and_the_same_every_time(tmp_path: Path) -> None:
    results = results_of(
        zoo__auto=run(),
        zoo__auto__cpt=cpt_run(112.5),
        msnbc__auto=cpt_run(7.0),
        spectf__auto=unfinished(),
    )
    written = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        paths = figures(copy.deepcopy(results), folder)
        assert [path.name for path in paths] == ["table2-shares.svg", "table2-sizes.svg"]
        written.append([path.read_bytes() for path in paths])
    assert written[0] == written[1]
    assert all(b"<svg" in one and len(one) < 150_000 for one in written[0])
    page = section(results)
    assert all(f"images/results/{path.name})" in page for path in paths)


def test_without_results_there_are_no_figures(tmp_path: Path) -> None:
    assert figures(results_of(), tmp_path) == []


def test_a_measurement_has_what_the_table_needs(tmp_path: Path) -> None:
    clinic = load_example("clinic")
    path = tmp_path / "zoo.csv"
    lines = [",".join(clinic.names)]
    for place in range(len(clinic.weights)):  # each distinct record once is enough
        cells = [str(int(clinic.column(v)[place])) for v in range(clinic.variable_count)]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n")
    learned = {}
    for relations in ("both", "cpt"):
        result = measured_learning.measure(path, "auto", relations, 60.0, 1)
        learned[learn.key("zoo", relations=relations)] = json.loads(json.dumps(result))
    (one,) = (each for each in rows_of({"learned": learned, "scored": {}}) if each.name == "zoo")
    assert one.complete
    gain = one.gain()
    assert gain is not None
    assert gain[0] == gain[1] >= 0
    assert one.cpt is not None
    assert one.cpt["noisy_or"]["any_parents"]["nodes"] == 0
    assert "load" in learned["zoo/auto"]["seconds"]
    assert learn.page(learned).count("| zoo |") == 2
