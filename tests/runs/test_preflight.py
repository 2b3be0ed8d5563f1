"""Estimates: exact counts, honest ranges, and refusals that say what to change."""

import numpy as np
import pytest

from noisyor.core import CPT, NOISY_OR, Dataset, Knowledge, SettingsError
from noisyor.core.machine import peak_memory, usable_memory
from noisyor.core.request import Request
from noisyor.data import read
from noisyor.data.examples import load_example
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Method
from noisyor.runs.plan import Plan
from noisyor.runs.preflight import (
    LARGEST_FACTOR,
    MOST_VARIABLES,
    SUBSETS,
    Estimate,
    Span,
    estimate,
    refuse_if_too_large,
)
from noisyor.scoring import score
from noisyor.scoring.memory import (
    PROGRAM,
    TABLE,
    WORK,
    Amount,
    fitting_bytes,
    total_of,
    work_bytes,
)

CLINIC = load_example("clinic")
GIB = 2**30
MIB = 2**20


def test_spans_add_up_and_have_a_middle() -> None:
    assert Span(1, 4) + Span(2, 5) == Span(3, 9)
    assert Span(1, 4) + Span(2, None) == Span(3, None)
    assert Span(1, 4).middle == 2
    assert Span(1, None).middle is None


def test_the_families_of_an_example() -> None:
    n = CLINIC.variable_count
    found = estimate(
        Request.of(CLINIC, 20, relations="paper"), method=Method.TABLE, pilot_seconds=30
    )
    assert found.families == {CPT: n * 2 ** (n - 1), NOISY_OR: n * (2 ** (n - 1) - 1)}
    table = score(CLINIC, 20, relations="paper").table
    assert sum(found.kept.values()) == len(table)
    assert found.affordable[CPT] < found.families[CPT]
    assert (found.variables, found.records) == (n, CLINIC.record_count)
    assert found.memory[TABLE].least == pytest.approx(
        170 * found.kept[CPT] + 300 * found.kept[NOISY_OR]
    )
    assert set(found.seconds) == {"full tables", "independent causes", "search"}


def test_constraints_and_relations_make_it_less() -> None:
    known = Knowledge(max_parents=1).constraints(CLINIC.names)
    n = CLINIC.variable_count
    found = estimate(
        Request.of(CLINIC, 20, relations=["cpt"], constraints=known),
        method=Method.TABLE,
        pilot_seconds=0.1,
    )
    assert found.families == {CPT: n * n}
    assert set(found.seconds) == {"full tables", "search"}


def test_by_price_there_is_no_table() -> None:
    found = estimate(
        Request.of(CLINIC, 20, memory_limit=GIB, relations="paper"),
        method=Method.PRICE,
        pilot_seconds=0.1,
    )
    assert found.method is Method.PRICE
    assert set(found.seconds) == {"full tables", "prices and search"}
    assert TABLE not in found.memory
    assert found.memory["fits remembered"] == Amount(0, 0, GIB)
    refuse_if_too_large(found, 1)


def test_the_lattice_keeps_to_the_memory_limit() -> None:
    found = estimate(
        Request.of(CLINIC, 20, memory_limit=1000, relations="paper"),
        method=Method.TABLE,
        pilot_seconds=0.1,
    )
    assert found.memory[SUBSETS] == Amount(0, 1000, 1000)


def test_the_memory_stated_is_the_sum_of_its_parts() -> None:
    before = peak_memory()
    found = estimate(
        Request.of(CLINIC, 20, jobs=2, relations="paper"), method=Method.TABLE, pilot_seconds=30
    )
    parts = found.memory
    assert list(parts) == [PROGRAM, WORK, TABLE, SUBSETS]
    assert (
        before <= parts[PROGRAM].about - 20 * MIB <= peak_memory() + MIB
    )  # the system counts in strides
    assert parts[WORK] == work_bytes(CLINIC, 10, 2) + fitting_bytes(CLINIC, 2)
    table = 240 * found.kept[CPT] + 400 * found.kept[NOISY_OR]
    assert parts[TABLE].about == pytest.approx(table)
    # 2**11 subsets: two sets, two distances and four slots each, half as much again for growth;
    # and for each of 11 children the best family within each of 2**10 sets.
    lattice = 2**11 * (16 + 16 + 16) * 3 // 2 + 11 * 2**10 * 4
    assert parts[SUBSETS] == Amount(0, lattice, lattice)
    stated = parts[PROGRAM].about + parts[WORK].about + table + lattice
    assert found.total_memory.about == pytest.approx(stated)
    written = estimate(
        Request.of(CLINIC, 20, relations="paper"),
        method=Method.TABLE,
        folder=True,
        pilot_seconds=0.1,
    )
    assert written.memory["report and files"].about == 50 * MIB


