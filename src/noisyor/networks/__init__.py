"""Networks with parameters: fitted, sampled, compared, explained."""

from noisyor.networks.comparison import Comparison, GraphDifference, compare
from noisyor.networks.graph import d_separated, markov_blanket
from noisyor.networks.likelihood import HeldOut, held_out, log_likelihood
from noisyor.networks.parameters import fit_members, fit_network
from noisyor.networks.sampling import sample_dataset, sample_records

__all__ = [
    "Comparison",
    "GraphDifference",
    "HeldOut",
    "compare",
    "d_separated",
    "fit_members",
    "fit_network",
    "held_out",
    "log_likelihood",
    "markov_blanket",
    "sample_dataset",
    "sample_records",
]
