"""A report, as the browser shows it."""

import json
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

Arc = tuple[int, int]

_VISIBLE_ARCS = """
return [...document.querySelectorAll("[data-arc]")]
  .filter((arc) => arc.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && arc.getBoundingClientRect().height > 0)
  .map((arc) => arc.dataset.arc);
"""

_TAGS = """
const counts = {};
for (const { localName } of document.querySelectorAll("*")) {
  counts[localName] = (counts[localName] || 0) + 1;
}
return counts;
"""

_TOO_WIDE = """
const room = document.documentElement.clientWidth;
const scrolls = (one) =>
  one && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
const tooWide = [...document.body.querySelectorAll("*")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().right > room + 0.5)
  .filter((one) => !scrolls(one.parentElement))
  .map((one) => `${one.localName}#${one.id}.${one.getAttribute("class")}`);
return [document.documentElement.scrollWidth - room, tooWide];
"""


class ReportPage:
    """What a reader can do with a report, and what they see then."""

    def __init__(self, browser: Chrome) -> None:
        self.browser = browser
        self._requests: list[str] = []

    def open(self, path: Path) -> None:
        self.browser.get(path.as_uri())

    def forget(self) -> None:
        """Close what is open, and forget what was logged so far."""
        self.browser.get("about:blank")
        self.console()
        self.requests()
        self._requests.clear()

    def emulate(self, *, width: int, dark: bool = False, media: str = "") -> None:
        """Show pages as a screen of this width does, or as another medium."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": [scheme]}
        )
        # Scroll bars take room on a desk's screen only, neither on a phone's nor on paper.
        self.browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )

    def console(self) -> list[str]:
        """Return what the page wrote to the console, errors and warnings too, since last asked."""
        logged: list[dict[str, Any]] = self.browser.get_log("browser")  # type: ignore[no-untyped-call]
        return [str(entry["message"]) for entry in logged]

    def requests(self) -> list[str]:
        """Return every address that was asked for, whether or not there was an answer."""
        logged: list[dict[str, Any]] = self.browser.get_log("performance")  # type: ignore[no-untyped-call]
        for entry in logged:
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self._requests.append(event["params"]["request"]["url"])
            elif event["method"] == "Network.webSocketCreated":
                self._requests.append(event["params"]["url"])
        return list(self._requests)

    def run(self, script: str, *arguments: object) -> Any:  # noqa: ANN401  (what the script gives)
        return self.browser.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """Return all of an element's text, as it is in the page: nothing is trimmed."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def attribute(self, selector: str, name: str) -> str | None:
        return self.find(selector).get_dom_attribute(name)

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def press(self, *keys: str) -> None:
        """Press keys one after the other, wherever the focus is."""
        actions = ActionChains(self.browser)
        for key in keys:
            actions = actions.send_keys(key)
        actions.perform()

    def tab_to(self, attribute: str, value: str, most: int = 60) -> None:
        """Press the Tab key until this element has the focus."""
        for _ in range(most):
            self.press(Keys.TAB)
            if self.focus(attribute) == value:
                return
        raise AssertionError(f"{most} tabs did not lead to {attribute}={value}")

    def focus(self, attribute: str) -> str | None:
        found = self.run("return document.activeElement.getAttribute(arguments[0])", attribute)
        return None if found is None else str(found)

    def slide_to(self, percent: int) -> None:
        """Set the slider as dragging it does."""
        self.run(
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', {bubbles: true}))",
            self.find("#threshold"),
            percent,
        )

    def visible_arcs(self) -> set[Arc]:
        """Return the arcs that can be seen."""
        return {_arc(one) for one in self.run(_VISIBLE_ARCS)}

    def shown_arcs(self) -> set[Arc]:
        """Return the arcs that the page says it shows."""
        marked = self.find_all('[data-arc][data-shown="yes"]')
        return {_arc(str(one.get_dom_attribute("data-arc"))) for one in marked}

    def tags(self) -> dict[str, int]:
        """Return how many elements of each kind the page has."""
        return dict(self.run(_TAGS))

    def overflow(self) -> tuple[float, list[str]]:
        """Return by how much the page is too wide, and what sticks out where nothing scrolls."""
        pixels, elements = self.run(_TOO_WIDE)
        return max(float(pixels), 0.0), list(elements)


def _arc(name: str) -> Arc:
    parent, child = name.split("-")
    return int(parent), int(child)
