"""Learn every credible Bayesian network with noisy-OR relations, exactly."""

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    BayesFactor,
    BinaryDataset,
    Constraints,
    Cpt,
    CredibleSet,
    Family,
    FitCertificate,
    Knowledge,
    Network,
    NoisyOr,
    Provenance,
    Relation,
    ScoreTable,
    Structure,
    TableScope,
)
from noisyor.core.errors import (
    ConstraintError,
    DataError,
    FormatError,
    InfeasibleFitError,
    MismatchError,
    NoisyorError,
    SettingsError,
    TableSizeError,
)
from noisyor.core.version import VERSION
from noisyor.data import DataWarning, read, read_raw
from noisyor.data.binarize import binarize
from noisyor.data.examples import example_names, example_truth, load_example

__all__ = [
    "CPT",
    "LEAKY_NOISY_OR",
    "NOISY_OR",
    "BayesFactor",
    "BinaryDataset",
    "ConstraintError",
    "Constraints",
    "Cpt",
    "CredibleSet",
    "DataError",
    "DataWarning",
    "Family",
    "FitCertificate",
    "FormatError",
    "InfeasibleFitError",
    "Knowledge",
    "MismatchError",
    "Network",
    "NoisyOr",
    "NoisyorError",
    "Provenance",
    "Relation",
    "ScoreTable",
    "SettingsError",
    "Structure",
    "TableScope",
    "TableSizeError",
    "__version__",
    "binarize",
    "example_names",
    "example_truth",
    "load_example",
    "read",
    "read_raw",
]

__version__ = VERSION
