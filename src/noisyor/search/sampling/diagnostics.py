"""Whether Markov chains agree, and how much their draws tell.

Split R-hat and the effective number of draws are those of Vehtari, Gelman, Simpson, Carpenter and
Bürkner (2021). Their rank normalisation maps the two values of an indicator to two others, which
changes neither figure: for arcs, the plain ones are the same.
"""

import numpy as np
import numpy.typing as npt

_FEWEST = 4  # draws of a chain: each half then has a variance


def split_r_hat(series: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the split R-hat of each feature; 1 for a feature that never changes.

    `series` has shape (chains, draws, features), with at least four draws.
    """
    halves = _halves(series)
    length = halves.shape[1]
    within = halves.var(axis=1, ddof=1).mean(axis=0)
    between = halves.mean(axis=1).var(axis=0, ddof=1)
    total = within * (length - 1) / length + between
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt(total / within)
    return np.where(total > 0, ratio, 1.0)


def effective_draws(series: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the effective number of draws of each feature; all draws for one that never changes.

    Autocorrelations are summed in pairs as long as these are positive, and made monotone (Geyer
    1992). `series` has shape (chains, draws, features), with at least four draws.
    """
    halves = _halves(series)
    chains, length, features = halves.shape
    covariances = _autocovariances(halves).mean(axis=0)
    within = covariances[0] * length / (length - 1)
    total = covariances[0] + halves.mean(axis=1).var(axis=0, ddof=1)
    fixed = total <= 0
    correlations = 1 - (within - covariances * length / (length - 1)) / np.where(fixed, 1, total)
    correlations[0] = 1
    even = length // 2 * 2
    pairs = correlations[:even].reshape(even // 2, 2, features).sum(axis=1)
    alive = np.logical_and.accumulate(pairs > 0, axis=0)
    pairs = np.minimum.accumulate(np.where(alive, pairs, 0.0), axis=0)
    time = -1 + 2 * pairs.sum(axis=0)
    draws = chains * length
    # As in Stan, an estimate above draws * log10(draws) is not believed.
    time = np.maximum(time, 1 / np.log10(max(draws, 10)))
    found: npt.NDArray[np.float64] = np.where(fixed, draws, draws / time)
    return found


def can_tell(draws: int) -> bool:
    """Return whether chains with this number of draws each can be compared."""
    return draws >= _FEWEST


def _halves(series: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the first and the second half of each chain as chains of their own."""
    half = series.shape[1] // 2
    return np.concatenate((series[:, :half], series[:, -half:]), axis=0)


def _autocovariances(series: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the autocovariance of each chain at every lag, divided by the number of draws."""
    length = series.shape[1]
    centred = series - series.mean(axis=1, keepdims=True)
    size = 1 << (2 * length - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=1)
    power = np.fft.irfft(spectrum * spectrum.conj(), size, axis=1)
    found: npt.NDArray[np.float64] = power[:, :length] / length
    return found
