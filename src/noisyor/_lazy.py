"""Names of a package that are imported when they are first used.

A program that asks a network need not load what learns one, and a command starts at once. The
names are those that the stub of the package (`__init__.pyi`) imports, so type checkers know them,
too.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], object]]:
    """Return the public names of a package, and its `__getattr__`, which imports one of them.

    Parameters
    ----------
    package
        The name of the package.
    file
        Its `__init__.py`, beside which the stub lies.
    """
    stub = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8"))
    module_of = {
        alias.name: str(node.module)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    def imported(name: str) -> object:
        """Import a public name."""
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(module_of[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(module_of), imported
