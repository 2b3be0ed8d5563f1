"""The pages of the timings are what their modules write from the stored results."""

import importlib

import pytest

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import stored_results

NAMES = (
    "all_relations",
    "cluster",
    "estimate",
    "fitting",
    "learn",
    "memory",
    "million_rows",
    "queries",
    "queries_states",
    "scoring",
    "search",
    "states",
    "time_limits",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_made_from_what_is_stored(name: str) -> None:
    module = importlib.import_module(f"benchmarks.timings.{name}")
    page = (RESULTS_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert page == module.page(stored_results(RESULTS_FOLDER / f"{name}.json"))
    assert f"`python -m benchmarks.timings.{name}`" in page
