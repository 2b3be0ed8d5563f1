"""The vocabulary that all stages share: frozen types and errors, no input or output."""

from noisyor._lazy import lazy_names

__all__, __getattr__ = lazy_names(__name__, __file__)
