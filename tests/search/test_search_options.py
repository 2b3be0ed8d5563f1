"""The options of the search: what is refused, limits and constraints."""

from dataclasses import replace
from math import exp, inf
from typing import TYPE_CHECKING

import pytest

from noisyor.core import (
    BayesFactor,
    ConstraintError,
    Constraints,
    Knowledge,
    MismatchError,
    NoisyorError,
    ScoreTable,
    SettingsError,
)
from noisyor.core.credible_set import Labels
from noisyor.search import BoundKind, search
from tests.search.agreement import check_same, found, near, oracle
from tests.search.tables import Case, random_case, table_from
from tests.support.effort import HANGS_AFTER

if TYPE_CHECKING:
    from noisyor.core.progress import Progress

SMALL = Case(
    3,
    {
        (0, 0, 0): 9.0,
        (1, 0, 0): 8.0,
        (1, 0b001, 0): 6.0,
        (2, 0, 0): 7.0,
        (2, 0b001, 1): 5.5,
        (2, 0b011, 1): 5.0,
        (2, 0b011, 0): 5.75,
    },
    20.0,
)


def test_names_and_values_are_the_same_options() -> None:
    table = SMALL.table()
    by_name = search(table, 20, labels="all", bounds="none").credible
    by_value = search(table, BayesFactor(20), labels=Labels.ALL, bounds=BoundKind.NONE).credible
    assert by_name.count == by_value.count
    assert by_name.families == by_value.families
    assert by_name.labels is Labels.ALL


def test_the_bayes_factor_is_the_tables_or_twenty() -> None:
    own = table_from(SMALL.costs, SMALL.names, 3.0)
    assert search(own).credible.bayes_factor == BayesFactor(3)
    foreign = table_from(SMALL.costs, SMALL.names, None)
    assert search(foreign).credible.bayes_factor == BayesFactor(20)
    assert search(foreign, 150).credible.bayes_factor == BayesFactor(150)


def test_a_foreign_table_is_what_the_result_is_relative_to() -> None:
    foreign = search(replace(SMALL, foreign=True).table(), 20).credible
    check_same(foreign, oracle(SMALL))
    assert foreign.notes
    assert SMALL.table().scope.bayes_factor is not None
    assert search(SMALL.table(), 20).credible.notes == ()


def test_the_statistics_add_up() -> None:
    for seed in range(8):
        case = random_case(seed, n=8, most_families=9, style="steep")
        searched = search(case.table(), case.factor)
        said = searched.statistics
        assert said.families_used == len(searched.credible.families)
        assert said.families_given >= said.families_reduced >= said.families_used
        assert said.lower_bound <= searched.credible.optimum + 1e-8
        assert said.lp_gap == near(searched.credible.optimum - said.lower_bound)
        assert set(said.seconds) == {"bounds", "optimum", "members"}
        assert 0 <= sum(said.seconds.values()) <= searched.seconds + 1e-3


def test_progress_tells_bounds_that_hold() -> None:
    case = random_case(4, n=12, most_families=20, most_parents=3, style="steep")
    told: list[Progress] = []
    credible = search(case.table(), case.factor, progress=told.append).credible
    assert told
    for one in told:
        assert one.step
        assert one.lower_bound is not None
        assert one.upper_bound is not None
        assert one.lower_bound <= credible.optimum + 1e-8
        assert one.upper_bound >= credible.optimum - 1e-8
        assert one.seconds >= 0


@pytest.mark.parametrize("bounds", ["lp", "none"])
def test_forbidden_edges_and_fewer_parents_are_a_smaller_table(bounds: str) -> None:
    for seed in range(60):
        case = random_case(seed, n=2 + seed % 4, empty=1.0, most_families=12)
        edges = [(seed % case.n, (seed + 1) % case.n), (0, case.n - 1)]
        most = 1 + seed % 3
        knowledge = Knowledge(
            forbidden=[(case.names[p], case.names[v]) for p, v in edges], max_parents=most
        )
        credible = search(
            case.table(),
            case.factor,
            constraints=knowledge.constraints(case.names),
            bounds=bounds,
        ).credible
        check_same(credible, oracle(case.without(edges=edges, max_parents=most)))


