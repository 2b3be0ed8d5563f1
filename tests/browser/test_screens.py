"""Phones, dark screens and paper: everything is there, legible and within its frame."""

import base64
import re

import pytest

from tests.browser.conftest import Report
from tests.browser.report_page import ReportPage

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


A4 = 717
"""Pixels across a page of 210 mm within Chromium's margins of 0.4 inches."""


CUT_OFF = """
return [...document.querySelectorAll(".scroll, .wide")]
  .filter((one) => one.checkVisibility())
  .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.textContent.trim().slice(0, 40));
"""


def luminance(colour: str) -> float:
    """Return the relative luminance of a CSS colour, as WCAG 2 defines it."""
    parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


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
