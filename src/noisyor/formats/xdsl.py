"""XDSL, the format of GeNIe and SMILE, in and out."""

from noisyor.formats.xdsl_reading import parse_xdsl
from noisyor.formats.xdsl_writing import xdsl_text

__all__ = ["parse_xdsl", "xdsl_text"]
