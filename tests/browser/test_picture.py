"""The picture of a report: the averaged network, the best one and the members, and their tables."""

import re
from itertools import pairwise

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Report
from tests.browser.expected import (
    ROUNDING,
    arcs_of,
    weights,
)
from tests.browser.report_page import ReportPage


def test_the_page_opens_with_the_averaged_network(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    assert page.attribute("#picture", "data-view") == "averaged"
    assert page.attribute("#view-averaged", "aria-pressed") == "true"
    assert len(page.find_all("[data-node]")) == len(pump.credible.names)
    expected = {arc for arc, weight in weights(pump).items() if weight >= 0.5}
    assert page.visible_arcs() == expected


def test_the_slider_removes_the_arcs_below_the_threshold(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    counts = []
    assert page.attribute("#threshold", "min") == "1"
    for percent in (1, 2, 5, 43, 44, 50, 98, 99, 100):
        page.slide_to(percent)
        expected = {arc for arc, w in weights(pump).items() if w >= percent / 100 - ROUNDING}
        assert page.visible_arcs() == expected, percent
        assert page.shown_arcs() == expected, percent
        assert f"{percent}%" in page.text("#threshold-value")
        assert re.search(
            rf"\b{len(expected)} arcs? of {len(weights(pump))}\b", page.text("#picture-status")
        )
        counts.append(len(expected))
    assert counts[0] == sum(weight >= 0.01 for weight in weights(pump).values())
    assert all(more >= fewer for more, fewer in pairwise(counts))
    assert len(set(counts)) >= 5


def test_an_arc_is_as_thick_as_its_weight(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.slide_to(1)
    shown = [(arc, weight) for arc, weight in weights(pump).items() if weight >= 0.01]
    ordered = sorted(shown, key=lambda item: item[1])
    (light, small), (heavy, large) = ordered[0], ordered[-1]
    assert small < 0.1
    assert large > 0.9
    widths = [
        float(
            page.run(
                "return getComputedStyle(document.querySelector(arguments[0]))['stroke-width']",
                f'[data-arc="{arc[0]}-{arc[1]}"] [stroke-width]',
            ).removesuffix("px")
        )
        for arc in (light, heavy)
    ]
    assert widths[1] >= 2 * widths[0] > 0


def test_the_table_says_what_the_picture_shows(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.slide_to(5)
    for child, name in enumerate(pump.credible.names):
        row = f'#as-text tr[data-text-node="{child}"]'
        assert page.text(f"{row} th") == name
        parents = [p for (p, c), w in weights(pump).items() if c == child and w >= 0.05]
        found = page.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            f"{row} td:nth-child(3) bdi",
        )
        assert sorted(found) == sorted(pump.credible.names[parent] for parent in parents)


def test_the_best_network_is_shown_with_its_relations(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.click("#view-best")
    assert page.attribute("#picture", "data-view") == "best"
    assert page.visible_arcs() == arcs_of(pump.credible.best)
    found = {
        int(str(one.get_dom_attribute("data-node"))): one.get_dom_attribute("data-relation")
        for one in page.find_all("[data-node]")
    }
    assert found == {f.child: f.relation.name for f in pump.credible.best.families}
    assert set(found.values()) == {"cpt", "noisy-or"}


def test_relations_look_different(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.click("#view-best")
    looks = {
        relation: page.run(
            "const s = getComputedStyle(document.querySelector(arguments[0]));"
            "return [s.rx, s.stroke, s.fill]",
            f'[data-node="{node}"] .shape',
        )
        for relation, node in (
            (family.relation.name, family.child)
            for family in pump.credible.best.families
            if family.parents
        )
    }
    assert looks.keys() == {"cpt", "noisy-or"}
    assert all(a != b for a, b in zip(looks["cpt"], looks["noisy-or"], strict=True))


def test_the_picker_goes_through_the_members_in_order_of_cost(
    page: ReportPage, pump: Report
) -> None:
    page.open(pump.path)
    page.click("#view-members")
    members = pump.credible.best_members(12)
    costs = []
    for number, member in enumerate(members, start=1):
        assert page.find("#member-number").get_property("value") == str(number)
        assert page.shown_arcs() == arcs_of(member.structure)
        (cost,) = re.findall(r"cost ([\d.,]+) nats", page.text("#member-status"))
        costs.append(float(cost.replace(",", "")))
        assert costs[-1] == pytest.approx(member.cost, abs=0.006)
        page.click("#member-next")
    assert costs == sorted(costs)
    assert costs[-1] > costs[0]
    page.click("#member-previous")
    assert page.find("#member-number").get_property("value") == str(len(members))


def test_a_member_can_be_asked_for_by_number(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.click("#view-members")
    number = page.find("#member-number")
    number.send_keys(Keys.CONTROL + "a" + Keys.NULL, "7", Keys.ENTER)
    assert page.shown_arcs() == arcs_of(pump.credible.best_members(7)[6].structure)
    number.send_keys(Keys.CONTROL + "a" + Keys.NULL, "9999", Keys.TAB)
    last = int(str(page.attribute("#member-number", "max")))
    assert last == min(50, pump.credible.count)
    assert number.get_property("value") == str(last)
    assert page.shown_arcs() == arcs_of(pump.credible.best_members(last)[-1].structure)
    assert not page.find("#member-next").is_enabled()


def test_the_table_of_arcs_can_be_sorted(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)

    def column(number: int) -> list[str]:
        found: list[str] = page.run(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)",
            f"#arcs tbody tr td:nth-child({number})",
        )
        return found

    number = {name: place for place, name in enumerate(pump.credible.names)}
    known = weights(pump)

    def shares() -> list[float]:
        pairs = zip(column(1), column(2), strict=True)
        return [known[number[parent], number[child]] for parent, child in pairs]

    assert len(shares()) == len(known)
    assert shares() == pytest.approx(sorted(known.values(), reverse=True), abs=ROUNDING)
    page.click('#arcs [data-sort="weight"]')
    assert shares() == pytest.approx(sorted(known.values()), abs=ROUNDING)
    page.click('#arcs [data-sort="parent"]')
    names = column(1)
    assert names == sorted(names, key=str.casefold)


def test_shares_of_a_sample_are_shown_with_standard_errors(
    page: ReportPage, sampled: Report
) -> None:
    page.open(sampled.path)
    error = sampled.credible.edges()["flu", "cold"].standard_error
    assert error is not None
    said = f"25% ± {100 * error:.1f}%"
    assert said in page.text('#arcs tr[data-row="0-1"] td:nth-child(3)')
    page.slide_to(20)
    assert page.text("#picture-status").endswith("weight, estimated from a sample of 40 networks.")
    assert page.text('[data-arc="0-1"] title') == f"flu → cold: {said} of the weight"
    page.click('[data-node="1"]')
    shares = [one.text for one in page.find_all("#panel-families .share")]
    assert shares == [f"75% ± {100 * error:.1f}%", said]


def test_what_is_not_complete_is_said_at_the_top(
    page: ReportPage, pump: Report, incomplete: Report
) -> None:
    page.open(pump.path)
    assert page.find_all("#incomplete") == []
    page.open(incomplete.path)
    banner = page.find("#incomplete")
    assert banner.is_displayed()
    assert "the time was up <b>too early</b>" in banner.text
    assert banner.location["y"] < page.find("#picture").location["y"]


BOX = """
const { left, right, top, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
return [left, right, top + scrollY, bottom + scrollY];
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_tiers_are_columns_under_their_titles(page: ReportPage, tiered: Report, width: int) -> None:
    page.emulate(width=width)
    page.open(tiered.path)
    titles = page.find_all("#picture .tiers text")
    assert [one.text for one in titles] == ["Tier 1", "Tier 2", "Tier 3"]
    borders = [
        page.run("return arguments[0].getBoundingClientRect().left", one)
        for one in page.find_all("#picture .tiers path")
    ]
    title_end = page.run(BOX, "#picture .tiers text")[3]
    tiers = [range(5), range(5, 8), range(8, 10)]
    ends = [-1e9, *borders, 1e9]
    for tier, (start, end) in zip(tiers, pairwise(ends), strict=True):
        for node in tier:
            left, right, top, _ = page.run(BOX, f'[data-node="{node}"] .shape')
            assert start < left < right < end
            assert top > title_end


def test_a_tall_panel_leaves_no_empty_area_below_the_picture(
    page: ReportPage, pump: Report
) -> None:
    page.open(pump.path)
    _, _, before, _ = page.run(BOX, "#picture")
    tallest = 0.0
    for node in range(len(pump.credible.names)):
        page.run(
            "document.querySelector(arguments[0]).dispatchEvent(new Event('click'))",
            f'[data-node="{node}"]',
        )
        _, _, top, bottom = page.run(BOX, "#panel")
        assert page.run(BOX, ".picture")[3] >= bottom - 1
        tallest = max(tallest, bottom - top)
        assert page.run(BOX, "#picture")[2] == before  # nothing moves from under the pointer
    assert 450 < tallest <= 900
