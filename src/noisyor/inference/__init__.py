"""Exact answers from networks."""

from noisyor.inference.answers import JointPosterior, MostProbable, Posteriors
from noisyor.inference.questions import Inference

__all__ = ["Inference", "JointPosterior", "MostProbable", "Posteriors"]
