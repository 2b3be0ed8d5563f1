"""Finds the optimum and all credible networks from a score table or a source of families."""

from noisyor._lazy import lazy_names

__all__, __getattr__ = lazy_names(__name__, __file__)
