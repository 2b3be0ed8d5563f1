"""Statistics of the race of many variables: costs at the marks, and who is ahead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.harness.folders import RESULTS_FOLDER
from benchmarks.harness.measuring import Results
from benchmarks.race.large.cells import Cell, by_key
from benchmarks.race.large.contest import MARKS
from benchmarks.race.large.running import CAUSES, OWN, PEERS, contestants_of, key_of

RESULTS = RESULTS_FOLDER / "large.jsonl"
TIE = 1e-6  # of a cost: two networks of the same cost are summed in different orders
GOAL_SHARE, GOAL_WORSE = 0.9, 0.001


@dataclass(frozen=True, slots=True)
class Contest:
    """A cell whose contestants have all been run."""

    cell: Cell
    programs: Mapping[str, Results]

    def cost_at(self, program: str, mark: float) -> float | None:
        """Return the cost of the network that a program has at a mark, if any."""
        return cost_at(self.programs.get(program, {}), mark)

    def best_peer_at(self, mark: float) -> float | None:
        """Return the lowest cost of the peers at a mark, if any has a network."""
        costs = [cost for one in PEERS if (cost := self.cost_at(one, mark)) is not None]
        return min(costs, default=None)

    @property
    def best_cost(self) -> float:
        """The lowest cost of a network of full tables that any contestant found."""
        costs = [cost for one in (*PEERS, OWN) if (cost := self.cost_at(one, MARKS[-1]))]
        return min(costs)

    def lead_at(self, mark: float) -> float | None:
        """Return by which share of the best peer's cost noisyor's is lower; None without both."""
        own, peer = self.cost_at(OWN, mark), self.best_peer_at(mark)
        return None if own is None or peer is None else (peer - own) / peer


def cost_at(one: Results, mark: float) -> float | None:
    """Return the cost of the last network that a result has by a mark."""
    costs = [network["cost"] for network in one.get("networks", ()) if network["by"] <= mark]
    return costs[-1] if costs else None


def first_seconds(one: Results) -> float | None:
    """Return the processor seconds to the first whole network; None if there is none."""
    found: float | None = one.get("first", one["seconds"]) if "networks" in one else None
    return found


def contests(results: Mapping[str, Results]) -> list[Contest]:
    """Return the cells that all contestants have run, in their order; those with causes may miss.

    A cell in which noisyor's own contestant failed has no network to compare: that is an error.
    """
    found = []
    for cell in by_key().values():
        wanted = contestants_of(cell)
        programs = {one: results[key] for one in wanted if (key := key_of(cell, one)) in results}
        if set(wanted) - set(programs) <= {CAUSES}:
            if "networks" not in programs[OWN]:
                raise ValueError(f"{cell.key}: {programs[OWN]['nothing_because']}")
            found.append(Contest(cell, programs))
    return found


@dataclass(frozen=True, slots=True)
class Standing:
    """How noisyor stands against the best peer at a mark, over the cells where a peer had ended."""

    cells: int
    better: int
    tied: int
    alone: int  # no peer had a network: not among the cells
    worst: float  # the lowest lead
    worst_cell: str
    lost: tuple[str, ...]

    @property
    def at_least(self) -> int:
        """In how many cells noisyor's network is at least as good."""
        return self.better + self.tied


def standing(some: Iterable[Contest], mark: float) -> Standing:
    """Return how noisyor stands at a mark."""
    leads = {one.cell.key: one.lead_at(mark) for one in some}
    known = {key: lead for key, lead in leads.items() if lead is not None}
    lost = tuple(key for key, lead in known.items() if lead < -TIE)
    better = sum(lead > TIE for lead in known.values())
    worst = min(known, key=known.__getitem__, default="")
    return Standing(
        len(known),
        better,
        len(known) - better - len(lost),
        len(leads) - len(known),
        known.get(worst, 0.0),
        worst,
        lost,
    )
