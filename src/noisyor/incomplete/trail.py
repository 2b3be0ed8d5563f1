"""The steps of one start of structural EM, and their file, from which a killed run resumes."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from noisyor.core import FormatError, Network
from noisyor.core.errors import errors_at
from noisyor.files.whole import write_whole
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.incomplete.starts import StartKind
from noisyor.runs.folder import EM
from noisyor.runs.missing_cells import EmStep

_KIND = "noisyor em"


@dataclass(slots=True)
class Trail:
    """A start so far.

    `networks` has the network that it began with, then that of each step. `tables` has a digest of
    the completions that each step learned from. `ended` says how it ended; it is empty before.
    """

    kind: StartKind
    networks: list[Network]
    steps: list[EmStep] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    ended: str = ""
    settled: bool = False

    @property
    def chosen(self) -> int:
        """The step, from 1, that it stands for: the last if it settled, else the cheapest."""
        if self.settled:
            return len(self.steps)
        costs = [step.observed_cost for step in self.steps]
        return costs.index(min(costs)) + 1

    @property
    def network(self) -> Network:
        """The network of the chosen step."""
        return self.networks[self.chosen]

    @property
    def observed_cost(self) -> float:
        """The cost of that network on the observed cells, in nats."""
        return self.steps[self.chosen - 1].observed_cost


def write_trails(folder: Path, trails: Sequence[Trail]) -> None:
    """Write all starts so far, whole or not at all."""
    said = {
        "format": _KIND,
        "version": 1,
        "starts": [
            {
                "begins_with": str(trail.kind),
                "steps": [asdict(step) for step in trail.steps],
                "tables": trail.tables,
                "ended": trail.ended,
                "settled": trail.settled,
                "networks": [network_json(network) for network in trail.networks],
            }
            for trail in trails
        ],
    }
    write_whole({folder / EM: document_text(said).encode()})


def read_trails(folder: Path) -> list[Trail]:
    """Return the starts that an earlier run has written; none if there is no file."""
    path = folder / EM
    if not path.exists():
        return []
    with errors_at(path, raised=FormatError):
        try:
            text = path.read_text(encoding="utf-8")
            read_document(text)  # refuses what is no document, and names the place
            return [_trail(one) for one in json.loads(text)["starts"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(
                f"the steps of EM cannot be read ({error!r}); remove the folder to start anew"
            ) from error


def _trail(said: dict[str, object]) -> Trail:
    networks, steps, tables = said["networks"], said["steps"], said["tables"]
    if not (isinstance(networks, list) and isinstance(steps, list) and isinstance(tables, list)):
        raise TypeError("networks, steps and tables must be lists")
    if not len(networks) - 1 == len(steps) == len(tables):
        raise ValueError("there must be as many steps as tables, and one more network")
    return Trail(
        StartKind(str(said["begins_with"])),
        [parse_network_json(str(text)) for text in networks],
        [EmStep(**step) for step in steps],
        [str(table) for table in tables],
        str(said["ended"]),
        said["settled"] is True,
    )
