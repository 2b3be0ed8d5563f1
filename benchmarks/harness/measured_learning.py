"""Learn from one data set; return what was found, and the time and memory of each step."""

import time
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from benchmarks.harness.measuring import BAYES_FACTOR, RELATIONS, Results, read_dataset
from benchmarks.harness.resources import peak_mib
from benchmarks.harness.step_memory import StepMemory
from noisyor.core import CPT
from noisyor.core.credible_set import CredibleSet
from noisyor.core.relations import relation_of
from noisyor.core.request import Request
from noisyor.networks.relation_shares import RelationShares, relation_shares
from noisyor.pipeline import learn_request
from noisyor.runs.learned import Learned, Method
from noisyor.runs.plan import Plan
from noisyor.runs.work import ClimbedWork
from noisyor.scoring import SourceStatistics
from noisyor.search import PricingStatistics


def measure(path: Path, method: str, relations: str, limit: float, jobs: int) -> Results:
    """Learn from one data set in this process."""
    began = time.monotonic()
    memory = StepMemory("load")
    data = read_dataset(path)
    memory.enter("scoring")
    with memory.followed():
        request = Request.of(
            data, BAYES_FACTOR, relations=RELATIONS[relations], jobs=jobs, time_limit=limit
        )
        learned = learn_request(request, Plan(method=Method.of(method), began=began))
    memory.note()
    peak = max(memory.peaks.values(), default=peak_mib())
    return {
        "variables": data.variable_count,
        "records": data.record_count,
        "jobs": jobs,
        "limit": limit,
        "relations": relations,
        **found_by(learned),
        **work_of(learned),
        "memory_mib": {step: round(one, 1) for step, one in memory.peaks.items()},
        "peak_mib": peak,
    }


def found_by(learned: Learned) -> Results:
    """Return the optimum, its bounds and the size of the credible set."""
    credible = learned.credible
    return {
        "optimum": credible.optimum,
        "proven": credible.proven,
        "lower_bound": credible.lower_bound,
        "members": credible.count,
        "complete": credible.complete,
        "shortfalls": credible.shortfalls,
        "noisy_or": noisy_or_of(credible),
    }


def noisy_or_of(credible: CredibleSet) -> Results:
    """Return in what share of networks each node is a noisy-OR, of any or of several parents."""
    several = tuple(use for use in credible.families if use.family.parents.bit_count() > 1)
    without_others = replace(credible, families=several, sampling=None)
    return {
        "any_parents": _shares(relation_shares(credible)),
        "several_parents": _shares(relation_shares(without_others)),
        "in_best": sum(family.relation is not CPT for family in credible.best.families),
    }


def _shares(shares: RelationShares) -> Results:
    return {
        "nodes": shares.nodes,
        "average_percent": shares.average_percent,
        "maximum_percent": shares.maximum_percent,
        "percent_by_node": {name: round(100 * one, 4) for name, one in shares.fractions.items()},
    }


def work_of(learned: Learned) -> Results:
    """Return the statistics of each step, and its time."""
    search = None if learned.work is None else learned.work.search
    priced = learned.work if isinstance(learned.work, ClimbedWork) else None
    return {
        "method": str(learned.method),
        "families": considered_families(learned),
        "search": None if search is None else asdict(search),
        "pricing": _or_none(priced.pricing if priced else None),
        "source": _or_none(priced.source if priced else None),
        "fits": fits_of(learned),
        "seconds": dict(learned.seconds),
    }


def _or_none(statistics: PricingStatistics | SourceStatistics | None) -> Results | None:
    return None if statistics is None else asdict(statistics)


def considered_families(learned: Learned) -> Results | None:
    """Return how many families were considered, evaluated and kept."""
    if learned.work is None or learned.table is None:
        return None
    return cast("Results", learned.work.summary(learned.table)["families"])


def fits_of(learned: Learned) -> Results:
    """Return the number of noisy-OR fits made, and of those reused from an earlier round."""
    work = learned.work
    if work is None:
        return {"made": 0, "remembered": 0}
    if isinstance(work, ClimbedWork):
        source = work.source or SourceStatistics()
        return {"made": source.fits, "remembered": source.remembered}
    relations = work.scoring.relations.items()
    parts = [one for relation, one in relations if not relation.closed_form]
    return {"made": sum(one.evaluated + one.bounds for one in parts), "remembered": 0}


def families_by_relation(learned: Learned) -> Results | None:
    """Return how many families of each relation the search was given."""
    if learned.table is None:
        return None
    counts = Counter(learned.table.columns.relations.tolist())
    return {str(relation_of(code)): counts[code] for code in sorted(counts)}
