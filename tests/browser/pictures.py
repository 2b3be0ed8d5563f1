"""Take the pictures of reports that the documentation shows: `make pictures`.

Each is a part of a page, as Chromium shows it. The pictures are not compared with the committed
ones: fonts differ from machine to machine. Look at them before you commit them.
"""

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from selenium.webdriver import Chrome
from selenium.webdriver.common.by import By

import noisyor
from noisyor.data.examples import expert_files
from noisyor.reporting import network_content, report_html
from tests.browser.chromium import chromium

IMAGES = Path(__file__).parents[2] / "docs" / "images"
MOST_BYTES = 150_000
"""The largest size of a picture: a page of the documentation should open at once."""

_MARGIN = 10  # around what is shown, in pixels of the page
_SHARPNESS = 1.5  # pixels of the picture for each of the page
_COLOURS = 96  # a page has few; with so many, smooth edges stay smooth

_PLACE = """
const boxes = arguments[0].map((one) => document.querySelector(one).getBoundingClientRect());
const least = (side) => Math.min(...boxes.map((box) => box[side]));
const most = (side) => Math.max(...boxes.map((box) => box[side]));
return [least("left"), least("top") + scrollY, most("right"), most("bottom") + scrollY];
"""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture to take.

    Parameters
    ----------
    name
        The name of the picture, without its suffix.
    report
        The report to open, by its name.
    given
        What is known, as in the address of the page.
    node
        The variable that is clicked then, if any.
    shows
        The elements that the picture reaches around.
    width
        The width of the window.
    """

    name: str
    report: str
    shows: tuple[str, ...]
    given: str = ""
    node: str | None = None
    width: int = 1000


_ASKED = "given.fever=yes&given.cough=no"

SHOTS = (
    Shot("report", "demo", ("#ask-title", "#ask-cards"), _ASKED, width=1280),
    Shot("quickstart", "clinic", (".page-head", "#found")),
    Shot("node", "clinic", ("#panel",), node="fever", width=1280),
    Shot("ask", "clinic", ("#ask-title", "#ask-cards"), _ASKED),
    Shot("diagnosis", "clinic", ("#ask-title", ".diagnosis-columns"), "given.fever=yes"),
    Shot("pump", "pump", ("figure",), "given.low_pressure=1&given.vibration=0", width=1280),
    Shot("car", "car", ("figure",), width=1280),
    Shot("car-before", "car", ("#panel",), node="No start", width=1280),
    Shot("car-after", "car-updated", ("#panel",), node="No start", width=1280),
)


def write_reports(folder: Path) -> None:
    """Write every report that is shown, as the page that shows it makes it."""
    clinic = noisyor.load_example("clinic")
    noisyor.learn(clinic).report(folder / "demo.html")
    noisyor.learn(clinic, relations="paper").report(folder / "clinic.html")
    known = noisyor.Knowledge(
        roots=["worn_bearing", "clogged_filter", "leaking_valve", "sensor_drift", "automatic_mode"],
        tiers=[
            ["vibration", "low_pressure", "overheating"],
            ["standby_starts", "water_delivered"],
        ],
        forbidden=[("sensor_drift", "water_delivered")],
    )
    pump = noisyor.load_example("pump")
    noisyor.learn(pump, relations="paper", constraints=known).report(folder / "pump.html")
    for suffix, content in expert_files("car").items():
        (folder / f"car{suffix}").write_bytes(content)
    expert = noisyor.read_network(folder / "car.xdsl")
    updated = noisyor.fit(expert, folder / "car.csv", prior_weight=20)
    for name, network in (("car", expert), ("car-updated", updated)):
        page = report_html(network_content(network))
        (folder / f"{name}.html").write_text(page, encoding="utf-8")


def take(browser: Chrome, shot: Shot, folder: Path) -> bytes:
    """Return a picture as PNG, with few colours, for these are much smaller."""
    # Scroll bars would be gone in the picture, and everything else moved.
    browser.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": shot.width, "height": 900, "deviceScaleFactor": _SHARPNESS, "mobile": False},
    )
    browser.get("about:blank")  # so that an address that differs after the # is opened anew
    browser.get(f"{(folder / shot.report).as_uri()}.html#{shot.given}")
    if any("diagnosis" in selector for selector in shot.shows):
        browser.find_element(By.ID, "ask-diagnosis").click()
    if shot.node is not None:
        browser.find_element(By.CSS_SELECTOR, f'[data-node][aria-label^="{shot.node}"]').click()
    # The whole panel, which scrolls in a page.
    browser.execute_script(
        "document.querySelector('#panel').style.maxHeight = 'none';"
        "document.querySelector('.side').style.containerType = 'normal'"
    )
    left, top, right, bottom = browser.execute_script(_PLACE, list(shot.shows))
    clip = {
        "x": left - _MARGIN,
        "y": top - _MARGIN,
        "width": right - left + 2 * _MARGIN,
        "height": bottom - top + 2 * _MARGIN,
        "scale": 1,
    }
    taken = browser.execute_cdp_cmd(
        "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True}
    )
    image = Image.open(io.BytesIO(base64.b64decode(taken["data"]))).convert("RGB")
    small = io.BytesIO()
    image.quantize(_COLOURS, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()


def main() -> None:
    """Write all pictures."""
    with TemporaryDirectory() as made, chromium() as browser:
        folder = Path(made)
        write_reports(folder)
        for shot in SHOTS:
            picture = take(browser, shot, folder)
            (IMAGES / f"{shot.name}.png").write_bytes(picture)
            print(f"{shot.name}: {len(picture):,} bytes")  # noqa: T201  (a command)


if __name__ == "__main__":
    main()
