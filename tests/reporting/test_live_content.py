"""The networks that a page can be asked are those of the set, or a fair part of them."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from noisyor.core import Network
from noisyor.networks import fit_members
from noisyor.reporting import live_content, report_content, report_html
from noisyor.reporting.live_content import live_network, live_set
from noisyor.reporting.page_ask import ask_section
from tests.inference.networks import network_of, noisy_or, root, table
from tests.inference.test_averaging import set_of_members
from tests.reporting.credible_sets import large_set, small_data, small_set

FIRST = network_of(root(0.25), root(0.5), noisy_or([0, 1], 0.2, 0.4, leak_q=0.9))
SECOND = network_of(root(0.25), root(0.5), table([0], 0.125, 0.75))


def numbered(count: int) -> list[tuple[Network, float]]:
    """Return different networks, each with half the weight of the one before."""
    return [
        (network_of(root(0.5 + at / 1000), table([0], 0.1, 0.9)), at * log(2))
        for at in range(count)
    ]


def test_parameters_are_exact_and_the_best_network_is_first() -> None:
    live = live_set(set_of_members((SECOND, 2 + log(3)), (FIRST, 2.0)))
    assert [one["weight"] for one in live["networks"]] == pytest.approx([0.75, 0.25])
    best = [live["families"][place] for place in live["networks"][0]["families"]]
    assert best == [
        {"child": 0, "parents": [], "effect": "table", "values": [0.75, 0.25]},
        {"child": 1, "parents": [], "effect": "table", "values": [0.5, 0.5]},
        # By state of each parent, then the leak; absent parents do not act.
        {"child": 2, "parents": [0, 1], "effect": "max", "values": [1, 0.2, 1, 0.4, 0.9]},
    ]
    other = live["families"][live["networks"][1]["families"][2]]
    assert other["values"] == [0.875, 0.125, 0.25, 0.75]
    assert (live["numbers"], live["count"], live["share"], live["draws"]) == (9, 2, 1.0, None)


def test_of_many_networks_the_best_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_content, "MOST_NETWORKS", 3)
    live = live_set(set_of_members(*numbered(6)))
    assert [one["weight"] for one in live["networks"]] == pytest.approx([4 / 7, 2 / 7, 1 / 7])
    assert live["share"] == pytest.approx((32 + 16 + 8) / 63, abs=1e-6)
    assert live["count"] == 6
    said = ask_section({"live": live, "variables": [0, 0]})
    assert said is not None
    assert said["words"].endswith("over the 3 best of 6 networks, which have 89% of the weight.")


def test_networks_share_a_budget_of_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each network has 2 + 4 numbers, and shares none.
    monkeypatch.setattr(live_content, "MOST_NUMBERS", 12)
    assert len(live_set(set_of_members(*numbered(6)))["networks"]) == 2
    monkeypatch.setattr(live_content, "MOST_NUMBERS", 5)
    assert len(live_set(set_of_members(*numbered(6)))["networks"]) == 1


def test_a_network_with_too_many_parameters_is_left_out_and_the_page_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live_content, "MOST_NUMBERS_OF_ONE", 8)
    for live in (live_network(FIRST), live_set(set_of_members((FIRST, 1.0)))):
        assert (live["networks"], live["families"], live["numbers"]) == ([], [], 9)
        said = ask_section({"live": live, "variables": [0, 0, 0]})
        assert said is not None
        assert "has 9 parameters, too many for a page" in said["words"]
        assert not said["asked"]
    data = small_data()
    credible = small_set(data)
    content = report_content(credible, data, {}, networks=fit_members(data, credible))
    html = report_html(content)
    assert content["live"]["networks"] == []
    assert 'id="ask-title"' in html
    assert 'id="ask"' not in html


def test_draws_become_fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_content, "MOST_NETWORKS", 20)
    draws = np.full(50, 4, dtype=np.int64)
    live = live_set(set_of_members(*numbered(50), draws=draws, count=1000))
    assert live["draws"] is not None
    assert len(live["networks"]) <= 20 <= live["draws"] + 5
    assert len(live["networks"]) > 10
    counts = np.array([one["weight"] for one in live["networks"]]) * live["draws"]
    assert counts == pytest.approx(counts.round())
    # By weight alone the first would have half: draws are kept whatever the cost.
    assert max(one["weight"] for one in live["networks"]) < 0.25
    assert live["share"] == 1
    said = ask_section({"live": live, "variables": [0, 0]})
    assert said is not None
    assert f"that {live['draws']} draws from the credible ones gave" in said["words"]


def test_all_draws_are_kept_if_there_is_room() -> None:
    draws = np.array([3, 1], dtype=np.int64)
    live = live_set(set_of_members(*numbered(2), draws=draws, count=1000))
    assert [one["weight"] for one in live["networks"]] == [0.75, 0.25]
    assert live["draws"] == 4


def test_a_single_network_is_asked() -> None:
    live = live_network(FIRST)
    assert live["networks"] == [{"weight": 1.0, "families": [0, 1, 2]}]
    said = ask_section({"live": live, "variables": [0, 0, 0]})
    assert said is not None
    assert said["title"] == "Ask the network"
    assert "averaged" not in said["words"]


def test_a_page_of_thirty_variables_that_answers_stays_under_a_megabyte() -> None:
    credible, data = large_set(30, each=24)
    rows = credible.members.best(60).families
    networks = fit_members(data, replace(credible, count=len(rows)))
    content = report_content(credible, data, {}, networks=networks)
    held = sum(len(one["values"]) for one in content["live"]["families"])
    assert len(content["live"]["networks"]) > 20
    assert held > 8_000
    assert len(report_html(content).encode()) < 1_000_000


def test_a_page_without_networks_has_no_questions() -> None:
    data = small_data()
    html = report_html(report_content(small_set(data), data, {}))
    assert 'id="ask' not in html
    assert "makeAsk = " not in html
