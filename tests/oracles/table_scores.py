"""Scores of full tables, record by record: slow twins of marginal likelihoods and of qNML."""

from decimal import Decimal, localcontext
from functools import cache
from math import log, prod

from noisyor.core import Dataset
from noisyor.core.variable_sets import variables_in
from tests.oracles.families import Records


def marginal_cost(data: Dataset, child: int, parents: int, score: str, size: float) -> float:
    """Return minus the logarithm of the chance of the records, each predicted from those before.

    The score is bdeu, bds or k2, which starts each state of each row with one record.
    """
    records = Records.of(data)
    members = list(variables_in(parents))
    states = records.states[child]
    rows = {tuple(row[v] for v in members) for row, _ in records.rows}
    shares = {"bdeu": prod(records.states[v] for v in members), "bds": len(rows)}
    start = 1.0 if score == "k2" else size / (shares[score] * states)
    seen: dict[tuple[int, ...], list[int]] = {}
    cost = 0.0
    for row, weight in records.rows:
        counts = seen.setdefault(tuple(row[v] for v in members), [0] * states)
        for _ in range(weight):
            cost -= log((counts[row[child]] + start) / (sum(counts) + states * start))
            counts[row[child]] += 1
    return cost


def regret(records: int, values: int) -> float:
    """Return ln C(N, K) by the recurrence of Kontkanen and Myllymäki, from K = 2 on."""
    if values == 1:
        return 0.0
    before, last = 1.0, _normalizer_of_two(records)
    for k in range(1, values - 1):
        before, last = last, last + records / k * before
    return log(last)


@cache
def _normalizer_of_two(records: int) -> float:
    """Return C(N, 2), the sum over h of comb(N, h) (h/N)^h (1 - h/N)^(N - h).

    It is summed with 50 digits, of which the rounding of N terms takes about five. Exact fractions
    would take minutes: with 30,000 records their powers have 130,000 digits.
    """
    with localcontext() as context:
        context.prec = 50
        ways, total, all_of_them = Decimal(1), Decimal(0), Decimal(records)
        for h in range(records + 1):
            share = h / all_of_them
            total += ways * _power(share, h) * _power(1 - share, records - h)
            ways = ways * (records - h) / (h + 1)
        return float(total)


def _power(base: Decimal, exponent: int) -> Decimal:
    return base**exponent if exponent else Decimal(1)


def qnml_cost(data: Dataset, child: int, parents: int) -> float:
    """Return -ln L of the best table, and the regret of its family over that of its parents."""
    records = Records.of(data)
    members = list(variables_in(parents))
    cells: dict[tuple[int, ...], dict[int, int]] = {}
    for row, weight in records.rows:
        cell = cells.setdefault(tuple(row[v] for v in members), {})
        cell[row[child]] = cell.get(row[child], 0) + weight
    configurations = prod(records.states[v] for v in members)
    cost = regret(records.total, records.states[child] * configurations)
    cost -= regret(records.total, configurations)
    for cell in cells.values():
        for count in cell.values():
            cost -= count * log(count / sum(cell.values()))
    return cost
