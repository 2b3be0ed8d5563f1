"""Estimates before learning starts: families, memory and time.

The number of families is exact. Memory is one figure, the expected peak resident size of the
process; `benchmarks/results/memory.md` compares it with measured runs. Time is a range. Its ends
come from a trial of a few seconds (`scoring.pilot`) and from the errors of those trials on the
sixteen data sets of `benchmarks/results/estimate.md`. Cases that were never measured have no upper
end. The search is NP-hard, and nothing predicts it well.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from noisyor.core import BayesFactor, Dataset, Relation, SettingsError
from noisyor.core.machine import peak_memory, usable_memory
from noisyor.core.request import Request
from noisyor.core.variable_sets import word_count
from noisyor.runs.learned import Method
from noisyor.scoring.board import thread_count
from noisyor.scoring.child_search import MEMORY_BYTES
from noisyor.scoring.climbing import FEW_CLIMBERS
from noisyor.scoring.memory import (
    SAMPLED_OFF,
    TABLE,
    Amount,
    scoring_memory,
    table_bytes,
    total_of,
    waiting_bytes,
)
from noisyor.scoring.pilot import Pilot, pilot
from noisyor.scoring.workload import count_affordable, count_families
from noisyor.search.proof.optimum import DENSE, SMALL
from noisyor.search.table_search import default_memory

MOST_VARIABLES = 45
"""The most variables of the data sets that times were measured on."""

LARGEST_FACTOR = 20
"""The Bayes factor that times were measured with; a larger one admits many more members."""

PATIENCE = 120.0
"""Seconds of a run without a time limit that is not expected to end soon by itself."""

SUBSETS = "subsets of variables"
"""The name of the part of an estimate's memory that the memory limit bounds."""

_MIB = 2**20
BRIEF_TRIAL = 0.5  # seconds, to estimate the memory of a run
_TRIAL_SHARE = 0.05  # of a time limit
_GIB = 2**30
_SEARCH_OFF = 6.0  # factor by which the estimated time of a search by price may be off
_TABLE_SEARCH_OFF = 30.0  # likewise for the search of a table of more than DENSE variables


