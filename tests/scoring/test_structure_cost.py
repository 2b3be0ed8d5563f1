import math

import numpy as np
import pytest

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Dataset,
    Family,
    Structure,
    Variable,
)
from noisyor.core.errors import DataError, InfeasibleFitError, MismatchError, SettingsError
from noisyor.fitting import fit
from noisyor.scoring.structure_cost import score_structure
from tests.fitting.problems import dataset_of
from tests.oracles.noisy_or import Record

# V0 is a noisy-OR of V1 and V2; nothing else depends on anything.
NOISY: list[Record] = [
    ((0, 0), 0, 200),
    ((1, 0), 1, 160),
    ((1, 0), 0, 40),
    ((0, 1), 1, 140),
    ((0, 1), 0, 60),
    ((1, 1), 1, 188),
    ((1, 1), 0, 12),
]
EDGES = [("V1", "V0"), ("V2", "V0")]


def test_each_node_takes_its_better_relation_and_says_by_how_much() -> None:
    data = dataset_of(NOISY)
    priced = score_structure(data, EDGES, relations="paper")
    table, noisy = (fit(data, Family(0, 0b110, one)).cost for one in (CPT, NOISY_OR))
    assert noisy < table
    node = priced.nodes[0]
    assert node.name == "V0"
    assert node.relation is NOISY_OR
    assert node.cost == noisy
    assert node.margin == pytest.approx(table - noisy)
    assert [option.cost for option in node.options] == [table, noisy]
    assert priced.structure.families[0] == Family(0, 0b110, NOISY_OR)
    alone = [fit(data, Family(child, 0)).cost for child in (1, 2)]
    assert priced.total == pytest.approx(noisy + sum(alone))


def test_a_node_without_parents_has_no_choice() -> None:
    node = score_structure(dataset_of(NOISY), EDGES, relations="paper").nodes[1]
    assert node.relation is CPT
    assert node.margin is None
    assert [option.relation for option in node.options] == [CPT]


def test_a_structure_and_its_edges_cost_the_same() -> None:
    data = dataset_of(NOISY)
    structure = Structure.from_edges(data.names, EDGES)
    assert (
        score_structure(data, structure, relations="paper").total
        == score_structure(data, EDGES, relations="paper").total
    )


def test_a_tie_goes_to_the_table() -> None:
    records: list[Record] = [((0,), 0, 37), ((0,), 1, 11), ((1,), 0, 13), ((1,), 1, 59)]
    priced = score_structure(
        dataset_of(records), [("V1", "V0")], relations=(LEAKY_NOISY_OR, NOISY_OR, CPT)
    )
    node = priced.nodes[0]
    assert node.relation is CPT
    costs = {option.relation: option.cost for option in node.options}
    assert costs[LEAKY_NOISY_OR] == pytest.approx(costs[CPT], abs=1e-7)
    assert node.margin == pytest.approx(0, abs=1e-7)


def test_an_infinite_cost_is_none_with_its_reason() -> None:
    records: list[Record] = [*NOISY, ((0, 0), 1, 3)]
    node = score_structure(dataset_of(records), EDGES, relations="paper").nodes[0]
    assert node.relation is CPT
    assert node.options[1].cost is None
    assert "in 3 of 803 records" in str(node.options[1].reason)
    assert node.margin is None


def test_a_table_that_is_too_large_leaves_the_noisy_or() -> None:
    width = 21
    records: list[Record] = [
        (tuple(int(v == one) for v in range(width)), child, 2 + one)
        for one in range(width)
        for child in (0, 1)
    ]
    edges = [(f"V{v}", "V0") for v in range(1, width + 1)]
    node = score_structure(dataset_of(records), edges, relations="paper").nodes[0]
    assert node.relation is NOISY_OR
    assert node.options[0].cost is None
    assert "21 parents would have 2097152 rows; at most 1048576" in str(node.options[0].reason)
    uncovered: list[Record] = [*records, ((0,) * width, 1, 1)]
    with pytest.raises(InfeasibleFitError, match="no relation fits 'V0' with these parents: cpt: "):
        score_structure(dataset_of(uncovered), edges, relations="paper")


def test_the_total_of_an_empty_graph_is_the_sum_of_entropies() -> None:
    data = dataset_of([((1,), 1, 2), ((0,), 0, 2)])
    assert score_structure(data, [], relations="paper").total == pytest.approx(
        8 * math.log(2) + math.log(4)
    )


def test_other_fitters_price_within_their_tolerance() -> None:
    data = dataset_of(NOISY)
    totals = [
        score_structure(data, EDGES, fitter=one).total for one in ("newton", "gradient", "em")
    ]
    assert totals == pytest.approx([totals[0]] * 3, abs=1e-3)


def test_what_is_refused() -> None:
    data = dataset_of(NOISY)
    with pytest.raises(MismatchError, match="the same variables in the same order"):
        score_structure(data, Structure.from_edges(("a", "b", "c"), []))
    with pytest.raises(DataError, match="cycle"):
        score_structure(data, [("V0", "V1"), ("V1", "V0")])
    with pytest.raises(SettingsError, match="must include cpt"):
        score_structure(data, EDGES, relations=(NOISY_OR,))
    with pytest.raises(SettingsError, match="fitter is 'x'"):
        score_structure(data, EDGES, fitter="x")


def test_a_child_without_an_order_has_full_tables_only_and_is_told_why() -> None:
    random = np.random.default_rng(2)
    rows, weights = np.unique(random.integers(0, 3, (60, 2)), axis=0, return_counts=True)
    data = Dataset(
        (Variable("ward", ("a", "b", "c")), Variable("dose", ("low", "mid", "high"), ordered=True)),
        np.ascontiguousarray(rows[:, ::-1]).astype(np.uint8),
        weights.astype(np.int64),
    )
    priced = score_structure(data, [("dose", "ward")], relations="all")
    reasons = {option.reason for option in priced.nodes[0].options if option.fit is None}
    assert reasons == {"the 3 states of 'ward' have no order"}
    assert priced.nodes[0].relation is CPT
    ordered = score_structure(data, [("ward", "dose")], relations="all").nodes[1]
    fitted = {option.relation for option in ordered.options if option.fit is not None}
    assert LEAKY_NOISY_OR in fitted  # the states of a parent need no order
    costs = {option.relation: option.cost for option in ordered.options}
    assert ordered.cost == pytest.approx(min(cost for cost in costs.values() if cost is not None))
