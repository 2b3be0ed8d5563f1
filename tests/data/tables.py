"""What the tests of readers share: writing bytes, and the records of a dataset as plain tuples."""

from collections import Counter
from pathlib import Path

from noisyor.core import Dataset


def written(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    """Return a new file with this content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def tally(dataset: Dataset) -> Counter[tuple[int, ...]]:
    """Return how often each record occurs, as a tuple of zeros and ones."""
    columns = [dataset.column(v).astype(int).tolist() for v in range(dataset.variable_count)]
    return Counter(dict(zip(zip(*columns, strict=True), dataset.weights.tolist(), strict=True)))