def test_a_search_with_cuts_has_no_upper_end_of_memory() -> None:
    names = tuple(f"v{number}" for number in range(26))
    rows = np.unique(np.random.default_rng(1).integers(0, 2**26, 8, dtype=np.uint64))[:, None]
    data = Dataset.from_bits(names, rows, np.ones(len(rows), dtype=np.int64))
    found = estimate(Request.of(data, 20), method=Method.PRICE, pilot_seconds=0.05)
    about = 12.5 * MIB * sum(found.kept.values()) ** 0.25
    assert found.memory["cuts and members"].about == pytest.approx(about)
    assert found.memory["cuts and members"].most is None
    assert found.total_memory.most is None
    few = Dataset.from_bits(names[:25], np.unique(rows >> np.uint64(1))[:, None], data.weights)
    by_table = estimate(Request.of(few, 20), method=Method.TABLE, pilot_seconds=0.05)
    about = 6.25 * MIB * sum(by_table.kept.values()) ** 0.25
    assert by_table.memory["cuts and members"].about == pytest.approx(about)


@pytest.mark.parametrize("method", [Method.TABLE, Method.PRICE])
def test_learning_tells_what_it_expects_once_before_the_work(method: Method) -> None:
    told: list[Estimate | str] = []
    plan = Plan(method=method, expecting=told.append, progress=lambda now: told.append(now.step))
    learn_request(Request.of(CLINIC, relations="paper"), plan)
    assert [one for one in told if isinstance(one, Estimate)] == told[1:2]
    first, stated = told[:2]
    assert first == "estimating"
    assert isinstance(stated, Estimate)
    assert stated.method is method
    assert "report and files" not in stated.memory


def test_which_method_is_for_learn_to_decide() -> None:
    with pytest.raises(ValueError, match="must not be AUTO"):
        estimate(Request.of(CLINIC, 20, relations="paper"), method=Method.AUTO)


@pytest.mark.parametrize("method", [Method.TABLE, Method.PRICE])
def test_what_was_never_measured_has_no_upper_end(method: Method) -> None:
    names = tuple(f"v{number}" for number in range(MOST_VARIABLES + 1))
    rows = np.unique(np.random.default_rng(1).integers(0, 2**46, 8, dtype=np.uint64))[:, None]
    data = Dataset.from_bits(names, rows, np.ones(len(rows), dtype=np.int64))
    found = estimate(Request.of(data, 20), method=method, pilot_seconds=0.05)
    assert found.total_seconds.most is None
    assert found.total_seconds.least >= 0
    few = Dataset.from_bits(names[:-1], np.unique(rows >> np.uint64(1))[:, None], data.weights)
    assert (
        estimate(Request.of(few, 20), method=method, pilot_seconds=0.05).total_seconds.most
        is not None
    )


def test_a_large_bayes_factor_lets_in_members_without_an_upper_end() -> None:
    for factor, known in ((LARGEST_FACTOR, True), (LARGEST_FACTOR + 1, False)):
        found = estimate(
            Request.of(CLINIC, factor, relations="paper"), method=Method.TABLE, pilot_seconds=0.05
        )
        assert (found.seconds["search"].most is not None) is known
        assert found.seconds["search"].least > 0
        assert found.seconds["full tables"].most is not None


