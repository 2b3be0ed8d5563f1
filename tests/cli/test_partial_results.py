"""What is said of a result that is not complete does not contradict it."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import noisyor
from noisyor.cli import search_summary
from noisyor.core import CredibleSet
from noisyor.core.listing import counted
from noisyor.networks import fit_members
from tests.scoring.problems import random_dataset


def printed(credible: CredibleSet, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a command prints of a credible set."""
    text = io.StringIO()
    monkeypatch.setattr(search_summary, "results", lambda: Console(file=text, width=200))
    search_summary.print_summary(credible, 1.0)
    return text.getvalue()


def without_edges() -> noisyor.Learned:
    """Return the result of two variables that have nothing to do with each other."""
    coins = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (50, 1))
    learned = noisyor.learn(noisyor.read(coins), 2, quiet=True)
    assert learned.count == 1
    return learned


def cut_off(credible: CredibleSet, *, proven: bool) -> CredibleSet:
    """Return a set as if the time had been up before it was complete."""
    bound = credible.optimum if proven else credible.optimum - 3
    return replace(
        credible, lower_bound=bound, shortfalls=("the time limit was reached",), most=None
    )


def test_a_complete_set_is_all_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(without_edges().credible, monkeypatch)
    assert "1 credible network;" in said
    assert "no credible network has an edge" in said
    assert "found" not in said


def test_an_unproven_set_is_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(cut_off(without_edges().credible, proven=False), monkeypatch)
    assert "networks within 0.6931 nats of the best one found, 1.00 s" in said
    assert "1 network found within the Bayes factor of the best one found" in said
    assert "no network that was found has an edge" in said
    assert "no network that was found explains a node" in said
    assert "credible network" not in said


def test_a_proven_set_is_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed(cut_off(without_edges().credible, proven=True), monkeypatch)
    assert "at least 1 credible network\n" in said
    assert "no network that was found has an edge" in said
    learned = noisyor.learn(random_dataset(3, 5, 60), quiet=True)
    said = printed(cut_off(learned.credible, proven=True), monkeypatch)
    shares = f"shares of the {counted(learned.count, 'network')} found"
    assert shares in " ".join(said.split())


def test_an_average_over_a_part_says_so() -> None:
    data = random_dataset(3, 5, 60)
    learned = noisyor.learn(data, quiet=True)
    whole = noisyor.average(learned.networks())
    count = counted(learned.count, "credible network")
    assert whole.over == f"averaged over {learned.count:,} of {count}"
    part = noisyor.average(fit_members(data, cut_off(learned.credible, proven=True)))
    assert part.over == (
        f"averaged over {counted(learned.count, 'known network')} of a credible set that is not "
        "known completely"
    )


def test_the_result_in_one_line() -> None:
    learned = without_edges()
    assert repr(learned).startswith("Learned(1 credible network of 2 variables, ")
    part = replace(learned, credible=cut_off(learned.credible, proven=False))
    assert repr(part).startswith("Learned(1 known network of 2 variables, ")


def test_the_page_of_a_part_says_so(tmp_path: Path) -> None:
    learned = without_edges()
    part = replace(learned, credible=cut_off(learned.credible, proven=False))
    part.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "No network that was found has an arc." in page
    assert "No credible network has an arc." not in page
    assert "Networks found" in page


def test_of_very_many_nodes_only_some_are_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    credible = noisyor.learn(noisyor.load_example("pump"), 2, quiet=True).credible
    nodes = len(credible.names)
    assert f"the first {nodes - 1}" not in printed(credible, monkeypatch)
    monkeypatch.setattr(search_summary, "_NODES_SHOWN", nodes - 1)
    text = printed(credible, monkeypatch)
    assert f"best network, the first {nodes - 1} of {nodes} nodes (--json has all)" in text
    best = text.split("best network, ")[1].split("edges (")[0]
    assert best.count("\n") == nodes - 1 + 5
