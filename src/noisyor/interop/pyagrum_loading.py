"""pyAgrum, imported so that it cannot end the process."""

import sys
import warnings
from importlib import import_module
from types import ModuleType

from noisyor.core import SettingsError


def load_pyagrum() -> ModuleType:
    """Return pyAgrum, which is slow to load the first time.

    When it is imported, it warns of its own SWIG types. If warnings are errors (`python -W error`,
    pytest), it then crashes. So those warnings are suppressed.
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
