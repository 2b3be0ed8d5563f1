# The names of the package. `__init__.py` reads them here, and imports each when it is used.
from noisyor.networks.binarizing import Weights, binarize_network
from noisyor.networks.comparison import Comparison, GraphDifference, compare
from noisyor.networks.explanation import Explanation, explain
from noisyor.networks.graph import d_separated, markov_blanket
from noisyor.networks.likelihood import HeldOut, held_out, log_likelihood
from noisyor.networks.parameters import fit_members, fit_network
from noisyor.networks.sampling import sample_codes, sample_dataset, sample_records

__all__ = [
    "Comparison",
    "Explanation",
    "GraphDifference",
    "HeldOut",
    "Weights",
    "binarize_network",
    "compare",
    "d_separated",
    "explain",
    "fit_members",
    "fit_network",
    "held_out",
    "log_likelihood",
    "markov_blanket",
    "sample_codes",
    "sample_dataset",
    "sample_records",
]
