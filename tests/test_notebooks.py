"""What notebooks show: pictures and tables in which every name is text."""

import base64
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from noisyor import (
    Inference,
    Knowledge,
    Network,
    Structure,
    Variable,
    average,
    learn,
    load_example,
    sensitivity,
    value_of_information,
)
from noisyor.core.html_table import MOST_ROWS, html_table
from noisyor.reporting.notebook import MOST_DRAWN
from tests.inference.networks import any_network, network_of, noisy_or, root
from tests.inference.test_averaging import THREE

HOSTILE = "<script>alert('&')</script>"
NETWORK = network_of(root(0.25), root(0.5), noisy_or([0, 1], 0.2, 0.4))


def image(html: str) -> ET.Element:
    """Return the picture in a cell, parsed."""
    (data,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)
    return ET.fromstring(base64.b64decode(data))  # noqa: S314  (our own picture)


def cells(html: str) -> list[list[str]]:
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>.*?</t[dh]>", row)]
        for row in rows
    ]


def test_a_network_is_a_picture_and_a_table() -> None:
    html = NETWORK._repr_html_()
    svg = image(html)
    assert [one.get("data-node") for one in svg.iter() if one.get("data-node")] == ["0", "1", "2"]
    assert {one.get("data-arc") for one in svg.iter() if one.get("data-arc")} == {"0-2", "1-2"}
    assert "Network of 3 variables, 2 arcs" in html
    assert cells(html)[3] == ["v2", "no, yes", "noisy-or", "v0, v1"]


def test_a_large_network_is_a_table_alone() -> None:
    network = any_network(np.random.default_rng(0), MOST_DRAWN + 1, 2)
    html = network._repr_html_()
    assert "<img" not in html
    assert "and 1 more" in html
    assert len(cells(html)) == MOST_ROWS + 2


def test_names_are_text() -> None:
    network = Network(
        Structure((HOSTILE, "b", "c"), NETWORK.structure.families),
        (Variable(HOSTILE, ("no", HOSTILE)), *(Variable(name, ("0", "1")) for name in "bc")),
        NETWORK.distributions,
        None,
        NETWORK.provenance,
    )
    html = network._repr_html_()
    assert "<script" not in html
    svg = image(html)
    assert not [one for one in svg.iter() if one.tag.endswith("script")]
    assert HOSTILE in [one.text for one in svg.iter() if one.tag.endswith("title")]
    assert "<script" not in Inference(network).posteriors()._repr_html_()


def test_a_result_shows_the_averaged_network_and_its_arcs() -> None:
    learned = learn(load_example("clinic"), relations="paper")
    html = learned._repr_html_()
    assert "<strong>9 credible networks of 11 variables" in html
    svg = image(html)
    shown = {one.get("data-arc") for one in svg.iter() if one.get("data-shown") == "yes"}
    heavy = [arc for arc, use in learned.credible.edges().items() if use.weight >= 0.5]
    assert len(shown) == len(heavy)
    rows = cells(html)
    assert rows[0] == ["parent", "child", "weight", "in the best"]
    assert len(rows) == 1 + len(learned.credible.edges())
    assert rows[1][2] == "1.0000"


def test_tiers_are_columns_as_in_the_report() -> None:
    data = load_example("clinic")
    late = ["flu", "migraine"]
    early = [name for name in data.names if name not in late]
    learned = learn(data, relations="paper", constraints=Knowledge(tiers=[early, late]))
    places = {}
    for one in image(learned._repr_html_()).iter():
        if one.get("data-node") is not None:
            places[data.names[int(one.get("data-node", ""))]] = one.get("transform", "")
    left = {name: float(place.split()[0].split("(")[1]) for name, place in places.items()}
    assert max(left[name] for name in early) < min(left[name] for name in late)


def test_answers_are_small_tables() -> None:
    inference = Inference(NETWORK)
    html = inference.posteriors(["v0"], {"v2": "yes"})._repr_html_()
    chance = inference.posteriors(["v0"], {"v2": "yes"})["v0"]["yes"]
    assert cells(html)[1] == ["v0", "yes", f"{chance:.4f}"]
    assert cells(html)[2][:2] == ["", "no"]  # the name once for all of its states
    assert "<p>given v2=yes</p>" in html
    assert re.findall(r'<th style="text-align: (\w+)">', html) == ["left", "left", "right"]
    rows = cells(inference.joint(["v0", "v1"])._repr_html_())
    assert rows[:3] == [
        ["v0", "v1", "probability"],
        ["no", "no", "0.3750"],
        ["no", "yes", "0.3750"],
    ]
    html = inference.most_probable({"v2": "no"})._repr_html_()
    assert cells(html)[1:] == [["v0", "no"], ["v1", "no"]]
    assert "together" in html
    value = value_of_information(NETWORK, "v0", costs={"v1": 2})
    rows = cells(value._repr_html_())
    assert rows[0] == ["finding", "drop (nats)", "share", "drop per cost"]
    assert [row[0] for row in rows[1:]] == [one.name for one in value.findings]
    assert rows[-1][1:3] == ["0.0000", "0.0000"]  # not the rounding of a number near 0
    html = sensitivity(NETWORK, "v0", "yes", {"v2": "yes"})._repr_html_()
    assert cells(html)[0] == ["parameter of", "parents", "value", "slope"]
    assert ["v0=yes", "", "0.2500"] in [row[:3] for row in cells(html)]
    assert "what v0=yes, 0." in html


def test_outer_bins_are_written_as_they_are_read() -> None:
    binned = tuple(replace(one, states=("<= 65", "> 65")) for one in NETWORK.variables)
    html = sensitivity(
        replace(NETWORK, variables=binned), "v0", "> 65", {"v2": "> 65"}
    )._repr_html_()
    assert "what v0 &gt; 65, 0." in html
    assert "v0 &gt; 65" in [row[0] for row in cells(html)]


def test_averages_have_the_least_and_the_most() -> None:
    answer = average(THREE, ["cough"], {"flu": "yes"})
    rows = cells(answer._repr_html_())
    assert rows[0] == ["variable", "state", "mean", "least", "most"]
    numbers = (answer.chances[0][1], answer.lowest[0][1], answer.highest[0][1])
    assert rows[1] == ["cough", "yes", *(f"{float(one):.4f}" for one in numbers)]
    assert "averaged over 3 of 3 credible networks, given flu=yes" in answer._repr_html_()


@pytest.mark.parametrize(("value", "said"), [(0.0, "0.0000"), (0.5, "0.5000"), (1e-7, "1.00e-07")])
def test_small_numbers_keep_their_digits(value: float, said: str) -> None:
    assert cells(html_table(("x",), [(value,)]))[1] == [said]
