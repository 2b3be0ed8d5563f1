"""The report does what it promises in a real browser, with no network and for any name."""

import base64
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.common.keys import Keys

from noisyor import CPT, Cpt, Family, NoisyOr, fit_network
from noisyor.core import Distribution, Structure
from noisyor.core.credible_set import FamilyUse
from noisyor.core.relation_looks import look_of
from noisyor.fitting import fit
from tests.browser.conftest import HOSTILE_NAMES, Report
from tests.browser.report_page import Arc, ReportPage
from tests.toy.shared_strength import SHARED

ROUNDING = 1e-6  # the page holds six digits of a share


def arcs_of(structure: Structure) -> set[Arc]:
    return {(p, family.child) for family in structure.families for p in family.parent_indices()}


def weights(report: Report) -> dict[Arc, float]:
    number = {name: place for place, name in enumerate(report.credible.names)}
    return {
        (number[parent], number[child]): use.weight
        for (parent, child), use in report.credible.edges().items()
    }


def heaviest(report: Report, child: int) -> FamilyUse:
    own = [use for use in report.credible.families if use.family.child == child]
    return max(own, key=lambda use: use.weight)


def with_family(report: Report, family: Family) -> Distribution:
    """Return a family's parameters, fitted in a network in which nothing else has parents."""
    families = [Family(child, 0) for child in range(len(report.credible.names))]
    families[family.child] = family
    structure = Structure(report.credible.names, tuple(families))
    return fit_network(report.data, structure).distributions[family.child]


def node_whose_heaviest_family(report: Report, *, is_table: bool) -> int:
    for child in range(len(report.credible.names)):
        family = heaviest(report, child).family
        if family.parents and (family.relation is CPT) == is_table:
            return child
    raise AssertionError("the report has no such node")


# ---- the averaged network ---------------------------------------------------------------------


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


# ---- the best network and the members ---------------------------------------------------------


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


# ---- one node ---------------------------------------------------------------------------------


def probabilities(page: ReportPage, attribute: str) -> dict[str, float]:
    """Return what the panel says, by configuration or cause."""
    return {
        str(one.get_dom_attribute(attribute)): float(str(one.get_dom_attribute("data-probability")))
        for one in page.find_all(f"#panel-detail [{attribute}]")
    }


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


def families_in(page: ReportPage) -> list[dict[str, Any]]:
    """Return the families of the content that the page holds."""
    data = "JSON.parse(document.getElementById('report-data').textContent)"
    families: list[dict[str, Any]] = page.run(f"return {data}.families")
    return families


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


# ---- the table of arcs ------------------------------------------------------------------------


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


# ---- the keyboard -----------------------------------------------------------------------------


