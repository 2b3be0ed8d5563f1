"""Runs that have a network from the first second on, and prove what they can."""

import math
import os
import signal
import threading
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from noisyor.anytime import Anytime, climb
from noisyor.core import CredibleSet, FormatError, Knowledge, ScoreTable
from noisyor.core.credible_set import Labels
from noisyor.core.layers import Layer, is_useful_bound
from noisyor.core.progress import Progress
from noisyor.core.request import Request
from noisyor.learning import learn
from noisyor.pipeline import load
from noisyor.runs.checkpoint import FOLDER, Checkpoint
from noisyor.runs.learned import Method
from noisyor.runs.plan import MANY_VARIABLES, Plan, method_for
from noisyor.scoring import score_request
from noisyor.scoring.climbing import Climbing
from noisyor.scoring.structure_cost import score_structure
from noisyor.search import SearchedByPrice, search_by_price
from noisyor.search.result import ONLY_BEST
from tests.scoring.problems import random_dataset
from tests.test_pipeline import check_same

MANY = MANY_VARIABLES + 2
TIME = 4.0  # seconds: enough for a network and too little for a proof


def check_layers(credible: CredibleSet) -> None:
    """Check that layers are deeper and cheaper one after the other, all but the last proven."""
    depths = [layer.max_parents for layer in credible.layers]
    assert depths == list(range(1, len(depths) + 1))
    optima = [layer.optimum for layer in credible.layers]
    assert optima == sorted(optima, reverse=True)
    assert all(layer.proven for layer in credible.layers[:-1])
    assert credible.optimum <= optima[-1] + 1e-6


@pytest.mark.parametrize("relations", ["paper", "cpt"])
def test_layers_end_with_what_a_search_of_all_families_finds(relations: str) -> None:
    data = random_dataset(3, 6, 90)
    layered = learn(data, 20, relations=relations, method="layers", quiet=True)
    whole = learn(data, 20, relations=relations, method="table", quiet=True)
    assert layered.complete
    assert layered.method is Method.LAYERS
    check_same(layered.credible, whole.credible)
    check_layers(layered.credible)
    assert [layer.max_parents for layer in layered.credible.layers] == [1, 2, 3, 4, 5]
    for layer in layered.credible.layers:
        limited = learn(
            data,
            1,
            relations=relations,
            method="table",
            constraints=Knowledge(max_parents=layer.max_parents),
            quiet=True,
        )
        assert layer.optimum == pytest.approx(limited.optimum, abs=1e-6)


def test_a_limit_of_parents_is_the_last_layer() -> None:
    data = random_dataset(5, 6, 60)
    knowledge = Knowledge(required=[("v0", "v3"), ("v1", "v3")], max_parents=3)
    layered = learn(data, 20, constraints=knowledge, method="layers", quiet=True)
    check_same(layered.credible, learn(data, 20, constraints=knowledge, method="table").credible)
    assert [layer.max_parents for layer in layered.credible.layers] == [2, 3]


def test_required_parents_alone_make_one_layer() -> None:
    data = random_dataset(7, 4, 60)
    knowledge = Knowledge(max_parents=0)
    layered = learn(data, 20, constraints=knowledge, method="layers", quiet=True)
    assert layered.complete
    assert list(layered.credible.best.edges()) == []
    assert [layer.max_parents for layer in layered.credible.layers] == [0]


@pytest.mark.parametrize("method", ["price", "table"])
def test_no_parents_are_allowed(method: str) -> None:
    learned = learn(
        random_dataset(4, 5, 60), constraints=Knowledge(max_parents=0), method=method, quiet=True
    )
    assert learned.complete
    assert learned.count == 1


def test_many_variables_are_learned_in_layers() -> None:
    few, many = random_dataset(1, 30, 40), random_dataset(1, MANY, 40)
    assert method_for(Request.of(few, 20.0), Plan()) is Method.PRICE
    assert method_for(Request.of(many, 20.0), Plan()) is Method.LAYERS


def test_little_time_gives_a_network_that_says_what_is_open(tmp_path: Path) -> None:
    data = random_dataset(11, MANY, 150)
    seen: list[Progress] = []
    folder = tmp_path / "run"
    learned = learn(data, 20, time_limit=TIME, folder=folder, progress=seen.append, jobs=2)
    credible = learned.credible
    assert not learned.complete
    assert any("local search" in line for line in learned.shortfalls)
    alone = score_structure(data, []).total
    assert learned.optimum < alone - 1
    assert learned.lower_bound <= learned.optimum
    assert score_structure(data, credible.best).total == pytest.approx(learned.optimum, abs=1e-3)
    if credible.layers:
        check_layers(credible)
    assert {"climbing"} <= {now.step for now in seen}
    again = load(folder)
    assert again.credible.layers == credible.layers
    assert again.optimum == learned.optimum
    assert (folder / FOLDER).is_dir()  # to go on from


