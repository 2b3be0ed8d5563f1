"""Learn from one data set; return what was found, and the time and memory of each step."""

import time
from dataclasses import asdict, replace
from pathlib import Path

from benchmarks.harness.measuring import BAYES_FACTOR, RELATIONS, Results, read_dataset
from benchmarks.harness.resources import peak_mib
from benchmarks.harness.step_memory import StepMemory
from noisyor.core import CPT
from noisyor.core.credible_set import CredibleSet
from noisyor.networks.relation_shares import RelationShares, relation_shares
from noisyor.pipeline import learn
from noisyor.runs.learned import Learned
from noisyor.runs.summaries import priced_families, scored_families


def measure(path: Path, method: str, relations: str, limit: float, jobs: int) -> Results:
    """Learn from one data set in this process."""
    began = time.monotonic()
    memory = StepMemory("load")
    data = read_dataset(path)
    memory.enter("scoring")
    with memory.followed():
        learned = learn(
            data,
            BAYES_FACTOR,
            relations=RELATIONS[relations],
            method=method,
            jobs=jobs,
            time_limit=limit,
            began=began,
        )
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
    return {
        "any_parents": _shares(relation_shares(credible)),
        "several_parents": _shares(relation_shares(replace(credible, families=several))),
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
    search, pricing, source = learned.search, learned.pricing, learned.source
    return {
        "method": str(learned.method),
        "families": considered_families(learned),
        "search": None if search is None else asdict(search),
        "pricing": None if pricing is None else asdict(pricing),
        "source": None if source is None else asdict(source),
        "fits": fits_of(learned),
        "seconds": dict(learned.seconds),
    }


def considered_families(learned: Learned) -> Results | None:
    """Return how many families were considered, evaluated and kept."""
    if learned.scoring is not None:
        return scored_families(learned.scoring)
    if learned.source is not None and learned.table is not None:
        return priced_families(learned.table, learned.source.evaluated)
    return None


def fits_of(learned: Learned) -> Results:
    """Return the number of noisy-OR fits made, and of those reused from an earlier round."""
    if learned.source is not None:
        return {"made": learned.source.fits, "remembered": learned.source.remembered}
    if learned.scoring is None:
        return {"made": 0, "remembered": 0}
    parts = [one for relation, one in learned.scoring.relations.items() if relation is not CPT]
    return {"made": sum(one.evaluated + one.bounds for one in parts), "remembered": 0}
