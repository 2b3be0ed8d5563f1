"""The page is one file that loads nothing else and treats every name as text."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import pytest

from noisyor.core import LEAKY_NOISY_OR, FormatError
from noisyor.core.variable import variables_of
from noisyor.reporting import page_arcs, report_content, report_html
from noisyor.reporting.page import embedded_json
from noisyor.reporting.page_arcs import MOST_ROWS
from noisyor.reporting.relation_style import style_of
from tests.reporting.credible_sets import (
    large_set,
    sampled_set,
    small_data,
    small_set,
    wide_set,
)

SCRIPTS = sorted(
    one.name
    for one in files("noisyor.reporting").joinpath("assets").iterdir()
    if one.name.endswith(".js")
)

HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" 'single' & <b onclick=x>{{ 7 * 7 }} {% raw %}</title><!--",
    "\u202eright to left 😀 \u2028 שלום" + "x" * 200,
)


class Parsed(HTMLParser):
    """The elements of a page with their attributes and texts, as a browser would see them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._open.pop()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open[-1] if self._open else "", data))
        if self._open and self._open[-1] in {"meta", "link", "input"}:
            self._open.pop()

    def having(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if name in attributes]

    def by_id(self, name: str) -> dict[str, str | None]:
        (found,) = (one for one in self.having("id") if one["id"] == name)
        return found

    def text_of(self, tag: str) -> list[str]:
        return [text for own, text in self.texts if own == tag]


def small_page(**changes: Any) -> str:  # noqa: ANN401
    data = small_data()
    return report_html(report_content(small_set(data, **changes), data, {"version": "9.9"}))


@pytest.fixture(scope="module")
def page() -> str:
    return small_page()


@pytest.fixture(scope="module")
def hostile() -> tuple[str, dict[str, Any]]:
    states = (("<i>", "</td>"), ("a'", 'b"'), ("&lt;", "&"))
    data = replace(small_data(HOSTILE), variables=variables_of(HOSTILE, states))
    content = report_content(small_set(data), data, {"notes": ["<img src=x>"], "<u>": "</dd><s>"})
    return report_html(content), content


def test_the_data_come_back_from_the_page(hostile: tuple[str, dict[str, Any]]) -> None:
    html, content = hostile
    embedded = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', html)
    assert embedded is not None
    assert json.loads(embedded[1]) == content
    assert [v["name"] for v in json.loads(embedded[1])["variables"]] == list(HOSTILE)
    assert not set("<>&\u2028\u2029") & set(embedded[1])


def test_json_cannot_leave_its_element() -> None:
    assert embedded_json(["</script><!--", "a&b", "\u2028"]) == (
        '["\\u003c/script\\u003e\\u003c!--","a\\u0026b","\\u2028"]'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded_json(float("nan"))


def test_only_our_own_script_and_style_may_run(page: str) -> None:
    script = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    style = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert len(script) == len(style) == 1
    policy = next(a["content"] for a in Parsed(page).having("http-equiv"))
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))

    def hashed(text: str) -> str:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        return f"'sha256-{digest}'"

    assert rules == {
        "default-src": "'none'",
        "script-src": hashed(script[0]),
        "style-src": hashed(style[0]),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


SKIPS = ["#arcs-section"]


def test_nothing_is_loaded_from_anywhere(page: str) -> None:
    parsed = Parsed(page)
    assert parsed.having("src") == []
    links = [str(a["href"]) for a in parsed.having("href")]
    assert [link.split(",")[0] for link in links] == ["data:image/svg+xml", *SKIPS]
    # A policy with a hash forbids both, so they would have no effect.
    assert parsed.having("style") == []
    assert [n for _, a in parsed.elements for n in a if n.startswith("on")] == []
    for name in ("report.css", "picture.css", "explorer.css", "ask.css"):
        style = files("noisyor.reporting").joinpath("assets", name).read_text("utf-8")
        assert "@import" not in style
        assert "url(" not in style


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_sets_text_and_never_markup(name: str) -> None:
    script = files("noisyor.reporting").joinpath("assets", name).read_text("utf-8")
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch",
        "Function(",
    ):
        assert way not in script


