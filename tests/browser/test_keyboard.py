"""A reader with a keyboard alone, or with a screen reader."""

from itertools import pairwise

import pytest
from selenium.webdriver.common.keys import Keys

from noisyor import average
from tests.browser.asking import chances, given, opened, wait
from tests.browser.conftest import Report
from tests.browser.expected import ROUNDING, arcs_of, weights
from tests.browser.report_page import ReportPage

_FOCUS = """
const one = document.activeElement;
const style = getComputedStyle(one);
const ring = one.querySelector(":scope > .ring");
const box = one.getBoundingClientRect();
const top = (element) => element.getBoundingClientRect().top + scrollY;
return {
  id: one.id, node: one.dataset.node, tag: one.localName,
  section: one.closest("main > section")?.getAttribute("aria-labelledby") || "",
  isMarked: ring ? getComputedStyle(ring).stroke !== "none"
    : style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
  isInView: box.top < innerHeight && box.bottom > 0 && box.width > 0,
};
"""


def stops(page: ReportPage, most: int = 400) -> list[dict[str, object]]:
    """Press the Tab key once through the page; return what had the focus."""
    found: list[dict[str, object]] = []
    for _ in range(most):
        page.press(Keys.TAB)
        focus = page.run(_FOCUS)
        if focus["tag"] == "body":
            return found
        found.append(focus)
    raise AssertionError(f"{most} tabs did not lead through the page")


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
    page.tab_to("data-node", "0")
    page.press(Keys.ARROW_RIGHT)  # to another node, not to another member
    assert page.find("#member-number").get_property("value") == "3"


def place(page: ReportPage, node: str | None) -> tuple[float, float]:
    x, y = page.run(
        "const { e, f } = document.querySelector(arguments[0]).transform.baseVal[0].matrix;"
        "return [e, f]",
        f'[data-node="{node}"]',
    )
    return x, y


def test_arrows_lead_from_node_to_node(page: ReportPage, pump: Report) -> None:
    page.open(pump.path)
    page.tab_to("data-node", "0")
    seen = {"0"}
    steps = {Keys.ARROW_RIGHT: (1, 0), Keys.ARROW_DOWN: (0, 1)}
    back = {Keys.ARROW_LEFT: (-1, 0), Keys.ARROW_UP: (0, -1)}
    for key, (right, down) in (*steps.items(), *back.items()):
        moved = True
        while moved:
            before = page.focus("data-node")
            page.press(key)
            after = page.focus("data-node")
            moved = after != before
            if moved:
                (x, y), (to_x, to_y) = place(page, before), place(page, after)
                assert right * (to_x - x) + down * (to_y - y) > 0
                seen.add(str(after))
    assert len(seen) >= 5


@pytest.mark.parametrize("name", ["pump", "broad", "wide"])
def test_whatever_has_the_focus_shows_it_in_the_order_of_the_page(
    page: ReportPage, name: str, request: pytest.FixtureRequest
) -> None:
    report: Report = request.getfixturevalue(name)
    page.open(report.path)
    found = stops(page)
    assert [one for one in found if not one["isMarked"]] == []
    assert [one for one in found if not one["isInView"]] == []
    assert "svg" not in {one["tag"] for one in found}  # its nodes are stops, it is none
    order = page.run(
        "return [...document.querySelectorAll('main > section')]"
        ".map((one) => one.getAttribute('aria-labelledby'))"
    )
    sections = [one["section"] for one in found if one["section"]]
    places = [order.index(section) for section in sections]
    assert all(before <= after for before, after in pairwise(places))
    nodes = [one["node"] for one in found if one["node"] is not None]
    is_large = len(report.credible.names) > 15
    assert len(nodes) == (1 if is_large else len(report.credible.names))


def test_many_nodes_are_one_stop_which_stays_in_the_picture(page: ReportPage, wide: Report) -> None:
    page.open(wide.path)
    page.tab_to("id", "zoom-fit")
    page.press(Keys.TAB, Keys.TAB)
    first = page.focus("data-node")
    page.press(Keys.ARROW_DOWN)
    second = page.focus("data-node")
    assert second not in {None, first}
    page.press(Keys.TAB)
    assert page.focus("data-node") is None
    page.run("document.querySelector(arguments[0]).focus()", f'[data-node="{second}"]')
    page.press(Keys.ENTER)
    assert page.attribute("#panel", "data-open-node") == second
    page.tab_to("id", "panel-near")
    page.press(Keys.ENTER)  # the neighbourhood of another node
    stop = page.find_all('[data-node][tabindex="0"]')
    assert [one.is_displayed() for one in stop] == [True]


def test_a_reader_asks_with_the_keyboard_alone(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    before = chances(page)
    page.press(Keys.TAB)
    assert page.focus("href") == "#ask"
    page.press(Keys.ENTER)
    assert page.focus("id") == "ask"
    page.tab_to("data-set-state", "1")
    variable = int(str(page.focus("data-variable")))
    page.press(Keys.SPACE)
    wait(page)
    assert (page.focus("data-variable"), page.focus("aria-pressed")) == (str(variable), "true")
    expected = average(pump.networks, None, given(pump, {variable: 1}))
    for other, name in enumerate(pump.networks.names):
        if other == variable:
            continue
        said = page.attribute(f'[data-variable="{other}"][data-set-state="1"]', "aria-label")
        label, chance = expected.states[expected.names.index(name)][1], expected[name]
        assert str(said).startswith(f"{name}: {label}, chance {chance[label]:.2f}")
    while page.focus("id") != "ask-reset":
        page.press(Keys.SHIFT + Keys.TAB)
    page.press(Keys.ENTER)
    wait(page)
    assert page.focus("id") == "ask-reset"
    assert chances(page) == before


def test_taking_back_the_last_finding_leaves_the_focus_nearby(
    page: ReportPage, pump: Report
) -> None:
    opened(page, pump, "#given.vibration=1")
    number = str(pump.networks.names.index("vibration"))
    page.run("document.querySelector(arguments[0]).focus()", f'[data-take-back="{number}"]')
    page.press(Keys.ENTER)
    wait(page)
    assert page.focus("id") == "ask-reset"
    assert page.find_all("#ask-given button") == []


@pytest.mark.parametrize("name", ["pump", "broad"])
def test_every_control_has_a_name_for_a_screen_reader(
    page: ReportPage, name: str, request: pytest.FixtureRequest
) -> None:
    report: Report = request.getfixturevalue(name)
    page.open(report.path)
    page.click('[data-node="0"]')
    tree = page.browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    roles = {"button", "slider", "spinbutton", "link", "table", "combobox", "textbox", "region"}
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in tree["nodes"]
        if not node["ignored"] and node["role"]["value"] in roles
    ]
    assert [role for role, words in named if not words.strip() and role != "table"] == []
    buttons = [words for role, words in named if role == "button"]
    for variable in report.credible.names:
        assert any(button.startswith(f"{variable}, ") for button in buttons)