def test_a_run_goes_on_from_the_network_that_was_kept(tmp_path: Path) -> None:
    data = random_dataset(13, MANY, 150)
    first = learn(data, 20, time_limit=TIME, folder=tmp_path / "run", quiet=True, jobs=2)
    second = learn(data, 20, time_limit=TIME, folder=tmp_path / "run", quiet=True, jobs=2)
    assert second.optimum <= first.optimum + 1e-6


def test_proven_layers_are_not_proven_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request.of(random_dataset(17, 6, 60), 20.0)
    whole = Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_layers().credible
    deepest = max((tmp_path / FOLDER).glob("layer-*.parquet"))
    assert deepest.name == "layer-5.parquet"
    deepest.unlink()
    search = Mock(wraps=search_by_price)
    monkeypatch.setattr("noisyor.anytime.run.search_by_price", search)
    again = Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_layers().credible
    searched = [call.args[1].value for call in search.call_args_list]
    assert searched == [1.0, 20.0]  # the layer that was lost, and all families
    assert again.layers == whole.layers
    assert again.count == whole.count


@pytest.mark.parametrize(
    ("before", "after"),
    [('"lower_bound": ', '"lower_bound": -'), ('"best": [', '"best": [7, '), ("layer", "Layer")],
)
def test_a_damaged_layer_is_refused(tmp_path: Path, before: str, after: str) -> None:
    request = Request.of(random_dataset(17, 4, 60), 20.0)
    Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_layers()
    path = tmp_path / FOLDER / "layer-2.json"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    with pytest.raises(FormatError, match=r"layer-2\.parquet"):
        Checkpoint(tmp_path).layers()


def test_a_layer_under_another_name_is_refused(tmp_path: Path) -> None:
    request = Request.of(random_dataset(17, 4, 60), 20.0)
    Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_layers()
    for suffix in (".json", ".parquet"):
        (tmp_path / FOLDER / f"layer-2{suffix}").replace(tmp_path / FOLDER / f"layer-9{suffix}")
    with pytest.raises(FormatError, match="the layer of 2 parents"):
        Checkpoint(tmp_path).layers()


def test_a_damaged_network_is_refused(tmp_path: Path) -> None:
    data = random_dataset(17, 8, 60)
    request = Request.of(data, 20.0, time_limit=TIME)
    work = Anytime(request, Labels.BEST, 0.5, print, Checkpoint(tmp_path))
    work.by_layers()
    kept = Checkpoint(tmp_path)
    table, best = kept.climbed() or pytest.fail("nothing was kept")
    assert table.children[best].tolist() == list(range(8))
    path = next((tmp_path / FOLDER).glob("climbed-*.json"))
    path.write_text(path.read_text().replace(f"[{best[0]}", "[99999"))
    with pytest.raises(FormatError):
        kept.climbed()


def test_what_is_known_of_some_children_bounds_what_only_climbers_have_found() -> None:
    request = Request.of(random_dataset(17, 6, 60), 20.0, time_limit=TIME)
    least = {
        child: float((own.columns.costs - own.columns.gaps).min())
        for child, own in score_request(request).children.items()
    }
    bounds = [
        Anytime(request, Labels.BEST, TIME, print, None).by_climbing(known).credible.lower_bound
        for known in ({}, {2: least[2]}, least)
    ]
    assert bounds[0] < bounds[1] < bounds[2]
    assert bounds[2] == pytest.approx(math.fsum(least.values()))


