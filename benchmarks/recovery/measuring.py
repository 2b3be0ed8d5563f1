"""Learn from a sample of a network of many variables, and say what was proven.

The result of a job, by its key "network/records/repeat":

    {"variables": 100,
     "limit": 60.0,                    seconds of processor time for learning
     "truth": {"arcs"},                the number of arcs of the true network
     "learned": {
       "complete", "proven",           whether all best networks, or at least one, are certain
       "count", "method",              how many best networks are known, and how they were sought
       "optimum", "lower_bound",       costs of the best network found and of any, in nats; the
                                       bound is None where it says next to nothing
       "layers",                       the most parents for which the best network is proven; 0
                                       if the proof did not go by numbers of parents
       "seconds",                      processor time
       "arcs", "missing", "extra",     arcs found; joined pairs that are missing, or not true
       "cpdag_shd"}}                   see against_truth.structure_measures
"""

import time
from itertools import takewhile

from benchmarks.harness.against_truth import structure_measures
from benchmarks.harness.learning_jobs import Job, seed_of
from benchmarks.harness.measuring import Results
from benchmarks.harness.processor_clock import processor_clock
from benchmarks.recovery.plan import RELATIONS
from noisyor import Network, Structure, learn, sample_dataset

BEST_ALONE = 1.0  # the Bayes factor of networks that cost as little as the best one


def measure(job: Job, truth: Network, limit: float) -> Results:
    """Return the result of one job, in the format described above."""
    records = sample_dataset(truth, job.records, seed=seed_of(job, "records"))
    began = time.process_time()
    with processor_clock():
        learned = learn(
            records,
            BEST_ALONE,
            relations=RELATIONS,
            jobs=1,
            time_limit=limit,
            quiet=True,
            keep_constants=True,  # the truth has them
        )
    seconds = time.process_time() - began
    credible = learned.credible
    structure = structure_measures(truth.structure, credible.best)
    proven = list(takewhile(lambda layer: layer.proven, credible.layers))
    return {
        "variables": len(truth.names),
        "limit": limit,
        "truth": {"arcs": len(list(truth.structure.edges()))},
        "learned": {
            "complete": learned.complete,
            "proven": credible.proven,
            "count": credible.count,
            "method": str(learned.method),
            "optimum": round(credible.optimum, 4),
            "lower_bound": round(credible.lower_bound, 4) if credible.has_useful_bound else None,
            "layers": proven[-1].max_parents if proven else 0,
            "seconds": round(seconds, 1),
            **skeleton_measures(truth.structure, credible.best),
            **{name: structure[name] for name in ("arcs", "cpdag_shd")},
        },
    }


def skeleton_measures(truth: Structure, learned: Structure) -> Results:
    """Return how many pairs are joined in the truth alone, or in the learned network alone."""
    true, found = ({frozenset(edge) for edge in one.edges()} for one in (truth, learned))
    return {"missing": len(true - found), "extra": len(found - true)}
