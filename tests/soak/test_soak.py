"""The soak finds no disagreement where there is none, and finds one where there is."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    LEAKY_NOISY_OR,
    SIGNED_NOISY_OR,
    BayesFactor,
    ConstraintError,
    DataError,
    Prior,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import CredibleSet
from noisyor.learning import learn
from noisyor.runs.learned import Learned
from noisyor.runs.missing_cells import EmRecord
from noisyor.scoring import score
from noisyor.search import search
from noisyor.search.bounds.duals import Cuts, Duals, duals_of
from noisyor.search.families import Families
from noisyor.search.pricing.table_source import TableSource
from noisyor.search.proof import state
from noisyor.search.sampling import drawing, sample_credible
from tests.oracles.network_chain import Chain, Family
from tests.oracles.networks import better_relations, credible_set
from tests.scoring.problems import random_dataset
from tests.search.tables import random_case
from tests.soak import __main__ as soak
from tests.soak import gaps, sampled, trying, ways, workers
from tests.soak.expected import (
    by_brute_force,
    by_dynamic_programme,
    expected_refusal,
    has_network,
    record_costs,
)
from tests.soak.figures import Figures
from tests.soak.graphs import acyclic_graphs, networks_within
from tests.soak.known import Known
from tests.soak.pieces import pieces
from tests.soak.problems import (
    KINDS,
    GapProblem,
    Problem,
    RecordProblem,
    Settings,
    TableProblem,
    problem,
)
from tests.soak.seen import seen
from tests.soak.trying import Outcome, try_number
from tests.soak.workers import Worker
from tests.support.effort import HANGS_AFTER

SEED = 39
PROBLEMS = 30
USUAL = Settings(20.0, "best", None, (1, 1, 1), branches=False)


@pytest.mark.slow
def test_thirty_problems_are_solved_alike_in_every_way() -> None:
    outcomes = [try_number(SEED, number) for number in range(PROBLEMS)]
    assert [one.disagreements for one in outcomes] == [[]] * PROBLEMS
    assert {one.kind for one in outcomes} == set(KINDS)
    comparisons = sum((one.comparisons for one in outcomes), Counter[str]())
    assert comparisons["the same table, bounds none"] >= 40
    assert comparisons["brute force"] >= 40
    assert comparisons["the search with other slacks"] >= 20
    assert comparisons["the dynamic programme"] >= 3
    assert comparisons["EM: brute force"] >= 6
    assert comparisons["a sample: its shares"] >= 3
    assert sum(one.refused is not None for one in outcomes) >= 2
    assert sum(one.members for one in outcomes) >= 1000


def hand_made(above: float, *, slack: float = log(20.0)) -> TableProblem:
    """Two variables: an edge, and none for so much more than the slack."""
    costs = {(0, 0, 0): 100.1, (1, 1, 0): 50.7, (1, 0, 0): 50.7 + slack + above}
    return TableProblem("small table", 2, costs, False, 1e6, USUAL)


@pytest.mark.parametrize(
    ("above", "certain", "possible"),
    [(-1e-3, 2, 2), (0.0, 2, 2), (5e-8, 1, 2), (0.95e-7, 1, 2), (1.05e-7, 1, 1), (1.0, 1, 1)],
)
def test_up_to_a_tolerance_above_the_slack_a_network_may_be_in_or_not(
    above: float, certain: int, possible: int
) -> None:
    """What docs/search.md promises: in up to the slack, out from a tolerance more."""
    made = hand_made(above)
    expected = by_brute_force(made, made.costs)
    assert (expected.certain.count, expected.possible.count) == (certain, possible)
    outcome = Outcome(0, 0, made.kind, made.n)
    trying._try(made, outcome)
    assert outcome.disagreements == []
    assert outcome.boundary == (certain != possible)


def disagreements(made: Problem) -> str:
    outcome = Outcome(0, 0, made.kind, made.n)
    trying._try(made, outcome)
    return "\n".join(outcome.disagreements)


def two_kinds_of_networks(n: int = 4) -> TableProblem:
    """Return a problem with many networks, all within the slack or far from it."""
    case = random_case(3, n=n, most_families=12, style="uniform")
    return TableProblem("small table", n, case.costs, False, 1e6, replace(USUAL, factor=7.3))


def spoil_search(
    monkeypatch: pytest.MonkeyPatch, spoil: Callable[[CredibleSet], CredibleSet]
) -> None:
    """Change what a search with bounds from the linear program says."""

    def wrong(*arguments: object, **options: object) -> object:
        found = search(*arguments, **options)  # type: ignore[arg-type]
        if options["bounds"] != "lp":
            return found
        return replace(found, credible=spoil(found.credible))

    monkeypatch.setattr(ways, "search", wrong)


def test_a_right_solver_is_not_accused() -> None:
    assert disagreements(two_kinds_of_networks()) == ""


def test_a_count_that_is_one_too_many_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil_search(monkeypatch, lambda right: replace(right, count=right.count + 1))
    said = disagreements(two_kinds_of_networks())
    assert "search, bounds lp, by brute force: count" in said
    assert "search, bounds lp, by the same table, bounds none: count" in said
    assert "search, bounds lp, by what a set says of itself: " in said
    assert "bounds auto" not in said


def test_an_optimum_that_is_a_little_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(right: CredibleSet) -> CredibleSet:
        cost = right.optimum - 3e-7
        return replace(right, optimum=cost, lower_bound=cost)

    spoil_search(monkeypatch, lower)
    assert "search, bounds lp, by brute force: optimum" in disagreements(two_kinds_of_networks())


def test_a_limit_that_was_hit_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil_search(monkeypatch, lambda right: replace(right, shortfalls=("the time was up",)))
    said = disagreements(two_kinds_of_networks())
    assert "search, bounds lp, by brute force: not complete: the time was up" in said


def test_one_network_for_another_is_seen_though_all_counts_are_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_moved(credible: CredibleSet) -> object:
        right = seen(credible)
        assert right.members is not None
        network, cost = max(right.members.items(), key=lambda one: one[1])
        others = {key: value for key, value in right.members.items() if key != network}
        turned = tuple(reversed(network))
        return replace(right, members=others | {turned: cost})

    monkeypatch.setattr(trying, "seen", one_moved)
    said = disagreements(two_kinds_of_networks())
    assert "by brute force: lacks" in said
    assert "by brute force: has" in said


def test_a_best_network_that_is_not_the_best_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    spoil_search(monkeypatch, lambda right: replace(right, best=right.costliest().structure))
    said = disagreements(two_kinds_of_networks())
    assert "search, bounds lp, by what a set says of itself: the best, " in said


def test_bounds_that_prove_too_much_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reduced costs that are twice what they should be take families away that are needed."""

    def wrong(families: Families, cuts: Cuts) -> Duals:
        duals = duals_of(families, cuts)
        return replace(duals, rc=2 * duals.rc)

    monkeypatch.setattr(state, "duals_of", wrong)
    said = disagreements(two_kinds_of_networks())
    assert "search, bounds lp, by brute force: count" in said


