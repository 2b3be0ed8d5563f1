"""Learn from samples of known networks and compare the result with the truth.

A job samples records from a true network, learns from them twice with Bayes factor 20, with
noisy-ORs (`both`) and with full tables alone (`cpt`), and compares what it found with the truth.
Jobs run in worker processes. Each result is stored at once in
benchmarks/results/learning_jobs.jsonl, so that an interrupted run can resume. Table 3 and the study
share the file: no job runs twice.

The result of a job, by its key "network/records/repeat":

    {"variables": 37,
     "limit": 120.0,                  seconds that each of the two runs of learning was given
     "truth": {"arcs", "noisy_or",    numbers of arcs and of noisy-ORs of the true network
               "held_out",            its mean log-likelihood of the held-out records, in nats,
               "held_out_smoothed"},  and with the smoothing that the learned ones have
     "both": {
       "complete", "proven", "count", "optimum", "seconds",
       "arcs", "shd", "cpdag_shd", "precision", "recall",
       "skeleton_precision", "skeleton_recall",       see against_truth.structure_measures
       "noisy_or", "noisy_or_parents", "noisy_or_found",                .relation_measures
       "held_out_best",               mean log-likelihood per held-out record, smoothed, in nats,
       "held_out_average",            and of the networks of the credible set, averaged by weight:
       "drawn",                       None if over all of them, else the number of draws
       "calibration": {"arcs", "skeleton", "compelled"},     see .calibration_measures; read
                                                             each by against_truth.all_bins
       "error_best": {"relative", "absolute", "mean", "impossible", "infinite"},
                                                      see against_truth.error_measures
       "error_costliest"}             the same of the costliest credible network; not in "cpt"
     "cpt": {...}}

where "held_out_average", "calibration" and "error_costliest" are None unless the credible set is
complete; or {"nothing_because": text, "limit"} where it did not end in time or its process died.
Structures and parameters are those of the best network, fitted by maximum likelihood. Held-out
records are 10,000 fresh ones. The three networks whose inference errors are given are asked the
same questions.
"""

import argparse
import hashlib
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.against_truth import (
    averaged_held_out,
    calibration_measures,
    error_measures,
    relation_measures,
    structure_measures,
)
from benchmarks.harness.apart import Answer, Failure, Nothing, outcomes
from benchmarks.harness.folders import NETWORKS_FOLDER, RESULTS_FOLDER
from benchmarks.harness.kept_results import KeptResults
from benchmarks.harness.measuring import BAYES_FACTOR, RELATIONS, Results
from benchmarks.harness.options import add_networks
from noisyor import (
    NOISY_OR,
    ConversionWarning,
    Dataset,
    Learned,
    Network,
    fit_network,
    held_out,
    learn,
    read_network,
    sample_dataset,
)

RESULTS = RESULTS_FOLDER / "learning_jobs.jsonl"
TRUTHS = ("earthquake", "survey", "asia", "sachs", "child", "insurance", "alarm")
LIMIT = 120.0
HELD_OUT_RECORDS = 10_000
TRIALS = 1000


@dataclass(frozen=True, slots=True)
class Job:
    """Learning from a sample of a network; repeats differ in their random seeds."""

    network: str
    records: int
    repeat: int


Measure = Callable[[Job, Network, float], Results]
"""Returns the result of a job, given the true network and the limit of each run of learning."""


def job_key(job: Job) -> str:
    """Return the key of a job's result: network/records/repeat."""
    return f"{job.network}/{job.records}/{job.repeat}"


def seed_of(job: Job, purpose: str) -> int:
    """Return the seed of a job's random numbers for one purpose, the same on every machine."""
    text = f"{job_key(job)}/{purpose}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "big")


def truths(folder: Path = NETWORKS_FOLDER) -> dict[str, Network]:
    """Return the seven ground-truth networks of the paper by name; exit if a file is missing.

    The files of alarm, child and insurance have mistakes: a row that occurs twice while another is
    missing, three states announced and two named. The lenient reader corrects them.
    """
    found = {}
    for name in TRUTHS:
        path = folder / f"{name}.bif"
        if not path.exists():
            sys.exit(f"{path} does not exist; --networks must name a folder with {name}.bif in it")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConversionWarning)
            found[name] = read_network(path, forgiving=True)
    return found


def measure(job: Job, truth: Network, limit: float = LIMIT) -> Results:
    """Return the result of one job, in the format described above."""
    records = sample_dataset(truth, job.records, seed=seed_of(job, "records"))
    fresh = sample_dataset(truth, HELD_OUT_RECORDS, seed=seed_of(job, "held out"))
    known = held_out(truth, fresh)
    return {
        "variables": len(truth.names),
        "limit": limit,
        "truth": {
            "arcs": len(list(truth.structure.edges())),
            "noisy_or": sum(one.relation is NOISY_OR for one in truth.structure.families),
            "held_out": round(known.mean, 5),
            "held_out_smoothed": round(known.mean_smoothed, 5),
        },
        **{
            kind: _measure_kind(job, truth, records, fresh, kind=kind, limit=limit)
            for kind in RELATIONS
        },
    }


