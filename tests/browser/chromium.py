"""Chromium without a window, for the tests of the report and for the pictures of it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service

SECONDS = 20
"""How long the browser may take for anything at all."""

_ARGUMENTS = (
    "--headless=new",
    "--window-size=1280,900",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-gpu",
    "--no-first-run",
)


@contextmanager
def chromium() -> Iterator[Chrome]:
    """Start Chromium, to which no host has an address, and end it.

    It takes Chromium and its driver as Debian packages them, and raises LookupError where these
    are missing.
    """
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if program is None or driver is None:
        raise LookupError(
            "chromium and chromedriver are needed; `apt-get install chromium chromium-driver` "
            "installs them"
        )
    options = ChromeOptions()
    options.binary_location = program
    for argument in _ARGUMENTS:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium's refuses to work for root
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    try:
        chrome.set_page_load_timeout(SECONDS)
        chrome.set_script_timeout(SECONDS)
        yield chrome
    finally:
        chrome.quit()
