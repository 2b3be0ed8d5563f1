"""Exact answers from networks."""

from noisyor.inference.answers import JointPosterior, MostProbable, Posteriors
from noisyor.inference.averaging import AveragedPosteriors, average
from noisyor.inference.questions import Inference

__all__ = [
    "AveragedPosteriors",
    "Inference",
    "JointPosterior",
    "MostProbable",
    "Posteriors",
    "average",
]
