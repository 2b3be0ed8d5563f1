"""The panel of a node: its families, and their parameters as they were fitted."""

import re
from typing import Any

import pytest

from noisyor import Cpt, Family, NoisyOr
from noisyor.core.relation_looks import look_of
from noisyor.fitting import fit
from tests.browser.conftest import Report
from tests.browser.expected import heaviest, node_whose_heaviest_family, with_family
from tests.browser.report_page import ReportPage
from tests.toy.shared_strength import SHARED

COMPUTED = "return getComputedStyle(arguments[0])[arguments[1]]"


def probabilities(page: ReportPage, attribute: str) -> dict[str, float]:
    """Return what the panel says, by configuration or cause."""
    return {
        str(one.get_dom_attribute(attribute)): float(str(one.get_dom_attribute("data-probability")))
        for one in page.find_all(f"#panel-detail [{attribute}]")
    }


def families_in(page: ReportPage) -> list[dict[str, Any]]:
    """Return the families of the content that the page holds."""
    data = "JSON.parse(document.getElementById('report-data').textContent)"
    families: list[dict[str, Any]] = page.run(f"return {data}.families")
    return families


def rgb(colour: str) -> str:
    """Return a colour as a browser says it."""
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_a_click_on_a_noisy_or_shows_the_strengths_of_its_causes(
    page: ReportPage, pump: Report
) -> None:
    child = node_whose_heaviest_family(pump, is_table=False)
    use = heaviest(pump, child)
    page.open(pump.path)
    page.click(f'[data-node="{child}"]')
    assert page.attribute("#panel", "data-open-node") == str(child)
    assert page.text("#panel-title") == pump.credible.names[child]
    fitted = with_family(pump, use.family)
    assert isinstance(fitted, NoisyOr)
    strengths = dict(zip(map(str, use.family.parent_indices()), fitted.strengths, strict=True))
    assert probabilities(page, "data-cause") == pytest.approx(strengths, abs=1e-4)
    for parent, strength in strengths.items():
        assert f"{strength:.2f}" in page.text(f'[data-cause="{parent}"] .number')


def test_a_click_on_a_full_table_shows_its_rows(page: ReportPage, pump: Report) -> None:
    child = node_whose_heaviest_family(pump, is_table=True)
    use = heaviest(pump, child)
    page.open(pump.path)
    page.click(f'[data-node="{child}"]')
    fitted = with_family(pump, use.family)
    assert isinstance(fitted, Cpt)
    seen = {str(at): float(p) for at, p in enumerate(fitted.present) if not fitted.unseen[at]}
    found = probabilities(page, "data-configuration")
    unseen = {
        str(one.get_dom_attribute("data-configuration"))
        for one in page.find_all("#panel-detail [data-unseen]")
    }
    assert {at: p for at, p in found.items() if at not in unseen} == pytest.approx(seen, abs=1e-5)
    assert len(found) == len(fitted.present)
    # Each row says which parents are present: bit t of its number is the t-th parent ascending.
    for at in seen:
        row = f'[data-configuration="{at}"]'
        dots = page.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            f"{row} .dot",
        )
        bits = [int(at) >> bit & 1 for bit in range(use.family.parent_count)]
        assert dots == ["●" if bit else "○" for bit in bits]


def test_a_table_has_a_column_for_each_state(page: ReportPage, many_states: Report) -> None:
    page.open(many_states.path)
    page.click('[data-node="4"]')
    own = many_states.data.variables[4].states
    heads = page.run(
        "return [...document.querySelectorAll('#panel-detail thead bdi')].map((e) => e.textContent)"
    )
    assert heads == ["smoking", *own]
    table = fit(many_states.data, Family(4, 0b00001)).distribution.expand().table
    for row, expected in enumerate(table.tolist()):
        found = page.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => +e.dataset.value)",
            f'[data-configuration="{row}"] [data-chance]',
        )
        assert found == pytest.approx(expected, abs=1e-4)
    state_names = page.run(
        "return [...document.querySelectorAll('#panel-detail td.state')].map((e) => e.textContent)"
    )
    assert state_names == ["never", "light", "heavy"]
    counts = page.run(
        "return [...document.querySelectorAll('[data-state-records]')].map((e) => e.textContent)"
    )
    records = many_states.data.state_counts(4).tolist()
    assert counts == [f"{label} {count}" for label, count in zip(own, records, strict=True)]
    tags = page.tags()
    assert (tags["script"], tags.get("img", 0), tags.get("b", 0)) == (3, 0, 0)
    assert page.overflow() == (0, [])