def expected(method: Method, table: Amount, **kept: float) -> Estimate:
    """Return an estimate in which only memory matters."""
    relations = {"cpt": CPT, "noisy_or": NOISY_OR}
    counts = {relations[name]: count for name, count in kept.items()}
    return Estimate(
        variables=40,
        records=100,
        distinct_records=100,
        bayes_factor=20,
        method=method,
        families=dict.fromkeys(counts, 2**44),
        affordable=dict.fromkeys(counts, 2**40),
        kept=counts,
        memory={PROGRAM: Amount(GIB, GIB, GIB), TABLE: table},
        seconds={"search": Span(1, 2)},
        pilot_seconds=2,
    )


def test_a_table_that_cannot_fit_is_refused_with_what_to_change() -> None:
    large = expected(Method.TABLE, Amount(3 * GIB, 5 * GIB, 9 * GIB), cpt=1e6, noisy_or=2e6)
    with pytest.raises(SettingsError) as caught:
        refuse_if_too_large(large, 2 * GIB)
    said = str(caught.value)
    assert "a table of about 3,000,000 families takes at least 3 GiB of memory" in said
    assert "the memory limit is 2 GiB" in said
    for change in ("method 'price'", "smaller Bayes factor", "max_parents", "fewer columns"):
        assert change in said


def test_the_machine_is_the_limit_unless_one_is_given() -> None:
    there = usable_memory()
    assert there > GIB / 4
    with pytest.raises(SettingsError, match=r"but there is room for \S+ GiB"):
        refuse_if_too_large(expected(Method.TABLE, Amount(there + 1, there + 1, None), cpt=1))


def test_full_tables_alone_gain_nothing_from_prices() -> None:
    with pytest.raises(SettingsError) as caught:
        refuse_if_too_large(expected(Method.TABLE, Amount(3, 3, 4), cpt=1), 2)
    assert "price" not in str(caught.value)


def test_a_run_that_may_fit_is_not_refused() -> None:
    # Neither the upper end nor the memory of the program itself is a reason to refuse.
    may_fit = expected(Method.TABLE, Amount(GIB, 50 * GIB, 100 * GIB), cpt=1)
    assert may_fit.total_memory == Amount(2 * GIB, 51 * GIB, 101 * GIB)
    refuse_if_too_large(may_fit, GIB)


@pytest.mark.parametrize(
    ("columns", "records", "seconds", "peak"),  # of runs that ended with the time limit
    [(60, 1000, 10.0, 221), (100, 1000, 12.0, 285), (100, 1000, 48.0, 601), (100, 5000, 9.0, 229)],
)
def test_the_memory_of_layers_grows_with_the_time(
    columns: int, records: int, seconds: float, peak: int
) -> None:
    """Peaks in MiB were measured in processes of two threads; the seconds are of each."""
    data = read(np.random.default_rng(0).integers(0, 2, (records, columns)))
    request = Request.of(data, jobs=2, time_limit=seconds)
    found = estimate(request, method=Method.LAYERS, folder=True, pilot_seconds=0.05)
    parts = {name: part for name, part in found.memory.items() if name != PROGRAM}
    stated = total_of(parts).about / 2**20 + 130  # of a process of its own
    assert peak / 1.5 < stated < 1.5 * peak


def test_the_memory_of_layers_has_an_end() -> None:
    data = read(np.random.default_rng(0).integers(0, 2, (80, 52)))
    one, usual, *long, none = [
        estimate(
            Request.of(data, jobs=2, time_limit=seconds), method=Method.LAYERS, pilot_seconds=0.05
        )
        .memory["cuts and members"]
        .about
        for seconds in (60.0, 120.0, 1e5, 1e6, None)
    ]
    assert usual == none == pytest.approx(2 * one)
    assert long == [long[0]] * 2
    assert usual < long[0] < GIB


def test_the_memory_of_layers_does_not_follow_the_number_of_families() -> None:
    random = np.random.default_rng(0)
    stated = []
    for states in (2, 5):
        data = read(random.integers(0, states, (80, 52)))
        request = Request.of(data, jobs=2)
        found = estimate(request, method=Method.LAYERS, pilot_seconds=0.05)
        stated.append(found.memory["cuts and members"].about)
    assert stated[0] == stated[1]
