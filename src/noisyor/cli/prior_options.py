"""The options that state a prior: probabilities of arcs, and weights of relations."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from noisyor.cli.options import unique_pairs
from noisyor.core import Prior, SettingsError
from noisyor.formats.prior_files import LEAST_STRENGTH, prior_from

PriorOption = Annotated[
    Path | None,
    typer.Option(
        "--prior",
        metavar="FILE",
        help="Prior probabilities of arcs: a .csv with from,to,probability, or the arcs.csv of an "
        f"earlier run, whose weights are kept between {LEAST_STRENGTH} and {1 - LEAST_STRENGTH}.",
    ),
]
ArcProbabilityOption = Annotated[
    float | None,
    typer.Option(
        "--arc-probability",
        metavar="P",
        help="The prior probability of every other arc; below 0.5 for sparse networks. Default: "
        f"0.5, and with an arcs.csv {LEAST_STRENGTH}.",
    ),
]
RelationWeightOption = Annotated[
    list[str] | None,
    typer.Option(
        "--relation-weight",
        metavar="NAME=WEIGHT",
        help="The prior weight of a relation, such as leaky-noisy-or=0.5; 1 for the others. May be "
        "repeated.",
    ),
]


@dataclass(frozen=True, slots=True)
class PriorOptions:
    """The prior of structures."""

    prior: PriorOption = None
    arc_probability: ArcProbabilityOption = None
    relation_weight: RelationWeightOption = None

    def stated(self) -> Prior:
        """Return the prior that the options state together."""
        prior = prior_from(self.prior)
        return replace(
            prior,
            arc=prior.arc if self.arc_probability is None else self.arc_probability,
            relations={
                name: _number(name, weight)
                for name, weight in unique_pairs(self.relation_weight, "--relation-weight").items()
            },
        )


def _number(name: str, weight: str) -> float:
    try:
        return float(weight)
    except ValueError:
        raise SettingsError(
            f"--relation-weight is '{name}={weight}'; it must look like {name}=0.5"
        ) from None
