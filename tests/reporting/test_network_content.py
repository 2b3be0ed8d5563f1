"""The page of a single network, of which no records are known."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from noisyor.core import FormatError
from noisyor.core.appearance import Appearance, NodeAppearance
from noisyor.reporting import network_content, report_html
from noisyor.reporting.content_check import check_content
from tests.inference.networks import any_network, network_of, noisy_or, root, table
from tests.reporting.test_content_check import changed

NETWORK = network_of(
    root(0.25),
    root(0.5),
    noisy_or([0, 1], 0.2, 1.0, leak_q=0.9),
    table([0, 2], 0.1, 0.2, 0.3, 0.4),
    names=("flu", "cold", "cough", "rest"),
)


def test_parameters_are_listed_without_records() -> None:
    content = network_content(NETWORK, "mine")
    families = content["families"]
    assert families[3]["parameters"] == {
        "kind": "table",
        "configurations": [0, 1, 2, 3],
        "chances": [[0.1], [0.2], [0.3], [0.4]],
        "records": None,
        "left_out": 0,
    }
    causes = families[2]["parameters"]
    assert (causes["parents"], causes["strengths"]) == ([0, None], [0.8, 0.1])
    assert content["set"] is None
    assert content["live"]["networks"] == [{"weight": 1.0, "families": [0, 1, 2, 3]}]
    assert network_content(NETWORK)["title"] == "A network"


def test_the_page_says_what_the_network_is_and_nothing_of_credible_ones() -> None:
    page = report_html(network_content(NETWORK, "mine & <yours>"))
    assert "<h1>mine &amp; &lt;yours&gt;</h1>" in page
    assert "A Bayesian network of 4 variables with 2 states." in page
    assert "<bdi>flu brings about cough</bdi> with probability 0.80." in page
    assert "The network: 4 arcs." in page
    body = page[page.index("<body>") : page.index('<script type="application/json"')]
    for words in ("credible", "weight", "Bayes factor", "view-averaged", "threshold", "records"):
        assert words not in body, words


def test_variables_have_the_titles_of_the_file_where_these_are_distinct() -> None:
    titles = {"flu": "Influenza", "cold": "A\n cold", "cough": "rest", "rest": "rest"}
    looks = {name: NodeAppearance(title=title) for name, title in titles.items()}
    named = replace(NETWORK, appearance=Appearance(nodes=looks))
    shown = [one["name"] for one in network_content(named)["variables"]]
    assert shown == ["Influenza", "A cold", "cough", "rest"]
    assert [one["name"] for one in network_content(NETWORK)["variables"]] == list(NETWORK.names)


@pytest.mark.parametrize("seed", range(5))
def test_any_network_gives_a_page_that_can_be_stored(seed: int) -> None:
    random = np.random.default_rng(seed)
    network = any_network(random, int(random.integers(1, 25)), 5, 0.2, (1, 5))
    content = network_content(network)
    stored = json.loads(json.dumps(content))
    assert report_html(stored) == report_html(content)


def test_large_tables_are_shortened_and_unseen_causes_marked() -> None:
    content = network_content(
        network_of(*[root(0.5)] * 6, table(list(range(6)), *np.linspace(0, 1, 64).tolist()))
    )
    parameters = content["families"][6]["parameters"]
    assert (len(parameters["configurations"]), parameters["left_out"]) == (32, 32)


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (("title",), None, "title is missing, since there is no credible set"),
        (
            ("members",),
            [{"cost": 1.0, "families": [0, 1, 2, 3]}],
            "members must be empty, since there is no credible set",
        ),
        (("families", 0, "cost"), "x", r"families\[0\].cost"),
    ],
)
def test_mixtures_of_a_network_and_a_set_are_refused(
    place: tuple[str | int, ...], new: object, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        check_content(changed(network_content(NETWORK), place, new))


def test_the_legend_lists_what_is_drawn() -> None:
    network = network_of(root(0.25), root(0.5), noisy_or([0, 1], 0.2, 0.4))
    legend = re.findall(
        r'<figcaption class="legend".*?</ul>', report_html(network_content(network)), re.DOTALL
    )[0]
    assert "no parents" in legend
    assert "noisy-OR" in legend
    assert "full table" not in legend  # a node without parents is not called that
    assert "where they differ" not in legend
