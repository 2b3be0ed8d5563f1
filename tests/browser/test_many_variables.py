"""The report of a large network: finding a variable, its neighbourhood, and the whole."""

import re
from itertools import combinations

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import HOSTILE_NAMES, Report
from tests.browser.expected import weights
from tests.browser.report_page import Arc, ReportPage

HUB = 5


def strong_arcs(report: Report, least: float = 0.5) -> set[Arc]:
    return {arc for arc, weight in weights(report).items() if weight >= least - 1e-6}


def blanket(node: int, arcs: set[Arc]) -> set[int]:
    """Return a node with its parents, children and spouses."""
    children = {child for parent, child in arcs if parent == node}
    parents = {parent for parent, child in arcs if child in {node, *children}}
    return {node, *children, *parents}


def visible_nodes(page: ReportPage) -> set[int]:
    found = page.run(
        "return [...document.querySelectorAll('[data-node]')]"
        ".filter((one) => one.getBoundingClientRect().height > 0)"
        ".map((one) => Number(one.dataset.node))"
    )
    return set(found)


def within(nodes: set[int], arcs: set[Arc]) -> set[Arc]:
    return {arc for arc in arcs if set(arc) <= nodes}


def search_for(page: ReportPage, text: str) -> None:
    """Type into the search box and choose the first variable that is found."""
    page.click("#find")
    page.press(*text, Keys.ENTER)  # what the box had is selected by the click


def ordinary_node(report: Report) -> int:
    """Return a node with parents and children and a small neighbourhood."""
    arcs = strong_arcs(report)
    return next(
        node
        for node in range(10, len(report.credible.names))
        if 6 <= len(blanket(node, arcs)) <= 12
        and any(parent == node for parent, _ in arcs)
        and any(child == node for _, child in arcs)
    )


def test_the_page_opens_around_the_variable_with_the_most_arcs(
    page: ReportPage, wide: Report
) -> None:
    page.open(wide.path)
    expected = blanket(HUB, strong_arcs(wide))
    shown = visible_nodes(page)
    assert page.attribute("#scope-near", "aria-pressed") == "true"
    assert HUB in shown
    assert shown <= expected
    assert len(shown) == min(len(expected), 40)
    words = page.text("#picture-status")
    assert f"Around sensor {HUB}: {len(shown)} of {len(wide.credible.names)} variables" in words
    assert (f"{len(expected) - 40} more would be too many" in words) == (len(expected) > 40)
    assert page.visible_arcs() == within(shown, strong_arcs(wide))


def test_up_to_a_hundred_variables_the_page_opens_with_all(page: ReportPage, broad: Report) -> None:
    page.open(broad.path)
    assert page.attribute("#scope-whole", "aria-pressed") == "true"
    assert visible_nodes(page) == set(range(len(broad.credible.names)))
    assert page.visible_arcs() == strong_arcs(broad)
    frame, hub = (page.find(one).rect for one in (".scroll", f'[data-node="{HUB}"]'))
    assert frame["x"] <= hub["x"]
    assert hub["x"] + hub["width"] <= frame["x"] + frame["width"]


