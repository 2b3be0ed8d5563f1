"""A sample of a credible set that is too large to enumerate, and how well its shares are known."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt

from noisyor.core.arrays import read_only
from noisyor.core.credible_set import MemberBatch


@dataclass(frozen=True, slots=True, eq=False)
class Sampling:
    """How networks were drawn from a credible set by Markov chains, and how well these agree.

    Parameters
    ----------
    seed
        The seed of the random numbers.
    chains
        The number of independent chains.
    spacing
        The number of sweeps over all variables between two draws of a chain.
    times
        How often each known network was drawn, shape (networks,), in the order of the members. The
        best network is known even if it was never drawn.
    r_hat
        The largest split R-hat of any arc and of the cost; near 1 where the chains agree. None if
        there were too few draws to tell.
    effective
        The fewest independent draws that would tell as much about any arc as all the draws do.
    batches
        How many draws of each batch have each family, shape (batches, families). A batch is a
        stretch of one chain; all are of the same length.
    """

    seed: int
    chains: int
    spacing: int
    times: npt.NDArray[np.int64]
    r_hat: float | None
    effective: float
    batches: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        """Refuse counts that contradict each other."""
        object.__setattr__(self, "times", read_only(self.times, np.int64))
        object.__setattr__(self, "batches", read_only(self.batches, np.int64))
        if self.times.ndim != 1 or not len(self.times) or int(self.times.min()) < 0:
            raise ValueError("each known network was drawn 0 times or more")
        if self.batches.ndim != 2 or not len(self.batches):  # noqa: PLR2004
            raise ValueError("there is at least one batch")
        if self.draws < 1 or self.draws % len(self.batches):
            raise ValueError(f"{self.draws} draws in {len(self.batches)} batches of one length")
        if self.batches.size and not 0 <= self.batches.min() <= self.batches.max() <= self.length:
            raise ValueError("a batch has a family more often than it has draws")

    @property
    def draws(self) -> int:
        """The number of draws of all chains."""
        return int(self.times.sum())

    @property
    def length(self) -> int:
        """The number of draws in a batch."""
        return self.draws // len(self.batches)

    def standard_error(self, families: list[int]) -> float:
        """Return the standard error of the share of the weight that has one of some families.

        It comes from the means of the batches, which are nearly independent if batches are long
        (Flegal and Jones 2010); chains that disagree make it larger. It is at least that of
        independent draws, so that a feature of all draws, or of none, is not taken to be certain.

        Parameters
        ----------
        families
            The positions of families of which no network has two, such as those of one child.
        """
        means = self.batches[:, families].sum(axis=1) / self.length
        share = (float(means.sum()) * self.length + 0.5) / (self.draws + 1)
        least = share * (1 - share) / (self.draws + 1)
        spread = float(means.var(ddof=1)) / len(means) if len(means) > 1 else 0.25
        return sqrt(max(least, spread))


@dataclass(frozen=True, slots=True, eq=False)
class SampledMembers:
    """The networks that were drawn, and the best one.

    `networks` (networks, n) has the positions of their families, `costs` (networks,) their costs,
    and `times` (networks,) how often each was drawn, at the `temperature` of the Bayes factor.
    """

    networks: npt.NDArray[np.uint32]
    costs: npt.NDArray[np.float64]
    times: npt.NDArray[np.int64]
    temperature: float = 1.0

    def stream(self) -> Iterator[MemberBatch]:
        """Yield the known members, each once."""
        yield MemberBatch(self.networks, self.costs)

    def best(self, most: int) -> MemberBatch:
        """Return the known members of least cost, in order of cost."""
        return self._at(np.argsort(self.costs, kind="stable")[:most])

    def costliest(self) -> MemberBatch:
        """Return a known member of greatest cost."""
        return self._at(np.array([int(self.costs.argmax())]))

    def sample(self, size: int, seed: int, *, weighted: bool) -> MemberBatch:
        """Return some of the draws; unweighted, those of costly members are taken more often.

        The chains draw by weight, so a draw of weight w is taken in proportion to 1 / w then.
        """
        shares = self.times.astype(np.float64)
        if not shares.any():  # no time for a draw: only the best network is known
            shares += 1
        if not weighted:
            shares *= np.exp((self.costs - self.costs.max()) / self.temperature)
        rows = np.random.default_rng(seed).choice(len(shares), size, p=shares / shares.sum())
        return self._at(rows)

    def _at(self, rows: npt.NDArray[np.int64]) -> MemberBatch:
        return MemberBatch(self.networks[rows], self.costs[rows])
