"""How a result was made."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a result was made.

    Parameters
    ----------
    version
        The version of noisyor that made the result.
    data
        The fingerprint of the data; empty if unknown, as for a file of another program.
    records
        The number of records.
    settings
        Pairs of a setting's name and its value as text.
    """

    version: str
    data: str = ""
    records: int = 0
    settings: tuple[tuple[str, str], ...] = field(default=())

    def setting(self, name: str) -> str | None:
        """Return the value of a setting as text; None if it was not recorded."""
        return dict(self.settings).get(name)
