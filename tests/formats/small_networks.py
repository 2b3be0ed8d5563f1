"""Two small networks by hand, for the formats that a person reads."""

import numpy as np

from noisyor.core import (
    CPT,
    LEAKY_NOISY_OR,
    NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
)
from noisyor.core.variable import variables_of

CLINIC_NAMES = ("flu", "cold", "cough", "fever", "bed rest")


def clinic() -> Network:
    """Return a network with every relation: flu and cold cause cough, flu fever, both bed rest."""
    return Network(
        Structure(
            CLINIC_NAMES,
            (
                Family(0, 0),
                Family(1, 0),
                Family(2, 0b00011, NOISY_OR),
                Family(3, 0b00001, LEAKY_NOISY_OR),
                Family(4, 0b00101, CPT),
            ),
        ),
        variables_of(
            CLINIC_NAMES,
            (("no", "yes"), ("no", "yes"), ("0", "1"), ("absent", "present"), ("up", "in bed")),
        ),
        (
            Cpt.binary([0.125]),
            Cpt.binary([0.25]),
            NoisyOr(np.array([0.25, 0.5])),
            NoisyOr(np.array([0.125]), 0.875),
            Cpt.binary(np.array([0.0625, 0.75, 0.25, 1.0]), np.array([False, True, False, False])),
        ),
        12.5,
        Provenance("0.1.0", "ab12", 40, (("bayes_factor", "20"),)),
    )


def pair(first: str, second: str, states: tuple[str, str] = ("no", "yes")) -> Network:
    """Return a network of two variables: the first causes the second, with q = 0.25."""
    return Network(
        Structure((first, second), (Family(0, 0), Family(1, 1, NOISY_OR))),
        variables_of((first, second), (states, states)),
        (Cpt.binary([0.5]), NoisyOr(np.array([0.25]))),
        None,
        Provenance("0.1.0"),
    )