def test_prices_that_lose_families_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = TableSource._below

    def wrong(*arguments: object) -> np.ndarray:
        return right(*arguments)[::2]  # type: ignore[arg-type]

    monkeypatch.setattr(TableSource, "_below", wrong)
    monkeypatch.setattr("noisyor.search.pricing.table_source._SEEDS", 1)
    said = disagreements(two_kinds_of_networks())
    assert "price of the table, by brute force: count" in said
    assert "search" not in said


def spoilt_em(monkeypatch: pytest.MonkeyPatch, spoil: Callable[[EmRecord], EmRecord]) -> str:
    """Return what is said of EM if the result by price is changed."""

    def wrong(*arguments: object, **options: object) -> Learned:
        found = learn(*arguments, **options)  # type: ignore[arg-type]
        if options["method"] != "price":
            return found
        assert found.missing is not None
        assert found.missing.em is not None
        return replace(found, missing=replace(found.missing, em=spoil(found.missing.em)))

    monkeypatch.setattr(gaps, "learn", wrong)
    problems = (problem(SEED, number) for number in range(99))
    made = next(one for one in problems if isinstance(one, GapProblem) and one.n == 2)
    return "\n".join(gaps.compare_gaps(made).differences)


def test_a_likelihood_of_em_that_is_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def lower(right: EmRecord) -> EmRecord:
        return replace(right, log_likelihood=right.log_likelihood - 1e-6)

    said = spoilt_em(monkeypatch, lower)
    assert "EM by price, by the observed cells: log-likelihood" in said
    assert "EM by table" not in said


