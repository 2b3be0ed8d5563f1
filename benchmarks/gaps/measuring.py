"""Learn from one table with gaps in each way, and compare with the network it was drawn from.

The result of a job:

    {"variables": 11, "records": 300, "missing": 0.2,   the share of cells that are missing
     "truth": {"arcs", "held_out"},
     "em": {                                 and so on for each way
       "records",                            how many records it learned from
       "arcs", "shd", "cpdag_shd",           see against_truth.structure_measures
       "held_out",                           mean log-likelihood per fresh record, smoothed, in nats
       "seconds",                            processor time
       "spread", "steps", "settled"},        of EM alone: how much its starts differ, in nats
     "drop": None}                           if no record is left
"""

import time
import warnings

import numpy as np

from benchmarks.gaps.plan import HELD_OUT_RECORDS, RECORDS, Job, Mechanism, Way
from benchmarks.harness.against_truth import structure_measures
from benchmarks.harness.measuring import Results
from noisyor import (
    DataError,
    Dataset,
    DataWarning,
    IncompleteDataset,
    Learned,
    Network,
    held_out,
    learn,
    sample_codes,
    sample_dataset,
)
from noisyor.core.incomplete_dataset import GAP, merged_rows

_BEST_ALONE = 1.0


def measure(job: Job, truth: Network) -> Results:
    """Return the result of one job, in the format described above."""
    codes = sample_codes(truth, RECORDS, seed=job.seed("records"))
    gaps = with_gaps(codes, truth, job)
    fresh = sample_dataset(truth, HELD_OUT_RECORDS, seed=job.seed("held out"))
    return {
        "variables": len(truth.names),
        "records": RECORDS,
        "missing": round(float(gaps.missing_cells / codes.size), 4),
        "truth": {
            "arcs": len(list(truth.structure.edges())),
            "held_out": round(held_out(truth, fresh).mean_smoothed, 5),
        },
        **{str(way): _measure_way(way, truth, codes, gaps, fresh) for way in Way},
    }


def with_gaps(codes: np.ndarray, truth: Network, job: Job) -> IncompleteDataset:
    """Return records from which cells are removed; each keeps at least one.

    By value, a cell in its variable's last state is removed three times as often as another.
    """
    random = np.random.default_rng(job.seed("gaps"))
    chances = np.full(codes.shape, job.share)
    if job.mechanism is Mechanism.BY_VALUE:
        last = np.array([variable.state_count - 1 for variable in truth.variables])
        chances = np.where(codes == last, 1.5 * job.share, 0.5 * job.share)
    removed = random.random(codes.shape) < chances
    removed[removed.all(axis=1), 0] = False
    kept = np.where(removed, GAP, codes).astype(np.uint8)
    return IncompleteDataset(truth.variables, kept, np.ones(len(codes), dtype=np.int64))


def with_modes(data: IncompleteDataset) -> Dataset:
    """Return the records with each gap filled by its column's most frequent value."""
    codes = data.codes.copy()
    for place in range(codes.shape[1]):
        column = codes[:, place]
        column[column == GAP] = int(data.state_counts(place).argmax())
    return Dataset(data.variables, *merged_rows(codes, data.weights))


def _measure_way(
    way: Way, truth: Network, codes: np.ndarray, gaps: IncompleteDataset, fresh: Dataset
) -> Results | None:
    started = time.process_time()
    learned = _learned(way, truth, codes, gaps)
    seconds = time.process_time() - started
    if learned is None or learned.data is None:
        return None
    structure = structure_measures(truth.structure, learned.best.structure)
    result: Results = {
        "records": learned.data.record_count,
        **{name: structure[name] for name in ("arcs", "shd", "cpdag_shd")},
        "held_out": round(held_out(learned.best, fresh).mean_smoothed, 5),
        "seconds": round(seconds, 3),
    }
    if learned.missing is not None and learned.missing.em is not None:
        em = learned.missing.em
        own = em.starts[em.best]
        result |= {
            "spread": round(em.spread, 3),
            "steps": len(own.steps),
            "settled": own.settled,
        }
    return result


def _learned(
    way: Way, truth: Network, codes: np.ndarray, gaps: IncompleteDataset
) -> Learned | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        if way is Way.EM:
            return learn(gaps, _BEST_ALONE, missing="em", keep_constants=True, jobs=1, quiet=True)
        if way is Way.WHOLE:
            whole = merged_rows(codes, np.ones(len(codes), dtype=np.int64))
            return learn(
                Dataset(truth.variables, *whole),
                _BEST_ALONE,
                keep_constants=True,
                jobs=1,
                quiet=True,
            )
        if way is Way.MODE:
            return learn(with_modes(gaps), _BEST_ALONE, keep_constants=True, jobs=1, quiet=True)
        try:
            return learn(gaps, _BEST_ALONE, missing="drop", keep_constants=True, jobs=1, quiet=True)
        except DataError:  # no record, or a single one, is left
            return None
