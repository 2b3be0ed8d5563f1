"""What a reader does to ask a report, and the chances that they see then."""

from selenium.webdriver.support.ui import WebDriverWait

from noisyor.inference.evidence import Finding
from tests.browser.chromium import SECONDS
from tests.browser.conftest import Report
from tests.browser.report_page import ReportPage

_CHANCES = """
const found = {};
for (const one of document.querySelectorAll(`${arguments[0]} [data-set-state]`)) {
  const { variable, setState, mean, least, most } = one.dataset;
  found[variable] = found[variable] || {};
  found[variable][setState] = [mean, least, most].map(Number);
}
return found;
"""


def wait(page: ReportPage) -> None:
    """Wait until the page has an answer."""
    ready = "return document.querySelector('#ask').getAttribute('aria-busy') === 'false'"
    WebDriverWait(page.browser, SECONDS).until(lambda _: page.run(ready))


def opened(page: ReportPage, report: Report, fragment: str = "") -> None:
    page.browser.get("about:blank")  # another fragment alone would not load the page again
    page.browser.get(report.path.as_uri() + fragment)
    wait(page)


def click_state(page: ReportPage, variable: int, state: int, within: str = "#ask-cards") -> None:
    page.run(
        "document.querySelector(arguments[0]).click()",
        f'{within} [data-variable="{variable}"][data-set-state="{state}"]',
    )
    wait(page)


def chances(page: ReportPage, within: str = "#ask-cards") -> dict[str, dict[str, list[float]]]:
    return dict(page.run(_CHANCES, within))


def given(report: Report, observed: dict[int, int]) -> dict[str, Finding]:
    variables = report.data.variables
    return {variables[v].name: variables[v].states[state] for v, state in observed.items()}
