"""Learn every credible Bayesian network with noisy-OR relations, exactly."""

from importlib.metadata import version

__version__ = version("noisyor")
