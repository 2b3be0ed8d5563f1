"""How a file of a network is read."""

from dataclasses import dataclass
from pathlib import Path

from noisyor.cli.options import ForgivingOption, ModelPresentOption, unique_pairs
from noisyor.core import Network, NetworkSet
from noisyor.interop.network_files import read_model, read_network


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """The options for the file of a network."""

    present: ModelPresentOption = None
    forgiving: ForgivingOption = False

    def network(self, path: Path) -> Network:
        """Return the network of a file."""
        return read_network(path, present=self._present(), forgiving=self.forgiving)

    def model(self, path: Path) -> Network | NetworkSet:
        """Return the network, or the networks of a credible set, of a file."""
        return read_model(path, present=self._present(), forgiving=self.forgiving)

    def _present(self) -> dict[str, str]:
        return unique_pairs(self.present, "--present")