def test_tiers_roots_and_sinks_are_forbidden_edges() -> None:
    knowledge = Knowledge(tiers=[["v0"], ["v1", "v2"]], roots=["v1"], sinks=["v2"])
    credible = search(
        SMALL.table(), constraints=knowledge.constraints(SMALL.names), labels="all"
    ).credible
    check_same(credible, oracle(SMALL.without(edges=[(0, 1), (2, 1), (2, 0)]), "all"))
    assert not any(child == "v1" for _, child in credible.edges())


def test_required_edges_of_the_table_may_be_asked_for() -> None:
    costs = {key: cost for key, cost in SMALL.costs.items() if key[0] != 2 or key[1] & 1}
    plain = table_from(costs, SMALL.names, 20.0)
    required = Knowledge(required=[("v0", "v2")]).constraints(SMALL.names)
    table = replace(plain, scope=replace(plain.scope, constraints=required))
    check_same(search(table, constraints=required).credible, oracle(replace(SMALL, costs=costs)))
    forbidding = Knowledge(forbidden=[("v0", "v2")]).constraints(SMALL.names)
    with pytest.raises(ConstraintError, match=r"'v0' -> 'v2' is excluded, but .*it required"):
        search(table, constraints=forbidding)


def refuses(error: type[NoisyorError], message: str, table: ScoreTable, **options: object) -> None:
    with pytest.raises(error, match=message):
        search(table, **options)  # type: ignore[arg-type]  # some are wrong on purpose


def test_bad_options_are_refused() -> None:
    table = SMALL.table()
    refuses(MismatchError, r"factor is 21, but the table was scored for 20", table, bayes_factor=21)
    refuses(SettingsError, "the Bayes factor is 0.5", table, bayes_factor=0.5)
    refuses(SettingsError, "labels is 'some'; it must be one of: best, all", table, labels="some")
    refuses(SettingsError, "bounds is 'ip'; it must be one of: auto, lp, none", table, bounds="ip")
    refuses(SettingsError, "jobs is 0; it must be at least 1", table, jobs=0)
    refuses(SettingsError, "time limit is 0.* above 0", table, time_limit=0.0)
    refuses(SettingsError, "memory limit is 0.* at least 1", table, memory_limit=0)


def test_all_labels_of_a_table_of_unknown_relations_are_refused() -> None:
    foreign = replace(SMALL, foreign=True).table()
    refuses(SettingsError, "labels is 'all', but the table does not say", foreign, labels="all")


def test_constraints_that_the_table_cannot_serve_are_refused() -> None:
    table = SMALL.table()
    required = Knowledge(required=[("v0", "v1")]).constraints(SMALL.names)
    refuses(
        ConstraintError,
        "'v0' -> 'v1' is required, but the table was scored without it",
        table,
        constraints=required,
    )
    others = Constraints.none(("a", "b", "c"))
    refuses(MismatchError, "about other variables", table, constraints=others)
    with pytest.raises(ConstraintError, match="'v0' -> 'v1' is required, but also forbidden"):
        Knowledge(required=[("v0", "v1")], forbidden=[("v0", "v1")]).constraints(SMALL.names)


def test_a_child_without_a_family_is_refused() -> None:
    costs = {key: cost for key, cost in SMALL.costs.items() if key[0] != 1}
    table = table_from(costs, SMALL.names, 20.0)
    refuses(ConstraintError, "no family is left for 'v1'", table)
    needy = table_from(costs | {(1, 0b100, 0): 1.0}, SMALL.names, 20.0)
    rooted = Knowledge(roots=["v1"]).constraints(SMALL.names)
    refuses(ConstraintError, "no family is left for 'v1'", needy, constraints=rooted)


