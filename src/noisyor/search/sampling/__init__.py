"""A sample of the credible networks, for when they are too many to enumerate."""

from noisyor.search.sampling.credible import sample_credible
from noisyor.search.sampling.drawing import SamplingEffort

__all__ = ["SamplingEffort", "sample_credible"]
