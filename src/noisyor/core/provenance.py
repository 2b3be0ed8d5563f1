"""How a result was made."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Provenance:
    """The version that made a result, the data's fingerprint and size, and the settings.

    `data` is empty where the origin is not known, as for a file of another program.
    """

    version: str
    data: str = ""
    records: int = 0
    settings: tuple[tuple[str, str], ...] = field(default=())

    def setting(self, name: str) -> str | None:
        """Return one setting as it was written down, or nothing if it was not."""
        return dict(self.settings).get(name)
