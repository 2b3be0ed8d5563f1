"""Noisy-ORs as other programs know them: present causes, each of which may suffice."""

from dataclasses import dataclass

from noisyor.core import Distribution
from noisyor.core.variable import BINARY


@dataclass(frozen=True, slots=True)
class OrCauses:
    """The probability that each parent, when present, fails to act, and the same for the leak.

    `seen` says whether any record has the parent present; without one, its q has no meaning.
    """

    q: tuple[float, ...]
    leak_q: float | None
    seen: tuple[bool, ...]

    @property
    def strengths(self) -> tuple[float, ...]:
        """The probability that each parent, when present, causes the child by itself."""
        return tuple(1 - q for q in self.q)

    @property
    def leak(self) -> float:
        """The probability that the child is present although no parent is; 0 without a leak."""
        return 0.0 if self.leak_q is None else 1 - self.leak_q


def is_noisy_or(distribution: Distribution) -> bool:
    """Return whether a distribution is a noisy-OR of binary variables."""
    return or_causes(distribution) is not None


def or_causes(distribution: Distribution) -> OrCauses | None:
    """Return the causes of a noisy-OR of binary variables; None for any other distribution."""
    states = {distribution.child_states, *distribution.parent_states}
    if not distribution.relation.is_noisy_or or states != {BINARY}:
        return None
    causes = distribution.causes()
    leak = next((float(cause.q) for cause in causes if cause.parent is None), None)
    parents = [one for one in causes if one.parent is not None]
    return OrCauses(
        tuple(float(one.q) for one in parents), leak, tuple(one.is_seen(1) for one in parents)
    )
