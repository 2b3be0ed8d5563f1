"""Before a search visits sets it orders its candidates, if the order matters."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from noisyor._kernels import kernels
from noisyor.core import CPT, LEAKY_NOISY_OR, NOISY_OR, Constraints, Dataset, Relation
from noisyor.core.family_source import Price
from noisyor.core.request import Request
from noisyor.core.variable_sets import word_count
from noisyor.scoring import RecordSource, score
from noisyor.scoring.child_search import ChildSearch, SearchPass, settings_for
from noisyor.scoring.statistics import FitCounts
from tests.scoring.passes import run_pass

PAPER = (CPT, NOISY_OR)


def wide_dataset(variables: int, records: int) -> Dataset:
    """Return columns that have common causes, and sometimes a cause of their own."""
    rng = np.random.default_rng(variables)
    causes = rng.random((8, records)) < 0.3
    columns = [
        (causes[rng.integers(8)] & (rng.random(records) < 0.7)) | (rng.random(records) < 0.25)
        for _ in range(variables)
    ]
    rows, weights = kernels.count_records(
        [column.astype(np.uint8) for column in columns], word_count(variables)
    )
    return Dataset.from_bits(tuple(f"v{i}" for i in range(variables)), rows, weights)


def limited(data: Dataset, max_parents: int) -> Constraints:
    return replace(Constraints.none(data.names), max_parents=max_parents)


def fits_of_child(data: Dataset, max_parents: int, relations: tuple[Relation, ...]) -> FitCounts:
    scored = score(
        data,
        relations=relations,
        constraints=limited(data, max_parents),
        children=[0],
        jobs=1,
    )
    return scored.statistics.fits


def test_where_only_one_network_is_possible_a_wide_table_needs_no_fit() -> None:
    assert fits_of_child(wide_dataset(200, 3000), 0, (CPT, NOISY_OR, LEAKY_NOISY_OR)) == FitCounts()


def test_without_room_for_a_candidate_prices_need_no_fit() -> None:
    data = wide_dataset(100, 3000)
    request = Request.of(data, 20, relations=PAPER, constraints=limited(data, 0), jobs=1)
    source = RecordSource(request)
    source.seed(lambda: False)
    high = [[Price(1e9)] for _ in data.names]
    offer = source.within(high, most=5, stop=lambda: False)
    assert offer.finished.all()
    assert len(offer.table) == 0
    assert source.statistics.fits == 0


def test_sets_of_one_candidate_and_full_tables_need_no_order_of_the_candidates() -> None:
    data = wide_dataset(40, 300)
    assert fits_of_child(data, 1, PAPER).ordering == 0
    assert fits_of_child(data, 2, (CPT,)) == FitCounts()


@pytest.mark.parametrize(("variables", "records", "fits"), [(20, 300, 20), (100, 3000, 1)])
def test_the_order_takes_a_fit_for_each_candidate_only_while_these_are_cheap(
    variables: int, records: int, fits: int
) -> None:
    """With 20 variables, one fit over the 19 candidates and one without each of them."""
    data = wide_dataset(variables, records)
    settings = settings_for(Request.of(data, 20, relations=PAPER, constraints=limited(data, 2)))
    search = ChildSearch(settings, 0)
    assert search.order == ()
    search.begin(SearchPass(0.0, PAPER, sets=replace(search.all_sets, end=0), fits=False))
    search.work(kernels.Cancellation())
    assert sorted(search.order) == list(range(1, variables))
    assert search.found()[1].fits.ordering == fits


def test_the_cheap_order_gives_the_same_families() -> None:
    """The order of the work changes no more than the last bits of a cost."""
    data = wide_dataset(100, 3000)
    settings = settings_for(Request.of(data, 20, relations=PAPER, constraints=limited(data, 2)))
    wanted = SearchPass(settings.request.factor.slack, PAPER)
    found = run_pass(ChildSearch(settings, 0), wanted)
    by_name = run_pass(ChildSearch(settings, 0, range(1, 100)), wanted)
    assert found.statistics is not None
    assert found.statistics.fits.ordering == 1
    assert sorted(
        zip(found.columns.parents.tolist(), found.columns.relations.tolist(), strict=True)
    ) == sorted(
        zip(by_name.columns.parents.tolist(), by_name.columns.relations.tolist(), strict=True)
    )
    assert found.columns.costs == pytest.approx(by_name.columns.costs, rel=1e-12)


def test_a_search_cancelled_at_once_has_no_order_yet_and_can_be_restarted() -> None:
    data = wide_dataset(12, 200)
    settings = settings_for(Request.of(data, 20, relations=PAPER))
    search = ChildSearch(settings, 0)
    wanted = SearchPass(settings.request.factor.slack, PAPER)
    search.begin(wanted)
    cancelled = kernels.Cancellation()
    cancelled.cancel()
    search.work(cancelled)
    assert not search.finished
    assert search.order == ()
    assert search.reached == 0
    assert len(search.found()[0].costs) == 0
    again = run_pass(search, wanted)
    fresh = run_pass(ChildSearch(settings, 0), wanted)
    assert again.columns.costs.tobytes() == fresh.columns.costs.tobytes()


@pytest.mark.parametrize("ordered", [False, True])
def test_a_wide_table_sees_the_cancellation_while_it_is_set_up(ordered: bool) -> None:
    """A single fit over its 255 candidates takes seconds, and there are hundreds before any set."""
    data = wide_dataset(256, 20_000)
    settings = settings_for(Request.of(data, 20, relations=PAPER))
    search = ChildSearch(settings, 0, range(1, 256) if ordered else ())
    search.begin(SearchPass(settings.request.factor.slack, PAPER))
    cancellation = kernels.Cancellation()
    worker = threading.Thread(target=search.work, args=(cancellation,), daemon=True)
    worker.start()
    worker.join(0.2)
    cancellation.cancel()
    worker.join(60)
    assert not worker.is_alive()
    assert not search.finished
    assert search.decided == 0