def test_a_first_step_of_em_that_is_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def dearer(right: EmRecord) -> EmRecord:
        starts = [
            replace(
                start,
                steps=tuple(
                    replace(step, expected_cost=step.expected_cost + 1) for step in start.steps
                ),
            )
            for start in right.starts
        ]
        return replace(right, starts=tuple(starts))

    said = spoilt_em(monkeypatch, dearer)
    assert "EM by price, by the first step: the start with columns costs" in said
    assert "EM by price, by the observed cells: the step costs" in said


def test_a_sample_by_other_weights_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample at another temperature has the right networks in the wrong shares."""
    case = random_case(3, n=4, most_families=12, style="uniform", empty=1.0)
    made = TableProblem("small table", 4, case.costs, False, 1e6, USUAL)
    assert sampled.compare_sampled(made.table(), made.settings, 1) == ([], True)

    cooler = replace(made, costs={key: cost / 3 for key, cost in made.costs.items()})

    def hot(_: ScoreTable, factor: BayesFactor, **options: object) -> CredibleSet:
        factor = BayesFactor(factor.value ** (1 / 3))
        return sample_credible(cooler.table(), factor, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(sampled, "sample_credible", hot)
    found = sampled.compare_sampled(made.table(), made.settings, 1)
    assert found is not None
    said = "\n".join(found[0])
    assert "optimum" in said
    assert "edge" in said


def test_shares_of_a_set_in_pieces_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chains that all begin at the best network see one piece, and agree."""
    data = random_dataset(7, 7, 200, 0.5)
    table = score(replace(data, weights=1000 * data.weights), 150, jobs=1).table
    settings = replace(USUAL, factor=150.0)
    monkeypatch.setattr(drawing, "far_apart", lambda networks, count: networks[[0] * count])
    assert sampled.compare_sampled(table, settings, 1) == ([], False)
    monkeypatch.setattr(sampled, "is_in_one_piece", lambda _: True)
    found = sampled.compare_sampled(table, settings, 1)
    assert found is not None
    assert "was never drawn" in "\n".join(found[0])


