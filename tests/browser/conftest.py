"""A real browser, and reports to open in it.

Not collected by a plain `pytest`: `make test-browser` runs these tests. They need Chromium and its
driver, as Debian packages them, and fail where these are missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver import Chrome

from noisyor import (
    CredibleSet,
    Dataset,
    Knowledge,
    Network,
    NetworkSet,
    Structure,
    Variable,
    example_truth,
    fit_members,
    learn,
    sample_dataset,
)
from noisyor.core.variable import variables_of
from noisyor.fitting import fitted_by
from noisyor.reporting import network_content, report_content, report_html
from tests.browser.chromium import chromium
from tests.browser.report_page import ReportPage
from tests.inference.networks import any_network, random_network
from tests.reporting.credible_sets import (
    clinic_data,
    clinic_set,
    sampled_set,
    small_data,
    small_set,
    wide_set,
)
from tests.toy.shared_strength import SHARED, fit_shared

HOSTILE_NAMES = (
    "<script>document.title='owned'</script>",
    "</title></script><script>alert(1)</script>",
    '"><img src=x onerror="document.title=\'owned\'">',
    "' onclick='alert(2)' x='",
    "</text></svg><iframe src=javascript:alert(3)>",
    "{{ 7 * 7 }} ${alert(4)} {% raw %}",
    "<!-- --> ]]> &lt;b&gt; &amp;",
    "💔 señal 心臓 שלום",
    "long" * 50,
    "javascript:alert(5)",
)


@dataclass(frozen=True)
class Report:
    """A page on disk, and what it was made from."""

    path: Path
    credible: CredibleSet
    data: Dataset

    @cached_property
    def networks(self) -> NetworkSet:
        """The networks that the page can be asked."""
        return fit_members(self.data, self.credible)


def written(
    folder: Path, credible: CredibleSet, data: Dataset, *, is_asked: bool = False
) -> Report:
    """Write a page, which can be asked if the members of the set can be listed."""
    report = Report(folder / "report.html", credible, data)
    networks = report.networks if is_asked else None
    content = report_content(credible, data, {"version": "0"}, networks=networks)
    report.path.write_text(report_html(content), encoding="utf-8")
    return report


@pytest.fixture(scope="session")
def pump(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """66 networks, with noisy-ORs, full tables, and arcs of many weights."""
    data = sample_dataset(example_truth("pump"), 200, seed=1)
    credible = learn(data, relations="paper").credible
    return written(tmp_path_factory.mktemp("pump"), credible, data, is_asked=True)


@pytest.fixture(scope="session")
def tiered(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Five faults, what they cause, and what follows from that, each in a tier of its own."""
    data = sample_dataset(example_truth("pump"), 400, seed=1)
    known = Knowledge(roots=data.names[:5], tiers=[data.names[5:8], data.names[8:]])
    learned = learn(data, relations="paper", constraints=known)
    report = Report(tmp_path_factory.mktemp("tiered") / "report.html", learned.credible, data)
    learned.report(report.path)
    return report


@pytest.fixture(scope="session")
def hostile(pump: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same under names that try to be something else than text."""
    best = Structure(HOSTILE_NAMES, pump.credible.best.families)
    credible = replace(pump.credible, names=HOSTILE_NAMES, best=best)
    data = replace(pump.data, variables=variables_of(HOSTILE_NAMES, pump.data.states))
    return written(tmp_path_factory.mktemp("hostile"), credible, data, is_asked=True)


@pytest.fixture(scope="session")
def unheard_of(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A set with a relation that has no look of its own, no table and no causes."""
    with fitted_by(SHARED, fit_shared):
        data = small_data()
        credible = small_set(data, relation=SHARED)
        return written(tmp_path_factory.mktemp("unheard_of"), credible, data, is_asked=True)


@pytest.fixture(scope="session")
def many_states(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Variables of up to twelve states, some with labels that try to be something else than text.

    Every relation with a leak occurs.
    """
    data = clinic_data()
    labels = (*HOSTILE_NAMES[:3], "\u202edraw", "&lt;b&gt;")
    ward = Variable("ward", (*labels, *data.variables[4].states[len(labels) :]))
    data = replace(data, variables=(*data.variables[:4], ward))
    return written(tmp_path_factory.mktemp("many_states"), clinic_set(data), data, is_asked=True)


@pytest.fixture(scope="session")
def incomplete(pump: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same after a limit was hit."""
    credible = replace(pump.credible, shortfalls=("the time was up <b>too early</b>",))
    return written(tmp_path_factory.mktemp("incomplete"), credible, pump.data, is_asked=True)


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A set that was sampled, so that its shares have standard errors."""
    data = small_data()
    return written(tmp_path_factory.mktemp("sampled"), sampled_set(data), data)


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """So many variables that the page opens with the neighbourhood of one."""
    return written(tmp_path_factory.mktemp("wide"), *wide_set(160))


@pytest.fixture(scope="session")
def broad(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """More variables than a page without a search box shows, but few enough to show all at once."""
    return written(tmp_path_factory.mktemp("broad"), *wide_set(45))


@pytest.fixture(scope="session")
def hostile_broad(broad: Report, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The same, the first variables under names that try to be something else than text."""
    names = (*HOSTILE_NAMES, *broad.credible.names[len(HOSTILE_NAMES) :])
    best = Structure(names, broad.credible.best.families)
    credible = replace(broad.credible, names=names, best=best)
    data = replace(broad.data, variables=variables_of(names, broad.data.states))
    return written(tmp_path_factory.mktemp("hostile_broad"), credible, data)


@pytest.fixture(scope="session")
def single(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Network]:
    """The page of a single network with relations of all kinds and up to four states."""
    network = any_network(np.random.default_rng(8), 14, 4, 0, (2, 4))
    path = tmp_path_factory.mktemp("single") / "network.html"
    path.write_text(report_html(network_content(network, "a <b>network</b>")), encoding="utf-8")
    return path, network


@pytest.fixture(scope="session")
def dense(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Network]:
    """The page of a network that no browser can answer from."""
    network = random_network(np.random.default_rng(0), 60, 9)
    path = tmp_path_factory.mktemp("dense") / "network.html"
    path.write_text(report_html(network_content(network)), encoding="utf-8")
    return path, network


@pytest.fixture(scope="session")
def browser() -> Iterator[Chrome]:
    """Chromium without a window, to which no host has an address."""
    with chromium() as started:
        yield started


@pytest.fixture
def blank(browser: Chrome) -> Iterator[ReportPage]:
    """A browser as a reader finds it: nothing emulated, no page open, nothing logged."""
    page = ReportPage(browser)
    page.emulate(width=1280)
    page.forget()
    yield page
    page.emulate(width=1280)


@pytest.fixture
def page(blank: ReportPage) -> Iterator[ReportPage]:
    """A page to open reports in; whatever a test does, nothing is loaded and nothing complains."""
    yield blank
    assert blank.console() == []
    assert {url for url in blank.requests() if not url.startswith(("file:", "data:"))} == set()
