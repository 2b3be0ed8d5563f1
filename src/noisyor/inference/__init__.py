"""Exact answers from networks."""

from noisyor.inference.answers import JointPosterior, MostProbable, Posteriors
from noisyor.inference.averaging import AveragedPosteriors, average
from noisyor.inference.questions import Inference
from noisyor.inference.trials import InferenceError, inference_error

__all__ = [
    "AveragedPosteriors",
    "Inference",
    "InferenceError",
    "JointPosterior",
    "MostProbable",
    "Posteriors",
    "average",
    "inference_error",
]
