"""Full tables of variables with any numbers of states, compared with brute force."""

from dataclasses import replace
from functools import partial
from itertools import combinations
from math import inf, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import noisyor
from noisyor._kernels import available_builds, load_build
from noisyor.core import (
    BIC,
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    Constraints,
    DataError,
    Dataset,
    Knowledge,
)
from noisyor.core.family_columns import FamilyColumns
from noisyor.core.pruning_rules import ALL_RULES, PruningRule
from noisyor.core.relations import PAPER_RELATIONS
from noisyor.core.request import Request
from noisyor.fitting import fit
from noisyor.formats.score_parquet import parquet_bytes, read_parquet
from noisyor.runs.checkpoint import Checkpoint
from noisyor.scoring import CountBy, RecordSource, ScoringStatistics, score
from noisyor.scoring.child_search import settings_for
from noisyor.scoring.cluster_tasks import PartResult, PartTask, search_part
from noisyor.scoring.workload import count_affordable, count_families
from tests.oracles.families import TOLERANCE, Key, all_costs, cpt_cost, keep
from tests.oracles.networks import credible_set
from tests.scoring.problems import coded, costs_of, random_tables, same_bits, tables
from tests.support.effort import scaled

TABLES = (CPT,)
SLACK = BayesFactor(20).slack

score_tables = partial(score, relations=TABLES, jobs=1)


def assert_is_brute_force(
    found: dict[Key, float], data: Dataset, slack: float, constraints: Constraints | None = None
) -> None:
    expected = all_costs(data, TABLES, constraints or Constraints.none(data.names))
    # Families within rounding of the boundary may go either way; all others are determined.
    assert keep(expected, slack, TOLERANCE / 2) <= found.keys() <= keep(expected, slack, 2e-7)
    for key, cost in found.items():
        assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


@settings(max_examples=scaled(150))
@given(tables(), st.sampled_from([1.0, 20.0, 1e6]), st.sampled_from(CountBy))
def test_scoring_finds_what_brute_force_finds(
    data: Dataset, factor: float, count_by: CountBy
) -> None:
    found = costs_of(score_tables(data, factor, count_by=count_by).table)
    assert_is_brute_force(found, data, BayesFactor(factor).slack)


@settings(max_examples=scaled(60))
@given(st.data(), tables(most_variables=5), st.sampled_from(CountBy))
def test_constraints_are_kept_and_lose_nothing(
    draws: st.DataObject, data: Dataset, count_by: CountBy
) -> None:
    names = data.names
    pairs = [(a, b) for a, b in combinations(names, 2) if draws.draw(st.booleans())]
    known = Knowledge(
        required=pairs[:2],
        forbidden=[(b, a) for a, b in pairs],
        max_parents=draws.draw(st.sampled_from([None, 2, 3])),
    ).constraints(names)
    found = costs_of(score_tables(data, 20, constraints=known, count_by=count_by).table)
    assert_is_brute_force(found, data, SLACK, known)


@pytest.mark.parametrize("rule", list(PruningRule))
@pytest.mark.parametrize("seed", range(2))
def test_switching_a_rule_off_changes_nothing(rule: PruningRule, seed: int) -> None:
    data = random_tables(seed, variables=7, records=100 + 300 * seed)
    for count_by in CountBy:
        every = score_tables(data, 20, count_by=count_by)
        without = score_tables(data, 20, count_by=count_by, rules=ALL_RULES & ~rule)
        assert same_bits(every.table, without.table)


def test_switching_all_rules_off_changes_nothing_but_the_work() -> None:
    data = random_tables(3, variables=7, records=300)
    every = score_tables(data, 20)
    without = score_tables(data, 20, rules=PruningRule(0))
    assert same_bits(every.table, without.table)
    evaluated = [one.statistics.relations[CPT].evaluated for one in (every, without)]
    assert evaluated[1] == without.statistics.considered == 7 * 2**6
    assert evaluated[0] < evaluated[1]


def test_every_family_is_accounted_for() -> None:
    data = random_tables(4, variables=9, records=300)
    for most in (None, 3):
        known = Knowledge(max_parents=most).constraints(data.names)
        for count_by in CountBy:
            statistics = score_tables(data, 20, constraints=known, count_by=count_by).statistics
            one = statistics.relations[CPT]
            assert one.considered == sum(one.cut.values()) + one.evaluated
            assert one.cut[PruningRule.PENALTY] > 0


