"""The regret of the multinomial distribution: what its normalised maximum likelihood costs.

C(N, K) is the sum, over all sequences of N records of K values, of their largest likelihood. As a
sum over h_1 + ... + h_K = N of N! / (h_1! ... h_K!) times the product of (h_i / N)^h_i, it is
N! / N^N times the coefficient of x^N in B(x)^K, where B(x) is the sum of h^h x^h / h!. With the
tree function T = x exp(T), B = 1 / (1 - T), and Lagrange's inversion gives

    C(N, K) = sum over j = 0 .. N of
              (K - 1) K ... (K + j - 2) / j! * N (N - 1) ... (N - j + 1) / N^j

All terms are positive, so the sum is exact to rounding for any K, and its terms are no more than
the records. (For K = 2 it is the sum of Knuth and Ramanujan; the recurrence of Kontkanen and
Myllymäki, 2007, C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K), takes as many steps as K.)
"""

from functools import lru_cache
from math import frexp, log

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_BLOCK = 512  # factors, of at least 1/2 each: their product is a number
_CHUNK = _BLOCK * 128
_NEGLIGIBLE = 1e-20


@lru_cache(maxsize=1 << 14)
def log_regret(records: int, values: float) -> float:
    """Return ln C(N, K) for N records of K values, in nats."""
    if records == 0 or values <= 1:
        return 0.0
    share, doublings = 0.5, 1  # the last term is share * 2**doublings; the first is 1
    total, total_doublings = 0.5, 1
    for first in range(0, records, _CHUNK):
        j = np.arange(first, min(first + _CHUNK, records), dtype=np.float64)
        ratios = (values - 1 + j) / (j + 1) * ((records - j) / records)
        shares, exponents = _products(ratios, share, doublings)
        share, doublings = float(shares[-1]), int(exponents[-1])
        most = max(total_doublings, int(exponents.max()))
        scaled = np.ldexp(shares, np.maximum(exponents - most, -2000).astype(np.int32))
        total = total * 2.0 ** (total_doublings - most) + float(scaled.sum())
        mantissa, more = frexp(total)
        total, total_doublings = mantissa, most + more
        last = share * 2.0 ** max(doublings - total_doublings, -1000)
        if ratios[-1] < 1 and last < _NEGLIGIBLE * (1 - ratios[-1]):
            break  # the rest is less than a geometric series
    return log(total) + total_doublings * log(2)


def _products(ratios: Floats, share: float, doublings: int) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Return the products of the first ratios, times share * 2**doublings, in the same form."""
    mantissas, exponents = np.frexp(ratios)
    powers = doublings + np.cumsum(exponents, dtype=np.int64)
    shares = np.empty_like(mantissas)
    for begin in range(0, len(ratios), _BLOCK):
        end = min(begin + _BLOCK, len(ratios))
        shares[begin:end] = share * np.cumprod(mantissas[begin:end])
        share, more = frexp(float(shares[end - 1]))
        powers[end:] += more
        if end == len(ratios):  # the caller goes on from here
            shares[-1], powers[-1] = share, powers[-1] + more
    return shares, powers
