"""Learn the best network from one sample with each set of relations, and compare with the truth.

The result of a job:

    {"truth": {"arcs", "held_out"},   the arcs of the true network, and its mean log-likelihood of
                                      the held-out records, in nats
     "seconds": 0.3,                  processor time
     "leaky": {                       and so on for each choice
       "proven",
       "cpdag_shd",                   see against_truth.structure_measures
       "held_out_best",               mean log-likelihood per held-out record, smoothed, in nats
       "causes"}}                     how many nodes are no full tables
"""

import time

from benchmarks.grid.networks import network_of, seed_of
from benchmarks.grid.plan import CHOICES, HELD_OUT_RECORDS, Choice, Job
from benchmarks.harness.against_truth import structure_measures
from benchmarks.harness.measuring import Results
from noisyor import CPT, Dataset, Network, held_out, learn, sample_dataset

_BEST_ALONE = 1.0  # the Bayes factor of networks that cost as little as the best one


def measure(job: Job) -> Results:
    """Return the result of one job, in the format described above."""
    began = time.process_time()
    truth = network_of(job.cell, job.network)
    records = sample_dataset(truth, job.records, seed=seed_of(job.key, "records"))
    fresh = sample_dataset(truth, HELD_OUT_RECORDS, seed=seed_of(job.key, "held out"))
    found = {
        name: _measure_choice(truth, records, fresh, choice) for name, choice in CHOICES.items()
    }
    return {
        "truth": {
            "arcs": len(list(truth.structure.edges())),
            "held_out": round(held_out(truth, fresh).mean, 5),
        },
        "seconds": round(time.process_time() - began, 3),
        **found,
    }


def _measure_choice(truth: Network, records: Dataset, fresh: Dataset, choice: Choice) -> Results:
    learned = learn(
        records,
        _BEST_ALONE,
        relations=choice.relations,
        score=choice.score,
        keep_constants=True,
        jobs=1,
        quiet=True,
    )
    best = learned.best
    return {
        "proven": learned.credible.proven,
        "cpdag_shd": structure_measures(truth.structure, best.structure)["cpdag_shd"],
        "held_out_best": round(held_out(best, fresh).mean_smoothed, 5),
        "causes": sum(one.relation != CPT for one in best.structure.families),
    }
