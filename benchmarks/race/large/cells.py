"""The cells of the race of many variables: a network, and so many records of it."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from benchmarks.harness.example_networks import example_network
from benchmarks.harness.random_networks import Kind, network_name, random_network
from benchmarks.race.timing import Table
from noisyor.core import Network, Structure
from noisyor.networks import sample_codes

KINDS = (Kind.TABLES, Kind.LEAKY, Kind.MIXED)
SIZES = (50, 75, 100, 200, 500, 1000)
RECORDS = (500, 5000)
EXAMPLES = {"win95pts": 76, "munin1": 186, "andes": 223, "pigs": 441, "link": 724, "munin": 1041}
GROWTH_SIZE, GROWTH_RECORDS = 100, (500, 5000, 50_000)
SEED = 20


@dataclass(frozen=True, slots=True)
class Cell:
    """Records of a network. It is random with a kind; without one, it has a name."""

    network: str
    variables: int
    records: int
    kind: Kind | None = None

    @property
    def key(self) -> str:
        """The name of the cell in the results."""
        return f"{self.network}/{self.records}"


def all_cells() -> list[Cell]:
    """Return the cells, the small ones first."""
    random = {
        *((kind, size, records) for kind in KINDS for size in SIZES for records in RECORDS),
        *((KINDS[0], GROWTH_SIZE, records) for records in GROWTH_RECORDS),
    }
    cells = [
        *(Cell(network_name(kind, size, 0), size, n, kind) for kind, size, n in random),
        *(Cell(name, size, n) for name, size in EXAMPLES.items() for n in RECORDS),
    ]
    return sorted(cells, key=lambda one: (one.variables * one.records, one.key))


def quick_cells() -> list[Cell]:
    """Return some cells: enough for every kind of curve, in half an hour of two cores."""
    return [cell for cell in all_cells() if _is_quick(cell)]


def _is_quick(cell: Cell) -> bool:
    if cell.kind is None:
        return cell.records == RECORDS[-1] and cell.network in ("win95pts", "munin1", "andes")
    if cell.records == RECORDS[-1]:
        sizes = {Kind.TABLES: (50, 75, 100, 200, 500), Kind.MIXED: (100, 200)}
        return cell.variables in sizes.get(cell.kind, (100,))
    return cell.kind is Kind.TABLES and cell.variables in (50, 100, 200)


@cache
def _network(cell: Cell) -> Network:
    return example_network(cell.network) if cell.kind is None else random_network(cell.network)


def sampled(cell: Cell) -> tuple[Table, Structure]:
    """Return the records of a cell and the network that they are from, over the same columns.

    The columns are in random order, without those that never change. A state that no record has
    gets no number, so that every program counts the same states.
    """
    network = _network(cell)
    codes = sample_codes(network, cell.records, seed=SEED)
    order = np.random.default_rng([SEED, cell.variables]).permutation(cell.variables)
    kept = [int(place) for place in order if np.ptp(codes[:, place])]
    columns = [np.unique(codes[:, place], return_inverse=True)[1] for place in kept]
    names = column_names(len(kept))
    name_of = {network.names[old]: new for new, old in zip(names, kept, strict=True)}
    edges = [
        (name_of[one], name_of[other])
        for one, other in network.structure.edges()
        if one in name_of and other in name_of
    ]
    return np.column_stack(columns).astype(np.uint8), Structure.from_edges(names, edges)


def column_names(count: int) -> tuple[str, ...]:
    """Return a name for each column, the same for all programs."""
    return tuple(f"X{place}" for place in range(count))


def by_key() -> dict[str, Cell]:
    """Return all cells by their names."""
    return {cell.key: cell for cell in all_cells()}
