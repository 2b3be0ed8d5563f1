"""Pages have no fault that axe-core finds, light and dark, on a desk and on a phone."""

from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from noisyor import Network
from tests.browser.chromium import SECONDS
from tests.browser.conftest import Report
from tests.browser.report_page import ReportPage

AXE = Path(__file__).parents[2] / "build" / "browser-tools" / "axe_playwright_python" / "axe.min.js"

_FAULTS = """
const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ["violations"] }).then(
  ({ violations }) => done(violations.map(({ id, help, nodes }) => [
    id, help, nodes.length, nodes.slice(0, 3).map(({ html, failureSummary }) =>
      `${html.slice(0, 160)}: ${failureSummary}`),
  ])),
  (error) => done([["axe", String(error), 0, []]]),
);
"""

_STILL = "return document.getAnimations().every((one) => one.playState !== 'running')"


@pytest.fixture(scope="session")
def axe() -> str:
    if not AXE.exists():
        pytest.fail(f"{AXE} is missing; `make test-browser` installs it")
    return AXE.read_text(encoding="utf-8")


def faults(page: ReportPage, axe: str) -> list[Any]:
    """Return what axe-core finds wrong with the page as it is shown now."""
    WebDriverWait(page.browser, SECONDS).until(lambda _: page.run(_STILL))
    page.run(axe)
    return list(page.browser.execute_async_script(_FAULTS))


LOOKS = pytest.mark.parametrize(
    ("width", "dark"),
    [(1280, False), (1280, True), (390, False), (390, True)],
    ids=["desk", "dark desk", "phone", "dark phone"],
)


@LOOKS
def test_a_report_in_all_of_its_views(
    page: ReportPage, pump: Report, axe: str, width: int, *, dark: bool
) -> None:
    page.emulate(width=width, dark=dark)
    page.open(pump.path)
    assert faults(page, axe) == []
    page.click("#view-members")
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.run("document.querySelector('#ask-cards [data-set-state]').click()")
    page.find('[data-node="5"]').click()
    assert faults(page, axe) == []
    page.click("#ask-diagnosis")
    assert faults(page, axe) == []


@LOOKS
def test_a_page_of_many_variables(
    page: ReportPage, broad: Report, axe: str, width: int, *, dark: bool
) -> None:
    page.emulate(width=width, dark=dark)
    page.open(broad.path)
    page.click("#find")
    page.press("1")
    assert page.attribute("#find", "aria-expanded") == "true"
    assert faults(page, axe) == []


@LOOKS
def test_a_page_of_one_network(
    page: ReportPage, single: tuple[Path, Network], axe: str, width: int, *, dark: bool
) -> None:
    page.emulate(width=width, dark=dark)
    page.open(single[0])
    assert faults(page, axe) == []


def test_a_fault_would_be_found(page: ReportPage, pump: Report, axe: str) -> None:
    page.open(pump.path)
    page.run("document.querySelector('#threshold').labels.forEach((one) => one.remove())")
    assert "label" in [fault[0] for fault in faults(page, axe)]
