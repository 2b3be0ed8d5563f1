"""Learn from one sample, and compare several kinds of weights with the true network.

The result of a job, by its key "network/records/repeat":

    {"variables": 8,
     "limit": 60.0,                  seconds that each run of learning was given
     "seconds": 12.3,                processor time
     "paper": {                      and so on for each kind of weights, see KINDS
       "arcs", "skeleton",           bins of weights (see against_truth.calibration_measures)
       "loss",                       log loss of arcs (see noisyor.resampling.calibration.log_loss),
                                     in nats for each pair of variables
       "pairs",                      the number of pairs that it is summed over, all of them;
                                     without it, the loss is of an earlier version (see EARLIER)
       "adjacency_loss", "brier",    log loss and squared error of adjacencies, a pair
       "counted"},                   whether all credible networks were counted
     "warm": {..., "temperature": 2.1}}      where one was fitted
"""

import math
import time
from collections.abc import Mapping
from itertools import combinations

from benchmarks.harness.against_truth import binned
from benchmarks.harness.learning_jobs import Job, seed_of
from benchmarks.harness.measuring import BAYES_FACTOR, Results
from noisyor import Bootstrap, CredibleSet, Network, Structure, calibrate, learn, sample_dataset
from noisyor.resampling.calibration import FLOOR, log_loss

RESAMPLES = 50

EARLIER = (
    "The stored results are of an earlier version, in two ways. Their log loss of arcs leaves out "
    "pairs that neither a weight nor the true network joins, of 0.0067 nats each; a kind of "
    "weights that is spread over more pairs is charged that much more for each of them. And "
    "`calibrate` then took the first temperature beyond which the loss rose, not the best of all."
)
"""What differs in stored results without the number of pairs."""

KINDS: dict[str, str] = {
    "cpt": "full tables, BIC",
    "paper": "noisy-OR without leak, BIC",
    "default": "leaky noisy-OR, BIC",
    "ebic": "leaky noisy-OR, EBIC",
    "warm": "leaky noisy-OR, BIC, calibrated",
    "warm_ebic": "leaky noisy-OR, EBIC, calibrated",
    "bootstrap": "bootstrap of the best, BIC",
    "bootstrap_ebic": "bootstrap of the best, EBIC",
    "bagged": "mean weights of resamples, BIC",
    "bagged_ebic": "mean weights of resamples, EBIC",
}
"""The kinds of weights, and what they are called."""

Weights = Mapping[tuple[str, str], float]


def measure(job: Job, truth: Network, limit: float) -> Results:
    """Return the result of one job, in the format described above."""
    began = time.process_time()
    records = sample_dataset(truth, job.records, seed=seed_of(job, "records"))
    common: Results = {"keep_constants": True, "jobs": 1, "quiet": True, "time_limit": limit}
    seed = seed_of(job, "resamples")
    found: Results = {}
    for score, ending in (("bic", ""), ("ebic", "_ebic")):
        learned = learn(
            records, BAYES_FACTOR, score=score, bootstrap=RESAMPLES, seed=seed, **common
        )
        found["ebic" if ending else "default"] = _of_set(truth.structure, learned.credible)
        resampled = learned.bootstrap
        if resampled is None or not resampled.resamples:
            raise RuntimeError(f"no resample of {job} was done in {limit} s")
        found[f"bootstrap{ending}"] = _against(truth.structure, _shares(resampled, "share"))
        found[f"bagged{ending}"] = _against(truth.structure, _shares(resampled, "weight"))
        warm = calibrate(
            records, BAYES_FACTOR, score=score, resamples=RESAMPLES, seed=seed, **common
        )
        at = {"temperature": warm.temperature}
        found[f"warm{ending}"] = _of_set(truth.structure, warm.learned.credible) | at
    for kind in ("cpt", "paper"):
        learned = learn(records, BAYES_FACTOR, relations=kind, **common)
        found[kind] = _of_set(truth.structure, learned.credible)
    return {
        "variables": len(truth.names),
        "limit": limit,
        "seconds": round(time.process_time() - began, 1),
        **{kind: found[kind] for kind in KINDS},
    }


def _shares(resampled: Bootstrap, key: str) -> dict[tuple[str, str], float]:
    return {(arc.parent, arc.child): getattr(arc, key) or 0.0 for arc in resampled.arcs}


def _of_set(truth: Structure, credible: CredibleSet) -> Results:
    weights = {edge: use.weight for edge, use in credible.edges().items()}
    return _against(truth, weights, counted=credible.complete)


def _against(truth: Structure, weights: Weights, *, counted: bool = True) -> Results:
    """Return how weights of arcs agree with the true network."""
    place = {name: at for at, name in enumerate(truth.names)}
    true = set(truth.edges())
    pairs = list(combinations(truth.names, 2))
    ordered = [pair for one, other in pairs for pair in ((one, other), (other, one))]
    joined = {
        (a, b): min(1.0, weights.get((a, b), 0.0) + weights.get((b, a), 0.0)) for a, b in pairs
    }
    adjacent = {(a, b) for a, b in pairs if (a, b) in true or (b, a) in true}
    numbered = {(place[a], place[b]): weight for (a, b), weight in weights.items()}
    loss = log_loss(numbered, {(place[a], place[b]): 1.0 for a, b in true}, len(place))
    sure = [_sure(joined[pair], pair in adjacent) for pair in pairs]
    return {
        "arcs": binned(weights, true, ordered),
        "skeleton": binned(joined, adjacent, pairs),
        "loss": round(loss / len(pairs), 5),
        "pairs": len(pairs),
        "adjacency_loss": round(-math.fsum(map(math.log, sure)) / len(pairs), 5),
        "brier": round(
            math.fsum((joined[pair] - (pair in adjacent)) ** 2 for pair in pairs) / len(pairs), 5
        ),
        "counted": counted,
    }


def _sure(weight: float, joined: bool) -> float:
    """Return the probability that a weight gives to what is true of a pair."""
    chance = (1 - FLOOR) * weight + FLOOR / 2
    return chance if joined else 1 - chance
