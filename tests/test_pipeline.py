"""Both ways of learning give the same networks, which brute force confirms."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from noisyor import pipeline
from noisyor.core import Constraints, DataError, Dataset, Knowledge, SettingsError
from noisyor.core.credible_set import CredibleSet
from noisyor.core.relations import all_relations, relation_named
from noisyor.core.request import Request
from noisyor.data.examples import load_example
from noisyor.learning import learn
from noisyor.runs.learned import Method
from noisyor.runs.work import ClimbedWork
from noisyor.scoring import Scored, score_request
from noisyor.search import search
from tests.oracles.families import all_costs
from tests.scoring.problems import random_dataset
from tests.search.tables import table_from
from tests.support.effort import chosen

if TYPE_CHECKING:
    from noisyor.core.progress import Progress


def check_same(got: CredibleSet, expected: CredibleSet) -> None:
    """Check that two sets have the same networks, as far as the use of each family shows."""
    assert got.complete
    assert expected.complete
    assert got.count == expected.count
    assert got.optimum == pytest.approx(expected.optimum, abs=1e-7)
    ours = {use.family: use for use in got.families}
    theirs = {use.family: use for use in expected.families}
    assert ours.keys() == theirs.keys()
    for family, use in ours.items():
        assert use.networks == theirs[family].networks
        assert use.weight == pytest.approx(theirs[family].weight, rel=1e-6)
        assert use.best_with == pytest.approx(theirs[family].best_with, abs=1e-7)


@pytest.mark.parametrize("seed", range(chosen(quick=6, full=12)))
def test_methods_agree_on_random_data(seed: int) -> None:
    data = random_dataset(seed, 5 + seed % 8, 40 + 30 * (seed % 5))
    relations = ("paper", "default", "all")[seed % 3]
    for labels in ("best", "all"):
        table = learn(data, 20, relations=relations, method="table", labels=labels)
        price = learn(data, 20, relations=relations, method="price", labels=labels)
        assert (table.method, price.method) == (Method.TABLE, Method.PRICE)
        check_same(price.credible, table.credible)


@pytest.mark.parametrize("seed", range(chosen(quick=1, full=6)))
def test_price_agrees_with_all_families_and_no_bounds(seed: int) -> None:
    """Every family, fitted by the oracle, none pruned, searched without a linear program."""
    data = random_dataset(seed, chosen(quick=5, full=6), 60)
    nothing = Constraints.none(data.names)
    costs = {
        (child, parents, relation_named(name).code): cost
        for (child, parents, name), cost in all_costs(data, all_relations(), nothing).items()
    }
    expected = search(table_from(costs, data.names, 20), 20, bounds="none").credible
    check_same(learn(data, 20, method="price", relations="all").credible, expected)


@pytest.mark.parametrize("seed", range(chosen(quick=2, full=4)))
def test_twelve_variables_agree_with_the_classical_programme(seed: int) -> None:
    data = random_dataset(100 + seed, 12, 150)
    expected = learn(data, 20, method="table", bounds="none", relations="paper").credible
    check_same(learn(data, 20, method="price", relations="paper").credible, expected)


@pytest.mark.parametrize("seed", range(chosen(quick=1, full=3)))
def test_methods_agree_where_the_tolerance_exceeds_the_usual_margin(seed: int) -> None:
    """Costs of millions of nats are compared less finely than to a millionth."""
    few = random_dataset(seed, 6, 60)
    data = Dataset.from_bits(few.names, few.bits, few.weights * 30_000)
    learned = learn(data, 20, method="price")
    check_same(learned.credible, learn(data, 20, method="table").credible)
    assert isinstance(learned.work, ClimbedWork)
    assert learned.work.pricing is not None
    assert learned.work.pricing.rounds < 30


@pytest.mark.parametrize("leak", [False, True])
def test_methods_agree_under_constraints(*, leak: bool) -> None:
    data = random_dataset(7, 8, 120)
    knowledge = Knowledge(
        required=[("v1", "v5")], forbidden=[("v0", "v3"), ("v2", "v6")], max_parents=3
    )
    relations = ["cpt", "noisy-or", "leaky-noisy-or"][: 2 + leak]
    found = [
        learn(
            data,
            20,
            relations=relations,
            constraints=knowledge.constraints(data.names),
            method=method,
        ).credible
        for method in ("table", "price")
    ]
    check_same(found[1], found[0])
    assert found[0].edges()["v1", "v5"].fraction == 1


def test_threads_do_not_change_the_result() -> None:
    data = random_dataset(3, 10, 200)
    one, three = (learn(data, 20, method="price", jobs=jobs).credible for jobs in (1, 3))
    check_same(three, one)
    assert one.optimum == three.optimum


def test_progress_shows_bounds_that_close() -> None:
    seen: list[Progress] = []
    learned = learn(load_example("clinic"), method="price", progress=seen.append)
    optimum = learned.credible.optimum
    bounded = [now for now in seen if now.lower_bound is not None and now.upper_bound is not None]
    assert bounded
    for now in bounded:
        assert now.lower_bound is not None
        assert now.upper_bound is not None
        assert now.lower_bound <= optimum + 1e-6
        assert now.upper_bound >= optimum - 1e-6


def test_a_time_limit_gives_a_labelled_network_and_a_valid_bound() -> None:
    data = random_dataset(11, chosen(quick=14, full=20), 400)
    optimum = learn(data, 20).credible.optimum
    for method in ("table", "price"):
        for limit in (1e-9, 0.02, 0.2):
            credible = learn(data, 20, method=method, time_limit=limit).credible
            assert credible.lower_bound <= optimum + 1e-6
            assert credible.optimum >= optimum - 1e-6
            assert credible.complete or credible.shortfalls


@pytest.mark.parametrize("most", [2, None])
def test_both_methods_tell_how_many_families_there_are(most: int | None) -> None:
    data = load_example("clinic")
    known = Knowledge(max_parents=most, required=[("flu", "fever")])
    families = [
        learn(data, constraints=known, method=method).summary()["families"]
        for method in ("table", "price")
    ]
    by_table, by_price = (cast("dict[str, int]", one)["considered"] for one in families)
    assert by_table == by_price


def test_what_cannot_be_is_refused() -> None:
    data = load_example("clinic")
    with pytest.raises(SettingsError, match="method is 'magic'"):
        learn(data, method="magic")
    with pytest.raises(SettingsError, match="bounds is 'none'"):
        learn(data, method="price", bounds="none")
    with pytest.raises(SettingsError, match="time limit"):
        learn(data, method="price", time_limit=0)
    with pytest.raises(SettingsError, match="jobs"):
        learn(data, method="price", jobs=0)


def test_a_single_record_is_too_few_to_learn_from() -> None:
    one = Dataset.from_bits(("a", "b"), np.array([[1]], dtype=np.uint64), np.array([1]))
    with pytest.raises(DataError, match="At least 2 records are needed"):
        learn(one)


def test_a_table_that_memory_cannot_hold_is_refused_before_the_work() -> None:
    data = random_dataset(1, 26, 60)
    with pytest.raises(
        SettingsError, match=r"a table of about .* but the memory limit is .* what helps"
    ):
        learn(data, method="table", memory_limit=1000)


@pytest.mark.parametrize("first", [0, 1])
def test_columns_that_were_not_scored_have_parents_all_the_same(
    monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    """Whichever columns come last, the network without them costs more than the one found."""
    data = load_example("pump")
    optimum = learn(data, 20, method="table", quiet=True).credible.optimum

    def score_some(request: Request, **options: Any) -> Scored:  # noqa: ANN401  (all of them)
        return score_request(request, **options | {"children": range(first, 10, 2)})

    monkeypatch.setattr(pipeline, "score_request", score_some)
    learned = learn(data, 20, method="table", time_limit=1000, quiet=True)
    assert learned.credible.optimum == pytest.approx(optimum, abs=1e-6)
    assert learned.credible.lower_bound <= optimum + 1e-6
    assert not learned.complete
    assert "5 of 10 children unscored" in learned.credible.shortfalls[0]
    assert "everything unproven" in learned.credible.shortfalls[1]
