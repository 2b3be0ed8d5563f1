"""The networks, the gaps, and the ways to learn that are compared."""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.random_networks import Kind, is_random, network_name, random_network
from noisyor import Network, example_truth

RESULTS = RESULTS_FOLDER / "gaps.jsonl"

EXAMPLES = ("appliance", "clinic", "pump")
RANDOM = tuple(network_name(kind, 12, 0) for kind in (Kind.LEAKY, Kind.TABLES))
NETWORKS = (*EXAMPLES, *RANDOM)

RECORDS = 300
HELD_OUT_RECORDS = 5000
SHARES = (0.05, 0.2, 0.4)
REPEATS = 3


class Mechanism(StrEnum):
    """Which cells are removed."""

    RANDOM = "at random"
    BY_VALUE = "by value"


class Way(StrEnum):
    """A way to learn from records with gaps; `whole` has the records before any was removed."""

    WHOLE = "whole"
    EM = "em"
    DROP = "drop"
    MODE = "mode"


@dataclass(frozen=True, slots=True)
class Job:
    """Records of a network, from which a share of cells is removed; repeats differ in seeds."""

    network: str
    mechanism: Mechanism
    share: float
    repeat: int

    @property
    def key(self) -> str:
        """The key of the job's result."""
        return f"{self.network}/{self.mechanism}/{self.share:g}/{self.repeat}"

    def seed(self, purpose: str) -> int:
        """Return the seed of the random numbers for a purpose.

        The records are the same whatever is removed from them.
        """
        own = f"{self.network}/{self.repeat}" if purpose != "gaps" else self.key
        digest = hashlib.sha256(f"{own}/{purpose}".encode()).digest()
        return int.from_bytes(digest[:7], "big")


def jobs(only: Collection[str] = NETWORKS) -> list[Job]:
    """Return all jobs on these networks, first repeats first."""
    return [
        Job(network, mechanism, share, repeat)
        for repeat in range(REPEATS)
        for network in NETWORKS
        if network in only
        for mechanism in Mechanism
        for share in SHARES
    ]


def truth_of(network: str) -> Network:
    """Return the network that a job's records are drawn from."""
    return random_network(network) if is_random(network) else example_truth(network)
