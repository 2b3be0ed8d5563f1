"""Completions of records with gaps, drawn from a network, and the likelihood of what is there."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import fsum
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, ImpossibleEvidenceError, Network, Provenance
from noisyor.core.arguments import checked_arguments
from noisyor.core.arrays import hand_over
from noisyor.core.dataset import Codes
from noisyor.core.incomplete_dataset import GAP, IncompleteDataset, merged_rows
from noisyor.core.version import VERSION
from noisyor.inference import Inference
from noisyor.inference.answers import Draws
from noisyor.networks.likelihood import matched_states, row_log_likelihoods
from noisyor.scoring.board import thread_count

_ROWS_AT_ONCE = 64  # of a thread: a keyboard interrupt takes effect between two batches

Counts = npt.NDArray[np.int64]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Completed:
    """A table of completions, and the log-likelihood of what was observed, in nats."""

    data: Dataset
    log_likelihood: float


def complete(  # noqa: PLR0913  (one option each, by name)
    network: Network,
    data: IncompleteDataset,
    *,
    copies: int,
    seed: Sequence[int],
    jobs: int | None = None,
    otherwise: Network | None = None,
) -> Completed:
    """Return completions of every record, drawn from its posterior in the network.

    The draws are exact: each record's joint posterior, by inference (see `Inference.draws`). A
    complete record is there `copies` times. The same seed gives the same table for any number of
    threads.

    Parameters
    ----------
    network
        A network of the table's variables, in their order.
    data
        The records with their gaps.
    copies
        The number of completions of each record.
    seed
        The seed of the draws, one or more numbers.
    jobs
        The number of threads; all cores by default.
    otherwise
        The network that records are drawn from that the first one rules out.

    Raises
    ------
    ImpossibleEvidenceError
        The network rules out a record, and there is no other.
    TableSizeError
        The network is too densely connected for exact inference.

    """
    lacking = data.incomplete
    rows, weights = np.ascontiguousarray(data.codes[lacking]), data.weights[lacking]
    keys = row_keys(np.random.SeedSequence(seed), len(rows))
    drawn = _drawn(network, rows, weights * copies, keys, jobs)
    likelihoods = [drawn.log_evidence * weights, _complete_likelihoods(network, data)]
    parts = [(data.codes[~lacking], data.weights[~lacking] * copies), (drawn.codes, drawn.counts)]
    ruled_out = ~np.isfinite(drawn.log_evidence)
    if ruled_out.any():
        if otherwise is None:
            raise ImpossibleEvidenceError(
                f"{int(weights[ruled_out].sum())} of {data.record_count} records have probability "
                "zero in the network"
            )
        again = _drawn(
            otherwise, rows[ruled_out], weights[ruled_out] * copies, keys[ruled_out], jobs
        )
        parts.append((again.codes, again.counts))
    codes, counts = zip(*parts, strict=True)
    table = merged_rows(np.concatenate(codes), np.concatenate(counts))
    return Completed(
        Dataset(data.variables, *table, copies=copies),
        fsum(np.concatenate(likelihoods).tolist()),
    )


@checked_arguments
def observed_log_likelihood(
    network: Network, data: IncompleteDataset, *, jobs: int | None = None
) -> float:
    """Return the logarithm of the probability of all observed cells, in nats; exact.

    Parameters
    ----------
    network
        A network of the table's variables.
    data
        The records with their gaps. Variables are matched by name and states by label, so both may
        be in another order.
    jobs
        The number of threads; all cores by default.

    Raises
    ------
    MismatchError
        The network and the records have different variables or states.
    TableSizeError
        The network is too densely connected for exact inference.

    """
    data = _in_states_of(network, data)
    lacking = data.incomplete
    nothing = np.zeros(len(data.variables), dtype=np.uint8)
    inference = Inference(network)
    found = _by_batches(
        lambda rows: inference.marginals(rows, nothing)[1],
        [(batch,) for batch in _batches(np.ascontiguousarray(data.codes[lacking]))],
        jobs,
    )
    own = np.concatenate([np.empty(0), *found]) * data.weights[lacking]
    return fsum([*own.tolist(), *_complete_likelihoods(network, data).tolist()])


def drawn_once(
    network: Network, rows: Codes, keys: npt.NDArray[np.uint64], jobs: int | None = None
) -> tuple[Codes, npt.NDArray[np.bool_]]:
    """Return an independent draw for each row, and which rows are possible; others stay as is."""
    drawn = _drawn(network, np.ascontiguousarray(rows), np.ones(len(rows), np.int64), keys, jobs)
    possible = np.isfinite(drawn.log_evidence)
    codes = rows.copy()
    codes[possible] = drawn.codes
    return codes, possible


def column_network(data: IncompleteDataset) -> Network:
    """Return the network without edges in which each column has the shares of its known values."""
    tables = []
    for place, variable in enumerate(data.variables):
        known = data.codes[:, place] != GAP
        counts = np.bincount(
            data.codes[known, place], data.weights[known], minlength=variable.state_count
        )
        tables.append(counts / counts.sum())
    provenance = Provenance(VERSION, data.fingerprint(), data.record_count, ())
    return Network.from_tables(data.variables, [()] * len(tables), tables, provenance)


def _complete_likelihoods(network: Network, data: IncompleteDataset) -> npt.NDArray[np.float64]:
    kept = ~data.incomplete
    if not kept.any():
        return np.empty(0)
    complete = Dataset(data.variables, data.codes[kept], data.weights[kept])
    return row_log_likelihoods(network, complete) * complete.weights


def _in_states_of(network: Network, data: IncompleteDataset) -> IncompleteDataset:
    """Return the records with the variables and states of a network, in its order."""
    codes = np.empty_like(data.codes)
    for own, (place, states) in enumerate(matched_states(network, data.variables)):
        by_code = np.full(GAP + 1, GAP, dtype=np.uint8)
        by_code[: len(states)] = states
        codes[:, own] = by_code[data.codes[:, place]]
    return IncompleteDataset(network.variables, codes, data.weights)


def row_keys(seed: np.random.SeedSequence, rows: int) -> npt.NDArray[np.uint64]:
    """Return the key of each row's random numbers."""
    keys = seed.generate_state(max(1, rows), np.uint64)
    return keys[:rows].astype(np.uint64)


