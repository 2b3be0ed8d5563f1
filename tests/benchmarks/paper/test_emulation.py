"""The emulation of the published code does what its description says, and nothing else."""

import json
from itertools import combinations, product
from math import log, prod
from pathlib import Path

import numpy as np
import pytest

from benchmarks.harness.measured_learning import noisy_or_of
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from benchmarks.paper.table2.emulation.candidates import Candidate, Scorer
from benchmarks.paper.table2.emulation.departures import NONE, TOGETHER, Departure
from benchmarks.paper.table2.emulation.descent import Observed, descend, misfit, slopes
from benchmarks.paper.table2.emulation.merging import Entry, charged, merged
from benchmarks.paper.table2.emulation.page import emulation_section
from benchmarks.paper.table2.emulation.plan import Case, all_cases
from benchmarks.paper.table2.emulation.running import TableOrder, emulate
from benchmarks.paper.table2.statistics import PAPER, Row
from benchmarks.race.published_scorer import published_scorer
from noisyor import Dataset, learn, read
from noisyor.data.examples import load_example

SLACK = log(BAYES_FACTOR)


def observed(random: np.random.Generator, families: int, k: int) -> Observed:
    absent, present = random.integers(0, 6, (2, families, 2**k)).astype(float)
    present[:, 0] = 0
    return Observed(absent, present)


def small_data(seed: int) -> Dataset:
    """Return records in which the last variable is a noisy-OR, with some noise."""
    random = np.random.default_rng(seed)
    causes = random.random((60, 4)) < 0.5
    effect = (causes[:, :2] & (random.random((60, 2)) < 0.8)).any(axis=1)
    return read(np.column_stack([causes, effect]).astype(int), names=list("abcde"))


class NaiveFamily:
    """One family in plain Python, as the description has it."""

    def __init__(self, absent: list[float], present: list[float]) -> None:
        k = (len(absent) - 1).bit_length()
        self.kinds = [kind[::-1] for kind in product((0, 1), repeat=k)]
        self.shares = [
            (a / (a + p), p / (a + p)) if a + p else (0.0, 0.0)
            for a, p in zip(absent, present, strict=True)
        ]

    def divergence(self, q: list[float]) -> float:
        def logarithm(value: float) -> float:
            return log(value) if value > 0 else -10_000.0

        return -sum(
            a * logarithm(chance(q, kind)) + p * logarithm(1 - chance(q, kind))
            for kind, (a, p) in zip(self.kinds, self.shares, strict=True)
        )

    def slope(self, q: list[float], t: int) -> float:
        total = 0.0
        for kind, (a, p) in zip(self.kinds, self.shares, strict=True):
            if kind[t]:
                zero, one = chance(q, kind), 1 - chance(q, kind)
                total += chance(q, kind, but=t) * (p / (one or 0.0001) - a / (zero or 0.0001))
        return total

    def step(self, q: list[float]) -> list[float]:
        direction = [-self.slope(q, t) for t in range(len(q))]
        best, chosen = self.divergence(q), 0.0
        for halvings in range(20):
            tried = [one + way / 2**halvings for one, way in zip(q, direction, strict=True)]
            if all(0 <= one <= 1 for one in tried) and self.divergence(tried) < best:
                best, chosen = self.divergence(tried), 1 / 2**halvings
        return [chosen * way for way in direction]


def chance(q: list[float], kind: tuple[int, ...], but: int | None = None) -> float:
    return prod(one for t, one in enumerate(q) if kind[t] and t != but)


def naive_descent(absent: list[float], present: list[float], start: list[float]) -> list[float]:
    family, q = NaiveFamily(absent, present), list(start)
    for _ in range(10_000):
        step = family.step(q)
        q = [one + way for one, way in zip(q, step, strict=True)]
        if sum(way**2 for way in step) ** 0.5 <= 0.00001:
            break
    return q


