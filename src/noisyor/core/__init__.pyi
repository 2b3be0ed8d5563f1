# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.core.appearance import Appearance, NodeAppearance, SourceDocument
from noisyor.core.bayes_factor import BayesFactor
from noisyor.core.constraints import Constraints, Knowledge
from noisyor.core.credible_set import CredibleSet, Labels, Member, Use
from noisyor.core.dataset import Dataset
from noisyor.core.equivalence import (
    Cpdag,
    EquivalenceClass,
    EquivalenceClasses,
    cpdag,
    equivalence_classes,
)
from noisyor.core.errors import (
    ConstraintError,
    DataError,
    FormatError,
    ImpossibleEvidenceError,
    InfeasibleFitError,
    MismatchError,
    NetworkError,
    NoisyorError,
    NumericalError,
    SettingsError,
    TableSizeError,
    UncountedError,
)
from noisyor.core.family import Family, FitCertificate
from noisyor.core.network import Network
from noisyor.core.network_set import FamilyParameters, NetworkSet
from noisyor.core.prior import Prior
from noisyor.core.provenance import Provenance
from noisyor.core.relations import (
    CPT,
    LEAKY_NOISY_AND,
    LEAKY_NOISY_OR,
    NOISY_AND,
    NOISY_OR,
    SIGNED_NOISY_AND,
    SIGNED_NOISY_OR,
    Cpt,
    Distribution,
    NoisyOr,
    Relation,
)
from noisyor.core.score import AIC, BIC, Score, ebic
from noisyor.core.score_table import ScoreTable, TableScope
from noisyor.core.structure import Structure
from noisyor.core.variable import Variable

__all__ = [
    "AIC",
    "BIC",
    "CPT",
    "LEAKY_NOISY_AND",
    "LEAKY_NOISY_OR",
    "NOISY_AND",
    "NOISY_OR",
    "SIGNED_NOISY_AND",
    "SIGNED_NOISY_OR",
    "Appearance",
    "BayesFactor",
    "ConstraintError",
    "Constraints",
    "Cpdag",
    "Cpt",
    "CredibleSet",
    "DataError",
    "Dataset",
    "Distribution",
    "EquivalenceClass",
    "EquivalenceClasses",
    "Family",
    "FamilyParameters",
    "FitCertificate",
    "FormatError",
    "ImpossibleEvidenceError",
    "InfeasibleFitError",
    "Knowledge",
    "Labels",
    "Member",
    "MismatchError",
    "Network",
    "NetworkError",
    "NetworkSet",
    "NodeAppearance",
    "NoisyOr",
    "NoisyorError",
    "NumericalError",
    "Prior",
    "Provenance",
    "Relation",
    "Score",
    "ScoreTable",
    "SettingsError",
    "SourceDocument",
    "Structure",
    "TableScope",
    "TableSizeError",
    "UncountedError",
    "Use",
    "Variable",
    "cpdag",
    "ebic",
    "equivalence_classes",
]
