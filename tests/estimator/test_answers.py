"""Answers about many records at once, of tables up to the greatest width."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisyor import CPT, NOISY_OR, Cpt, Family, Network, NoisyOr, Provenance, Structure
from noisyor.core import Variable
from noisyor.core.incomplete_dataset import GAP
from noisyor.core.variable import variables_of
from noisyor.estimator.answers import chances, draw, log_likelihoods, smoothed
from tests.formats.networks import discrete_networks
from tests.oracles.joint import joint
from tests.support.effort import scaled

NOISY = Network(
    Structure(("a", "b", "c"), (Family(0, 0), Family(1, 0), Family(2, 0b011, NOISY_OR))),
    variables_of(("a", "b", "c")),
    (Cpt.binary([0.5]), Cpt.binary([0.25]), NoisyOr(np.array([0.2, 0.4]))),
    None,
    Provenance("by hand"),
)


def independent(present: list[float]) -> Network:
    """Return a network without edges."""
    names = tuple(f"v{place}" for place in range(len(present)))
    return Network(
        Structure(names, tuple(Family(place, 0) for place in range(len(present)))),
        variables_of(names),
        tuple(Cpt.binary([one]) for one in present),
        None,
        Provenance("by hand"),
    )


@pytest.mark.parametrize("width", [1, 63, 64, 65, 128, 129, 256, 257, 1024])
def test_records_of_any_width_are_told_apart(width: int) -> None:
    rng = np.random.default_rng(width)
    present = rng.uniform(0.1, 0.9, size=width)
    records = rng.integers(0, 2, size=(40, width)).astype(np.uint8)
    records = np.vstack([records, records[::-1]])  # each at least twice
    networks = [(1.0, independent(present.tolist()))]
    expected = np.log(np.where(records, present, 1 - present)).sum(axis=1)
    np.testing.assert_allclose(log_likelihoods(networks, records, 0.0), expected, rtol=1e-12)
    got, ruled_out = chances(networks, records, width - 1)
    np.testing.assert_allclose(got, [[1 - present[-1], present[-1]]] * 80, rtol=1e-12)
    assert not ruled_out.any()


def test_networks_that_rule_a_record_out_are_left_out_of_its_average() -> None:
    """The first network says that b is never present."""
    networks = [(0.75, independent([0.5, 0.0])), (0.25, independent([0.1, 0.5]))]
    records = np.array([[GAP, 0], [GAP, 1], [0, GAP], [1, 1]], dtype=np.uint8)
    got, ruled_out = chances(networks, records, 0)
    np.testing.assert_allclose(got[:, 1], [0.75 * 0.5 + 0.25 * 0.1, 0.1, 0.4, 0.1], rtol=1e-12)
    np.testing.assert_allclose(got.sum(axis=1), 1, rtol=1e-15)
    assert not ruled_out.any()
    np.testing.assert_allclose(
        np.exp(log_likelihoods(networks, records[[3]], 0.0)), [0.25 * 0.1 * 0.5], rtol=1e-12
    )


def test_a_record_that_all_rule_out_has_no_chance() -> None:
    records = np.array([[GAP, 0, 0], [GAP, 0, 1]], dtype=np.uint8)
    sure = Network(
        NOISY.structure,
        NOISY.variables,
        (Cpt.binary([0.0]), *NOISY.distributions[1:]),
        None,
        NOISY.provenance,
    )
    got, ruled_out = chances([(1.0, sure)], records, 0)
    assert ruled_out.tolist() == [False, True]
    assert got[0].tolist() == [1, 0]
    assert np.isnan(got[1]).all()


def test_a_smoothed_network_mixes_each_conditional_probability_with_a_coin() -> None:
    smooth = smoothed(NOISY, 0.5)
    assert {family.relation for family in smooth.structure.families} == {CPT}
    effect = smooth.distributions[2]
    assert isinstance(effect, Cpt)
    # Without causes, with a, with b, with both: 0, 0.8, 0.6 and 0.92, halved, and a quarter.
    np.testing.assert_allclose(effect.present, [0.25, 0.65, 0.55, 0.71], rtol=1e-12)
    everything = np.array(np.unravel_index(np.arange(8), (2, 2, 2)), dtype=np.uint8).T
    np.testing.assert_allclose(
        np.exp(log_likelihoods([(1.0, NOISY)], everything, 0.5)), joint(smooth).ravel(), rtol=1e-12
    )


def test_records_are_drawn_from_networks_by_weight() -> None:
    networks = [(0.8, independent([1.0])), (0.2, independent([0.0]))]
    drawn = draw(networks, 10_000, np.random.RandomState(0))
    assert drawn.mean() == pytest.approx(0.8, abs=5 * 0.004)
    assert 0 < drawn[:100].mean() < 1  # and in random order


def test_a_rare_absence_keeps_its_chance() -> None:
    sure = Network(
        NOISY.structure,
        NOISY.variables,
        (Cpt.binary([1.0]), *NOISY.distributions[1:-1], NoisyOr(np.array([1e-9, 1e-9]))),
        None,
        NOISY.provenance,
    )
    got, _ = chances([(1.0, sure)], np.array([[1, 1, 2]], dtype=np.uint8), 2)
    np.testing.assert_allclose(got, [[1e-18, 1.0]], rtol=1e-14)


def many_states(network: Network) -> bool:
    return len(network.names) > 1 and not network.is_binary


@settings(max_examples=scaled(60))
@given(network=discrete_networks(max_variables=4).filter(many_states), data=st.data())
def test_a_target_among_many_states_has_the_chances_of_the_joint_distribution(
    network: Network, data: st.DataObject
) -> None:
    sizes = [variable.state_count for variable in network.variables]
    target = data.draw(st.integers(0, len(sizes) - 1))
    records = np.array(list(product(*map(range, sizes))), dtype=np.uint8)
    found, ruled_out = chances([(1.0, network)], records, target)
    table = np.moveaxis(joint(network), target, -1)
    for row, own, lost in zip(records.tolist(), found, ruled_out, strict=True):
        rest = table[tuple(code for place, code in enumerate(row) if place != target)]
        if rest.sum() > 1e-12:
            assert not lost
            np.testing.assert_allclose(own, rest / rest.sum(), atol=1e-9)
    whole = np.exp(log_likelihoods([(1.0, network)], records, 0.0))
    np.testing.assert_allclose(whole, joint(network).ravel(), atol=1e-12)


WARD = Network.from_tables(
    (Variable("ward", ("a", "b", "c")), Variable("sex", ("male", "female"))),
    ((), (0,)),
    ([0.5, 0.25, 0.25], [[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]),
    Provenance("by hand"),
)


def test_records_of_many_states_may_lack_anything() -> None:
    found, ruled_out = chances([(1.0, WARD)], np.array([[GAP, 0], [GAP, 1]], dtype=np.uint8), 0)
    np.testing.assert_allclose(found, [[1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]], rtol=1e-12)
    assert not ruled_out.any()
    found, _ = chances([(1.0, WARD)], np.array([[GAP, 0]], dtype=np.uint8), 1)
    np.testing.assert_allclose(found, [[0.75, 0.25]], rtol=1e-12)


def test_smoothing_and_drawing_know_all_states() -> None:
    smooth = smoothed(WARD, 0.3)
    np.testing.assert_allclose(smooth.distributions[0].expand().table, [[0.45, 0.275, 0.275]])
    drawn = draw([(0.5, WARD), (0.5, WARD)], 4000, np.random.RandomState(3))
    assert drawn.shape == (4000, 2)
    shares = np.bincount(drawn[:, 0], minlength=3) / 4000
    np.testing.assert_allclose(shares, [0.5, 0.25, 0.25], atol=0.04)
    assert not (drawn[drawn[:, 0] > 0, 1]).any()
