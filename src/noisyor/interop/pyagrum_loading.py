"""pyAgrum, imported so that it cannot end the process."""

import sys
import warnings
from importlib import import_module
from types import ModuleType

from noisyor.core import SettingsError


def load_pyagrum() -> ModuleType:
    """Return pyAgrum; it takes a while the first time.

    It warns of its own SWIG types as it is imported, and where warnings are errors (`python -W
    error`, pytest) it crashes on that. So those warnings are not let out.
    """
    loaded = sys.modules.get("pyagrum")
    if loaded is not None:
        return loaded
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "builtin type .* has no __module__ attribute", DeprecationWarning
        )
        try:
            return import_module("pyagrum")
        except ModuleNotFoundError as error:
            raise SettingsError(
                f"pyAgrum cannot be imported ({error}); `pip install noisyor[interop]` installs it"
            ) from error
