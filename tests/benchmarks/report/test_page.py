"""The results page and the README's five numbers are what the scripts make of stored results."""

import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.harness.folders import IMAGES_FOLDER, ROOT
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import Results
from benchmarks.paper.table2.statistics import PAPER, is_usable
from benchmarks.race.jobs import EXACT, OWN
from benchmarks.report import page as results_page
from benchmarks.report.headlines import (
    HEADLINES,
    finished,
    largest_set,
    recovered,
    speed_ratio,
    structure_gain,
)
from benchmarks.report.page import Part, Source, origins_in, origins_of, page, part_of, with_block

MARKED = f"first\n{results_page.BEGIN}\nold\n{results_page.END}\nlast\n"


@pytest.fixture(scope="module")
def parts() -> list[Part]:
    return results_page.all_parts()


def test_the_page_is_what_the_script_makes(parts: list[Part]) -> None:
    assert results_page.PAGE.read_text(encoding="utf-8") == page(parts), "run: make results"


def test_the_five_numbers_are_what_the_script_makes(parts: list[Part]) -> None:
    readme = results_page.README.read_text(encoding="utf-8")
    assert readme == with_block(readme, results_page.five_numbers(parts)), "run: make results"


def test_every_figure_of_the_page_is_there(parts: list[Part]) -> None:
    names = re.findall(r"\]\((images/[^)]+)\)", page(parts))
    missing = [name for name in names if not (results_page.PAGE.parent / name).is_file()]
    assert missing == []
    drawn = {path.name for path in IMAGES_FOLDER.glob("*.svg")}
    assert drawn == {Path(name).name for name in names}


def test_every_part_has_a_command_and_the_readme_five_numbers(parts: list[Part]) -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^([\w-]+):", makefile, re.MULTILINE))
    assert {*(part.name for part in parts), "results"} <= targets
    assert len(HEADLINES) == 5
    assert results_page.five_numbers([]).count("- not measured yet (`make ") == 5


def section(results: Results) -> str:
    return f"## Script\n\nIt has {len(results)}: ![one](images/results/race-placed.svg)\n"


def figures(_results: Results, folder: Path) -> list[Path]:
    paths = [folder / f"race-{name}.svg" for name in ("placed", "growth")]
    for path in paths:
        path.write_text("<svg/>")
    return paths


def script(results: Path) -> ModuleType:
    """Return a script with a section and figures."""
    module = ModuleType("script")
    vars(module).update(RESULTS=results, section=section, figures=figures)
    return module


