"""The looks of relations on the page are data, for relations of any name."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from noisyor.core import FormatError
from noisyor.core.relations import all_relations, relation_named
from noisyor.fitting import fitted_by
from noisyor.reporting import report_content, report_html
from noisyor.reporting.content_check import check_content
from noisyor.reporting.relation_style import colour_rules, legend_entries, script_looks, style_of
from tests.reporting.credible_sets import small_data, small_set
from tests.toy.shared_strength import SHARED, fit_shared


@pytest.fixture
def content() -> Iterator[dict[str, Any]]:
    """Yield the content of a report in which one node has a relation that no file knows."""
    with fitted_by(SHARED, fit_shared):
        data = small_data()
        yield report_content(small_set(data, relation=SHARED), data, {"version": "9.9"})


def looks_in(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="report-looks">(.*?)</script>', html)
    assert found is not None
    looks: dict[str, Any] = json.loads(found[1])
    return looks


@pytest.mark.parametrize("name", ["assets/report.css", "assets/report.js", "templates/marks.j2"])
def test_style_sheet_script_and_legend_know_no_relation_by_name(name: str) -> None:
    text = files("noisyor.reporting").joinpath(name).read_text(encoding="utf-8")
    assert not [one.name for one in all_relations() if re.search(rf"\b{one.name}\b", text)]


def test_each_relation_has_classes_and_colours_of_its_own() -> None:
    relations = all_relations()
    assert len({style_of(one.name) for one in relations} | {style_of("root")}) == 1 + len(relations)
    rules = colour_rules(relations)
    for one in relations:
        assert len(re.findall(rf"\.{style_of(one.name).split()[0]} {{", rules)) == 2  # and dark


def test_the_legend_has_the_short_name_where_there_is_one() -> None:
    words = [one["words"] for one in legend_entries(all_relations())]
    assert words[:3] == ["full table (CPT)", "noisy-OR", "leaky noisy-OR"]


def test_the_page_tells_its_script_what_relations_are_called() -> None:
    data = small_data()
    html = report_html(report_content(small_set(data), data, {}))
    relations = [relation_named("cpt"), relation_named("noisy-or")]
    assert looks_in(html) == script_looks(relations)
    assert looks_in(html)["root"] == "cpt"
    assert looks_in(html)["looks"]["noisy-or"]["words"] == "noisy-OR"
    assert looks_in(html)["looks"]["root"]["words"] == "no parents"


def test_a_relation_without_tables_and_causes_shows_its_parameters(content: dict[str, Any]) -> None:
    (family,) = (one for one in content["families"] if one["relation"] == SHARED.name)
    # Of 8 records with one cause and none with two, 5 have the child: q = 3/8.
    assert family["parameters"] == {"kind": "parameters", "values": [pytest.approx(3 / 8)]}
    assert family["note"] is None


def test_a_relation_that_no_file_knows_is_drawn_by_its_name(content: dict[str, Any]) -> None:
    html = report_html(content)
    assert f"</svg>{SHARED.name}</li>" in html
    assert f'class="node relation-{SHARED.code} box double"' in html
    assert f".relation-{SHARED.code} {{ --accent: #" in html
    assert looks_in(html)["looks"][SHARED.name]["words"] == SHARED.name


def test_parameters_of_another_kind_are_refused(content: dict[str, Any]) -> None:
    place, family = next(
        (place, one)
        for place, one in enumerate(content["families"])
        if one["relation"] == SHARED.name
    )
    family["parameters"] = {
        "kind": "causes",
        "parents": [0, 1],
        "states": [1, 1],
        "effects": [1, 1],
        "strengths": [0.5, 0.5],
        "unseen": [],
        "left_out": 0,
        "explained": None,
    }
    message = rf"families\[{place}\].*must be 'parameters', since the relation is {SHARED.name}"
    with pytest.raises(FormatError, match=message):
        check_content(content)
    family["parameters"] = {"kind": "parameters", "values": [0.5, "x"]}
    with pytest.raises(FormatError, match=rf"families\[{place}\].*values\[1\]"):
        check_content(content)
