"""The measures that compare a learned network with the truth, worked out by hand."""

from math import log

import numpy as np
import pytest

from benchmarks.harness.against_truth import (
    all_bins,
    averaged_held_out,
    binned,
    calibration_measures,
    error_measures,
    relation_measures,
    structure_measures,
)
from noisyor import (
    CPT,
    NOISY_OR,
    Cpt,
    Family,
    Network,
    NoisyOr,
    Provenance,
    Structure,
    held_out,
    learn,
    sample_dataset,
)
from noisyor.core.variable import variables_of
from noisyor.networks.arcs import ArcStrength
from noisyor.networks.likelihood import SMOOTHING

NAMES = ("a", "b", "c", "d")
STATES = ("no", "yes")


def graph(*edges: str) -> Structure:
    return Structure.from_edges(NAMES, [(edge[0], edge[1]) for edge in edges])


def network(structure: Structure, *distributions: Cpt | NoisyOr) -> Network:
    variables = variables_of(structure.names, (STATES,) * len(structure.names))
    return Network(structure, variables, distributions, None, Provenance("0", "", 1, ()))


def test_structure_is_compared_with_and_without_directions() -> None:
    # Right: b -> c. Reversed: a -> b. Missing: c -> d. Added: a -> d.
    found = structure_measures(graph("ab", "bc", "cd"), graph("ba", "bc", "ad"))
    assert found["arcs"] == 3
    assert found["shd"] == 3
    # Neither graph has a v-structure, so both classes are undirected: c - d and a - d differ.
    assert found["cpdag_shd"] == 2
    assert found["precision"] == found["recall"] == pytest.approx(1 / 3, abs=1e-5)
    assert found["skeleton_precision"] == found["skeleton_recall"] == pytest.approx(2 / 3, abs=1e-5)


def test_precision_is_of_the_learned_arcs_and_recall_of_the_true_ones() -> None:
    found = structure_measures(graph("ab", "bc", "cd"), graph("ab"))
    assert (found["precision"], found["recall"]) == (1.0, pytest.approx(1 / 3, abs=1e-5))
    nothing = structure_measures(graph("ab"), graph())
    assert (nothing["precision"], nothing["recall"]) == (None, 0.0)
    assert nothing["skeleton_precision"] is None


def test_noisy_ors_are_found_with_their_parents_only() -> None:
    def families(parents_of_d: int, relation_of_c: object, relation_of_d: object) -> Structure:
        return Structure(
            NAMES,
            (
                Family(0, 0),
                Family(1, 0),
                Family(2, 0b1, NOISY_OR if relation_of_c is NOISY_OR else CPT),
                Family(3, parents_of_d, NOISY_OR if relation_of_d is NOISY_OR else CPT),
            ),
        )

    truth = families(0b11, NOISY_OR, NOISY_OR)
    right = relation_measures(truth, truth)
    assert right == {"noisy_or": 2, "noisy_or_parents": 2, "noisy_or_found": 2}
    tables = relation_measures(truth, families(0b11, CPT, CPT))
    assert tables == {"noisy_or": 0, "noisy_or_parents": 2, "noisy_or_found": 0}
    other_parents = relation_measures(truth, families(0b10, CPT, NOISY_OR))
    assert other_parents == {"noisy_or": 1, "noisy_or_parents": 1, "noisy_or_found": 0}
    no_noisy_or = relation_measures(families(0b11, CPT, CPT), truth)
    assert no_noisy_or == {"noisy_or": 2, "noisy_or_parents": None, "noisy_or_found": None}


def test_names_count_and_not_places() -> None:
    truth = Structure(("a", "b"), (Family(0, 0), Family(1, 0b01, NOISY_OR)))
    swapped = Structure(("b", "a"), (Family(0, 0b10, NOISY_OR), Family(1, 0)))
    assert relation_measures(truth, swapped)["noisy_or_found"] == 1
    assert structure_measures(truth, swapped)["shd"] == 0


def test_errors_are_rounded_and_infinite_ones_a_text() -> None:
    pair = Structure.from_edges(("a", "b"), [("a", "b")])
    truth = network(pair, Cpt.binary([0.5]), Cpt.binary([0.2, 0.8]))
    assert error_measures(truth, truth, 10, 0)["relative"] == 0.0
    # The learned one is sure that both are absent, so it rules out most evidence.
    sure = network(pair, Cpt.binary([0.0]), Cpt.binary([0.0, 0.0]))
    found = error_measures(truth, sure, 40, 0)
    assert found["impossible"] > 0
    certain = network(pair, Cpt.binary([1.0]), Cpt.binary([1.0, 1.0]))
    none = error_measures(sure, certain, 10, 0)
    assert none == {
        "relative": "inf", "absolute": "inf", "mean": None, "impossible": 10, "infinite": 0,
    }  # fmt: skip
    assert float(none["relative"]) == float("inf")