def test_a_part_that_is_not_stored_says_how_to_make_it(tmp_path: Path) -> None:
    part = Part("race", "The race", {}, [], section, figures)
    assert part.section(tmp_path) == "## The race\n\nNot stored yet; `make race` makes it."
    assert part.figures(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
    empty: Results = {"learned": {}, "scored": {}}
    assert not Part("table2", "", empty, [], section, figures).is_stored


def test_a_part_that_is_stored_writes_and_draws(tmp_path: Path) -> None:
    part = Part("race", "The race", {"a": {"figure": 1}}, [{"commit": "abc"}], section, figures)
    images = tmp_path / "images"
    images.mkdir()
    (images / "race-old.svg").write_text("<svg/>")
    results_page.draw_all([part], images)
    assert {path.name for path in images.iterdir()} == {"race-placed.svg", "race-growth.svg"}
    text = page([part], images)
    assert text.startswith("# Results\n")
    assert "| race | abc | - | - | - | - | - |" in text
    assert text.endswith(
        "## Script\n\nIt has 1: ![one](images/results/race-placed.svg)\n\n"
        "![race-growth](images/results/race-growth.svg)\n"
    )


def test_results_and_origins_are_read_by_the_kind_of_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.harness.kept_results.provenance", lambda: {"commit": "abc"})
    kept = KeptResults(tmp_path / "kept.jsonl")
    kept.add("a", {"figure": 1})
    module = script(tmp_path / "kept.jsonl")
    monkeypatch.setattr("importlib.import_module", lambda _: module)
    source = Source(
        "script", "Kept", results_page.kept_results, lambda one: [one.RESULTS, one.RESULTS]
    )
    part = part_of("script", source)
    assert part.results == {"a": {"figure": 1}}
    assert part.origins == [{"commit": "abc"}]
    (tmp_path / "one.json").write_text(json.dumps({"a": {"provenance": {"commit": "def"}}}))
    assert origins_of(tmp_path / "one.json") == [{"commit": "def"}]
    assert origins_of(tmp_path / "none.json") == []


def test_results_of_older_versions_are_not_shown(tmp_path: Path) -> None:
    module = script(tmp_path)
    old = {"learned": {"zoo/auto": {"members": 3}}, "scored": {"a": 1}}
    vars(module).update(is_usable=is_usable, stored=lambda: old)
    assert results_page.usable_results(module) == {}
    new: Results = {"learned": {"zoo/auto": {"noisy_or": {}}}, "scored": {}}
    vars(module).update(stored=lambda: new)
    assert results_page.usable_results(module) == new


def test_origins_are_found_however_deep() -> None:
    results = {
        "a": {"provenance": {"commit": "abc"}, "figure": 1},
        "b": {"inner": {"version": "0.1.0", "machine": "x, 2 cores", "figure": 2}},
        "c": 3,
    }
    assert list(origins_in(results)) == [
        {"commit": "abc"},
        {"noisyor": "0.1.0", "machine": "x, 2 cores"},
    ]


def test_a_block_replaces_the_one_between_the_marks() -> None:
    expected = f"first\n{results_page.BEGIN}\nnew \\1\n{results_page.END}\nlast\n"
    assert with_block(MARKED, "new \\1") == expected
    assert with_block(expected, "new \\1") == expected


@pytest.mark.parametrize("readme", ["no marks", MARKED + MARKED, results_page.BEGIN])
def test_marks_that_are_missing_or_doubled_are_an_error(readme: str) -> None:
    with pytest.raises(ValueError, match="once, in this order"):
        with_block(readme, "new")


def learned(members: int, *, complete: bool) -> Results:
    return {"noisy_or": {}, "complete": complete, "members": members}


def test_data_sets_are_finished_only_if_complete() -> None:
    results = {
        "learned": {
            "zoo/auto": learned(7, complete=True),
            "letter/auto": learned(1_000_000, complete=True),
            "bands/auto": learned(5_000_000, complete=False),
        },
        "scored": {},
    }
    said = finished(results)
    assert said is not None
    assert said.startswith(f"**2 of {len(PAPER)}** data sets")
    assert said.endswith("the paper finishes 13")
    assert largest_set(results) == (
        "**1,000,000** networks are credible for letter, the most of these, all counted"
    )
    nothing: Results = {"learned": {}, "scored": {}}
    assert finished(nothing) is None
    assert largest_set(nothing) is None


def test_recovery_is_of_most_records_and_parents() -> None:
    def cell(records: int, parents: int, error: float) -> Results:
        spread = {"median": error, "low": error / 2, "high": 2 * error}
        return {
            "records": records,
            "parents": parents,
            "tests": 1000,
            "measures": {"relative/newton": spread},
        }

    results = {
        "paper": {
            "relative_error/7/500": {"kl": 0.15, "em": 2.0},
            "relative_error/2/1000": {"kl": 0.05, "em": 1.0},
            "relative_error/7/1000": {"kl": 0.16, "em": 1.99},
        },
        "7/500/1000": cell(500, 7, 0.2),
        "2/1000/1000": cell(1000, 2, 0.2),
        "7/1000/1000": cell(1000, 7, 0.125),
    }
    said = recovered(results)
    assert said is not None
    assert said.startswith("**0.12** is the median relative error of q of a noisy-OR with 7")
    assert "(the paper: 0.16, its EM 1.99)" in said
    assert said.endswith(
        "of 3 sizes it is at most the paper's in 1, and in 1 more within the chance of 30 tests"
    )
    assert recovered({"paper": results["paper"]}) is None


def raced(variables: int, **seconds_and_costs: tuple[float, float]) -> Results:
    names = {"own": OWN[0], "first": EXACT[0], "second": EXACT[1]}
    programs = {
        names[name]: {"seconds": [2 * seconds, seconds], "cost": cost}
        for name, (seconds, cost) in seconds_and_costs.items()
    }
    return {"variables": variables, "programs": programs}


def test_the_race_is_with_the_fastest_exact_peer_on_the_largest_table() -> None:
    results = {
        "optimum/small": raced(10, own=(0.1, 50), first=(0.2, 50)),
        "subset/16": raced(16, own=(0.5, 90), first=(60, 90), second=(50, 90)),
        "variables/30": raced(30, own=(1, 1)),
    }
    results["variables/30"]["programs"][EXACT[0]] = {"nothing_because": "it took more than 60 s"}
    said = speed_ratio(results)
    assert said is not None
    assert said.startswith(f"**100 times** as long as noisyor on one thread takes {EXACT[1]}, ")
    assert said.endswith("(16 variables, full tables), for the same network")
    results["subset/16"]["programs"][EXACT[1]]["cost"] = 91
    worse = speed_ratio(results)
    assert worse is not None
    assert worse.endswith("for another, costlier network")
    assert speed_ratio({"optimum/alone": raced(10, own=(0.1, 50))}) is None
    assert speed_ratio({}) is None


def study_job(both: int, cpt: int) -> Results:
    return {
        "variables": 8,
        "truth": {"arcs": 10},
        "both": {"proven": True, "cpdag_shd": both},
        "cpt": {"proven": True, "cpdag_shd": cpt},
    }


def test_the_gain_of_the_study_is_a_mean_over_networks() -> None:
    results = {
        "noisy-or-8-0/500/0": study_job(2, 6),
        "noisy-or-8-1/500/0": study_job(4, 8),
        "noisy-or-8-1/1000/0": study_job(0, 0),
        "mixed-8-1/500/0": study_job(9, 9),
    }
    said = structure_gain(results)
    assert said is not None
    assert said.startswith("**0.30 instead of 0.70** edges are wrong per true arc")
    assert "2 random networks of noisy-ORs, 500 records" in said
    assert structure_gain({}) is None