@pytest.mark.parametrize("seed", range(6))
def test_pieces_are_what_the_moves_of_the_chain_join(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists: list[list[Family]] = [
        [
            (frozenset(v for v in range(4) if bits >> v & 1), float(rng.random() * 4))
            for bits in range(16)
            if not bits >> child & 1 and (not bits or rng.random() < 0.5)
        ]
        for child in range(4)
    ]
    costs = [Chain(lists, 0.0, 1.0).cost(one) for one in Chain(lists, 0.0, 1.0).networks]
    chain = Chain(lists, min(costs) + 0.6, 1.0)
    inside = np.flatnonzero(chain.inside())
    moves = chain.single() + chain.block(2) + chain.block(3)
    joined = moves[np.ix_(inside, inside)] > 0
    for _ in inside:
        joined = joined @ joined
    offsets = np.cumsum([0, *(len(own) for own in lists)])[:-1]
    parents = [[v in family for v in range(4)] for own in lists for family, _ in own]
    choices = np.array([chain.networks[at] for at in inside]) + offsets
    assert pieces(choices, np.array(parents)).tolist() == joined.argmax(axis=1).tolist()


def test_other_draws_on_other_threads_are_seen_unless_time_ended_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    case = random_case(3, n=4, most_families=12, style="uniform", empty=1.0)
    settings = replace(USUAL, jobs=(1, 2, 1))
    made = TableProblem("small table", 4, case.costs, False, 1e6, settings)
    slow = False

    def by_threads(*given: Any, seed: int, jobs: int, **options: Any) -> CredibleSet:  # noqa: ANN401
        found = sample_credible(*given, seed=seed + jobs, jobs=jobs, **options)
        if slow and jobs == 2:
            monkeypatch.setattr(sampled, "EFFORT", replace(sampled.EFFORT, seconds=0.0))
        return found

    monkeypatch.setattr(sampled, "sample_credible", by_threads)
    found = sampled.compare_sampled(made.table(), made.settings, 1)
    assert found == (["another number of threads draws other networks"], True)
    slow = True
    assert sampled.compare_sampled(made.table(), made.settings, 1) == ([], True)


def test_refusals_that_nobody_expects_or_that_do_not_come_are_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = two_kinds_of_networks()
    known = Known(required=((0, 1),))
    wanting = replace(made, kind="wrong table", settings=replace(USUAL, known=known))
    assert disagreements(wanting) == ""
    monkeypatch.setattr(ways, "constraints_of", lambda *_: None)
    assert "refused, but not search, bounds none" in disagreements(wanting)

    def refuse(*_: object, **__: object) -> None:
        raise SettingsError("no")

    monkeypatch.setattr(ways, "search_by_price", refuse)
    said = disagreements(made)
    assert "price of the table refused: SettingsError: no" in said


def test_of_two_faults_any_may_be_refused_first() -> None:
    """Of a single record and contradictory knowledge, either is refused."""
    known = Known(required=((0, 1), (1, 0)))
    one = random_dataset(1, 2, 1)
    made = RecordProblem("wrong records", 2, one, ("cpt",), replace(USUAL, known=known))
    refusal = expected_refusal(made, None)
    assert refusal is not None
    assert refusal.errors == (DataError, ConstraintError)
    assert disagreements(made) == ""
    alone = replace(made, settings=USUAL)
    assert (refusal := expected_refusal(alone, None)) is not None
    assert refusal.errors == (DataError,)
    assert disagreements(alone) == ""


def test_an_exception_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("broken")

    monkeypatch.setattr(ways, "search_by_price", fail)
    number = next(n for n in range(99) if problem(SEED, n).kind == "small table")
    assert "ZeroDivisionError: broken" in try_number(SEED, number).disagreements[0]


def test_a_problem_is_made_again_from_its_seed_and_number() -> None:
    for number in range(40):
        one, other = problem(4, number), problem(4, number)
        assert repr(one) == repr(other)
    assert repr(problem(4, 1)) != repr(problem(5, 1))


def test_weights_tell_a_signed_family_from_the_leaky_one_of_the_same_distribution() -> None:
    """Of equal weights only the leaky one is kept (docs/relations.md)."""
    relations = ("cpt", LEAKY_NOISY_OR.name, SIGNED_NOISY_OR.name)
    settings = replace(USUAL, factor=1000.0, labels="all")
    data = random_dataset(1, 3, 60, 0.5)
    made = RecordProblem("small records", 3, data, relations, settings)

    def signed(made: RecordProblem) -> set[tuple[int, int]]:
        return {key[:2] for key in record_costs(made) if key[2] == SIGNED_NOISY_OR.code}

    weighted = replace(made, prior=Prior(relations={LEAKY_NOISY_OR.name: 0.1}))
    assert signed(made) < signed(weighted)
    assert disagreements(made) == ""
    assert disagreements(weighted) == ""


def test_knowledge_that_contradicts_itself_is_known() -> None:
    assert Known(required=((0, 1), (1, 2), (2, 0))).contradicts_itself()
    assert Known(required=((0, 1),), forbidden=((0, 1),)).contradicts_itself()
    assert Known(required=((2, 0),), tiers=((0,), (2,))).contradicts_itself()
    assert Known(required=((0, 2), (1, 2)), max_parents=1).contradicts_itself()
    fine = Known(required=((0, 2),), forbidden=((2, 0),), tiers=((0,), (2,)), max_parents=1)
    assert not fine.contradicts_itself()
    costs = {(2, 0, 0): 1.0, (2, 1, 0): 2.0, (2, 2, 0): 3.0, (2, 3, 0): 4.0, (0, 4, 0): 5.0}
    assert fine.allowed(costs) == {(2, 1, 0): 2.0}


def test_both_kinds_of_brute_force_agree() -> None:
    assert [len(acyclic_graphs(n)) for n in (1, 2, 3, 4, 5)] == [1, 3, 25, 543, 29281]
    for seed in range(12):
        case = random_case(seed, n=1 + seed % 4, style="uniform", relations=3)
        costs = case.costs if seed % 2 else better_relations(case.costs)
        one, other = networks_within(costs, case.n, 2.0), credible_set(costs, case.n, 2.0)
        assert one == other
    assert networks_within({(0, 2, 0): 1.0, (1, 1, 0): 1.0}, 2, 1.0) is None


def test_the_dynamic_programme_and_what_has_a_network() -> None:
    costs = {(0, 2, 0): 1.0, (1, 1, 0): 1.5, (0, 0, 0): 3.0, (1, 1, 1): 1.25}
    assert by_dynamic_programme(costs, 2, "best") == 4.25
    assert has_network(costs, 2)
    del costs[0, 0, 0]
    assert by_dynamic_programme(costs, 2, "best") is None
    assert not has_network(costs, 2)


WRONG = """
from dataclasses import replace
from tests.soak import ways, workers
right = ways.priced_table
def wrong(table, settings):
    found = right(table, settings)
    return replace(found, count=found.count + 1)
ways.priced_table = wrong
workers.serve()
"""


@pytest.mark.slow
def test_a_soak_writes_its_figures_and_fails_if_a_way_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "new" / "soak.json"
    options = ["--problems", "2", "--seed", str(SEED), "-o", str(output)]
    assert soak.main(options) == 0
    figures = json.loads(output.read_text())
    assert figures["problems"] == sum(figures["problems_by_kind"].values()) == 2
    assert (figures["seed"], figures["disagreements"], figures["findings"]) == (SEED, 0, [])
    assert figures["comparisons"] > 10
    assert "2 problems" in capsys.readouterr().out

    monkeypatch.setattr(workers, "SERVE", WRONG)
    assert soak.main(options) == 1
    figures = json.loads(output.read_text())
    assert figures["disagreements"] == len(figures["findings"]) >= 1
    finding = figures["findings"][0]
    assert finding["command"].startswith(f"python -m tests.soak --problem {SEED}:")
    assert "price of the table" in finding["found"][0]
    assert f"{figures['disagreements']} disagreements; written to" in capsys.readouterr().out


def test_one_problem_alone_is_told_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--problem", f"{SEED}:1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["seed"], told["number"], told["disagreements"]) == (SEED, 1, [])