@pytest.mark.parametrize("jobs", [2, 5])
def test_the_table_is_the_same_for_any_number_of_threads(jobs: int) -> None:
    data = random_tables(5, variables=10, records=400)
    assert same_bits(
        score_tables(data, 20).table, score(data, 20, relations=TABLES, jobs=jobs).table
    )


@settings(max_examples=scaled(30))
@given(tables())
def test_both_ways_of_counting_agree(data: Dataset) -> None:
    found = [costs_of(score_tables(data, 20, count_by=way).table) for way in CountBy]
    assert found[0].keys() == found[1].keys()
    for key, cost in found[0].items():
        assert found[1][key] == pytest.approx(cost, abs=1e-9, rel=1e-13)


def test_a_binary_table_costs_the_same_next_to_a_variable_of_three_states() -> None:
    # The binary loops and the general ones must agree.
    columns = [[0, 1, 1, 0, 1, 0, 0, 1], [0, 1, 0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0, 1, 0]]
    other = [0, 1, 2, 0, 1, 2, 0, 1]
    for count_by in CountBy:
        binary = costs_of(score_tables(coded(columns, [2] * 3), 1e9, count_by=count_by).table)
        wider = coded([*columns, other], [2, 2, 2, 3])
        both = costs_of(score_tables(wider, 1e9, count_by=count_by).table)
        assert {key: both[key] for key in binary} == pytest.approx(binary, rel=1e-13)