def test_causes_of_several_levels_name_their_states(page: ReportPage, many_states: Report) -> None:
    page.open(many_states.path)
    page.click('[data-node="2"]')
    place = next(
        at for at, one in enumerate(families_in(page)) if one["relation"] == "signed-noisy-or"
    )
    page.click(f'[data-family="{place}"]')
    assert "signed noisy-MAX" in page.text(f'[data-family="{place}"]')
    assert page.text("#panel-detail h4") == "How strongly each cause raises it"
    names = page.run(
        "return [...document.querySelectorAll('#panel-detail .causes .name > :first-child')]"
        ".map((e) => e.textContent)"
    )
    assert "smoking = heavy → severe" in names
    assert "no vaccine → mild" in names
    assert names[-1] == "anything else (leak) → severe"


def test_a_noisy_and_says_how_often_it_fails_without_each(
    page: ReportPage, many_states: Report
) -> None:
    page.open(many_states.path)
    page.click('[data-node="3"]')
    assert page.text("#panel-detail h4") == "How often it fails"
    names = page.run(
        "return [...document.querySelectorAll('#panel-detail .causes .name > :first-child')]"
        ".map((e) => e.textContent)"
    )
    assert names[0] in {"without vaccine", "with vaccine"}
    assert "with severity = none" in names
    assert names[-1] == "with all that is needed"
    shape = '[data-node="3"] .as-hexagon'
    box = '[data-node="3"] .as-box'
    display = "return getComputedStyle(document.querySelector(arguments[0])).display"
    assert (page.run(display, shape), page.run(display, box)) == ("inline", "none")


def test_a_strength_that_no_record_tells_is_not_a_number(
    page: ReportPage, many_states: Report
) -> None:
    page.open(many_states.path)
    page.click('[data-node="3"]')
    place = next(
        at
        for at, one in enumerate(families_in(page))
        if one["relation"] == "leaky-noisy-or" and one["child"] == 3
    )
    page.click(f'[data-family="{place}"]')
    assert page.text('[data-cause="4"][data-state="11"] .number') == "no record says"


def test_the_panel_lists_the_families_of_a_node_by_weight(page: ReportPage, pump: Report) -> None:
    child = max(
        range(len(pump.credible.names)),
        key=lambda v: sum(use.family.child == v for use in pump.credible.families),
    )
    own = [use for use in pump.credible.families if use.family.child == child]
    own.sort(key=lambda use: -use.weight)
    assert len(own) >= 3
    page.open(pump.path)
    page.click(f'[data-node="{child}"]')
    found = [
        (set(parents), share, networks)
        for parents, share, networks in page.run(
            """return [...document.querySelectorAll("#panel-families [data-family]")].map((one) => [
                 [...one.querySelectorAll("bdi")].map((name) => name.textContent),
                 one.querySelector(".share").textContent,
                 one.querySelector(".under").textContent])"""
        )
    ]
    expected = [
        {pump.credible.names[parent] for parent in use.family.parent_indices()} for use in own
    ]
    assert [parents for parents, _, _ in found] == expected[: len(found)]
    assert found[0][1] == f"{100 * own[0].weight:.0f}%"
    for (_, _, words), use in zip(found, own, strict=False):
        assert re.search(rf"\bin {use.networks} network", words)


def test_another_family_of_the_panel_shows_its_own_numbers(page: ReportPage, pump: Report) -> None:
    child = next(
        v
        for v in range(len(pump.credible.names))
        if sum(use.family.child == v for use in pump.credible.families) > 1
    )
    page.open(pump.path)
    page.click(f'[data-node="{child}"]')
    first, second = page.find_all("#panel-families [data-family]")[:2]
    before = page.text("#panel-detail")
    second.click()
    assert second.get_dom_attribute("aria-pressed") == "true"
    assert first.get_dom_attribute("aria-pressed") == "false"
    assert page.text("#panel-detail") != before


def test_a_relation_without_a_look_is_shown_by_its_name_and_parameters(
    page: ReportPage, unheard_of: Report
) -> None:
    page.emulate(width=1280)
    page.open(unheard_of.path)
    page.run("for (const one of document.querySelectorAll('*')) one.style.transition = 'none'")
    page.click("#view-best")
    page.click('[data-node="2"]')
    assert page.attribute('[data-node="2"]', "data-relation") == SHARED.name
    label = page.attribute('[data-node="2"]', "aria-label")
    assert label == f"cough, {SHARED.name}; parents: flu, cold"
    (shown,) = page.find_all("#panel-detail [data-parameter]")
    assert shown.text == "0.375"
    assert float(str(shown.get_dom_attribute("data-value"))) == pytest.approx(3 / 8)
    colours = ["stroke", "fill"]
    styles = [page.run(COMPUTED, page.find('[data-node="2"] .shape'), colour) for colour in colours]
    assert styles == [rgb(look_of(SHARED).light.line), rgb(look_of(SHARED).light.fill)]
    assert page.find('[data-node="2"] .inner').is_displayed()
    assert not page.find('[data-node="0"] .inner').is_displayed()
    assert page.console() == []
