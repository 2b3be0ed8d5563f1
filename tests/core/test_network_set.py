"""Sets of networks share families, weigh their members, and return them as networks."""

import math
from typing import Any

import numpy as np
import pytest

from noisyor.core import (
    NOISY_OR,
    BayesFactor,
    Cpt,
    DataError,
    Family,
    FamilyParameters,
    Labels,
    NetworkSet,
    NoisyOr,
    Provenance,
)
from noisyor.core.variable import variables_of

FAMILIES = (
    FamilyParameters(Family(0, 0), Cpt.binary([0.25]), 10.0),
    FamilyParameters(Family(1, 0), Cpt.binary([0.5]), 20.0),
    FamilyParameters(Family(1, 1, NOISY_OR), NoisyOr(np.array([0.25])), 20.0 + math.log(3)),
    FamilyParameters(Family(0, 2), Cpt.binary([0.5, 0.75]), 11.0),
)


def networks(**changes: Any) -> NetworkSet:  # noqa: ANN401 (any of the fields)
    fields: dict[str, Any] = {
        "variables": variables_of(("a", "b"), (("no", "yes"),) * 2),
        "families": FAMILIES,
        "members": [[0, 1], [0, 2]],
        "optimum": 30.0,
        "count": 2,
        "bayes_factor": BayesFactor(3),
        "labels": Labels.BEST,
        "provenance": Provenance("1"),
    }
    return NetworkSet(**(fields | changes))


def test_members_weigh_by_their_costs() -> None:
    known = networks()
    assert len(known) == 2
    assert known.costs().tolist() == pytest.approx([30, 30 + math.log(3)])
    assert known.weights().tolist() == pytest.approx([0.75, 0.25])  # 1 to 1/3


def test_members_that_were_drawn_weigh_by_their_draws() -> None:
    drawn = networks(draws=[1, 4], count=1000)
    assert drawn.weights().tolist() == pytest.approx([0.2, 0.8])
    assert drawn.draws is not None
    with pytest.raises(ValueError, match="read-only"):
        drawn.draws[0] = 9


def test_a_member_is_a_network_with_its_families() -> None:
    second = networks().network(1)
    assert second.structure.families == (Family(0, 0), Family(1, 1, NOISY_OR))
    assert second.distributions[1] == NoisyOr(np.array([0.25]))
    assert second.cost == pytest.approx(30 + math.log(3))
    assert second.states == (("no", "yes"),) * 2
    assert [one.cost for one in networks()] == pytest.approx([30, 30 + math.log(3)])


def test_a_set_that_was_cut_short_says_so() -> None:
    assert networks().complete
    assert not networks(shortfalls=("time was up",)).complete


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"members": [[0, 1, 2]]}, "a member has one family per variable"),
        ({"members": [0, 1]}, "a member has one family per variable"),
        ({"members": np.empty((0, 2)), "count": 0}, "0 members of a set of 0"),
        ({"count": 1}, "2 members of a set of 1"),
        ({"members": [[0, 4]], "count": 1}, "a family that is not in the list"),
        ({"members": [[1, 0]], "count": 1}, "another variable's family"),
        ({"count": 3}, "members that are not all of the set must say how they were drawn"),
        ({"draws": [1]}, "each member that was drawn has a count of at least 1"),
        ({"draws": [1, 0]}, "each member that was drawn has a count of at least 1"),
    ],
)
def test_what_is_no_set_of_networks_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        networks(**changes)


def test_a_member_with_a_cycle_is_refused_as_it_is_taken_out() -> None:
    cyclic = networks(members=[[3, 2]], count=1)
    with pytest.raises(DataError, match="directed cycle"):
        cyclic.network(0)
