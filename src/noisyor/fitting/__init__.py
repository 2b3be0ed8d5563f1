"""Fits one family: its parameters, cost and certificate."""

from noisyor.fitting.fitted_family import FittedFamily
from noisyor.fitting.fitters import Fitter
from noisyor.fitting.relations import fit, fitted_by, penalties_of, penalty_of

__all__ = ["FittedFamily", "Fitter", "fit", "fitted_by", "penalties_of", "penalty_of"]
