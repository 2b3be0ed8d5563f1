"""Moved to core; to be removed."""

from noisyor.core.warning import ConversionWarning

__all__ = ["ConversionWarning"]
