"""Names that try to be something else are shown as the text that they are."""

import pytest
from selenium.common.exceptions import NoAlertPresentException

from tests.browser.conftest import HOSTILE_NAMES, Report
from tests.browser.report_page import ReportPage


def test_hostile_names_are_text_and_nothing_else(
    page: ReportPage, pump: Report, hostile: Report
) -> None:
    page.open(pump.path)
    title, tags = page.browser.title, page.tags()
    page.open(hostile.path)
    assert page.browser.title == title
    assert page.tags() == tags
    for child, name in enumerate(HOSTILE_NAMES):
        assert page.text(f'#as-text tr[data-text-node="{child}"] th') == name
        assert page.text(f'[data-node="{child}"] > title') == name
        label = page.attribute(f'[data-node="{child}"]', "aria-label")
        assert str(label).startswith(f"{name}, ")


def test_hostile_names_stay_text_whatever_is_clicked(
    page: ReportPage, pump: Report, hostile: Report
) -> None:
    seen: list[dict[str, int]] = []
    for report in (pump, hostile):
        page.open(report.path)
        page.slide_to(1)
        page.click("#view-members")
        page.click("#member-next")
        seen.append({})
        for child, name in enumerate(report.credible.names):
            page.run(
                "arguments[0].dispatchEvent(new Event('click'))",
                page.find(f'[data-node="{child}"]'),
            )
            assert page.text("#panel-title") == name
            for tag, count in page.tags().items():
                seen[-1][tag] = seen[-1].get(tag, 0) + count
        page.click('#arcs [data-sort="parent"]')
    assert seen[1] == seen[0]
    assert "owned" not in page.browser.title
    with pytest.raises(NoAlertPresentException):
        _ = page.browser.switch_to.alert.text


def test_a_name_in_two_directions_does_not_disturb_its_neighbours(
    page: ReportPage, hostile: Report
) -> None:
    page.open(hostile.path)
    outside = page.run(
        "return [...document.querySelectorAll('#as-text th, #arcs tbody td:nth-child(-n+2)')]"
        ".filter((one) => one.scope !== 'col' && one.querySelector('bdi') === null).length"
    )
    assert outside == 0