def test_a_variable_is_found_from_the_keyboard(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.tab_to("id", "find")
    page.press(*"SENSOR 11")
    options = page.find_all("#find-list [data-found]")
    names = [wide.credible.names[int(str(o.get_dom_attribute("data-found")))] for o in options]
    assert set(names) == {"sensor 11", *(f"sensor 11{digit}" for digit in range(10))}
    assert page.attribute("#find", "aria-expanded") == "true"
    assert "11 variables found" in page.text("#find-status")
    assert page.focus("aria-activedescendant") == "found-0"
    page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert page.focus("aria-activedescendant") == "found-2"
    assert options[2].get_dom_attribute("aria-selected") == "true"
    page.press(Keys.ENTER)
    node = wide.credible.names.index(names[2])
    assert visible_nodes(page) == blanket(node, strong_arcs(wide))
    assert page.attribute("#panel", "data-open-node") == str(node)
    assert page.text("#panel-title") == names[2]
    assert page.focus("id") == "find"
    assert page.attribute("#find", "aria-expanded") == "false"


def test_escape_in_the_search_box_leaves_the_panel_open(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    search_for(page, "sensor 30")
    page.press(*"sens")
    assert page.find("#find-list").is_displayed()
    page.press(Keys.ESCAPE)
    assert not page.find("#find-list").is_displayed()
    assert page.attribute("#panel", "data-open-node") == "30"


def test_what_is_not_found_is_said(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    before = visible_nodes(page)
    search_for(page, "no such name")
    assert page.text("#find-status") == "no variable has this in its name"
    assert not page.find("#find-list").is_displayed()
    assert visible_nodes(page) == before


def test_an_empty_search_box_offers_the_best_connected(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.click("#find")
    page.press(Keys.ARROW_DOWN)
    assert page.attribute("#find-list [data-found]", "data-found") == str(HUB)


def test_a_neighbourhood_reaches_one_or_two_steps(page: ReportPage, wide: Report) -> None:
    arcs = strong_arcs(wide)
    node = next(
        one
        for one in range(10, len(wide.credible.names))
        if len(blanket(one, arcs)) > 2
        and len({two for near in blanket(one, arcs) for two in blanket(near, arcs)}) <= 60
    )
    page.open(wide.path)
    search_for(page, f"sensor {node}")
    page.click("#find")
    page.press(Keys.ESCAPE)
    near = blanket(node, arcs)
    assert visible_nodes(page) == near
    page.run(
        "const steps = document.getElementById('steps'); steps.value = '2';"
        "steps.dispatchEvent(new Event('change'))"
    )
    two = {further for one in near for further in blanket(one, arcs)}
    assert visible_nodes(page) == two
    assert page.visible_arcs() == within(two, arcs)
    assert len(two) > len(near)


def test_the_slider_changes_the_neighbourhood_and_its_lists(page: ReportPage, wide: Report) -> None:
    node = next(
        child for (_, child), weight in weights(wide).items() if weight < 0.9 and child > 20
    )
    page.open(wide.path)
    search_for(page, f"sensor {node}")
    for percent in (100, 20):
        page.slide_to(percent)
        arcs = strong_arcs(wide, percent / 100)
        assert visible_nodes(page) == blanket(node, arcs)
        listed = page.run(
            "return [...document.querySelectorAll('#panel-relatives [data-relative]')]"
            ".map((one) => Number(one.dataset.relative))"
        )
        assert set(listed) == blanket(node, arcs) - {node}
        assert len(listed) == len(set(listed))


def test_a_neighbourhood_has_parents_above_children_and_no_overlaps(
    page: ReportPage, wide: Report
) -> None:
    page.open(wide.path)
    for node in (HUB, ordinary_node(wide)):
        search_for(page, f"sensor {node}")
        boxes = page.run(
            "return Object.fromEntries([...document.querySelectorAll('[data-node]:not([hidden])')]"
            ".map((one) => { const { e, f } = one.transform.baseVal[0].matrix;"
            "  return [one.dataset.node, [e, f]]; }))"
        )
        for (x, y), (other_x, other_y) in combinations(boxes.values(), 2):
            assert abs(x - other_x) >= 124 or abs(y - other_y) >= 40
        for parent, child in page.visible_arcs():
            assert boxes[str(parent)][1] < boxes[str(child)][1]


def test_relatives_in_the_panel_lead_to_their_neighbourhoods(
    page: ReportPage, wide: Report
) -> None:
    node = ordinary_node(wide)
    page.open(wide.path)
    search_for(page, f"sensor {node}")
    assert not page.find("#panel-near").is_displayed()
    other = int(str(page.attribute("#panel-relatives [data-relative]", "data-relative")))
    page.click("#panel-relatives [data-relative]")
    assert visible_nodes(page) <= blanket(other, strong_arcs(wide))
    assert page.attribute("#panel", "data-open-node") == str(other)
    assert page.focus("id") == "panel-title"
    page.click("#scope-whole")
    assert len(visible_nodes(page)) == len(wide.credible.names)
    page.click("#panel-near")
    assert page.attribute("#scope-near", "aria-pressed") == "true"


def test_the_whole_network_has_all_nodes_and_the_arcs_asked_for(
    page: ReportPage, wide: Report
) -> None:
    page.open(wide.path)
    page.click("#scope-whole")
    assert visible_nodes(page) == set(range(len(wide.credible.names)))
    assert page.visible_arcs() == strong_arcs(wide)
    drawn = len(page.find_all("[data-arc]"))
    page.slide_to(1)
    assert page.visible_arcs() == strong_arcs(wide, 0.01)
    assert len(page.find_all("[data-arc]")) > drawn
    page.slide_to(50)
    assert page.visible_arcs() == strong_arcs(wide)


def test_members_are_shown_in_a_neighbourhood(page: ReportPage, wide: Report) -> None:
    first, second = wide.credible.best_members(2)
    arcs = [
        {(p, f.child) for f in member.structure.families for p in f.parent_indices()}
        for member in (first, second)
    ]
    node = next(
        child
        for _, child in sorted(arcs[0] - arcs[1])
        if len(blanket(child, arcs[0] | arcs[1])) <= 40
    )
    page.open(wide.path)
    page.click("#view-members")
    page.click("#member-next")
    search_for(page, f"sensor {node}")
    nodes = blanket(node, arcs[0] | arcs[1])
    assert visible_nodes(page) == nodes
    assert page.shown_arcs() == within(nodes, arcs[1])
    assert page.find_all("[data-arc].gone:not([hidden])") != []


CUT_OFF_NAMES = """
const frame = picture.getBoundingClientRect();
return [...document.querySelectorAll(".landmarks text")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
}).map((one) => one.textContent);
"""

ZOOM_AT_A_NODE = """
const scroll = picture.parentElement;
const frame = scroll.getBoundingClientRect();
const middle = (one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  return [(left + right) / 2, (top + bottom) / 2];
};
const target = [frame.left + frame.width / 4, frame.top + frame.height / 4];
const distance = (one) => Math.hypot(...middle(one).map((at, axis) => at - target[axis]));
const [node] = [...document.querySelectorAll("[data-node] .shape")]
  .sort((a, b) => distance(a) - distance(b));
const before = middle(node);
scroll.dispatchEvent(new WheelEvent("wheel",
  { ctrlKey: true, deltaY: -300, clientX: before[0], clientY: before[1], cancelable: true }));
return Math.hypot(...middle(node).map((at, axis) => at - before[axis]));
"""


def test_the_wheel_zooms_around_the_pointer(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.click("#scope-whole")
    for _ in range(4):
        page.click("#zoom-in")
    page.run("picture.scrollIntoView(); picture.parentElement.scrollTo(300, 300)")
    before = int(page.text("#zoom-value").rstrip("%"))
    assert page.run(ZOOM_AT_A_NODE) < 3
    assert int(page.text("#zoom-value").rstrip("%")) > 1.5 * before


def test_the_picture_can_be_zoomed_and_fits_its_frame(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.click("#scope-whole")
    fits = "const [p, s] = [picture, picture.parentElement];"
    fits += "return p.getBoundingClientRect().width <= s.clientWidth + 1"
    fits += " && p.getBoundingClientRect().height <= s.clientHeight + 1"
    assert page.run(fits)
    assert page.find_all("#picture.far .landmarks text") != []
    assert page.run(CUT_OFF_NAMES) == []
    first = int(page.text("#zoom-value").rstrip("%"))
    for _ in range(5):
        page.click("#zoom-in")
    assert int(page.text("#zoom-value").rstrip("%")) > 4 * first
    assert not page.run(fits)
    assert page.find_all("#picture.far, .landmarks text") == []
    page.click("#zoom-fit")
    assert page.run(fits)


def test_a_drag_moves_the_picture_and_chooses_nothing(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.click("#scope-whole")
    for _ in range(5):
        page.click("#zoom-in")
    place = "const s = picture.parentElement; return [s.scrollLeft, s.scrollTop]"
    page.run("picture.scrollIntoView(); picture.parentElement.scrollTo(300, 300)")
    scroll = page.find(".scroll")
    drag = ActionChains(page.browser).move_to_element(scroll).click_and_hold()
    drag.move_by_offset(-60, -40).move_by_offset(-20, -10).release().perform()
    assert page.run(place) == [380, 350]
    assert page.attribute("#panel", "data-open-node") == ""


def test_the_table_of_the_picture_has_the_neighbourhood(page: ReportPage, wide: Report) -> None:
    node = ordinary_node(wide)
    page.open(wide.path)
    page.click("#as-text-details summary")
    search_for(page, f"sensor {node}")
    rows = page.run(
        "return [...document.querySelectorAll('#as-text tbody tr')]"
        ".filter((one) => one.checkVisibility()).map((one) => Number(one.dataset.textNode))"
    )
    assert set(rows) == blanket(node, strong_arcs(wide))


def test_the_table_of_arcs_shows_some_at_first_and_can_be_filtered(
    page: ReportPage, wide: Report
) -> None:
    known = weights(wide)
    page.open(wide.path)
    count = "return document.querySelectorAll('#arcs tbody tr').length"
    assert page.run(count) == 100
    assert f"100 of {len(known)}" in page.text("#arcs-shown")
    page.click("#arcs-more")
    assert page.run(count) == 200
    node = ordinary_node(wide)
    search_for(page, f"sensor {node}")
    page.click("#panel-arcs")
    assert page.focus("id") == "arc-filter"
    rows = page.run(
        "return [...document.querySelectorAll('#arcs tbody tr')].map((one) => one.dataset.row)"
    )
    assert {f"{p}-{c}" for p, c in known if node in (p, c)} <= set(rows)
    matching = {at for at, name in enumerate(wide.credible.names) if f"sensor {node}" in name}
    assert set(rows) == {f"{p}-{c}" for p, c in known if {p, c} & matching}
    page.click('#arcs [data-sort="weight"]')
    assert page.run(count) == len(rows)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_phone_shows_a_large_network_without_scrolling_sideways(
    page: ReportPage, wide: Report, dark: bool
) -> None:
    page.emulate(width=360, dark=dark)
    page.open(wide.path)
    assert page.overflow() == (0.0, [])
    page.click("#find")
    page.press(*"sensor")
    assert page.overflow() == (0.0, [])
    page.press(Keys.ENTER)
    page.click("#scope-whole")
    assert page.overflow() == (0.0, [])


def test_every_control_of_a_large_page_has_a_name(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.click("#find")
    page.press(*"sensor 1")
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    roles = {"button", "slider", "combobox", "listbox", "option", "textbox", "spinbutton"}
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree["nodes"]
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert [role for role, name in named if not name.strip()] == []
    assert {"combobox", "listbox", "option"} <= {role for role, _ in named}


def test_without_its_script_a_large_page_shows_the_whole_network(
    page: ReportPage, wide: Report
) -> None:
    page.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        page.open(wide.path)
        assert not page.find("#find").is_displayed()
        assert not page.find("#arc-filter").is_displayed()
        assert page.shown_arcs() == strong_arcs(wide)
        assert len(page.find_all("[data-node]")) == len(wide.credible.names)
        assert len(page.find_all("#arcs tbody tr")) == len(weights(wide))
    finally:
        page.browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_hostile_names_are_found_and_stay_text(
    page: ReportPage, broad: Report, hostile_broad: Report
) -> None:
    seen: list[dict[str, int]] = []
    for report in (broad, hostile_broad):
        page.open(report.path)
        for node in range(len(HOSTILE_NAMES)):
            name = report.credible.names[node]
            page.run(
                "const find = document.getElementById('find'); find.value = arguments[0];"
                "find.dispatchEvent(new Event('input'));"
                'document.querySelector(`[data-found="${arguments[1]}"]`).click()',
                name,
                node,
            )
            assert page.text("#panel-title") == name
            page.run("document.getElementById('find-list').replaceChildren()")
        page.click("#scope-whole")
        seen.append(page.tags())
    assert seen[0] == seen[1]
    assert re.match(r"[\d,]+ credible networks", page.browser.title)


def test_paper_gets_the_part_that_is_shown(page: ReportPage, wide: Report) -> None:
    page.emulate(width=717, media="print")
    page.open(wide.path)
    assert not page.find("#find").is_displayed()
    assert not page.find("#arcs-more").is_displayed()
    assert page.find("#picture").is_displayed()
    assert page.overflow() == (0.0, [])