@pytest.mark.parametrize("k", [1, 2, 3])
def test_slopes_are_those_of_the_divergence(k: int) -> None:
    random = np.random.default_rng(k)
    shares = Observed(*observed(random, 5, k).shares())
    q = random.uniform(0.2, 0.8, (5, k))
    for t in range(k):
        shift = np.zeros(k)
        shift[t] = 1e-6
        rise = misfit(shares, q + shift) - misfit(shares, q - shift)
        assert slopes(shares, q)[:, t] == pytest.approx(rise / 2e-6, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_descents_together_are_those_one_by_one(k: int) -> None:
    random = np.random.default_rng(10 + k)
    records = observed(random, 12, k)
    start = random.uniform(0, 1, (12, k))
    start[:6, -1] = 0  # as a new parent begins
    found = descend(records, start)
    for row, (absent, present) in enumerate(zip(records.absent, records.present, strict=True)):
        naive = naive_descent(absent.tolist(), present.tolist(), start[row].tolist())
        assert found[row] == pytest.approx(naive, abs=1e-7)


def test_one_q_at_zero_freezes_the_others() -> None:
    # The first parent never fails, so its q stays at 0; the second one's best q is 1/2.
    records = Observed(np.array([[5.0, 0, 4, 0]]), np.array([[0.0, 6, 4, 6]]))
    assert descend(records, np.array([[0.0, 0.9]])).tolist() == [[0.0, 0.9]]
    failing = Observed(records.absent + np.array([[0, 2, 0, 1]]), records.present)
    moved = descend(failing, np.array([[0.0, 0.9]]))
    assert moved[0] == pytest.approx([0.25, 0.5], abs=0.05)


def test_a_contradicted_record_costs_ten_thousand() -> None:
    records = Observed(np.array([[1.0, 0]]), np.array([[2.0, 3]]))
    assert misfit(records, np.array([[0.5]])) == pytest.approx(20_000 + 3 * log(2))


def naive_candidates(data: Dataset, child: int, slack: float) -> list[Candidate]:
    """Write the candidates of a child with a queue and a map of all costs."""
    unit = log(data.record_count) / 2
    effect, weights = data.codes[:, child], data.weights
    present = float(weights[effect == 1].sum())
    both = (present, data.record_count - present)
    costs: dict[tuple[int, ...], float] = {}
    costs[()] = -sum(n * log(n / data.record_count) for n in both) + unit
    queue: list[tuple[tuple[int, ...], list[float]]] = [((), [])]
    found = []
    while queue:
        made = []
        for below, q in queue:
            for added in range(max(below, default=-1) + 1, data.variable_count):
                some = (*below, added)
                if added == child:
                    continue
                parts = [part for k in range(len(some)) for part in combinations(some, k)]
                known = [costs[part] for part in parts if part in costs]
                if any(cost < 2 ** len(some) * unit - slack for cost in known):
                    continue
                counts = np.zeros((2, 2 ** len(some)))
                for row, weight in zip(data.codes, weights, strict=True):
                    kind = sum(int(row[v]) << t for t, v in enumerate(some))
                    counts[int(row[child]), kind] += weight
                fitted = naive_descent(counts[0].tolist(), counts[1].tolist(), [*q, 0.0])
                fit = float(misfit(Observed(counts[:1], counts[1:]), np.array([fitted]))[0])
                if fit + 2 ** len(some) * unit < min([10_000.0, *known]) + slack:
                    costs[some] = fit + 2 ** len(some) * unit
                    found.append(Candidate(sum(1 << v for v in some), fit))
                made.append((some, fitted))
        queue = made[::-1]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_candidates_are_written_as_with_a_queue(seed: int) -> None:
    data = small_data(seed)
    for child in range(data.variable_count):
        naive = naive_candidates(data, child, SLACK)
        found = Scorer(data, child, SLACK, by_descent=True).written()
        assert [one.parents for one in found] == [one.parents for one in naive]
        assert [one.misfit for one in found] == pytest.approx([one.misfit for one in naive])


def test_refitting_prunes_nothing_and_starts_from_prefixes() -> None:
    data = small_data(1)
    sets = [0b1101, 0b0011]
    found = Scorer(data, 4, SLACK, by_descent=True).refitted(sets)
    assert [one.parents for one in found] == sets
    best = Scorer(data, 4, SLACK, by_descent=False)
    pair = best.refitted([0b0011])[0]
    assert found[1].misfit >= pair.misfit - 1e-9


def noisy_or(parents: int, cost: float) -> Entry:
    return Entry(parents, cost, is_noisy_or=True)


def full_table(parents: int, cost: float) -> Entry:
    return Entry(parents, cost, is_noisy_or=False)


def test_merging_takes_the_cheaper_relation_of_the_same_parents() -> None:
    tables = [full_table(0b011, 10.0), full_table(0b110, 8.0)]
    noisy_ors = [noisy_or(0b011, 9.0), noisy_or(0b110, 8.0)]
    assert merged(tables, noisy_ors, SLACK, NONE) == [noisy_ors[0], tables[1]]


def test_merging_strictly_forgets_the_slack() -> None:
    tables, noisy_ors = [full_table(0, 10.0)], [noisy_or(0b11, 10.0 + SLACK / 2)]
    assert merged(tables, noisy_ors, SLACK, NONE) == [*noisy_ors, *tables]
    assert merged(tables, noisy_ors, SLACK, Departure.STRICT) == tables


def test_merging_passes_over_the_entry_after_a_removed_one() -> None:
    table = full_table(0, 10.0)
    bad = [noisy_or(0b011, 20.0), noisy_or(0b101, 20.0), noisy_or(0b110, 20.0)]
    assert merged([table], bad, SLACK, NONE) == [table]
    assert merged([table], bad, SLACK, Departure.SKIPPING) == [bad[1], table]


def test_merging_leaves_single_parents_out_on_purpose_only() -> None:
    table, single = full_table(0, 10.0), noisy_or(0b1, 5.0)
    assert merged([table], [single], SLACK, NONE) == [single, table]
    assert merged([table], [single], SLACK, Departure.SEVERAL) == [table]


def test_an_exclusive_or_charges_nearly_all_of_two_to_the_k() -> None:
    unit = log(100) / 2
    for k, parameters in ((2, 6), (3, 10), (4, 14)):
        one = Candidate((1 << k) - 1, 7.0)
        assert charged(one, 100, NONE).cost == pytest.approx(7 + k * unit)
        charged_wrongly = charged(one, 100, Departure.EXCLUSIVE).cost
        assert charged_wrongly == pytest.approx(7 + parameters * unit)


def test_without_departures_the_emulation_is_exact() -> None:
    data = load_example("clinic")
    learned = learn(data, BAYES_FACTOR, relations="paper", quiet=True)
    shares = noisy_or_of(learned.credible)["any_parents"]
    found = emulate(data, NONE)
    assert found["members"] == learned.count
    assert found["optimum"] == pytest.approx(learned.optimum)
    assert found["nodes"] == shares["nodes"]
    assert found["average_percent"] == pytest.approx(shares["average_percent"])


def test_departures_can_only_worsen_the_optimum() -> None:
    data = small_data(2)
    exact = emulate(data, NONE)["optimum"]
    for one in (*TOGETHER, TOGETHER):
        assert emulate(data, one, TableOrder.SIZE)["optimum"] >= exact - 1e-9


def emulated(nodes: int, **changes: object) -> Results:
    result: Results = {"complete": True, "nodes": nodes, "average_percent": 50.0}
    more = {"maximum_percent": 90.0, "members": 7, "optimum": 100.0}
    work = {"made": 200, "fitted": 100, "scoring_seconds": 2.0}
    return result | more | work | changes


def exact_row(nodes: int) -> Row:
    shares = {"nodes": nodes, "average_percent": 80.0, "maximum_percent": 100.0}
    both = {
        "complete": True,
        "members": 7,
        "optimum": 100.0,
        "noisy_or": {"any_parents": shares},
    }
    return Row("zoo", PAPER["zoo"], both, None)


def test_the_page_has_paper_emulation_and_exact_side_by_side() -> None:
    stored = {
        Case("zoo", TOGETHER).key: emulated(7),
        Case("zoo", TOGETHER, TableOrder.SIZE).key: emulated(6),
        Case("zoo", NONE).key: emulated(13),
        Case("zoo", Departure.DESCENT).key: emulated(12),
        Case("zoo", TOGETHER | Departure.EXCLUSIVE).key: emulated(0),
    }
    page = emulation_section([exact_row(13)], stored)
    assert "| zoo | 7 | 7 | 13 | 41.9 | 50.0 | 80.0 | 99.4 | 90.0 | 100.0 |" in page
    assert "the paper's number of nodes in 1, and differs by 0 at most" in page
    assert "the exact numbers differ by 6 in total" in page
    assert "of the exact search (zoo)." in page
    assert "| descent alone | 12 | 50.0 | 100.00 |" in page
    assert "the fewest nodes with a single one are 12 (zoo)." in page
    assert "it selects no noisy-OR (zoo)" in page
    assert "the same in 0 of 1 data sets, and otherwise 6 (zoo)." in page


def test_an_incomplete_emulation_is_not_shown() -> None:
    stored = {Case("zoo", TOGETHER).key: emulated(7, complete=False)}
    assert emulation_section([exact_row(13)], stored) == ""


def test_the_stand_in_for_the_scorer_is_labelled(tmp_path: Path) -> None:
    fitting = tmp_path / "fitting.json"
    fitting.write_text(json.dumps({"fitters": {"newton": {"fits_per_second": 5000}}}))
    stored = {
        Case("zoo", TOGETHER).key: emulated(7),
        Case("msnbc", TOGETHER).key: emulated(0, fitted=0),
    }
    page = published_scorer(stored, fitting)
    assert "msnbc" not in page
    assert "stand-in" in page
    assert "| zoo | 200 | 100 | 2.0 | 50 | 100 |" in page
    assert published_scorer({}, fitting) == ""


def test_no_case_has_the_key_of_another() -> None:
    keys = [case.key for case in all_cases()]
    assert len(set(keys)) == len(keys)