def test_everything_works_from_the_keyboard(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.tab_to("id", "threshold")
    page.press(Keys.ARROW_RIGHT)
    assert page.find("#threshold").get_property("value") == "51"
    page.press(Keys.END)
    certain = {arc for arc, weight in weights(pump).items() if weight >= 1 - ROUNDING}
    assert page.visible_arcs() == certain
    page.tab_to("data-node", "0")
    page.press(Keys.ENTER)
    assert page.attribute("#panel", "data-open-node") == "0"
    assert page.focus("id") == "panel-title"
    page.press(Keys.ESCAPE)
    assert page.attribute("#panel", "data-open-node") == ""
    assert page.focus("data-node") == "0"
    page.press(Keys.TAB)
    page.press(Keys.SPACE)
    assert page.attribute("#panel", "data-open-node") == "1"


def test_arrows_step_through_the_members(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.tab_to("id", "view-members")
    page.press(Keys.ENTER, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert page.find("#member-number").get_property("value") == "3"
    assert page.shown_arcs() == arcs_of(pump.credible.best_members(3)[2].structure)


def test_whatever_has_the_focus_shows_it(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.tab_to("data-node", "0")
    ring = "return getComputedStyle(document.activeElement.querySelector('.ring')).stroke"
    assert page.run(ring) != "none"
    assert page.attribute('[data-node="0"]', "role") == "button"


def test_every_control_has_a_name_for_a_screen_reader(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.click('[data-node="0"]')
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    roles = {"button", "slider", "spinbutton", "link", "table"}
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree["nodes"]
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert [role for role, name in named if not name.strip() and role != "table"] == []
    buttons = [name for role, name in named if role == "button"]
    for name in pump.credible.names:
        assert any(button.startswith(f"{name}, ") for button in buttons)


# ---- names ------------------------------------------------------------------------------------


def test_hostile_names_are_text_and_nothing_else(
    page: ReportPage, pump: Report, hostile: Report
) -> None:
    page.open(pump.path)
    title, tags = page.browser.title, page.tags()
    page.open(hostile.path)
    assert page.browser.title == title
    assert page.tags() == tags
    for child, name in enumerate(HOSTILE_NAMES):
        assert page.text(f'#as-text tr[data-text-node="{child}"] th') == name
        assert page.text(f'[data-node="{child}"] > title') == name
        label = page.attribute(f'[data-node="{child}"]', "aria-label")
        assert str(label).startswith(f"{name}, ")


def test_hostile_names_stay_text_whatever_is_clicked(
    page: ReportPage, pump: Report, hostile: Report
) -> None:
    seen: list[dict[str, int]] = []
    for report in (pump, hostile):
        page.open(report.path)
        page.slide_to(1)
        page.click("#view-members")
        page.click("#member-next")
        seen.append({})
        for child, name in enumerate(report.credible.names):
            page.run(
                "arguments[0].dispatchEvent(new Event('click'))",
                page.find(f'[data-node="{child}"]'),
            )
            assert page.text("#panel-title") == name
            for tag, count in page.tags().items():
                seen[-1][tag] = seen[-1].get(tag, 0) + count
        page.click('#arcs [data-sort="parent"]')
    assert seen[1] == seen[0]
    assert "owned" not in page.browser.title
    with pytest.raises(NoAlertPresentException):
        _ = page.browser.switch_to.alert.text


def test_a_name_in_two_directions_does_not_disturb_its_neighbours(
    page: ReportPage, hostile: Report
) -> None:
    page.open(hostile.path)
    outside = page.run(
        "return [...document.querySelectorAll('#as-text th, #arcs tbody td:nth-child(-n+2)')]"
        ".filter((one) => one.scope !== 'col' && one.querySelector('bdi') === null).length"
    )
    assert outside == 0


# ---- what was not complete --------------------------------------------------------------------


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


# ---- samples ----------------------------------------------------------------------------------


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


# ---- the network ------------------------------------------------------------------------------


def test_nothing_is_requested_but_the_file_itself(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.slide_to(1)
    for view in ("#view-best", "#view-members", "#view-averaged"):
        page.click(view)
        page.click('[data-node="1"]')
    requested = [url for url in page.requests() if not url.startswith("data:")]
    assert requested == [pump.path.as_uri()]
    assert page.run("return performance.getEntriesByType('resource').map((one) => one.name)") == []


def test_a_page_that_loads_something_would_be_found_out(blank: ReportPage, tmp_path: Path) -> None:
    other = tmp_path / "other.html"
    other.write_text('<img src="http://example.invalid/pixel.png"><script>missing()</script>')
    blank.open(other)
    assert "http://example.invalid/pixel.png" in blank.requests()
    console = " ".join(blank.console())
    assert "missing is not defined" in console
    assert "ERR_NAME_NOT_RESOLVED" in console


def test_the_page_forbids_scripts_that_are_not_its_own(blank: ReportPage, pump: Report) -> None:
    blank.open(pump.path)
    assert blank.console() == []
    blank.run(
        "const one = document.createElement('script'); one.textContent = 'window.ran = true';"
        "document.body.append(one)"
    )
    assert blank.run("return window.ran === undefined")
    assert "Content Security Policy" in " ".join(blank.console())


# ---- screens, paper ---------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_shows_everything_without_scrolling_sideways(
    page: ReportPage, pump: Report, hostile: Report, dark: bool
) -> None:
    for report in (pump, hostile):
        page.emulate(width=360, dark=dark)
        page.open(report.path)
        assert page.run("return window.innerWidth") == 360
        assert page.overflow() == (0.0, [])
        page.click("#as-text-details summary")
        for view in ("#view-best", "#view-members"):
            page.click(view)
            assert page.overflow() == (0.0, [])
        for child in range(len(report.credible.names)):
            page.run(
                "arguments[0].dispatchEvent(new Event('click'))",
                page.find(f'[data-node="{child}"]'),
            )
            for details in page.find_all("#panel details:not([open]) summary"):
                details.click()
            assert page.overflow() == (0.0, []), child


COLOURS = """
const pairs = [];
for (const one of document.querySelectorAll("h1, h2, p, td, th, dt, dd, label, summary, text")) {
  const label = one.localName === "text";
  if (label && !one.parentNode.matches(".node")) continue;
  let ground = label ? getComputedStyle(one.parentNode.querySelector(".shape")).fill : null;
  for (let at = one; ground === null; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if (!colour.endsWith(", 0)")) ground = colour;
  }
  const style = getComputedStyle(one);
  pairs.push([label ? style.fill : style.color, ground, one.textContent.slice(0, 30)]);
}
return pairs;
"""


def luminance(colour: str) -> float:
    """Return the relative luminance of a CSS colour, as WCAG 2 defines it."""
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_from_its_ground(page: ReportPage, pump: Report, dark: bool) -> None:
    page.emulate(width=1280, dark=dark)
    page.open(pump.path)
    page.click("#view-best")
    page.run("for (const one of document.querySelectorAll('*')) one.style.transition = 'none'")
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (luminance(ground) < 0.1) == dark
    pairs = page.run(COLOURS)
    assert len(pairs) > 50
    for colour, behind, words in pairs:
        light, dim = sorted((luminance(colour), luminance(behind)), reverse=True)
        assert (light + 0.05) / (dim + 0.05) >= 4.5, (words, colour, behind)


A4 = 717
"""Pixels across a page of 210 mm within Chromium's margins of 0.4 inches."""

CUT_OFF = """
return [...document.querySelectorAll(".scroll, .wide")]
  .filter((one) => one.checkVisibility())
  .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.trim().slice(0, 40));
"""


def test_paper_gets_the_picture_and_the_whole_table_but_no_controls(
    page: ReportPage, pump: Report
) -> None:
    page.emulate(width=A4, media="print")
    page.open(pump.path)
    for control in ("#threshold", "#view-best", "#member-next"):
        assert not page.find(control).is_displayed()
    assert page.find("#picture").is_displayed()
    assert page.overflow() == (0.0, [])
    assert page.run(CUT_OFF) == []
    pdf = page.browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert base64.b64decode(pdf["data"]).startswith(b"%PDF")


def test_without_its_script_the_page_still_shows_the_averaged_network(
    page: ReportPage, pump: Report
) -> None:
    page.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.open(pump.path)
        assert page.find("noscript p").is_displayed()
        assert not page.find("#threshold").is_displayed()
        expected = {arc for arc, weight in weights(pump).items() if weight >= 0.5}
        assert page.shown_arcs() == expected
        assert len(page.find_all("#arcs tbody tr")) == len(weights(pump))
    finally:
        page.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


COMPUTED = "return getComputedStyle(arguments[0])[arguments[1]]"


def rgb(colour: str) -> str:
    """Return a colour as a browser says it."""
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"


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
