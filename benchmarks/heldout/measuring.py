"""Learn from the records outside of a fold in one way, and predict those in it.

The result of a job, by its key "dataset/fold/way":

    {"variables": 17,
     "records": 91, "held_out": 10,       numbers of training and held-out records
     "best": {"joint", "plain", "each"},  mean per held-out record, in nats: of the log-likelihood
                                          of the record; of the same with full tables of maximum
                                          likelihood; of the sum over variables of the
                                          log-probability of each given all the others
     "average": {...},                    the same of the average over the credible set, without
                                          "plain"; None where there is no complete set
     "arcs": 21, "causes": 4,             of the best network: arcs, and nodes that are no full
                                          tables
     "exact", "proven", "networks",       whether learned exactly; if so, whether the best network
                                          is proven to be best, and how many are credible
     "seconds": 0.4}                      processor time of learning

A logistic regression has "best" with "each" alone, and "unsettled", how many of its variables did
not converge. A job that could not be done has {"nothing_because": text}.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness.measuring import BAYES_FACTOR, Results, dataset_file, read_dataset
from benchmarks.heldout.logistic import logistic_logs
from benchmarks.heldout.plan import (
    ALONE,
    FOLDS,
    GREEDY,
    LEARNERS,
    LIMIT,
    LOGISTIC,
    MOST_MEMBERS,
    ROUNDS,
    SEED,
    SMOOTHING,
    STATES,
    TABLE_PRIOR,
    Job,
    Learner,
    is_exact,
)
from benchmarks.heldout.predicting import Logs, Mixture
from benchmarks.race.running import Contestant
from benchmarks.timings.states import dataset_of
from noisyor import CPT, Dataset, Structure, fit_network, learn
from noisyor.core.request import Request
from noisyor.resampling.tables import folds
from noisyor.scoring.climbing import Climbing

GREEDY_PROGRAM = "pyAgrum hill climbing"


def measure(job: Job, datasets: Path, peers: Path) -> Results:
    """Return the result of one job, in the format described above."""
    outside, inside = folds(records_of(job.dataset, datasets), FOLDS, SEED)[job.fold]
    sizes = {
        "variables": outside.variable_count,
        "records": outside.record_count,
        "held_out": inside.record_count,
    }
    return sizes | way_of(job, peers)(outside, inside)


def records_of(dataset: str, datasets: Path) -> Dataset:
    """Return the records of a data set."""
    if dataset in STATES:
        return dataset_of(dataset)
    return read_dataset(dataset_file(datasets, dataset))


def way_of(job: Job, peers: Path) -> Callable[[Dataset, Dataset], Results]:
    """Return the function that learns and predicts."""
    if job.way == LOGISTIC:
        return _by_regressions
    if job.way == ALONE:
        return lambda outside, inside: _of_structure(
            Structure.from_edges(outside.names, []), outside, inside
        )
    if job.way == GREEDY:
        return lambda outside, inside: _by_greedy(outside, inside, peers)
    learner = LEARNERS[job.way]
    way = _exactly if is_exact(job.dataset, job.way) else _locally
    return lambda outside, inside: way(learner, outside, inside)


def _exactly(learner: Learner, outside: Dataset, inside: Dataset) -> Results:
    """Learn all credible networks, within the limit."""
    began = time.process_time()
    learned = learn(
        outside,
        BAYES_FACTOR,
        relations=learner.relations,
        score=learner.score,
        keep_constants=True,
        jobs=1,
        time_limit=LIMIT,
        quiet=True,
    )
    seconds = time.process_time() - began
    average = None
    if learned.complete:
        networks = learned.networks(most=MOST_MEMBERS, prior=TABLE_PRIOR)
        average = _predicted(Mixture.of_set(networks, SMOOTHING), inside)
    return {
        **_of_structure(learned.credible.best, outside, inside),
        "average": average,
        "exact": True,
        "proven": learned.credible.proven,
        "networks": learned.count if learned.complete else None,
        "seconds": round(seconds, 3),
    }


def _locally(learner: Learner, outside: Dataset, inside: Dataset) -> Results:
    """Find a good network by local search."""
    began = time.process_time()
    request = Request.of(
        outside, BAYES_FACTOR, relations=learner.relations, score=learner.score, jobs=1
    )
    climbing = Climbing(request)
    climbing.run(lambda: False, rounds=ROUNDS)
    seconds = time.process_time() - began
    found = _of_structure(climbing.structure(), outside, inside)
    return found | {"seconds": round(seconds, 3)}


def _by_greedy(outside: Dataset, inside: Dataset, peers: Path) -> Results:
    """Climb with another program; its network has parameters like the others'."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "table.npy")
        np.save(table, np.repeat(outside.codes, outside.weights, axis=0))
        with Contestant(GREEDY_PROGRAM, table, {}, LIMIT, peers) as program:
            result = program.run()
    if "nothing_because" in result:
        return {"nothing_because": result["nothing_because"]}
    names = outside.names
    arcs = [(names[parent], names[child]) for parent, child in result["found"]["arcs"]]
    found = _of_structure(Structure.from_edges(names, arcs), outside, inside)
    return found | {"seconds": round(result["busy_seconds"], 3), "versions": result["versions"]}


def _by_regressions(outside: Dataset, inside: Dataset) -> Results:
    began = time.process_time()
    logs, unsettled = logistic_logs(outside, inside)
    seconds = time.process_time() - began
    each = {"each": _mean(logs.sum(axis=1), inside)}
    return {"best": each, "unsettled": unsettled, "seconds": round(seconds, 3)}


def _of_structure(structure: Structure, outside: Dataset, inside: Dataset) -> Results:
    """Return how a network predicts, with parameters from the training records."""
    smoothed = fit_network(outside, structure, prior=TABLE_PRIOR)
    plain = Mixture.of_network(fit_network(outside, structure), SMOOTHING)
    of_records = plain.of_records(inside.codes)
    return {
        "best": {
            **_predicted(Mixture.of_network(smoothed, SMOOTHING), inside),
            "plain": _mean(of_records, inside),
        },
        "average": None,
        "arcs": len(list(structure.edges())),
        "causes": sum(one.relation != CPT for one in structure.families),
        "exact": False,
    }


def _predicted(mixture: Mixture, inside: Dataset) -> Results:
    states = [variable.state_count for variable in inside.variables]
    each = mixture.of_each_given_others(inside.codes, states)
    return {
        "joint": _mean(mixture.of_records(inside.codes), inside),
        "each": _mean(each.sum(axis=1), inside),
    }


def _mean(logs: Logs, inside: Dataset) -> float:
    """Return the mean per held-out record."""
    return round(float(logs @ inside.weights) / inside.record_count, 6)