def test_hostile_names_make_no_elements(hostile: tuple[str, dict[str, Any]]) -> None:
    html, _ = hostile
    ours = {tag for tag, _ in Parsed(small_page()).elements}
    parsed = Parsed(html)
    assert {tag for tag, _ in parsed.elements} - ours <= {"ul", "li", "section"}
    assert sum(tag == "script" for tag, _ in parsed.elements) == 3
    assert not [n for _, a in parsed.elements for n in a if n.startswith("on")]
    assert "49" not in "".join(parsed.text_of("text"))


def test_hostile_names_are_whole_in_titles_and_tables(
    hostile: tuple[str, dict[str, Any]],
) -> None:
    parsed = Parsed(hostile[0])
    assert parsed.text_of("title")[1:] == list(HOSTILE)
    assert set(HOSTILE) <= set(parsed.text_of("bdi"))
    labels = parsed.text_of("text")
    assert labels[0] == "<script>alert(…"
    assert all(len(label) < 20 for label in labels)
    node = next(a for a in parsed.having("data-node") if a["data-node"] == "0")
    assert node["aria-label"] == f"{HOSTILE[0]}, no parents; parents: none"


def test_each_node_and_arc_is_in_the_picture_once(page: str) -> None:
    parsed = Parsed(page)
    nodes = {a["data-node"]: (a["class"], a["data-relation"]) for a in parsed.having("data-node")}
    assert nodes == {
        "0": (f"node {style_of('root')}", "cpt"),
        "1": (f"node {style_of('root')}", "cpt"),
        "2": (f"node {style_of('noisy-or')}", "noisy-or"),
    }
    shown = {a["data-arc"]: a["data-shown"] for a in parsed.having("data-arc")}
    assert shown == {"0-2": "yes", "1-2": "yes", "0-1": "no"}
    assert all(a["tabindex"] == "0" for a in parsed.having("data-node"))
    assert parsed.by_id("picture")["data-view"] == "averaged"


def test_arcs_are_as_wide_as_their_weight(page: str) -> None:
    widths = re.findall(r'data-arc="([^"]+)".*?stroke-width="([^"]+)"', page)
    assert {arc: float(width) for arc, width in widths} == {"0-2": 4.0, "1-2": 4.0, "0-1": 1.7}


def test_the_picture_is_there_as_a_table(page: str) -> None:
    rows = re.findall(r"<tr data-text-node.*?</tr>", page)
    plain = [re.sub(r"<[^>]+>", "|", row).strip("|") for row in rows]
    assert plain == [
        "flu|||no parents||none",
        "cold|||no parents||none",
        "cough|||noisy-OR|||flu| (100%), |cold| (100%)",
    ]


def test_the_page_has_the_parts_that_browser_tests_rely_on(page: str) -> None:
    ids = {str(a["id"]) for a in Parsed(page).having("id")}
    assert ids >= {
        "view-averaged",
        "view-best",
        "view-members",
        "threshold",
        "threshold-value",
        "member-previous",
        "member-next",
        "member-number",
        "member-status",
        "picture",
        "picture-status",
        "as-text",
        "panel",
        "panel-title",
        "arcs",
        "run",
        "report-data",
    }
    assert len(ids) == len(Parsed(page).having("id"))
    assert [a["data-row"] for a in Parsed(page).having("data-row")] == ["0-2", "1-2", "0-1"]


def test_a_complete_result_has_no_banner_and_an_incomplete_one_does(page: str) -> None:
    assert 'id="incomplete"' not in page
    assert "<h1>4 credible networks of 3 variables</h1>" in page
    limited = small_page(shortfalls=("the limit of <4> networks was hit",))
    assert 'id="incomplete"' in limited
    assert "<li>the limit of &lt;4&gt; networks was hit</li>" in limited
    assert "<h1>At least 4 credible networks of 3 variables</h1>" in limited
    unproven = small_page(shortfalls=("time",), lower_bound=small_set(small_data()).optimum - 1.25)
    assert (
        "Its distance from the optimum: at most 1.25 nats. Shares are shares of the networks found."
    ) in unproven
    assert "2 in every credible network</dd>" in page
    assert "2 in every network found</dd>" in unproven
    assert "<h1>4 networks found, of 3 variables</h1>" in unproven


