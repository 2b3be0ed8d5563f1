"""A plugin of pytest that skips what imports polars, which crashes under the thread sanitizer.

Its allocator and the sanitizer both want to be first. Kernels and what calls them do without it.
"""

import sys
from collections.abc import Sequence
from types import ModuleType

import pytest


class _Skipping:
    """Finds polars, and skips the test, or the file, that imports it."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        del path, target
        if name == "polars":
            pytest.skip("polars does not load under this sanitizer", allow_module_level=True)


sys.meta_path.insert(0, _Skipping())
