"""What was found, in sentences."""

from dataclasses import replace
from typing import Any

import pytest

from noisyor import example_truth, learn, load_example, sample_dataset
from noisyor.core.variable import variables_of
from noisyor.reporting import report_content, report_html
from noisyor.reporting.findings import MOST, findings
from tests.reporting.credible_sets import (
    clinic_data,
    clinic_set,
    large_set,
    sampled_set,
    small_data,
    small_set,
)


def said(content: dict[str, Any]) -> list[str]:
    return ["".join(part.text for part in sentence) for sentence in findings(content)]


@pytest.fixture(scope="module")
def small() -> dict[str, Any]:
    data = small_data()
    return report_content(small_set(data), data, {})


def test_what_is_certain_comes_first_with_the_strongest_cause() -> None:
    content = learn(load_example("clinic"), relations="paper").report_content()
    words = said(content)
    assert words[0] == "All 15 arcs of the best network are in all 9 credible networks."
    assert (
        "fever depends on flu, cold and pneumonia in all 9 credible networks; flu brings about "
        "fever with probability 0.91 (0.86 to 0.94)."
    ) in words
    assert len(words) <= MOST


def test_what_is_open_is_said_to_be_open() -> None:
    data = sample_dataset(example_truth("pump"), 200, seed=1)
    words = said(learn(data, relations="paper").report_content())
    assert words[0] == "11 of the 13 arcs of the best network are in all 66 credible networks."
    assert "sensor_drift depends on overheating with 98% of the weight." in words
    assert words[-1] == (
        "What automatic_mode depends on is open. The likeliest is worn_bearing, with 44% of the "
        "weight."
    )


def test_a_direction_that_the_records_do_not_tell_is_no_dependence(small: dict[str, Any]) -> None:
    arc = {"parent": 0, "child": 1, "networks": 3, "fraction": 0.75, "weight": 0.7, "in_best": True}
    back = {**arc, "parent": 1, "child": 0, "networks": 1, "weight": 0.3, "in_best": False}
    words = said({**small, "arcs": [*small["arcs"][:2], arc, back]})
    assert (
        "flu and cold are linked, but the records do not tell the direction: the arc flu → cold "
        "has 70% of the weight."
    ) in words
    assert not [one for one in words if one.startswith("cold depends on")]


def test_relations_of_more_states_are_said_as_they_are() -> None:
    words = said(report_content(clinic_set(clinic_data()), clinic_data(), {}))
    assert words[1] == (
        "severity depends on smoking and vaccine in all 15 credible networks; where severity is at "
        "most mild, smoking = heavy raises it to mild with probability 0.44 (0.32 to 0.57)."
    )
    assert "ward depends on smoking in all 15 credible networks." in words
    assert [one for one in words if "and on vaccine with 67% of the weight" in one]


def test_all_of_the_weight_is_not_said_to_be_at_least_that(small: dict[str, Any]) -> None:
    arcs = [
        {"parent": parent, "child": 2, "networks": 3, "fraction": 0.75, "weight": weight}
        for parent, weight in ((0, 1.0), (1, 1.0))
    ]
    whole = said({**small, "arcs": [{**arc, "in_best": True} for arc in arcs]})
    assert [one for one in whole if one.startswith("cough depends on flu and cold with 100% of")]
    arcs[1]["weight"] = 0.75
    less = said({**small, "arcs": [{**arc, "in_best": True} for arc in arcs]})
    assert [one for one in less if "depends on flu and cold with at least 75% of" in one]


def test_a_sample_and_an_incomplete_set_are_called_so(small: dict[str, Any]) -> None:
    data = small_data()
    sampled = said(report_content(sampled_set(data), data, {}))
    assert sampled[0] == "All 2 arcs of the best network are in all 4 sampled networks."
    limited = report_content(small_set(data, shortfalls=("time",)), data, {})
    assert said(limited)[0].endswith("in all 4 networks that were found.")
    assert said(small)[0].endswith("in all 4 credible networks.")


def test_variables_without_a_link_are_named_once(small: dict[str, Any]) -> None:
    unsure = [{**small["arcs"][0], "networks": 3}]
    assert said({**small, "arcs": unsure})[0] == "No arc is in all 4 credible networks."
    words = said({**small, "arcs": small["arcs"][:1]})
    assert words[-1] == "cold has no link to any other variable in any of 4 credible networks."
    assert said({**small, "arcs": []}) == []


def test_there_are_at_most_ten_sentences_and_names_are_listed_up_to_six() -> None:
    credible, data = large_set(30, each=3)
    content = report_content(credible, data, {})
    sure = {"networks": 10**6, "fraction": 1, "weight": 1, "in_best": True}
    chain = [{"parent": at, "child": at + 1, **sure} for at in range(29)]
    assert len(said({**content, "arcs": chain})) == MOST
    many = [{"parent": at, "child": 29, **sure} for at in range(9)]
    (words,) = (one for one in said({**content, "arcs": many}) if "29 depends on" in one)
    assert "variable number 5 and 3 more in all 1,000,000 credible networks" in words


def test_names_are_marked_so_that_the_page_can_isolate_them() -> None:
    names = ("<b>flu</b>", "\u202ecold", "cough")
    data = replace(small_data(names), variables=variables_of(names, small_data().states))
    content = report_content(small_set(data), data, {})
    parts = [part for sentence in findings(content) for part in sentence]
    assert {part.text for part in parts if part.is_name} >= set(names)
    html = report_html(content)
    assert "<bdi>&lt;b&gt;flu&lt;/b&gt;</bdi>" in html
    assert "<b>flu" not in html