@dataclass(frozen=True, slots=True)
class Span:
    """The range of an expected figure; it has no upper end if nothing similar was measured."""

    least: float
    most: float | None

    @property
    def middle(self) -> float | None:
        """Return the geometric mean of the two ends."""
        return None if self.most is None else math.sqrt(self.least * self.most)

    def __add__(self, other: "Span") -> "Span":
        most = None if self.most is None or other.most is None else self.most + other.most
        return Span(self.least + other.least, most)


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected cost of learning.

    By relation, `families` is the number of families and `affordable` the number that scoring may
    have to evaluate, both exact. `kept` is about how many a complete table would have (by price,
    fewer are collected). `memory` and `seconds` are by purpose. Memory is that of the whole
    process, including what it already uses. The seconds assume a machine that is otherwise idle;
    `pilot_seconds` is the time of the trial by the clock.
    """

    variables: int
    records: int
    distinct_records: int
    bayes_factor: float
    method: Method
    families: Mapping[Relation, int]
    affordable: Mapping[Relation, int]
    kept: Mapping[Relation, float]
    memory: Mapping[str, Amount]
    seconds: Mapping[str, Span]
    pilot_seconds: float

    @property
    def total_memory(self) -> Amount:
        """The total memory; its `about` is the figure that is stated before a run."""
        return total_of(self.memory)

    @property
    def total_seconds(self) -> Span:
        """The total time."""
        return sum(self.seconds.values(), Span(0, 0))


# All measured: see benchmarks/results. Bytes of a report and its files, with the libraries that
# make them; bytes of a search with cuts, by a power of the number of families.
_FILES = Amount(30 * _MIB, 50 * _MIB, 120 * _MIB)
_EDGE_BYTES = 12
_REMEMBERED = 192 * _MIB  # by a climber, at most: 2^22 families, and half as many while it grows
_SEARCH_BYTES = 12.5 * _MIB
_SEARCH_POWER = 0.25
# In layers: bytes per variable and second of processor time, with up to so many distinct records,
# and of linear programs and prices once the climbers' memories are full.
_LAYERED_BYTES = 0.042 * _MIB
_LAYERED_RECORDS = 1000
_LAYERED_PROGRAMS = 256 * _MIB
_COLLECTED = 0.25  # largest share of a complete table's families that was collected by price
_MANY_TABLES = 2000  # full tables per variable; above this, cuts leave gaps that need the lattice

# Seconds of a trivial search, at least and about; of cuts where the whole lattice may be searched
# as well; of each subset of the lattice, on two threads, with the counting of members.
_LEAST = 0.01
_BRIEF = 0.1
_CUTS = 10.0
_SECONDS_A_SUBSET = 5e-6


def estimate(
    request: Request, *, method: Method, folder: bool = False, pilot_seconds: float = 2.0
) -> Estimate:
    """Return the expected cost of learning by table or by price, after a trial.

    Parameters
    ----------
    request
        What is to be learned, and within which limits.
    method
        By table or by price.
    folder
        Whether everything is written to a folder, with a report.
    pilot_seconds
        About how long the trial takes.

    """
    so_far = peak_memory()  # before the trial, whose memory the run uses again
    if method is Method.AUTO:
        raise ValueError("the method must not be AUTO, which `learn` resolves")
    data = request.data
    tried = pilot(request, seconds=pilot_seconds)
    memory = scoring_memory(data, request.constraints, tried, request.limits.jobs, so_far)
    if method is not Method.TABLE:
        del memory[TABLE]
        memory |= _pricing_memory(data, tried)
        layered = method is Method.LAYERS
        climbers = thread_count(request.limits.jobs) if layered else FEW_CLIMBERS
        memory["climbers"] = _climbing_memory(data, climbers, layered=layered)
    limit = request.limits.memory or default_memory()
    memory |= _search_memory(request, tried, method, limit)
    if folder:
        memory["report and files"] = _FILES
    return Estimate(
        variables=data.variable_count,
        records=data.record_count,
        distinct_records=len(data.weights),
        bayes_factor=request.factor.value,
        method=method,
        families=count_families(request),
        affordable=count_affordable(request),
        kept=tried.kept,
        memory=memory,
        seconds=_seconds(data.variable_count, request.factor, tried, method),
        pilot_seconds=tried.seconds,
    )


def refuse_if_too_large(expected: Estimate, memory_limit: int | None = None) -> None:
    """Refuse a run whose table does not fit into memory, and say what to change.

    Nothing else that grows can make a run impossible. The lattice of subsets and the cached fits
    keep to their limits, and the search goes on by other means where a limit is hit.
    """
    table = expected.memory.get(TABLE)
    there = memory_limit or usable_memory()
    if table is None or table.least <= there:
        return
    owner = "the memory limit is" if memory_limit else "there is room for"
    changes = [
        "a smaller Bayes factor",
        "fewer parents at most (max_parents)",
        "knowledge that leaves out edges (forbidden, tiers, roots, sinks)",
        "fewer columns",
    ]
    if len(expected.families) > 1:
        changes.insert(0, "the method 'price', which makes no table")
    raise SettingsError(
        f"a table of about {sum(expected.kept.values()):,.0f} families takes at least "
        f"{table.least / _GIB:.3g} GiB of memory, but {owner} {there / _GIB:.3g} GiB; what helps: "
        f"{', or '.join(changes)}"
    )


def refuse_without_room(expected: Estimate) -> None:
    """Refuse a run that needs more memory at least than this process may have.

    A library that gets no memory may abort or hang, so this must be found before the work.
    """
    needed, there = expected.total_memory.least, usable_memory()
    if needed > there:
        raise SettingsError(
            f"this run needs at least {math.ceil(needed / _MIB)} MiB of memory, but there is room "
            f"for {there // _MIB} MiB: a limit of the system (ulimit -v), of a container, or the "
            "machine's memory"
        )


def brief_trial(time_limit: float | None, seconds: float = BRIEF_TRIAL) -> float:
    """Return the seconds of a trial, shortened so that it takes little of a time limit."""
    return seconds if time_limit is None else min(seconds, _TRIAL_SHARE * time_limit)


def _climbing_memory(data: Dataset, climbers: int, *, layered: bool) -> Amount:
    """Return the bytes of climbers: copies of the records, and the families remembered.

    A climber has each record's codes and the bits of its states, and two numbers for each edge. In
    layers, what they remember is part of `_layered_bytes`.
    """
    states = sum(variable.state_count for variable in data.variables)
    records = len(data.weights) * (data.variable_count + states / 8)
    edges = _EDGE_BYTES * data.variable_count**2
    least = climbers * (records + edges)
    usual = 0.0 if layered else _REMEMBERED / 8
    return Amount(least, least + climbers * usual, least + climbers * _REMEMBERED)


def _pricing_memory(data: Dataset, tried: Pilot) -> dict[str, Amount]:
    """Return the bytes that are kept to answer prices.

    The expected size of families and fits is part of `_search_bytes`.
    """
    table = table_bytes(tried)
    parts = {
        "records of every child": waiting_bytes(data),
        "families": Amount(0, 0, _COLLECTED * (table.most or 0)),
    }
    if len(tried.kept) > 1:
        parts["fits remembered"] = Amount(0, 0, MEMORY_BYTES)
    return parts


def _search_memory(request: Request, tried: Pilot, method: Method, limit: int) -> dict[str, Amount]:
    """Return the bytes of the search: cuts, prices and members, and the lattice of subsets.

    Up to SMALL variables the whole lattice is searched. Up to DENSE it is searched where cuts leave
    a large gap, as they do where many full tables are kept. The memory of linear programs has no
    bound.
    """
    variables = request.data.variable_count
    lattice = min(limit, _lattice_bytes(variables))
    tables = sum(count for relation, count in tried.kept.items() if relation.closed_form)
    many = tables > _MANY_TABLES * variables
    if variables <= SMALL or (variables <= DENSE and many):
        return {SUBSETS: Amount(0, lattice, lattice)}
    about = _layered_bytes(request) if method is Method.LAYERS else _search_bytes(tried)
    if method is Method.TABLE and variables <= DENSE:
        about /= 2
    return {"cuts and members": Amount(0, about, None), SUBSETS: Amount(0, 0, lattice)}


def _layered_bytes(request: Request) -> float:
    """Return about how many bytes climbers and layers have come to hold when the time is over.

    They remember every family that they meet, so what they hold grows with the processor time; many
    records make each family slower. It ends where the climbers' memories are full. The number of
    families of a complete table says nothing about it: those of few parents come first.
    """
    data, limits = request.data, request.limits
    threads = thread_count(limits.jobs)
    seconds = threads * (PATIENCE if limits.seconds is None else limits.seconds)
    slower = max(1.0, math.sqrt(len(data.weights) / _LAYERED_RECORDS))
    grown = _LAYERED_BYTES * data.variable_count * seconds / slower
    return min(grown, threads * _REMEMBERED + _LAYERED_PROGRAMS)


def _search_bytes(tried: Pilot) -> float:
    """Return about how many bytes a search with cuts takes: a rule of thumb, fitted to eight runs.

    Cached fits, collected families, the linear programs of branches and the subsets reached all
    grow with the number of families that are nearly as good as others. Both constants are chosen
    so that the worst of these runs, in either direction, is off by about a factor of 2.
    """
    return _SEARCH_BYTES * math.pow(sum(tried.kept.values()), _SEARCH_POWER)


def _lattice_bytes(variables: int) -> int:
    """Return an upper bound on the bytes of all subsets in `cpp/search/lattice_layers.hpp`.

    A row is two sets, two distances and up to four slots of a hash table; the columns may have
    grown to twice their size. With few variables there are also tables of families.
    """
    row = 2 * 8 * word_count(variables) + 2 * 8 + 4 * 4
    tables = 4 * variables << (variables - 1) if variables <= DENSE else 0
    return ((3 * row // 2) << variables) + tables


def _seconds(variables: int, factor: BayesFactor, tried: Pilot, method: Method) -> dict[str, Span]:
    """Return the seconds by step, without an upper end where nothing similar was measured."""
    if method is Method.LAYERS:  # it goes on for as long as it may
        return {"climbing and layers": Span(_LEAST, None)}
    steps = {"full tables": _around(tried.table_seconds, SAMPLED_OFF)}
    if method is Method.PRICE:
        search = "prices and search"
        steps[search] = _around(_hardness(tried), _SEARCH_OFF)
    else:
        search = "search"
        if len(tried.kept) > 1:
            steps["independent causes"] = _around(tried.fit_seconds, SAMPLED_OFF)
        steps[search] = _table_search(variables, tried)
    if factor.untempered.value > LARGEST_FACTOR:
        steps[search] = Span(steps[search].least, None)
    if variables > MOST_VARIABLES:
        for step in steps.keys() - {"full tables"}:
            steps[step] = Span(0.0, None)
    return steps


def _table_search(variables: int, tried: Pilot) -> Span:
    """Return the seconds of searching a table."""
    if variables > DENSE:
        return _around(_hardness(tried), _TABLE_SEARCH_OFF)
    # The whole lattice at worst; if that is large, cuts are tried first.
    whole = 2.0**variables * _SECONDS_A_SUBSET
    return Span(_LEAST, _BRIEF + whole if variables <= SMALL else _CUTS + whole)


def _hardness(tried: Pilot) -> float:
    """Return about how many seconds a search takes: a rule of thumb, fitted to seven runs.

    Linear programs, prices and members all take longer the more families are nearly as good as
    others, and the more work it takes to compare them. The exponent is empirical.
    """
    families = sum(tried.kept.values())
    work = families * (tried.table_seconds + tried.fit_seconds)
    return 0.034 * math.pow(work, 0.4) + _BRIEF


def _around(figure: float, factor: float) -> Span:
    return Span(figure / factor, figure * factor)
