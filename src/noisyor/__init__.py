"""Learn every credible Bayesian network with noisy-OR relations, exactly.

The public names, all in `__init__.pyi`, are imported when they are first used: a program that only
queries a network need not load the code that learns one.
"""

from importlib import import_module

from noisyor._lazy import lazy_names

_names, _imported = lazy_names(__name__, __file__)

__all__ = sorted([*_names, "__version__"])  # noqa: PLE0605  (a list of names)


def __getattr__(name: str) -> object:
    """Import a public name."""
    if name != "__version__":
        return _imported(name)
    return import_module("noisyor.core.version").VERSION


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__