def learned_of(records: Dataset, kind: str, limit: float) -> Learned:
    """Learn from a sample; a variable that does not vary in it stays, for the truth has it."""
    return learn(
        records,
        BAYES_FACTOR,
        relations=RELATIONS[kind],
        jobs=1,
        time_limit=limit,
        quiet=True,
        keep_constants=True,
    )


def _measure_kind(  # noqa: PLR0913  (what a job has made, once for both kinds)
    job: Job,
    truth: Network,
    records: Dataset,
    fresh: Dataset,
    *,
    kind: str,
    limit: float,
) -> Results:
    started = time.perf_counter()
    learned = learned_of(records, kind, limit)
    seconds = time.perf_counter() - started
    best = learned.best
    questions = seed_of(job, "questions")
    result = {
        "complete": learned.complete,
        "proven": learned.credible.proven,
        "count": learned.count,
        "optimum": round(learned.optimum, 4),
        "seconds": round(seconds, 3),
        **structure_measures(truth.structure, best.structure),
        **relation_measures(truth.structure, best.structure),
        "held_out_best": round(held_out(best, fresh).mean_smoothed, 5),
        **_set_measures(job, truth, learned, fresh),
        "error_best": error_measures(truth, best, TRIALS, questions),
    }
    if kind == "both":
        result["error_costliest"] = _costliest_error(truth, records, learned, questions)
    return result


def _set_measures(job: Job, truth: Network, learned: Learned, fresh: Dataset) -> Results:
    """Return the measures of the credible set, None if it is incomplete."""
    if not learned.complete:
        return {"held_out_average": None, "drawn": None, "calibration": None}
    networks = learned.networks(seed=seed_of(job, "members"))
    return {
        "held_out_average": round(averaged_held_out(networks, fresh), 5),
        "drawn": None if networks.draws is None else int(networks.draws.sum()),
        "calibration": calibration_measures(truth.structure, learned.arc_strength()),
    }


def _costliest_error(
    truth: Network, records: Dataset, learned: Learned, questions: int
) -> Results | None:
    if not learned.complete:
        return None
    costliest = fit_network(records, learned.credible.costliest().structure)
    return error_measures(truth, costliest, TRIALS, questions)


def run(  # noqa: PLR0913  (what is run, where it is kept, and how)
    jobs: Iterable[Job],
    truth_of: Callable[[str], Network],
    path: Path = RESULTS,
    workers: int = 2,
    limit: float = LIMIT,
    *,
    measured_by: Measure = measure,
    most_runs: int = len(RELATIONS),
) -> dict[str, Results]:
    """Run the jobs that have no result yet, and return the results of all of them by key.

    `measured_by` measures a job; it learns `most_runs` times at most, each time within the limit.
    A job that hit a shorter limit is run again. A job that hangs is killed, which is stored as its
    result. If a job raises, the others still run, and the error is raised at the end.
    """
    wanted = {job_key(job): job for job in jobs}
    kept = KeptResults(path)
    known = kept.results()
    missing = [key for key in wanted if key not in known or was_cut_off(known[key], limit)]
    tasks = [(key, (wanted[key], truth_of(wanted[key].network), limit)) for key in missing]
    failures = []
    ended = outcomes(measured_by, tasks, workers=workers, seconds=hard_seconds(limit, most_runs))
    try:
        with closing(ended):
            for number, (key, outcome) in enumerate(ended, start=1):
                match outcome:
                    case Failure(text):
                        failures.append(f"{key}: {text}")
                        said = "failed"
                    case Nothing(because):
                        kept.add(key, {"nothing_because": because, "limit": limit})
                        said = because
                    case Answer(result):
                        kept.add(key, result)
                        said = progress_text(result)
                print(f"{number}/{len(missing)} {key}: {said}", flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped; finished jobs are stored, and the same command resumes with the rest")
    if failures:
        raise RuntimeError("\n".join([f"{len(failures)} jobs failed", *failures]))
    return stored(wanted.values(), path)


def add_job_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every run of jobs."""
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--limit", type=float, default=LIMIT)
    parser.add_argument("--page-only", action="store_true")
    add_networks(parser)


def was_cut_off(result: Results, limit: float) -> bool:
    """Return whether a job hit a time limit shorter than this one."""
    whole = "nothing_because" not in result and all(
        result[kind]["complete"] for kind in learned_kinds(result)
    )
    return not whole and bool(result["limit"] < limit)


def stored(jobs: Iterable[Job], path: Path = RESULTS) -> dict[str, Results]:
    """Return the stored results of these jobs, by key."""
    results = KeptResults(path).results()
    keys = [job_key(job) for job in jobs]
    return {key: results[key] for key in keys if key in results}


def learned_kinds(result: Results) -> list[str]:
    """Return the names of a job's runs of learning."""
    return [name for name, one in result.items() if isinstance(one, dict) and "complete" in one]


def hard_seconds(limit: float, runs: int) -> float:
    """Return after how many seconds a job is killed: twice the limits of its runs, and more."""
    return 2 * runs * limit + 60


def progress_text(result: Results) -> str:
    """Return a short summary of a job."""
    parts = []
    for kind in learned_kinds(result):
        one = result[kind]
        whole = "" if one["complete"] else "at least "
        parts.append(f"{kind} {one['seconds']:.1f} s, {whole}{one['count']:,} members")
    return "; ".join(parts)
