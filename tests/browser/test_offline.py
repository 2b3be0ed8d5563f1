"""A page loads nothing, runs no script but its own, and shows the picture even without that."""

from pathlib import Path

from tests.browser.conftest import Report
from tests.browser.expected import weights
from tests.browser.report_page import ReportPage


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