WIDTHS = [
    # States of the first variables and how many of them; their bits reach 64, 128, 256, 1,024
    # and beyond.
    (4, 31),
    (5, 21),
    (5, 22),
    (3, 32),
    (7, 43),
    (4, 64),
    (64, 43),
    pytest.param(33, 170, marks=pytest.mark.slow),
    pytest.param(16, 256, marks=pytest.mark.slow),
    pytest.param(2, 400, marks=pytest.mark.slow),
    pytest.param(16, 1024, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("build", available_builds())
@pytest.mark.parametrize(("states", "variables"), WIDTHS)
def test_records_wider_than_a_word(
    states: int, variables: int, build: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A field may begin in one word and end in the next; the candidates are far from each other.
    rng = np.random.default_rng(variables)
    columns = rng.integers(0, states, (variables, 60))
    for v in (0, variables // 2, variables - 1):  # with few states, so that tables are affordable
        columns[v] = columns[1] % 2
    sizes = [states] * variables
    for v in (0, variables // 2, variables - 1):
        sizes[v] = 2
    noise = rng.integers(0, 2, (variables, 60))
    columns[variables // 2] ^= noise[0] & noise[1]
    columns[variables - 1] ^= noise[2] & noise[3]
    data = coded(columns.tolist(), sizes)
    names = data.names
    few = Knowledge(
        roots=names[1:-1],
        max_parents=3,
        forbidden=[
            (name, other)
            for name in names[3 : variables // 2] + names[variables // 2 + 1 : -3]
            for other in (names[0], names[-1])
        ],
    ).constraints(names)
    for module in ("board", "child_search"):
        monkeypatch.setattr(f"noisyor.scoring.{module}.kernels", load_build(build))
    for count_by in CountBy:
        found = costs_of(
            score_tables(data, 20, constraints=few, children=[0], count_by=count_by).table
        )
        expected = all_costs_of(data, 0, few)
        assert found.keys() == keep(expected, SLACK)
        assert any(parents >> (variables - 1) for _, parents, _ in found)
        for key, cost in found.items():
            assert cost == pytest.approx(expected[key], abs=2e-8, rel=1e-12)


def all_costs_of(data: Dataset, child: int, constraints: Constraints) -> dict[Key, float]:
    """Return what all families of one child cost."""
    allowed = [v for v in range(data.variable_count) if constraints.allowed[child] >> v & 1]
    sets = [
        sum(1 << v for v in chosen)
        for size in range((constraints.max_parents or 0) + 1)
        for chosen in combinations(allowed, size)
    ]
    return {(child, parents, "cpt"): cpt_cost(data, child, parents) for parents in sets}


def test_records_of_too_many_bits_are_refused() -> None:
    data = coded([[0, 1]] * 820, [32] * 820)
    with pytest.raises(DataError, match=r"cpt takes 4100 bits for a record .* at most 4096"):
        score_tables(data)
    few = coded([[0, 1]] * 133, [32] * 133)
    with pytest.raises(DataError, match=r"noisy-or takes 4123 bits for a record .* at most 4096"):
        score(few, relations=PAPER_RELATIONS)
    assert len(score_tables(coded([[0, 1]] * 819, [32] * 819), 1.0, children=[0]).table)


def test_large_counts_lose_no_precision() -> None:
    columns = [[0, 0, 1, 1, 2, 2, 2], [0, 1, 1, 2, 2, 2, 0], [0, 0, 1, 1, 1, 0, 1]]
    for copies in (1, 10**5, 10**8, 10**14):
        data = coded(columns, [3, 3, 2], copies=copies)
        for count_by in CountBy if data.record_count < 10**6 else (CountBy.CONFIGURATIONS,):
            found = costs_of(score_tables(data, 1e3, count_by=count_by).table)
            # Counts are proportional, so -ln L is; brute force loses nothing with few records.
            for (child, parents, _), cost in found.items():
                few = coded(columns, [3, 3, 2])
                penalty = BIC.penalty(
                    CPT,
                    few.variables[child].state_count,
                    [few.variables[v].state_count for v in range(3) if parents >> v & 1],
                    7,
                )
                loss = cpt_cost(few, child, parents) - penalty
                expected = loss * copies + penalty * log(7 * copies) / log(7)
                assert cost == pytest.approx(expected, rel=1e-13, abs=1e-9)


def test_penalties_beyond_the_largest_number_are_infinite() -> None:
    assert BIC.penalty(CPT, 64, (64,) * 200, 100) == inf
    assert BIC.penalty(NOISY_OR, 2, (64,) * 200, 100) < inf


def test_a_relation_that_a_child_cannot_have_is_left_out_for_it() -> None:
    rng = np.random.default_rng(1)
    nominal = coded(rng.integers(0, 2, (3, 80)).tolist(), [2, 2, 3])
    request = Request.of(nominal, relations=PAPER_RELATIONS)
    assert [request.relations_of(child) for child in range(3)] == [
        PAPER_RELATIONS,
        PAPER_RELATIONS,
        (CPT,),
    ]
    assert count_families(request) == {CPT: 3 * 4, NOISY_OR: 2 * 3}
    scored = score(nominal, 20, relations=PAPER_RELATIONS, jobs=1)
    assert scored.statistics.relations[NOISY_OR].considered == 2 * 3
    assert NOISY_OR.code not in scored.table.relations[scored.table.families_of(2)]
    alone = score(nominal, 20, relations=PAPER_RELATIONS, jobs=1, children=[2]).statistics
    assert alone.relations[NOISY_OR].considered == alone.relations[NOISY_OR].evaluated == 0
    variables = (*nominal.variables[:2], replace(nominal.variables[2], ordered=True))
    ordered = Dataset(variables, nominal.codes, nominal.weights)
    assert Request.of(ordered, relations=PAPER_RELATIONS).relations_of(2) == PAPER_RELATIONS
    unable = RecordSource(Request.of(nominal, relations=PAPER_RELATIONS))
    assert np.isfinite(unable.least_costs(lambda: False)).all()


@settings(max_examples=scaled(60))
@given(st.data(), tables(), st.sampled_from([1.0, 20.0, 1e4]))
def test_affordable_families_are_those_whose_penalty_is(
    draws: st.DataObject, data: Dataset, factor: float
) -> None:
    names = data.names
    pairs = [(a, b) for a, b in combinations(names, 2) if draws.draw(st.booleans())]
    most = draws.draw(st.sampled_from([None, 2, 3]))
    known = Knowledge(required=pairs[:2], forbidden=[(b, a) for a, b in pairs], max_parents=most)
    relations = (CPT, LEAKY_NOISY_OR)
    request = Request.of(data, factor, relations=relations, constraints=known.constraints(names))
    rooms = [draws.draw(st.floats(0, 200)) for _ in names]
    expected = dict.fromkeys(relations, 0)
    for child, room in enumerate(rooms):
        for size in range(len(names)):
            for parents in combinations(range(len(names)), size):
                chosen = sum(1 << parent for parent in parents)
                limits = request.constraints
                legal = not (chosen & ~limits.allowed[child] or limits.required[child] & ~chosen)
                if not legal or size > limits.most_parents:
                    continue
                for relation in request.relations_of(child):
                    affordable = request.penalty(relation, child, chosen) <= room
                    affordable |= data.record_count == 1
                    expected[relation] += affordable and (size > 0 or relation is CPT)
    assert count_affordable(request, rooms) == expected


@settings(max_examples=scaled(30))
@given(tables(most_variables=5))
def test_scoring_never_evaluates_more_than_is_affordable(data: Dataset) -> None:
    found = score_tables(data, 20).statistics.relations[CPT]
    request = Request.of(data, 20, relations=TABLES)
    assert found.considered == count_families(request)[CPT]
    assert found.evaluated <= count_affordable(request)[CPT] <= found.considered


@pytest.mark.parametrize("method", ["table", "price"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_credible_sets_are_those_of_brute_force(seed: int, method: str) -> None:
    data = random_tables(seed, variables=4, records=60)
    none = Constraints.none(data.names)
    costs = {
        (child, parents, 0): cost
        for (child, parents, _), cost in all_costs(data, TABLES, none).items()
    }
    expected = credible_set(costs, 4, SLACK)
    assert expected is not None
    learned = noisyor.learn(
        data,
        20,
        relations=("cpt",),
        labels="all",
        method=method,
        keep_constants=True,
        quiet=True,
    )
    assert learned.complete
    assert learned.optimum == pytest.approx(expected.optimum, abs=1e-6)
    assert learned.count == len(expected.members)
    found = {
        tuple((f.child, f.parents, f.relation.code) for f in member.structure.families)
        for member in learned.members()
    }
    assert found == expected.networks


def test_least_costs_are_below_all_families() -> None:
    data = random_tables(6, variables=6, records=200)
    least = RecordSource(Request.of(data, relations=TABLES)).least_costs(lambda: False)
    every = all_costs(data, TABLES, Constraints.none(data.names))
    for child in range(6):
        cheapest = min(cost for key, cost in every.items() if key[0] == child)
        assert 0 < least[child] <= cheapest


def test_costs_are_those_of_single_fits() -> None:
    data = random_tables(7, variables=8, records=500)
    table = score_tables(data, 20).table
    assert (table.gaps == 0).all()
    for family, cost in table.families():
        assert cost == pytest.approx(fit(data, family).cost, rel=1e-12)


def test_a_search_in_parts_finds_the_same() -> None:
    data = random_tables(8, variables=9, records=200)
    whole = score_tables(data, 20)
    options = settings_for(Request.of(data, 20, relations=TABLES))
    for child in range(3):
        part = PartTask(child, seconds=0.0)
        found: FamilyColumns | None = None
        statistics: list[ScoringStatistics] = []
        for _ in range(1000):
            result = search_part(options, lambda: False, part, found)
            if not isinstance(result, PartResult):
                break
            joined = [result.found] if found is None else [found, result.found]
            found = FamilyColumns.concatenated(joined, 1)
            statistics.append(result.statistics)
            part = PartTask(child, 2 * result.seconds, result.order, result.rest, tuple(statistics))
        assert result is not None
        assert not isinstance(result, PartResult)
        assert result.columns == whole.children[child].columns


def test_tables_are_stored_with_states_and_order(tmp_path: Path) -> None:
    data = random_tables(9, variables=5, records=100)
    variables = (replace(data.variables[0], ordered=True), *data.variables[1:])
    table = score_tables(Dataset(variables, data.codes, data.weights), 20).table
    assert table.scope.variables == variables
    stored = read_parquet(parquet_bytes(table), tmp_path / "scores.parquet").table
    assert stored == table
    assert stored.scope.variables == variables


def test_finished_children_come_back_from_a_checkpoint(tmp_path: Path) -> None:
    data = random_tables(10, variables=6, records=150)
    every = score_tables(data, 20, keep=Checkpoint(tmp_path).keep_child)
    back = Checkpoint(tmp_path).finished()
    assert sorted(back) == list(range(6))
    again = score_tables(data, 20, finished=back)
    assert again.table == every.table
    assert again.statistics == every.statistics
