"""Answers of weighted networks about many records, with each distinct record queried once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from noisyor.core import Dataset, Distribution, Family, Network, Structure
from noisyor.core.incomplete_dataset import GAP
from noisyor.core.relations import root_relation
from noisyor.estimator.columns import Codes
from noisyor.inference import Inference
from noisyor.inference.evidence import UNKNOWN
from noisyor.networks import sample_codes
from noisyor.networks.likelihood import row_log_likelihoods

Weighted = Sequence[tuple[float, Network]]
"""Networks over the same variables, with weights that sum to 1."""

Floats = npt.NDArray[np.float64]

_LARGEST_SEED = 2**31 - 1


def log_likelihoods(networks: Weighted, records: Codes, smoothing: float) -> Floats:
    """Return the logarithm of each record's probability, averaged over the networks.

    Every conditional probability p counts as (1 - smoothing) p + smoothing / r, with r states.
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

    They are the chances of its states, shape (records, states), averaged by weight over the
    networks in which the rest of the record is possible; NaN where there is no such network. The
    value of the target in the records is ignored.
    """
    rows, places = _distinct_questions(records, target)
    states = networks[0][1].variables[target].state_count
    total, share = np.zeros((len(rows), states)), np.zeros(len(rows))
    for weight, network in networks:
        own, log_evidence = _inferred(network, rows, target)
        possible = np.isfinite(log_evidence)
        total[possible] += weight * own[possible]
        share[possible] += weight
    answered = share > 0
    mean = np.full((len(rows), states), np.nan)
    mean[answered] = np.minimum(total[answered] / share[answered, None], 1)  # despite rounding
    return mean[places], ~answered[places]


def _inferred(network: Network, rows: Codes, target: int) -> tuple[Floats, Floats]:
    """Return the target's chances and the logarithm of each row's probability, by inference."""
    wanted = np.zeros(rows.shape[1], dtype=np.uint8)
    wanted[target] = 1
    questions = np.where(rows == GAP, np.uint8(UNKNOWN), rows)
    inference = Inference(network)
    found, log_evidence = inference.marginals(questions, wanted)
    return found[:, slice(*inference.state_offsets[target : target + 2])], log_evidence


def draw(networks: Weighted, size: int, random: np.random.RandomState) -> Codes:
    """Return the codes of records, each drawn from a network that was itself drawn by weight."""
    weights = np.array([weight for weight, _ in networks])
    sizes = random.multinomial(size, weights / weights.sum())
    parts = [
        sample_codes(network, int(count), seed=int(random.randint(_LARGEST_SEED)))
        for (_, network), count in zip(networks, sizes, strict=True)
        if count
    ]
    return random.permutation(np.concatenate(parts))


def smoothed(network: Network, smoothing: float) -> Network:
    """Return the network in which every conditional probability p is (1 - s) p + s / r, r states.

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
    # Rows of a data set ascend, the last variable leading.
    first, places, counts = _distinct(records[:, ::-1])
    return Dataset(network.variables, records[first], counts), places


def _distinct_questions(records: Codes, target: int) -> tuple[Codes, npt.NDArray[np.intp]]:
    """Return the distinct records without their target, and each record's place among them."""
    questions = records.copy()
    questions[:, target] = GAP
    first, places, _ = _distinct(questions)
    return questions[first], places


def _distinct(
    codes: Codes,
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.int64]]:
    """Return where each distinct row is first, in ascending order, the rows' places, and counts."""
    whole = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.shape[1]))).reshape(-1)
    _, first, places, counts = np.unique(
        whole, return_index=True, return_inverse=True, return_counts=True
    )
    return first, places.reshape(-1), counts.astype(np.int64)
