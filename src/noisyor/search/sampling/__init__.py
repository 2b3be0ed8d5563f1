"""A sample of the credible networks, for when they are too many to enumerate."""

from noisyor.search.sampling.credible import is_reliable, sample_credible
from noisyor.search.sampling.drawing import SamplingEffort

__all__ = ["SamplingEffort", "is_reliable", "sample_credible"]