def test_a_sample_is_called_a_sample_and_its_shares_have_standard_errors(page: str) -> None:
    data = small_data()
    html = report_html(report_content(sampled_set(data), data, {}))
    assert "<h1>4 sampled networks of 3 variables</h1>" in html
    assert "a sample of the networks within a Bayes factor of 20 of the best one, drawn by" in html
    assert "Shares are estimates from a sample, with standard errors." in html
    assert "different ones in 40 draws" in html
    assert '<dd class="under">2 in every network found</dd>' in html
    assert "with at least 50% of the weight, estimated from a sample of 40 networks." in html
    assert "are estimated from 40 networks that 2 Markov chains drew" in html
    assert "Share of the weight ± standard error</button>" in html
    rows = re.findall(r'<tr data-row="0-1">.*?</tr>', html)
    # The batches have 0.2, 0.3, 0.2 and 0.3 of it, so 0.029; independent draws have 0.068.
    assert [re.findall(r"[\d.]+% ± [\d.]+%", row) for row in rows] == [["25% ± 6.8%"]]
    assert "R-hat (near 1 if the chains agree)</dt><dd>1.012</dd>" in html
    for words in ("sampled", "estimated from", "±", "R-hat"):
        assert words not in re.sub(r"<(script|style)>.*?</\1>", "", page, flags=re.DOTALL)


def test_a_leaky_noisy_or_has_its_own_mark(page: str) -> None:
    assert "leaky noisy-OR</li>" not in page
    leaky = small_page(relation=LEAKY_NOISY_OR)
    assert "leaky noisy-OR</li>" in leaky
    assert f'class="node {style_of("leaky-noisy-or")}"' in leaky
    assert style_of("leaky-noisy-or").endswith(" ellipse double")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "written in version 2; this noisyor reads 4"),
        ({"version": None}, "written in version None"),
        ({"format": "noisyor members"}, "has the format 'noisyor report'; this has 'noisyor me"),
    ],
)
def test_other_contents_are_refused(change: dict[str, object], message: str) -> None:
    data = small_data()
    with pytest.raises(FormatError, match=message):
        report_html(report_content(small_set(data), data, {}) | change)


def test_content_that_was_stored_gives_the_same_page() -> None:
    data = small_data()
    content = report_content(small_set(data), data, {"seconds": {"total": 0.5}})
    assert report_html(json.loads(json.dumps(content))) == report_html(content)


def test_thirty_variables_stay_under_600_kb() -> None:
    credible, data = large_set(30, each=24)
    content = report_content(credible, data, {})
    page = report_html(content)
    assert len(content["members"]) == 50
    assert len(content["arcs"]) > MOST_ROWS
    assert f"Shown are the {MOST_ROWS} with the largest share" in page
    assert "The heaviest arcs are in the table below." in page
    assert "All arcs are in the table below." in small_page()
    assert len(Parsed(page).having("data-row")) == MOST_ROWS
    drawn = {str(a["data-arc"]) for a in Parsed(page).having("data-arc")}
    heavy = {f"{a['parent']}-{a['child']}" for a in content["arcs"] if a["weight"] >= 0.01}
    listed = {
        f"{parent}-{child}"
        for member in content["members"]
        for child, place in enumerate(member["families"])
        for parent in content["families"][place]["parents"]
    }
    assert drawn == heavy | listed
    assert len(page.encode()) < 600_000


def test_a_small_page_has_nothing_for_large_networks(page: str) -> None:
    ids = {str(a["id"]) for a in Parsed(page).having("id")}
    assert not ids & {"explorer", "find", "arc-filter", "arcs-more"}
    assert "makeExplorer = " not in page


