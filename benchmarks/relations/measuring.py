"""Learn the best network from one sample with each set of relations.

The result of a job, by its key "network/records/repeat":

    {"variables": 8,
     "limit": 60.0,                   seconds that each run of learning was given
     "truth": {"arcs", "held_out"},   the number of arcs of the true network, and its mean
                                      log-likelihood of the held-out records, in nats
     "paper": {                       and so on for each set
       "complete", "proven",          whether all best networks, or at least one, are certain
       "count",                       how many networks have the least cost
       "optimum", "seconds",          the least cost; processor time
       "arcs", "cpdag_shd",           see against_truth.structure_measures
       "held_out_best",               mean log-likelihood per held-out record, smoothed, in nats
       "relations": {"noisy-or": 2}}} how many nodes have each relation except the full table

The records and the held-out records are those of the study's job of the same key. The sets that
were added later are measured apart from the others.
"""

import time
from collections import Counter
from collections.abc import Mapping

from benchmarks.harness.against_truth import structure_measures
from benchmarks.harness.learning_jobs import HELD_OUT_RECORDS, Job, seed_of
from benchmarks.harness.measuring import Results
from benchmarks.relations.plan import ADDED, RelationSet, sets_for
from noisyor import CPT, Dataset, Network, held_out, learn, sample_dataset

BEST_ALONE = 1.0  # the Bayes factor of networks that cost as little as the best one


def measure(job: Job, truth: Network, limit: float) -> Results:
    """Return the result of one job, in the format described above, without the added sets."""
    sets = {name: one for name, one in sets_for(job.network).items() if name not in ADDED}
    return measure_sets(job, truth, limit, sets)


def measure_added(job: Job, truth: Network, limit: float) -> Results:
    """Return the result of one job with the added sets alone."""
    sets = {name: one for name, one in sets_for(job.network).items() if name in ADDED}
    return measure_sets(job, truth, limit, sets)


def measure_sets(
    job: Job, truth: Network, limit: float, sets: Mapping[str, RelationSet]
) -> Results:
    """Learn from the job's sample with each of some sets."""
    records = sample_dataset(truth, job.records, seed=seed_of(job, "records"))
    fresh = sample_dataset(truth, HELD_OUT_RECORDS, seed=seed_of(job, "held out"))
    return {
        "variables": len(truth.names),
        "limit": limit,
        "truth": {
            "arcs": len(list(truth.structure.edges())),
            "held_out": round(held_out(truth, fresh).mean, 5),
        },
        **{name: _measure_set(truth, records, fresh, one, limit) for name, one in sets.items()},
    }


def _measure_set(
    truth: Network, records: Dataset, fresh: Dataset, competing: RelationSet, limit: float
) -> Results:
    started = time.process_time()
    learned = learn(
        records,
        BEST_ALONE,
        relations=competing.relations,
        score=competing.score,
        jobs=1,
        time_limit=limit,
        quiet=True,
        keep_constants=True,  # the truth has them
    )
    seconds = time.process_time() - started
    best = learned.best
    structure = structure_measures(truth.structure, best.structure)
    others = Counter(str(one.relation) for one in best.structure.families if one.relation != CPT)
    return {
        "complete": learned.complete,
        "proven": learned.credible.proven,
        "count": learned.count,
        "optimum": round(learned.optimum, 4),
        "seconds": round(seconds, 3),
        **{name: structure[name] for name in ("arcs", "cpdag_shd")},
        "held_out_best": round(held_out(best, fresh).mean_smoothed, 5),
        "relations": dict(sorted(others.items())),
    }