READY = "import os, time; print('ready', flush=True); input();"


def test_a_problem_without_end_is_told_and_the_next_one_gets_a_new_process() -> None:
    worker = Worker(f"{READY} time.sleep(60)")
    assert worker.answer(1, 2, 0.2) is None
    worker._source = f"{READY} print('{{\"n\": 3}}', flush=True); input()"
    assert worker.answer(1, 3, HANGS_AFTER) == {"n": 3}
    worker.end()


def test_a_process_that_dies_says_how() -> None:
    worker = Worker(f"{READY} os.write(2, b'last words'); os.kill(os.getpid(), 11)")
    with pytest.raises(ChildProcessError, match="died with -11: last words"):
        worker.answer(1, 2, HANGS_AFTER)
    with pytest.raises(RuntimeError, match="does not start"):
        Worker("raise SystemExit(3)").answer(1, 2, HANGS_AFTER)


def test_a_death_and_a_problem_without_end_are_in_the_figures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    output = tmp_path / "soak.json"
    monkeypatch.setattr(workers, "SERVE", f"{READY} os.kill(os.getpid(), 11)")
    assert soak.main(["--problems", "2", "-o", str(output)]) == 1
    figures = json.loads(output.read_text())
    assert figures["problems_by_kind"] == {"died": 2}
    monkeypatch.setattr(workers, "SERVE", f"{READY} time.sleep(60)")
    monkeypatch.setattr(workers, "SECONDS_A_PROBLEM", 0.2)
    assert soak.main(["--problems", "1", "--seed", "8", "-o", str(output)]) == 0
    figures = json.loads(output.read_text())
    assert figures["unfinished"] == ["python -m tests.soak --problem 8:0"]
    assert "1 not finished in their time" in Figures(1, unfinished=["x"]).line()
