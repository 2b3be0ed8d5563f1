"""Learn every credible Bayesian network with noisy-OR relations, exactly.

The public names, all in `__init__.pyi`, are imported when they are first used: a program that asks
a network need not load what learns one.
"""

import ast
from importlib import import_module
from pathlib import Path

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_MODULE_OF = {
    alias.name: str(node.module)
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}

__all__ = sorted([*_MODULE_OF, "__version__"])  # noqa: PLE0605  (a list of names)


def __getattr__(name: str) -> object:
    """Import a public name."""
    if name == "__version__":
        value = import_module("noisyor.core.version").VERSION
    elif name in _MODULE_OF:
        value = getattr(import_module(_MODULE_OF[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