def test_a_large_page_has_a_search_box_and_says_how_arcs_are_drawn() -> None:
    credible, data = wide_set(45)
    routed = report_html(report_content(credible, data, {}))
    ids = {str(a["id"]) for a in Parsed(routed).having("id")}
    assert ids >= {"explorer", "find", "find-list", "steps", "zoom-in", "arc-filter", "arcs-more"}
    assert Parsed(routed).by_id("picture")["data-layout"] == "routed"
    assert "arcs are drawn behind the nodes" not in routed
    credible, data = wide_set(101)
    compact = report_html(report_content(credible, data, {}))
    assert Parsed(compact).by_id("picture")["data-layout"] == "compact"
    assert "arcs are drawn behind the nodes on their way" in compact


def test_a_picture_of_very_many_nodes_holds_the_strong_arcs_and_the_best_networks() -> None:
    credible, data = wide_set(101)
    content = report_content(credible, data, {})
    html = report_html(content)
    shown = {str(a["data-arc"]): a["data-shown"] for a in Parsed(html).having("data-arc")}
    strong = {f"{a['parent']}-{a['child']}" for a in content["arcs"] if a["weight"] >= 0.5}
    best = {f"{a['parent']}-{a['child']}" for a in content["arcs"] if a["in_best"]}
    assert shown.keys() == strong | best
    assert {arc for arc, said in shown.items() if said == "yes"} == strong
    status = f"{len(strong)} arcs of {len(content['arcs'])} with at least 50% of the weight"
    assert status in html


def test_the_page_holds_the_heaviest_arcs_and_those_of_listed_networks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    credible, data = large_set(30, each=24)
    run = {"best": ["x"], "edges": ["y"], "notes": ["z"]}
    content = report_content(credible, data, run, members=2)
    monkeypatch.setattr(page_arcs, "MOST_HELD", 40)
    html = report_html(content)
    embedded = re.search(r'<script type="application/json" id="report-data">(.*?)</script>', html)
    assert embedded is not None
    held = json.loads(embedded[1])
    listed = {
        (parent, family["child"])
        for places in (content["best"], *(one["families"] for one in content["members"]))
        for family in (content["families"][place] for place in places)
        for parent in family["parents"]
    }
    arcs = content["arcs"]
    expected = [a for at, a in enumerate(arcs) if at < 40 or (a["parent"], a["child"]) in listed]
    assert held["arcs"] == expected
    assert 40 < len(expected) < len(arcs)
    assert held["run"] == {"notes": ["z"]}
    assert "This page holds the 40 arcs with the largest share" in html
    assert Parsed(html).by_id("arcs")["data-total"] == str(len(arcs))


def test_the_held_arcs_of_a_sample_keep_their_standard_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = small_data()
    content = report_content(sampled_set(data), data, {}, members=1)
    content["set"]["sampling"]["arc_errors"] = [0.01, 0.02, 0.03]
    arcs = [(arc["parent"], arc["child"]) for arc in content["arcs"]]
    assert arcs == [(0, 2), (1, 2), (0, 1)]
    content["arcs"] = [content["arcs"][at] for at in (2, 0, 1)]
    monkeypatch.setattr(page_arcs, "MOST_HELD", 0)
    held = page_arcs.with_held_arcs(content)
    assert [(arc["parent"], arc["child"]) for arc in held["arcs"]] == [(0, 2), (1, 2)]
    assert held["set"]["sampling"]["arc_errors"] == [0.02, 0.03]
    assert content["set"]["sampling"]["arc_errors"] == [0.01, 0.02, 0.03]


def test_a_thousand_variables_stay_under_5_mb() -> None:
    credible, data = wide_set(1000, records=60)
    html = report_html(report_content(credible, data, {}))
    assert len(Parsed(html).having("data-node")) == 1000
    assert len(html.encode()) < 5_000_000


@pytest.mark.parametrize(
    ("run", "said"),
    [({}, True), ({"settings": {"score": "bic"}}, True), ({"settings": {"score": "aic"}}, False)],
)
def test_weights_are_posterior_odds_under_bic_alone(run: dict[str, object], said: bool) -> None:
    data = small_data()
    html = report_html(report_content(small_set(data), data, run))
    assert ("posterior odds as BIC approximates them" in html) is said
