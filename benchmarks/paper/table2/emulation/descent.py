"""The descent by which the published code fits noisy-ORs, for many families of one size at once.

It minimises the sum over the parents' configurations of D(observed chances || noisy-OR), each
observed configuration counting one, however many records have it. A step goes along the negative
gradient: of twenty lengths, 1, 1/2, 1/4 and so on, it takes the one with the least divergence among
those after which every q lies in [0, 1]. If there is none, the descent ends. So one q at 0 with a
positive slope, or at 1 with a negative one, stops all the others.

The logarithm of 0 counts as -10,000, and a quotient by 0 as one by 0.0001.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

LOG_OF_ZERO = -10_000.0
SUBSTITUTE = 0.0001  # for a divisor of 0
MOST_STEPS = 10_000
SMALL_STEP = 0.00001
LENGTHS = 0.5 ** np.arange(20)
AT_ONCE = 256  # families; their trial steps then fit into the cache


@dataclass(frozen=True, slots=True)
class Observed:
    """Records of families of k parents: numbers by configuration, each of shape (families, 2**k).

    Bit t of a configuration is the t-th parent.
    """

    absent: Floats
    present: Floats

    def some(self, rows: slice | npt.NDArray[np.intp]) -> "Observed":
        """Return some of the families."""
        return Observed(self.absent[rows], self.present[rows])

    def shares(self) -> tuple[Floats, Floats]:
        """Return the share of records with the child absent and present, 0 where there are none."""
        records = np.maximum(self.absent + self.present, 1)
        return self.absent / records, self.present / records


def misfit(observed: Observed, q: Floats) -> Floats:
    """Return minus the log-likelihood of the records, in nats, as the published code counts it."""
    absent = absent_chances(q)
    logs = observed.absent * _log(absent) + observed.present * _log(1 - absent)
    total: Floats = -logs.sum(axis=-1)
    return total


def descend(observed: Observed, start: Floats) -> Floats:
    """Return the q's, shape (families, k), at which the published descent ends."""
    q = start.copy()
    for first in range(0, len(q), AT_ONCE):
        rows = slice(first, first + AT_ONCE)
        q[rows] = _descend_together(observed.some(rows), q[rows])
    return q


def _descend_together(observed: Observed, start: Floats) -> Floats:
    """Step until none of the families moves any more."""
    q = start.copy()
    shares = Observed(*observed.shares())
    moving = np.arange(len(q))
    for _ in range(MOST_STEPS):
        now = q[moving]
        step = _step(shares.some(moving), now)
        q[moving] = now + step
        moving = moving[np.linalg.norm(step, axis=1) > SMALL_STEP]
        if not len(moving):
            break
    return q


def _step(shares: Observed, q: Floats) -> Floats:
    """Return the best of the steps that keep every q in [0, 1]; zeros where none is better."""
    steps = -LENGTHS[:, np.newaxis] * slopes(shares, q)[:, np.newaxis, :]
    tried = q[:, np.newaxis, :] + steps
    allowed = ((tried >= 0) & (tried <= 1)).all(axis=-1)
    values = np.full(allowed.shape, np.inf)
    family, length = np.nonzero(allowed)
    values[family, length] = _divergence(shares.some(family), tried[family, length])
    best = values.argmin(axis=1)
    every = np.arange(len(q))
    better = values[every, best] < _divergence(shares, q)
    return np.where(better[:, np.newaxis], steps[every, best], 0.0)


def slopes(shares: Observed, q: Floats) -> Floats:
    """Return the gradient of the divergence."""
    k = q.shape[1]
    absent = absent_chances(q)
    by_absent = shares.present / _divisor(1 - absent) - shares.absent / _divisor(absent)
    found = np.empty_like(q)
    for t in range(k):
        others = absent_chances(np.delete(q, t, axis=1))
        has = by_absent.reshape(len(q), 2 ** (k - 1 - t), 2, 2**t)[:, :, 1]
        found[:, t] = (has.reshape(others.shape) * others).sum(axis=1)
    return found


def absent_chances(q: Floats) -> Floats:
    """Return the chance of an absent child per configuration: the product of the q's present."""
    absent = np.ones((*q.shape[:-1], 1))
    for t in range(q.shape[-1]):
        absent = np.concatenate([absent, absent * q[..., t, np.newaxis]], axis=-1)
    return absent


def _divergence(shares: Observed, q: Floats) -> Floats:
    """Return the divergence up to the entropy of the shares, which no q changes."""
    return misfit(shares, q)


def _log(chances: Floats) -> Floats:
    positive = chances > 0
    logs = np.full_like(chances, LOG_OF_ZERO)
    return np.log(chances, out=logs, where=positive)


def _divisor(chances: Floats) -> Floats:
    return np.where(chances == 0, SUBSTITUTE, chances)