def _drawn(
    network: Network,
    rows: Codes,
    points: Counts,
    keys: npt.NDArray[np.uint64],
    jobs: int | None,
) -> Draws:
    inference = Inference(network)
    parts = _by_batches(
        inference.draws,
        list(zip(_batches(rows), _batches(points), _batches(keys), strict=True)),
        jobs,
    )
    if not parts:
        nothing = np.empty(0, np.int64)
        return Draws(np.empty((0, rows.shape[1]), np.uint8), nothing, nothing, np.empty(0))
    before = np.cumsum([0, *(len(part.counts) for part in parts)])
    return Draws(
        *(
            hand_over(np.concatenate(own))
            for own in (
                [part.codes for part in parts],
                [part.counts for part in parts],
                [part.ends + first for part, first in zip(parts, before, strict=False)],
                [part.log_evidence for part in parts],
            )
        )
    )


def _batches(values: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    return [values[at : at + _ROWS_AT_ONCE] for at in range(0, len(values), _ROWS_AT_ONCE)]


def _by_batches(
    ask: Callable[..., Found], batches: Sequence[tuple[npt.NDArray[Any], ...]], jobs: int | None
) -> list[Found]:
    """Return the answer to each batch, by threads."""
    with ThreadPoolExecutor(thread_count(jobs)) as pool:
        tasks = [pool.submit(ask, *batch) for batch in batches]
        try:
            return [task.result() for task in tasks]
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
