"""A reader with a keyboard alone, or with a screen reader."""

from selenium.webdriver.common.keys import Keys

from tests.browser.conftest import Report
from tests.browser.expected import ROUNDING, arcs_of, weights
from tests.browser.report_page import ReportPage


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
