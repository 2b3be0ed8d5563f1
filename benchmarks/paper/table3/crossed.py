"""The errors of table 3 as the paper's script computes them for networks with noisy-ORs.

It reads the posteriors of a variable's two states, one after the other, from a file of each
network. For networks with noisy-ORs it takes the second for the first and the first for the second;
for the truth and for networks of full tables it does not. So it compares the learned chance of a
state with the true chance of the other one. A true chance of 0 counts as 1.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.learning_jobs import RESULTS as SAMPLES
from benchmarks.harness.learning_jobs import TRIALS, Job, learned_of, run, seed_of
from benchmarks.harness.measuring import Results
from benchmarks.paper.table3.cells import SIZES
from noisyor import Network, fit_network, sample_dataset
from noisyor.inference.evidence import UNKNOWN
from noisyor.inference.questions import Inference
from noisyor.inference.trials import EVIDENCE_SHARE, draw_evidence, evidence_size

RESULTS = RESULTS_FOLDER / "crossed.jsonl"
PREFIX = "crossed/"
REPEATS = {"earthquake": 10, "survey": 10, "asia": 10, "sachs": 10, "child": 3, "insurance": 1}
"""How many of the samples of table 3 are asked again; alarm takes too long."""

Floats = npt.NDArray[np.float64]


def crossed_error(truth: Network, learned: Network, trials: int, seed: int) -> float | None:
    """Return the median relative error with the learned states crossed; None if nothing is left.

    Trials whose evidence is impossible in the learned network are left out.
    """
    if truth.names != learned.names or truth.states != learned.states:
        raise ValueError("both networks must have the same variables and states, in one order")
    if any(len(states) != 2 for states in truth.states):
        raise ValueError("every variable must have two states")
    true, other = Inference(truth), Inference(learned)
    size = evidence_size(len(truth.names), EVIDENCE_SHARE)
    observed = draw_evidence(true, size, trials, np.random.default_rng(seed))
    everything = np.ones(len(truth.names), dtype=np.uint8)
    wanted = _by_state(true.marginals(observed, everything)[0])
    found, log_evidence = other.marginals(observed, everything)
    asked = (observed == UNKNOWN) & np.isfinite(log_evidence)[:, np.newaxis]
    base = np.where(wanted == 0, 1.0, wanted)
    errors = np.abs(base - _by_state(found)[..., ::-1]) / base
    return float(np.median(errors[asked])) if asked.any() else None


def _by_state(chances: Floats) -> Floats:
    """Return chances of shape (trials, variables, 2)."""
    return chances.reshape(len(chances), -1, 2)


def measure_crossed(job: Job, truth: Network, limit: float) -> Results:
    """Return the crossed errors of the three networks of a sample of table 3."""
    records = sample_dataset(truth, job.records, seed=seed_of(job, "records"))
    both, tables = (learned_of(records, kind, limit) for kind in ("both", "cpt"))
    networks = {"best": both.best, "cpt": tables.best}
    if both.complete:
        networks["costliest"] = fit_network(records, both.credible.costliest().structure)
    questions = seed_of(job, "questions")
    errors = {name: crossed_error(truth, one, TRIALS, questions) for name, one in networks.items()}
    return errors | {"limit": limit}


def run_crossed(known: Mapping[str, Network], workers: int, limit: float) -> None:
    """Ask again what is not stored, and compare each truth with itself."""
    jobs = [
        Job(name, size, repeat)
        for name, repeats in REPEATS.items()
        for size in SIZES
        for repeat in range(repeats)
    ]
    kept = KeptResults(RESULTS)
    for name, truth in known.items():
        if truth_key(name) not in kept:
            error = crossed_error(truth, truth, TRIALS, seed_of(Job(name, 0, 0), "questions"))
            kept.add(truth_key(name), {"truth": error, "limit": limit})
    run(jobs, known.__getitem__, RESULTS, workers, limit, measured_by=measure_crossed)


def stored(samples: Path = SAMPLES, asked_crosswise: Path = RESULTS) -> dict[str, Results]:
    """Return the stored samples of table 3, and with a prefix those asked crosswise."""
    crossed = KeptResults(asked_crosswise).results()
    return KeptResults(samples).results() | {f"{PREFIX}{key}": one for key, one in crossed.items()}


def crossed_of(results: Mapping[str, Results]) -> dict[str, Results]:
    """Return those asked crosswise, by their keys."""
    return {key.removeprefix(PREFIX): one for key, one in results.items() if key.startswith(PREFIX)}


def truth_key(network: str) -> str:
    """Return the key of the error of a true network against itself."""
    return f"{network}/truth"
