"""Answers of weighted networks about many records, with each distinct record queried once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, Distribution, Family, Network, Structure
from noisyor.core.relations import root_relation
from noisyor.core.variable_sets import Words, word_count
from noisyor.data.column_coder import GAP
from noisyor.estimator.columns import Codes
from noisyor.inference import Inference
from noisyor.inference.questions import UNKNOWN
from noisyor.networks import sample_records
from noisyor.networks.likelihood import row_log_likelihoods

Weighted = Sequence[tuple[float, Network]]
"""Networks over the same variables, with weights that sum to 1."""

Floats = npt.NDArray[np.float64]

_LARGEST_SEED = 2**31 - 1


def log_likelihoods(networks: Weighted, records: Codes, smoothing: float) -> Floats:
    """Return the logarithm of each record's probability, averaged over the networks.

    Every conditional probability p counts as (1 - smoothing) p + smoothing / 2.
    """
    data, places = _as_dataset(networks[0][1], records)
    total = np.full(len(data.weights), -np.inf)
    for weight, network in networks:
        own = row_log_likelihoods(network, data, smoothing=smoothing)
        total = np.logaddexp(total, np.log(weight) + own)
    return total[places]


def chances(
    networks: Weighted, records: Codes, target: int
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the target's chances given each record, and which records have no answer.

    They are the chances of absence and presence, shape (records, 2), averaged by weight over the
    networks in which the rest of the record is possible; NaN where there is no such network. The
    value of the target in the records is ignored.
    """
    rows, places = _distinct_questions(records, target)
    wanted = np.zeros(records.shape[1], dtype=np.uint8)
    wanted[target] = 1
    total, share = np.zeros((len(rows), 2)), np.zeros(len(rows))
    for weight, network in networks:
        own, log_evidence = Inference(network).marginals(rows, wanted)
        possible = np.isfinite(log_evidence)
        total[possible] += weight * own[possible, target]
        share[possible] += weight
    answered = share > 0
    mean = np.full((len(rows), 2), np.nan)
    mean[answered] = np.minimum(total[answered] / share[answered, None], 1)  # despite rounding
    return mean[places], ~answered[places]


def draw(networks: Weighted, size: int, random: np.random.RandomState) -> npt.NDArray[np.bool_]:
    """Return records, each drawn from a network that was itself drawn by weight."""
    weights = np.array([weight for weight, _ in networks])
    sizes = random.multinomial(size, weights / weights.sum())
    parts = [
        sample_records(network, int(count), seed=int(random.randint(_LARGEST_SEED)))
        for (_, network), count in zip(networks, sizes, strict=True)
        if count
    ]
    return random.permutation(np.concatenate(parts))


def smoothed(network: Network, smoothing: float) -> Network:
    """Return the network in which every conditional probability p is (1 - s) p + s / 2.

    It has full tables only: a noisy-OR mixed with a uniform distribution is no longer a noisy-OR.
    """
    families = [Family(family.child, family.parents) for family in network.structure.families]
    return Network(
        Structure(network.names, tuple(families)),
        network.variables,
        tuple(_smoothed(one, smoothing) for one in network.distributions),
        None,
        network.provenance,
    )


def _smoothed(distribution: Distribution, smoothing: float) -> Distribution:
    states = distribution.child_states
    table = (1 - smoothing) * distribution.expand().table + smoothing / states
    return root_relation().distribution(table, states, distribution.parent_states)


def _as_dataset(network: Network, records: Codes) -> tuple[Dataset, npt.NDArray[np.intp]]:
    """Return the distinct records as data of the network's variables, and each record's place."""
    words = _packed(records == 1)
    # Rows of a data set are sorted by the last word first.
    rows, places, counts = np.unique(
        words[:, ::-1], axis=0, return_inverse=True, return_counts=True
    )
    data = Dataset.from_bits(network.names, rows[:, ::-1], counts, network.states)
    return data, places.reshape(-1)


def _distinct_questions(records: Codes, target: int) -> tuple[Codes, npt.NDArray[np.intp]]:
    """Return the distinct records without their target, and each record's place among them."""
    questions = np.where(records == GAP, np.uint8(UNKNOWN), records)
    questions[:, target] = UNKNOWN
    words = np.hstack([_packed(questions == 1), _packed(questions == UNKNOWN)])
    _, first, places = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return questions[first], places.reshape(-1)


def _packed(bits: npt.NDArray[np.bool_]) -> Words:
    """Return rows of bits as rows of words, the first bit lowest (see `variable_sets`)."""
    packed = np.packbits(bits, axis=1, bitorder="little")
    padded = np.zeros((len(bits), 8 * word_count(bits.shape[1])), dtype=np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view("<u8").astype(np.uint64)
