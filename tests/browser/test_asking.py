"""A reader asks a report: what they click, what they see, and the library's numbers."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from noisyor import Inference, Network, average, value_of_information
from noisyor.core import ImpossibleEvidenceError
from tests.browser.asking import chances, click_state, given, opened, wait
from tests.browser.chromium import SECONDS
from tests.browser.conftest import Report
from tests.browser.report_page import ReportPage

if TYPE_CHECKING:
    from noisyor.inference.evidence import Finding

EXACT = 1e-9


def check(page: ReportPage, report: Report, observed: dict[int, int]) -> bool:
    """Compare what the cards say with the library; return whether the evidence is possible."""
    found = chances(page)
    try:
        expected = average(report.networks, None, given(report, observed))
    except ImpossibleEvidenceError:
        assert "cannot occur together" in page.text("#ask-status")
        return False
    assert len(found) == len(report.data.variables)
    for place, name in enumerate(expected.names):
        own = found[str(report.networks.names.index(name))]
        for state, said in own.items():
            wanted = [
                values[place][int(state)]
                for values in (expected.chances, expected.lowest, expected.highest)
            ]
            assert said == pytest.approx(wanted, abs=EXACT), name
    for variable, chosen in observed.items():
        assert found[str(variable)][str(chosen)] == [1, 1, 1]
    return True


@pytest.mark.parametrize("name", ["pump", "many_states", "hostile", "unheard_of"])
def test_clicked_states_give_the_librarys_averages(
    page: ReportPage, name: str, request: pytest.FixtureRequest
) -> None:
    report: Report = request.getfixturevalue(name)
    opened(page, report)
    assert check(page, report, {})
    random = np.random.default_rng(3)
    variables = report.data.variables
    possible = 0
    for _ in range(3):
        page.run("document.querySelector('#ask-reset').click()")
        wait(page)
        observed: dict[int, int] = {}
        for variable in random.permutation(len(variables))[:3].tolist():
            observed[variable] = int(random.integers(variables[variable].state_count))
            click_state(page, variable, observed[variable])
            possible += check(page, report, observed)
    assert possible >= 5


def test_what_was_chosen_can_be_changed_taken_back_and_reset(
    page: ReportPage, pump: Report
) -> None:
    opened(page, pump)
    before = chances(page)
    click_state(page, 2, 1)
    click_state(page, 5, 0)
    assert len(page.find_all("#ask-given button")) == 2
    click_state(page, 2, 0)  # another state of the same variable
    assert check(page, pump, {2: 0, 5: 0})
    assert page.attribute('[data-variable="2"][data-set-state="0"]', "aria-pressed") == "true"
    click_state(page, 2, 0)  # the same state again
    assert check(page, pump, {5: 0})
    page.click('[data-take-back="5"]')
    wait(page)
    assert chances(page) == before
    assert page.attribute("#ask-reset", "aria-disabled") == "true"
    click_state(page, 1, 1)
    page.click("#ask-reset")
    wait(page)
    assert chances(page) == before


def test_the_address_holds_the_view(page: ReportPage, hostile: Report) -> None:
    opened(page, hostile)
    click_state(page, 0, 1)
    click_state(page, 2, 0)
    page.click("#ask-diagnosis")
    wait(page)
    address = page.browser.current_url
    shown = chances(page, "#diagnosis")
    fragment = address[address.index("#") :]
    assert not set("<>\"' ") & set(fragment)
    opened(page, hostile, fragment)
    assert chances(page, "#diagnosis") == shown
    assert page.attribute("#ask-diagnosis", "aria-pressed") == "true"
    page.click("#ask-every")
    wait(page)
    assert check(page, hostile, {0: 1, 2: 0})


@pytest.mark.parametrize(
    "fragment",
    ["#given.nobody=1", "#given.vibration=7", "#given.%E0%A4%A=1", "#vibration=1", "#=&=", "#run"],
)
def test_an_address_of_something_else_chooses_nothing(
    page: ReportPage, pump: Report, fragment: str
) -> None:
    opened(page, pump, fragment)
    assert page.find_all("#ask-given button") == []
    assert check(page, pump, {})


def test_another_address_changes_the_page(page: ReportPage, pump: Report) -> None:
    opened(page, pump, "#given.vibration=1")
    number = pump.networks.names.index("vibration")
    assert check(page, pump, {number: 1})
    page.run("location.hash = 'given.vibration=0'")
    WebDriverWait(page.browser, SECONDS).until(
        lambda _: chances(page)[str(number)]["0"] == [1, 1, 1]
    )
    wait(page)
    assert check(page, pump, {number: 0})
    for link in ("#ask", "#arcs-section"):  # within the page
        page.run("document.querySelector(arguments[0]).click()", f'.skip[href="{link}"]')
        assert page.focus("id") == link.removeprefix("#")
        assert page.run("return location.hash") == "#given.vibration=0"
    assert check(page, pump, {number: 0})


def test_the_most_probable_states_are_those_of_the_best_network(
    page: ReportPage, pump: Report
) -> None:
    opened(page, pump)
    click_state(page, 3, 1)
    costs = pump.networks.costs()
    network = pump.networks.network(int(costs.argmin()))
    expected = Inference(network).most_probable(given(pump, {3: 1}))
    said = page.run(
        "return [...document.querySelectorAll('[data-explained]')]"
        ".map((one) => [Number(one.dataset.explained), Number(one.dataset.state)])"
    )
    states = {network.names[v]: network.variables[v].states[state] for v, state in said}
    assert states | {network.names[3]: "1"} == dict(expected.states)
    posterior = page.attribute("#ask-posterior", "data-value")
    assert float(posterior or 0) == pytest.approx(expected.posterior, rel=EXACT)


def test_the_picture_shows_the_chances(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    click_state(page, 4, 1)
    expected = average(pump.networks, None, given(pump, {4: 1}))
    for name in expected.names:
        gauge = f'[data-node="{pump.networks.names.index(name)}"] .gauge'
        assert float(page.attribute(gauge, "data-chance") or 0) == pytest.approx(
            expected[name]["1"], abs=EXACT
        )
    assert "observed" in (page.attribute('[data-node="4"]', "class") or "")
    page.click("#view-best")
    assert "observed" in (page.attribute('[data-node="4"]', "class") or "")


def test_states_can_be_chosen_in_the_panel_of_a_node(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    page.click('[data-node="5"]')
    page.run("document.querySelector('#panel-live [data-set-state]').focus()")
    page.press(Keys.ENTER)
    wait(page)
    assert page.focus("aria-pressed") == "true"
    assert check(page, pump, {5: 1})
    click_state(page, 5, 0)
    assert page.attribute('#panel-live [data-set-state="0"]', "aria-pressed") == "true"
    page.click('[data-node="6"]')
    said = page.attribute('#panel-live [data-set-state="1"]', "data-mean")
    expected = average(pump.networks, ["low_pressure"], given(pump, {5: 0}))
    assert pump.networks.names[6] == "low_pressure"
    assert float(said or 0) == pytest.approx(expected["low_pressure"]["1"], abs=EXACT)


# ---- diagnosis --------------------------------------------------------------------------------


def ranking(page: ReportPage) -> list[tuple[int, float, float]]:
    found: list[Any] = page.run(
        "return [...document.querySelectorAll('#findings [data-finding]')].flatMap((one) => {"
        "const worth = one.querySelector('.worth');"
        "return worth ? [[one.dataset.finding, worth.dataset.drop, worth.dataset.share]"
        ".map(Number)] : [] })"
    )
    return [(int(variable), drop, share) for variable, drop, share in found]


def test_findings_are_ranked_by_what_they_tell_about_the_target(
    page: ReportPage, pump: Report
) -> None:
    opened(page, pump)
    page.click("#ask-diagnosis")
    wait(page)
    names = pump.networks.names
    targets = [
        int(one.get_dom_attribute("data-target") or 0) for one in page.find_all(".as-target")
    ]
    assert len(targets) > 1
    for target in targets[:2]:
        page.click(f'[data-target="{target}"]')
        wait(page)
        expected = value_of_information(
            pump.networks, names[target], [n for v, n in enumerate(names) if v not in targets]
        )
        said = ranking(page)
        assert [names[variable] for variable, _, _ in said] == [f.name for f in expected.findings]
        for (_, drop, share), one in zip(said, expected.findings, strict=True):
            assert (drop, share) == pytest.approx((one.drop, one.share), abs=EXACT)
        assert expected.findings[0].name in page.text("#next-test")


def test_an_observed_finding_is_no_test_any_more(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    page.click("#ask-diagnosis")
    wait(page)
    first = ranking(page)[0][0]
    click_state(page, first, 1, "#findings")
    assert first not in [variable for variable, _, _ in ranking(page)]
    known = page.find(f'#findings [data-finding="{first}"]')
    assert "known" in (known.get_dom_attribute("class") or "")
    targets = [one.get_dom_attribute("data-target") for one in page.find_all(".as-target")]
    for target in targets:
        click_state(page, int(target or 0), 0, "#targets")
    assert page.text("#next-test") == "All targets are known."


def test_targets_can_be_chosen(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    page.click("#ask-diagnosis")
    wait(page)
    number = pump.networks.names.index("vibration")
    page.run("document.querySelector('#diagnosis details').open = true")
    page.click(f'#target-choices input[value="{number}"]')
    wait(page)
    assert page.find_all(f'[data-target="{number}"]')
    assert number not in [variable for variable, _, _ in ranking(page)]
    fragment = page.browser.current_url.partition("#")[2]
    opened(page, pump, f"#{fragment}")
    assert page.find_all(f'[data-target="{number}"]')


# ---- readers ----------------------------------------------------------------------------------


def test_states_are_chosen_with_the_keyboard(page: ReportPage, pump: Report) -> None:
    opened(page, pump)
    page.run("document.querySelector('#ask-cards [data-set-state]').focus()")
    page.press(Keys.ENTER)
    wait(page)
    assert page.focus("data-variable") == "0"
    assert page.focus("aria-pressed") == "true"
    page.press(Keys.SPACE)
    wait(page)
    assert page.focus("aria-pressed") == "false"


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
@pytest.mark.parametrize("name", ["pump", "many_states", "hostile"])
def test_nothing_sticks_out_of_the_screen(
    page: ReportPage, name: str, width: int, request: pytest.FixtureRequest
) -> None:
    page.emulate(width=width)
    opened(page, request.getfixturevalue(name))
    click_state(page, 0, 1)
    assert page.overflow() == (0, [])
    page.click("#ask-diagnosis")
    wait(page)
    assert page.overflow() == (0, [])


# ---- a single network -------------------------------------------------------------------------


def test_a_single_network_answers_and_has_no_views(
    page: ReportPage, single: tuple[Path, Network]
) -> None:
    path, network = single
    page.open(path)
    wait(page)
    assert page.text("h1") == "a <b>network</b>"
    assert page.find_all("#view-averaged, #threshold, #run") == []
    assert page.attribute("#picture", "data-view") == "best"
    families = network.structure.families
    arcs = {(parent, family.child) for family in families for parent in family.parent_indices()}
    assert page.visible_arcs() == arcs
    inference = Inference(network)
    for variable in (3, 7):
        click_state(page, variable, 1)
    given = {f"v{v}": "s1" for v in (3, 7)}
    expected = inference.posteriors(None, given)
    found = chances(page)
    for name, wanted in zip(expected.names, expected.chances, strict=True):
        own = found[str(network.index(name))]
        assert [own[str(at)][0] for at in range(len(wanted))] == pytest.approx(wanted, abs=EXACT)
        assert all(low == mean == high for mean, low, high in own.values())
    for node in range(len(network.names)):
        page.run(
            "document.querySelector(arguments[0]).dispatchEvent(new Event('click'))",
            f'[data-node="{node}"]',
        )
        assert page.text("#panel-title") == network.names[node]
        assert page.find_all("#panel-detail [data-unseen], #panel-detail .records") == []
    page.click('#arcs [data-sort="child"]')
    rows = page.run(
        "return [...document.querySelectorAll('#arcs tbody tr')].map((r) => r.cells.length)"
    )
    assert rows == [2] * len(arcs)


def test_a_network_that_is_too_dense_says_so_and_answers_what_it_can(
    page: ReportPage, dense: tuple[Path, Network]
) -> None:
    path, network = dense
    page.open(path)
    wait(page)
    assert "too densely connected" in page.text("#ask-status")
    assert len(page.find_all("#ask-cards [data-ask]")) == 12  # not pages of unknown chances
    assert page.text("#ask-more") == "Show all 60"
    state = Inference(network)
    parents = {p for family in network.structure.families for p in family.parent_indices()}
    fragment = "&".join(f"given.{network.names[v]}={network.states[v][0]}" for v in sorted(parents))
    given: dict[str, Finding] = {network.names[v]: network.states[v][0] for v in parents}
    page.browser.get("about:blank")
    page.browser.get(f"{path.as_uri()}#{fragment}")
    wait(page)
    if state.log_evidence(given) == -np.inf:
        assert "cannot occur together" in page.text("#ask-status")
    else:
        assert "Given" in page.text("#ask-status")
