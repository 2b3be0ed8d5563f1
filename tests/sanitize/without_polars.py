"""A plugin of pytest: polars cannot be imported, since it crashes under the thread sanitizer.

Its allocator and the sanitizer both want to be first. Kernels and what calls them do without it.
"""

import sys
from typing import Any

modules: dict[str, Any] = sys.modules
modules["polars"] = None