def test_the_average_of_one_network_is_that_network() -> None:
    truth = network(
        Structure(("a", "b", "c"), (Family(0, 0), Family(1, 0b1), Family(2, 0b11, NOISY_OR))),
        Cpt.binary([0.5]),
        Cpt.binary([0.02, 0.95]),
        NoisyOr(np.array([0.1, 0.2])),
    )
    learned = learn(sample_dataset(truth, 5000, seed=1), 1, jobs=1, quiet=True)
    fresh = sample_dataset(truth, 2000, seed=2)
    networks = learned.networks()
    one = networks if len(networks) == 1 else learned.networks(most=1, seed=0)
    expected = held_out(one.network(0), fresh).mean_smoothed
    assert averaged_held_out(one, fresh) == pytest.approx(expected, rel=1e-12)


def test_the_average_is_of_probabilities_and_by_weight() -> None:
    pair = Structure(("a", "b"), (Family(0, 0), Family(1, 0)))
    truth = network(pair, Cpt.binary([0.6]), Cpt.binary([0.3]))
    learned = learn(sample_dataset(truth, 60, seed=3), 1000, jobs=1, quiet=True)
    fresh = sample_dataset(truth, 500, seed=4)
    networks = learned.networks()
    assert len(networks) > 1
    columns = [fresh.column(place) for place in range(2)]
    mixed = np.zeros(len(fresh.weights))
    for weight, member in zip(networks.weights(), networks, strict=True):
        chance = np.ones(len(mixed))
        for family, table in zip(member.structure.families, member.distributions, strict=True):
            present = table.expand().present
            index = sum(
                columns[parent].astype(int) << place
                for place, parent in enumerate(family.parent_indices())
            )
            yes = present[index + np.zeros(len(mixed), dtype=int)]
            own = np.where(columns[family.child], yes, 1 - yes)
            chance *= (1 - SMOOTHING) * own + SMOOTHING / 2
        mixed += weight * chance
    expected = float((np.log(mixed) * fresh.weights).sum()) / 500
    assert averaged_held_out(networks, fresh) == pytest.approx(expected, rel=1e-12)


def test_the_average_of_a_coin_is_a_coin() -> None:
    pair = Structure(("a", "b"), (Family(0, 0), Family(1, 0)))
    coins = network(pair, Cpt.binary([0.5]), Cpt.binary([0.5]))
    records = sample_dataset(coins, 4096, seed=0)
    networks = learn(records, 1, jobs=1, quiet=True).networks()
    assert averaged_held_out(networks, records) == pytest.approx(-2 * log(2), abs=1e-3)


def strength(parent: str, child: str, weight: float) -> ArcStrength:
    return ArcStrength(parent, child, weight, 1.0, weight, weight)


def test_weights_fall_into_ten_bins() -> None:
    pairs = [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c")]
    weights = {("a", "b"): 1.0, ("b", "a"): 0.9, ("a", "c"): 0.89, ("c", "a"): 0.05}
    found = binned(weights, {("a", "b"), ("b", "c")}, pairs)
    assert found == [[0, 2, 0.05, 1], [8, 1, 0.89, 0], [9, 2, 1.9, 1]]
    whole = all_bins(found)
    assert len(whole) == 10
    assert whole[0] == (2, 0.05, 1)
    assert whole[5] == (0, 0.0, 0)
    assert whole[9] == (2, 1.9, 1)


def test_calibration_leaves_out_what_is_reversible_in_the_truth() -> None:
    # a -> c <- b is a v-structure, compelled, and so is c -> d behind it.
    strengths = [strength("a", "c", 0.95), strength("c", "a", 0.05), strength("a", "b", 0.35)]
    found = calibration_measures(graph("ac", "bc", "cd"), strengths)
    assert found["arcs"] == found["compelled"]
    assert found["arcs"] == [[0, 10, 0.05, 2], [3, 1, 0.35, 0], [9, 1, 0.95, 1]]
    # As an adjacency a - c has both directions' weight.
    assert found["skeleton"] == [[0, 4, 0.0, 2], [3, 1, 0.35, 0], [9, 1, 1.0, 1]]
    # In a chain nothing is compelled: its three edges are left out, in both directions.
    chain = calibration_measures(graph("ac", "cb", "bd"), strengths)
    assert chain["compelled"] == [[0, 5, 0.0, 0], [3, 1, 0.35, 0]]
    assert chain["arcs"][0] == [0, 10, 0.05, 2]
