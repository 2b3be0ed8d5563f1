"""The steps of one start of structural EM, and their file, from which a killed run resumes."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from noisyor.core import FormatError, Network, Variable
from noisyor.core.choices import choice_of
from noisyor.core.errors import errors_at
from noisyor.files.whole import write_whole
from noisyor.formats.json_document import document_text, read_document
from noisyor.formats.json_place import JsonPlace, complaints_at
from noisyor.formats.network_json import network_json, parse_network_json
from noisyor.formats.network_parts_json import VERSION, check_kind
from noisyor.incomplete.starts import StartKind
from noisyor.runs.folder import EM
from noisyor.runs.missing_cells import EmStep
from noisyor.runs.missing_summary import step_in

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
        "version": VERSION,
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


def read_trails(
    folder: Path, kinds: Sequence[StartKind], variables: Sequence[Variable]
) -> list[Trail]:
    """Return the starts that an earlier run has written; none if there is no file.

    Parameters
    ----------
    folder
        The folder of the run.
    kinds
        What each start of the run begins with, of which the file has the first ones.
    variables
        The variables of its table.

    Raises
    ------
    FormatError
        The file is damaged, or of another run.

    """
    path = folder / EM
    if not path.exists():
        return []
    with errors_at(path, raised=FormatError):
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise FormatError(f"the steps of EM cannot be read: {error}") from error
        document = read_document(text)
        check_kind(document, _KIND)
        starts = document.fields("format", "version", "starts")["starts"]
        trails = [_trail(one, tuple(variables)) for one in starts.entries()]
        if [trail.kind for trail in trails] != list(kinds[: len(trails)]):
            allowed = ", ".join(kinds)
            raise starts.wrong(f"are not the starts of this run, which begin with: {allowed}")
        return trails


def _trail(place: JsonPlace, variables: tuple[Variable, ...]) -> Trail:
    fields = place.fields("begins_with", "steps", "tables", "ended", "settled", "networks")
    networks, steps = fields["networks"].entries(), fields["steps"].entries()
    tables = [one.text() for one in fields["tables"].entries()]
    if not steps:
        raise fields["steps"].wrong("is empty; a start has at least one step")
    if not len(networks) - 1 == len(steps) == len(tables):
        raise place.wrong(
            f"has {len(steps)} steps, {len(tables)} tables and {len(networks)} networks; there "
            "must be as many steps as tables, and one more network"
        )
    with complaints_at(fields["begins_with"]):
        kind = choice_of(StartKind, fields["begins_with"].text(), "a start")
    return Trail(
        kind,
        [_network(one, variables) for one in networks],
        [step_in(one) for one in steps],
        tables,
        fields["ended"].text(),
        fields["settled"].truth(),
    )


def _network(place: JsonPlace, variables: tuple[Variable, ...]) -> Network:
    with complaints_at(place):
        network = parse_network_json(place.text())
    if network.variables != variables:
        raise place.wrong("has other variables than the table of this run")
    return network
