# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.inference.answers import JointPosterior, MostProbable, Posteriors
from noisyor.inference.averaging import AveragedPosteriors, average
from noisyor.inference.evidence import Finding
from noisyor.inference.information import (
    FindingValue,
    ValueOfInformation,
    value_of_information,
)
from noisyor.inference.parameter_sensitivity import ParameterSensitivity, Sensitivity, sensitivity
from noisyor.inference.questions import Inference
from noisyor.inference.trials import InferenceError, inference_error

__all__ = [
    "AveragedPosteriors",
    "Finding",
    "FindingValue",
    "Inference",
    "InferenceError",
    "JointPosterior",
    "MostProbable",
    "ParameterSensitivity",
    "Posteriors",
    "Sensitivity",
    "ValueOfInformation",
    "average",
    "inference_error",
    "sensitivity",
    "value_of_information",
]
