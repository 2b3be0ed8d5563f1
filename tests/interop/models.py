"""Small networks for conversions, and what may differ after a round trip."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import pytest

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
from noisyor.core.variable import States, variables_of
from noisyor.core.version import VERSION
from noisyor.core.warning import ConversionWarning
from tests.formats.networks import written_out

ROUNDING = 2.0**-53

COUGH = Network(
    Structure(
        ("cough", "flu", "cold", "fever"),
        (
            Family(0, 0b0110, LEAKY_NOISY_OR),
            Family(1, 0, CPT),
            Family(2, 0, CPT),
            Family(3, 0b0110, CPT),
        ),
    ),
    variables_of(
        ("cough", "flu", "cold", "fever"),
        (("no", "yes"), ("absent", "present"), ("low", "high"), ("0", "1")),
    ),
    (
        NoisyOr(np.array([0.25, 0.5]), 0.9),
        Cpt.binary([0.125]),
        Cpt.binary([0.25]),
        Cpt.binary(np.array([0.05, 0.6, 0.1, 0.5]), np.array([False, False, False, True])),
    ),
    12.5,
    Provenance("0.0.1", "abc", 100),
)
"""Two noisy causes of a cough, with a leak; the child comes first, and `fever` has a table."""


def star(causes: int, states: States = ("no", "yes"), leak_q: float | None = None) -> Network:
    """Return one noisy-OR of `causes` causes, each with q = 1/2 and probability 1/4."""
    names = tuple(f"cause{v}" for v in range(causes))
    relation = NOISY_OR if leak_q is None else LEAKY_NOISY_OR
    return Network(
        Structure(
            (*names, "effect"),
            (
                *(Family(v, 0) for v in range(causes)),
                Family(causes, (1 << causes) - 1, relation),
            ),
        ),
        variables_of((*names, "effect"), (states,) * (causes + 1)),
        (*(Cpt.binary([0.25]) for _ in names), NoisyOr(np.full(causes, 0.5), leak_q)),
        None,
        Provenance(VERSION),
    )


def of_unknown_origin(network: Network) -> Network:
    """Return a network without its cost, its provenance and its marks of unseen configurations."""
    return replace(
        network,
        cost=None,
        provenance=Provenance(VERSION),
        distributions=tuple(
            Cpt.binary(one.present) if isinstance(one, Cpt) else one
            for one in network.distributions
        ),
    )


def kept_by_pyagrum(network: Network) -> Network:
    """Return what pyAgrum keeps: noisy-ORs as they are, other relations as tables."""
    return written_out(network, lambda _, one: isinstance(one, NoisyOr))


def warnings_of_lost_relations(network: Network) -> AbstractContextManager[object]:
    """Expect a warning exactly if pyAgrum has to take a relation as a table."""
    lost = kept_by_pyagrum(network) != network
    return pytest.warns(ConversionWarning, match="has no ") if lost else nullcontext()


def assert_same(found: Network, expected: Network) -> None:
    """Check that all is equal, except for one rounding in each parameter of a noisy-OR."""
    assert found.structure == expected.structure
    assert found.states == expected.states
    assert (found.cost, found.provenance) == (expected.cost, expected.provenance)
    for one, other in zip(found.distributions, expected.distributions, strict=True):
        if isinstance(one, NoisyOr) and isinstance(other, NoisyOr):
            assert np.abs(one.q - other.q).max() <= ROUNDING
            assert (one.leak_q is None) == (other.leak_q is None)
            assert abs((one.leak_q or 0) - (other.leak_q or 0)) <= ROUNDING
        else:
            assert one == other