@pytest.mark.skipif(os.name == "nt", reason="signals to a thread")
@pytest.mark.parametrize("method", ["layers", "price"])
@pytest.mark.parametrize("after", [0.3, 2.5])
def test_ctrl_c_gives_the_best_network_so_far(method: str, after: float) -> None:
    data = random_dataset(19, 40, 400)
    request = Request.of(data, 20.0, relations="all", jobs=1)
    shown: list[Progress] = []
    work = Anytime(request, Labels.BEST, None, shown.append, None)
    main = threading.main_thread().ident or pytest.fail("no main thread")
    timer = threading.Timer(after, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    try:
        found = work.by_layers() if method == "layers" else work.all_at_once()
    finally:
        timer.cancel()
        timer.join()
    assert not found.credible.complete
    assert any("Ctrl-C" in line or "interrupted" in line for line in found.credible.shortfalls)
    assert found.interrupted
    assert math.isfinite(found.credible.optimum)


@pytest.mark.parametrize("way", ["layers", "climbing"])
def test_ctrl_c_in_the_first_climb_keeps_its_network(tmp_path: Path, way: str) -> None:
    request = Request.of(random_dataset(19, 12, 200), 20.0, jobs=1)

    def interrupted_after(lines: int) -> CredibleSet:
        shown: list[Progress] = []

        def show(now: Progress) -> None:
            shown.append(now)
            if len(shown) == lines:
                raise KeyboardInterrupt

        run = Anytime(request, Labels.BEST, None, show, Checkpoint(tmp_path))
        outcome = run.by_layers() if way == "layers" else run.by_climbing({})
        assert any("Ctrl-C" in line for line in outcome.credible.shortfalls)
        assert outcome.interrupted
        return outcome.credible

    first = interrupted_after(1)
    kept = Checkpoint(tmp_path).climbed() or pytest.fail("nothing was kept")
    table, best = kept
    assert table.costs[best].sum() == pytest.approx(first.optimum)
    second = interrupted_after(1)
    assert second.optimum <= first.optimum


def test_ctrl_c_before_an_earlier_network_is_taken_up_does_not_lose_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = Request.of(random_dataset(19, 12, 200), 20.0, jobs=1)
    first = Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_climbing({})
    climb_first = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(Anytime, "_climb_first", climb_first)
    second = Anytime(request, Labels.BEST, None, print, Checkpoint(tmp_path)).by_climbing({})
    assert climb_first.called
    assert second.credible.optimum == pytest.approx(first.credible.optimum)


def test_ctrl_c_after_the_last_layer_does_not_give_the_layer_for_the_result() -> None:
    """Layers are searched with a Bayes factor of 1, so theirs is not the set that was asked for."""
    request = Request.of(random_dataset(3, 6, 90), 20.0, relations="cpt", jobs=1)
    proven: list[Progress] = []

    def show(now: Progress) -> None:
        if now.step == "proving":
            proven.append(now)
            if len(proven) == len(request.data.names) - 1:
                raise KeyboardInterrupt

    found = Anytime(request, Labels.BEST, None, show, None).by_layers().credible
    assert [layer.proven for layer in found.layers] == [True] * 5
    assert found.bayes_factor == request.factor
    assert found.lower_bound == pytest.approx(found.layers[-1].optimum)
    assert not found.complete
    assert "Ctrl-C left no time to find all credible networks" in found.shortfalls


def test_ctrl_c_while_the_result_is_put_together_does_not_lose_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pressed: list[bool] = []
    families = Climbing.families

    def interrupted(self: Climbing, *, around: Any = (), **options: Any) -> ScoreTable:  # noqa: ANN401
        if around and not pressed:
            pressed.append(True)
            raise KeyboardInterrupt
        return families(self, around=around, **options)

    monkeypatch.setattr(Climbing, "families", interrupted)
    request = Request.of(random_dataset(11, MANY, 60), 20.0, jobs=1)
    found = Anytime(request, Labels.BEST, 0.5, print, None).by_layers().credible
    assert pressed
    assert any("Ctrl-C" in line for line in found.shortfalls)
    assert any("families near the best network" in line for line in found.notes)


def test_many_variables_have_few_families_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each may need a fit, and the time for these is not that of the climb."""
    monkeypatch.setattr(climb, "_NEAR_IN_ALL", MANY)
    monkeypatch.setattr(climb, "_AROUND_IN_ALL", 2 * MANY)
    request = Request.of(random_dataset(11, MANY, 60), 20.0, jobs=1)
    table = Anytime(request, Labels.BEST, 0.5, print, None).by_layers().table
    own, near, around = 1, 1, 2
    assert np.bincount(table.children).max() <= own + near + around


def test_a_bound_that_says_nothing_is_said_in_words() -> None:
    assert is_useful_bound(90, 100)
    assert not is_useful_bound(10, 100)
    assert Layer(2, 100.0, 100.0).words().endswith("at most 2 parents costs 100.000000, proven")
    assert "none costs less than 99" in Layer(1, 100.0, 99.0).words()
    assert "1 parent " in Layer(1, 100.0, 99.0).words()
    assert "no useful bound" in Layer(3, 100.0, 1.0).words()


@pytest.mark.parametrize("figures", [(-1, 1.0, 1.0), (1, 1.0, 2.0)])
def test_layers_that_contradict_themselves_are_refused(
    figures: tuple[int, float, float],
) -> None:
    with pytest.raises(ValueError, match=r"layer|bound"):
        Layer(*figures)


@pytest.mark.parametrize("method", ["price", "layers"])
def test_an_exact_search_without_time_gives_a_sample(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hurried(*args: Any, **options: Any) -> SearchedByPrice:  # noqa: ANN401  (as they are)
        return search_by_price(*args, **{**options, "time_limit": 1e-3})

    data = random_dataset(3, 6, 90)
    whole = learn(data, 20, relations="cpt", method="table", quiet=True)
    monkeypatch.setattr("noisyor.anytime.run.search_by_price", hurried)
    limit = 5.0 if method == "layers" else None  # after which the climbers stop
    part = learn(data, 20, relations="cpt", method=method, time_limit=limit, quiet=True)
    assert part.credible.sampling is not None
    assert not part.complete
    assert part.optimum == pytest.approx(whole.optimum)
    assert ONLY_BEST not in part.shortfalls
    mine, theirs = part.credible.edges(), whole.credible.edges()
    assert mine.keys() <= theirs.keys()
    assert part.table is not None
    assert {(f.child, f.parents) for f in part.credible.best.families} <= {
        (family.child, family.parents) for family, _ in part.table.families()
    }