@pytest.mark.parametrize("bounds", ["lp", "none"])
def test_families_that_only_make_cycles_are_refused(bounds: str) -> None:
    costs = {(0, 0b010, 0): 1.0, (1, 0b001, 0): 1.0, (1, 0b101, 0): 2.0, (2, 0, 0): 1.0}
    table = table_from(costs, SMALL.names, 20.0)
    with pytest.raises(ConstraintError, match=r"'v0'.*'v1'"):
        search(table, bounds=bounds)


def hard() -> Case:
    """Return a table whose optimum takes some time to prove."""
    return random_case(
        2, n=30, most_families=120, most_parents=3, style="steep", empty=1.0, relations=1
    )


@pytest.mark.parametrize("bounds", ["lp", "none"])
def test_a_time_limit_gives_a_labelled_result_with_a_bound(bounds: str) -> None:
    searched = search(hard().table(), hard().factor, bounds=bounds, time_limit=1e-3)
    credible = searched.credible
    assert searched.seconds < HANGS_AFTER
    assert not credible.complete
    assert "time limit" in " ".join(credible.shortfalls)
    assert credible.lower_bound <= credible.optimum
    assert credible.count >= 1
    total = sum(
        hard().costs[family.child, family.parents, family.relation.code]
        for family in credible.best.families
    )
    assert total == near(credible.optimum)
    assert credible.best_members(1)[0].cost == near(credible.optimum)


def test_a_memory_limit_gives_a_labelled_result_with_a_bound() -> None:
    # Memory ends at once, on any machine; the rest of the time is for the sample.
    credible = search(
        hard().table(), hard().factor, bounds="none", memory_limit=1, time_limit=3
    ).credible
    assert not credible.complete
    assert "GiB" in " ".join(credible.shortfalls)
    assert credible.lower_bound <= credible.optimum


def test_bounds_of_a_stopped_search_hold() -> None:
    case = random_case(6, n=13, most_families=40, most_parents=3, style="steep", empty=1.0)
    whole = found(case)
    for limit in (1e-4, 1e-2, 0.05, 0.2):
        part = search(case.table(), case.factor, time_limit=limit).credible
        assert part.lower_bound <= whole.optimum + 1e-8
        assert part.optimum >= whole.optimum - 1e-8
        if part.optimum <= whole.optimum + 1e-8:
            assert part.count <= whole.count
        if part.most is not None:
            assert part.most >= whole.count
        assert part.complete == (part.count == whole.count and part.proven and not part.shortfalls)


def test_an_incomplete_table_makes_an_incomplete_result() -> None:
    table = SMALL.table()
    part = replace(table, scope=replace(table.scope, shortfalls=("the time limit left a child",)))
    credible = search(part).credible
    assert not credible.complete
    assert "the time limit left a child" in " ".join(credible.shortfalls)


def test_costs_too_far_apart_to_add_up_are_refused() -> None:
    changes = {(0, 0, 0): 1e16, (0, 0b010, 0): 1.0, (1, 0, 0): 1.0, (1, 0b001, 0): 5.0}
    table = table_from({**SMALL.costs, **changes}, SMALL.names, None)
    assert search(table, exp(2)).credible.optimum < 100
    worse = table_from(
        {(0, 0b010, 0): -1e16, (0, 0, 0): 1e16, (1, 0b001, 0): -1e16, (1, 0, 0): 1e16},
        ("v0", "v1"),
        None,
    )
    with pytest.raises(SettingsError, match="too much"):
        search(worse)


def test_without_memory_for_the_lattice_the_walk_finds_the_same() -> None:
    whole = found(SMALL)
    credible = search(SMALL.table(), SMALL.factor, memory_limit=1, time_limit=HANGS_AFTER).credible
    assert credible.complete
    assert (credible.count, credible.optimum) == (whole.count, whole.optimum)


def test_an_endless_time_limit_is_none() -> None:
    assert search(SMALL.table(), SMALL.factor, time_limit=inf).credible.complete
