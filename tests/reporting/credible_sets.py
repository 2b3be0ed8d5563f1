"""Credible sets to report: a small one that can be worked out by hand, and a large one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import exp
from operator import itemgetter

import numpy as np

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    CredibleSet,
    Dataset,
    Family,
    InfeasibleFitError,
    Relation,
    Structure,
    Variable,
)
from noisyor.core.credible_set import FamilyUse, Labels, MemberBatch
from noisyor.core.relations import (
    LEAKY_NOISY_AND,
    NOISY_AND,
    SIGNED_NOISY_AND,
    SIGNED_NOISY_OR,
    all_relations,
)
from noisyor.core.sampling import Sampling
from noisyor.fitting import fit

NAMES = ("flu", "cold", "cough")


class Listed:
    """Members that are all listed, the best first."""

    def __init__(self, rows: Sequence[Sequence[int]], costs: Sequence[float]) -> None:
        self._rows, self._costs = np.array(rows, dtype=np.uint32), np.array(costs)

    def stream(self) -> Iterator[MemberBatch]:
        yield MemberBatch(self._rows, self._costs)

    def best(self, most: int) -> MemberBatch:
        return MemberBatch(self._rows[:most], self._costs[:most])

    def costliest(self) -> MemberBatch:
        return MemberBatch(self._rows[-1:], self._costs[-1:])

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        if size:
            raise NotImplementedError(f"a sample of {size} (seed {seed}, weighted: {weighted})")
        return MemberBatch(self._rows[:0], self._costs[:0])


def small_data(names: tuple[str, ...] = NAMES) -> Dataset:
    """Return 16 records: flu makes 3 of 4 cough, cold 2 of 4, and nobody has both."""
    # bit 0 flu, bit 1 cold, bit 2 cough
    counts = {0b000: 8, 0b001: 1, 0b010: 2, 0b101: 3, 0b110: 2}
    return Dataset.from_bits(
        names,
        np.array([[row] for row in counts], dtype=np.uint64),
        np.array(list(counts.values())),
        (("no", "yes"), ("no", "yes"), ("quiet", "loud")),
    )


def small_set(
    data: Dataset,
    relation: Relation = NOISY_OR,
    shortfalls: tuple[str, ...] = (),
    lower_bound: float | None = None,
) -> CredibleSet:
    """Return four networks: cold has flu as a parent or not, cough is a noisy-OR or a table."""
    families = (
        Family(0, 0),
        Family(1, 0),
        Family(1, 0b001),
        Family(2, 0b011, relation),
        Family(2, 0b011, CPT),
    )
    costs = [fit(data, family).cost for family in families]
    shares = ((4, 1.0), (2, 0.75), (2, 0.25), (2, 0.9), (2, 0.1))
    rows = [[0, 1, 3], [0, 2, 3], [0, 1, 4], [0, 2, 4]]
    totals = [sum(costs[place] for place in row) for row in rows]
    return CredibleSet(
        names=data.names,
        bayes_factor=BayesFactor(20),
        labels=Labels.ALL,
        best=Structure(data.names, tuple(families[place] for place in rows[0])),
        optimum=totals[0],
        lower_bound=totals[0] if lower_bound is None else lower_bound,
        count=4,
        families=tuple(
            FamilyUse(family, cost, networks, weight, totals[0])
            for family, cost, (networks, weight) in zip(families, costs, shares, strict=True)
        ),
        members=Listed(rows, totals),
        shortfalls=shortfalls,
    )


def sampled_set(data: Dataset) -> CredibleSet:
    """Return the small set as if it had been sampled: 40 draws of two chains, in four batches."""
    # The families of cold and cough by batch; flu has one family.
    draws = ((10, 8, 2, 9, 1), (10, 7, 3, 9, 1), (10, 8, 2, 10, 0), (10, 7, 3, 8, 2))
    sampling = Sampling(
        seed=1,
        chains=2,
        spacing=1,
        times=np.array([27, 9, 3, 1]),
        r_hat=1.0123,
        effective=31.4,
        batches=np.array(draws),
    )
    return replace(small_set(data), shortfalls=("the networks were sampled",), sampling=sampling)


def large_set(count: int = 30, each: int = 14, records: int = 300) -> tuple[CredibleSet, Dataset]:
    """Return a set over many variables, with many families of up to five parents at each."""
    random = np.random.default_rng(7)
    cells = random.random((records, count)) < 0.4
    packed = (cells.astype(np.uint64) << np.arange(count, dtype=np.uint64)).sum(axis=1)
    rows, weights = np.unique(packed, return_counts=True)
    names = tuple(f"variable number {at}" for at in range(count))
    data = Dataset.from_bits(names, rows.reshape(-1, 1), weights.astype(np.int64))
    uses: list[FamilyUse] = []
    places: list[list[int]] = []
    for child in range(count):
        own = {Family(child, 0)}
        while len(own) < min(each, 2**child):
            size = int(random.integers(1, 1 + min(5, child)))
            above = random.choice(child, size, replace=False).tolist()
            # A leak, because in random records no causes explain everything.
            relation = LEAKY_NOISY_OR if random.random() < 0.5 else CPT
            own.add(Family(child, sum(1 << one for one in above), relation))
        places.append(list(range(len(uses), len(uses) + len(own))))
        costs = sorted(((fit(data, family).cost, family) for family in own), key=itemgetter(0))
        total = sum(exp(costs[0][0] - cost) for cost, _ in costs)
        uses.extend(
            FamilyUse(family, cost, 1 + at, exp(costs[0][0] - cost) / total, 0.0)
            for at, (cost, family) in enumerate(costs)
        )
    chosen = [[own[0] for own in places]]
    chosen += [[int(random.choice(own)) for own in places] for _ in range(59)]
    totals = [sum(uses[place].cost for place in row) for row in chosen]
    order = sorted(range(60), key=lambda at: totals[at])
    best = Structure(names, tuple(uses[place].family for place in chosen[0]))
    credible = CredibleSet(
        names,
        BayesFactor(20),
        Labels.BEST,
        best,
        totals[0],
        totals[0],
        10**6,
        tuple(uses),
        Listed([chosen[at] for at in order], [totals[at] for at in order]),
    )
    return credible, data


def wide_set(count: int, records: int = 150) -> tuple[CredibleSet, Dataset]:
    """Return a set over very many variables: a random graph with a hub, two families at most nodes.

    The hub is variable 5. The heavier family of a node has three quarters of its weight; the
    members of the set differ in which family a few nodes have.
    """
    random = np.random.default_rng(11)
    cells = (random.random((records, count)) < 0.4).astype(np.uint8)
    rows, weights = np.unique(cells[:, ::-1], axis=0, return_counts=True)
    variables = tuple(Variable(f"sensor {at}", ("off", "on")) for at in range(count))
    data = Dataset(variables, np.ascontiguousarray(rows[:, ::-1]), weights.astype(np.int64))
    uses: list[FamilyUse] = []
    places: list[list[int]] = []
    for child in range(count):
        above = random.choice(child, min(child, 2), replace=False).tolist()
        if child % 9 == 0:
            above = []
        elif child > 5 and child % 7 == 0:
            above[0] = 5
        parents = sum(1 << one for one in set(above))
        # A leak, because in random records no causes explain everything.
        heavy = Family(child, parents, LEAKY_NOISY_OR if parents and child % 2 else CPT)
        # The lighter family has one parent less, or another one.
        other = 1 << int(random.integers(child)) if parents and child % 3 else 0
        light = Family(child, parents & (parents - 1) | other)
        own = list(dict.fromkeys((heavy, light)))
        shares = (0.75, 0.25) if len(own) > 1 else (1.0,)
        places.append(list(range(len(uses), len(uses) + len(own))))
        uses += (
            FamilyUse(one, fit(data, one).cost, 1, share, 0.0)
            for one, share in zip(own, shares, strict=True)
        )
    chosen = [[own[0] for own in places]]
    chosen += [[own[-1] if random.random() < 0.05 else own[0] for own in places] for _ in range(19)]
    optimum = sum(uses[place].cost for place in chosen[0])
    credible = CredibleSet(
        names=data.names,
        bayes_factor=BayesFactor(20),
        labels=Labels.BEST,
        best=Structure(data.names, tuple(uses[place].family for place in chosen[0])),
        optimum=optimum,
        lower_bound=optimum,
        count=10**6,
        families=tuple(uses),
        members=Listed(chosen, [optimum + at / 100 for at in range(len(chosen))]),
    )
    return credible, data


def clinic_data() -> Dataset:
    """Return 300 records of variables with two, three and twelve states; nobody is in ward 11."""
    random = np.random.default_rng(7)
    count = 300
    smoking, vaccine = random.integers(0, 3, count), random.integers(0, 2, count)
    by_smoking = np.where(random.random(count) < 0.3 * smoking, 1 + random.integers(0, 2, count), 0)
    by_lack = np.where((vaccine == 0) & (random.random(count) < 0.4), 1, 0)
    severity = np.maximum(by_smoking, by_lack)
    ward = random.integers(0, 9, count) + smoking
    lacking = (severity < 2) & (random.random(count) < 0.6) | (random.random(count) < 0.2)
    columns = [smoking, vaccine, severity, 1 - lacking, ward]
    rows, weights = np.unique(np.stack(columns[::-1], axis=1), axis=0, return_counts=True)
    return Dataset(
        (
            Variable("smoking", ("never", "light", "heavy"), ordered=True),
            Variable("vaccine", ("no", "yes")),
            Variable("severity", ("none", "mild", "severe"), ordered=True),
            Variable("admission", ("no", "yes")),
            Variable("ward", tuple(f"w{number}" for number in range(12))),
        ),
        np.ascontiguousarray(rows[:, ::-1]).astype(np.uint8),
        weights.astype(np.int64),
    )


def clinic_set(data: Dataset) -> CredibleSet:
    """Return networks that differ in the relation at the severity or at the admission."""
    severity = [Family(2, 0b00011, one) for one in (SIGNED_NOISY_OR, *all_relations())]
    admission = [
        Family(3, 0b10100, LEAKY_NOISY_OR),
        *(Family(3, 0b00110, one) for one in (NOISY_AND, LEAKY_NOISY_AND, SIGNED_NOISY_AND)),
    ]
    others = [Family(0, 0), Family(1, 0), Family(4, 0b00001)]
    possible = [*others, *dict.fromkeys(severity), *admission]
    families = [one for one in possible if _fits(data, one)]
    costs = [fit(data, family).cost for family in families]
    own = {child: [at for at, one in enumerate(families) if one.child == child] for child in (2, 3)}
    rows = [[0, 1, at, other, 2] for at in own[2] for other in own[3]]
    totals = [sum(costs[place] for place in row) for row in rows]
    rows = [row for _, row in sorted(zip(totals, rows, strict=True))]
    totals.sort()
    counts = [sum(at in row for row in rows) for at in range(len(families))]
    uses = tuple(
        FamilyUse(family, cost, count, count / len(rows), 0.0)
        for family, cost, count in zip(families, costs, counts, strict=True)
    )
    return CredibleSet(
        names=data.names,
        bayes_factor=BayesFactor(1e300),
        labels=Labels.ALL,
        best=Structure(data.names, tuple(families[place] for place in rows[0])),
        optimum=totals[0],
        lower_bound=totals[0],
        count=len(rows),
        families=uses,
        members=Listed(rows, totals),
    )


def _fits(data: Dataset, family: Family) -> bool:
    try:
        fit(data, family)
    except InfeasibleFitError:
        return False
    return True
