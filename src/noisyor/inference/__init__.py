"""Exact answers from networks."""

from noisyor._lazy import lazy_names

__all__, __getattr__ = lazy_names(__name__, __file__)
