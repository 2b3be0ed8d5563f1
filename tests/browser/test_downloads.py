"""The files that a page saves."""

import csv
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from selenium.webdriver.support.ui import WebDriverWait

from noisyor import average
from tests.browser.asking import opened
from tests.browser.chromium import SECONDS
from tests.browser.conftest import HOSTILE_NAMES, Report
from tests.browser.report_page import ReportPage

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def folder(page: ReportPage, tmp_path: Path) -> Iterator[Path]:
    """Return where the browser saves files."""
    page.browser.execute_cdp_cmd(
        "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)}
    )
    yield tmp_path
    page.browser.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "default"})


def saved(page: ReportPage, button: str, path: Path) -> Path:
    page.run("document.querySelector(arguments[0]).click()", button)
    WebDriverWait(page.browser, SECONDS).until(lambda _: path.exists() and path.stat().st_size)
    return path


def test_the_picture_is_saved_as_it_is_shown(
    page: ReportPage, hostile: Report, folder: Path
) -> None:
    opened(page, hostile)
    page.click("#view-best")
    path = saved(page, "#save-svg", folder / "network.svg")
    root = ET.fromstring(path.read_text("utf-8"))  # noqa: S314  (the page's own file)
    arcs = {one.get("data-arc") for one in root.iter() if one.get("data-arc")}
    assert arcs == {f"{parent}-{child}" for parent, child in page.visible_arcs()}
    assert len([one for one in root.iter() if one.get("data-node")]) == len(HOSTILE_NAMES)
    assert not [one for one in root.iter() if one.tag in {f"{SVG}script", f"{SVG}title"}]
    shapes = [one for one in root.iter() if one.get("class") == "shape"]
    assert len(shapes) == len(HOSTILE_NAMES)
    assert all("fill: rgb(" in (one.get("style") or "") for one in shapes)


def test_the_picture_is_saved_as_pixels(page: ReportPage, pump: Report, folder: Path) -> None:
    opened(page, pump)
    path = saved(page, "#save-png", folder / "network.png")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG")
    box = page.run("const { width, height } = picture.viewBox.baseVal; return [width, height]")
    size = [int.from_bytes(content[at : at + 4]) for at in (16, 20)]
    assert size == [round(2 * one) for one in box]


def test_tables_are_saved_with_any_name(page: ReportPage, hostile: Report, folder: Path) -> None:
    opened(page, hostile)
    path = saved(page, "#save-arcs", folder / "arcs.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    weights = {(row["parent"], row["child"]): float(row["weight"]) for row in rows}
    expected = {arc: use.weight for arc, use in hostile.credible.edges().items()}
    assert weights == pytest.approx(expected, abs=1e-5)
    path = saved(page, "#save-chances", folder / "chances.csv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    answer = average(hostile.networks)
    assert len(rows) == 2 * len(HOSTILE_NAMES)
    for row in rows:
        assert float(row["mean"]) == pytest.approx(answer[row["variable"]][row["state"]], abs=1e-9)
        assert row["observed"] == "false"
